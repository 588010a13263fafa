//! The numbers of what each interpreter keeps for the binary in charge: classes that are no
//! wrappers' ([`Interp::helper_class`](super::Interp::helper_class)), and objects that calls are
//! given again and again ([`Interp::constant`](super::Interp::constant)).

/// How many classes.
pub(super) const HELPERS: usize = 10;
pub(crate) const ITERATOR: usize = 0;
pub(crate) const ENTRY_ITERATOR: usize = 1;
/// Of keys; then of values, then of items.
pub(crate) const VIEWS: usize = 2;
/// The class of objects that keep memory lent to arrays.
pub(crate) const LENDER: usize = 5;
pub(crate) const ELEMENT_ITERATOR: usize = 6;
/// Descriptors of what a class has itself.
pub(crate) const CLASS_GETTER: usize = 7;
/// Functions and methods of libraries of C.
pub(crate) const NATIVE_FUNCTION: usize = 8;
pub(crate) const NATIVE_METHOD: usize = 9;

/// How many objects: those that an exporter of DLPack is asked with.
pub(super) const CONSTANTS: usize = 3;
pub(crate) const DLPACK_METHOD: usize = 0;
/// The names of the arguments: `max_version`.
pub(crate) const DLPACK_ARGUMENTS: usize = 1;
/// Version 1.0, and the first processor.
pub(crate) const DLPACK_ONE_ZERO: usize = 2;
