//! The classes of types with a shape.

use pairbond::prelude::*;

use super::{Type, TypeHead, common_context};
use crate::affine::DYNAMIC;
use crate::class::cast_to_class;
use crate::context::attributes::{Attribute, Location, with_reported_errors};
use crate::context::{Context, same_context};
use crate::error;

/// A type whose values have a shape and elements.
#[pairbond::object("pairbond_ir.ShapedType", extends = Type, opaque)]
pub struct ShapedType {
    pub(super) base: Type,
}

class! {
    /// `vector<4x[8]xf32>`
    VectorType: ShapedType = "pairbond_ir.VectorType"
}
class! {
    /// `tensor<4x?xf32>`
    RankedTensorType: ShapedType = "pairbond_ir.RankedTensorType"
}
class! {
    /// `tensor<*xf32>`
    UnrankedTensorType: ShapedType = "pairbond_ir.UnrankedTensorType"
}

/// The sizes of a type's dimensions, if it has a shape.
pub(crate) fn shape_of(head: &TypeHead) -> Option<Vec<i64>> {
    match head {
        TypeHead::Vector { shape } => Some(shape.iter().map(|(size, _)| *size).collect()),
        TypeHead::Tensor { shape } | TypeHead::MemRef { shape, .. } => shape.as_deref().map(<[i64]>::to_vec),
        _ => None,
    }
}

#[pairbond::methods]
impl ShapedType {
    /// The number that stands for an unknown size.
    #[classmethod]
    fn get_dynamic_size() -> i64 {
        DYNAMIC
    }

    /// Whether that stands for a size that is not known.
    #[classmethod]
    fn is_dynamic_size(dim_size: i64) -> bool {
        dim_size == DYNAMIC
    }

    /// Whether that is a size.
    #[classmethod]
    fn is_static_size(dim_size: i64) -> bool {
        dim_size != DYNAMIC
    }

    /// The number that stands for an unknown stride or offset.
    #[classmethod]
    fn get_dynamic_stride_or_offset() -> i64 {
        DYNAMIC
    }

    /// Whether that stands for a stride or an offset that is not known.
    fn is_dynamic_stride_or_offset(&self, dim_size: i64) -> Result<bool> {
        self.static_shape().map(|_| dim_size == DYNAMIC)
    }

    /// Whether that is a stride or an offset.
    fn is_static_stride_or_offset(&self, dim_size: i64) -> Result<bool> {
        self.static_shape().map(|_| dim_size != DYNAMIC)
    }

    #[getter]
    fn element_type(&self) -> Ref<Type> {
        self.base.types()[0].clone()
    }

    #[getter]
    fn has_rank(&self) -> bool {
        shape_of(self.base.head()).is_some()
    }

    #[getter]
    fn rank(&self) -> Result<usize> {
        self.static_shape().map(|it| it.len())
    }

    #[getter]
    fn shape(&self) -> Result<Vec<i64>> {
        self.static_shape()
    }

    #[getter]
    fn has_static_shape(&self) -> bool {
        shape_of(self.base.head()).is_some_and(|it| it.iter().all(|size| *size != DYNAMIC))
    }

    fn is_dynamic_dim(&self, dim: usize) -> Result<bool> {
        self.get_dim_size(dim).map(|size| size == DYNAMIC)
    }

    fn is_static_dim(&self, dim: usize) -> Result<bool> {
        self.get_dim_size(dim).map(|size| size != DYNAMIC)
    }

    fn get_dim_size(&self, dim: usize) -> Result<i64> {
        let size = self.static_shape()?.get(dim).copied();
        size.ok_or_else(|| Error::index_error("the type has no such dimension"))
    }

    #[hidden]
    fn static_shape(&self) -> Result<Vec<i64>> {
        shape_of(self.base.head())
            .ok_or_else(|| Error::value_error("calling this method requires that the type has a rank."))
    }
}

/// Sizes as they are given: not negative, or [`DYNAMIC`].
pub(super) fn check_shape(shape: Vec<i64>) -> Result<Box<[i64]>> {
    match shape.iter().find(|size| **size < 0 && **size != DYNAMIC) {
        Some(size) => Err(error::ir_error(format!("invalid tensor dimension size {size}"))),
        None => Ok(shape.into_boxed_slice()),
    }
}

/// Whether a type may be the element of a tensor.
pub(crate) fn tensor_element(head: &TypeHead) -> bool {
    use TypeHead::{Complex, Float, Index, Integer, Opaque, Vector};
    matches!(
        head,
        Complex | Float(_) | Index | Integer { .. } | Opaque { .. } | Vector { .. }
    )
}

/// Whether a type may be the element of a memref.
pub(crate) fn memref_element(head: &TypeHead) -> bool {
    tensor_element(head) || matches!(head, TypeHead::MemRef { .. })
}

/// Whether a type may be the element of a vector.
pub(crate) fn vector_element(head: &TypeHead) -> bool {
    use TypeHead::{Float, Index, Integer, Opaque};
    matches!(head, Float(_) | Index | Integer { .. } | Opaque { .. })
}

pub(super) fn check_element(element: &Type, fits: fn(&TypeHead) -> bool, what: &str) -> Result<()> {
    if fits(element.head()) {
        return Ok(());
    }
    Err(error::ir_error(match what {
        "memref" => format!("invalid {what} element type"),
        "vector" => "failed to verify 'elementType': VectorElementTypeInterface instance".to_owned(),
        _ => format!("invalid {what} element type: '{}'", element),
    }))
}

