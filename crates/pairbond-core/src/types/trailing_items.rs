//! [`Items`]: the trailing arrays of a type's objects.

/// How the runtime finds the items of an object.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Items {
    /// Bytes per item.
    pub size: usize,
    /// Alignment of an item, at most a page.
    pub align: usize,
    /// The number of items of a living object's value.
    pub len: unsafe extern "C-unwind" fn(*const u8) -> usize,
    /// Drops all items.
    pub drop: Option<unsafe extern "C-unwind" fn(*mut u8, usize)>,
}
