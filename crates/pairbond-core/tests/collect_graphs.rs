//! The collector against an oracle: random graphs over both heaps, with a simulated collector of
//! CPython and strangers who clone, drop, relink and upgrade in the middle of a survey.
//!
//! A failure prints its seed; `PAIRBOND_SEED=n` replays it. `PAIRBOND_LONG=1` goes on for
//! `PAIRBOND_LONG_SECONDS` (60).

#![allow(clippy::disallowed_types, unreachable_pub, missing_docs)]

use pairbond_core as core_crate;

#[path = "collect/collector.rs"]
mod collector;
#[path = "collect/things.rs"]
mod things;
#[path = "collect/world.rs"]
mod world;

use std::time::{Duration, Instant};

/// No actions while the next surveys are taken. Other threads are there for all that; `faults.rs`
/// covers the case that there are none.
fn pretend_alone(_: bool) {}

#[test]
fn nothing_alive_is_cleared_and_all_garbage_goes() {
    let count = if cfg!(miri) {
        5
    } else if cfg!(debug_assertions) {
        5_000
    } else {
        100_000
    };
    let (totals, failure) = world::run_seeds(0..count);
    println!("{count} graphs: {totals:?}");
    if let Some((seed, error)) = failure {
        panic!("PAIRBOND_SEED={seed}: {error}");
    }
    if std::env::var_os("PAIRBOND_SEED").is_none() && !cfg!(miri) {
        assert!(totals.garbage > 0 && totals.condemned > 0 && totals.acts > 0 && totals.upgrades > 0);
    }
}

#[test]
fn nothing_alive_is_cleared_for_a_long_time() {
    if std::env::var_os("PAIRBOND_LONG").is_none() {
        return;
    }
    let seconds = std::env::var("PAIRBOND_LONG_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(60);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut start = 1 << 32;
    while Instant::now() < end {
        if let (_, Some((seed, error))) = world::run_seeds(start..start + 1000) {
            panic!("PAIRBOND_SEED={seed}: {error}");
        }
        start += 1000;
    }
}
