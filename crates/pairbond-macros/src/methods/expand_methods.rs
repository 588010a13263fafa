//! `Methods`: shows every marker to a visitor.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Attribute;

use super::groups::{self, Visit};
use super::{Methods, marker};
use crate::signature::local_name;

pub(super) fn expand_methods(methods: &Methods) -> TokenStream {
    let (krate, own, block) = (&methods.krate, &methods.own, methods.block);
    let (methods_trait, visitor_trait) = (
        krate.class_path(quote!(Methods)),
        krate.class_path(quote!(ClassVisitor)),
    );
    let visitor = local_name("visitor");
    let visits = groups::visits_of(&methods.methods);
    let markers = visits.iter().map(|visit| marker::expand_markers(methods, visit));
    let shown = visits.iter().map(|visit| show_visit(methods, visit, &visitor));
    quote! {
        const _: () = {
            #(#markers)*
            impl #methods_trait<#block> for #own {
                fn describe_methods<__V: #visitor_trait>(#visitor: &mut __V) {
                    #(#shown)*
                }
            }
        };
    }
}

/// The marker's name.
pub(super) fn marker_name(index: usize) -> Ident {
    format_ident!("__Method{index}")
}

fn show_visit(methods: &Methods, visit: &Visit, visitor: &Ident) -> TokenStream {
    let absent = methods.krate.class_path(quote!(Absent));
    let cfgs = |index: usize| -> &[Attribute] { &methods.methods[index].cfgs };
    let one = |index: usize, method: &str| {
        let (cfgs, marker, method) = (cfgs(index), marker_name(index), format_ident!("{method}"));
        quote!(#(#cfgs)* { #visitor.#method::<#marker>(); })
    };
    match visit {
        Visit::Constructor(index) => one(*index, "visit_constructor"),
        Visit::Method(index) => one(*index, "visit_method"),
        Visit::Getter(index) => one(*index, "visit_getter"),
        Visit::Property(index, _) => one(*index, "visit_property"),
        Visit::Protocol(method, slots) => match &slots[..] {
            [Some(index)] => one(*index, method),
            slots => {
                let method = format_ident!("{method}");
                let markers = slots.iter().map(|slot| match slot {
                    Some(index) => {
                        let marker = marker_name(*index);
                        quote!(#marker)
                    }
                    None => absent.clone(),
                });
                quote!(#visitor.#method::<#(#markers),*>();)
            }
        },
    }
}
