//! Showing the references of an object: by the plan of its type, or by the type's function.

use super::TracerTable;
use crate::object::Header;
use crate::sync::CellLock;

/// Shows an object's references: to `lock` and `edge` by its type's plan, or to the callbacks of
/// `table`, which do the same.
///
/// # Safety
/// The object is alive; the table's callbacks may be called.
#[inline(always)]
pub(super) unsafe fn show_references(
    object: &Header,
    table: &TracerTable,
    lock: impl FnMut(&CellLock) -> bool,
    edge: impl FnMut(*const Header),
) {
    let info = object.info();
    // SAFETY: passed on; the plan is that of the object's exact type.
    unsafe {
        if info.plan().is_known() {
            info.plan().read(object.value_ptr(), lock, edge);
        } else {
            info.trace_object(object, table);
        }
    }
}
