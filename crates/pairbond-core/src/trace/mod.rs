//! Enumerating the references that objects own, and collecting the cycles that they form.
//!
//! What a type tells a collector about itself is declared where objects are ([`Trace`], [`Reach`],
//! in `object/trace.rs` and `object/reach.rs`) and where types are ([`Plan`], [`Tracer`]). Here:
//!
//! * `references` – showing an object's references, by either.
//! * `disarm_foreign_refs` – what native code holds of an interpreter that ends.
//! * `survey` – all objects and references as they were at one instant. `alone`: when nobody else
//!   is there. `duty`: what it leaves to do.
//! * `graph`, `counts`, `scc` – that in flat arrays; which objects are spoken for together.
//! * `snapshot`, `visit_edges`, `pins` – [`Snapshot`]: what a frontend's collector is told, and
//!   which addresses are kept for it.
//! * `collect`, `decision` – the collector of cycles that need no frontend: its steps, and its
//!   decision.
//! * `sweep` – the same collector where a frontend says which wrappers hold nothing of its own, and
//!   which wrappers its collector must be shown.
//! * `interrupt` – how a frontend ends a collection early.
//! * `wrappers` – a look at each wrapper, without a survey.
//! * `fault`, `faults` – ways to break all this on purpose, and the test that tests notice.

mod alone;
mod collect;
mod collections;
mod decision;
mod disarm_foreign_refs;
mod fault;
#[cfg(all(test, not(loom)))]
mod faults;
mod graph;
mod interrupt;
mod node_counts;
mod pins;
#[cfg(all(test, not(loom)))]
mod plans;
mod references;
mod scc;
mod snapshot;
mod survey;
mod survey_duty;
mod sweep;
mod visit_edges;
mod wrappers;

pub use crate::object::{Reach, Trace, Untraced};
#[doc(hidden)]
pub use crate::tracked::gate::{Door, Gate};
pub use crate::types::{Plan, Tracer, TracerTable};
pub use collect::{Statistics, are_all_wrapped, collect, find_garbage, last_statistics, live_traced};
pub use collections::Collections;
pub(crate) use collections::{COLLECTIONS, adopt_collections, collection_counts};
pub use decision::Condemned;
pub use disarm_foreign_refs::disarm_foreign_refs;
pub use graph::{forget_kept, release_kept};
pub use interrupt::run_interruptible;
pub use pins::Pins;
pub use snapshot::{Node, Snapshot};
pub use survey_duty::drain_deferred;
pub use sweep::{Look, Swept, sweep_dormant};
pub use visit_edges::VisitAction;
pub use wrappers::each_wrapper;

/// How many objects ahead their memory is asked for.
const AHEAD: usize = 16;
