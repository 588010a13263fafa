//! The operations whose instructions `benches/callgrind.py` counts.
//!
//! `native_costs NAME N` runs one operation N times. The script runs each for two N and divides the difference, so that
//! start-up, the first allocations and the loop's prologue vanish; what stays is the operation, the call and the loop,
//! alike for every contender. An operation is therefore a function of its own that is never inlined, and names ending in
//! the same `.operation` are compared with `arc`.

use std::hint::black_box;
use std::sync::Arc;

/// The 16-byte payload that every contender allocates.
#[derive(Clone, Copy)]
struct Payload {
    _value: i64,
    _weight: f64,
}

const PAYLOAD: Payload = Payload {
    _value: 7,
    _weight: 1.0,
};

#[inline(never)]
fn arc_clone_drop(object: &Arc<Payload>) {
    drop(black_box(Arc::clone(object)));
}

#[inline(never)]
fn arc_new_drop() {
    drop(black_box(Arc::new(black_box(PAYLOAD))));
}

/// What the call and the loop cost by themselves; the script takes it off every count.
#[inline(never)]
fn nothing(object: &Arc<Payload>) {
    black_box(object);
}

fn repeat(n: u64, mut operation: impl FnMut()) {
    for _ in 0..n {
        operation();
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        // The script asks for the names, so that they are listed once, here.
        for name in ["empty.call", "arc.clone_drop", "arc.new_drop"] {
            println!("{name}");
        }
        return;
    };
    let n = arguments
        .next()
        .and_then(|n| n.parse().ok())
        .expect("native_costs NAME N");
    let object = Arc::new(PAYLOAD);
    match name.as_str() {
        "empty.call" => repeat(n, || nothing(&object)),
        "arc.clone_drop" => repeat(n, || arc_clone_drop(&object)),
        "arc.new_drop" => repeat(n, arc_new_drop),
        _ => panic!("no operation named {name}"),
    }
}
