//! Enums of Rust as frontends see them: without data, one object for each variant; with data,
//! values whose class says the variant.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::OnceLock;

use crate::abi::{LayoutWriter, Origin};
use crate::object::{ErasedBorrow, Header, Object, Ref, Root};
use crate::trace::{Trace, Tracer};
use crate::types::TypeCell;

/// One variant of an [`Enumeration`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EnumMember {
    /// The name that frontends use.
    pub name: &'static str,
    /// Documentation comment; empty when there is none.
    pub doc: &'static str,
    /// The discriminant.
    pub value: i64,
}

/// An enum without data. `#[pairbond::object]` implements it.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an enum without data that is a pairbond object")]
pub trait Enumeration: Copy + PartialEq + Send + Sync + 'static {
    /// The type's key, `"module.Name"`.
    const KEY: &'static str;
    /// Documentation comment.
    const DOC: &'static str;
    /// Version of the variants.
    const VERSION: u32;
    /// The crate that defines it.
    const ORIGIN: Origin = Origin::UNKNOWN;
    /// The variants, in the order of the source.
    const MEMBERS: &'static [EnumMember];
    /// The same as values.
    fn variants() -> &'static [Self];
    /// Where the registered type is kept.
    fn type_cell() -> &'static TypeCell;
    /// Where the variants' objects are kept.
    fn variant_objects() -> &'static OnceLock<Vec<Ref<EnumObject<Self>>>>;

    /// The object of the variant of a number.
    #[must_use]
    fn variant_object(number: usize) -> Option<&'static Ref<EnumObject<Self>>> {
        Self::variant_objects()
            .get_or_init(shared_objects::<Self>)
            .get(number)
    }

    /// The object of this variant.
    ///
    /// # Panics
    /// If the type's key is taken by another type.
    #[must_use]
    fn as_object(self) -> &'static Ref<EnumObject<Self>> {
        let number = Self::variants().iter().position(|variant| *variant == self);
        number
            .and_then(Self::variant_object)
            .expect("one of the variants")
    }
}

/// The objects of the variants, one of each in the process: the binary that needs them first makes
/// them, and they are kept with the type.
fn shared_objects<E: Enumeration>() -> Vec<Ref<EnumObject<E>>> {
    let info = EnumObject::<E>::info();
    if info.frontend_data().is_none() {
        let make = |number| EnumObject {
            number,
            of: PhantomData,
        };
        let made: Vec<Ref<EnumObject<E>>> = (0..E::MEMBERS.len()).map(make).map(Ref::new).collect();
        let headers: Box<[NonNull<Header>]> =
            made.iter().map(|object| NonNull::from(object.header())).collect();
        let kept = NonNull::from(Box::leak(headers)).cast::<()>();
        info.keep_frontend_data(kept);
        if info.frontend_data() == Some(kept) {
            // They live for the process.
            std::mem::forget(made);
        }
    }
    let first = info
        .frontend_data()
        .expect("somebody has kept them")
        .cast::<NonNull<Header>>();
    let object = |number| {
        // SAFETY: whichever binary kept them has as many variants, which is part of the
        // fingerprint; the objects live for the process.
        let object = unsafe { ErasedBorrow::from_header(first.add(number).read()) };
        let object = object
            .downcast::<EnumObject<E>>()
            .expect("an object of this type");
        object.to_ref()
    };
    (0..E::MEMBERS.len()).map(object).collect()
}

/// The object of a variant: it lives for the process.
pub struct EnumObject<E> {
    number: usize,
    of: PhantomData<fn() -> E>,
}

impl<E: Enumeration> EnumObject<E> {
    /// The variant.
    #[must_use]
    pub fn variant(&self) -> E {
        E::variants()[self.number]
    }
}

// SAFETY: the cell is that of the enum, which has no other object type; no base.
unsafe impl<E: Enumeration> Object for EnumObject<E> {
    const KEY: &'static str = E::KEY;
    const VERSION: u32 = E::VERSION;
    const THREAD_SAFE: bool = true;
    const CONSTANT: bool = true;
    const ORIGIN: Origin = E::ORIGIN;
    type Base = Root;
    fn write_extra_layout(to: &mut LayoutWriter) {
        show_members::<E>(to);
    }
    fn type_cell() -> &'static TypeCell {
        E::type_cell()
    }
}

/// Objects say their variant by its number, so the order counts.
fn show_members<E: Enumeration>(to: &mut LayoutWriter) {
    for member in E::MEMBERS {
        to.write_part(member.name, "a variant", |to| {
            to.write_number(member.value as u64)
        });
    }
}

/// Writes the layout of an enum without data as a part of another type.
#[doc(hidden)]
pub fn write_enumeration<E: Enumeration>(to: &mut LayoutWriter) {
    to.write_defined::<E>(E::KEY, E::ORIGIN, |to| {
        to.write_number(E::VERSION.into());
        show_members::<E>(to);
    });
}

