//! Tracing nodes: the edges that a node shows to collectors.

use super::links::flag;
use super::lock::tracer_lock;
use super::node::Bare;
use super::order::{first_from, next_below, next_in_order};
use pairbond_core::object::Object;
use pairbond_core::trace::Tracer;

/// Shows the references that a node owns on account of its place: to its parent and itself, if it
/// does, and to its children; those that are asleep are shown by their own references.
pub fn trace_node<T: Object>(value: &T, tracer: &mut Tracer<'_>) {
    if let Some(bare) = Bare::from_value(value) {
        trace_bare(&bare, tracer);
    }
}

/// As [`trace_node`], for a node of any type.
pub(super) fn trace_bare(bare: &Bare<'_>, tracer: &mut Tracer<'_>) {
    if bare.is_asleep() || !tracer.lock(tracer_lock()) || bare.is_asleep() || bare.is_alone() {
        return;
    }
    let node = bare.node();
    if node.has_bits(flag::AWAKE)
        && let Some(parent) = node.parent()
    {
        tracer.visit_edge(parent.header());
    }
    if node.has_bits(flag::SELF) {
        tracer.visit_edge(node.header());
    }
    let mut at = first_from(node, 0);
    while let Some(below) = at {
        if below.has_bits(flag::AWAKE) {
            tracer.visit_edge(below.header());
            at = next_in_order(below, node);
        } else {
            // SAFETY: alive: it is attached, and the lock is held. Nothing recurses, for a node
            // that is asleep shows nothing of its place.
            unsafe { below.header().info().trace_object(below.header(), tracer.table()) };
            at = next_below(below, node);
        }
    }
}
