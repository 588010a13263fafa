//! `#[derive(pairbond::Record)]`: a struct that crosses by its fields.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, LitStr, Type};

use crate::errors::Errors;
use crate::paths::Krate;
use crate::{attrs, docs, names, types};

/// The options of the struct.
#[derive(Default)]
struct Options {
    krate: Krate,
    class: Option<String>,
    allow_unknown: bool,
    rename_all: Option<Case>,
    /// Each field may be absent.
    default: bool,
}

struct Field {
    ident: Ident,
    ty: Type,
    cfgs: Vec<Attribute>,
    doc: String,
    name: String,
    /// Its value where it is absent.
    default: Option<TokenStream>,
}

#[derive(Clone, Copy)]
enum Case {
    Camel,
    Kebab,
    Upper,
}

impl Case {
    const NAMES: [(&'static str, Case); 3] = [
        ("camelCase", Case::Camel),
        ("kebab-case", Case::Kebab),
        ("UPPERCASE", Case::Upper),
    ];

    fn apply_case(self, name: &str) -> String {
        match self {
            Case::Kebab => name.replace('_', "-"),
            Case::Upper => name.to_uppercase(),
            Case::Camel => {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                words.fold(first, |mut all, word| {
                    let mut chars = word.chars();
                    all.extend(chars.next().into_iter().flat_map(char::to_uppercase));
                    all + chars.as_str()
                })
            }
        }
    }
}

pub(crate) fn expand_record(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.ok_or_record(syn::parse2::<DeriveInput>(item)) else {
        return errors.into_tokens();
    };
    let options = parse_options(&item.attrs, &mut errors);
    let fields = parse_fields(&item, &options, &mut errors);
    for lifetime in item.generics.lifetimes() {
        errors.error_at(
            lifetime,
            "a record owns what it has read: it has no lifetimes; take `String` or `Str` for `&str`",
        );
    }
    let expansion = if errors.is_empty() {
        record_impls(&item, &options, &fields)
    } else {
        // It stays a record, so that its uses elsewhere are not reported too.
        stand_in(&item, &options)
    };
    let errors = errors.into_tokens();
    quote!(#expansion #errors)
}

/// `class = "shop.Config"`, `rename_all = "camelCase"`, `allow_unknown`, `default` and
/// `crate = path`.
fn parse_options(attributes: &[Attribute], errors: &mut Errors) -> Options {
    let mut options = Options::default();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("record")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("class") {
                let class: LitStr = meta.value()?.parse()?;
                let parts = class.value();
                if !parts.contains('.') || !parts.split(['.', ':']).all(names::is_identifier) {
                    let message = "the class is named with its module: `class = \"module.Name\"`";
                    return Err(syn::Error::new_spanned(class, message));
                }
                options.class = Some(parts);
            } else if meta.path.is_ident("rename_all") {
                let case: LitStr = meta.value()?.parse()?;
                let found = Case::NAMES.iter().find(|(name, _)| *name == case.value());
                let Some((_, found)) = found else {
                    let message = "write `\"camelCase\"`, `\"kebab-case\"` or `\"UPPERCASE\"`";
                    return Err(syn::Error::new_spanned(case, message));
                };
                options.rename_all = Some(*found);
            } else if meta.path.is_ident("allow_unknown") {
                options.allow_unknown = true;
            } else if meta.path.is_ident("default") {
                options.default = true;
            } else if meta.path.is_ident("crate") {
                options.krate.0 = Some(meta.value()?.call(syn::Path::parse_mod_style)?);
            } else {
                return Err(meta.error(
                    "a record has the options `class = \"module.Name\"`, `rename_all = \"camelCase\"`, `allow_unknown`, `default` and \
                     `crate = path`",
                ));
            }
            Ok(())
        });
        errors.ok_or_record(parsed);
    }
    options
}

