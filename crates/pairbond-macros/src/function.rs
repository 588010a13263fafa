//! `#[pairbond::function]` on a free function.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, ItemFn};

use crate::errors::Errors;
use crate::paths::Krate;
use crate::signature::{
    Signature, check_function, local_name, output_type, parse_parameters, return_text, returned_at,
};
use crate::{attrs, docs, redirect};

pub(crate) fn expand_function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = attrs::crate_option(arguments, "pairbond::function", &mut errors);
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            errors.push(error);
            let errors = errors.into_tokens();
            return quote!(#errors #item);
        }
    };
    let overridable = attrs::take_flag(&mut function.attrs, "overridable", &mut errors);
    let signature = parse_function(&mut function, &mut errors);
    if let Some(overridable) = &overridable {
        redirect::check_redirect(&signature, overridable, &mut errors);
    }
    if let (Some(token), Some(_)) = (&function.sig.asyncness, &overridable) {
        errors.error_at(token, "an `async fn` cannot be `#[overridable]`");
    }
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        // The compiler would report a function that is not free again.
        if function.sig.receiver().is_some() {
            return errors;
        }
        // A module that lists it is not to be reported, too.
        let (ident, visibility, cfgs) = (
            &function.sig.ident,
            &function.vis,
            attrs::cfgs_of(&function.attrs),
        );
        let (member, visitor) = (
            krate.class_path(quote!(Member)),
            krate.class_path(quote!(ModuleVisitor)),
        );
        return quote! {
            #function
            #(#cfgs)*
            #[allow(non_camel_case_types, dead_code)]
            #visibility enum #ident {}
            #(#cfgs)*
            const _: () = {
                impl #member for #ident {
                    fn visit_member<__V: #visitor>(_: &mut __V) {}
                }
            };
            #errors
        };
    }
    let expansion = function_impls(&krate, &function, &signature);
    if overridable.is_none() {
        return quote!(#function #expansion);
    }
    let redirecting = redirect::split_function(&krate, &mut function, &signature);
    let native = impl_callable(&krate, &function, &signature);
    quote!(#redirecting #function #native #expansion)
}

fn parse_function(function: &mut ItemFn, errors: &mut Errors) -> Signature {
    let name = attrs::take_name(&mut function.attrs, errors);
    let detach = attrs::take_flag(&mut function.attrs, "detach", errors).is_some();
    let base = attrs::take_base(&mut function.attrs, errors);
    if let (Some(token), true) = (&function.sig.asyncness, detach) {
        errors.error_at(
            token,
            "an `async fn` has nothing to detach from while it waits; leave out `#[detach]`",
        );
    }
    check_function(&function.sig, errors);
    if let Some(FnArg::Receiver(receiver)) = function.sig.inputs.first() {
        errors.error_at(
            receiver,
            "a method goes into an `impl` block with `#[pairbond::methods]`",
        );
    }
    let how = "give it another with `#[name(\"other\")]`";
    let name = attrs::python_name(name.as_ref(), &function.sig.ident, how, errors);
    Signature {
        owner: None,
        name,
        doc: docs::doc_of(&function.attrs),
        binding: "Function",
        parameters: parse_parameters(&mut function.sig.inputs, &quote!(Self), errors),
        returns: return_text(&function.sig, base.as_ref(), errors),
        output: output_type(&function.sig.output),
        returns_at: returned_at(&function.sig.output),
        detach,
        is_async: function.sig.asyncness.is_some(),
        operator: false,
    }
}

fn function_impls(krate: &Krate, function: &ItemFn, signature: &Signature) -> TokenStream {
    let (ident, cfgs) = (&function.sig.ident, attrs::cfgs_of(&function.attrs));
    let callable = impl_callable(krate, function, signature);
    let (member, visitor) = (
        krate.class_path(quote!(Member)),
        krate.class_path(quote!(ModuleVisitor)),
    );
    quote! {
        #callable
        #(#cfgs)*
        const _: () = {
            impl #member for #ident {
                fn visit_member<__V: #visitor>(visitor: &mut __V) {
                    visitor.visit_function::<#ident>();
                }
            }
        };
    }
}

/// The marker, of the function's own name.
fn impl_callable(krate: &Krate, function: &ItemFn, signature: &Signature) -> TokenStream {
    let (ident, visibility, cfgs) = (
        &function.sig.ident,
        &function.vis,
        attrs::cfgs_of(&function.attrs),
    );
    let (callable, args_trait) = (krate.class_path(quote!(Callable)), krate.class_path(quote!(Args)));
    let (sink, error) = (krate.convert_path(quote!(Sink)), krate.error_path());
    let signature_type = krate.class_path(quote!(Signature));
    let (constant, types) = (
        signature.signature_constant(krate),
        signature.visit_types_fn(krate, &quote!(Self)),
    );
    let (args, out) = (local_name("args"), local_name("out"));
    let (lets, values) = signature.argument_lets(krate, &args);
    let call = signature.invoke_expr(krate, quote!(#ident(#(#values),*)));
    let finish = signature.call_and_finish(krate, &call, &out);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, unreachable_pub)]
        #visibility enum #ident {}
        #(#cfgs)*
        const _: () = {
            impl #callable for #ident {
                const SIGNATURE: #signature_type = #constant;
                #types
                fn call<'a, __A: #args_trait<'a>, __S: #sink>(
                    #args: &__A,
                    #out: __S,
                ) -> ::core::result::Result<__S::Out, #error> {
                    #lets
                    #finish
                }
            }
        };
    }
}
