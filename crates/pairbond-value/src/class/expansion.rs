//! Functions for the macros' expansions only, so that these contain calls and no logic.

use std::marker::PhantomData;

use super::{Args, Class, ClassVisitor, Methods, SharesMethods, Signature, required_arg};
use crate::abi::{Layout, LayoutWriter};
use crate::carry::{Carry, CarryTable, Carrying};
use crate::convert::{FromValue, Mismatch, Source, Stored};
use crate::error::Error;
use crate::object::trace_of;
use crate::trace::Trace;
use crate::types::TraceFn;
use crate::value::Element;

/// Asks whether a concrete type has a property: an inherent item, which exists only with the
/// property, hides the one of [`Otherwise`].
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

/// The default of a [`Probe`] for types without the property.
pub trait Otherwise {
    /// Not `Send + Sync`.
    const THREAD_SAFE: bool = false;
    /// Shows no references. (Where it should, another error says so.)
    const TRACE: Option<TraceFn> = None;

    /// Cannot be taken apart.
    const CARRY: Option<CarryTable> = None;

    /// No class that a frontend is shown.
    fn base_fields(_: &mut dyn FnMut(&'static str)) {}
    /// Methods are not for each of several types, or there are none.
    const SHARES_METHODS: bool = false;
    /// No `#[pairbond::methods]` of this very type.
    const HAS_METHODS: bool = false;

    /// No element of containers.
    #[must_use]
    fn with_element(carrying: Carrying) -> Carrying {
        carrying
    }

    /// No `#[pairbond::methods]`: shows nothing.
    fn describe_methods<V: ClassVisitor>(_: &mut V) {}
    /// No `#[pairbond::methods(block = 1)]`; the same below.
    fn describe_methods_1<V: ClassVisitor>(_: &mut V) {}
    /// See above.
    fn describe_methods_2<V: ClassVisitor>(_: &mut V) {}
    /// See above.
    fn describe_methods_3<V: ClassVisitor>(_: &mut V) {}
    /// No options `eq`, `hash`, `ord`.
    fn describe_methods_4<V: ClassVisitor>(_: &mut V) {}
}

impl<T> Otherwise for Probe<T> {}

impl<T: Send + Sync> Probe<T> {
    /// `Send + Sync`.
    pub const THREAD_SAFE: bool = true;
}

impl<T: SharesMethods> Probe<T> {
    /// Methods are written for each of several types.
    pub const SHARES_METHODS: bool = true;
}

impl<T: Methods> Probe<T> {
    /// There are methods of this type.
    pub const HAS_METHODS: bool = true;
}

impl<T: Class> Probe<T> {
    /// The exposed fields of a base.
    pub fn base_fields(each: &mut dyn FnMut(&'static str)) {
        T::for_each_field(each);
    }
}

impl<T: Trace> Probe<T> {
    /// How a field of the type shows its references.
    pub const TRACE: Option<TraceFn> = trace_of::<T>();
}

impl<T: Element> Probe<T> {
    /// With what containers of it hold.
    #[must_use]
    pub fn with_element(carrying: Carrying) -> Carrying {
        crate::carry::with_element::<T>(carrying)
    }
}

impl<T: Carry> Probe<T> {
    /// How a field of the type is taken apart and made again.
    pub const CARRY: Option<CarryTable> = Some(crate::carry::carry_table::<T>());
}

/// Properties of the types of fields, for the macros: a type without [`Layout`] is opaque.
#[doc(hidden)]
pub trait OtherwiseOpaque {
    /// Shows the type.
    fn write_layout(to: &mut LayoutWriter);
}

impl<T: 'static> OtherwiseOpaque for Probe<T> {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_opaque::<T>();
    }
}

impl<T: Layout> Probe<T> {
    /// Shows the type.
    #[doc(hidden)]
    pub fn write_layout(to: &mut LayoutWriter) {
        T::write_layout(to);
    }
}

macro_rules! describe_methods {
    ($($block:literal $name:ident)*) => {$(
        impl<T: Methods<$block>> Probe<T> {
            /// Shows the methods of a block.
            pub fn $name<V: ClassVisitor>(visitor: &mut V) {
                <T as Methods<$block>>::describe_methods(visitor);
            }
        }
    )*};
}
describe_methods!(0 describe_methods 1 describe_methods_1 2 describe_methods_2 3 describe_methods_3 4 describe_methods_4);

/// A field of an object that threads share.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an object: threads share objects",
    label = "threads cannot share this",
    note = "what changes is a `pairbond::Cell<T>`, which costs no more, or a `Mutex<T>`; what a lock of your own guards, a type of yours around it for which you write `unsafe impl Sync`"
)]
pub trait SharedField {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync> SharedField for T {}

/// Compiles for fields that threads can share.
pub fn is_shared<T: SharedField>() {}

/// Stores a value into a `#[field(set)]`; `place` (`"Package.note"`) is named by errors.
///
/// # Errors
/// `TypeError` or `OverflowError` that names the place, the expected type and the value; the field
/// is unchanged then.
#[inline]
pub fn store_field<'a, F: Stored, V: Source<'a>>(field: &F, value: V, place: &str) -> Result<(), Error> {
    field
        .store(value)
        .map_err(|m| m.into_error(|| place.to_owned(), &F::expected_type(), || value.describe()))
}

/// The value for a `#[setter]`; `place` is named by errors.
///
/// # Errors
/// As [`store_field`].
#[inline]
pub fn read_assigned<'a, T: FromValue<'a>, V: Source<'a>>(value: V, place: &str) -> Result<T, Error> {
    T::from_value(value)
        .map_err(|m| m.into_error(|| place.to_owned(), &T::expected_type(), || value.describe()))
}

/// The other operand of a comparison or a binary operator. One of a type that the operator does not
/// know is no error of the caller: [`Error::not_implemented`] lets the frontend ask the other
/// operand.
///
/// # Errors
/// As [`read_assigned`], and the one just said.
#[inline]
pub fn read_operand<'a, T: FromValue<'a>, A: Args<'a>>(
    args: &A,
    index: usize,
    signature: &'static Signature,
) -> Result<T, Error> {
    match args.get(index).map(T::from_value) {
        Some(Ok(operand)) => Ok(operand),
        Some(Err(Mismatch::Type)) => Err(Error::not_implemented()),
        _ => required_arg(args, index, signature),
    }
}
