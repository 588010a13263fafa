//! What the Python tests of the promises need and Python cannot do: native owners, and native threads.
#![forbid(unsafe_code)]

mod functions;
mod holder;
mod node;

use functions::*;
use holder::Holder;
use node::{Leaf, Node};

pairbond::module!(
    /// Native owners for tests.
    pairbond_holders {
        Node, Leaf, Holder, call, call_on_thread, emit, emit_on_threads, register_with_default, echo, global_node, other_global_node, global_function,
        watch_globally, is_watched_alive
    }
);
