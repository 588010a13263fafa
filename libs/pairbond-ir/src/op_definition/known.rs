//! Properties of operations by their names: the tables of [`pairbond_ir_tools::known`], and what
//! programs declared.

use pairbond_ir_tools::known;
pub(crate) use pairbond_ir_tools::known::{Known, allowed_parents, required_terminator};

use super::{find_definition, is_any};

/// The properties of an operation; `None` for those of unknown dialects that were not declared:
/// they may be anything.
pub(crate) fn from_name(name: &str) -> Option<Known> {
    known::from_name(name, find_definition(name).map(|it| it.traits))
}

/// Whether an operation may be known to be a terminator: takes no lock, and does not look at
/// declarations if there are none.
pub(crate) fn may_be_terminator(name: &str) -> bool {
    is_any() || known::is_own_terminator(name)
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