fn parse_fields(item: &DeriveInput, options: &Options, errors: &mut Errors) -> Vec<Field> {
    let named = match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => &named.named,
            _ => {
                let message = "a record is read by the names of its fields, and these have none: write `struct Name { field: Type }`";
                errors.error_at(&item.ident, message);
                return Vec::new();
            }
        },
        Data::Enum(_) | Data::Union(_) => {
            let message = "only a struct is a record; an enum becomes a class by `#[pairbond::object(\"module.Name\")]`";
            errors.error_at(&item.ident, message);
            return Vec::new();
        }
    };
    let (ident, (_, arguments, _)) = (&item.ident, item.generics.split_for_impl());
    let own = quote!(#ident #arguments);
    let mut all: Vec<Field> = Vec::new();
    for field in named {
        let Some(ident) = &field.ident else { continue };
        let plain = names::without_raw(ident);
        let name = options
            .rename_all
            .map_or(plain.clone(), |case| case.apply_case(&plain));
        let mut field = Field {
            ident: ident.clone(),
            // The expansion uses it where `Self` is another type.
            ty: errors
                .ok_or_record(syn::parse2(types::without_self(&field.ty, &own)))
                .unwrap_or_else(|| field.ty.clone()),
            cfgs: attrs::cfgs_of(&field.attrs),
            doc: docs::doc_of(&field.attrs),
            name,
            default: None,
        };
        if types::is_type(&field.ty, "Option") {
            field.default = Some(quote!(::core::option::Option::None));
        } else if options.default {
            field.default = Some(quote!(::core::default::Default::default()));
        }
        let of_field = named.iter().find(|it| it.ident.as_ref() == Some(ident));
        read_field(&mut field, of_field.map_or(&[][..], |it| &it.attrs), errors);
        if options.class.is_some() && !names::is_identifier(&field.name) {
            let message = format!("`{}` cannot be an argument of a class", field.name);
            errors.error_at(&field.ident, message);
        }
        if let Some(same) = all.iter().find(|it| it.name == field.name && it.cfgs.is_empty()) {
            let message = format!("`{}` is called `{}`, too", same.ident, same.name);
            errors.error_at(&field.ident, message);
        }
        all.push(field);
    }
    all
}

/// `rename = "other"`, `default` and `default = value`.
fn read_field(field: &mut Field, attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes.iter().filter(|it| it.path().is_ident("record")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                field.name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("default") {
                field.default = Some(if meta.input.peek(syn::Token![=]) {
                    let value: Expr = meta.value()?.parse()?;
                    quote!(#value)
                } else {
                    quote!(::core::default::Default::default())
                });
            } else {
                return Err(meta
                    .error("a field has the options `rename = \"other\"`, `default` and `default = value`"));
            }
            Ok(())
        });
        errors.ok_or_record(parsed);
    }
}

