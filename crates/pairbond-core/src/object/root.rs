//! The type that every other extends.

use super::object_layout::Object;
use super::reach::Reach;
use super::trace::Trace;
pub use crate::raw::Root;
use crate::types::{Tracer, TypeCell};

// SAFETY: the cell is its own; `Root` is its own base and ends the chain.
unsafe impl Object for Root {
    const KEY: &'static str = "pairbond.Object";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn type_cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: it owns nothing.
unsafe impl Trace for Root {
    const TRACED: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
    /// A `Ref<Root>` is of anything.
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_anything();
    }
}
