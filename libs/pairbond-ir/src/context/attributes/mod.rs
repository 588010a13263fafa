//! [`Attribute`]: a constant of a program, known when it is compiled. Locations are attributes,
//! too.
//!
//! As with types, what distinguishes attributes is [`AttributeHead`], which holds no references;
//! types and attributes inside stand beside it.

mod aggregates;
mod attribute_classes;
mod attribute_head;
mod buffers;
mod dense;
mod dense_array;
mod dense_resource;
mod elements;
mod errors;
mod locations;
mod make_attribute;
mod numbers;

use std::hash::{Hash, Hasher};

use pairbond::prelude::*;

use crate::context::types::{Type, TypeHead};
use crate::context::{Context, Uniqued, are_identical};
pub use aggregates::{ArrayAttr, DictAttr, FlatSymbolRefAttr, NamedAttribute, SymbolRefAttr};
pub(crate) use aggregates::{
    dictionary_attr, find_entry, names_of, rename_symbol_refs, sorted_dictionary, symbol_ref,
};
pub use attribute_classes::{
    AffineMapAttr, DistinctAttr, IntegerSetAttr, OpaqueAttr, StridedLayoutAttr, StringAttr, TypeAttr,
    UnitAttr,
};
pub(crate) use attribute_classes::{distinct_attr, opaque_attr, string_attr};
pub use attribute_head::AttributeHead;
pub use dense::{
    DenseElementsAttr, DenseFPElementsAttr, DenseIntElementsAttr, DenseStringElementsAttr, SparseElementsAttr,
};
pub use dense_array::{
    DenseArrayAttr, DenseBoolArrayAttr, DenseF32ArrayAttr, DenseF64ArrayAttr, DenseI8ArrayAttr,
    DenseI16ArrayAttr, DenseI32ArrayAttr, DenseI64ArrayAttr,
};
pub use dense_resource::DenseResourceElementsAttr;
pub(crate) use elements::{Element, array_element, dense_attr, element_count, normalize_elements};
pub(crate) use errors::{with_reported_errors, wrong_at};
pub use locations::{CallSiteLoc, FileLineColLoc, FusedLoc, Location, NameLoc, UnknownLoc};
pub(crate) use locations::{fuse_locations, in_file, is_location, place_of, unknown_location};
pub use numbers::{BoolAttr, FloatAttr, IntegerAttr};
pub(crate) use numbers::{bool_attr, kind_of, width_of};

/// A constant of a program, known when it is compiled. There is one object for each attribute of a
/// context: equal attributes are identical.
#[pairbond::object("pairbond_ir.Attribute", opaque)]
pub struct Attribute {
    /// The context that it was made in.
    #[field]
    context: Ref<Context>,
    #[untraced]
    hash: u64,
    #[untraced]
    id: u64,
    #[untraced]
    head: AttributeHead,
    types: Vec<Ref<Type>>,
    attributes: Vec<Ref<Attribute>>,
}

/// The identity of an attribute.
#[derive(Clone)]
pub struct AttributeKey {
    pub(crate) head: AttributeHead,
    pub(crate) types: Vec<Ref<Type>>,
    pub(crate) attributes: Vec<Ref<Attribute>>,
}

impl Hash for AttributeKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.head.hash(state);
        // Equal types and attributes are identical.
        self.types
            .iter()
            .for_each(|it| std::ptr::from_ref::<Type>(it).hash(state));
        self.attributes.iter().for_each(|it| it.hash.hash(state));
    }
}

impl Uniqued for Attribute {
    type Key = AttributeKey;

    fn is_of(&self, key: &AttributeKey) -> bool {
        self.head == key.head
            && are_identical(&self.types, &key.types)
            && are_identical(&self.attributes, &key.attributes)
    }

    fn is_like(&self, other: &Self) -> bool {
        self.head == other.head
            && are_identical(&self.types, &other.types)
            && are_identical(&self.attributes, &other.attributes)
    }

    fn make_object(context: &Ref<Context>, key: AttributeKey, hash: u64, id: u64) -> Ref<Self> {
        make_attribute::of_its_class(Attribute {
            context: context.clone(),
            hash,
            id,
            head: key.head,
            types: key.types,
            attributes: key.attributes,
        })
    }
}

impl Drop for Attribute {
    fn drop(&mut self) {
        self.context.forget_attribute(self.hash, self.id);
    }
}

impl Attribute {
    pub(crate) fn new(
        context: &Ref<Context>,
        head: AttributeHead,
        types: Vec<Ref<Type>>,
        attributes: Vec<Ref<Attribute>>,
    ) -> Ref<Attribute> {
        Context::attribute_of(
            context,
            AttributeKey {
                head,
                types,
                attributes,
            },
        )
    }

    /// An attribute without types and attributes in it.
    pub(crate) fn without_parts(context: &Ref<Context>, head: AttributeHead) -> Ref<Attribute> {
        Attribute::new(context, head, Vec::new(), Vec::new())
    }

    /// An attribute with a type.
    pub(crate) fn with_type(head: AttributeHead, r#type: Ref<Type>) -> Ref<Attribute> {
        let context = r#type.context().clone();
        Attribute::new(&context, head, vec![r#type], Vec::new())
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// Returns the part that distinguishes it.
    #[must_use]
    pub fn head(&self) -> &AttributeHead {
        &self.head
    }

    /// The types in it.
    #[must_use]
    pub fn types(&self) -> &[Ref<Type>] {
        &self.types
    }

    /// The attributes in it.
    #[must_use]
    pub fn attributes(&self) -> &[Ref<Attribute>] {
        &self.attributes
    }

    pub(crate) fn unique_hash(&self) -> u64 {
        self.hash
    }

    /// Whether it may be the layout of a memref.
    pub(crate) fn is_layout(&self) -> bool {
        matches!(
            self.head,
            AttributeHead::AffineMap(_) | AttributeHead::Strided { .. }
        )
    }

    /// Whether a memref of that rank with this layout is written without it.
    pub(crate) fn is_identity_layout(&self, rank: usize) -> bool {
        matches!(&self.head, AttributeHead::AffineMap(map) if map.is_identity() && map.dims as usize == rank)
    }

    /// Whether a memref in this memory space is written without it.
    pub(crate) fn is_default_space(&self) -> bool {
        match &self.head {
            AttributeHead::Integer(value) => value.iter().all(|byte| *byte == 0),
            AttributeHead::Dictionary(names) => names.is_empty(),
            _ => false,
        }
    }

    /// Its type, if it has one.
    #[must_use]
    pub fn type_of(&self) -> Option<&Ref<Type>> {
        match self.head {
            AttributeHead::Type | AttributeHead::DenseArray(_) => None,
            AttributeHead::String(_) => self.types.first().filter(|it| *it.head() != TypeHead::None),
            _ => self.types.first(),
        }
    }
}

#[pairbond::methods]
impl Attribute {
    /// Its type; `none` if it has none.
    #[getter]
    #[name("type")]
    fn type_or_none(&self) -> Ref<Type> {
        let none = || Type::without_parts(&self.context, TypeHead::None);
        self.type_of().cloned().unwrap_or_else(none)
    }

    /// Under a name, as operations have it.
    fn get_named(this: Borrow<'_, Self>, name: Str) -> Ref<NamedAttribute> {
        NamedAttribute::from_parts(name, this.to_ref())
    }

    /// Itself: it is of its own class from the beginning.
    fn maybe_downcast(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }
}
