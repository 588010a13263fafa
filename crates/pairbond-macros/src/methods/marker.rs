//! One marker for each method: an empty enum that implements `Callable`, or `Getter` and `Setter`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expand_methods::marker_name;
use super::groups::Visit;
use super::protocols;
use super::{Kind, Method, Methods, Output, Receiver};
use crate::signature::local_name;
use crate::{attrs, mentions};

pub(super) fn expand_markers(methods: &Methods, visit: &Visit) -> TokenStream {
    match visit {
        Visit::Constructor(index) | Visit::Method(index) => impl_callable(methods, *index),
        Visit::Getter(index) => impl_getter(methods, *index, None),
        Visit::Property(index, setter) => impl_getter(methods, *index, Some(*setter)),
        Visit::Protocol(_, slots) => slots
            .iter()
            .flatten()
            .map(|index| impl_callable(methods, *index))
            .collect(),
    }
}

fn impl_callable(methods: &Methods, index: usize) -> TokenStream {
    let (method, marker, krate) = (&methods.methods[index], marker_name(index), &methods.krate);
    let own = &methods.own;
    let callable = krate.class_path(quote!(Callable));
    let (args_trait, sink, error) = (
        krate.class_path(quote!(Args)),
        krate.convert_path(quote!(Sink)),
        krate.error_path(),
    );
    let (signature_type, signature) = (
        krate.class_path(quote!(Signature)),
        method.signature.signature_constant(krate),
    );
    let types = method.signature.visit_types_fn(krate, &quote!(#own));
    let cfgs = &method.cfgs;
    // A protocol shows several markers at once, so those that are configured away need a stand-in.
    let absent = attrs::inverted_cfg(cfgs).map(|cfg| {
        let absent = krate.class_path(quote!(Absent));
        quote!(#cfg #[allow(dead_code)] type #marker = #absent;)
    });
    let (args, out) = (local_name("args"), local_name("out"));
    let (body, constructor) = match method.kind {
        Kind::Constructor => (
            constructor_call_body(methods, &args, &out),
            impl_constructor(methods, method, &marker, &args),
        ),
        _ => (call_body(methods, method, &args, &out), TokenStream::new()),
    };
    quote! {
        #(#cfgs)*
        enum #marker {}
        #absent
        #(#cfgs)*
        impl #callable for #marker {
            const SIGNATURE: #signature_type = #signature;
            #types
            fn call<'a, __A: #args_trait<'a>, __S: #sink>(
                #args: &__A,
                #out: __S,
            ) -> ::core::result::Result<__S::Out, #error> {
                #body
            }
        }
        #constructor
    }
}

