//! Tensors and their derivatives. README.md says what it is for and where what is.
#![forbid(unsafe_code)]

mod engine;
mod kernels;
mod ops;
mod tensor;

pub use engine::{AccumulateGrad, Node};
use engine::{backward, is_grad_enabled, set_grad_enabled};
pub use tensor::{DType, Storage, Tensor, TensorBase};

pairbond::module!(
    /// The native half of `pairbond_autograd`.
    _pairbond_autograd {
        DType, Storage, TensorBase, Tensor,
        Node, AccumulateGrad,
        backward, is_grad_enabled, set_grad_enabled
    }
);
