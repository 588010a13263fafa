//! `#[pairbond::object("module.Name")]` on an enum: without data an `enum.Enum` of Python, with
//! data a class for each variant.
//!
//! The classes of variants are ordinary object types that extend the enum's, so they are written as
//! such here and left to the macros for those.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Fields, ItemEnum, LitStr, Type};

use crate::errors::Errors;
use crate::origin::origin_expr;
use crate::paths::Krate;
use crate::{attrs, docs, names};

/// The options of the attribute that an enum may have.
pub(crate) struct Options {
    pub(crate) key: String,
    pub(crate) version: u32,
    pub(crate) krate: Krate,
    /// A word of an option that enums do not have.
    pub(crate) other: Option<&'static str>,
}

struct Variant {
    ident: Ident,
    /// Python's name.
    name: String,
    doc: String,
    cfgs: Vec<Attribute>,
    fields: Vec<Field>,
    named: bool,
    unit: bool,
}

struct Field {
    /// In Rust; for a tuple variant the name of the binding.
    ident: Ident,
    name: Ident,
    ty: Type,
    doc: String,
}

pub(crate) fn expand_enum(options: &Options, mut item: ItemEnum, errors: &mut Errors) -> TokenStream {
    check_enum(options, &item, errors);
    let variants: Vec<Variant> = item
        .variants
        .iter_mut()
        .map(|variant| read_variant(variant, errors))
        .collect();
    for (i, variant) in variants.iter().enumerate() {
        if variants[..i].iter().any(|other| other.name == variant.name) {
            errors.error_at(
                &variant.ident,
                format!("another variant is called `{}` in Python", variant.name),
            );
        }
    }
    if !errors.is_empty() {
        return quote!(#item);
    }
    let doc = docs::doc_of(&item.attrs);
    let expansion = if variants.iter().all(|variant| variant.unit) {
        expand_plain_enum(options, &item.ident, &doc, &variants)
    } else {
        with_data(options, &item.ident, &doc, &variants)
    };
    quote!(#item const _: () = { #expansion };)
}

fn check_enum(options: &Options, item: &ItemEnum, errors: &mut Errors) {
    if item.generics.lt_token.is_some() || item.generics.where_clause.is_some() {
        let message = "an enum that Python sees has neither type parameters nor lifetimes";
        errors.error_at(&item.generics, message);
    }
    if item.variants.is_empty() {
        errors.error_at(
            &item.ident,
            "an enum without variants has no values that Python could see",
        );
    }
    if let Some(word) = options.other {
        errors.error_at(
            &item.ident,
            format!("`{word}` is for structs; an enum takes its key, `version` and `crate`"),
        );
    }
}

fn read_variant(variant: &mut syn::Variant, errors: &mut Errors) -> Variant {
    let given = attrs::take_name(&mut variant.attrs, errors);
    let how = "give it another with `#[name(\"other\")]`";
    let name = attrs::python_name(given.as_ref(), &variant.ident, how, errors);
    if name.starts_with('_') {
        errors.error_at(
            &variant.ident,
            format!("`{name}` is no name for a variant in Python, where `_` hides it; {how}"),
        );
    }
    let several = variant.fields.len() > 1;
    let named = matches!(variant.fields, Fields::Named(_));
    let fields = variant.fields.iter_mut().enumerate().map(|(i, field)| {
        for word in ["field", "untraced", "transient", "default"] {
            if let Some(attribute) = attrs::take_attribute(&mut field.attrs, word, errors) {
                errors.error_at(
                    &attribute,
                    "Python reads all fields of a variant; they take no attributes of pairbond's",
                );
            }
        }
        let name = match &field.ident {
            Some(ident) => {
                names::check_name(&names::without_raw(ident), ident, "call it otherwise", errors);
                ident.clone()
            }
            None if several => format_ident!("item{i}"),
            None => format_ident!("value"),
        };
        Field {
            ident: field.ident.clone().unwrap_or_else(|| name.clone()),
            name,
            ty: field.ty.clone(),
            doc: docs::doc_of(&field.attrs),
        }
    });
    Variant {
        fields: fields.collect(),
        ident: variant.ident.clone(),
        name,
        doc: docs::doc_of(&variant.attrs),
        cfgs: attrs::cfgs_of(&variant.attrs),
        named,
        unit: matches!(variant.fields, Fields::Unit),
    }
}

/// An enum without data: one object for each variant, which is the member of a Python `enum.Enum`.
fn expand_plain_enum(options: &Options, ident: &Ident, doc: &str, variants: &[Variant]) -> TokenStream {
    let (krate, key, version) = (&options.krate, &options.key, options.version);
    let enumeration = krate.class_path(quote!(Enumeration));
    let (member, enum_object) = (
        krate.class_path(quote!(EnumMember)),
        krate.class_path(quote!(EnumObject)),
    );
    let (shown, visitor) = (
        krate.class_path(quote!(Member)),
        krate.class_path(quote!(ModuleVisitor)),
    );
    let (cell, reference) = (
        krate.internal_path(quote!(types::TypeCell)),
        krate.object_path(quote!(Ref)),
    );
    let implement = krate.internal_path(quote!(implement_enumeration));
    let cfgs: Vec<_> = variants.iter().map(|variant| &variant.cfgs).collect();
    let idents: Vec<_> = variants.iter().map(|variant| &variant.ident).collect();
    let members = variants.iter().map(|variant| {
        let (cfgs, name, doc, variant) = (&variant.cfgs, &variant.name, &variant.doc, &variant.ident);
        quote!(#(#cfgs)* #member { name: #name, doc: #doc, value: #ident::#variant as i64 })
    });
    // The bound is to underline the enum's name.
    let (origin_type, origin) = (krate.internal_path(quote!(abi::Origin)), origin_expr(krate));
    let copy = quote_spanned!(ident.span().resolved_at(Span::call_site())=> impl #enumeration for #ident);
    quote! {
        #copy {
            const KEY: &'static str = #key;
            const DOC: &'static str = #doc;
            const VERSION: u32 = #version;
            const ORIGIN: #origin_type = #origin;
            const MEMBERS: &'static [#member] = &[#(#members),*];
            fn variants() -> &'static [Self] {
                const ALL: &[#ident] = &[#(#(#cfgs)* #ident::#idents),*];
                ALL
            }
            fn type_cell() -> &'static #cell {
                static CELL: #cell = #cell::new();
                &CELL
            }
            fn variant_objects() -> &'static ::std::sync::OnceLock<::std::vec::Vec<#reference<#enum_object<Self>>>> {
                static ALL: ::std::sync::OnceLock<::std::vec::Vec<#reference<#enum_object<#ident>>>> = ::std::sync::OnceLock::new();
                &ALL
            }
        }
        impl #shown for #ident {
            fn visit_member<__V: #visitor>(visitor: &mut __V) {
                visitor.visit_enumeration::<#ident>();
            }
        }
        #implement!(#ident);
    }
}

