//! Tensors and their derivatives. README.md describes purpose and structure.
#![forbid(unsafe_code)]

mod engine;
mod files;
mod methods;
mod ops;
mod part;
mod tensor;

use engine::{backward, gradients};
use files::{load_file, save_file};
pub use methods::TensorIterator;
use methods::{
    arange, as_tensor, concatenate_tensors, eye, from_array, full, gelu_of, linspace, make_storage,
    make_tensor, manual_seed, pad_tensor, rand, randint, randn, randperm, rebuild_tensor, softplus_of,
    stack_tensors, where_tensors,
};
use ops::{
    adam_step, assign_numbers, conv2d, dropout, get_num_threads, linear, max_pool2d, normal, set_num_threads,
    sgd_step, uniform,
};
pub use pairbond_autograd_kernels::data::DType;
use pairbond_autograd_kernels::{data, kernels};
use pairbond_tape::{
    AccumulateGrad, CopySlices, FunctionInfo, FunctionNode, Hooks, Kept, KeptPart, Node, NodeHooks, Packed,
    RemovableHandle, Variable, VariableHooks, current_graph_task_id, delayed_error, has_saved_tensors_hooks,
    is_grad_enabled, pop_saved_tensors_hooks, push_saved_tensors_hooks, queue_callback, set_anomaly,
    set_grad_enabled, will_engine_execute_node,
};
pub use tensor::{
    Storage, StridedTensor, Tensor, TensorBase, TensorMath, TensorOperators, TensorReductions, TensorShape,
};

pairbond::module!(
    /// The native half of `pairbond_autograd`.
    _pairbond_autograd {
        DType, Storage, Variable, TensorBase, TensorOperators, TensorMath, TensorReductions, TensorShape, StridedTensor, Tensor, TensorIterator,
        make_tensor, as_tensor, from_array, full, arange, linspace, eye, rand, randn, randint, randperm, manual_seed,
        rebuild_tensor, make_storage,
        Node, AccumulateGrad, CopySlices, Kept, KeptPart, Packed,
        Hooks, RemovableHandle, NodeHooks, VariableHooks,
        FunctionInfo, FunctionNode, delayed_error,
        backward, gradients, is_grad_enabled, set_grad_enabled, set_anomaly,
        push_saved_tensors_hooks, pop_saved_tensors_hooks, has_saved_tensors_hooks, current_graph_task_id, will_engine_execute_node, queue_callback,
        concatenate_tensors, stack_tensors, where_tensors, pad_tensor, linear, conv2d, max_pool2d, dropout, gelu_of, softplus_of,
        uniform, normal, assign_numbers, sgd_step, adam_step, save_file, load_file, get_num_threads, set_num_threads
    }
);
