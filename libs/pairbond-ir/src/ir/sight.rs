//! [`Seen`]: what passes ask of each operation, found out in one look without handles.

use pairbond::prelude::*;
use pairbond::tree::{TreeGuard, TreeNode, with_lock};

use super::read::{has_regions, peek_operands};
use super::uses::{self, used_at_sight};
use super::{Operation, Value, all_operands};
use crate::fast::object_address;
use crate::room::Gather;

/// How many operands and results most operations have at most.
const FEW: usize = 6;

/// Addresses of all that an operation without regions computes from, but for its name. Equal ones
/// compute the same if the names are equal, as long as one of the operations is held.
#[derive(PartialEq, Eq, Hash, Clone)]
pub(crate) struct Sight {
    values: Values,
    attributes: usize,
    properties: usize,
}

/// Operands, and then the types of results.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Values {
    Few {
        operands: u8,
        results: u8,
        all: [usize; FEW],
    },
    Many {
        operands: Vec<usize>,
        types: Vec<usize>,
    },
}

/// See the head of this file.
pub(crate) struct Seen {
    /// Returns whether a result has uses.
    pub(crate) is_used: bool,
    pub(crate) has_regions: bool,
    /// `None` if an operand is gone, or there are no results.
    pub(crate) sight: Option<Sight>,
}

impl Seen {
    pub(crate) fn from_operation(op: &Ref<Operation>) -> Seen {
        let (is_used, has_regions, sight) = with_lock(|guard| {
            let (values, is_used) = read_few(guard, op);
            let (attributes, properties) = op.about.with_in(guard, |(_, attributes, properties)| {
                let of = |it: &Option<_>| it.as_ref().map_or(0, object_address);
                (of(attributes), of(properties))
            });
            let sight = values.map(|values| Sight {
                values,
                attributes,
                properties,
            });
            (is_used, has_regions(guard, op), sight)
        });
        Seen {
            is_used: is_used.unwrap_or_else(|| uses::are_results_used(op)),
            has_regions,
            sight: sight.or_else(|| read_many(op)).filter(Sight::has_results),
        }
    }
}

/// The values of an operation that has few, all of which are there; and whether results are used,
/// as far as that is seen at sight.
fn read_few(guard: &TreeGuard, op: &Operation) -> (Option<Values>, Option<bool>) {
    let (mut all, mut count, mut fits) = ([0; FEW], 0, true);
    let mut add = |word: Option<usize>| match (word, all.get_mut(count)) {
        (Some(word), Some(place)) => {
            *place = word;
            count += 1;
        }
        _ => fits = false,
    };
    let operands = peek_operands(guard, op, |_, value| {
        add(value.filter(|it| !it.is_erased()).map(|it| it.addr()));
    });
    let (mut results, mut is_used) = (0_usize, Some(false));
    for result in guard.children(&op.results) {
        let value: &Value = result.get();
        add(Some(value.with_type(guard, object_address)));
        results += 1;
        if is_used == Some(false) {
            is_used = used_at_sight(guard, value);
        }
    }
    let values = fits.then_some(Values::Few {
        operands: operands as u8,
        results: results as u8,
        all,
    });
    (values, is_used)
}

/// The same of any operation; `None` if an operand is gone.
#[cold]
fn read_many(op: &Ref<Operation>) -> Option<Sight> {
    let values: Option<Vec<Ref<Value>>> = all_operands(op).into_iter().collect();
    let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().gather();
    let values = Values::Many {
        operands: values?.iter().map(object_address).gather(),
        types: results.iter().map(|it| object_address(&it.r#type())).gather(),
    };
    Some(Sight {
        values,
        attributes: op.attributes().map_or(0, |it| object_address(&it)),
        properties: op.properties().map_or(0, |it| object_address(&it)),
    })
}

impl Sight {
    fn has_results(&self) -> bool {
        match &self.values {
            Values::Few { results, .. } => *results > 0,
            Values::Many { types, .. } => !types.is_empty(),
        }
    }

    /// The same for operations that compute the same in whatever order their operands stand.
    pub(crate) fn ordered_if(mut self, is_commutative: bool) -> Sight {
        let operands = match &mut self.values {
            Values::Few { operands, all, .. } => &mut all[..usize::from(*operands)],
            Values::Many { operands, .. } => operands,
        };
        if is_commutative {
            operands.sort_unstable();
        }
        self
    }
}
