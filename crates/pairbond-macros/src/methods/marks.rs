//! The helper attributes of methods.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ImplItemFn;

use super::{Kind, Receiver};
use crate::attrs;
use crate::errors::Errors;

/// The helper attributes of one method.
pub(super) struct Marks {
    name: Option<syn::LitStr>,
    pub(super) detach: bool,
    pub(super) hidden: bool,
    pub(super) overridable: Option<syn::Attribute>,
    /// The type of which an `ErasedRef` in the result is one, for type checkers.
    pub(super) base: Option<syn::Type>,
    kind: Option<Mark>,
    /// All but `#[hidden]`, for the complaint that they say nothing beside it.
    pub(super) others: Vec<syn::Attribute>,
}

enum Mark {
    New,
    Class,
    /// Both `#[classmethod]` and `#[getter]`.
    ClassGetter(Option<syn::Ident>),
    Static,
    Getter(Option<syn::Ident>),
    Setter(Option<syn::Ident>),
}

impl Marks {
    pub(super) fn take_marks(item: &mut ImplItemFn, errors: &mut Errors) -> Self {
        const NAMES: [&str; 9] = [
            "name",
            "detach",
            "overridable",
            "new",
            "classmethod",
            "staticmethod",
            "getter",
            "setter",
            "base",
        ];
        let attributes = &mut item.attrs;
        let others: Vec<_> = attributes
            .iter()
            .filter(|a| NAMES.iter().any(|name| a.path().is_ident(name)))
            .cloned()
            .collect();
        let mut kinds: Vec<Mark> = Vec::new();
        kinds.extend(attrs::take_flag(attributes, "new", errors).map(|_| Mark::New));
        kinds.extend(attrs::take_flag(attributes, "staticmethod", errors).map(|_| Mark::Static));
        let of_class = attrs::take_flag(attributes, "classmethod", errors);
        kinds.extend(
            match (of_class, attrs::take_named(attributes, "getter", errors)) {
                (Some(_), Some(name)) => Some(Mark::ClassGetter(name)),
                (Some(_), None) => Some(Mark::Class),
                (None, Some(name)) => Some(Mark::Getter(name)),
                (None, None) => None,
            },
        );
        kinds.extend(attrs::take_named(attributes, "setter", errors).map(Mark::Setter));
        if kinds.len() > 1 {
            let message = "a method is one of `#[new]`, `#[classmethod]`, `#[staticmethod]`, `#[getter]` (which may be a `#[classmethod]`) and `#[setter]`";
            errors.error_at(&item.sig.ident, message);
        }
        Marks {
            name: attrs::take_name(attributes, errors),
            detach: attrs::take_flag(attributes, "detach", errors).is_some(),
            hidden: attrs::take_flag(attributes, "hidden", errors).is_some(),
            overridable: attrs::take_flag(attributes, "overridable", errors),
            base: attrs::take_base(attributes, errors),
            kind: kinds.into_iter().next(),
            others,
        }
    }

    /// Returns the kind of the method.
    pub(super) fn method_kind(
        &self,
        receiver: Option<Receiver>,
        item: &ImplItemFn,
        errors: &mut Errors,
    ) -> Kind {
        let ident = &item.sig.ident;
        let mut no_receiver = |what: &str| {
            if receiver.is_some() {
                errors.error_at(&item.sig.inputs[0], format!("{what} has no receiver; remove it"));
            }
        };
        match (&self.kind, receiver) {
            (Some(Mark::New), _) => {
                no_receiver("a `#[new]` function makes the object, so it");
                Kind::Constructor
            }
            (Some(Mark::Class), _) => {
                no_receiver("a `#[classmethod]`");
                Kind::Class
            }
            (Some(Mark::ClassGetter(_)), _) => {
                no_receiver("a `#[getter]` of the class");
                Kind::ClassGetter
            }
            (Some(Mark::Static), _) => {
                no_receiver("a `#[staticmethod]`");
                Kind::Static
            }
            (Some(Mark::Getter(_)), Some(receiver)) => Kind::Getter(receiver),
            (Some(Mark::Setter(_)), Some(receiver)) => Kind::Setter(receiver),
            (Some(Mark::Getter(_) | Mark::Setter(_)), None) => {
                errors.error_at(
                    ident,
                    "a property belongs to an object: it needs `&self`, or `#[classmethod]` to be the class's",
                );
                Kind::Getter(Receiver::Reference)
            }
            (None, Some(receiver)) => Kind::Instance(receiver),
            // Python makes class methods of these two by itself.
            (None, None) if ident == "__class_getitem__" || ident == "__init_subclass__" => Kind::Class,
            (None, None) => Kind::Static,
        }
    }

    /// The name that Python uses, and the place where it is written.
    pub(super) fn python_name(
        &self,
        kind: Kind,
        ident: &syn::Ident,
        errors: &mut Errors,
    ) -> (String, TokenStream) {
        let how = "give it another with `#[name(\"other\")]`";
        match (&self.kind, &self.name) {
            (
                Some(Mark::New | Mark::ClassGetter(Some(_)) | Mark::Getter(Some(_)) | Mark::Setter(Some(_))),
                Some(name),
            ) => {
                errors.error_at(name, "the name is given already");
                (name.value(), name.to_token_stream())
            }
            (Some(Mark::New), None) => (String::new(), ident.to_token_stream()),
            (
                Some(Mark::ClassGetter(Some(other)) | Mark::Getter(Some(other)) | Mark::Setter(Some(other))),
                None,
            ) => (
                attrs::python_name(None, other, "choose another", errors),
                other.to_token_stream(),
            ),
            (_, Some(name)) => (
                attrs::python_name(Some(name), ident, how, errors),
                name.to_token_stream(),
            ),
            (_, None) => {
                let own = attrs::python_name(None, ident, how, errors);
                let name = match kind {
                    Kind::Setter(_) => {
                        match own.strip_prefix("set_") {
                            Some(attribute) => attribute.to_owned(),
                            None => {
                                errors.error_at(ident, "call it `set_attribute`, or say which one it sets: `#[setter(attribute)]`");
                                own
                            }
                        }
                    }
                    _ => own,
                };
                (name, ident.to_token_stream())
            }
        }
    }
}
