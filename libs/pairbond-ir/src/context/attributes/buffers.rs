//! Elements as numpy and others see them: the memory of an attribute, lent, and attributes of what
//! others lend.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;
use pairbond::value::DType;

use super::elements::{Element, dense_attr, normalize_elements};
use super::{Attribute, element_count};
use crate::context::Context;
use crate::context::types::{Type, TypeHead, shape_of};
use crate::list_argument::{self, ForArray};
use crate::numbers::{FloatKind, Sign};

/// DLPack's numbers for kinds of numbers.
mod code {
    pub(super) const INT: u8 = 0;
    pub(super) const UINT: u8 = 1;
    pub(super) const FLOAT: u8 = 2;
    pub(super) const BFLOAT: u8 = 4;
    pub(super) const COMPLEX: u8 = 5;
    pub(super) const BOOL: u8 = 6;
}

impl Element {
    /// Returns the name of the type in buffers, if there is one.
    fn buffer_dtype(self) -> Option<DType> {
        let (code, bits) = match self {
            Element::Integer(1, Sign::Signless) => (code::BOOL, 8),
            Element::Integer(bits @ (8 | 16 | 32 | 64), Sign::Unsigned) => (code::UINT, bits),
            Element::Integer(bits @ (8 | 16 | 32 | 64), _) => (code::INT, bits),
            Element::Float(kind @ (FloatKind::F16 | FloatKind::F32 | FloatKind::F64)) => {
                (code::FLOAT, kind.bits())
            }
            Element::Float(FloatKind::BF16) => (code::BFLOAT, 16),
            Element::ComplexFloat(kind @ (FloatKind::F32 | FloatKind::F64)) => {
                (code::COMPLEX, 2 * kind.bits())
            }
            _ => return None,
        };
        let bits = bits as u8;
        Some(DType { code, bits, lanes: 1 })
    }
}

/// The type of the elements of an array; integers have no sign unless one is wanted.
fn element_type(context: &Ref<Context>, of: DType, signless: bool) -> Option<Ref<Type>> {
    let simple = |head| Some(Type::without_parts(context, head));
    let integer = |width: u8, sign| {
        let (width, sign) = (u32::from(width), if signless { Sign::Signless } else { sign });
        TypeHead::Integer { width, sign }
    };
    let float = |bits: u8| match bits {
        16 => Some(TypeHead::Float(FloatKind::F16)),
        32 => Some(TypeHead::Float(FloatKind::F32)),
        64 => Some(TypeHead::Float(FloatKind::F64)),
        _ => None,
    };
    match of.code {
        code::INT => simple(integer(of.bits, Sign::Signed)),
        code::UINT => simple(integer(of.bits, Sign::Unsigned)),
        code::FLOAT => simple(float(of.bits)?),
        code::BFLOAT => simple(TypeHead::Float(FloatKind::BF16)),
        code::BOOL => simple(TypeHead::Integer {
            width: 1,
            sign: Sign::Signless,
        }),
        code::COMPLEX => {
            let part = simple(float(of.bits / 2)?)?;
            Some(Type::of_elements(TypeHead::Complex, part, Vec::new()))
        }
        _ => None,
    }
}

/// Attributes, or lent numbers.
pub(super) enum Given {
    Attributes(Vec<Ref<Attribute>>),
    Numbers(Array),
    /// An array of numbers that buffers have no name for, as the same memory with others.
    Bits(Array),
}

/// Of Python: an array of such numbers as one of integers that are as large; None if it is no
/// array.
const BITS: &str = "pairbond_ir.bits";

impl<'a> FromValue<'a> for Given {
    fn expected_type() -> Cow<'static, str> {
        "a sequence of attributes, or a buffer".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match Array::from_value(source) {
            Err(Mismatch::Type) => {
                list_argument::Vec::<_, ForArray>::from_value(source).map(|it| Given::Attributes(it.0))
            }
            Err(other) => {
                let given = Any::from_value(source)?;
                let bits = pairbond::registry::get_function(BITS)?.call(&[given])?;
                bits.to::<Option<Array>>()?.map(Given::Bits).ok_or(other)
            }
            Ok(numbers) => Ok(Given::Numbers(numbers)),
        }
    }
}

