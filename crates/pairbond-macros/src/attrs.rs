//! Helper attributes: read, and removed from the item, because the compiler does not know them.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, LitStr, Meta, parenthesized};

use crate::errors::Errors;
use crate::names;

/// Takes the attributes called `name` out. More than one is an error.
pub(crate) fn take_attribute(
    attributes: &mut Vec<Attribute>,
    name: &str,
    errors: &mut Errors,
) -> Option<Attribute> {
    let mut taken = attributes.extract_if(.., |a| a.path().is_ident(name));
    let first = taken.next();
    for again in taken {
        errors.error_at(&again, format!("`#[{name}]` is given twice"));
    }
    first
}

/// Takes an attribute without arguments out.
pub(crate) fn take_flag(
    attributes: &mut Vec<Attribute>,
    name: &str,
    errors: &mut Errors,
) -> Option<Attribute> {
    let attribute = take_attribute(attributes, name, errors)?;
    if !matches!(attribute.meta, Meta::Path(_)) {
        errors.error_at(&attribute, format!("`#[{name}]` takes no arguments"));
    }
    Some(attribute)
}

/// Takes `#[name("other")]` out.
pub(crate) fn take_name(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Option<LitStr> {
    let attribute = take_attribute(attributes, "name", errors)?;
    let name = attribute.parse_args::<LitStr>();
    if name.is_err() {
        errors.error_at(
            &attribute,
            "write the name that Python uses: `#[name(\"other\")]`",
        );
    }
    name.ok()
}

/// Takes `#[getter]` or `#[getter(other)]` out; the inner value is the name in parentheses.
pub(crate) fn take_named(
    attributes: &mut Vec<Attribute>,
    name: &str,
    errors: &mut Errors,
) -> Option<Option<Ident>> {
    let attribute = take_attribute(attributes, name, errors)?;
    Some(match &attribute.meta {
        Meta::Path(_) => None,
        _ => match attribute.parse_args_with(syn::ext::IdentExt::parse_any) {
            Ok(other) => Some(other),
            Err(_) => {
                errors.error_at(&attribute, format!("write `#[{name}]` or `#[{name}(attribute)]`"));
                None
            }
        },
    })
}

/// Takes `#[base(Node)]` out.
pub(crate) fn take_base(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Option<syn::Type> {
    let attribute = take_attribute(attributes, "base", errors)?;
    let base = attribute.parse_args::<syn::Type>();
    if base.is_err() {
        errors.error_at(
            &attribute,
            "write the type of which the result is one: `#[base(Node)]`",
        );
    }
    base.ok()
}

/// The `#[cfg]`s, which the item keeps and the expansion repeats.
pub(crate) fn cfgs_of(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|a| a.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// The `#[cfg]` that holds when not all of `cfgs` do; nothing when there are none.
pub(crate) fn inverted_cfg(cfgs: &[Attribute]) -> Option<TokenStream> {
    let conditions: Vec<_> = cfgs
        .iter()
        .filter_map(|cfg| cfg.meta.require_list().ok())
        .map(|list| &list.tokens)
        .collect();
    if conditions.is_empty() {
        None
    } else {
        Some(quote!(#[cfg(not(all(#(#conditions),*)))]))
    }
}

/// Checks a name from `#[name("…")]` or one like it.
pub(crate) fn python_name(given: Option<&LitStr>, ident: &Ident, how: &str, errors: &mut Errors) -> String {
    match given {
        Some(literal) => {
            let name = literal.value();
            names::check_name(&name, literal, "choose another", errors);
            name
        }
        None => {
            let name = names::without_raw(ident);
            names::check_name(&name, ident, how, errors);
            name
        }
    }
}

/// `crate = path`, the only option of most of the macros.
pub(crate) fn crate_option(arguments: TokenStream, name: &str, errors: &mut Errors) -> crate::paths::Krate {
    let mut krate = crate::paths::Krate::default();
    if arguments.is_empty() {
        return krate;
    }
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("crate") {
            krate.0 = Some(meta.value()?.call(syn::Path::parse_mod_style)?);
            return Ok(());
        }
        let option = meta.path.to_token_stream();
        if meta.input.peek(syn::token::Paren) {
            let inner;
            parenthesized!(inner in meta.input);
            inner.parse::<TokenStream>()?;
        }
        Err(meta.error(format!(
            "`{name}` has no option `{option}`; it takes `crate = path` only"
        )))
    });
    errors.ok_or_record(syn::parse::Parser::parse2(parser, arguments));
    krate
}
