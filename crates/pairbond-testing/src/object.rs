use pairbond_core::trace::{Plan, Trace};

/// The plan of the type of a field.
#[doc(hidden)]
#[must_use]
pub const fn plan_of<S, T: Trace>(_: fn(&S) -> &T) -> Plan {
    T::PLAN
}

/// Makes a struct an object type, as `#[pairbond::object]` would: its name, its key, in brackets
/// the fields that can own references.
///
/// ```
/// use pairbond_core::object::Ref;
/// use pairbond_value::value::Cell;
///
/// struct Node {
///     number: u32,
///     next: Cell<Option<Ref<Node>>>,
/// }
/// pairbond_testing::object!(Node, "doc.Node", [next]);
///
/// let node = Ref::new(Node { number: 1, next: Cell::new(None) });
/// assert_eq!(node.number, 1);
/// # assert!(node.next.get().is_none());
/// ```
///
/// With a base: `object!(Derived: Base, "doc.Derived", [])`, for a `repr(C)` struct that begins
/// with a `Base`.
#[macro_export]
macro_rules! object {
    ($name:ident, $($rest:tt)*) => {
        $crate::object!($name: $crate::pairbond_core::object::Root, $($rest)*);
    };
    ($name:ident: $base:ty, $key:expr, [$($field:tt),*]) => {
        // SAFETY: the cell is the type's own; a type with a base begins with that base.
        unsafe impl $crate::pairbond_core::object::Object for $name {
            const KEY: &'static str = $key;
            const THREAD_SAFE: bool = true;
            type Base = $base;
            fn type_cell() -> &'static $crate::pairbond_core::types::TypeCell {
                static CELL: $crate::pairbond_core::types::TypeCell = $crate::pairbond_core::types::TypeCell::new();
                &CELL
            }
        }

        // SAFETY: every field that is listed shows its references once.
        unsafe impl $crate::pairbond_core::trace::Trace for $name {
            const TRACED: bool = 0 $(+ stringify!($field).len())* > 0;
            const PLAN: $crate::pairbond_core::trace::Plan = $crate::pairbond_core::trace::Plan::NOTHING
                $(.combined_with($crate::plan_of(|value: &$name| &value.$field).at_offset(::core::mem::offset_of!($name, $field))))*;
            fn trace(&self, _tracer: &mut $crate::pairbond_core::trace::Tracer<'_>) {
                $($crate::pairbond_core::trace::Trace::trace(&self.$field, _tracer);)*
            }
            fn clear(&self) {
                $($crate::pairbond_core::trace::Trace::clear(&self.$field);)*
            }
        }
    };
}
