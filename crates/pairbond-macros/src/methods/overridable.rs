//! `#[overridable]`: a method becomes two functions. The one that keeps its name looks whether the
//! object's class in the other language has a method of its own, and calls that; the other is the
//! method as written, which that language calls (and reaches by `super()`).

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, FnArg, ImplItemFn};

use super::{Kind, Method, Output, Receiver};
use crate::errors::Errors;
use crate::paths::Krate;
use crate::signature::Kind as ParameterKind;

/// Whether the method can be split.
pub(super) fn check_overridable(method: &Method, at: &Attribute, errors: &mut Errors) -> bool {
    let message = if method.kind != Kind::Instance(Receiver::Borrow) {
        "an `#[overridable]` method asks its object's class: it takes `this: Borrow<'_, Self>`"
    } else if method
        .signature
        .parameters
        .iter()
        .any(|parameter| parameter.kind != ParameterKind::Standard)
    {
        "an `#[overridable]` method takes its arguments by position"
    } else if !matches!(
        method.output,
        Output::UnitResult | Output::OwnResult | Output::Other
    ) || !method.signature.returns.starts_with("Result")
    {
        "an `#[overridable]` method returns a `Result`, since what overrides it may raise"
    } else {
        return true;
    };
    errors.error_at(at, message);
    false
}

/// Gives the function as written another name; returns the one that dispatches.
pub(super) fn split_method(
    krate: &Krate,
    own: &TokenStream,
    item: &mut ImplItemFn,
    method: &mut Method,
) -> TokenStream {
    let native = format_ident!("__native_{}", method.signature.name, span = method.ident.span());
    let dispatching = dispatching_method(krate, own, item, method, &native);
    item.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    item.attrs.push(syn::parse_quote!(#[doc(hidden)]));
    item.attrs.push(syn::parse_quote!(#[allow(clippy::unused_self, clippy::unnecessary_wraps, clippy::needless_pass_by_value)]));
    item.sig.ident = native.clone();
    method.ident = native;
    dispatching
}

fn dispatching_method(
    krate: &Krate,
    own: &TokenStream,
    item: &ImplItemFn,
    method: &Method,
    native: &Ident,
) -> TokenStream {
    let ImplItemFn { attrs, vis, sig, .. } = item;
    let name = method.name();
    let (overridable, overridden) = (
        krate.class_path(quote!(Overridable)),
        krate.class_path(quote!(is_overridden)),
    );
    let (object, to_any) = (
        krate.object_path(quote!(Object)),
        krate.internal_path(quote!(convert::to_any)),
    );
    let call = match method.output {
        Output::UnitResult => krate.class_path(quote!(call_override_unit::<#own>)),
        _ => krate.class_path(quote!(call_override::<#own, _>)),
    };
    let names: Vec<&Ident> = method.signature.parameters.iter().map(|p| &p.ident).collect();
    let receiver = match sig.inputs.first() {
        Some(FnArg::Typed(receiver)) => match &*receiver.pat {
            syn::Pat::Ident(pattern) => pattern.ident.clone(),
            _ => format_ident!("this"),
        },
        _ => format_ident!("this"),
    };
    quote! {
        #(#attrs)*
        #vis #sig {
            static METHOD: #overridable = #overridable::new(#name, <#own as #object>::info);
            match #overridden(#receiver, &METHOD) {
                ::core::result::Result::Ok(false) => <#own>::#native(#receiver #(, #names)*),
                ::core::result::Result::Ok(true) => {
                    let arguments = [#(#to_any(#names)?),*];
                    #call(#receiver, &METHOD, &arguments).map_err(::core::convert::From::from)
                }
                ::core::result::Result::Err(error) => {
                    ::core::result::Result::Err(::core::convert::From::from(error))
                }
            }
        }
    }
}
