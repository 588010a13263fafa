//! `#[pairbond::methods]` on an impl block.

mod check;
mod expand;
mod groups;
mod marker;
mod marks;
mod overridable;
mod parse;
mod protocols;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, ItemImpl, Type};

use crate::attrs;
use crate::errors::Errors;
use crate::paths::Krate;
use crate::signature::Signature;

/// An impl block whose methods Python can call.
struct Methods {
    krate: Krate,
    own: Type,
    methods: Vec<Method>,
}

struct Method {
    /// The function that Python calls.
    ident: Ident,
    /// Underlined by errors about the Python name.
    name_at: TokenStream,
    cfgs: Vec<Attribute>,
    kind: Kind,
    signature: Signature,
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constructor,
    Instance(Receiver),
    Class,
    ClassGetter,
    Static,
    Getter(Receiver),
    Setter(Receiver),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// `&self`
    Reference,
    /// `this: Borrow<'_, Self>`
    Borrow,
}

/// What can be said about the return type without resolving it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Unit,
    /// `Result<(), E>`
    UnitResult,
    /// `Self`
    Own,
    /// `Result<Self, E>`
    OwnResult,
    /// `Option<Self>` and others that contain `Self` by value.
    OwnInside,
    Other,
}

impl Method {
    fn name(&self) -> &str {
        &self.signature.name
    }

    fn is_property(&self) -> bool {
        matches!(self.kind, Kind::Getter(_) | Kind::Setter(_) | Kind::ClassGetter)
    }
}

pub(crate) fn methods(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = attrs::krate(arguments, "pairbond::methods", &mut errors);
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            errors.push(error);
            let errors = errors.into_tokens();
            return quote!(#errors #item);
        }
    };
    let methods = parse::methods(krate, &mut block, &mut errors);
    check::methods(&methods, &mut errors);
    if !errors.is_empty() {
        // The block stays, so that calls of its methods elsewhere are not reported too.
        let errors = errors.into_tokens();
        return quote!(#block #errors);
    }
    let expansion = expand::methods(&methods);
    quote!(#block #expansion)
}
