//! Properties of operations by their names.
//!
//! * this file – operations that programs declare (`@dialect.op` in Python): a declaration, and the
//!   table of them. [`crate::op_parts`] finds the parts of an operation that is declared, and
//!   [`crate::verify`] checks it.
//! * `known` – properties that no declaration has to name, of MLIR's dialects.
//!
//! The table is the process's: a name means the same in all contexts, passes on native threads need
//! it without Python, and a context may be made before or after. It holds no object. Declaring a
//! name again replaces the earlier declaration. The Python class for the name is pairbond's matter
//! (`pairbond.class_for`): it is chosen when an operation gets its wrapper, so parsing and creating
//! do not depend on declarations.

pub(crate) mod known;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, PoisonError};

use pairbond::fork::RwLock;
use pairbond::prelude::*;
use pairbond::types::TypeInfo;
pub(crate) use pairbond_ir_tools::known::Traits;

use crate::fast::FastMap;

/// Whether anything was declared.
pub(crate) fn is_any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// How many of something a part of an operation is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    Optional,
    Variadic,
}

/// A named part: some operands, results, regions, successors, or an attribute.
pub(crate) struct Part {
    pub(crate) name: Str,
    pub(crate) arity: Arity,
    /// Its types or attributes are of one of these; of any if there are none.
    pub(crate) kinds: Vec<&'static TypeInfo>,
}

/// The declaration of the operations of a name.
pub(crate) struct Declared {
    pub(crate) operands: Vec<Part>,
    pub(crate) results: Vec<Part>,
    pub(crate) regions: Vec<Part>,
    pub(crate) successors: Vec<Part>,
    pub(crate) attributes: Vec<Part>,
    pub(crate) traits: Traits,
    /// The operations that one may stand directly in, if only some.
    pub(crate) parents: Vec<Str>,
    pub(crate) verifier: Option<Function>,
}

impl Declared {
    /// Whether an attribute belongs to what the operation is, and so to its properties.
    pub(crate) fn is_inherent(&self, attribute: &str) -> bool {
        attribute == "operandSegmentSizes"
            || attribute == "resultSegmentSizes"
            || self.attributes.iter().any(|it| *it.name == *attribute)
    }
}

type Table = FastMap<Str, Arc<Declared>>;

static ANY: AtomicBool = AtomicBool::new(false);
static TABLE: LazyLock<RwLock<Option<Table>>> = LazyLock::new(RwLock::default);

/// Returns the declaration of a name.
pub(crate) fn find_definition(name: &str) -> Option<Arc<Declared>> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table.as_ref()?.get(name).cloned()
}

/// Whether anything was declared of a dialect.
pub(crate) fn has_dialect(dialect: &str) -> bool {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    let of_it = |name: &Str| name.split_once('.').is_some_and(|it| it.0 == dialect);
    table.as_ref().is_some_and(|it| it.keys().any(of_it))
}

/// The traits that were declared for a name; none if nothing was.
pub(crate) fn traits_of(name: &str) -> Traits {
    find_definition(name).map_or_else(Traits::default, |it| it.traits)
}

type Parts = Vec<(Str, i64, Vec<Str>)>;

fn parse_parts(of: Parts) -> Result<Vec<Part>> {
    let part = |(name, arity, kinds): (Str, i64, Vec<Str>)| {
        let arity = match arity {
            0 => Arity::One,
            1 => Arity::Optional,
            _ => Arity::Variadic,
        };
        let kind = |key: &Str| {
            pairbond::types::find_type(key)
                .ok_or_else(|| Error::type_error(format!("{key} is no type of pairbond's")))
        };
        let kinds = kinds.iter().map(kind).collect::<Result<_>>()?;
        Ok(Part { name, arity, kinds })
    };
    of.into_iter().map(part).collect()
}

/// Says what operations of a name are. A part is its name, whether it is 0 one, 1 at most one, 2
/// any number, and keys of the types that it may have.
#[pairbond::function]
#[name("_declare")]
#[allow(clippy::too_many_arguments, reason = "named by its only caller")]
pub(crate) fn declare(
    name: Str,
    operands: Parts,
    results: Parts,
    regions: Parts,
    successors: Parts,
    attributes: Parts,
    traits: u32,
    parents: Vec<Str>,
    #[required] verifier: Option<Function>,
) -> Result<()> {
    let declared = Declared {
        operands: parse_parts(operands)?,
        results: parse_parts(results)?,
        regions: parse_parts(regions)?,
        successors: parse_parts(successors)?,
        attributes: parse_parts(attributes)?,
        traits: Traits::from_bits(traits),
        parents,
        verifier,
    };
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let before = table.get_or_insert_default().insert(name, Arc::new(declared));
    drop(table);
    ANY.store(true, Ordering::Release);
    drop(before);
    Ok(())
}
