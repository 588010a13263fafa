//! The second pass of a [`HeapScan`]: holds every node that has other references than those seen,
//! and ends the watch.

use super::super::AHEAD;
use super::super::fault;
use super::super::graph::fact;
use super::super::survey_duty::Duty;
use super::{HeapScan, View};
use crate::object::{Header, Released, is_owned};
use crate::sync::prefetch;

impl HeapScan<'_> {
    pub(super) fn validate_counts(&mut self) {
        if self.is_at_sight() {
            for (node, object) in std::mem::take(&mut self.open) {
                self.look_again(node, object);
            }
        } else {
            for node in 0..self.objects.len() {
                if let Some(ahead) = self.objects.get(node + AHEAD) {
                    prefetch(ahead.cast_const());
                }
                fault::run_test_step();
                self.look_again(node as u32, self.objects[node]);
            }
        }
    }

    #[inline]
    fn look_again(&mut self, node: u32, object: *mut Header) {
        let known = &mut self.graph.nodes[node as usize];
        let count = &mut self.graph.counts[node];
        if known.facts() & fact::SKIPPED != 0 {
            return;
        }
        // SAFETY: listed, or referred to by a locked or immutable field of an object that is.
        let custody = unsafe { &*object }.custody();
        let now = custody.watched_state();
        if known.facts() & fact::HELD == 0 {
            let before = u64::from(count.strong);
            let wrapper = u64::from(known.facts() & fact::PYTHON != 0);
            // SAFETY: listed, or referred to by a locked or immutable field of an object that is.
            // The parent of a node shows a reference that is not counted.
            let owner = u64::from(is_owned(unsafe { &*object }));
            let seen = (u64::from(count.need) + wrapper).wrapping_sub(owner);
            let changed =
                now.strong() != before || now.is_touched() && !fault::is_fault_enabled(fault::NO_TOUCH);
            let others = seen != before && !fault::is_fault_enabled(fault::NO_COUNT);
            if !changed {
                let shown = u64::from(count.need) + wrapper;
                self.shown.check_count(object, shown, before + owner);
            }
            if changed || others || now.holder() != known.required_holder() {
                known.add(fact::HELD);
            }
        }
        if now.weak() > 0 {
            known.add(fact::WEAK);
        }
        if matches!(self.view, View::Frontend { .. }) {
            // From here on it counts what arrives.
            count.strong = 0;
        }
        let known = *known;
        match known.facts() & (fact::HELD | fact::WRAPPED | fact::WEAK) {
            0 => self.graph.inner += 1,
            fact::WEAK => {
                self.graph.inner += 1;
                self.weak.push((node, object));
            }
            facts if facts & (fact::HELD | fact::WEAK) == fact::WEAK => self.weak.push((node, object)),
            _ => {}
        }
        if known.facts() & fact::UNWATCHED != 0 {
            return;
        }
        match custody.end_watch() {
            Released::Shared => {}
            duty => self.duties.push(Duty::new(object, duty)),
        }
    }

    /// Holds every node that refers to an object of the frontend.
    #[cold]
    pub(super) fn hold_foreign(&mut self) {
        self.graph.unsure = true;
        for node in &mut self.graph.nodes {
            if node.facts() & fact::FOREIGN != 0 {
                node.add(fact::HELD);
            }
        }
    }
}
