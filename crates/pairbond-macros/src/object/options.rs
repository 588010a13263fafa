//! The arguments of the attribute: `"lockgraph.Package", extends = Parent, sealed, immutable_type,
//! fast_getters, native, opaque, tree(parent, …), name = path, ordered, repr,
//! attributes(note: String), check = path, save = path, load = path, version = 2, T = f64,
//! crate = path`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{GenericArgument, Ident, LitInt, LitStr, Path, Token, Type};

use super::tree::TreeMember;
use crate::errors::Errors;
use crate::names;
use crate::paths::Krate;

#[derive(Default)]
pub(super) struct Options {
    pub(super) key: String,
    pub(super) extends: Option<Path>,
    pub(super) sealed: bool,
    /// The class itself cannot be changed from Python.
    pub(super) immutable_type: bool,
    /// Attributes are read more than methods are called.
    pub(super) fast_getters: bool,
    /// Not shown to any frontend, and so free to be bound to a thread.
    pub(super) native: bool,
    pub(super) version: u32,
    /// Cannot be taken apart, to copy or write it.
    pub(super) opaque: bool,
    /// Has an order, by its fields.
    pub(super) ordered: bool,
    /// Python's `==`, `hash()` and `<` are Rust's.
    pub(super) eq: bool,
    pub(super) hash: bool,
    pub(super) ord: bool,
    /// Every field is a `#[field]`, or a `#[field(set)]`, that is not marked otherwise.
    pub(super) get_all: bool,
    pub(super) set_all: bool,
    /// Python's `repr()` shows the class and the fields.
    pub(super) repr: bool,
    /// Attributes that users may set, for type checkers: names and types.
    pub(super) attributes: Vec<(String, String)>,
    /// The arguments for the parameters of a generic struct.
    pub(super) arguments: Vec<(Ident, GenericArgument)>,
    /// A node of trees.
    pub(super) tree: bool,
    /// The members that Python sees of it.
    pub(super) tree_members: Vec<TreeMember>,
    /// The function that names a node in errors.
    pub(super) name: Option<Path>,
    /// Checks an object that was made from data.
    pub(super) check: Option<Path>,
    /// Write and read it.
    pub(super) save: Option<Path>,
    pub(super) load: Option<Path>,
    pub(super) krate: Krate,
}

enum Argument {
    Key(LitStr),
    Flag(Ident),
    Value(Ident, TokenStream),
    List(Ident, TokenStream),
    Parameter(Ident, Box<GenericArgument>),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Argument::Key);
        }
        let name = input.call(Ident::parse_any)?;
        if input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in input);
            return Ok(Argument::List(name, inner.parse()?));
        }
        if !input.peek(Token![=]) {
            return Ok(Argument::Flag(name));
        }
        input.parse::<Token![=]>()?;
        if name.to_string().starts_with(char::is_uppercase) {
            return Ok(Argument::Parameter(name, Box::new(input.parse()?)));
        }
        let mut value = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            value.extend([input.parse::<proc_macro2::TokenTree>()?]);
        }
        Ok(Argument::Value(name, value))
    }
}

impl Options {
    pub(super) fn parse(arguments: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options {
            version: 1,
            ..Options::default()
        };
        let mut seen: Vec<String> = Vec::new();
        let parsed = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(arguments);
        let Some(parsed) = errors.ok_or_record(parsed) else {
            return options;
        };
        for argument in parsed {
            let (name, at) = match &argument {
                Argument::Key(literal) => ("key".to_owned(), literal.to_token_stream()),
                Argument::Flag(name)
                | Argument::Value(name, _)
                | Argument::List(name, _)
                | Argument::Parameter(name, _) => (name.to_string(), name.to_token_stream()),
            };
            if seen.contains(&name) {
                errors.error_at(at, format!("`{name}` is given twice"));
                continue;
            }
            seen.push(name);
            options.take_argument(argument, errors);
        }
        if options.save.is_some() != options.load.is_some() {
            let message = "`save = function` and `load = function` belong together";
            errors.push(syn::Error::new(Span::call_site(), message));
        }
        if !seen.iter().any(|name| name == "key") {
            let message = "say which class this is: `#[pairbond::object(\"module.Name\")]`";
            errors.push(syn::Error::new(Span::call_site(), message));
        }
        options
    }

    /// As far as an enum has any.
    pub(super) fn of_enum(&self) -> crate::enumeration::Options {
        let others = [
            (self.extends.is_some(), "extends"),
            (self.sealed, "sealed"),
            (self.immutable_type, "immutable_type"),
            (self.fast_getters, "fast_getters"),
            (self.native, "native"),
            (self.opaque, "opaque"),
            (self.ordered, "ordered"),
            (self.eq, "eq"),
            (self.hash, "hash"),
            (self.ord, "ord"),
            (self.get_all, "get_all"),
            (self.set_all, "set_all"),
            (self.repr, "repr"),
            (!self.attributes.is_empty(), "attributes"),
            (!self.arguments.is_empty(), "T = type"),
            (self.tree, "tree"),
            (self.name.is_some(), "name"),
            (self.check.is_some(), "check"),
            (self.save.is_some() || self.load.is_some(), "save"),
        ];
        crate::enumeration::Options {
            key: self.key.clone(),
            version: self.version,
            krate: self.krate.clone(),
            other: others.into_iter().find(|(given, _)| *given).map(|(_, word)| word),
        }
    }

