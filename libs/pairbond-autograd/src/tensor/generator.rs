//! Random numbers: one sequence for the whole process.

use std::sync::{LazyLock, PoisonError};

use fastrand::Rng;
use pairbond::fork::Mutex;

use crate::data::room;

/// `None` before the first number, unless a seed was set.
static SEQUENCE: LazyLock<Mutex<Option<Rng>>> = LazyLock::new(Mutex::default);

/// Begins again there.
pub(crate) fn set_seed(seed: u64) {
    *SEQUENCE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Rng::with_seed(seed));
}

/// So many of what `draw` gives.
fn draw_many<N>(len: usize, mut draw: impl FnMut(&mut Rng) -> N) -> Vec<N> {
    let mut sequence = SEQUENCE.lock().unwrap_or_else(PoisonError::into_inner);
    let rng = sequence.get_or_insert_with(Rng::new);
    room::collect_vec((0..len).map(|_| draw(rng)))
}

/// From 0 up to and without 1, each float of 24 bits alike, so that it is below 1 as a float32,
/// too.
pub(crate) fn draw_uniform(len: usize) -> Vec<f64> {
    draw_many(len, |rng| f64::from(rng.u32(..1 << 24)) / f64::from(1_u32 << 24))
}

/// Of the standard normal distribution, by Box and Muller.
pub(crate) fn draw_normal(len: usize) -> Vec<f64> {
    let mut other = None;
    draw_many(len, |rng| {
        other.take().unwrap_or_else(|| {
            let (radius, angle) = (
                (-2.0 * (1.0 - rng.f64()).ln()).sqrt(),
                std::f64::consts::TAU * rng.f64(),
            );
            other = Some(radius * angle.sin());
            radius * angle.cos()
        })
    })
}

/// Whole numbers from `low` up to and without `high`.
pub(crate) fn draw_integers(low: i64, high: i64, len: usize) -> Vec<i64> {
    draw_many(len, |rng| rng.i64(low..high))
}
