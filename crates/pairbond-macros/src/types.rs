//! Types as they are written: printing them, and the few things that can be said about a type
//! without resolving it.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{GenericArgument, PathArguments, Type};

/// Source text with normalised white space: `Option<&'a str>`.
pub(crate) fn source_text(tokens: impl ToTokens) -> String {
    let mut out = String::new();
    write_tokens(tokens.to_token_stream(), &mut out);
    out
}

fn write_tokens(tokens: TokenStream, out: &mut String) {
    let mut minus = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write_tokens(group.stream(), out);
                out.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                c @ (',' | ';') => out.extend([c, ' ']),
                c @ ('+' | '=') => out.extend([' ', c, ' ']),
                '-' => out.push_str(" -"),
                '>' if minus => out.push_str("> "),
                c => out.push(c),
            },
            word => {
                if out.ends_with(|c: char| c == '_' || c.is_alphanumeric()) {
                    out.push(' ');
                }
                out.push_str(&word.to_string());
            }
        }
        minus = out.ends_with('-');
    }
}

/// `tokens` with every `Self` written out, because an expansion uses them where `Self` means
/// something else.
pub(crate) fn without_self(tokens: impl ToTokens, own: &TokenStream) -> TokenStream {
    let each = |token| match token {
        TokenTree::Ident(ident) if ident == "Self" => own.clone(),
        token => change_inside(token, |stream| without_self(stream, own)),
    };
    tokens.to_token_stream().into_iter().map(each).collect()
}

/// `tokens` with every named lifetime but `'static` elided: the callee's lifetime parameters are
/// unknown to the expansion.
pub(crate) fn elide_lifetimes(tokens: impl ToTokens) -> TokenStream {
    let mut quote = false;
    let each = |token| {
        let name = std::mem::replace(
            &mut quote,
            matches!(&token, TokenTree::Punct(p) if p.as_char() == '\''),
        );
        match token {
            TokenTree::Ident(ident) if name && ident != "static" => {
                TokenTree::from(format_ident!("_", span = ident.span())).into()
            }
            token => change_inside(token, elide_lifetimes),
        }
    };
    tokens.to_token_stream().into_iter().map(each).collect()
}

fn change_inside(token: TokenTree, change: impl FnOnce(TokenStream) -> TokenStream) -> TokenStream {
    match token {
        TokenTree::Group(group) => {
            let mut changed = Group::new(group.delimiter(), change(group.stream()));
            changed.set_span(group.span());
            TokenTree::Group(changed).into()
        }
        token => token.into(),
    }
}

/// The type without parentheses and the invisible groups that `macro_rules!` leaves.
pub(crate) fn peel_type(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => peel_type(&inner.elem),
        Type::Group(inner) => peel_type(&inner.elem),
        ty => ty,
    }
}

/// The last segment's name of a path type.
pub(crate) fn head_ident(ty: &Type) -> Option<&Ident> {
    match peel_type(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

pub(crate) fn is_type(ty: &Type, name: &str) -> bool {
    head_ident(ty).is_some_and(|ident| ident == name)
}

/// The type arguments of a path type's last segment.
pub(crate) fn type_arguments(ty: &Type) -> Vec<&Type> {
    let Type::Path(path) = peel_type(ty) else {
        return Vec::new();
    };
    match path.path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(generics)) => generics
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The content of `name<T>`.
pub(crate) fn content_of<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    if is_type(ty, name) {
        type_arguments(ty).first().copied()
    } else {
        None
    }
}

pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(peel_type(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Whether what a field of this type gives to a frontend stays the same while its object lives, so
/// that the frontend may keep it. Only types known to behave so count: a wrong "yes" would show
/// stale values, a wrong "no" only costs time.
pub(crate) fn is_constant(ty: &Type) -> bool {
    const CONSTANT: &[&str] = &[
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64",
        "bool", "char", "String", "Str", "Bytes", "PathBuf", "Ref", "List", "Map", "Function", "Any",
        "Foreign",
    ];
    match content_of(ty, "Option") {
        Some(inner) => is_constant(inner),
        None => head_ident(ty).is_some_and(|ident| CONSTANT.iter().any(|known| ident == known)),
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::parse_quote;

    use super::*;

    #[test]
    fn types_print_as_python() {
        let same = |ty: &str| assert_eq!(source_text(syn::parse_str::<Type>(ty).unwrap()), ty);
        same("Option<&'a str>");
        same("HashMap<String, Vec<[u8; 4]>>");
        same("Box<dyn Fn(i32) -> Result<(), E> + Send>");
        same("&mut dyn Iterator<Item = u8>");
        same("Borrow<'_, Self>");
        same("std::path::PathBuf");
        same("(u8, *const T)");
    }

    #[test]
    fn own_types_are_rewritten() {
        let tokens = without_self(quote!(Borrow<'a, [Self; Self::N]>), &quote!(Package));
        assert_eq!(source_text(&tokens), "Borrow<'a, [Package; Package::N]>");
        assert_eq!(
            source_text(elide_lifetimes(quote!((&'a str, Cow<'static, [&'b u8]>)))),
            "(&'_ str, Cow<'static, [&'_ u8]>)"
        );
    }

    #[test]
    fn constant_types_are_recognised() {
        for ty in ["Str", "Option<Ref<A>>", "pairbond::List<A>", "(u8)"] {
            assert!(is_constant(&syn::parse_str(ty).unwrap()), "{ty}");
        }
        // A Python list made from a `Vec` can be changed by its receiver; a weak reference dies.
        for ty in [
            "Cell<u8>",
            "Vec<u8>",
            "Weak<A>",
            "Option<Weak<A>>",
            "Mine",
            "&'static str",
        ] {
            assert!(!is_constant(&syn::parse_str(ty).unwrap()), "{ty}");
        }
        let ty: Type = parse_quote!(Result<()>);
        assert!(is_unit(content_of(&ty, "Result").unwrap()));
    }
}
