//! An extension module with an allocator of its own, as crates of the ecosystem bring one in a line
//! of safe code.

use std::alloc::{GlobalAlloc, Layout, System};

use pairbond::prelude::*;

/// Puts a word in front of each block, so that no other allocator can free it.
struct Own;

const FRONT: usize = if cfg!(feature = "counting") { 0 } else { 64 };

// SAFETY: the system's, with `FRONT` bytes more in front.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let larger = Layout::from_size_align(layout.size() + FRONT, layout.align()).expect("not that large");
        // SAFETY: a layout that is not empty.
        let memory = unsafe { System.alloc(larger) };
        if memory.is_null() {
            memory
        } else {
            memory.wrapping_add(FRONT)
        }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let larger = Layout::from_size_align(layout.size() + FRONT, layout.align()).expect("not that large");
        // SAFETY: as allocated.
        unsafe { System.dealloc(memory.wrapping_sub(FRONT), larger) }
    }
}

#[global_allocator]
static OWN: Own = Own;

#[pairbond::function]
fn fill(list: List<Any>) -> Result<usize> {
    for number in 0..20_i64 {
        list.push(number.into());
    }
    Ok(list.len())
}

pairbond::module!(heap { fill });
