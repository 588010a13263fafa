//! Names that Python will see.

use proc_macro2::Ident;
use quote::ToTokens;

use crate::errors::Errors;

/// Sorted, for binary search. Soft keywords (`match`, `type`, `case`) are ordinary names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

/// A name as Python writes it: letters, digits and `_`, not starting with a digit.
pub(crate) fn is_identifier(name: &str) -> bool {
    // Rust's rule for identifiers is Python's too (both follow UAX 31), but only ASCII survives as
    // a C symbol and in a type name.
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// An identifier without `r#`.
pub(crate) fn without_raw(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// Complains about names that Python programs cannot write. `how` says how to give another one.
pub(crate) fn check_name(name: &str, at: impl ToTokens, how: &str, errors: &mut Errors) {
    if is_keyword(name) {
        errors.error_at(at, format!("`{name}` is a keyword of Python; {how}"));
    } else if !is_identifier(name) {
        errors.error_at(
            at,
            format!("`{name}` is not a name that Python programs can write; {how}"),
        );
    }
}

/// Those of `known` that look most like `name`, best first, at most three.
pub(crate) fn nearest_names<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Vec<&'k str> {
    let limit = (name.len() / 3).max(2);
    let mut near: Vec<_> = known
        .map(|k| (edit_distance(name, k), k))
        .filter(|(d, _)| *d <= limit)
        .collect();
    near.sort();
    near.into_iter().map(|(_, k)| k).take(3).collect()
}

/// Levenshtein's.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
        assert!(is_keyword("lambda") && !is_keyword("match"));
    }

    #[test]
    fn near_names() {
        assert_eq!(
            nearest_names("__length__", ["__len__", "__getitem__"].into_iter()),
            ["__len__"]
        );
        assert_eq!(
            nearest_names("__rep__", ["__repr__", "__pos__"].into_iter())[0],
            "__repr__"
        );
        assert!(nearest_names("__zzzzzz__", ["__len__"].into_iter()).is_empty());
    }
}
