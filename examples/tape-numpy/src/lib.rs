//! The tape for Python: nothing but what the crate `pairbond-tape` has.
#![forbid(unsafe_code)]

use pairbond_tape::{
    AccumulateGrad, Backend, FunctionInfo, FunctionNode, Hooks, Kept, Node, NodeHooks, Packed,
    RemovableHandle, Variable, VariableHooks, Wrapped, backward, grad, is_grad_enabled,
    pop_saved_tensors_hooks, push_saved_tensors_hooks, set_anomaly, set_grad_enabled,
};

pairbond::module!(
    /// The tape, for values of Python.
    _tape_numpy {
        Variable, Backend, Wrapped, Node, AccumulateGrad, Kept, Packed, Hooks, RemovableHandle, NodeHooks, VariableHooks,
        FunctionInfo, FunctionNode, backward, grad, is_grad_enabled, set_grad_enabled, set_anomaly,
        push_saved_tensors_hooks, pop_saved_tensors_hooks
    }
);
