//! `#[pairbond::exception("pkg.ParseError", extends = ValueError)]` on a unit struct.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Fields, Ident, ItemStruct, LitStr, Path, Token};

use crate::errors::Errors;
use crate::paths::Krate;
use crate::{attrs, docs, names};

/// Python's own exception classes, which stand for themselves after `extends`.
const BUILT_IN: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "EncodingWarning",
    "Exception",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "ImportError",
    "ImportWarning",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxWarning",
    "SystemError",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
];

struct Options {
    key: LitStr,
    extends: Option<Base>,
    krate: Krate,
}

enum Base {
    Named(String),
    Defined(Path),
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                "say which class this is: `#[pairbond::exception(\"module.Name\", extends = ValueError)]`",
            )
        })?;
        let mut options = Options {
            key,
            extends: None,
            krate: Krate::default(),
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                options.krate.0 = Some(input.call(Path::parse_mod_style)?);
                continue;
            }
            let name: Ident = input.parse()?;
            if name != "extends" {
                return Err(syn::Error::new(
                    name.span(),
                    format!(
                        "`pairbond::exception` has no option `{name}`; it takes a key and `extends = Base`"
                    ),
                ));
            }
            input.parse::<Token![=]>()?;
            options.extends = Some(if input.peek(LitStr) {
                Base::Named(input.parse::<LitStr>()?.value())
            } else {
                let path = input.call(Path::parse_mod_style)?;
                match path.get_ident() {
                    Some(ident) if BUILT_IN.iter().any(|name| ident == name) => {
                        Base::Named(ident.to_string())
                    }
                    _ => Base::Defined(path),
                }
            });
        }
        Ok(options)
    }
}

pub(crate) fn expand_exception(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parsed = errors.ok_or_record(syn::parse2::<ItemStruct>(item.clone()));
    let options = errors.ok_or_record(syn::parse2::<Options>(arguments));
    let (Some(parsed), Some(options)) = (parsed, options) else {
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    check_exception(&parsed, &options.key, &mut errors);
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        return quote!(#parsed #errors);
    }
    exception_impls(&parsed, &options)
}

fn check_exception(item: &ItemStruct, key: &LitStr, errors: &mut Errors) {
    if !matches!(item.fields, Fields::Unit) {
        errors.error_at(
            &item.fields,
            "an exception class is a unit struct: `struct ParseError;`; what an error carries is given by `Error::with_field`",
        );
    }
    if !item.generics.params.is_empty() {
        errors.error_at(&item.generics, "an exception class cannot be generic");
    }
    let value = key.value();
    match value.rsplit_once('.') {
        None => errors.error_at(key, "name the module, too: `\"module.Name\"`"),
        Some((module, name)) => {
            for part in module.split('.').chain([name]) {
                names::check_name(part, key, "choose another", errors);
            }
        }
    }
}

fn exception_impls(item: &ItemStruct, options: &Options) -> TokenStream {
    let (ident, cfgs, doc) = (
        &item.ident,
        attrs::cfgs_of(&item.attrs),
        docs::doc_of(&item.attrs),
    );
    let (krate, key) = (&options.krate, options.key.value());
    let exception = |name: &str| {
        let name = Ident::new(name, Span::call_site());
        krate.error_module(quote!(exception::#name))
    };
    let (info, base, trait_path) = (
        exception("ExceptionInfo"),
        exception("ExceptionBase"),
        exception("Exception"),
    );
    let base = match &options.extends {
        None => quote!(#base::Named("Exception")),
        Some(Base::Named(name)) => quote!(#base::Named(#name)),
        Some(Base::Defined(path)) => {
            let span = path.span().resolved_at(Span::call_site());
            quote::quote_spanned!(span=> #base::Defined(<#path as #trait_path>::INFO))
        }
    };
    let (member, visitor) = (
        krate.class_path(quote!(Member)),
        krate.class_path(quote!(ModuleVisitor)),
    );
    quote! {
        #item
        #(#cfgs)*
        const _: () = {
            impl #trait_path for #ident {
                const INFO: &'static #info = &#info { key: #key, doc: #doc, base: #base };
            }
            impl #member for #ident {
                fn visit_member<__V: #visitor>(visitor: &mut __V) {
                    visitor.visit_exception(<#ident as #trait_path>::INFO);
                }
            }
        };
    }
}