    /// Takes `attributes(note: Option<String>, seen: "bool | None")`.
    fn declare_attributes(&mut self, list: TokenStream, errors: &mut Errors) {
        let parsed = Punctuated::<Declared, Token![,]>::parse_terminated.parse2(list);
        for Declared(name, kind) in errors.ok_or_record(parsed).into_iter().flatten() {
            let plain = names::without_raw(&name);
            names::check_name(&plain, &name, "choose another", errors);
            self.attributes.push((plain, kind));
        }
    }

    fn take_argument(&mut self, argument: Argument, errors: &mut Errors) {
        match argument {
            Argument::Key(literal) => {
                check_key(&literal, errors);
                self.key = literal.value();
            }
            Argument::Flag(name) if name == "sealed" => self.sealed = true,
            Argument::Flag(name) if name == "immutable_type" => self.immutable_type = true,
            Argument::Flag(name) if name == "fast_getters" => self.fast_getters = true,
            Argument::Flag(name) if name == "native" => self.native = true,
            Argument::Flag(name) if name == "opaque" => self.opaque = true,
            Argument::Flag(name) if name == "ordered" => self.ordered = true,
            Argument::Flag(name) if name == "eq" => self.eq = true,
            Argument::Flag(name) if name == "hash" => self.hash = true,
            Argument::Flag(name) if name == "ord" || name == "order" => self.ord = true,
            Argument::Flag(name) if name == "repr" => self.repr = true,
            Argument::Flag(name) if name == "attributes" => {
                self.attributes.push(("*".to_owned(), String::new()));
            }
            Argument::List(name, list) if name == "attributes" => self.declare_attributes(list, errors),
            Argument::Parameter(name, argument) => self.arguments.push((name, *argument)),
            Argument::Flag(name) if name == "get_all" => self.get_all = true,
            Argument::Flag(name) if name == "set_all" => self.set_all = true,
            Argument::Flag(name) if name == "tree" => self.tree = true,
            Argument::List(name, list) if name == "tree" => {
                self.tree = true;
                let parsed = Punctuated::<TreeMember, Token![,]>::parse_terminated.parse2(list);
                self.tree_members = errors.ok_or_record(parsed).into_iter().flatten().collect();
            }
            Argument::Value(name, value) if ["check", "save", "load", "name"].iter().any(|word| name == word) => {
                let place = match &*name.to_string() {
                    "check" => &mut self.check,
                    "save" => &mut self.save,
                    "name" => &mut self.name,
                    _ => &mut self.load,
                };
                match Path::parse_mod_style.parse2(value) {
                    Ok(path) => *place = Some(path),
                    Err(_) => errors.error_at(&name, format!("write a function: `{name} = Self::{name}`")),
                }
            }
            Argument::Value(name, value) if name == "extends" => match Path::parse_mod_style.parse2(value) {
                Ok(path) => self.extends = Some(path),
                Err(_) => errors.error_at(name, "write the parent's type: `extends = Parent`"),
            },
            Argument::Value(name, value) if name == "version" => {
                match syn::parse2::<LitInt>(value).and_then(|v| v.base10_parse()) {
                    Ok(version) => self.version = version,
                    Err(_) => errors.error_at(name, "write the layout version as a number: `version = 2`"),
                }
            }
            Argument::Value(name, value) if name == "crate" => match Path::parse_mod_style.parse2(value) {
                Ok(path) => self.krate = Krate(Some(path)),
                Err(_) => errors.error_at(name, "write where pairbond is: `crate = path`"),
            },
            Argument::Flag(name) | Argument::Value(name, _) | Argument::List(name, _) => errors.error_at(
                &name,
                format!(
                    "`{name}` is no option, or not written so; the options are `extends = Parent`, `sealed`, `immutable_type`, \
                     `fast_getters`, `native`, `opaque`, `ordered`, `eq`, `hash`, `ord`, `repr`, `get_all`, `set_all`, `attributes(name: Type)`, `tree` or `tree(parent, descendants, detach, erase)` with `name = function`, `check = function`, `save = function` with `load = function`, `version = 2` and \
                     `crate = path`"
                ),
            ),
        }
    }
}

/// `name: Type`, or `name: "annotation"`.
struct Declared(Ident, String);

impl Parse for Declared {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        let kind = if input.peek(LitStr) {
            format!("={}", input.parse::<LitStr>()?.value())
        } else {
            crate::types::source_text(input.parse::<Type>()?)
        };
        Ok(Declared(name, kind))
    }
}

/// `module(.module)*.Name`
fn check_key(literal: &LitStr, errors: &mut Errors) {
    let key = literal.value();
    if !key.contains('.') || !key.split('.').all(names::is_identifier) {
        errors.error_at(
            literal,
            "the key is the module and the name of the class: `\"module.Name\"`, as Python imports it",
        );
    } else if let Some(word) = key.split('.').find(|part| names::is_keyword(part)) {
        errors.error_at(
            literal,
            format!("`{word}` is a keyword of Python, so nobody could import this"),
        );
    }
}
