//! What the process knows about the members of a class: fields and methods with names,
//! documentation and types.

use super::Signature;

/// A field or property as frontends show it. (All fields with their offsets, also private ones:
/// [`TypeInfo::fields`](super::TypeInfo::fields).)
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Attribute {
    /// The name callers use.
    pub name: &'static str,
    /// Documentation comment; empty when there is none.
    pub doc: &'static str,
    /// The Rust type as written.
    pub rust_type: &'static str,
    /// Whether it can be set.
    pub settable: bool,
    /// Whether it never changes while the object lives.
    pub immutable: bool,
}

/// The members of a class, its bases' not included.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Members {
    doc: &'static str,
    attributes: Vec<Attribute>,
    methods: Vec<&'static Signature>,
}

impl Members {
    /// What a library of another language says.
    pub fn new(doc: &'static str, attributes: Vec<Attribute>, methods: Vec<&'static Signature>) -> Self {
        Members {
            doc,
            attributes,
            methods,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub fn of_fields(doc: &'static str, attributes: Vec<Attribute>) -> Self {
        Members {
            doc,
            attributes,
            methods: Vec::new(),
        }
    }

    /// Adds a field or property.
    #[doc(hidden)]
    pub fn push_attribute(&mut self, attribute: Attribute) {
        self.attributes.push(attribute);
    }

    /// Adds a method.
    #[doc(hidden)]
    pub fn push_method(&mut self, method: &'static Signature) {
        self.methods.push(method);
    }

    /// The documentation of the class.
    #[must_use]
    pub fn doc(&self) -> &'static str {
        self.doc
    }

    /// Fields and properties, in the order of the source.
    #[must_use]
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Methods of every kind, in the order of the source.
    #[must_use]
    pub fn methods(&self) -> &[&'static Signature] {
        &self.methods
    }

    /// An attribute or `None`.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// A method or `None`.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<&'static Signature> {
        self.methods.iter().find(|m| m.name == name).copied()
    }
}
