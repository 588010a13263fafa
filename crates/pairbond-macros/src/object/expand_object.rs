//! `Object`, `Trace`, the parent.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Field, Object, class};
use crate::origin::origin_expr;
use crate::{mentions, names, types};

pub(super) fn expand_object(object: &Object) -> TokenStream {
    let parts = [
        impl_object(object),
        impl_extends(object),
        impl_trace(object),
        by_value(object),
        check_threads(object).unwrap_or_default(),
        class::expand_class(object),
    ];
    quote!(const _: () = { #(#parts)* };)
}

fn impl_object(object: &Object) -> TokenStream {
    let (ident, krate, options) = (object.own(), &object.options.krate, &object.options);
    let (key, version, attributes) = (&options.key, options.version, !options.sealed);
    let (immutable_type, fast_getters) = (options.immutable_type, options.fast_getters);
    let trait_path = krate.object_path(quote!(Object));
    let (field_info, type_cell) = (
        krate.internal_path(quote!(types::FieldInfo)),
        krate.internal_path(quote!(types::TypeCell)),
    );
    let (probe, otherwise) = (
        krate.class_path(quote!(Probe)),
        krate.class_path(quote!(Otherwise)),
    );
    let find_methods = crate::methods::describe_all(&probe, ident, &quote!(&mut find));
    let (equality, find_equality) = (
        krate.internal_path(quote!(types::Equality)),
        krate.class_path(quote!(FindEquality)),
    );
    let base = match &options.extends {
        Some(parent) => quote!(#parent),
        None => krate.object_path(quote!(Root)),
    };
    let fields = object.fields.iter().enumerate().map(|(i, field)| {
        let is_base = i == 0 && options.extends.is_some();
        self::describe_field(object, field, is_base, &field_info)
    });
    let carrying = impl_carrying(object);
    let tree = node_const(object);
    let origin_type = krate.internal_path(quote!(abi::Origin));
    let origin = origin_expr(krate);
    let reach = krate.internal_path(quote!(trace::Reach));
    let mentioned = object.fields.iter().map(|field| {
        let (cfgs, shown) = (
            &field.cfgs,
            mentions::show_if_object(krate, &field.ty, &format_ident!("reach")),
        );
        quote!(#(#cfgs)* #shown)
    });
    let (layout, writer, write) = (
        krate.internal_path(quote!(abi::Layout)),
        krate.internal_path(quote!(abi::LayoutWriter)),
        krate.internal_path(quote!(object::write_object)),
    );
    quote! {
        // SAFETY: the layout constants are the compiler's own, and the cell belongs to this type
        // alone.
        unsafe impl #trait_path for #ident {
            const KEY: &'static str = #key;
            const VERSION: u32 = #version;
            #tree
            const ATTRIBUTES: bool = #attributes;
            const IMMUTABLE_TYPE: bool = #immutable_type;
            const FAST_GETTERS: bool = #fast_getters;
            const THREAD_SAFE: bool = {
                use #otherwise as _;
                #probe::<#ident>::THREAD_SAFE
            };
            const ORIGIN: #origin_type = #origin;
            const FIELDS: &'static [#field_info] = &[#(#fields),*];
            type Base = #base;
            fn visit_types(reach: &mut #reach) {
                let _ = &reach;
                #(#mentioned)*
            }
            fn equality() -> ::core::option::Option<#equality> {
                use #otherwise as _;
                let mut find = <#find_equality as ::core::default::Default>::default();
                #find_methods
                find.into_equality()
            }
            #carrying
            fn type_cell() -> &'static #type_cell {
                static CELL: #type_cell = #type_cell::new();
                &CELL
            }
        }
        // SAFETY: all fields are shown.
        unsafe impl #layout for #ident {
            fn write_layout(to: &mut #writer) {
                #write::<#ident>(to);
            }
        }
    }
}

