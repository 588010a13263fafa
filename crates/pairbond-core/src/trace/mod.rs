//! Enumerating the references that objects own, and collecting the cycles that they form.
//!
//! * `visit` – [`Trace`]: what a type tells a collector about itself.
//! * `tracked` – the list of all objects of traced types.
//! * `snapshot` – the survey: all objects and references as they were at one instant.
//! * `graph` – that in flat arrays.
//! * `answer` – [`Snapshot`]: what a frontend's collector is told.
//! * `collect` – the collector of cycles that need no frontend.

mod answer;
mod collect;
#[cfg(all(test, not(loom)))]
mod faults;
mod graph;
mod snapshot;
mod tracked;
mod visit;

pub use answer::{Node, Snapshot};
pub use collect::{Statistics, collect, live_traced, statistics};
pub use snapshot::settle;
#[doc(hidden)]
pub use tracked::gate::{Door, Gate};
pub(crate) use tracked::{Shard, Tracked};
pub use visit::{Trace, Tracer, TracerTable};
