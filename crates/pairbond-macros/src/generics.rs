//! Generic structs and their methods, written out for each of several types: one attribute for
//! each, `#[pairbond::object("pkg.GridF64", T = f64)]`, `#[pairbond::methods(T = f64)]`.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parse;
use syn::{Attribute, GenericArgument, GenericParam, Generics, Meta};

use crate::errors::Errors;

/// The types that the parameters of a generic item stand for.
pub(crate) struct Arguments(Vec<(Ident, TokenStream)>);

/// Takes out further attributes of this name: `pairbond::object`, `object`.
pub(crate) fn further_attributes(attributes: &mut Vec<Attribute>, name: &str) -> Vec<Attribute> {
    let is = |it: &mut Attribute| {
        let segments = &it.path().segments;
        segments.last().is_some_and(|last| last.ident == name)
            && (segments.len() == 1 || segments.len() == 2 && segments[0].ident == "pairbond")
    };
    attributes.extract_if(.., is).collect()
}

/// The arguments in parentheses behind an attribute.
pub(crate) fn arguments_inside(attribute: Attribute) -> TokenStream {
    match attribute.meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    }
}

impl Arguments {
    /// Matches the arguments that a line gives with the parameters of the item.
    pub(crate) fn new(
        generics: &Generics,
        given: &[(Ident, GenericArgument)],
        line: &str,
        errors: &mut Errors,
    ) -> Self {
        let mut all = Vec::new();
        for parameter in &generics.params {
            let ident = match parameter {
                GenericParam::Type(it) => &it.ident,
                GenericParam::Const(it) => &it.ident,
                GenericParam::Lifetime(it) => {
                    let message = "an object lives as long as anything refers to it, so it borrows nothing; own what it refers to, or hold a \
                                   `Ref<T>` of it";
                    errors.error_at(it, message);
                    continue;
                }
            };
            match given.iter().find(|(name, _)| name == ident) {
                Some((_, argument)) => all.push((ident.clone(), argument.to_token_stream())),
                None => errors.error_at(
                    ident,
                    format!("a class is of one type: say for which `{ident}` this is, `{line}`, with one such line for each"),
                ),
            }
        }
        for (name, _) in given {
            if !all.iter().any(|(known, _)| known == name) && !is_parameter(generics, name) {
                errors.error_at(name, format!("`{name}` is no parameter here"));
            }
        }
        Arguments(all)
    }

    /// `<f64, 3>`, in the order of the parameters.
    pub(crate) fn angle_bracketed(&self) -> TokenStream {
        let all = self.0.iter().map(|(_, argument)| argument);
        quote!(<#(#all),*>)
    }

    /// The item with the arguments in place of the parameters.
    pub(crate) fn substitute_item<T: ToTokens + Parse>(&self, item: &T) -> syn::Result<T> {
        syn::parse2(self.substitute_tokens(item.to_token_stream()))
    }

    fn substitute_tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        let mut after_path = false;
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) if !after_path => {
                    let argument = self.0.iter().find(|(name, _)| *name == ident);
                    let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == proc_macro2::Spacing::Joint);
                    match argument {
                        // `T::Item`
                        Some((_, argument)) if is_path => out.extend(quote!(<#argument>)),
                        Some((_, argument)) => out.extend(argument.clone()),
                        None => out.extend([TokenTree::Ident(ident)]),
                    }
                }
                TokenTree::Group(group) => {
                    let mut changed = Group::new(group.delimiter(), self.substitute_tokens(group.stream()));
                    changed.set_span(group.span());
                    out.extend([TokenTree::Group(changed)]);
                }
                other => {
                    // Neither a lifetime nor the end of a path is a parameter.
                    after_path = matches!(&other, TokenTree::Punct(p) if p.as_char() == '\'');
                    out.extend([other]);
                    continue;
                }
            }
            after_path = false;
        }
        out
    }
}

fn is_parameter(generics: &Generics, name: &Ident) -> bool {
    generics.params.iter().any(|parameter| match parameter {
        GenericParam::Type(it) => it.ident == *name,
        GenericParam::Const(it) => it.ident == *name,
        GenericParam::Lifetime(_) => false,
    })
}