/// An enum with data: an object type, and one that extends it for each variant.
fn with_data(options: &Options, ident: &Ident, doc: &str, variants: &[Variant]) -> TokenStream {
    let (krate, key, version) = (&options.krate, &options.key, options.version);
    let base = base_class(options, ident, doc, variants);
    let classes = variants.iter().map(|variant| {
        let (class, cfgs, doc) = (variant_class(ident, variant), &variant.cfgs, &variant.doc);
        let key = LitStr::new(&format!("{key}.{}", variant.name), variant.ident.span());
        let docs = (!doc.is_empty()).then(|| quote!(#[doc = #doc]));
        let (names, types): (Vec<_>, Vec<_>) = variant
            .fields
            .iter()
            .map(|field| (&field.name, &field.ty))
            .unzip();
        let value = variant_pattern(ident, variant);
        let getters = variant.fields.iter().map(|field| {
            let (binding, name, ty, doc) = (&field.ident, &field.name, &field.ty, &field.doc);
            let docs = (!doc.is_empty()).then(|| quote!(#[doc = #doc]));
            let pattern = variant_pattern(ident, variant);
            quote! {
                #docs
                #[getter]
                #[allow(unused_variables, irrefutable_let_patterns)]
                fn #name(&self) -> #ty {
                    match &self.base {
                        #pattern => ::core::clone::Clone::clone(#binding),
                        #[allow(unreachable_patterns)]
                        _ => ::core::unreachable!("an object of another variant"),
                    }
                }
            }
        });
        let version = syn::LitInt::new(&version.to_string(), Span::call_site());
        quote! {
            #(#cfgs)*
            #docs
            #[#krate::object(#key, extends = #ident, opaque, version = #version, crate = #krate)]
            struct #class {
                base: #ident,
            }
            #(#cfgs)*
            #[#krate::methods(crate = #krate)]
            impl #class {
                #[new]
                #[allow(clippy::too_many_arguments)]
                fn new(#(#names: #types),*) -> Self {
                    #class { base: #value }
                }
                #(#getters)*
            }
        }
    });
    quote!(#base #(#classes)*)
}

fn variant_class(ident: &Ident, variant: &Variant) -> Ident {
    format_ident!("__{ident}{}", variant.ident)
}

/// `Shape::Circle { radius }`, `Shape::Named(value)`, `Shape::Empty`
fn variant_pattern(ident: &Ident, variant: &Variant) -> TokenStream {
    let (name, fields) = (&variant.ident, variant.fields.iter().map(|field| &field.ident));
    match (variant.unit, variant.named) {
        (true, _) => quote!(#ident::#name),
        (_, true) => quote!(#ident::#name { #(#fields),* }),
        _ => quote!(#ident::#name(#(#fields),*)),
    }
}

fn base_class(options: &Options, ident: &Ident, doc: &str, variants: &[Variant]) -> TokenStream {
    let (krate, key, version) = (&options.krate, &options.key, options.version);
    let (object, root, reference) = (
        krate.object_path(quote!(Object)),
        krate.object_path(quote!(Root)),
        krate.object_path(quote!(Ref)),
    );
    let cell = krate.internal_path(quote!(types::TypeCell));
    let (probe, otherwise) = (
        krate.class_path(quote!(Probe)),
        krate.class_path(quote!(Otherwise)),
    );
    let find_methods = crate::methods::describe_all(&probe, ident, &quote!(&mut find));
    let all_methods = crate::methods::describe_all(&probe, ident, &quote!(visitor));
    let (equality, find) = (
        krate.internal_path(quote!(types::Equality)),
        krate.class_path(quote!(FindEquality)),
    );
    let (trace, tracer, reach) = (
        krate.internal_path(quote!(trace::Trace)),
        krate.internal_path(quote!(trace::Tracer)),
        krate.internal_path(quote!(trace::Reach)),
    );
    let (shown, visitor, class_visitor) = (
        krate.class_path(quote!(Member)),
        krate.class_path(quote!(ModuleVisitor)),
        krate.class_path(quote!(ClassVisitor)),
    );
    let implement = krate.internal_path(quote!(implement_variants));
    let class_trait = krate.class_path(quote!(Class));
    let (origin_type, origin) = (krate.internal_path(quote!(abi::Origin)), origin_expr(krate));
    let (layout, writer, write) = (
        krate.internal_path(quote!(abi::Layout)),
        krate.internal_path(quote!(abi::LayoutWriter)),
        krate.internal_path(quote!(object::write_object)),
    );
    let to = format_ident!("to");
    let parts = variants.iter().map(|variant| {
        let (cfgs, name) = (&variant.cfgs, variant.ident.to_string());
        let fields = variant.fields.iter().map(|field| {
            let (name, shown) = (
                field.ident.to_string(),
                crate::layout::show_type(krate, &field.ty, &to),
            );
            quote!(#to.write_text(#name); #shown)
        });
        let written: Vec<String> = variant
            .fields
            .iter()
            .map(|field| format!("{}: {}", field.ident, crate::types::source_text(&field.ty)))
            .collect();
        let written = format!("({})", written.join(", "));
        quote!(#(#cfgs)* { #to.write_part(#name, #written, |#to| { let _ = &#to; #(#fields)* }); })
    });
    let mentioned = variants
        .iter()
        .flat_map(|variant| variant.fields.iter().map(|field| (&variant.cfgs, &field.ty)))
        .map(|(cfgs, ty)| {
            let shown = crate::mentions::show_if_object(krate, ty, &format_ident!("reach"));
            quote!(#(#cfgs)* #shown)
        });
    let class_trait =
        quote_spanned!(ident.span().resolved_at(Span::call_site())=> impl #class_trait for #ident);
    let types: Vec<_> = variants
        .iter()
        .flat_map(|variant| variant.fields.iter().map(|field| (&variant.cfgs, &field.ty)))
        .map(|(cfgs, ty)| quote!(#(#cfgs)* { traced = traced || <#ty as #trace>::TRACED; }))
        .collect();
    let reaches = variants
        .iter()
        .flat_map(|variant| variant.fields.iter().map(|field| (&variant.cfgs, &field.ty)))
        .map(|(cfgs, ty)| quote!(#(#cfgs)* { <#ty as #trace>::visit_reachable(reach); }));
    let each = |method: TokenStream, argument: Option<TokenStream>| -> TokenStream {
        variants
            .iter()
            .map(|variant| {
                let (cfgs, pattern) = (&variant.cfgs, variant_pattern(ident, variant));
                let all = variant.fields.iter().map(|field| {
                    let (name, ty) = (&field.ident, &field.ty);
                    quote!(<#ty as #trace>::#method(#name, #argument);)
                });
                quote!(#(#cfgs)* #pattern => { #(#all)* })
            })
            .collect()
    };
    let (traces, clears) = (
        each(quote!(trace), Some(quote!(tracer))),
        each(quote!(clear), None),
    );
    let makes = variants.iter().map(|variant| {
        let (cfgs, class, name) = (&variant.cfgs, variant_class(ident, variant), &variant.ident);
        quote!(#(#cfgs)* #ident::#name { .. } => #reference::upcast(#reference::new(#class { base: self })))
    });
    let shows = variants.iter().map(|variant| {
        let (cfgs, class) = (&variant.cfgs, variant_class(ident, variant));
        quote!(#(#cfgs)* { visitor.visit_variant::<#class>(); })
    });
    quote! {
        // SAFETY: the cell belongs to this type alone.
        unsafe impl #object for #ident {
            const KEY: &'static str = #key;
            const VERSION: u32 = #version;
            const THREAD_SAFE: bool = {
                use #otherwise as _;
                #probe::<#ident>::THREAD_SAFE
            };
            const ORIGIN: #origin_type = #origin;
            type Base = #root;
            fn write_extra_layout(#to: &mut #writer) {
                #(#parts)*
            }
            fn visit_types(reach: &mut #reach) {
                let _ = &reach;
                #(#mentioned)*
            }
            fn equality() -> ::core::option::Option<#equality> {
                use #otherwise as _;
                let mut find = <#find as ::core::default::Default>::default();
                #find_methods
                find.into_equality()
            }
            fn type_cell() -> &'static #cell {
                static CELL: #cell = #cell::new();
                &CELL
            }
        }
        // SAFETY: all variants are shown, with all of their fields.
        unsafe impl #layout for #ident {
            fn write_layout(to: &mut #writer) {
                #write::<#ident>(to);
            }
        }
        // SAFETY: every field of the variant that is there is shown once.
        unsafe impl #trace for #ident {
            const TRACED: bool = {
                let mut traced = false;
                #(#types)*
                traced
            };
            #[allow(unused_variables)]
            fn trace(&self, tracer: &mut #tracer<'_>) {
                match self { #traces }
            }
            #[allow(unused_variables)]
            fn clear(&self) {
                match self { #clears }
            }
            #[allow(unused_variables)]
            fn visit_reachable(reach: &mut #reach) {
                #(#reaches)*
            }
        }
        #class_trait {
            const DOC: &'static str = #doc;
            fn visit_members<__V: #class_visitor>(visitor: &mut __V) {
                use #otherwise as _;
                #all_methods
            }
        }
        impl #shown for #ident {
            fn visit_member<__V: #visitor>(visitor: &mut __V) {
                visitor.visit_class::<#ident>();
                #(#shows)*
            }
        }
        impl #ident {
            /// A new object, of the class of its variant.
            #[must_use]
            pub fn into_ref(self) -> #reference<Self> {
                match self { #(#makes,)* }
            }
        }
        #implement!(#ident);
    }
}