fn stand_in(item: &DeriveInput, options: &Options) -> TokenStream {
    let (ident, krate) = (&item.ident, &options.krate);
    let (implementation, arguments, condition) = item.generics.split_for_impl();
    let convert = |name: &str| {
        let name = format_ident!("{name}");
        krate.convert_path(quote!(#name))
    };
    let [record, info, from_value, source, mismatch, into_value, sink] = [
        "Record",
        "RecordInfo",
        "FromValue",
        "Source",
        "Mismatch",
        "IntoValue",
        "Sink",
    ]
    .map(convert);
    let error = krate.error_path();
    let mut generics = item.generics.clone();
    generics.params.insert(0, syn::parse_quote!('__a));
    let (of_reading, ..) = generics.split_for_impl();
    let member = impl_member(item, options);
    quote! {
        const _: () = {
            impl #implementation #record for #ident #arguments #condition {
                const INFO: &'static #info = &#info { name: "", doc: "", class: ::core::option::Option::None, allows_unknown: true, fields: &[] };
            }
            impl #of_reading #from_value<'__a> for #ident #arguments #condition {
                fn expected_type() -> ::std::borrow::Cow<'static, str> { ::core::unreachable!() }
                fn from_value<__S: #source<'__a>>(_: __S) -> ::core::result::Result<Self, #mismatch> { ::core::unreachable!() }
            }
            impl #implementation #into_value for #ident #arguments #condition {
                fn into_value<__S: #sink>(self, _: __S) -> ::core::result::Result<__S::Out, #error> { ::core::unreachable!() }
            }
            #member
        };
    }
}

/// Implements `Trace` for a record by its fields, so that it may be a field of an object if each of
/// its fields may.
fn impl_trace(item: &DeriveInput, options: &Options, fields: &[Field]) -> TokenStream {
    let (ident, krate) = (&item.ident, &options.krate);
    let is_own = |word: &str| ident == word;
    let recursive = |field: &Field| {
        let text = types::source_text(&field.ty);
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_own)
    };
    if fields.iter().any(recursive) {
        // A record inside of itself: whether it refers to objects would depend on the answer.
        return TokenStream::new();
    }
    let (trace, tracer, reach) = (
        krate.internal_path(quote!(trace::Trace)),
        krate.internal_path(quote!(trace::Tracer)),
        krate.internal_path(quote!(trace::Reach)),
    );
    let mut generics = item.generics.clone();
    let condition = generics.make_where_clause();
    for Field { ty, .. } in fields.iter().filter(|field| field.cfgs.is_empty()) {
        // The lifetime lets the compiler ask where it is used.
        condition
            .predicates
            .push(syn::parse_quote!(for<'__b> #ty: #trace));
    }
    let each = |statement: fn(&TokenStream, &Field) -> TokenStream| -> TokenStream {
        let all = fields.iter().map(|field| {
            let (cfgs, statement) = (&field.cfgs, statement(&trace, field));
            quote!(#(#cfgs)* { #statement })
        });
        all.collect()
    };
    let traced = each(|trace, Field { ty, .. }| quote!(traced = traced || <#ty as #trace>::TRACED;));
    let traces = each(|trace, Field { ident, ty, .. }| quote!(<#ty as #trace>::trace(&self.#ident, tracer);));
    let clears = each(|trace, Field { ident, ty, .. }| quote!(<#ty as #trace>::clear(&self.#ident);));
    let reaches = each(|trace, Field { ty, .. }| quote!(<#ty as #trace>::visit_reachable(reach);));
    let (implementation, arguments, condition) = generics.split_for_impl();
    quote! {
        // SAFETY: every field is shown once.
        unsafe impl #implementation #trace for #ident #arguments #condition {
            const TRACED: bool = {
                let mut traced = false;
                #traced
                traced
            };
            #[allow(unused_variables)]
            fn trace(&self, tracer: &mut #tracer<'_>) {
                #traces
            }
            #[allow(unused_variables)]
            fn clear(&self) {
                #clears
            }
            #[allow(unused_variables)]
            fn visit_reachable(reach: &mut #reach) {
                #reaches
            }
        }
    }
}

/// A module may list it, for its stub.
fn impl_member(item: &DeriveInput, options: &Options) -> Option<TokenStream> {
    let (ident, krate) = (&item.ident, &options.krate);
    let (member, visitor) = (
        krate.class_path(quote!(Member)),
        krate.class_path(quote!(ModuleVisitor)),
    );
    let record = krate.convert_path(quote!(Record));
    item.generics.params.is_empty().then(|| {
        quote! {
            impl #member for #ident {
                fn visit_member<__V: #visitor>(visitor: &mut __V) {
                    visitor.visit_record(<#ident as #record>::INFO);
                }
            }
        }
    })
}

fn record_impls(item: &DeriveInput, options: &Options, fields: &[Field]) -> TokenStream {
    let (ident, krate, name) = (&item.ident, &options.krate, names::without_raw(&item.ident));
    let doc = docs::doc_of(&item.attrs);
    let convert = |name: &str| {
        let name = format_ident!("{name}");
        krate.convert_path(quote!(#name))
    };
    let [record, info, field_info, from_value, source, mismatch] = [
        "Record",
        "RecordInfo",
        "RecordField",
        "FromValue",
        "Source",
        "Mismatch",
    ]
    .map(convert);
    let [into_value, emit, sink] = ["IntoValue", "Emit", "Sink"].map(convert);
    let [fields_trait, read, read_field, missing, expected, write] = [
        "Fields",
        "read_record",
        "read_field",
        "missing_field",
        "record_expected",
        "write_record",
    ]
    .map(|name| {
        let name = format_ident!("{name}");
        krate.convert_path(quote!(record::#name))
    });
    let error = krate.error_path();
    let class = match &options.class {
        Some(class) => quote!(::core::option::Option::Some(#class)),
        None => quote!(::core::option::Option::None),
    };
    let allows_unknown = options.allow_unknown;
    let described = fields.iter().map(|field| {
        let (cfgs, name, doc, rust_type) = (
            &field.cfgs,
            &field.name,
            &field.doc,
            types::source_text(&field.ty),
        );
        let required = field.default.is_none();
        quote!(#(#cfgs)* #field_info { name: #name, doc: #doc, rust_type: #rust_type, required: #required })
    });
    let (implementation, arguments, condition) = item.generics.split_for_impl();
    let mut reading = item.generics.clone();
    let mut writing = item.generics.clone();
    let parameters: Vec<_> = item.generics.type_params().map(|it| it.ident.clone()).collect();
    for parameter in &parameters {
        reading
            .make_where_clause()
            .predicates
            .push(syn::parse_quote!(#parameter: for<'__b> #from_value<'__b>));
        writing
            .make_where_clause()
            .predicates
            .push(syn::parse_quote!(#parameter: #into_value));
    }
    let (.., reads) = reading.split_for_impl();
    let (.., writes) = writing.split_for_impl();
    let mut of_source = reading.clone();
    of_source.params.insert(0, syn::parse_quote!('__a));
    let (of_reading, ..) = of_source.split_for_impl();
    let mut emitting = writing.clone();
    // Of a type without parameters, too, it is asked where it is used: hence the lifetime.
    emitting
        .make_where_clause()
        .predicates
        .push(syn::parse_quote!(for<'__b> #ident #arguments: ::core::clone::Clone));
    let (.., emits) = emitting.split_for_impl();

    // Indices count those fields that are there.
    let variants: Vec<_> = (0..fields.len()).map(|i| format_ident!("__{i}")).collect();
    let places = fields.iter().zip(&variants).map(|(field, place)| {
        let (cfgs, ty) = (&field.cfgs, &field.ty);
        quote!(#(#cfgs)* #place: ::core::option::Option<#ty>)
    });
    let empty = fields.iter().zip(&variants).map(|(field, place)| {
        let cfgs = &field.cfgs;
        quote!(#(#cfgs)* #place: ::core::option::Option::None)
    });
    let sets = fields.iter().zip(&variants).map(|(field, place)| {
        let (cfgs, name, ty) = (&field.cfgs, &field.name, &field.ty);
        let call = quote_spanned!(field.ty.span().resolved_at(Span::call_site())=> #read_field::<#ty, __S>(value, __INFO, index)?);
        quote!(#(#cfgs)* #name => self.#place = #call,)
    });
    let built = fields.iter().zip(&variants).map(|(field, place)| {
        let (cfgs, ident, name) = (&field.cfgs, &field.ident, &field.name);
        let value = match &field.default {
            Some(default) => quote!(match fields.#place { ::core::option::Option::Some(value) => value, ::core::option::Option::None => #default }),
            None => quote!(match fields.#place { ::core::option::Option::Some(value) => value, ::core::option::Option::None => return ::core::result::Result::Err(#missing(__INFO, #name)) }),
        };
        quote!(#(#cfgs)* #ident: #value)
    });
    let values = fields.iter().zip(&variants).map(|(field, variant)| {
        let (cfgs, ty) = (&field.cfgs, &field.ty);
        quote!(#(#cfgs)* #variant(#ty))
    });
    let gives = fields.iter().zip(&variants).map(|(field, variant)| {
        let cfgs = &field.cfgs;
        let call = quote_spanned!(field.ty.span().resolved_at(Span::call_site())=> #into_value::into_value(value, out));
        quote!(#(#cfgs)* __Value::#variant(value) => #call,)
    });
    let given = fields.iter().zip(&variants).map(|(field, variant)| {
        let (cfgs, ident) = (&field.cfgs, &field.ident);
        quote!(#(#cfgs)* __Value::#variant(self.#ident))
    });
    // A parameter that no field has would be unused here.
    let phantom = quote!(::core::marker::PhantomData<fn() -> (#(#parameters,)*)>);
    let trace = impl_trace(item, options, fields);
    let member = impl_member(item, options);
    quote! {
        const _: () = {
            const __INFO: &'static #info = &#info {
                name: #name,
                doc: #doc,
                class: #class,
                allows_unknown: #allows_unknown,
                fields: &[#(#described),*],
            };
            impl #implementation #record for #ident #arguments #reads {
                const INFO: &'static #info = __INFO;
            }
            struct __Fields #implementation #condition { #(#places,)* __types: #phantom }
            impl #implementation #fields_trait for __Fields #arguments #reads {
                fn set_field<'__b, __S: #source<'__b>>(&mut self, index: usize, value: __S) -> ::core::result::Result<(), #mismatch> {
                    let _ = &value;
                    match __INFO.fields[index].name {
                        #(#sets)*
                        _ => {}
                    }
                    ::core::result::Result::Ok(())
                }
            }
            impl #of_reading #from_value<'__a> for #ident #arguments #reads {
                fn expected_type() -> ::std::borrow::Cow<'static, str> {
                    #expected(__INFO)
                }
                fn from_value<__S: #source<'__a>>(source: __S) -> ::core::result::Result<Self, #mismatch> {
                    let mut fields: __Fields #arguments = __Fields { #(#empty,)* __types: ::core::marker::PhantomData };
                    #read(source, __INFO, &mut fields)?;
                    ::core::result::Result::Ok(#ident { #(#built),* })
                }
            }
            #[allow(non_camel_case_types, dead_code)]
            enum __Value #implementation #condition { #(#values,)* __types(#phantom) }
            impl #implementation #into_value for __Value #arguments #writes {
                fn into_value<__S: #sink>(self, out: __S) -> ::core::result::Result<__S::Out, #error> {
                    match self {
                        #(#gives)*
                        __Value::__types(_) => out.write_none(),
                    }
                }
            }
            impl #implementation #into_value for #ident #arguments #writes {
                fn into_value<__S: #sink>(self, out: __S) -> ::core::result::Result<__S::Out, #error> {
                    let values: ::std::vec::Vec<__Value #arguments> = ::std::vec![#(#given),*];
                    #write(out, __INFO, values.into_iter())
                }
            }
            impl #implementation #emit for #ident #arguments #emits {
                fn emit_value<__S: #sink>(&self, out: __S) -> ::core::result::Result<__S::Out, #error> {
                    #into_value::into_value(::core::clone::Clone::clone(self), out)
                }
            }
            #trace
            #member
        };
    }
}
