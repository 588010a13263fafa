//! Random numbers: xoshiro256++, seeded by SplitMix64. One sequence for the whole process.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A state; `None` before the first number, when nobody has said where to begin.
static STATE: Mutex<Option<[u64; 4]>> = Mutex::new(None);

fn seeded(seed: u64) -> [u64; 4] {
    let mut state = seed;
    std::array::from_fn(|_| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    })
}

/// Begins again there.
pub(crate) fn seed(seed: u64) {
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(seeded(seed));
}

/// Calls `draw` with a source of random bits.
pub(crate) fn with_bits<R>(draw: impl FnOnce(&mut dyn FnMut() -> u64) -> R) -> R {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = state.get_or_insert_with(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        seeded(now.map_or(0, |now| now.as_nanos() as u64))
    });
    draw(&mut || {
        let bits = state[0]
            .wrapping_add(state[3])
            .rotate_left(23)
            .wrapping_add(state[0]);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        bits
    })
}

/// From 0 up to and without 1, each float of 24 bits alike, so that it is below 1 as a float32, too.
pub(crate) fn uniform(len: usize) -> Vec<f64> {
    with_bits(|bits| {
        (0..len)
            .map(|_| (bits() >> 40) as f64 / (1_u64 << 24) as f64)
            .collect()
    })
}

/// Of the standard normal distribution, by Box and Muller.
pub(crate) fn normal(len: usize) -> Vec<f64> {
    with_bits(|bits| {
        let mut unit = || ((bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let mut numbers = Vec::with_capacity(len + 1);
        while numbers.len() < len {
            let (radius, angle) = ((-2.0 * unit().ln()).sqrt(), std::f64::consts::TAU * unit());
            numbers.extend([radius * angle.cos(), radius * angle.sin()]);
        }
        numbers.truncate(len);
        numbers
    })
}
