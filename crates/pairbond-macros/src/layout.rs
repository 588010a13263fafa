//! `#[derive(pairbond::layout::Layout)]`: what a struct or enum consists of.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Type};

use crate::attrs;
use crate::errors::Errors;
use crate::origin::origin_expr;
use crate::paths::Krate;
use crate::types::source_text;

pub(crate) fn expand_layout(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut item) = errors.ok_or_record(syn::parse2::<DeriveInput>(item)) else {
        return errors.into_tokens();
    };
    let krate = match attrs::take_attribute(&mut item.attrs, "pairbond", &mut errors) {
        Some(attribute) => match attribute.meta.require_list() {
            Ok(list) => attrs::crate_option(list.tokens.clone(), "pairbond", &mut errors),
            Err(error) => {
                errors.push(error);
                Krate::default()
            }
        },
        None => Krate::default(),
    };
    if let Some(lifetime) = item.generics.lifetimes().next() {
        errors.error_at(
            lifetime,
            "a type that borrows is no part of an object, so its layout is nobody's business",
        );
    }
    let to = Ident::new("to", proc_macro2::Span::mixed_site());
    let shown = match &item.data {
        Data::Struct(data) => show_fields(&krate, &to, Some(&item.ident), &data.fields),
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let cfgs = attrs::cfgs_of(&variant.attrs);
                let name = variant.ident.to_string();
                let discriminant = variant.discriminant.as_ref().map(|(_, value)| {
                    let value = source_text(value);
                    quote!(#to.write_text(#value);)
                });
                let shown = show_fields(&krate, &to, None, &variant.fields);
                quote!(#(#cfgs)* { #to.write_text(#name); #discriminant #shown })
            })
            .collect(),
        Data::Union(_) => {
            errors.error_at(
                &item.ident,
                "what a union consists of depends on what is in it: promise its layout by hand (`unsafe impl pairbond::layout::Layout`)",
            );
            TokenStream::new()
        }
    };
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let layout = krate.internal_path(quote!(abi::Layout));
    for parameter in item.generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(#layout));
        parameter.bounds.push(syn::parse_quote!('static));
    }
    let (ident, name) = (&item.ident, item.ident.to_string());
    let (implementation, arguments, condition) = item.generics.split_for_impl();
    let repr = repr_text(&item.attrs);
    let (origin, writer) = (
        origin_expr(&krate),
        krate.internal_path(quote!(abi::LayoutWriter)),
    );
    quote! {
        const _: () = {
            // SAFETY: every field is shown, with its place where there is one name for it.
            unsafe impl #implementation #layout for #ident #arguments #condition {
                fn write_layout(#to: &mut #writer) {
                    #to.write_defined::<Self>(#name, #origin, |#to| {
                        #to.write_text(#repr);
                        #shown
                    });
                }
            }
        };
    }
}

/// `repr(C, align(8))`
fn repr_text(attributes: &[Attribute]) -> String {
    let all = attributes.iter().filter(|it| it.path().is_ident("repr"));
    let all: Vec<String> = all.map(|it| source_text(it.meta.to_token_stream())).collect();
    all.join(", ")
}

/// Shows the fields of a struct, or of a variant.
fn show_fields(krate: &Krate, to: &Ident, owner: Option<&Ident>, fields: &Fields) -> TokenStream {
    let shown = fields.iter().enumerate().map(|(index, field)| {
        let cfgs = attrs::cfgs_of(&field.attrs);
        let member = match &field.ident {
            Some(ident) => ident.to_token_stream(),
            None => syn::Index::from(index).to_token_stream(),
        };
        let name = member.to_string();
        let place = owner.map(|_| quote!(#to.write_number(::core::mem::offset_of!(Self, #member) as u64);));
        let field = show_type(krate, &field.ty, to);
        quote!(#(#cfgs)* { #to.write_text(#name); #place #field })
    });
    shown.collect()
}

/// Shows a type, whether it has a known layout or not.
pub(crate) fn show_type(krate: &Krate, ty: &Type, to: &Ident) -> TokenStream {
    let probe = krate.class_path(quote!(Probe));
    let otherwise = krate.class_path(quote!(OtherwiseOpaque));
    quote! {{
        #[allow(unused_imports)]
        use #otherwise as _;
        #probe::<#ty>::write_layout(#to);
    }}
}
