//! `pairbond::module!(lockgraph { Package, Lock, read })`

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Path, Token, braced};

use crate::errors::Errors;
use crate::paths::Krate;
use crate::{attrs, docs, names, types};

struct Module {
    attributes: Vec<Attribute>,
    name: Punctuated<Ident, Token![.]>,
    items: Vec<Item>,
}

struct Item {
    cfgs: Vec<Attribute>,
    /// `#[pyclass]`, `#[pyfunction]` or `#[pyo3]`: a member that PyO3 adds.
    pyo3: Option<Ident>,
    path: Path,
}

/// What marks a member of PyO3.
const PYO3: [&str; 3] = ["pyclass", "pyfunction", "pyo3"];

impl Parse for Module {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let mut name = Punctuated::new();
        name.push_value(input.call(Ident::parse_any)?);
        while input.peek(Token![.]) {
            name.push_punct(input.parse()?);
            name.push_value(input.call(Ident::parse_any)?);
        }
        let content;
        braced!(content in input);
        let items = content.parse_terminated(Item::parse, Token![,])?;
        if !input.is_empty() {
            return Err(
                input.error("nothing comes after the members: `pairbond::module!(name { Class, function })`")
            );
        }
        Ok(Module {
            attributes,
            name,
            items: items.into_iter().collect(),
        })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (cfgs, others): (Vec<_>, Vec<_>) = input
            .call(Attribute::parse_outer)?
            .into_iter()
            .partition(|a| a.path().is_ident("cfg"));
        let mut pyo3 = None;
        for other in others {
            let word = other.meta.require_path_only().ok().and_then(Path::get_ident);
            match word.filter(|word| PYO3.iter().any(|name| word == name)) {
                Some(word) if pyo3.is_none() => pyo3 = Some(word.clone()),
                _ => {
                    return Err(syn::Error::new_spanned(
                        other,
                        "a member takes no attribute but `#[cfg]`, and one of `#[pyclass]`, `#[pyfunction]` and `#[pyo3]`",
                    ));
                }
            }
        }
        Ok(Item {
            cfgs,
            pyo3,
            path: input.call(Path::parse_mod_style)?,
        })
    }
}

pub(crate) fn module(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut module) = errors.keep(syn::parse2::<Module>(input)) else {
        return errors.into_tokens();
    };
    let krate = krate(&mut module.attributes, &mut errors);
    check(&module, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    expand(&krate, &module)
}

/// `#[pairbond(crate = path)]` before the name.
fn krate(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Krate {
    match attrs::take(attributes, "pairbond", errors) {
        Some(attribute) => match attribute.meta.require_list() {
            Ok(list) => attrs::krate(list.tokens.clone(), "pairbond", errors),
            Err(error) => {
                errors.push(error);
                Krate::default()
            }
        },
        None => Krate::default(),
    }
}

fn check(module: &Module, errors: &mut Errors) {
    for attribute in module.attributes.iter().filter(|a| !a.path().is_ident("doc")) {
        errors.at(attribute, "a module takes documentation and no other attribute");
    }
    for part in &module.name {
        names::check(
            &names::plain(part),
            part,
            "choose another, programs import the module by it",
            errors,
        );
    }
    for (i, item) in module.items.iter().enumerate() {
        let same = |other: &Item| {
            other.cfgs.is_empty()
                && item.cfgs.is_empty()
                && types::text(&other.path) == types::text(&item.path)
        };
        if module.items[..i].iter().any(same) {
            errors.at(
                &item.path,
                format!("`{}` is listed twice", types::text(&item.path)),
            );
        }
    }
}

fn expand(krate: &Krate, module: &Module) -> TokenStream {
    let (trait_path, visitor_trait) = (krate.class(quote!(Module)), krate.class(quote!(ModuleVisitor)));
    let member = krate.class(quote!(Member));
    let doc = docs::of(&module.attributes);
    let name = module.name.iter().map(names::plain).collect::<Vec<_>>().join(".");
    // The interpreter looks for a symbol named after the last part.
    let symbol = module.name.last();
    let shown = module.items.iter().map(|Item { cfgs, pyo3, path }| {
        let span = path.span().resolved_at(Span::call_site());
        let show = match pyo3 {
            Some(kind) => quote_spanned!(span=> #krate::__pyo3_member!(visitor, #kind, #path)),
            None => quote_spanned!(span=> <#path as #member>::show(visitor)),
        };
        quote!(#(#cfgs)* { #show; })
    });
    quote! {
        const _: () = {
            enum __Module {}
            impl #trait_path for __Module {
                const NAME: &'static str = #name;
                const DOC: &'static str = #doc;
                fn describe<__V: #visitor_trait>(visitor: &mut __V) {
                    #(#shown)*
                }
            }
            #krate::__export_module!(__Module, #symbol);
        };
    }
}
