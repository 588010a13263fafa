//! The operations whose instructions `benches/callgrind.py` counts.
//!
//! `native_costs NAME N` runs one operation N times. The script runs each for two N and divides the
//! difference, so that start-up, the first allocations and the loop's prologue vanish; what stays
//! is the operation, the call and the loop, alike for every contender. An operation is therefore a
//! function of its own that is never inlined, and names ending in the same `.operation` are
//! compared with `arc`.

use std::hint::black_box;
use std::sync::Arc;

use pairbond_core::memory::{current_allocator, set_allocator};
use pairbond_core::object::{Object, Ref, Root};
use pairbond_core::runtime::runtime_table;
use pairbond_core::trace::{Trace, Tracer};
use pairbond_core::types::TypeCell;

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

// SAFETY: the cell is the type's own; no base.
unsafe impl Object for Payload {
    const KEY: &'static str = "native_costs.Payload";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: numbers own nothing.
unsafe impl Trace for Payload {
    const TRACED: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
}

#[inline(never)]
fn arc_clone_drop(object: &Arc<Payload>) {
    drop(black_box(Arc::clone(object)));
}

#[inline(never)]
fn arc_new_drop() {
    drop(black_box(Arc::new(black_box(PAYLOAD))));
}

#[inline(never)]
fn pairbond_clone_drop(object: &Ref<Payload>) {
    drop(black_box(Ref::clone(object)));
}

#[inline(never)]
fn pairbond_new_drop() {
    drop(black_box(Ref::new(black_box(PAYLOAD))));
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
        for name in [
            "empty.call",
            "arc.clone_drop",
            "pairbond.clone_drop",
            "arc.new_drop",
            "pairbond.new_drop",
        ] {
            println!("{name}");
        }
        return;
    };
    if name == "adopt" {
        // Never run: without it, and an allocator that might be set, the compiler sees that this
        // binary has one runtime and one allocator for ever, and counts what no extension module
        // can have. SAFETY: the table of this process's runtime, and its own allocator.
        unsafe {
            black_box(pairbond_core::runtime::adopt_runtime(black_box(runtime_table()))).expect("our own");
            black_box(set_allocator(black_box(current_allocator()))).expect("our own");
        }
        return;
    }
    let n = arguments
        .next()
        .and_then(|n| n.parse().ok())
        .expect("native_costs NAME N");
    let object = Arc::new(PAYLOAD);
    match name.as_str() {
        "empty.call" => repeat(n, || nothing(&object)),
        "pairbond.clone_drop" => {
            let object = Ref::new(PAYLOAD);
            repeat(n, || pairbond_clone_drop(&object));
        }
        "pairbond.new_drop" => repeat(n, pairbond_new_drop),
        "arc.clone_drop" => repeat(n, || arc_clone_drop(&object)),
        "arc.new_drop" => repeat(n, arc_new_drop),
        _ => panic!("no operation named {name}"),
    }
}
