//! What `pairbond-autograd` computes with: [`data`], numbers in memory, and [`kernels`], loops over
//! them. They know no tensor, no history and no Python, so their tests need none of these.
#![forbid(unsafe_code)]

pub mod data;
pub mod kernels;
