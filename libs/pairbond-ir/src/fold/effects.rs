//! Effects of operations by their names: which only compute, and which see the values around them,
//! declared ones included. All others are assumed to do anything.

use std::cell::OnceCell;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;
use pairbond_ir_tools::sorted::is_sorted;

use super::arith::Arith;
use crate::fast::{FastSet, object_address};
use crate::ir::{Operation, edits};
use crate::op_definition::{self, Traits};
use crate::room::Room;

/// Dialects whose operations all do nothing but compute.
const PURE_DIALECTS: [&str; 4] = ["arith", "math", "complex", "index"];

/// Operations of other dialects that do nothing but compute, in order.
const PURE: [&str; 64] = [
    "affine.apply",
    "affine.max",
    "affine.min",
    "builtin.unrealized_conversion_cast",
    "func.constant",
    "stablehlo.abs",
    "stablehlo.add",
    "stablehlo.and",
    "stablehlo.atan2",
    "stablehlo.bitcast_convert",
    "stablehlo.broadcast_in_dim",
    "stablehlo.cbrt",
    "stablehlo.ceil",
    "stablehlo.clamp",
    "stablehlo.compare",
    "stablehlo.complex",
    "stablehlo.concatenate",
    "stablehlo.constant",
    "stablehlo.convert",
    "stablehlo.convolution",
    "stablehlo.cosine",
    "stablehlo.count_leading_zeros",
    "stablehlo.divide",
    "stablehlo.dot_general",
    "stablehlo.exponential",
    "stablehlo.exponential_minus_one",
    "stablehlo.floor",
    "stablehlo.imag",
    "stablehlo.iota",
    "stablehlo.is_finite",
    "stablehlo.log",
    "stablehlo.log_plus_one",
    "stablehlo.logistic",
    "stablehlo.maximum",
    "stablehlo.minimum",
    "stablehlo.multiply",
    "stablehlo.negate",
    "stablehlo.not",
    "stablehlo.or",
    "stablehlo.pad",
    "stablehlo.popcnt",
    "stablehlo.power",
    "stablehlo.real",
    "stablehlo.remainder",
    "stablehlo.reshape",
    "stablehlo.reverse",
    "stablehlo.rsqrt",
    "stablehlo.select",
    "stablehlo.shift_left",
    "stablehlo.shift_right_arithmetic",
    "stablehlo.shift_right_logical",
    "stablehlo.sign",
    "stablehlo.sine",
    "stablehlo.slice",
    "stablehlo.sqrt",
    "stablehlo.subtract",
    "stablehlo.tan",
    "stablehlo.tanh",
    "stablehlo.transpose",
    "stablehlo.xor",
    "tensor.cast",
    "tensor.dim",
    "tensor.empty",
    "tensor.extract",
];

/// Operations whose effects are those of their regions, and that see the values around them.
const STRUCTURED: [&str; 11] = [
    "affine.for",
    "affine.if",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "stablehlo.case",
    "stablehlo.if",
    "stablehlo.map",
    "stablehlo.reduce",
    "stablehlo.reduce_window",
    "stablehlo.sort",
];

/// The terminators of these operations' regions.
const YIELDS: [&str; 3] = ["affine.yield", "scf.yield", "stablehlo.return"];

/// Operations that see the values around them and may do anything.
const TRANSPARENT: [&str; 5] = [
    "linalg.generic",
    "scf.execute_region",
    "scf.parallel",
    "scf.while",
    "stablehlo.while",
];

const _: () = assert!(is_sorted(&PURE) && is_sorted(&STRUCTURED));
const _: () = assert!(is_sorted(&YIELDS) && is_sorted(&TRANSPARENT));

fn contains_sorted(sorted: &[&str], name: &str) -> bool {
    sorted.binary_search(&name).is_ok()
}

fn is_pure_name(name: &str) -> bool {
    let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
    PURE_DIALECTS.contains(&dialect)
        || contains_sorted(&PURE, name)
        || op_definition::traits_of(name).has_trait(Traits::PURE)
}

