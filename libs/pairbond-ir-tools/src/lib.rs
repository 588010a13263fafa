//! What pairbond-ir uses and what knows no IR: a crate of its own, whose tests compile without the
//! classes of the IR.
//!
//! # Modules, from the bottom to the top
//! Each imports those above it in this list only.
//!
//! 1. `room`: memory for what grows. `sorted`: whether a table is in order.
//! 2. `fast`, `by_name`: tables by names and addresses. `error`: `pairbond_ir.IRError`.
//! 3. `numbers`: integers and floats of every width, as bytes.
//! 4. `known`: properties of MLIR's operations by their names.
//! 5. `dominators`: the tree of dominators of a graph.
//! 6. `text`: tokens of a text of which a part is in memory, and errors with their places.
#![forbid(unsafe_code)]

pub mod by_name;
pub mod dominators;
pub mod error;
pub mod fast;
pub mod known;
pub mod numbers;
pub mod room;
pub mod sorted;
pub mod text;
