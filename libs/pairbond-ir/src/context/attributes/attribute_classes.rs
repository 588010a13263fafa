//! Strings, types and what has no class of its own family.

use std::sync::atomic::{AtomicU64, Ordering};

use pairbond::memory::check_room;
use pairbond::prelude::*;

use super::{Attribute, AttributeHead};
use crate::affine::DYNAMIC;
use crate::class::cast_to_class;
use crate::context::types::{Type, TypeHead, common_context};
use crate::context::{Context, context_or_current};
use crate::room::boxed_bytes;

class! {
    /// Says something by being there.
    UnitAttr: Attribute = "pairbond_ir.UnitAttr"
}
class! {
    /// A text, or any bytes.
    StringAttr: Attribute = "pairbond_ir.StringAttr"
}
class! {
    /// A type.
    TypeAttr: Attribute = "pairbond_ir.TypeAttr"
}
class! {
    /// An affine map.
    AffineMapAttr: Attribute = "pairbond_ir.AffineMapAttr"
}
class! {
    /// An affine set.
    IntegerSetAttr: Attribute = "pairbond_ir.IntegerSetAttr"
}
class! {
    /// Strides and offset of a memref.
    StridedLayoutAttr: Attribute = "pairbond_ir.StridedLayoutAttr"
}
class! {
    /// An attribute of an unregistered dialect, kept as its text.
    OpaqueAttr: Attribute = "pairbond_ir.OpaqueAttr"
}
class! {
    /// Each is another, whatever it holds.
    DistinctAttr: Attribute = "pairbond_ir.DistinctAttr"
}

#[pairbond::methods]
impl UnitAttr {
    #[classmethod]
    fn get(context: Option<Ref<Context>>) -> Result<Ref<UnitAttr>> {
        Ok(cast_to_class(Attribute::without_parts(
            &context_or_current(context)?,
            AttributeHead::Unit,
        )))
    }
}

/// A text.
pub(crate) fn string_attr(context: &Ref<Context>, value: &[u8]) -> Ref<Attribute> {
    Attribute::with_type(
        AttributeHead::String(boxed_bytes(value)),
        Type::without_parts(context, TypeHead::None),
    )
}

#[pairbond::methods]
impl StringAttr {
    /// From a str, or bytes.
    #[classmethod]
    fn get(value: Any, context: Option<Ref<Context>>) -> Result<Ref<StringAttr>> {
        let context = context_or_current(context)?;
        match &value {
            Any::Str(text) => Ok(cast_to_class(string_attr(&context, text.as_bytes()))),
            other => Ok(cast_to_class(string_attr(&context, &other.to::<Bytes>()?))),
        }
    }

    /// Of a type.
    #[classmethod]
    fn get_typed(r#type: Ref<Type>, value: &str) -> Ref<StringAttr> {
        cast_to_class(Attribute::with_type(
            AttributeHead::String(value.as_bytes().into()),
            r#type,
        ))
    }

    /// As a str; bytes that are not UTF-8 are an error, and `value_bytes` has them.
    #[getter]
    fn value(&self) -> Result<Str> {
        match std::str::from_utf8(self.string_bytes()) {
            Ok(text) => Ok(text.into()),
            Err(_) => Err(Error::new(
                ErrorKind::Unicode,
                "the string is not UTF-8; value_bytes has its bytes",
            )),
        }
    }

    #[getter]
    fn value_bytes(&self) -> Bytes {
        Bytes::from(self.string_bytes())
    }

    #[hidden]
    fn string_bytes(&self) -> &[u8] {
        match self.base.head() {
            AttributeHead::String(value) => value,
            _ => unreachable!("a string attribute is one"),
        }
    }
}

#[pairbond::methods]
impl TypeAttr {
    #[classmethod]
    fn get(value: Ref<Type>, context: Option<Ref<Context>>) -> Result<Ref<TypeAttr>> {
        common_context(context, std::slice::from_ref(&value))?;
        Ok(cast_to_class(Attribute::with_type(AttributeHead::Type, value)))
    }