/// Where the place and the lists of a node are; what extends one is one.
fn node_const(object: &Object) -> TokenStream {
    let (ident, krate) = (object.own(), &object.options.krate);
    let (table, node) = (
        krate.internal_path(quote!(tree::TreeTable)),
        krate.object_path(quote!(NodeType)),
    );
    if let Some(parent) = &object.options.extends {
        let object_trait = krate.object_path(quote!(Object));
        let inherited = quote!(<#parent as #object_trait>::NODE);
        let lists: Vec<_> = object.fields_of("Children").map(|field| &field.ident).collect();
        if lists.is_empty() {
            return quote!(const NODE: ::core::option::Option<#node> = #inherited;);
        }
        let count = lists.len();
        return quote! {
            const NODE: ::core::option::Option<#node> = {
                const PARENT: &#table = match #table::of_node(#inherited) {
                    ::core::option::Option::Some(parent) => parent,
                    ::core::option::Option::None => ::core::panic!(
                        "`Children` are fields of nodes, and the type that this one extends is not marked `tree`"
                    ),
                };
                const LISTS: [usize; PARENT.lists.len() + #count] =
                    PARENT.extend_lists(&[#(::core::mem::offset_of!(#ident, #lists)),*]);
                const TABLE: &#table = &#table { lists: &LISTS, ..*PARENT };
                ::core::option::Option::Some(TABLE.node_type())
            };
        };
    }
    let Some(links) = object
        .options
        .tree
        .then(|| object.fields_of("Links").next())
        .flatten()
    else {
        return TokenStream::new();
    };
    let (links, lists) = (
        &links.ident,
        object.fields_of("Children").map(|field| &field.ident),
    );
    let name = match &object.options.name {
        Some(name) => {
            let (name, named) = (
                types::without_self(name, &quote!(#ident)),
                krate.internal_path(quote!(tree::name_fn)),
            );
            quote!(::core::option::Option::Some(#named::<#ident, _>(|it, asking| asking.write((#name)(it)))))
        }
        None => quote!(::core::option::Option::None),
    };
    quote! {
        const NODE: ::core::option::Option<#node> = {
            const TABLE: &#table = &#table {
                links: ::core::mem::offset_of!(#ident, #links),
                lists: &[#(::core::mem::offset_of!(#ident, #lists)),*],
                name: #name,
            };
            ::core::option::Option::Some(TABLE.node_type())
        };
    }
}

/// How objects are taken apart and made again.
fn impl_carrying(object: &Object) -> TokenStream {
    let (ident, options) = (object.own(), &object.options);
    if options.opaque || options.native {
        return TokenStream::new();
    }
    let carrying = options.krate.internal_path(quote!(serial::Carrying));
    let (probe, otherwise) = (
        options.krate.class_path(quote!(Probe)),
        options.krate.class_path(quote!(Otherwise)),
    );
    let own = |path: &syn::Path| types::without_self(path, &quote!(#ident));
    let mut made = match (&options.save, &options.load) {
        (Some(save), Some(load)) => {
            let (save, load) = (own(save), own(load));
            quote!(#carrying::by_hooks::<#ident, _, _, _>(#save, #load))
        }
        // SAFETY (of the expansion): the struct's own fields are all listed, each once.
        _ => quote!(unsafe { #carrying::by_fields() }),
    };
    if let Some(check) = &options.check {
        let check = own(check);
        made.extend(quote!(.with_check::<#ident, _>(#check)));
    }
    if options.ordered {
        made.extend(quote!(.with_order()));
    }
    quote! {
        fn carrying() -> #carrying {
            use #otherwise as _;
            #probe::<#ident>::with_element(#made)
        }
    }
}

fn describe_field(object: &Object, field: &Field, is_base: bool, field_info: &TokenStream) -> TokenStream {
    let (
        owner,
        Field {
            ident, ty, cfgs, doc, ..
        },
    ) = (object.own(), field);
    let (name, rust_type) = (names::without_raw(ident), types::source_text(ty));
    let trace = if field.untraced {
        quote!(::core::option::Option::None)
    } else {
        let krate = &object.options.krate;
        let (probe, otherwise) = (
            krate.class_path(quote!(Probe)),
            krate.class_path(quote!(Otherwise)),
        );
        quote!({
            use #otherwise as _;
            #probe::<#ty>::TRACE
        })
    };
    let krate = &object.options.krate;
    let carry = if field.transient || is_base || object.options.native {
        quote!(::core::option::Option::None)
    } else {
        let (probe, otherwise) = (
            krate.class_path(quote!(Probe)),
            krate.class_path(quote!(Otherwise)),
        );
        quote!({
            use #otherwise as _;
            #probe::<#ty>::CARRY
        })
    };
    let default = match &field.default {
        Some(value) => {
            let default_of = krate.internal_path(quote!(serial::default_of));
            quote!(::core::option::Option::Some(#default_of::<#ty, _>(|| #value)))
        }
        None => quote!(::core::option::Option::None),
    };
    let flags = krate.internal_path(quote!(types::FieldFlags));
    let flags = match (is_base, field.transient) {
        (true, _) => quote!(#flags::BASE),
        (_, true) => quote!(#flags::TRANSIENT),
        _ => quote!(#flags::NONE),
    };
    let settable = field.exposed.as_ref().is_some_and(|exposed| exposed.settable);
    let layout = crate::layout::show_type(krate, ty, &format_ident!("to"));
    quote! {
        #(#cfgs)*
        #field_info {
            name: #name,
            doc: #doc,
            rust_type: #rust_type,
            offset: ::core::mem::offset_of!(#owner, #ident),
            size: ::core::mem::size_of::<#ty>(),
            settable: #settable,
            trace: #trace,
            carry: #carry,
            default: #default,
            flags: #flags,
            layout: ::core::option::Option::Some(|to| #layout),
            dynamic: ::core::option::Option::None,
        }
    }
}

fn impl_extends(object: &Object) -> TokenStream {
    let (Some(parent), Some(base)) = (&object.options.extends, object.fields.first()) else {
        return TokenStream::new();
    };
    let (ident, field) = (object.own(), &base.ident);
    // A raw pointer is not coerced, so the field really is the parent and not something that refers
    // to one.
    let same = quote_spanned! {parent.segments[0].ident.span().resolved_at(Span::call_site())=>
        const _: fn(&#ident) -> *const #parent = |value| ::core::ptr::addr_of!(value.#field);
    };
    let object_trait = object.options.krate.object_path(quote!(Object));
    let sealed = format!(
        "`{}` extends `{}`, which is `sealed`: its class has no subclasses",
        types::source_text(ident),
        types::source_text(parent)
    );
    let open = quote_spanned! {parent.segments[0].ident.span().resolved_at(Span::call_site())=>
        const _: () = ::core::assert!(<#parent as #object_trait>::ATTRIBUTES, #sealed);
    };
    quote! {
        #same
        const _: () = ::core::assert!(::core::mem::offset_of!(#ident, #field) == 0);
        #open
        impl ::core::ops::Deref for #ident {
            type Target = #parent;
            fn deref(&self) -> &#parent {
                &self.#field
            }
        }
    }
}

/// A parameter of the type itself takes an object by value.
fn by_value(object: &Object) -> TokenStream {
    let (ident, krate, key) = (object.own(), &object.options.krate, &object.options.key);
    let (from_value, by_value) = (
        krate.convert_path(quote!(FromValue)),
        krate.convert_path(quote!(by_value)),
    );
    let (source, mismatch) = (
        krate.convert_path(quote!(Source)),
        krate.convert_path(quote!(Mismatch)),
    );
    quote! {
        impl<'a> #from_value<'a> for #ident {
            fn expected_type() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#key)
            }
            fn from_value<__S: #source<'a>>(source: __S) -> ::core::result::Result<Self, #mismatch> {
                #by_value(source)
            }
        }
    }
}

/// A field of the standard library's cells, which threads cannot share, is one error, and not one
/// for each use of the type. Each field is checked by itself; the struct needs no more checks then.
/// A promise for the whole object (`unsafe impl Sync`) cannot stand beside these fields, which
/// nothing can guard from outside; beside an `UnsafeCell`, which a lock of the author's may guard,
/// it can.
fn check_threads(object: &Object) -> Option<TokenStream> {
    const SUSPECTS: [&str; 5] = ["RefCell", "OnceCell", "LazyCell", "Rc", "cell::Cell"];
    let suspect = |field: &Field| {
        let text = types::source_text(&field.ty);
        text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
            .any(|path| {
                SUSPECTS
                    .iter()
                    .any(|name| path == *name || path.ends_with(&format!("::{name}")))
            })
    };
    if object.options.native || !object.fields.iter().any(suspect) {
        return None;
    }
    let (own, krate) = (object.own(), &object.options.krate);
    let is_shared = krate.class_path(quote!(is_shared));
    let checks = object.fields.iter().map(|Field { ty, cfgs, .. }| {
        let span = ty.span().resolved_at(Span::call_site());
        quote_spanned!(span=> #(#cfgs)* { #is_shared::<#ty>(); })
    });
    Some(quote! {
        const _: fn() = || { #(#checks)* };
        // SAFETY: all of its fields are both: checked above.
        unsafe impl ::core::marker::Send for #own {}
        // SAFETY: see above.
        unsafe impl ::core::marker::Sync for #own {}
    })
}

/// Methods that are written for each of several types are written for this one, too.
pub(super) fn has_methods(object: &Object) -> TokenStream {
    let (own, krate) = (object.own(), &object.options.krate);
    let (probe, otherwise) = (
        krate.class_path(quote!(Probe)),
        krate.class_path(quote!(Otherwise)),
    );
    let arguments: Vec<String> = object
        .options
        .arguments
        .iter()
        .map(|(name, argument)| format!("{name} = {}", types::source_text(argument)))
        .collect();
    let message = format!(
        "`{}` has no methods: write `#[pairbond::methods({})]` before its `impl` block, too",
        types::source_text(own),
        arguments.join(", ")
    );
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #otherwise as _;
            ::core::assert!(!#probe::<#own>::SHARES_METHODS || #probe::<#own>::HAS_METHODS, #message);
        };
    }
}

fn impl_trace(object: &Object) -> TokenStream {
    let (ident, krate) = (object.own(), &object.options.krate);
    let (trace, plan, tracer, reach) = (
        krate.internal_path(quote!(trace::Trace)),
        krate.internal_path(quote!(trace::Plan)),
        krate.internal_path(quote!(trace::Tracer)),
        krate.internal_path(quote!(trace::Reach)),
    );
    let fields: Vec<&Field> = object.fields.iter().filter(|field| !field.untraced).collect();
    let each = |what: fn(&TokenStream, &Field) -> TokenStream| -> TokenStream {
        let statement = |field: &&Field| {
            let (cfgs, statement) = (&field.cfgs, what(&trace, field));
            quote!(#(#cfgs)* { #statement })
        };
        fields.iter().map(statement).collect()
    };
    let traced = each(|trace, Field { ty, .. }| quote!(traced = traced || <#ty as #trace>::TRACED;));
    let plans = each(
        |trace, Field { ident, ty, .. }| quote!(plan = plan.combined_with(<#ty as #trace>::PLAN.at_offset(::core::mem::offset_of!(Self, #ident)));),
    );
    let traces = each(|trace, Field { ident, ty, .. }| quote!(<#ty as #trace>::trace(&self.#ident, tracer);));
    let reaches = each(|trace, Field { ty, .. }| quote!(<#ty as #trace>::visit_reachable(reach);));
    let clears = each(|trace, Field { ident, ty, .. }| quote!(<#ty as #trace>::clear(&self.#ident);));
    let (mut show_place, mut clear_place) = (TokenStream::new(), TokenStream::new());
    if object.options.tree {
        let (show, clear) = (
            krate.internal_path(quote!(tree::trace_node)),
            krate.internal_path(quote!(tree::clear_node)),
        );
        show_place = quote!(#show(self, tracer););
        clear_place = quote!(#clear(self););
    }
    quote! {
        // SAFETY: every field that can own references is shown once.
        unsafe impl #trace for #ident {
            const TRACED: bool = {
                let mut traced = false;
                #traced
                traced
            };
            const PLAN: #plan = {
                let mut plan = #plan::NOTHING;
                #plans
                plan
            };
            fn trace(&self, tracer: &mut #tracer<'_>) {
                #traces
                #show_place
            }
            fn clear(&self) {
                #clears
                #clear_place
            }
            fn visit_reachable(reach: &mut #reach) {
                #reaches
            }
        }
    }
}
