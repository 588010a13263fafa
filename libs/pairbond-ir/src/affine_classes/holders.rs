//! Types and attributes that have an affine map or set: how Python gives and gets it.

use pairbond::prelude::*;

use super::{AffineMapObject, IntegerSetObject};
use crate::class::cast_to_class;
use crate::context::attributes::{AffineMapAttr, Attribute, AttributeHead, IntegerSetAttr};
use crate::context::types::{MemRefType, layout_map};

#[pairbond::methods]
impl AffineMapAttr {
    #[classmethod]
    fn get(affine_map: &AffineMapObject) -> Ref<AffineMapAttr> {
        let head = AttributeHead::AffineMap(affine_map.value().clone());
        cast_to_class(Attribute::without_parts(affine_map.context(), head))
    }

    #[getter]
    fn value(&self) -> Ref<AffineMapObject> {
        match self.head() {
            AttributeHead::AffineMap(map) => AffineMapObject::new_object(self.context(), map.clone()),
            _ => unreachable!("an affine map is one"),
        }
    }
}

#[pairbond::methods]
impl IntegerSetAttr {
    #[classmethod]
    fn get(integer_set: &IntegerSetObject) -> Ref<IntegerSetAttr> {
        let head = AttributeHead::IntegerSet(integer_set.value().clone());
        cast_to_class(Attribute::without_parts(integer_set.context(), head))
    }

    #[getter]
    fn value(&self) -> Ref<IntegerSetObject> {
        match self.head() {
            AttributeHead::IntegerSet(set) => IntegerSetObject::new_object(self.context(), set.clone()),
            _ => unreachable!("an integer set is one"),
        }
    }
}

#[pairbond::methods(block = 1)]
impl MemRefType {
    /// From indices to places in memory.
    #[getter]
    fn affine_map(&self) -> Ref<AffineMapObject> {
        AffineMapObject::new_object(self.context(), layout_map(self))
    }
}