    #[getter]
    fn value(&self) -> Ref<Type> {
        self.base.types()[0].clone()
    }
}

#[pairbond::methods]
impl StridedLayoutAttr {
    #[classmethod]
    fn get(offset: i64, strides: Vec<i64>, context: Option<Ref<Context>>) -> Result<Ref<StridedLayoutAttr>> {
        let strides = strides.into_boxed_slice();
        let head = AttributeHead::Strided { strides, offset };
        Ok(cast_to_class(Attribute::without_parts(
            &context_or_current(context)?,
            head,
        )))
    }

    /// One of that rank of which nothing is known.
    #[classmethod]
    fn get_fully_dynamic(rank: usize, context: Option<Ref<Context>>) -> Result<Ref<StridedLayoutAttr>> {
        // With the copies that the context keeps.
        check_room(rank, 3 * size_of::<i64>())?;
        StridedLayoutAttr::get(DYNAMIC, vec![DYNAMIC; rank], context)
    }

    #[getter]
    fn offset(&self) -> i64 {
        self.offset_and_strides().0
    }

    #[getter]
    fn strides(&self) -> Vec<i64> {
        self.offset_and_strides().1.to_vec()
    }

    #[hidden]
    fn offset_and_strides(&self) -> (i64, &[i64]) {
        match self.base.head() {
            AttributeHead::Strided { strides, offset } => (*offset, strides),
            _ => unreachable!("a strided layout is one"),
        }
    }
}

/// An attribute that only an unregistered dialect would understand; `none` is its type if it has no
/// other.
pub(crate) fn opaque_attr(
    context: &Ref<Context>,
    dialect: Box<str>,
    text: Box<str>,
    r#type: Option<Ref<Type>>,
) -> Ref<Attribute> {
    let head = AttributeHead::Opaque { dialect, text };
    let types = r#type.filter(|it| *it.head() != TypeHead::None).into_iter();
    Attribute::new(context, head, types.collect(), Vec::new())
}

#[pairbond::methods]
impl OpaqueAttr {
    /// `#dialect.buffer`, of a type. The buffer is a str, or bytes of UTF-8.
    #[classmethod]
    fn get(
        dialect_namespace: &str,
        buffer: Any,
        r#type: Option<Ref<Type>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<OpaqueAttr>> {
        let context = common_context(context, r#type.as_slice())?;
        let text = match &buffer {
            Any::Str(text) => text.as_ref().into(),
            other => match std::str::from_utf8(&other.to::<Bytes>()?) {
                Ok(text) => text.into(),
                Err(_) => return Err(Error::value_error("the buffer is not UTF-8")),
            },
        };
        Ok(cast_to_class(opaque_attr(
            &context,
            dialect_namespace.into(),
            text,
            r#type,
        )))
    }

    #[getter]
    fn dialect_namespace(&self) -> &str {
        self.dialect_and_text().0
    }

    /// The text behind the dialect, as bytes.
    #[getter]
    fn data(&self) -> &[u8] {
        self.dialect_and_text().1.as_bytes()
    }

    #[hidden]
    fn dialect_and_text(&self) -> (&str, &str) {
        match self.base.head() {
            AttributeHead::Opaque { dialect, text } => (dialect, text),
            _ => unreachable!("an opaque attribute is one"),
        }
    }
}

/// One that is no other, about something.
pub(crate) fn distinct_attr(about: Ref<Attribute>) -> Ref<Attribute> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let head = AttributeHead::Distinct(NEXT.fetch_add(1, Ordering::Relaxed));
    let context = about.context().clone();
    Attribute::new(&context, head, Vec::new(), vec![about])
}

#[pairbond::methods]
impl DistinctAttr {
    /// Another one each time.
    #[classmethod]
    fn create(referenced_attr: Ref<Attribute>) -> Ref<DistinctAttr> {
        cast_to_class(distinct_attr(referenced_attr))
    }

    #[getter]
    fn referenced_attr(&self) -> Ref<Attribute> {
        self.base.attributes()[0].clone()
    }
}