fn call_body(methods: &Methods, method: &Method, args: &Ident, out: &Ident) -> TokenStream {
    let (krate, own, ident) = (&methods.krate, &methods.own, &method.ident);
    let (lets, values) = method.signature.argument_lets(krate, args);
    let receiver = local_name("receiver");
    let get_receiver = matches!(method.kind, Kind::Instance(_)).then(|| {
        let get = krate.class_path(quote!(bind_receiver));
        quote!(let #receiver = #get::<#own, __A>(#args, &Self::SIGNATURE)?;)
    });
    // A coroutine owns its receiver.
    let own_receiver = (get_receiver.is_some() && method.signature.is_async)
        .then(|| quote!(let #receiver = #receiver.to_ref();));
    let first = match method.kind {
        Kind::Instance(Receiver::Reference) if method.signature.is_async => Some(quote!(&*#receiver,)),
        Kind::Instance(Receiver::Reference) => Some(quote!(#receiver.get(),)),
        Kind::Instance(Receiver::Owned) if method.signature.is_async => Some(quote!(#receiver,)),
        Kind::Instance(Receiver::Owned) => Some(quote!(#receiver.to_ref(),)),
        Kind::Instance(Receiver::Borrow) => Some(quote!(#receiver,)),
        _ => None,
    };
    let call = method
        .signature
        .invoke_expr(krate, quote!(<#own>::#ident(#first #(#values),*)));
    let in_place = protocols::find_protocol(method.name()).is_some_and(|p| protocols::is_in_place(p.shown));
    let result = match method.output {
        Output::Unit | Output::UnitResult if in_place => {
            let question = (method.output == Output::UnitResult).then(|| quote!(?));
            let finish = method.signature.finish_expr(krate, &receiver, out);
            quote!(#call #question; #finish)
        }
        _ => method.signature.call_and_finish(krate, &call, out),
    };
    quote!(#get_receiver #lets #own_receiver #result)
}

/// The body of a constructor's `call`: its result becomes an object.
fn constructor_call_body(methods: &Methods, args: &Ident, out: &Ident) -> TokenStream {
    let krate = &methods.krate;
    let (constructor, reference) = (
        krate.class_path(quote!(Constructor)),
        krate.object_path(quote!(Ref)),
    );
    let finish = krate.convert_path(quote!(Outcome::write_outcome));
    quote! {
        let value = <Self as #constructor>::construct(#args)?;
        #finish(#reference::try_new(value)?, #out)
    }
}

fn impl_constructor(methods: &Methods, method: &Method, marker: &Ident, args: &Ident) -> TokenStream {
    let (krate, own, ident, cfgs) = (&methods.krate, &methods.own, &method.ident, &method.cfgs);
    let (constructor, args_trait, error) = (
        krate.class_path(quote!(Constructor)),
        krate.class_path(quote!(Args)),
        krate.error_path(),
    );
    let (lets, values) = method.signature.argument_lets(krate, args);
    let call = method
        .signature
        .invoke_expr(krate, quote!(<#own>::#ident(#(#values),*)));
    let question = (method.output == Output::OwnResult).then(|| quote!(?));
    quote! {
        #(#cfgs)*
        impl #constructor for #marker {
            type Object = #own;
            #[inline(always)]
            fn construct<'a, __A: #args_trait<'a>>(#args: &__A) -> ::core::result::Result<#own, #error> {
                #lets
                let value = #call #question;
                ::core::result::Result::Ok(value)
            }
        }
    }
}

fn impl_getter(methods: &Methods, index: usize, setter: Option<usize>) -> TokenStream {
    let (method, marker, krate, own) = (
        &methods.methods[index],
        marker_name(index),
        &methods.krate,
        &methods.own,
    );
    let (getter, sink, error) = (
        krate.class_path(quote!(Getter)),
        krate.convert_path(quote!(Sink)),
        krate.error_path(),
    );
    let borrow = krate.object_path(quote!(Borrow));
    let (cfgs, ident, signature) = (&method.cfgs, &method.ident, &method.signature);
    let (name, doc, returns) = (&signature.name, &signature.doc, &signature.returns);
    let (owner, out) = (owner_argument(method), local_name("out"));
    let finish = signature.call_and_finish(krate, &quote!(<#own>::#ident(#owner)), &out);
    let types = signature.visit_types_fn(krate, &quote!(#own));
    let setter = setter.map(|setter| self::impl_setter(methods, &methods.methods[setter], &marker));
    quote! {
        #(#cfgs)*
        enum #marker {}
        #(#cfgs)*
        impl #getter for #marker {
            type Owner = #own;
            const NAME: &'static str = #name;
            const DOC: &'static str = #doc;
            const RUST_TYPE: &'static str = #returns;
            const IMMUTABLE: bool = false;
            #types
            fn get<__S: #sink>(owner: #borrow<'_, #own>, #out: __S) -> ::core::result::Result<__S::Out, #error> {
                #finish
            }
        }
        #setter
    }
}

fn impl_setter(methods: &Methods, method: &Method, marker: &Ident) -> TokenStream {
    let (krate, own, ident, cfgs) = (&methods.krate, &methods.own, &method.ident, &method.cfgs);
    let (setter, source, error) = (
        krate.class_path(quote!(Setter)),
        krate.convert_path(quote!(Source)),
        krate.error_path(),
    );
    let (borrow, assigned) = (
        krate.object_path(quote!(Borrow)),
        krate.class_path(quote!(read_assigned)),
    );
    let place = method.signature.qualified_name(krate);
    let ty = method.signature.parameters.first().map(|parameter| &parameter.ty);
    let types = mentions::types_mentioned(
        krate,
        "set_types",
        &quote!(#own),
        method.signature.parameters.iter().map(|it| &it.ty),
    );
    let owner = owner_argument(method);
    let question = (method.output == Output::UnitResult).then(|| quote!(?));
    quote! {
        #(#cfgs)*
        impl #setter for #marker {
            #types
            fn set<'a, __V: #source<'a>>(owner: #borrow<'_, #own>, value: __V) -> ::core::result::Result<(), #error> {
                let value: #ty = #assigned::<#ty, __V>(value, #place)?;
                <#own>::#ident(#owner, value) #question;
                ::core::result::Result::Ok(())
            }
        }
    }
}

fn owner_argument(method: &Method) -> TokenStream {
    match method.kind {
        Kind::Getter(Receiver::Borrow) | Kind::Setter(Receiver::Borrow) => quote!(owner),
        Kind::Getter(Receiver::Owned) | Kind::Setter(Receiver::Owned) => quote!(owner.to_ref()),
        _ => quote!(owner.get()),
    }
}
