//! Properties of operations by their names. No dialect is registered: these are from their
//! documentation, as far as the verifier and edits need them, and from declarations.

use super::{Traits, find_definition, is_any};

/// Properties of an operation that follow from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Whether a block may end with it.
    pub(crate) is_terminator: bool,
    /// Whether nothing in its regions may use values that are defined outside.
    pub(crate) is_isolated: bool,
    /// Whether the order of operations in its regions means nothing.
    pub(crate) is_graph: bool,
    /// Whether blocks in it need no terminator, if they are the only ones of their regions.
    pub(crate) needs_no_end: bool,
    /// Whether its regions have one block at most.
    pub(crate) is_single_block: bool,
    /// Whether it defines the symbol that it is called by.
    pub(crate) is_symbol: bool,
    /// Whether no two symbols in it may be called the same.
    pub(crate) is_symbol_table: bool,
}

/// Dialects of which all terminators are known, with these. Other operations of them are none.
const DIALECTS: &[(&str, &[&str])] = &[
    ("affine", &["yield"]),
    ("arith", &[]),
    ("builtin", &[]),
    ("cf", &["br", "cond_br", "switch"]),
    ("chlo", &[]),
    ("complex", &[]),
    ("func", &["return"]),
    ("linalg", &["yield"]),
    (
        "llvm",
        &[
            "br",
            "cond_br",
            "indirectbr",
            "invoke",
            "resume",
            "return",
            "switch",
            "unreachable",
        ],
    ),
    ("math", &[]),
    ("memref", &["alloca_scope.return", "atomic_yield"]),
    (
        "scf",
        &[
            "condition",
            "forall.in_parallel",
            "reduce",
            "reduce.return",
            "yield",
        ],
    ),
    ("stablehlo", &["return"]),
    ("tensor", &["yield"]),
    ("vector", &["yield"]),
];

const ISOLATED: &[&str] = &["builtin.module", "func.func", "llvm.func", "llvm.mlir.global"];
const GRAPHS: &[&str] = &["builtin.module", "llvm.comdat", "scf.forall.in_parallel"];
const SYMBOLS: &[&str] = &[
    "builtin.module",
    "func.func",
    "llvm.comdat",
    "llvm.func",
    "llvm.mlir.global",
];

/// The properties of an operation; `None` for those of unknown dialects that were not declared:
/// they may be anything.
pub(crate) fn from_name(name: &str) -> Option<Known> {
    let (dialect, rest) = name.split_once('.')?;
    let found = DIALECTS.binary_search_by(|(it, _)| (*it).cmp(dialect)).ok();
    let declared = find_definition(name);
    if found.is_none() && declared.is_none() {
        return None;
    }
    let traits = declared.map(|it| it.traits).unwrap_or_default();
    let is_graph = GRAPHS.contains(&name);
    Some(Known {
        is_terminator: traits.has_trait(Traits::TERMINATOR)
            || found.is_some_and(|found| DIALECTS[found].1.contains(&rest)),
        is_isolated: traits.has_trait(Traits::ISOLATED_FROM_ABOVE) || ISOLATED.contains(&name),
        is_graph: traits.has_trait(Traits::GRAPH_REGION) || is_graph,
        needs_no_end: traits.has_trait(Traits::NO_TERMINATOR) || is_graph,
        is_single_block: is_graph,
        is_symbol: traits.has_trait(Traits::SYMBOL) || SYMBOLS.contains(&name),
        is_symbol_table: traits.has_trait(Traits::SYMBOL_TABLE) || name == "builtin.module",
    })
}

/// Whether an operation may be known to be a terminator: takes no lock, and does not look at
/// declarations if there are none.
pub(crate) fn may_be_terminator(name: &str) -> bool {
    let own = |(dialect, rest): (&str, &str)| {
        let found = DIALECTS.binary_search_by(|(it, _)| (*it).cmp(dialect));
        found.is_ok_and(|found| DIALECTS[found].1.contains(&rest))
    };
    is_any() || name.split_once('.').is_some_and(own)
}

/// Whether the contents of operations of that name use nothing from outside.
pub(crate) fn is_isolated(name: &str) -> bool {
    from_name(name).is_some_and(|it| it.is_isolated)
}

/// Whether blocks may end with an operation of that name; `None` if nothing is known of it.
pub(crate) fn is_terminator(name: &str) -> Option<bool> {
    from_name(name).map(|it| it.is_terminator)
}

/// Whether an operation of that name is known to hold symbols.
pub(crate) fn is_symbol_table(name: &str) -> bool {
    from_name(name).is_some_and(|it| it.is_symbol_table)
}

/// Whether anything is known of operations of that name.
pub(crate) fn is_known(name: &str) -> bool {
    from_name(name).is_some()
}

/// The operations that one may stand directly in, if only some.
pub(crate) fn allowed_parents(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "func.return" => Some(&["func.func"]),
        "scf.yield" => Some(&[
            "scf.execute_region",
            "scf.for",
            "scf.if",
            "scf.index_switch",
            "scf.while",
        ]),
        "scf.condition" => Some(&["scf.while"]),
        _ => None,
    }
}

/// Returns the terminator that blocks of a region must have, if there is only one.
pub(crate) fn required_terminator(name: &str, region: usize) -> Option<&'static str> {
    match (name, region) {
        ("scf.while", 0) => Some("scf.condition"),
        ("scf.for" | "scf.if" | "scf.index_switch" | "scf.while", _) => Some("scf.yield"),
        ("affine.for" | "affine.if" | "affine.parallel", _) => Some("affine.yield"),
        ("stablehlo.reduce" | "stablehlo.while" | "stablehlo.case" | "stablehlo.if", _) => {
            Some("stablehlo.return")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_names() {
        assert!(DIALECTS.is_sorted_by_key(|(dialect, _)| dialect));
        assert!(from_name("scf.reduce.return").is_some_and(|it| it.is_terminator));
        assert!(from_name("arith.addi").is_some_and(|it| !it.is_terminator));
        assert!(from_name("builtin.module").is_some_and(|it| it.is_graph && it.is_isolated && it.is_symbol));
        assert_eq!(from_name("my.op"), None);
        assert_eq!(from_name("module"), None);
    }
}
