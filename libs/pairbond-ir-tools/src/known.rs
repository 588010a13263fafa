//! Properties of operations by their names. No dialect is registered: these are from their
//! documentation, as far as the verifier and edits need them, and from the traits that were
//! declared.

use crate::sorted::comes_before;

/// The traits of an operation, as bits. Python's `Trait` has the same.
#[derive(Clone, Copy, Default)]
pub struct Traits(u32);

#[allow(missing_docs, reason = "the names say it")]
impl Traits {
    pub const TERMINATOR: u32 = 1;
    pub const ISOLATED_FROM_ABOVE: u32 = 1 << 1;
    pub const PURE: u32 = 1 << 2;
    pub const COMMUTATIVE: u32 = 1 << 3;
    pub const SAME_TYPE_OPERANDS: u32 = 1 << 4;
    pub const SAME_OPERANDS_AND_RESULT_TYPE: u32 = 1 << 5;
    pub const SYMBOL: u32 = 1 << 6;
    pub const SYMBOL_TABLE: u32 = 1 << 7;
    pub const SINGLE_BLOCK: u32 = 1 << 8;
    pub const NO_TERMINATOR: u32 = 1 << 9;
    pub const GRAPH_REGION: u32 = 1 << 10;
    pub const NO_REGION_ARGUMENTS: u32 = 1 << 11;
}

impl Traits {
    /// Returns traits by their bits.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: u32) -> Traits {
        Traits(bits)
    }

    /// Whether one of some traits is there.
    #[inline]
    #[must_use]
    pub fn has_trait(self, it: u32) -> bool {
        self.0 & it != 0
    }
}

/// Properties of an operation that follow from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Whether a block may end with it.
    pub is_terminator: bool,
    /// Whether nothing in its regions may use values that are defined outside.
    pub is_isolated: bool,
    /// Whether the order of operations in its regions means nothing.
    pub is_graph: bool,
    /// Whether blocks in it need no terminator, if they are the only ones of their regions.
    pub needs_no_end: bool,
    /// Whether its regions have one block at most.
    pub is_single_block: bool,
    /// Whether it defines the symbol that it is called by.
    pub is_symbol: bool,
    /// Whether no two symbols in it may be called the same.
    pub is_symbol_table: bool,
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

const _: () = {
    let mut at = 1;
    while at < DIALECTS.len() {
        assert!(comes_before(DIALECTS[at - 1].0, DIALECTS[at].0));
        at += 1;
    }
};

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
#[must_use]
pub fn from_name(name: &str, declared: Option<Traits>) -> Option<Known> {
    let (dialect, rest) = name.split_once('.')?;
    let found = DIALECTS.binary_search_by(|(it, _)| (*it).cmp(dialect)).ok();
    if found.is_none() && declared.is_none() {
        return None;
    }
    let traits = declared.unwrap_or_default();
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

/// Whether an operation is known to be a terminator that was not declared.
#[must_use]
pub fn is_own_terminator(name: &str) -> bool {
    let own = |(dialect, rest): (&str, &str)| {
        let found = DIALECTS.binary_search_by(|(it, _)| (*it).cmp(dialect));
        found.is_ok_and(|found| DIALECTS[found].1.contains(&rest))
    };
    name.split_once('.').is_some_and(own)
}

/// The operations that one may stand directly in, if only some.
#[must_use]
pub fn allowed_parents(name: &str) -> Option<&'static [&'static str]> {
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
#[must_use]
pub fn required_terminator(name: &str, region: usize) -> Option<&'static str> {
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
        assert!(from_name("scf.reduce.return", None).is_some_and(|it| it.is_terminator));
        assert!(from_name("arith.addi", None).is_some_and(|it| !it.is_terminator));
        assert!(
            from_name("builtin.module", None).is_some_and(|it| it.is_graph && it.is_isolated && it.is_symbol)
        );
        assert_eq!(from_name("my.op", None), None);
        assert_eq!(from_name("module", None), None);
    }
}
