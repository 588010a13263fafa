//! The tape and its way back.
//!
//! # Promises
//! 1. A [`Node`] owns the nodes of its inputs and what its derivative needs; nothing owns a node
//!    but tensors that it made, later nodes, and Python. So a graph without a cycle goes with its
//!    last reference, at once and without recursion, and a collector sees every reference.
//! 2. A node never owns a tensor that it made itself ([`saved`]).
//! 3. Nodes run in the order in which PyTorch runs them: of those that are ready the one that was
//!    made last ([`run`]).
//! 4. Running needs no Python. Python parts (hooks, `autograd.Function`) attach by themselves, and
//!    no lock is held meanwhile.
//!
//! Not here: derivatives (`ops`), custom functions (`function`), lists of hooks (`hooks`).

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

pub use accumulate::AccumulateGrad;
pub(crate) use anomaly::{set_anomaly, trace};
pub(crate) use current::{current_graph_task_id, queue_callback, will_engine_execute_node};
pub(crate) use history::{describe as describe_history, edge, made, require_grad, set as set_history};
pub use in_place::CopySlices;
pub(crate) use in_place::{check as check_in_place, function_of, keeps_part, rebase, record_in_place};
pub(crate) use methods::Named;
pub(crate) use mode::{Mode, is_grad_enabled, recording, set_grad_enabled};
pub use node::Node;
pub(crate) use record::{alias, record, record_view};
pub(crate) use roots::{backward, gradients};
pub(crate) use rule::{Given, Grads};
pub(crate) use saved::Save::{For, In, Out};
pub use saved::{Kept, KeptPart, Packed};
pub(crate) use saved::{
    freed, has_saved_tensors_hooks, input as save_input, pop_saved_tensors_hooks, push_saved_tensors_hooks,
    result as save_result, unpack,
};