/// Elements of lent memory; `r#type` is that of the elements or of them all.
pub(super) fn of_numbers(
    numbers: &Array,
    signless: bool,
    r#type: Option<Ref<Type>>,
    sizes: Option<Vec<i64>>,
    context: Option<Ref<Context>>,
) -> Result<Ref<Attribute>> {
    let r#type = match r#type {
        Some(r#type) => r#type,
        None => {
            let found = element_type(
                &crate::context::context_or_current(context)?,
                numbers.dtype(),
                signless,
            );
            found.ok_or_else(|| {
                let message = format!(
                    "unimplemented array format conversion from format: {}",
                    numbers.dtype()
                );
                Error::value_error(message)
            })?
        }
    };
    let shaped = match shape_of(r#type.head()) {
        Some(_) if sizes.is_some() => {
            return Err(Error::value_error(
                "Shape can only be specified explicitly when the type is not a shaped type.",
            ));
        }
        Some(_) => r#type,
        None => {
            let own = || numbers.shape().iter().map(|size| *size as i64).collect();
            tensor_type(r#type, sizes.unwrap_or_else(own))?
        }
    };
    let element = Element::from_type(Type::element_or_self(&shaped));
    let (Some(element), Some(count)) = (element, element_count(shaped.head())) else {
        return Err(static_shape(&shaped));
    };
    let mut bytes = numbers.to_bytes().to_vec();
    let wanted = count.checked_mul(element.byte_size());
    if Some(bytes.len()) != wanted && bytes.len() != element.byte_size() {
        return Err(Error::value_error(format!(
            "DenseElementsAttr could not be constructed from the given buffer: it has {} bytes, and not those of {}",
            bytes.len(),
            shaped
        )));
    }
    normalize_elements(&mut bytes, element);
    Ok(dense_attr(shaped, &bytes, element.byte_size()))
}

/// A tensor of elements.
pub(super) fn tensor_type(element: Ref<Type>, sizes: Vec<i64>) -> Result<Ref<Type>> {
    if sizes.iter().any(|size| *size < 0) {
        return Err(Error::value_error("elements have a static shape"));
    }
    let head = TypeHead::Tensor {
        shape: Some(sizes.into_boxed_slice()),
    };
    Ok(Type::of_elements(head, element, Vec::new()))
}

#[cold]
pub(super) fn static_shape(found: &Type) -> Error {
    Error::value_error(format!(
        "Expected a static ShapedType for the shaped_type parameter: Type({})",
        found
    ))
}

/// There is no buffer of the requested kind.
#[cold]
pub(super) fn no_buffer(why: String) -> Error {
    Error::new(ErrorKind::Custom("builtins.BufferError".into()), why)
}

/// The memory of elements, which are of a shaped type; of a splat one element that is seen
/// everywhere.
pub(super) fn lend_buffer(memory: &Array, splat: bool, shaped: &Type) -> Result<Array> {
    let element = &shaped.types()[0];
    let Some(dtype) = Element::from_type(element).and_then(Element::buffer_dtype) else {
        return Err(no_buffer(format!("buffers have no name for {}", element)));
    };
    let sizes = shape_of(shaped.head()).unwrap_or_default();
    let sizes: Vec<usize> = sizes
        .iter()
        .filter_map(|size| usize::try_from(*size).ok())
        .collect();
    match splat {
        true => memory
            .reinterpret(dtype, &[1])?
            .strided(&sizes, &vec![0; sizes.len()], 0),
        false => memory.reinterpret(dtype, &sizes),
    }
}

/// The memory of elements in a row.
pub(super) fn lent_row(memory: &Array, element: Element) -> Result<Array> {
    let Some(dtype) = element.buffer_dtype() else {
        return Err(no_buffer("buffers have no name for the elements".into()));
    };
    memory.reinterpret(
        dtype,
        &[memory.shape().iter().product::<usize>() / element.byte_size()],
    )
}
