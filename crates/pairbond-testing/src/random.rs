//! Random numbers whose seed is printed and can be given: `PAIRBOND_SEED=17 cargo test …`. More of
//! everything: `PAIRBOND_LONG=1`.

/// A generator, seeded by `PAIRBOND_SEED` or the clock; the seed is printed, which a test harness
/// shows when the test fails.
#[must_use]
pub fn seeded_rng(what: &str) -> fastrand::Rng {
    let seed = match std::env::var("PAIRBOND_SEED") {
        Ok(seed) => seed.parse().expect("PAIRBOND_SEED is a number"),
        Err(_) if cfg!(miri) => 1,
        Err(_) => fastrand::u64(..1_000_000_000),
    };
    println!("{what}: PAIRBOND_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// How many steps to take: `usual`, fifty times that under `PAIRBOND_LONG`, few under Miri (which
/// is thousands of times slower).
#[must_use]
pub fn step_count(usual: usize) -> usize {
    if cfg!(miri) {
        usual.min(400)
    } else if std::env::var_os("PAIRBOND_LONG").is_some_and(|v| v != "0") {
        usual * 50
    } else {
        usual
    }
}
