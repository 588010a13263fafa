//! Each attribute as an object of the class that stands for it.

use pairbond::prelude::*;

use super::aggregates::{ArrayAttr, DictAttr, FlatSymbolRefAttr, SymbolRefAttr};
use super::attribute_classes::{
    AffineMapAttr, DistinctAttr, IntegerSetAttr, OpaqueAttr, StridedLayoutAttr, StringAttr, TypeAttr,
    UnitAttr,
};
use super::dense::{DenseStringElementsAttr, SparseElementsAttr};
use super::dense_resource::DenseResourceElementsAttr;
use super::locations::{CallSiteLoc, FileLineColLoc, FusedLoc, Location, NameLoc, UnknownLoc};
use super::numbers::{BoolAttr, FloatAttr, IntegerAttr};
use super::{Attribute, AttributeHead, dense, dense_array};
use crate::context::types::TypeHead;
use crate::numbers::Sign;

pub(super) fn of_its_class(base: Attribute) -> Ref<Attribute> {
    const BOOL: TypeHead = TypeHead::Integer {
        width: 1,
        sign: Sign::Signless,
    };
    match &base.head {
        AttributeHead::Unit => Ref::new(UnitAttr { base }).upcast(),
        AttributeHead::Integer(_) if *base.types[0].head() == BOOL => {
            let base = IntegerAttr { base };
            Ref::new(BoolAttr { base }).upcast().upcast()
        }
        AttributeHead::Integer(_) => Ref::new(IntegerAttr { base }).upcast(),
        AttributeHead::Float(_) => Ref::new(FloatAttr { base }).upcast(),
        AttributeHead::String(_) => Ref::new(StringAttr { base }).upcast(),
        AttributeHead::Array => Ref::new(ArrayAttr { base }).upcast(),
        AttributeHead::Dictionary(_) => Ref::new(DictAttr { base }).upcast(),
        AttributeHead::Type => Ref::new(TypeAttr { base }).upcast(),
        AttributeHead::SymbolRef(path) if path.len() == 1 => Ref::new(FlatSymbolRefAttr { base }).upcast(),
        AttributeHead::SymbolRef(_) => Ref::new(SymbolRefAttr { base }).upcast(),
        AttributeHead::AffineMap(_) => Ref::new(AffineMapAttr { base }).upcast(),
        AttributeHead::IntegerSet(_) => Ref::new(IntegerSetAttr { base }).upcast(),
        AttributeHead::Strided { .. } => Ref::new(StridedLayoutAttr { base }).upcast(),
        AttributeHead::Dense { .. } => dense::elements_object(base),
        AttributeHead::DenseStrings { .. } => Ref::new(DenseStringElementsAttr { base }).upcast(),
        AttributeHead::DenseArray(_) => dense_array::array_object(base),
        AttributeHead::DenseResource(_) => Ref::new(DenseResourceElementsAttr { base }).upcast(),
        AttributeHead::Sparse => Ref::new(SparseElementsAttr { base }).upcast(),
        AttributeHead::Opaque { .. } => Ref::new(OpaqueAttr { base }).upcast(),
        AttributeHead::Distinct(_) => Ref::new(DistinctAttr { base }).upcast(),
        _ => location_object(base),
    }
}

fn location_object(base: Attribute) -> Ref<Attribute> {
    let kind = base.head.clone();
    let base = Location { base };
    let location: Ref<Location> = match kind {
        AttributeHead::FileLoc { .. } => Ref::new(FileLineColLoc { base }).upcast(),
        AttributeHead::NameLoc(_) => Ref::new(NameLoc { base }).upcast(),
        AttributeHead::CallSiteLoc => Ref::new(CallSiteLoc { base }).upcast(),
        AttributeHead::FusedLoc(_) => Ref::new(FusedLoc { base }).upcast(),
        _ => Ref::new(UnknownLoc { base }).upcast(),
    };
    location.upcast()
}
