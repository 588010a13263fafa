//! [`Pins`]: objects that a snapshot knows by their addresses, which must not be used again
//! meanwhile.

use std::ptr::NonNull;

use super::graph::fact;
use super::survey::HeapScan;
use crate::memory::Counted;
use crate::object::{ByAddress, Header, free_object};

/// Nodes by the addresses of their objects.
pub(super) type Places = ByAddress<u32>;

/// Weak references to the objects that a snapshot knows by their addresses: keep these from being
/// used again. Dropping them gives memory back.
#[derive(Debug, Default)]
pub struct Pins(Vec<NonNull<Header>>);

// SAFETY: a weak reference may be given up on any thread.
unsafe impl Send for Pins {}

impl Pins {
    /// Counts a weak reference to each object that has one and will be asked for by its address,
    /// and notes where.
    pub(super) fn pin_objects(survey: &HeapScan<'_>, places: &mut Places) -> Pins {
        let mut pins = Vec::new();
        for (node, object) in &survey.weak {
            // Those of traced types that have a wrapper are known by their epoch, and those that
            // are held are alive.
            let listed = (*node as usize) + 1 < survey.graph.offsets.len();
            if listed && survey.graph.has_fact(*node, fact::WRAPPED)
                || survey.graph.has_fact(*node, fact::HELD)
            {
                continue;
            }
            let object = NonNull::new(*object).expect("a listed object");
            // SAFETY: alive while the survey lasts.
            unsafe { object.as_ref() }.custody().downgrade();
            places.insert(object.as_ptr().addr(), *node);
            pins.push(object);
        }
        Pins(pins)
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        for object in self.0.drain(..) {
            // SAFETY: the weak reference keeps the header, and goes now.
            unsafe {
                if object.as_ref().custody().release_weak() {
                    free_object(object, Counted::NOTHING);
                }
            }
        }
    }
}
