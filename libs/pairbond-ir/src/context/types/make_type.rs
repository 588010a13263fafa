//! Each type as an object of the class that stands for it.

use pairbond::prelude::*;

use super::float_classes;
use super::memref::{MemRefType, UnrankedMemRefType};
use super::shaped::{RankedTensorType, ShapedType, UnrankedTensorType, VectorType};
use super::type_classes::{
    ComplexType, FunctionType, IndexType, IntegerType, NoneType, OpaqueType, TupleType,
};
use super::{Type, TypeHead};

pub(super) fn of_its_class(base: Type) -> Ref<Type> {
    match &base.head {
        TypeHead::Integer { .. } => Ref::new(IntegerType { base }).upcast(),
        TypeHead::Float(kind) => float_classes::float_object(*kind, base),
        TypeHead::Index => Ref::new(IndexType { base }).upcast(),
        TypeHead::None => Ref::new(NoneType { base }).upcast(),
        TypeHead::Complex => Ref::new(ComplexType { base }).upcast(),
        TypeHead::Function { .. } => Ref::new(FunctionType { base }).upcast(),
        TypeHead::Tuple => Ref::new(TupleType { base }).upcast(),
        TypeHead::Opaque { .. } => Ref::new(OpaqueType { base }).upcast(),
        TypeHead::Vector { .. } => Ref::new(VectorType {
            base: ShapedType { base },
        })
        .upcast()
        .upcast(),
        TypeHead::Tensor { shape: Some(_) } => Ref::new(RankedTensorType {
            base: ShapedType { base },
        })
        .upcast()
        .upcast(),
        TypeHead::Tensor { shape: None } => Ref::new(UnrankedTensorType {
            base: ShapedType { base },
        })
        .upcast()
        .upcast(),
        TypeHead::MemRef { shape: Some(_), .. } => Ref::new(MemRefType {
            base: ShapedType { base },
        })
        .upcast()
        .upcast(),
        TypeHead::MemRef { shape: None, .. } => Ref::new(UnrankedMemRefType {
            base: ShapedType { base },
        })
        .upcast()
        .upcast(),
    }
}
