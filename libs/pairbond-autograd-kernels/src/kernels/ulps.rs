//! How far results are from the right ones, for tests.

/// How many floats lie between both.
fn ulp_distance(a: i64, b: i64, least: i64) -> u64 {
    let order = |bits: i64| if bits < 0 { least - bits } else { bits };
    order(a).abs_diff(order(b))
}

fn check_ulps(name: &str, x: f64, found: f64, expected: f64, between: u64, off: u64) {
    if found.is_nan() && expected.is_nan() {
        return;
    }
    assert!(
        between <= off,
        "{name}({x:e}): {found:e}, not {expected:e}: {between} floats off"
    );
    assert!(
        found.is_sign_negative() == expected.is_sign_negative(),
        "{name}({x:e}): {found:e}"
    );
}

/// Compares numbers of all sizes, and those at which functions change how they compute.
pub(super) fn of_f32(name: &str, ours: fn(f32) -> f32, theirs: fn(f64) -> f64, off: u64) {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        -f32::INFINITY,
        f32::NAN,
        88.72,
        88.73,
        -87.4,
        -103.9,
        -104.1,
    ];
    let all = (0..u32::MAX).step_by(9_973).map(f32::from_bits);
    let nearer = (0..400_000).map(|i| i as f32 * 1e-5 - 2.0);
    for x in special.into_iter().chain(all).chain(nearer) {
        // Rounded once from more digits than are asked for.
        let (found, expected) = (ours(x), theirs(f64::from(x)) as f32);
        let bits = |x: f32| i64::from(x.to_bits().cast_signed());
        let between = ulp_distance(bits(found), bits(expected), i64::from(i32::MIN));
        check_ulps(name, x.into(), found.into(), expected.into(), between, off);
    }
}

/// As [`of_f32`].
pub(super) fn of_f64(name: &str, ours: fn(f64) -> f64, theirs: fn(f64) -> f64, off: u64) {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        -f64::INFINITY,
        f64::NAN,
        709.78,
        709.79,
        -708.5,
        -745.1,
        -745.2,
    ];
    let bits = (0..u64::MAX).step_by(50_000_000_000_017).map(f64::from_bits);
    let near = (0..400_000).map(|i| f64::from(i) * 0.003_77 - 754.0);
    let nearer = (0..400_000).map(|i| f64::from(i) * 1e-5 - 2.0);
    for x in special.into_iter().chain(bits).chain(near).chain(nearer) {
        let (found, expected) = (ours(x), theirs(x));
        let bits = |x: f64| x.to_bits().cast_signed();
        check_ulps(
            name,
            x,
            found,
            expected,
            ulp_distance(bits(found), bits(expected), i64::MIN),
            off,
        );
    }
}
