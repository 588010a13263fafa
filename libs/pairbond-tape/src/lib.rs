//! The tape of reverse-mode automatic differentiation, for any library of tensors. README.md says
//! how to adopt it.
//!
//! # Design
//! * **A value is a pairbond object that extends [`Variable`]**, where the tape keeps what made it.
//!   A library implements [`Value`] for its tensors: zeros, sums, and what else it has (memory that
//!   is written to, views, several types of elements). [`Wrapped`] is a value for Python objects of
//!   any kind, such as arrays of numpy, with functions of Python in place of the trait.
//! * **Objects are erased, functions are generic.** A [`Node`] is one class for all libraries, and
//!   owns references to `Variable`s. What a library calls ([`record`], [`Given`],
//!   [`gradient_edge`]) is generic over its type, and looks at a reference as that by one
//!   comparison. The run calls the trait through a table that each value points to.
//! * **A node that is a context**: [`FunctionNode`] is the `ctx` of a function written in Python,
//!   one object with its attributes.
//! * **Ownership**: a node owns its inputs' nodes and its saved values, never its own results.
//!   Collectors see every reference, so each cycle through hooks, contexts and gradients is found.
//! * Runs, deaths and collections take no stack, however deep a graph is, and no lock of Python.
//!
//! Types and modes (whether a thread records, hooks of saved values, anomaly mode) are shared by
//! all extension modules of a process that were built from this crate, so a graph may go through
//! several libraries.
//!
//! Not taken: a graph generic over the value type, since a Python class is of one type and each
//! library would have its own `Node`; values as `dyn Any`, since collectors could not look into
//! them.
#![forbid(unsafe_code)]

mod checkpoint;
mod engine;
mod function;
mod functions;
mod graph;
mod mode;
mod node_map;
mod room;
mod state;
mod wrapped;

pub use checkpoint::checkpoint;
pub use engine::{
    CopySlices, Given, Kept, KeptPart, Packed, Root, Save, check_in_place, current_graph_task_id,
    has_saved_tensors_hooks, pop_saved_tensors_hooks, push_saved_tensors_hooks, queue_callback,
    rebase_history, record, record_alias, record_in_place, run_backward, run_gradients, set_anomaly,
    will_engine_execute_node,
};
pub use function::{Context, CustomFunction, FunctionInfo, FunctionNode, apply_function, delayed_error};
pub use functions::{backward, grad};
pub use graph::{
    AccumulateGrad, Dims, Edge, Hooks, Meta, Named, Node, NodeHooks, RemovableHandle, Slice, Value, Variable,
    VariableHooks, as_variable, describe_history, downcast_value, grad_fn_cell, gradient_edge, into_variable,
    notify_replaced, require_grad, set_history,
};
pub use mode::{Mode, is_grad_enabled, set_grad_enabled, with_recording};
pub use wrapped::{Backend, Wrapped};

/// The Rust examples of these pages, run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/how-to/tape.md")]
    struct Guide;
}
