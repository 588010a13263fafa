//! Signatures of every kind.

use std::sync::Barrier;
use std::thread::sleep as wait;
use std::time::Duration;

use pairbond::prelude::*;

#[pairbond::function]
pub(crate) fn nothing() {}

/// Adds three numbers.
#[pairbond::function]
pub(crate) fn add3(a: i64, b: i64, c: i64) -> i64 {
    a.wrapping_add(b).wrapping_add(c)
}

/// Greets.
#[pairbond::function]
pub(crate) fn greet(name: &str, #[default("Hello")] greeting: &str) -> String {
    format!("{greeting}, {name}!")
}

#[pairbond::function]
pub(crate) fn defaults(a: i64, #[default(2)] b: i64, #[default(-3)] c: i64) -> (i64, i64, i64) {
    (a, b, c)
}

#[pairbond::function]
pub(crate) fn options(a: Option<i64>, b: Option<&str>) -> (Option<i64>, Option<String>) {
    (a, b.map(str::to_owned))
}

#[pairbond::function]
pub(crate) fn keyword_only(a: i64, #[keyword] key: i64, #[default(5)] other: i64) -> (i64, i64, i64) {
    (a, key, other)
}

#[pairbond::function]
pub(crate) fn rest(first: i64, #[rest] others: Vec<i64>, #[default(0)] start: i64) -> i64 {
    others.into_iter().sum::<i64>() + first + start
}

#[pairbond::function]
pub(crate) fn one(value: Any) -> Any {
    value
}

#[pairbond::function]
pub(crate) fn mixed(
    a: Any,
    #[default(1)] b: i64,
    #[rest] c: Vec<Any>,
    d: Any,
    e: Option<Any>,
) -> (Any, i64, Vec<Any>, Any, Option<Any>) {
    (a, b, c, d, e)
}

/// More parameters than are bound on the stack.
#[pairbond::function]
#[allow(clippy::too_many_arguments)]
pub(crate) fn many(
    a: i64,
    b: i64,
    c: i64,
    d: i64,
    e: i64,
    f: i64,
    g: i64,
    h: i64,
    i: i64,
    j: i64,
    k: i64,
    l: i64,
    m: i64,
    n: i64,
) -> Vec<i64> {
    vec![a, b, c, d, e, f, g, h, i, j, k, l, m, n]
}

/// Lets other threads run meanwhile.
#[pairbond::function]
#[detach]
pub(crate) fn sleep(seconds: f64, result: Any) -> Any {
    wait(Duration::from_secs_f64(seconds));
    result
}

/// Works for so many seconds, and looks for signals on the way, detached if `released`; how often
/// it looked.
#[pairbond::function]
pub(crate) fn work(seconds: f64, released: bool) -> Result<u64> {
    let until = std::time::Instant::now() + Duration::from_secs_f64(seconds);
    let work = || {
        let mut looked = 0;
        while std::time::Instant::now() < until {
            pairbond::check_signals()?;
            looked += 1;
        }
        Ok(looked)
    };
    if released {
        pairbond::detached(work)
    } else {
        work()
    }
}

/// The same on a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn work_elsewhere(seconds: f64) -> Result<u64> {
    let thread = std::thread::spawn(move || work(seconds, true));
    thread
        .join()
        .unwrap_or_else(|_| Err(Error::runtime_error("the thread panicked")))
}

static BARRIER: Barrier = Barrier::new(2);

/// Returns when two threads are in it, which takes both being detached.
#[pairbond::function]
#[detach]
pub(crate) fn parallel() -> bool {
    BARRIER.wait();
    true
}
