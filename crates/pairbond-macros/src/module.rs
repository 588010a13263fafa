//! `pairbond::module!(lockgraph { Package, Lock, read })`

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Path, Token, braced};

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
    member: Member,
}

enum Member {
    /// A type or function of pairbond's macros.
    Path(Path),
    /// `#[pyclass]`, `#[pyfunction]` or `#[pyo3]`: a member that PyO3 adds.
    Pyo3(Ident, Path),
    /// `const NAME = value`
    Constant(Ident, Expr),
    /// `mod name { … }`, with its documentation.
    Module(Vec<Attribute>, Ident, Vec<Item>),
}

/// Attributes that mark a member of PyO3.
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
        if input.peek(Token![mod]) {
            input.parse::<Token![mod]>()?;
            let name = input.call(Ident::parse_any)?;
            if let Some(other) = others.iter().find(|a| !a.path().is_ident("doc")) {
                let message = "a module takes documentation, `#[cfg]` and no other attribute";
                return Err(syn::Error::new_spanned(other, message));
            }
            let content;
            braced!(content in input);
            let items = content.parse_terminated(Item::parse, Token![,])?;
            let member = Member::Module(others, name, items.into_iter().collect());
            return Ok(Item { cfgs, member });
        }
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
        if pyo3.is_none() && input.peek(Token![const]) {
            input.parse::<Token![const]>()?;
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            let member = Member::Constant(name, input.parse()?);
            return Ok(Item { cfgs, member });
        }
        let path = input.parse::<Path>()?;
        let member = match pyo3 {
            Some(kind) => Member::Pyo3(kind, path),
            None => Member::Path(path),
        };
        Ok(Item { cfgs, member })
    }
}

pub(crate) fn expand_module(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut module) = errors.ok_or_record(syn::parse2::<Module>(input)) else {
        return errors.into_tokens();
    };
    let krate = crate_attribute(&mut module.attributes, &mut errors);
    check_module(&module, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    module_impls(&krate, &module)
}

/// `#[pairbond(crate = path)]` before the name.
fn crate_attribute(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Krate {
    match attrs::take_attribute(attributes, "pairbond", errors) {
        Some(attribute) => match attribute.meta.require_list() {
            Ok(list) => attrs::crate_option(list.tokens.clone(), "pairbond", errors),
            Err(error) => {
                errors.push(error);
                Krate::default()
            }
        },
        None => Krate::default(),
    }
}

fn check_module(module: &Module, errors: &mut Errors) {
    for attribute in module.attributes.iter().filter(|a| !a.path().is_ident("doc")) {
        errors.error_at(attribute, "a module takes documentation and no other attribute");
    }
    for part in &module.name {
        names::check_name(
            &names::without_raw(part),
            part,
            "choose another, programs import the module by it",
            errors,
        );
    }
    check_items(&module.items, errors);
}

fn check_items(items: &[Item], errors: &mut Errors) {
    for (i, item) in items.iter().enumerate() {
        let same = |other: &Item| {
            other.cfgs.is_empty()
                && item.cfgs.is_empty()
                && other.member.listed_text() == item.member.listed_text()
        };
        if items[..i].iter().any(same) {
            errors.error_at(
                item.member.error_tokens(),
                format!("`{}` is listed twice", item.member.listed_text()),
            );
        }
        match &item.member {
            Member::Constant(name, _) => {
                names::check_name(&names::without_raw(name), name, "choose another", errors);
            }
            Member::Module(_, name, items) => {
                names::check_name(&names::without_raw(name), name, "choose another", errors);
                check_items(items, errors);
            }
            Member::Path(_) | Member::Pyo3(..) => {}
        }
    }
}

impl Member {
    /// As it is listed.
    fn listed_text(&self) -> String {
        match self {
            Member::Path(path) | Member::Pyo3(_, path) => types::source_text(path),
            Member::Constant(name, _) | Member::Module(_, name, _) => name.to_string(),
        }
    }

    /// Underlined by errors.
    fn error_tokens(&self) -> TokenStream {
        match self {
            Member::Path(path) | Member::Pyo3(_, path) => path.to_token_stream(),
            Member::Constant(name, _) | Member::Module(_, name, _) => name.to_token_stream(),
        }
    }
}

fn module_impls(krate: &Krate, module: &Module) -> TokenStream {
    let doc = docs::doc_of(&module.attributes);
    let name = module
        .name
        .iter()
        .map(names::without_raw)
        .collect::<Vec<_>>()
        .join(".");
    // The interpreter looks for a symbol named after the last part.
    let symbol = module.name.last();
    let marker = module_marker(krate, &name, &doc, &module.items);
    quote! {
        const _: () = {
            #marker
            #krate::__export_module!(__Module, #symbol);
        };
    }
}

/// The type that stands for a module.
fn module_marker(krate: &Krate, name: &str, doc: &str, items: &[Item]) -> TokenStream {
    let (trait_path, visitor_trait) = (
        krate.class_path(quote!(Module)),
        krate.class_path(quote!(ModuleVisitor)),
    );
    let shown = items.iter().map(|Item { cfgs, member }| {
        let show = show_member(krate, name, member);
        quote!(#(#cfgs)* { #show; })
    });
    quote! {
        enum __Module {}
        impl #trait_path for __Module {
            const NAME: &'static str = #name;
            const DOC: &'static str = #doc;
            fn visit_members<__V: #visitor_trait>(visitor: &mut __V) {
                #(#shown)*
            }
        }
    }
}

fn show_member(krate: &Krate, module: &str, member: &Member) -> TokenStream {
    let member_trait = krate.class_path(quote!(Member));
    match member {
        Member::Path(path) => {
            let span = path.span().resolved_at(Span::call_site());
            quote_spanned!(span=> <#path as #member_trait>::visit_member(visitor))
        }
        Member::Pyo3(kind, path) => {
            let span = path.span().resolved_at(Span::call_site());
            quote_spanned!(span=> #krate::__pyo3_member!(visitor, #kind, #path))
        }
        Member::Constant(name, value) => {
            let name = names::without_raw(name);
            let to_any = krate.internal_path(quote!(convert::to_any));
            let span = value.span().resolved_at(Span::call_site());
            quote_spanned!(span=> visitor.visit_constant(#name, || #to_any(#value)))
        }
        Member::Module(attributes, name, items) => {
            let plain = names::without_raw(name);
            let marker = module_marker(
                krate,
                &format!("{module}.{plain}"),
                &docs::doc_of(attributes),
                items,
            );
            quote!(#marker visitor.visit_module::<__Module>(#plain))
        }
    }
}
