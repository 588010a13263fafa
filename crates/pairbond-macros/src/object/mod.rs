//! `#[pairbond::object("module.Name")]` on a struct. (Enums: `enumeration.rs`.)

mod check_object;
mod class;
mod expand_object;
mod options;
mod parse_object;
mod tree;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, ItemStruct, Type};

use crate::enumeration;
use crate::errors::Errors;
use crate::generics::{self, Arguments};
use options::Options;

/// A struct that becomes an object type.
struct Object {
    options: Options,
    /// As it goes back to the compiler: helper attributes removed.
    item: ItemStruct,
    doc: String,
    fields: Vec<Field>,
    /// The type: `Grid`, `Grid<f64>`.
    own: TokenStream,
}

struct Field {
    ident: Ident,
    ty: Type,
    cfgs: Vec<Attribute>,
    doc: String,
    exposed: Option<Exposed>,
    untraced: bool,
    /// Not written.
    transient: bool,
    /// Its value where data has none.
    default: Option<TokenStream>,
}

/// `#[field]`: Python sees it.
struct Exposed {
    name: String,
    settable: bool,
}

impl Object {
    fn ident(&self) -> &Ident {
        &self.item.ident
    }

    fn own(&self) -> &TokenStream {
        &self.own
    }

    /// The fields whose type has this name.
    fn fields_of(&self, head: &'static str) -> impl Iterator<Item = &Field> {
        let is = move |field: &&Field| crate::types::head_ident(&field.ty).is_some_and(|name| name == head);
        self.fields.iter().filter(is)
    }
}

pub(crate) fn expand_object(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(arguments, &mut errors);
    if let Ok(item) = syn::parse2::<syn::ItemEnum>(item.clone()) {
        let expansion = enumeration::expand_enum(&options.of_enum(), item, &mut errors);
        let errors = errors.into_tokens();
        return quote!(#expansion #errors);
    }
    if let Ok(item) = syn::parse2::<ItemStruct>(item.clone())
        && !item.generics.params.is_empty()
    {
        return expand_generic(options, item, errors);
    }
    let Some(mut object) = parse_object::parse_object(options, item.clone(), &mut errors) else {
        let errors = errors.into_tokens();
        return quote!(#errors #item);
    };
    check_object::check_object(&mut object, &mut errors);
    if !errors.is_empty() {
        // The struct stays, and stays an object, so that its uses elsewhere are not reported too.
        let errors = errors.into_tokens();
        object.drop_faulty_parts();
        let (item, expansion) = (&object.item, expand_object::expand_object(&object));
        return quote!(#item #expansion #errors);
    }
    let (item, expansion, generated) = (
        &object.item,
        expand_object::expand_object(&object),
        generated_methods(&object),
    );
    quote!(#item #expansion #generated)
}

/// A generic struct: an object type for each of the attribute's lines.
fn expand_generic(first: Options, mut item: ItemStruct, mut errors: Errors) -> TokenStream {
    let mut lines = vec![first];
    for line in generics::further_attributes(&mut item.attrs, "object") {
        lines.push(Options::parse(generics::arguments_inside(line), &mut errors));
    }
    let (mut written, mut expansions) = (None, TokenStream::new());
    for options in lines {
        let line = "#[pairbond::object(\"module.Name\", T = f64)]";
        let arguments = Arguments::new(&item.generics, &options.arguments, line, &mut errors);
        let Some(mut object) = parse_object::parse_object(options, quote!(#item), &mut errors) else {
            break;
        };
        for field in &mut object.fields {
            if let Some(ty) = errors.ok_or_record(arguments.substitute_item(&field.ty)) {
                field.ty = ty;
            }
        }
        let (ident, list) = (object.ident(), arguments.angle_bracketed());
        object.own = quote!(#ident #list);
        check_object::check_object(&mut object, &mut errors);
        if !errors.is_empty() {
            // Each line would repeat the struct's errors.
            written = Some(object.item);
            break;
        }
        let (expansion, generated, complete) = (
            expand_object::expand_object(&object),
            generated_methods(&object),
            expand_object::has_methods(&object),
        );
        expansions.extend(quote!(#expansion #generated #complete));
        written = Some(object.item);
    }
    let errors = errors.into_tokens();
    match written {
        Some(item) if errors.is_empty() => quote!(#item #expansions),
        Some(item) => quote!(#item #errors),
        None => quote!(#item #errors),
    }
}

/// The block of methods that `eq`, `hash`, `ord`, `repr` and `tree(…)` ask for.
fn generated_methods(object: &Object) -> Option<TokenStream> {
    let (
        Options {
            eq,
            hash,
            ord,
            repr,
            krate,
            ..
        },
        ident,
    ) = (&object.options, object.own());
    if !(*eq || *hash || *ord || *repr) && object.options.tree_members.is_empty() {
        return None;
    }
    let eq = eq.then(|| {
        quote! {
            #[doc(hidden)]
            fn __eq__(&self, other: &#ident) -> bool {
                <#ident as ::core::cmp::PartialEq>::eq(self, other)
            }
        }
    });
    let hash = hash.then(|| {
        quote! {
            #[doc(hidden)]
            fn __hash__(&self) -> i64 {
                let mut hasher = ::std::hash::DefaultHasher::new();
                <#ident as ::core::hash::Hash>::hash(self, &mut hasher);
                ::core::hash::Hasher::finish(&hasher) as i64
            }
        }
    });
    let ord = ord.then(|| {
        let compare = |name: &str, compare: &str| {
            let (name, compare) = (quote::format_ident!("{name}"), quote::format_ident!("{compare}"));
            quote! {
                #[doc(hidden)]
                fn #name(&self, other: &#ident) -> bool {
                    <#ident as ::core::cmp::PartialOrd>::#compare(self, other)
                }
            }
        };
        let all = [
            ("__lt__", "lt"),
            ("__le__", "le"),
            ("__gt__", "gt"),
            ("__ge__", "ge"),
        ];
        all.map(|(name, function)| compare(name, function))
            .into_iter()
            .collect::<TokenStream>()
    });
    let repr = repr.then(|| {
        let (borrow, error) = (krate.object_path(quote!(Borrow)), krate.error_path());
        let repr = krate.class_path(quote!(object_repr));
        quote! {
            #[doc(hidden)]
            fn __repr__(this: #borrow<'_, #ident>) -> ::core::result::Result<::std::string::String, #error> {
                #repr(this)
            }
        }
    });
    let tree = tree::expand_members(object);
    Some(crate::methods::expand_generated(
        krate,
        quote!(impl #ident { #eq #hash #ord #repr #tree }),
    ))
}

impl Object {
    /// Leaves out what may be wrong about it.
    fn drop_faulty_parts(&mut self) {
        self.options = Options {
            key: "unknown.Unknown".to_owned(),
            opaque: true,
            version: 1,
            krate: std::mem::take(&mut self.options.krate),
            ..Options::default()
        };
        for field in &mut self.fields {
            (field.exposed, field.default) = (None, None);
            field.untraced = true;
        }
    }
}
