//! What the Python tests of the promises need and Python cannot do: native owners, and native
//! threads.
#![forbid(unsafe_code)]

mod functions;
mod graph;
mod holder;
mod late;
mod node;
mod python;

use functions::*;
use graph::*;
use holder::Holder;
use late::*;
use node::{Bare, Leaf, Node, Twig};
use python::*;

pairbond::module!(
    /// Native owners for tests.
    pairbond_holders {
        Node, Leaf, Bare, Twig, Holder, Point, Marked, emit, emit_many, emit_on_threads, register_with_default, call, call_on_thread, call_detached, echo, global_node, other_global_node,
        global_function, global_point, put_global, put_fresh, get_global, drop_slowly, call_for_ever, feed, feed_for_ever, work_for_ever, at_thread_exit, watch_globally, is_watched_alive, surveys,
        Dynamic, Described, enable_logging, log_records, import_module, operate, operate_elsewhere, field, set_field, make, fields_of
    }
);
