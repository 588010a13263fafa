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

use crate::errors::Errors;
use crate::paths::Krate;
use crate::signature::Signature;

/// An impl block whose methods Python can call.
struct Methods {
    krate: Krate,
    /// Which of the type's blocks this is.
    block: usize,
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
    let (krate, block) = options(arguments, &mut errors);
    let mut item_impl: ItemImpl = match syn::parse2(item.clone()) {
        Ok(item_impl) => item_impl,
        Err(error) => {
            errors.push(error);
            let errors = errors.into_tokens();
            return quote!(#errors #item);
        }
    };
    let methods = parse::methods(krate, block, &mut item_impl, &mut errors);
    check::methods(&methods, &mut errors);
    if !errors.is_empty() {
        // The block stays, so that calls of its methods elsewhere are not reported too.
        let errors = errors.into_tokens();
        return quote!(#item_impl #errors);
    }
    let expansion = expand::methods(&methods);
    quote!(#item_impl #expansion)
}

/// How many blocks a type may have.
const BLOCKS: usize = 4;

/// The methods of a block that another macro has written; it is the one after those that users may
/// write.
pub(crate) fn generated(krate: &Krate, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut item_impl) = errors.keep(syn::parse2::<ItemImpl>(item)) else {
        return errors.into_tokens();
    };
    let methods = parse::methods(krate.clone(), BLOCKS, &mut item_impl, &mut errors);
    let (expansion, errors) = (expand::methods(&methods), errors.into_tokens());
    quote!(#item_impl #expansion #errors)
}

/// `block = 1` and `crate = path`.
fn options(arguments: TokenStream, errors: &mut Errors) -> (Krate, usize) {
    let (mut krate, mut block) = (Krate::default(), 0);
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("crate") {
            krate.0 = Some(meta.value()?.call(syn::Path::parse_mod_style)?);
            return Ok(());
        }
        if meta.path.is_ident("block") {
            let number: syn::LitInt = meta.value()?.parse()?;
            block = number.base10_parse()?;
            if block >= BLOCKS {
                let message = format!(
                    "a type has blocks 0 to {}; 0 is the one without a number",
                    BLOCKS - 1
                );
                return Err(syn::Error::new_spanned(number, message));
            }
            return Ok(());
        }
        let option = quote::ToTokens::to_token_stream(&meta.path);
        if meta.input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in meta.input);
            inner.parse::<TokenStream>()?;
        }
        Err(meta.error(format!(
            "`pairbond::methods` has no option `{option}`; it takes `block = number` and `crate = path`"
        )))
    });
    errors.keep(syn::parse::Parser::parse2(parser, arguments));
    (krate, block)
}

/// Calls that show the methods of all blocks of a type.
pub(crate) fn describe_all(probe: &TokenStream, of: &Ident, visitor: &TokenStream) -> TokenStream {
    let blocks = (0..=BLOCKS).map(|block| {
        let name = match block {
            0 => quote::format_ident!("describe_methods"),
            _ => quote::format_ident!("describe_methods_{block}"),
        };
        quote!(#probe::<#of>::#name(#visitor);)
    });
    quote!(#(#blocks)*)
}
