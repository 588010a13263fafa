//! What the process knows about the members of a class: fields and methods with names,
//! documentation and types.

use super::{RegisterError, TypeCell, TypeInfo};
use crate::class::{Callable, Class, ClassVisitor, Constructor, Getter, Setter, Signature};

/// A field or property as frontends show it. (All fields with their offsets, also private ones:
/// [`TypeInfo::fields`].)
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
    pub fn of(doc: &'static str, attributes: Vec<Attribute>, methods: Vec<&'static Signature>) -> Self {
        Members {
            doc,
            attributes,
            methods,
        }
    }

    pub(super) fn of_fields(doc: &'static str, attributes: Vec<Attribute>) -> Self {
        Members {
            doc,
            attributes,
            methods: Vec::new(),
        }
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

impl ClassVisitor for Members {
    fn getter<G: Getter>(&mut self) {
        self.attributes.push(attribute_of::<G>(false));
    }
    fn property<S: Setter>(&mut self) {
        self.attributes.push(attribute_of::<S>(true));
    }
    fn constructor<C: Constructor>(&mut self) {
        self.methods.push(const { &C::SIGNATURE });
    }
    fn method<M: Callable>(&mut self) {
        self.methods.push(const { &M::SIGNATURE });
    }
}

fn attribute_of<G: Getter>(settable: bool) -> Attribute {
    Attribute {
        name: G::NAME,
        doc: G::DOC,
        rust_type: G::RUST_TYPE,
        settable,
        immutable: G::IMMUTABLE && !settable,
    }
}

/// Registers a class: its type, and what [`TypeInfo::members`] tells. Frontends do so for each
/// class that they make; a program that only wants to look classes up may too.
///
/// # Errors
/// As [`TypeCell::register`].
pub fn register<T: Class>() -> Result<&'static TypeInfo, RegisterError> {
    let info = TypeCell::register::<T>()?;
    if info.members().is_none() {
        let mut members = Members {
            doc: T::DOC,
            ..Members::default()
        };
        T::describe(&mut members);
        info.set_members(members);
    }
    Ok(info)
}
