//! The way back: recording what derivatives need, and running them.
//!
//! # Promises
//! 1. A node never owns a value that it made itself ([`saved`]).
//! 2. Nodes run in the order in which PyTorch runs them: of those that are ready the one that was
//!    made last ([`run_graph`](run::run_graph)).
//! 3. Running needs no Python. Python parts (hooks, `autograd.Function`) attach by themselves, and
//!    no lock is held meanwhile.
//!
//! Not here: derivatives, which are a library's own; custom functions (`function`).

mod anomaly;
mod call_hooks;
mod current;
mod derivative;
mod in_place;
mod node_methods;
mod plan;
mod record;
mod roots;
mod run;
mod saved;

pub use anomaly::set_anomaly;
pub(crate) use anomaly::trace_creation;
pub use current::{current_graph_task_id, queue_callback, will_engine_execute_node};
pub use derivative::Given;
pub use in_place::{CopySlices, check_in_place, rebase_history, record_in_place};
pub(crate) use in_place::{check_writable, keeps_part, rebase_on};
pub(crate) use record::set_rule;
pub use record::{record, record_alias};
pub use roots::{Root, run_backward, run_gradients};
pub use saved::{
    Kept, KeptPart, Packed, Save, has_saved_tensors_hooks, pop_saved_tensors_hooks, push_saved_tensors_hooks,
};
pub(crate) use saved::{freed_error, save_input, save_result, unpack_saved};
