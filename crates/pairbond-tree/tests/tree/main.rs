//! Trees: what keeps them, edits, erasure, collectors; random scripts against a model; threads.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

mod edits;
mod erase;
mod external;
mod keep;
mod leaves;
mod nodes;
mod places;
mod random;
mod seeds;
mod threads;
mod walks;
