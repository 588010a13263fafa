//! The classes of floating-point types, one for each kind.

use pairbond::prelude::*;

use super::{Type, TypeHead};
use crate::class::cast_to_class;
use crate::context::{Context, context_or_current};
use crate::numbers::FloatKind;

/// A floating-point type.
#[pairbond::object("pairbond_ir.FloatType", extends = Type, opaque)]
pub struct FloatType {
    base: Type,
}

#[pairbond::methods]
impl FloatType {
    /// How many bits a value has.
    #[getter]
    fn width(&self) -> u32 {
        match self.base.head() {
            TypeHead::Float(kind) => kind.bits(),
            _ => unreachable!("a float type has a float kind"),
        }
    }
}

macro_rules! classes {
    ($($class:ident $key:literal $kind:ident;)*) => {
        $(
            #[doc = concat!("The type of [`FloatKind::", stringify!($kind), "`].")]
            #[pairbond::object($key, extends = FloatType, opaque)]
            pub struct $class {
                base: FloatType,
            }

            #[pairbond::methods]
            impl $class {
                /// The type of this context.
                #[classmethod]
                fn get(context: Option<Ref<Context>>) -> Result<Ref<$class>> {
                    let head = TypeHead::Float(FloatKind::$kind);
                    Ok(cast_to_class(Type::without_parts(&context_or_current(context)?, head)))
                }
            }
        )*

        /// An object of the class for a kind.
        pub(super) fn float_object(kind: FloatKind, base: Type) -> Ref<Type> {
            let base = FloatType { base };
            match kind {
                $(FloatKind::$kind => Ref::new($class { base }).upcast().upcast(),)*
            }
        }
    };
}

classes! {
    Float4E2M1FNType "pairbond_ir.Float4E2M1FNType" F4E2M1FN;
    Float6E2M3FNType "pairbond_ir.Float6E2M3FNType" F6E2M3FN;
    Float6E3M2FNType "pairbond_ir.Float6E3M2FNType" F6E3M2FN;
    Float8E3M4Type "pairbond_ir.Float8E3M4Type" F8E3M4;
    Float8E4M3Type "pairbond_ir.Float8E4M3Type" F8E4M3;
    Float8E4M3FNType "pairbond_ir.Float8E4M3FNType" F8E4M3FN;
    Float8E4M3FNUZType "pairbond_ir.Float8E4M3FNUZType" F8E4M3FNUZ;
    Float8E4M3B11FNUZType "pairbond_ir.Float8E4M3B11FNUZType" F8E4M3B11FNUZ;
    Float8E5M2Type "pairbond_ir.Float8E5M2Type" F8E5M2;
    Float8E5M2FNUZType "pairbond_ir.Float8E5M2FNUZType" F8E5M2FNUZ;
    Float8E8M0FNUType "pairbond_ir.Float8E8M0FNUType" F8E8M0FNU;
    BF16Type "pairbond_ir.BF16Type" BF16;
    F16Type "pairbond_ir.F16Type" F16;
    FloatTF32Type "pairbond_ir.FloatTF32Type" TF32;
    F32Type "pairbond_ir.F32Type" F32;
    F64Type "pairbond_ir.F64Type" F64;
    F80Type "pairbond_ir.F80Type" F80;
    F128Type "pairbond_ir.F128Type" F128;
}