/// The properties of the operations of a name: looked up once for many of them.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// Only computes, its regions apart.
    computes: bool,
    /// Has the effects of its regions.
    is_structured: bool,
    /// Ends a block.
    ends: bool,
    pub(super) is_commutative: bool,
    pub(super) arith: Option<Arith>,
}

impl Kind {
    pub(crate) fn from_name(name: &str) -> Self {
        Kind {
            computes: is_pure_name(name),
            is_structured: contains_sorted(&STRUCTURED, name),
            ends: is_terminator_name(name),
            is_commutative: op_definition::traits_of(name).has_trait(Traits::COMMUTATIVE),
            arith: Arith::from_name(name),
        }
    }

    /// Whether an operation of this kind without regions only computes.
    pub(crate) fn is_pure(self) -> bool {
        self.computes
    }

    /// Whether it computes the same in whatever order its operands stand.
    pub(crate) fn is_commutative(self) -> bool {
        self.is_commutative
    }

    /// Whether an operation of this kind, which is in `root`, is dead.
    pub(crate) fn is_dead(self, op: &Ref<Operation>, root: &Ref<Operation>, effects: &Effects) -> bool {
        if self.ends || !(self.computes || self.is_structured) || edits::are_results_used(op) {
            return false;
        }
        if op.list(|it| &it.regions).is_empty() {
            return self.computes;
        }
        // The set may be out of date. A dead operation is looked at once.
        !effects.are_in(op, root) && do_all_compute(op)
    }
}

/// Operations in whose regions something does more than compute: found out for all of them together
/// when one is asked about, and not kept up to date.
#[derive(Default)]
pub(crate) struct Effects(OnceCell<FastSet<usize>>);

impl Effects {
    fn are_in(&self, op: &Ref<Operation>, root: &Ref<Operation>) -> bool {
        self.0
            .get_or_init(|| impure_operations(&edits::inside(root)))
            .contains(&object_address(op))
    }
}

/// Of operations, outer ones first, the addresses of those in which one does more than compute.
fn impure_operations(all: &[Ref<Operation>]) -> FastSet<usize> {
    let mut found = FastSet::default();
    for op in all.iter().rev() {
        if (found.contains(&object_address(op)) || !only_computes(op.name()))
            && let Some(around) = Operation::parent_operation(op)
        {
            found.room().insert(object_address(&around));
        }
    }
    found
}

fn is_terminator_name(name: &str) -> bool {
    contains_sorted(&YIELDS, name) || op_definition::traits_of(name).has_trait(Traits::TERMINATOR)
}

/// Whether an operation only computes, if that is so of its name, its regions included.
fn is_pure_if(op: &Ref<Operation>, computes_itself: impl FnOnce() -> bool) -> bool {
    if op.list(|it| &it.regions).is_empty() {
        return computes_itself();
    }
    only_computes(op.name()) && do_all_compute(op)
}

fn do_all_compute(op: &Ref<Operation>) -> bool {
    edits::inside(op).iter().all(|it| only_computes(it.name()))
}

/// Whether an operation of that name only computes if all in its regions do.
fn only_computes(name: &str) -> bool {
    contains_sorted(&STRUCTURED, name) || contains_sorted(&YIELDS, name) || is_pure_name(name)
}

/// Whether it only computes its results, its regions included.
pub(crate) fn is_pure(op: &Ref<Operation>) -> bool {
    is_pure_if(op, || is_pure_name(op.name()))
}

/// Whether an operation in `root` is dead.
pub(crate) fn is_dead(op: &Ref<Operation>, root: &Ref<Operation>, effects: &Effects) -> bool {
    // Most have uses, which is soon found out.
    !edits::are_results_used(op) && Kind::from_name(op.name()).is_dead(op, root, effects)
}

/// Whether values around an operation may be used in it.
pub(crate) fn is_transparent(op: &Ref<Operation>) -> bool {
    let is_open = |name: &str| {
        op_definition::find_definition(name)
            .is_some_and(|it| !it.traits.has_trait(Traits::ISOLATED_FROM_ABOVE))
    };
    contains_sorted(&STRUCTURED, op.name()) || contains_sorted(&TRANSPARENT, op.name()) || is_open(op.name())
}
