//! `#[pairbond::methods]` on an impl block.

mod check_methods;
mod expand_methods;
mod groups;
mod marker;
mod marks;
mod overridable;
mod parse_methods;
mod protocols;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, GenericArgument, ItemImpl, Type};

use crate::errors::Errors;
use crate::generics::{self, Arguments};
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
    /// `this: Ref<Self>`
    Owned,
    /// `&self`
    Reference,
    /// `this: Borrow<'_, Self>`
    Borrow,
}

/// The form of the return type, as far as it shows without resolving names.
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

pub(crate) fn expand_methods(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = parse_options(arguments, &mut errors);
    let mut item_impl: ItemImpl = match syn::parse2(item.clone()) {
        Ok(item_impl) => item_impl,
        Err(error) => {
            errors.push(error);
            let errors = errors.into_tokens();
            return quote!(#errors #item);
        }
    };
    if !item_impl.generics.params.is_empty() {
        return expand_generic(options, item_impl, errors);
    }
    if let Some((name, _)) = options.arguments.first() {
        errors.error_at(name, format!("`{name}` is no parameter here"));
    }
    let methods = parse_methods::parse_methods(options.krate, options.block, &mut item_impl, &mut errors);
    check_methods::check_methods(&methods, &mut errors);
    if !errors.is_empty() {
        // The block stays, so that calls of its methods elsewhere are not reported too.
        let errors = errors.into_tokens();
        return quote!(#item_impl #errors);
    }
    let expansion = expand_methods::expand_methods(&methods);
    quote!(#item_impl #expansion)
}

/// A generic block: its methods, for each of the attribute's lines.
fn expand_generic(first: Options, mut item: ItemImpl, mut errors: Errors) -> TokenStream {
    let (krate, block) = (first.krate.clone(), first.block);
    let mut lines = vec![first];
    for line in generics::further_attributes(&mut item.attrs, "methods") {
        lines.push(parse_options(generics::arguments_inside(line), &mut errors));
    }
    for method in &item.items {
        if let syn::ImplItem::Fn(method) = method
            && let Some(mark) = method.attrs.iter().find(|it| it.path().is_ident("overridable"))
        {
            errors.error_at(mark, "a method of a generic type cannot be `#[overridable]`");
        }
    }
    let mut expansions = TokenStream::new();
    for options in lines {
        if !errors.is_empty() {
            break;
        }
        let arguments = Arguments::new(
            &item.generics,
            &options.arguments,
            "#[pairbond::methods(T = f64)]",
            &mut errors,
        );
        let mut of_line = item.clone();
        of_line.generics = syn::Generics::default();
        let Some(mut of_line) = errors.ok_or_record(arguments.substitute_item(&of_line)) else {
            break;
        };
        let methods = parse_methods::parse_methods(options.krate, options.block, &mut of_line, &mut errors);
        check_methods::check_methods(&methods, &mut errors);
        if errors.is_empty() {
            expansions.extend(expand_methods::expand_methods(&methods));
        }
    }
    if !errors.is_empty() {
        expansions = TokenStream::new();
    }
    // Takes the helper attributes off; errors were found above.
    let generics = std::mem::take(&mut item.generics);
    parse_methods::parse_methods(krate.clone(), block, &mut item, &mut Errors::default());
    item.generics = generics;
    let own = &item.self_ty;
    let shares = krate.class_path(quote!(SharesMethods));
    let (implementation, _, condition) = item.generics.split_for_impl();
    let shares = errors
        .is_empty()
        .then(|| quote!(impl #implementation #shares<#block> for #own #condition {}));
    let errors = errors.into_tokens();
    quote!(#item #shares #expansions #errors)
}

/// How many blocks a type may have.
const BLOCKS: usize = 4;

/// The methods of a block that another macro has written; it is the one after those that users may
/// write.
pub(crate) fn expand_generated(krate: &Krate, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut item_impl) = errors.ok_or_record(syn::parse2::<ItemImpl>(item)) else {
        return errors.into_tokens();
    };
    let methods = parse_methods::parse_methods(krate.clone(), BLOCKS, &mut item_impl, &mut errors);
    let (expansion, errors) = (expand_methods::expand_methods(&methods), errors.into_tokens());
    quote!(#item_impl #expansion #errors)
}

struct Options {
    krate: Krate,
    block: usize,
    /// Of a generic block.
    arguments: Vec<(Ident, GenericArgument)>,
}

/// `block = 1`, `T = f64` and `crate = path`.
fn parse_options(arguments: TokenStream, errors: &mut Errors) -> Options {
    let (mut krate, mut block, mut given) = (Krate::default(), 0, Vec::new());
    let parser = syn::meta::parser(|meta| {
        if let Some(name) = meta.path.get_ident()
            && name.to_string().starts_with(char::is_uppercase)
        {
            given.push((name.clone(), meta.value()?.parse()?));
            return Ok(());
        }
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
            "`pairbond::methods` has no option `{option}`; it takes `block = number`, `T = type` for a generic block, and `crate = path`"
        )))
    });
    errors.ok_or_record(syn::parse::Parser::parse2(parser, arguments));
    Options {
        krate,
        block,
        arguments: given,
    }
}

/// Calls that show the methods of all blocks of a type.
pub(crate) fn describe_all(
    probe: &TokenStream,
    of: &impl quote::ToTokens,
    visitor: &TokenStream,
) -> TokenStream {
    let blocks = (0..=BLOCKS).map(|block| {
        let name = match block {
            0 => quote::format_ident!("describe_methods"),
            _ => quote::format_ident!("describe_methods_{block}"),
        };
        quote!(#probe::<#of>::#name(#visitor);)
    });
    quote!(#(#blocks)*)
}
