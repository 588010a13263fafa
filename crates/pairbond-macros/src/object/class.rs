//! `Class` and `Member`: what a frontend is shown.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::{Exposed, Field, Object};
use crate::signature::local_name;
use crate::types;

pub(super) fn expand_class(object: &Object) -> TokenStream {
    if object.options.native {
        return TokenStream::new();
    }
    let (own, krate, doc) = (object.own(), &object.options.krate, &object.doc);
    let ident = object.ident();
    let (class, visitor_trait) = (
        krate.class_path(quote!(Class)),
        krate.class_path(quote!(ClassVisitor)),
    );
    let (member, module_visitor) = (
        krate.class_path(quote!(Member)),
        krate.class_path(quote!(ModuleVisitor)),
    );
    let (probe, otherwise) = (
        krate.class_path(quote!(Probe)),
        krate.class_path(quote!(Otherwise)),
    );
    let visitor = local_name("visitor");
    let methods = crate::methods::describe_all(&probe, own, &quote!(#visitor));

    let exposed = object
        .fields
        .iter()
        .enumerate()
        .filter_map(|(i, f)| Some((format_ident!("__Field{i}"), f, f.exposed.as_ref()?)));
    let markers = exposed
        .clone()
        .map(|(marker, field, exposed)| self::impl_field(object, &marker, field, exposed));
    let shown = exposed.map(|(marker, field, exposed)| {
        let (cfgs, show) = (
            &field.cfgs,
            if exposed.settable {
                quote!(visit_property)
            } else {
                quote!(visit_getter)
            },
        );
        quote!(#(#cfgs)* { #visitor.#show::<#marker>(); })
    });
    let fields = impl_fields(object);
    let declared = &object.options.attributes;
    let declared = (!declared.is_empty()).then(|| {
        let all = declared.iter().map(|(name, kind)| quote!((#name, #kind)));
        quote!(const DECLARED: &'static [(&'static str, &'static str)] = &[#(#all),*];)
    });
    // `Class` requires `Send + Sync`: the error is to underline the struct's name, not the
    // attribute.
    let class = quote_spanned!(ident.span().resolved_at(Span::call_site())=> impl #class for #own);
    quote! {
        #(#markers)*
        #class {
            const DOC: &'static str = #doc;
            #declared
            #fields
            fn visit_members<__V: #visitor_trait>(#visitor: &mut __V) {
                use #otherwise as _;
                #(#shown)*
                #methods
            }
        }
        impl #member for #own {
            fn visit_member<__V: #module_visitor>(#visitor: &mut __V) {
                #visitor.visit_class::<#own>();
            }
        }
    }
}

/// The names of the fields that Python sees, for `repr`.
fn impl_fields(object: &Object) -> Option<TokenStream> {
    let krate = &object.options.krate;
    let base = object.options.extends.as_ref().map(|parent| {
        let (probe, otherwise) = (
            krate.class_path(quote!(Probe)),
            krate.class_path(quote!(Otherwise)),
        );
        quote!({ use #otherwise as _; #probe::<#parent>::base_fields(each); })
    });
    let names: Vec<_> = object
        .fields
        .iter()
        .filter_map(|field| {
            let (cfgs, name) = (&field.cfgs, field.name()?);
            Some(quote!(#(#cfgs)* { each(#name); }))
        })
        .collect();
    (base.is_some() || !names.is_empty()).then(|| {
        quote! {
            fn for_each_field(each: &mut dyn ::core::ops::FnMut(&'static str)) {
                #base
                #(#names)*
            }
        }
    })
}

fn impl_field(
    object: &Object,
    marker: &Ident,
    field: &Field,
    Exposed { name, settable }: &Exposed,
) -> TokenStream {
    let (owner, krate) = (object.own(), &object.options.krate);
    let Field {
        ident, ty, cfgs, doc, ..
    } = field;
    let (getter, setter) = (krate.class_path(quote!(Getter)), krate.class_path(quote!(Setter)));
    let (sink, source) = (
        krate.convert_path(quote!(Sink)),
        krate.convert_path(quote!(Source)),
    );
    let (borrow, error, emit) = (
        krate.object_path(quote!(Borrow)),
        krate.error_path(),
        krate.convert_path(quote!(Emit)),
    );
    let rust_type = types::source_text(ty);
    let immutable = !settable && types::is_constant(ty);
    let set = settable.then(|| {
        let store = krate.class_path(quote!(store_field));
        let class = object.options.key.rsplit('.').next().unwrap_or_default();
        let place = format!("{class}.{name}");
        quote! {
            #(#cfgs)*
            impl #setter for #marker {
                fn set<'a, __V: #source<'a>>(owner: #borrow<'_, #owner>, value: __V) -> ::core::result::Result<(), #error> {
                    #store::<#ty, __V>(&owner.get().#ident, value, #place)
                }
            }
        }
    });
    quote! {
        #(#cfgs)*
        enum #marker {}
        #(#cfgs)*
        impl #getter for #marker {
            type Owner = #owner;
            const NAME: &'static str = #name;
            const DOC: &'static str = #doc;
            const RUST_TYPE: &'static str = #rust_type;
            const IMMUTABLE: bool = #immutable;
            fn get<__S: #sink>(owner: #borrow<'_, #owner>, out: __S) -> ::core::result::Result<__S::Out, #error> {
                <#ty as #emit>::emit_value(&owner.get().#ident, out)
            }
        }
        #set
    }
}
