//! Documentation comments, as the text that Python will show.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// All doc comments among `attributes`, joined, the common indent and blank lines at both ends
/// removed.
pub(crate) fn doc_of(attributes: &[Attribute]) -> String {
    let text = attributes
        .iter()
        .filter_map(doc_line)
        .collect::<Vec<_>>()
        .join("\n");
    unindent_text(&text)
}

/// The text of one `#[doc = "…"]`; `None` for other attributes and for macros such as
/// `include_str!`, whose text is not known here.
fn doc_line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn unindent_text(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let indent = lines
        .iter()
        .filter(|l| !l.is_empty())
        .map(|l| l.len() - l.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|l| l.get(indent..).unwrap_or("")).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    #[test]
    fn joined_and_unindented() {
        let item: syn::ItemStruct = parse_quote! {
            /// A package.
            ///
            ///     indented
            #[other]
            /// Last.
            struct A;
        };
        assert_eq!(super::doc_of(&item.attrs), "A package.\n\n    indented\nLast.");
    }

    #[test]
    fn block_comments_and_none() {
        let item: syn::ItemStruct = parse_quote! {
            #[doc = "\n  One\n    two\n"]
            struct A;
        };
        assert_eq!(super::doc_of(&item.attrs), "One\n  two");
        let item: syn::ItemStruct = parse_quote!(
            struct A;
        );
        assert_eq!(super::doc_of(&item.attrs), "");
    }
}