pub(super) fn of_one_context(element: &Type, attributes: &[Ref<Attribute>]) -> Result<()> {
    attributes
        .iter()
        .try_for_each(|it| same_context(element.context(), it.context(), "an attribute"))
}

#[pairbond::methods]
impl RankedTensorType {
    /// A tensor of a shape. Errors are reported at `loc`, as for all types and attributes that take
    /// one.
    #[classmethod]
    fn get(
        shape: Vec<i64>,
        element_type: Ref<Type>,
        encoding: Option<Ref<Attribute>>,
        loc: Option<Ref<Location>>,
    ) -> Result<Ref<RankedTensorType>> {
        with_reported_errors(loc, "type", || {
            check_element(&element_type, tensor_element, "tensor")?;
            let attributes: Vec<_> = encoding.into_iter().collect();
            of_one_context(&element_type, &attributes)?;
            let head = TypeHead::Tensor {
                shape: Some(check_shape(shape)?),
            };
            Ok(cast_to_class(Type::of_elements(head, element_type, attributes)))
        })
    }

    /// The same, in a context. It is checked all the same.
    #[classmethod]
    fn get_unchecked(
        shape: Vec<i64>,
        element_type: Ref<Type>,
        encoding: Option<Ref<Attribute>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<RankedTensorType>> {
        common_context(context, std::slice::from_ref(&element_type))?;
        RankedTensorType::get(shape, element_type, encoding, None)
    }

    #[getter]
    fn encoding(&self) -> Option<Ref<Attribute>> {
        self.base.base.attributes().first().cloned()
    }
}

#[pairbond::methods]
impl UnrankedTensorType {
    /// A tensor of any shape.
    #[classmethod]
    fn get(element_type: Ref<Type>, loc: Option<Ref<Location>>) -> Result<Ref<UnrankedTensorType>> {
        with_reported_errors(loc, "type", || {
            check_element(&element_type, tensor_element, "tensor")?;
            let head = TypeHead::Tensor { shape: None };
            Ok(cast_to_class(Type::of_elements(head, element_type, Vec::new())))
        })
    }

    /// The same, in a context. It is checked all the same.
    #[classmethod]
    fn get_unchecked(
        element_type: Ref<Type>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<UnrankedTensorType>> {
        common_context(context, std::slice::from_ref(&element_type))?;
        UnrankedTensorType::get(element_type, None)
    }
}

/// Which of so many sizes are scalable.
fn scalable_flags(rank: usize, scalable: Option<Vec<bool>>, dims: Option<Vec<usize>>) -> Result<Vec<bool>> {
    match (scalable, dims) {
        (Some(_), Some(_)) => Err(Error::value_error(
            "'scalable' and 'scalable_dims' kwargs are mutually exclusive.",
        )),
        (Some(flags), None) if flags.len() != rank => {
            Err(Error::value_error("Expected len(scalable) == len(shape)."))
        }
        (Some(flags), None) => Ok(flags),
        (None, dims) => {
            let mut flags = vec![false; rank];
            for dim in dims.unwrap_or_default() {
                *flags
                    .get_mut(dim)
                    .ok_or_else(|| Error::value_error("Scalable dimension index out of bounds."))? = true;
            }
            Ok(flags)
        }
    }
}

#[pairbond::methods]
impl VectorType {
    /// A vector of a shape. The target says of how many of them the sizes that are `scalable` are:
    /// all that have True there, or whose places are in `scalable_dims`.
    #[classmethod]
    fn get(
        shape: Vec<i64>,
        element_type: Ref<Type>,
        #[keyword] scalable: Option<Vec<bool>>,
        #[keyword] scalable_dims: Option<Vec<usize>>,
        loc: Option<Ref<Location>>,
    ) -> Result<Ref<VectorType>> {
        let scalable = scalable_flags(shape.len(), scalable, scalable_dims)?;
        with_reported_errors(loc, "type", || {
            check_element(&element_type, vector_element, "vector")?;
            if shape.iter().any(|size| *size <= 0) {
                return Err(error::ir_error("vector types have positive sizes"));
            }
            let shape = shape.into_iter().zip(scalable).collect();
            let head = TypeHead::Vector { shape };
            Ok(cast_to_class(Type::of_elements(head, element_type, Vec::new())))
        })
    }

    /// The same, in a context. It is checked all the same.
    #[classmethod]
    fn get_unchecked(
        shape: Vec<i64>,
        element_type: Ref<Type>,
        #[keyword] scalable: Option<Vec<bool>>,
        #[keyword] scalable_dims: Option<Vec<usize>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<VectorType>> {
        common_context(context, std::slice::from_ref(&element_type))?;
        VectorType::get(shape, element_type, scalable, scalable_dims, None)
    }

    /// Whether one of its sizes is a multiple of what the target says.
    #[getter]
    fn scalable(&self) -> bool {
        self.scalable_dims().contains(&true)
    }

    #[getter]
    fn scalable_dims(&self) -> Vec<bool> {
        match self.base.base.head() {
            TypeHead::Vector { shape } => shape.iter().map(|(_, scalable)| *scalable).collect(),
            _ => unreachable!("a vector type is one"),
        }
    }
}
