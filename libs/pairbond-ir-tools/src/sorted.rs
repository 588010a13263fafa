//! Whether a table of names is in order, as a constant: a table that is not is not compiled.

/// Whether each name comes before the next, so that a binary search finds them all.
#[must_use]
pub const fn is_sorted(names: &[&str]) -> bool {
    let mut at = 1;
    while at < names.len() {
        if !comes_before(names[at - 1], names[at]) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a name comes before another one, by their bytes, as `<` has it.
#[must_use]
pub const fn comes_before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

#[cfg(test)]
mod tests {
    use super::{comes_before, is_sorted};

    #[test]
    fn names_are_compared_as_strings_are() {
        let names = ["", "a", "a.b", "a.c", "aa", "b", "é", "\u{1F600}"];
        for a in names {
            for b in names {
                assert_eq!(comes_before(a, b), a < b, "{a:?} {b:?}");
                assert_eq!(is_sorted(&[a, b]), a < b, "{a:?} {b:?}");
            }
        }
        assert!(is_sorted(&names) && is_sorted(&[]));
        assert!(!is_sorted(&["a", "b", "d", "c"]));
    }
}
