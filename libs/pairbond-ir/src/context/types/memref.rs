//! Memrefs: shaped types whose elements lie in memory.

use pairbond::prelude::*;

use super::shaped::{ShapedType, check_element, check_shape, memref_element, of_one_context, shape_of};
use super::{Type, TypeHead, common_context};
use crate::affine::{AffineMap, DYNAMIC};
use crate::class::cast_to_class;
use crate::context::Context;
use crate::context::attributes::{Attribute, AttributeHead, Location, with_reported_errors};
use crate::error;

class! {
    /// `memref<4x?xf32>`
    MemRefType: ShapedType = "pairbond_ir.MemRefType"
}
class! {
    /// `memref<*xf32>`
    UnrankedMemRefType: ShapedType = "pairbond_ir.UnrankedMemRefType"
}

/// The attributes of a memref: a layout that says nothing and the memory space zero are left out.
pub(crate) fn memref_attributes(
    rank: usize,
    layout: Option<Ref<Attribute>>,
    space: Option<Ref<Attribute>>,
) -> (bool, Vec<Ref<Attribute>>) {
    let layout = layout.filter(|it| !it.is_identity_layout(rank));
    let space = space.filter(|it| !it.is_default_space());
    (layout.is_some(), layout.into_iter().chain(space).collect())
}

#[pairbond::methods]
impl MemRefType {
    /// A memref of a shape: row after row, unless a map or strides say otherwise.
    #[classmethod]
    fn get(
        shape: Vec<i64>,
        element_type: Ref<Type>,
        layout: Option<Ref<Attribute>>,
        memory_space: Option<Ref<Attribute>>,
        loc: Option<Ref<Location>>,
    ) -> Result<Ref<MemRefType>> {
        with_reported_errors(loc, "type", || {
            check_element(&element_type, memref_element, "memref")?;
            let shape = check_shape(shape)?;
            if let Some(layout) = &layout {
                fits_rank(layout, shape.len())?;
            }
            let (layout, attributes) = memref_attributes(shape.len(), layout, memory_space);
            of_one_context(&element_type, &attributes)?;
            let head = TypeHead::MemRef {
                shape: Some(shape),
                layout,
            };
            Ok(cast_to_class(Type::of_elements(head, element_type, attributes)))
        })
    }

    /// The same, in a context. It is checked all the same.
    #[classmethod]
    fn get_unchecked(
        shape: Vec<i64>,
        element_type: Ref<Type>,
        layout: Option<Ref<Attribute>>,
        memory_space: Option<Ref<Attribute>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<MemRefType>> {
        common_context(context, std::slice::from_ref(&element_type))?;
        MemRefType::get(shape, element_type, layout, memory_space, None)
    }

    /// A map, or strides; of types that are written without it the map of each dimension to itself.
    #[getter]
    fn layout(&self) -> Ref<Attribute> {
        let layout = layout_of(&self.base.base).cloned();
        layout.unwrap_or_else(|| {
            let map = AttributeHead::AffineMap(layout_map(&self.base.base));
            Attribute::without_parts(self.base.base.context(), map)
        })
    }

    /// From one element to the next along each dimension, and the place of the first; dynamic ones
    /// are `get_dynamic_stride_or_offset()`.
    fn get_strides_and_offset(&self) -> Result<(Vec<i64>, i64)> {
        let it = &self.base.base;
        let shape = shape_of(it.head()).unwrap_or_default();
        let found = match layout_of(it).map(|it| it.head()) {
            None => Some((row_after_row(&shape), 0)),
            Some(AttributeHead::Strided { strides, offset }) => Some((strides.to_vec(), *offset)),
            Some(_) => layout_map(it).strides(),
        };
        found.ok_or_else(|| Error::value_error("Failed to extract strides and offset from memref."))
    }

    #[getter]
    fn memory_space(&self) -> Option<Ref<Attribute>> {
        memory_space_of(&self.base.base)
    }
}

fn layout_of(of: &Type) -> Option<&Ref<Attribute>> {
    let has = matches!(of.head(), TypeHead::MemRef { layout: true, .. });
    has.then(|| &of.attributes()[0])
}

/// The map from indices to places in memory that the layout of a memref says.
pub(crate) fn layout_map(of: &Type) -> AffineMap {
    match layout_of(of).map(|it| it.head()) {
        Some(AttributeHead::AffineMap(map)) => map.clone(),
        Some(AttributeHead::Strided { strides, offset }) => AffineMap::strided(strides, *offset),
        _ => AffineMap::identity(shape_of(of.head()).map_or(0, |it| it.len()) as u32),
    }
}

/// Strides of rows that lie one after the other.
fn row_after_row(shape: &[i64]) -> Vec<i64> {
    let mut stride = Some(1_i64);
    let mut strides: Vec<i64> = Vec::with_capacity(shape.len());
    for size in shape.iter().rev() {
        strides.push(stride.unwrap_or(DYNAMIC));
        stride = stride
            .filter(|_| *size != DYNAMIC)
            .and_then(|it| it.checked_mul(*size));
    }
    strides.reverse();
    strides
}

/// Refuses a layout of another number of dimensions.
fn fits_rank(layout: &Attribute, rank: usize) -> Result<()> {
    let (of, what) = match layout.head() {
        AttributeHead::AffineMap(map) => (map.dims as usize, "affine map"),
        AttributeHead::Strided { strides, .. } => (strides.len(), "strides"),
        _ => {
            return Err(error::ir_error(
                "the layout of a memref is an affine map, or strides",
            ));
        }
    };
    if of == rank {
        return Ok(());
    }
    Err(error::ir_error(format!(
        "memref layout mismatch between rank and {what}: {rank} != {of}"
    )))
}

fn memory_space_of(of: &Type) -> Option<Ref<Attribute>> {
    let skipped = usize::from(matches!(of.head(), TypeHead::MemRef { layout: true, .. }));
    of.attributes().get(skipped).cloned()
}

#[pairbond::methods]
impl UnrankedMemRefType {
    /// A memref of any shape.
    #[classmethod]
    fn get(
        element_type: Ref<Type>,
        memory_space: Option<Ref<Attribute>>,
        loc: Option<Ref<Location>>,
    ) -> Result<Ref<UnrankedMemRefType>> {
        with_reported_errors(loc, "type", || {
            check_element(&element_type, memref_element, "memref")?;
            let (_, attributes) = memref_attributes(0, None, memory_space);
            of_one_context(&element_type, &attributes)?;
            let head = TypeHead::MemRef {
                shape: None,
                layout: false,
            };
            Ok(cast_to_class(Type::of_elements(head, element_type, attributes)))
        })
    }

    /// The same, in a context. It is checked all the same.
    #[classmethod]
    fn get_unchecked(
        element_type: Ref<Type>,
        memory_space: Option<Ref<Attribute>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<UnrankedMemRefType>> {
        common_context(context, std::slice::from_ref(&element_type))?;
        UnrankedMemRefType::get(element_type, memory_space, None)
    }

    #[getter]
    fn memory_space(&self) -> Option<Ref<Attribute>> {
        memory_space_of(&self.base.base)
    }
}
