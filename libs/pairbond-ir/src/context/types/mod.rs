//! [`Type`]: what values are.
//!
//! One Rust type for all: what distinguishes types is [`TypeHead`], which holds no references; the
//! types and attributes that a type consists of stand beside it, so that collectors see them and
//! equality is equality of words. The classes that Python sees (`type_classes.rs`,
//! `float_classes.rs`, `shaped.rs`, `memref.rs`) extend it and add nothing.

mod float_classes;
mod make_type;
mod memref;
mod shaped;
mod type_classes;
mod type_head;

use std::hash::{Hash, Hasher};

use pairbond::prelude::*;

use crate::context::attributes::Attribute;
use crate::context::{Context, Uniqued, are_identical};
pub use float_classes::*;
pub use memref::{MemRefType, UnrankedMemRefType};
pub(crate) use memref::{layout_map, memref_attributes};
pub use shaped::{RankedTensorType, ShapedType, UnrankedTensorType, VectorType};
pub(crate) use shaped::{memref_element, shape_of, tensor_element, vector_element};
pub use type_classes::{ComplexType, FunctionType, IndexType, IntegerType, NoneType, OpaqueType, TupleType};
pub(crate) use type_classes::{MAX_WIDTH, common_context, complex_part};
pub use type_head::TypeHead;

/// The type of a value. There is one object for each type of a context: equal types are identical.
#[pairbond::object("pairbond_ir.Type", opaque)]
pub struct Type {
    /// The context that it was made in.
    #[field]
    context: Ref<Context>,
    #[untraced]
    hash: u64,
    #[untraced]
    id: u64,
    #[untraced]
    head: TypeHead,
    types: Vec<Ref<Type>>,
    attributes: Vec<Ref<Attribute>>,
}

/// The identity of a type.
#[derive(Clone)]
pub struct TypeKey {
    pub(crate) head: TypeHead,
    pub(crate) types: Vec<Ref<Type>>,
    pub(crate) attributes: Vec<Ref<Attribute>>,
}

impl Hash for TypeKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.head.hash(state);
        self.types.iter().for_each(|it| it.hash.hash(state));
        self.attributes.iter().for_each(|it| it.unique_hash().hash(state));
    }
}

impl Uniqued for Type {
    type Key = TypeKey;

    fn is_of(&self, key: &TypeKey) -> bool {
        self.head == key.head
            && are_identical(&self.types, &key.types)
            && are_identical(&self.attributes, &key.attributes)
    }

    fn is_like(&self, other: &Self) -> bool {
        self.head == other.head
            && are_identical(&self.types, &other.types)
            && are_identical(&self.attributes, &other.attributes)
    }

    fn make_object(context: &Ref<Context>, key: TypeKey, hash: u64, id: u64) -> Ref<Self> {
        make_type::of_its_class(Type {
            context: context.clone(),
            hash,
            id,
            head: key.head,
            types: key.types,
            attributes: key.attributes,
        })
    }
}

impl Drop for Type {
    fn drop(&mut self) {
        self.context.forget_type(self.hash, self.id);
    }
}

impl Type {
    pub(crate) fn new(
        context: &Ref<Context>,
        head: TypeHead,
        types: Vec<Ref<Type>>,
        attributes: Vec<Ref<Attribute>>,
    ) -> Ref<Type> {
        Context::type_of(
            context,
            TypeKey {
                head,
                types,
                attributes,
            },
        )
    }

    /// A type of elements of another one, in the context of that.
    pub(crate) fn of_elements(
        head: TypeHead,
        element_type: Ref<Type>,
        attributes: Vec<Ref<Attribute>>,
    ) -> Ref<Type> {
        let context = element_type.context().clone();
        Type::new(&context, head, vec![element_type], attributes)
    }

    /// A type that consists of no others.
    pub(crate) fn without_parts(context: &Ref<Context>, head: TypeHead) -> Ref<Type> {
        Type::new(context, head, Vec::new(), Vec::new())
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// Returns the part that distinguishes it.
    #[must_use]
    pub fn head(&self) -> &TypeHead {
        &self.head
    }

    /// The types that it consists of: element types, inputs and then results of functions.
    #[must_use]
    pub fn types(&self) -> &[Ref<Type>] {
        &self.types
    }

    /// The attributes that it consists of: encoding, layout, memory space.
    #[must_use]
    pub fn attributes(&self) -> &[Ref<Attribute>] {
        &self.attributes
    }

    /// Of a shaped type what its elements are; any other type itself.
    #[must_use]
    pub fn element_or_self(this: &Ref<Type>) -> &Ref<Type> {
        match this.head {
            TypeHead::Vector { .. } | TypeHead::Tensor { .. } | TypeHead::MemRef { .. } => &this.types[0],
            _ => this,
        }
    }
}

/// Returns the name of an object's class.
pub(crate) fn class_name<T: pairbond::Object>(of: Borrow<'_, T>) -> &'static str {
    let key = of.header().info().key();
    key.rsplit_once('.').map_or(key, |(_, name)| name)
}

#[pairbond::methods]
impl Type {
    /// Itself: it is of its own class from the beginning.
    fn maybe_downcast(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }
}
