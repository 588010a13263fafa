//! The object types that a signature mentions: `Option<Vec<Ref<Package>>>` mentions `Package`.
//!
//! Types are not resolved here, so every name is asked for at compile time whether it is an object
//! type (`class::Probe`).

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericArgument, PathArguments, Type, TypeParamBound};

use crate::paths::Krate;
use crate::types::{elide_lifetimes, source_text, without_self};

/// Names that are no object types, and mention none.
const PLAIN: &[&str] = &[
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64",
    "bool", "char", "str", "String", "PathBuf", "Path", "Str", "Bytes", "Any", "Function", "Callback",
    "Foreign", "Error", "Array",
];
/// Names of generic types of which only the arguments matter.
const AROUND: &[&str] = &[
    "Option", "Vec", "Result", "Ref", "Weak", "Borrow", "New", "Few", "Box", "List", "Tuple", "Set",
];

/// The statements of `fn visit_types(reach)` for these types; nothing when they mention nothing.
pub(crate) fn types_mentioned<'t>(
    krate: &Krate,
    name: &str,
    own: &TokenStream,
    all: impl Iterator<Item = &'t Type>,
) -> TokenStream {
    let mut found: Vec<(String, TokenStream)> = Vec::new();
    for ty in all {
        let ty = elide_lifetimes(without_self(ty, own));
        if let Ok(ty) = syn::parse2::<Type>(ty) {
            collect_types(&ty, &mut found);
        }
    }
    if found.is_empty() {
        return TokenStream::new();
    }
    let reach = Ident::new("reach", Span::mixed_site());
    let shown = found.iter().map(|(_, ty)| show_if_object(krate, ty, &reach));
    let (trait_, name) = (
        krate.internal_path(quote!(trace::Reach)),
        Ident::new(name, Span::call_site()),
    );
    quote! {
        fn #name(#reach: &mut #trait_) {
            #(#shown)*
        }
    }
}

/// Shows what a type is, if it is anything.
pub(crate) fn show_if_object(krate: &Krate, ty: &dyn ToTokens, reach: &Ident) -> TokenStream {
    let probe = krate.class_path(quote!(Probe));
    let otherwise = krate.class_path(quote!(OtherwiseNoTypes));
    quote! {{
        #[allow(unused_imports)]
        use #otherwise as _;
        #probe::<#ty>::object_type(#reach);
        #probe::<#ty>::enumeration_type(#reach);
        #probe::<#ty>::traced_types(#reach);
    }}
}

fn collect_types(ty: &Type, found: &mut Vec<(String, TokenStream)>) {
    match ty {
        Type::Paren(inner) => collect_types(&inner.elem, found),
        Type::Group(inner) => collect_types(&inner.elem, found),
        Type::Reference(inner) => collect_types(&inner.elem, found),
        Type::Slice(inner) => collect_types(&inner.elem, found),
        Type::Array(inner) => collect_types(&inner.elem, found),
        Type::Tuple(inner) => inner.elems.iter().for_each(|ty| collect_types(ty, found)),
        Type::ImplTrait(inner) => collect_bounds(inner.bounds.iter(), found),
        Type::Path(path) => {
            let last = path.path.segments.last();
            let head = last.map(|segment| segment.ident.to_string()).unwrap_or_default();
            let mut types = Vec::new();
            if let Some(PathArguments::AngleBracketed(generics)) = last.map(|segment| &segment.arguments) {
                types.extend(generics.args.iter().filter_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                }));
            }
            for ty in &types {
                collect_types(ty, found);
            }
            let around = AROUND.contains(&head.as_str()) && !types.is_empty();
            let text = source_text(ty);
            if !around && !PLAIN.contains(&text.as_str()) && !found.iter().any(|(known, _)| *known == text) {
                found.push((text, ty.to_token_stream()));
            }
        }
        _ => {}
    }
}

fn collect_bounds<'b>(
    bounds: impl Iterator<Item = &'b TypeParamBound>,
    found: &mut Vec<(String, TokenStream)>,
) {
    for bound in bounds {
        let TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        for segment in &bound.path.segments {
            let PathArguments::AngleBracketed(generics) = &segment.arguments else {
                continue;
            };
            for argument in &generics.args {
                match argument {
                    GenericArgument::Type(ty) => collect_types(ty, found),
                    GenericArgument::AssocType(it) => collect_types(&it.ty, found),
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentioned_types_are_found() {
        let found = |ty: &str| {
            let mut found = Vec::new();
            collect_types(&syn::parse_str(ty).unwrap(), &mut found);
            found.into_iter().map(|(text, _)| text).collect::<Vec<_>>()
        };
        assert_eq!(found("Option<Vec<Ref<ir::Node>>>"), ["ir::Node"]);
        assert_eq!(found("Result<(i64, &Node, [Other; 2])>"), ["Node", "Other"]);
        assert_eq!(found("Borrow<'_, Node>"), ["Node"]);
        assert_eq!(
            found("HashMap<String, Ref<Node>>"),
            ["Node", "HashMap<String, Ref<Node>>"]
        );
        assert_eq!(found("impl Iterator<Item = Ref<Node>>"), ["Node"]);
        assert_eq!(found("Nodes"), ["Nodes"]);
        assert!(found("Option<&str>").is_empty());
    }
}
