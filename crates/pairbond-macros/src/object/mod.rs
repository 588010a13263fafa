//! `#[pairbond::object("module.Name")]` on a struct. (Enums: `enumeration.rs`.)

mod check;
mod class;
mod expand;
mod options;
mod parse;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, ItemStruct, Type};

use crate::enumeration;
use crate::errors::Errors;
use options::Options;

/// A struct that becomes an object type.
struct Object {
    options: Options,
    /// As it goes back to the compiler: helper attributes removed.
    item: ItemStruct,
    doc: String,
    fields: Vec<Field>,
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

    /// The fields whose type has this name.
    fn fields_of(&self, head: &'static str) -> impl Iterator<Item = &Field> {
        let is = move |field: &&Field| crate::types::head(&field.ty).is_some_and(|name| name == head);
        self.fields.iter().filter(is)
    }
}

pub(crate) fn object(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(arguments, &mut errors);
    if let Ok(item) = syn::parse2::<syn::ItemEnum>(item.clone()) {
        let expansion = enumeration::enumeration(&options.of_enum(), item, &mut errors);
        let errors = errors.into_tokens();
        return quote!(#expansion #errors);
    }
    let Some(mut object) = parse::object(options, item.clone(), &mut errors) else {
        let errors = errors.into_tokens();
        return quote!(#errors #item);
    };
    check::object(&mut object, &mut errors);
    if !errors.is_empty() {
        // The struct stays, and stays an object, so that its uses elsewhere are not reported too.
        let errors = errors.into_tokens();
        if !object.item.generics.params.is_empty() {
            let item = &object.item;
            return quote!(#item #errors);
        }
        object.forget();
        let (item, expansion) = (&object.item, expand::object(&object));
        return quote!(#item #expansion #errors);
    }
    let (item, expansion, comparisons) = (&object.item, expand::object(&object), comparisons(&object));
    quote!(#item #expansion #comparisons)
}

/// The block of methods that `eq`, `hash` and `ord` ask for.
fn comparisons(object: &Object) -> Option<TokenStream> {
    let (
        Options {
            eq, hash, ord, krate, ..
        },
        ident,
    ) = (&object.options, object.ident());
    if !(*eq || *hash || *ord) {
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
    Some(crate::methods::generated(
        krate,
        quote!(impl #ident { #eq #hash #ord }),
    ))
}

impl Object {
    /// Leaves out what may be wrong about it.
    fn forget(&mut self) {
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
