//! `#[overridable]` on a function: it becomes two. The one that keeps its name looks whether the
//! class of an argument takes it over; the other is the function as written.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, ItemFn};

use crate::errors::Errors;
use crate::paths::Krate;
use crate::signature::{Kind, Signature};

/// Whether the function can be split.
pub(crate) fn check_redirect(signature: &Signature, at: &Attribute, errors: &mut Errors) {
    let message = if signature.parameters.is_empty() {
        "an `#[overridable]` function asks the classes of its arguments, and has none"
    } else if signature.parameters.iter().any(|it| it.kind != Kind::Standard) {
        "an `#[overridable]` function takes its arguments by position"
    } else if !signature.returns.starts_with("Result") {
        "an `#[overridable]` function returns a `Result`, since what takes it over may raise"
    } else {
        return;
    };
    errors.error_at(at, message);
}

/// Gives the function as written another name; returns the one that looks.
pub(crate) fn split_function(krate: &Krate, function: &mut ItemFn, signature: &Signature) -> TokenStream {
    let native = format_ident!("__native_{}", function.sig.ident);
    let redirecting = redirecting_function(krate, function, signature, &native);
    function
        .attrs
        .retain(|attribute| !attribute.path().is_ident("doc"));
    function.attrs.push(syn::parse_quote!(#[doc(hidden)]));
    function
        .attrs
        .push(syn::parse_quote!(#[allow(clippy::unnecessary_wraps, clippy::needless_pass_by_value)]));
    function.sig.ident = native;
    redirecting
}

fn redirecting_function(
    krate: &Krate,
    function: &ItemFn,
    signature: &Signature,
    native: &Ident,
) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = function;
    let [redirected, argument, no_object] =
        [quote!(Redirected), quote!(Argument), quote!(NoObject)].map(|item| krate.class_path(item));
    let (to_any, error) = (krate.internal_path(quote!(convert::to_any)), krate.error_path());
    let call = if signature.returns.starts_with("Result<()") {
        quote!(call_unit)
    } else {
        quote!(call_override)
    };
    let names: Vec<&Ident> = signature.parameters.iter().map(|it| &it.ident).collect();
    quote! {
        #(#attrs)*
        #[allow(unused_mut, clippy::needless_question_mark)]
        #vis #sig {
            use #no_object as _;
            static FUNCTION: #redirected = #redirected::of::<#native>();
            let redirects = (|| -> ::core::result::Result<bool, #error> {
                ::core::result::Result::Ok(#(#argument(&#names).is_redirected(&FUNCTION)?)||*)
            })();
            match redirects {
                ::core::result::Result::Ok(false) => #native(#(#names),*),
                ::core::result::Result::Ok(true) => {
                    let arguments = [#(#to_any(#names)?),*];
                    FUNCTION.#call(&arguments).map_err(::core::convert::From::from)
                }
                ::core::result::Result::Err(error) => {
                    ::core::result::Result::Err(::core::convert::From::from(error))
                }
            }
        }
    }
}
