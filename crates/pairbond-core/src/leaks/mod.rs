//! [`leaks`]: living objects, and their holders.
//!
//! All objects of traced types are on the collector's list; they show their references, field by
//! field. Counts give the rest: a strong reference that no object shows is held from outside, and a
//! wrapper's count, which its language knows, shows whether that is held. From these *roots* every
//! other object is reached along references, and each gets the shortest path from one. Objects of
//! types that own no references are met on the way; those that no object shows are reported by
//! their number only.
//!
//! It is a report, not a collector: other threads go on, and objects that they move meanwhile may
//! be shown on two paths or on none.
//!
//! * this file – the report.
//! * `alive` – the walk.
//! * `paths` – from roots to objects.
//! * `references` – what one object owns, for pictures of graphs.

#[allow(unsafe_code, reason = "objects are read while none can be destroyed")]
mod alive;
#[allow(unsafe_code, reason = "references are read under their locks")]
mod named_references;
mod paths;

use std::ffi::c_void;
use std::fmt;

use crate::any::tagged_word::Word;
use crate::error::{Error, panics};
use crate::memory::Gather;
use crate::object::Header;
use crate::runtime::{find_function, function_names};

pub use named_references::{By, Counts, Reference, each_reference};

/// Why an object is alive, seen from where its path begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Root {
    /// The process's table of functions by name holds it under this name.
    Function(String),
    /// Native references that no object shows: variables, statics, closures, `#[untraced]` fields.
    Native {
        /// How many.
        references: u64,
    },
    /// Its wrapper, which is held by something in the wrapper's language.
    Wrapper {
        /// How many references to the wrapper there are besides the object's own; `None`: it
        /// belongs to an interpreter that cannot be asked here.
        references: Option<usize>,
    },
    /// Nothing but a cycle, which has not been collected yet.
    Cycle,
    /// Unknown: the type shows no references and no object was seen to hold it. It may be in a
    /// field that is not traced (as texts are), in a variable, or its wrapper may be held.
    Unseen,
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count| if count == 1 { "" } else { "s" };
        match self {
            Root::Function(name) => write!(f, "the global function {name:?}"),
            Root::Native { references } => {
                write!(f, "{references} native reference{} from outside", s(*references))
            }
            Root::Wrapper {
                references: Some(references),
            } => {
                write!(
                    f,
                    "a Python wrapper with {references} reference{}",
                    s(*references as u64)
                )
            }
            Root::Wrapper { references: None } => f.write_str("a wrapper of another interpreter"),
            Root::Cycle => f.write_str("a cycle that was not collected"),
            Root::Unseen => f.write_str("references that no object shows"),
        }
    }
}

/// One step of a path: an object that holds the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The type of the holding object.
    pub key: &'static str,
    /// Its field, if that is known.
    pub field: Option<&'static str>,
    /// The step is taken more than once.
    pub repeated: bool,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}{}",
            self.key,
            if self.field.is_some() { "." } else { "" },
            self.field.unwrap_or(""),
            if self.repeated { "…" } else { "" }
        )
    }
}

/// Objects of one type that are alive in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leak {
    /// The type's key.
    pub key: &'static str,
    /// How many objects.
    pub count: usize,
    /// On whose account.
    pub root: Root,
    /// From what the root holds to what holds the objects; empty when the root holds them itself.
    pub path: Vec<Step>,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {}: held by {}", self.count, self.key, self.root)?;
        if !self.path.is_empty() {
            f.write_str(" through ")?;
            for step in &self.path {
                write!(f, "{step} → ")?;
            }
            f.write_str(self.key)?;
        }
        Ok(())
    }
}

/// What a language runtime knows that the core does not.
pub trait Language {
    /// How many references to a wrapper there are, with its object's own; `None` when it belongs to
    /// another runtime. It is alive.
    fn reference_count(&self, tag: u16, wrapper: *mut c_void) -> Option<usize>;
    /// Shows living objects of untraced types that the runtime knows of.
    fn for_each_object(&self, each: &mut dyn FnMut(&Header));
}

/// The native functions of the process's table by name, kept while a report is made. They are no
/// leaks; they hold their captured values.
#[derive(Debug)]
pub struct Globals(Vec<(String, Word)>);

impl Globals {
    /// Those that are registered now.
    #[must_use]
    pub fn registered_now() -> Self {
        let native = |name: String| {
            let function = find_function(&name).1?;
            function.as_native()?;
            Some((name, function))
        };
        Globals(function_names().into_iter().filter_map(native).gather())
    }

    /// Name and address of each.
    fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().filter_map(|(name, function)| {
            let header = std::ptr::from_ref(function.as_native()?.header());
            Some((name.as_str(), header.addr()))
        })
    }
}

/// There is none.
struct Silent;

impl Language for Silent {
    fn reference_count(&self, _: u16, _: *mut c_void) -> Option<usize> {
        None
    }
    fn for_each_object(&self, _: &mut dyn FnMut(&Header)) {}
}

/// Living objects, grouped by type and by the path from their holder, most numerous first. Collects
/// cycles first. Without memory for that it unwinds with a `MemoryError`.
///
/// ```
/// use pairbond_core::leaks::{Root, leaks};
/// use pairbond_value::value::{Any, List};
///
/// let outer = List::<Any>::new();
/// let inner = List::<Any>::new();
/// outer.push(Any::from(inner));
/// let found = leaks();
/// assert!(found.iter().any(|leak| leak.root == Root::Native { references: 1 } && leak.path.is_empty()));
/// assert!(found.iter().any(|leak| leak.to_string().contains("through pairbond.List → pairbond.List")));
/// ```
#[must_use]
pub fn leaks() -> Vec<Leak> {
    crate::trace::collect();
    leaks_with(&Silent, &Globals::registered_now()).unwrap_or_else(|error| error.unwind())
}

/// As [`leaks`], asking a language runtime, and without collecting. Drops no reference.
///
/// # Errors
/// There is no memory for the list of all objects.
pub fn leaks_with(language: &dyn Language, globals: &Globals) -> Result<Vec<Leak>, Error> {
    panics::catch_panic(|| Ok(paths::report_leaks(&alive::Alive::scan_heap(language, globals)?)))
}