// SAFETY: it owns nothing.
unsafe impl<E: Enumeration> Trace for EnumObject<E> {
    const TRACED: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
}

/// Implements the traits of an enum without data for frontends and containers.
#[doc(hidden)]
#[macro_export]
macro_rules! implement_enumeration {
    ($name:ident) => {
        // SAFETY: without data there is nothing but the variants.
        unsafe impl $crate::base::abi::Layout for $name {
            fn write_layout(to: &mut $crate::base::abi::LayoutWriter) {
                $crate::class::write_enumeration::<$name>(to);
            }
        }
        // SAFETY: it owns nothing.
        unsafe impl $crate::base::trace::Trace for $name {
            const TRACED: bool = false;
            fn trace(&self, _: &mut $crate::base::trace::Tracer<'_>) {}
        }
        impl<'a> $crate::convert::FromValue<'a> for $name {
            fn expected_type() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(<$name as $crate::class::Enumeration>::KEY)
            }
            fn from_value<S: $crate::convert::Source<'a>>(
                source: S,
            ) -> ::core::result::Result<Self, $crate::convert::Mismatch> {
                let object = source.read_object()?;
                match object.downcast::<$crate::class::EnumObject<$name>>() {
                    Some(object) => Ok(object.get().variant()),
                    None => Err($crate::convert::Mismatch::Type),
                }
            }
        }
        impl $crate::convert::IntoValue for $name {
            fn into_value<Z: $crate::convert::Sink>(
                self,
                out: Z,
            ) -> ::core::result::Result<Z::Out, $crate::base::error::Error> {
                out.write_object(
                    $crate::class::Enumeration::as_object(self)
                        .as_borrow()
                        .erase(),
                )
            }
        }
        impl $crate::convert::Emit for $name {
            fn emit_value<Z: $crate::convert::Sink>(
                &self,
                out: Z,
            ) -> ::core::result::Result<Z::Out, $crate::base::error::Error> {
                $crate::convert::IntoValue::into_value(*self, out)
            }
        }
        impl ::core::convert::From<$name> for $crate::value::Any {
            fn from(value: $name) -> Self {
                $crate::value::Any::from($crate::class::Enumeration::as_object(value).clone())
            }
        }
        impl $crate::carry::Carry for $name {
            fn save_value(
                &self,
                to: &mut $crate::carry::Saver,
            ) -> ::core::result::Result<(), $crate::base::error::Error> {
                let number = <$name as $crate::class::Enumeration>::variants()
                    .iter()
                    .position(|it| it == self);
                let members = <$name as $crate::class::Enumeration>::MEMBERS;
                to.put_text(number.map_or("", |number| members[number].name))
            }
            fn load_value(
                from: &mut $crate::carry::Loading,
            ) -> ::core::result::Result<Self, $crate::carry::Fault> {
                let name = <::std::string::String as $crate::carry::Carry>::load_value(from)?;
                let members = <$name as $crate::class::Enumeration>::MEMBERS;
                let found = members.iter().position(|member| member.name == name);
                found
                    .map(|number| <$name as $crate::class::Enumeration>::variants()[number])
                    .ok_or_else(|| {
                        let key = <$name as $crate::class::Enumeration>::KEY;
                        $crate::base::error::Error::value_error(::std::format!("{key} has no variant {name}"))
                            .into()
                    })
            }
        }
        impl $crate::value::Element for $name {
            type Value = $name;
            fn type_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(<$name as $crate::class::Enumeration>::KEY)
            }
            fn to_any(value: $name) -> $crate::value::Any {
                value.into()
            }
            fn from_any(value: &$crate::value::Any) -> ::core::option::Option<$name> {
                let object = value.downcast::<$crate::class::EnumObject<$name>>()?;
                Some(object.variant())
            }
            fn visit_reachable(_: &mut $crate::base::trace::Reach) {}
        }
    };
}

/// Implements the traits of an enum with data for frontends.
#[doc(hidden)]
#[macro_export]
macro_rules! implement_variants {
    ($name:ident) => {
        /// A copy of the value.
        impl<'a> $crate::convert::FromValue<'a> for $name {
            fn expected_type() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(<$name as $crate::base::object::Object>::KEY)
            }
            fn from_value<S: $crate::convert::Source<'a>>(
                source: S,
            ) -> ::core::result::Result<Self, $crate::convert::Mismatch> {
                match source.read_object()?.downcast::<$name>() {
                    Some(object) => Ok(::core::clone::Clone::clone(object.get())),
                    None => Err($crate::convert::Mismatch::Type),
                }
            }
        }
        /// A new object.
        impl $crate::convert::IntoValue for $name {
            fn into_value<Z: $crate::convert::Sink>(
                self,
                out: Z,
            ) -> ::core::result::Result<Z::Out, $crate::base::error::Error> {
                out.write_owned(self.into_ref().into_erased())
            }
        }
    };
}
