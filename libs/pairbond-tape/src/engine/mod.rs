//! The tape and its way back.
//!
//! # Promises
//! 1. A [`Node`] owns the nodes of its inputs and what its derivative needs; nothing owns a node
//!    but values that it made, later nodes, and Python. So a graph without a cycle goes with its
//!    last reference, at once and without recursion, and a collector sees every reference.
//! 2. A node never owns a value that it made itself ([`saved`]).
//! 3. Nodes run in the order in which PyTorch runs them: of those that are ready the one that was
//!    made last ([`run`]).
//! 4. Running needs no Python. Python parts (hooks, `autograd.Function`) attach by themselves, and
//!    no lock is held meanwhile.
//!
//! Not here: derivatives, which are a library's own; custom functions (`function`), lists of hooks
//! (`hooks`).

mod accumulate;
mod anomaly;
mod current;
mod history;
mod in_place;
mod methods;
mod mode;
mod node;
mod plan;
mod record;
mod roots;
mod rule;
mod run;
mod saved;

pub use accumulate::{AccumulateGrad, exchanged};
pub use anomaly::set_anomaly;
pub(crate) use anomaly::{Tracing, trace};
pub(crate) use current::Run;
pub use current::{current_graph_task_id, queue_callback, will_engine_execute_node};
pub use history::{describe, edge, made, require_grad, set as set_history};
pub(crate) use history::{edge_of, require_grad_of};
pub use in_place::{CopySlices, check_in_place, rebase, record_in_place};
pub(crate) use in_place::{check, function_of, keeps_part, look, rebase_on};
pub use methods::Named;
pub use mode::{Mode, is_grad_enabled, recording, set_grad_enabled};
pub use node::{Edge, Node};
pub(crate) use record::set_rule;
pub use record::{record, record_alias};
pub use roots::{Root, run_backward, run_gradients};
pub use rule::Given;
pub(crate) use rule::{Grads, Rule};
pub use saved::{
    Kept, KeptPart, Packed, Save, has_saved_tensors_hooks, pop_saved_tensors_hooks, push_saved_tensors_hooks,
};
pub(crate) use saved::{freed, input as save_input, result as save_result, unpack};
