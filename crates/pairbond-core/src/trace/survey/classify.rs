//! The first pass of a [`HeapScan`]: what an object is, and the numbers of the objects that others
//! refer to.

use super::super::fault;
use super::super::graph::{Known, Link, fact, mark};
use super::super::sweep::Look;
use super::{HeapScan, Seen, View};
use crate::memory::try_push;
use crate::object::{Header, Holder, Pair, State};
use crate::types::TypeFlags;

impl HeapScan<'_> {
    /// Begins to watch a node, unless nothing can change, and classifies it.
    pub(super) fn know_by_counting(&mut self, object: &Header, node: u32) -> Known {
        let custody = object.custody();
        let nothing = Known::new(fact::SKIPPED | fact::HELD);
        let View::Frontend { tag, epoch, .. } = self.view else {
            let (still, state) = match self.alone {
                true => (fact::UNWATCHED, custody.unwatched_state()),
                false => (0, custody.begin_watch()),
            };
            let Some(state) = state else {
                return nothing;
            };
            self.graph.counts[node].strong = saturating_strong(state);
            let known = match self.view {
                View::Sweep { tag, look } => sweep_sees(tag, look, object, state, custody.pair()),
                _ => Known::new(self.classify_object(object, state, custody.pair())),
            };
            return known.combined_with(Known::new(still));
        };
        let begun = if self.alone {
            self.open.push((node, std::ptr::from_ref(object).cast_mut()));
            custody.unwatched_state().map(|state| (fact::UNWATCHED, state))
        } else {
            match custody.in_python() {
                // Only attached threads take it from there, and none of this interpreter runs.
                Some(state) if custody.pair().tag() == tag => Some((fact::UNWATCHED, state)),
                _ => custody.begin_watch().map(|state| (0, state)),
            }
        };
        let Some((still, state)) = begun else {
            return nothing;
        };
        let pair = custody.pair();
        let mut known = Known::new(self.classify_object(object, state, pair) | still);
        self.graph.counts[node].strong = saturating_strong(state);
        if known.facts() & fact::WRAPPED != 0 {
            known = known.with_wrapper(pair.wrapper());
            if object.info().is_traced() {
                note_number(object, node, epoch);
            }
        } else if pair.wrapper().is_null() && pair.tag() != 0 && pair.tag() != tag {
            self.graph.unsure = true;
        }
        known
    }

    fn classify_object(&self, object: &Header, state: State, pair: Pair) -> u8 {
        let wrapper = pair.wrapper();
        let custody = match state.holder() {
            Holder::Python => fact::PYTHON | fact::WRAPPED,
            _ => fact::WRAPPED,
        };
        match self.view {
            View::Frontend { tag, .. } if wrapper.is_null() => {
                if state.holder() == Holder::Unwrapped && (pair.tag() == 0 || pair.tag() == tag) {
                    0
                } else {
                    fact::HELD
                }
            }
            // The collector looks at all wrappers of traced types, and others were asked for. If it
            // does not for all that (it was told to leave one alone), that wrapper does not speak,
            // and its references are not accounted for.
            View::Frontend { tag, .. } => {
                if pair.tag() == tag && state.holder() != Holder::Unwrapped {
                    custody
                } else {
                    fact::HELD
                }
            }
            View::Sweep { .. } => fact::HELD,
            // An object that is bound to its thread can be destroyed there only.
            View::Native { .. } if !object.info().flags().contains(TypeFlags::THREAD_SAFE) => fact::HELD,
            View::Native { .. } if wrapper.is_null() && state.holder() == Holder::Unwrapped => 0,
            View::Native { garbage } => {
                if !wrapper.is_null() && state.holder() != Holder::Unwrapped && garbage(object) {
                    custody
                } else {
                    fact::HELD
                }
            }
        }
    }

    /// Numbers the targets of a batch of nodes, whose headers are near by now.
    pub(super) fn number_targets(&mut self) {
        let seen = std::mem::take(&mut self.seen);
        let ends = std::mem::take(&mut self.ends);
        let mut next = 0;
        for end in &ends {
            for reference in &seen[next..*end] {
                match *reference {
                    Seen::Native(target) => self.link_target(target, self.graph.offsets.len() - 1),
                    Seen::Foreign(object) => {
                        self.graph.foreigns += 1;
                        self.add_link(Link::to_foreign(object));
                    }
                }
            }
            next = *end;
            self.graph.offsets.push(self.graph.links.len() as u32);
        }
        (self.seen, self.ends) = (seen, ends);
        self.seen.clear();
        self.ends.clear();
    }

    #[inline]
    pub(super) fn link_target(&mut self, target: *const Header, owner: usize) {
        // SAFETY: an object in the list owns a reference to it.
        let object = unsafe { &*target };
        if !object.info().is_traced() {
            if let Some(node) = self.side_node(object) {
                self.link_to(node, owner);
            } else if self.is_edge(object) {
                self.graph.nodes[owner].add_marks(mark::EDGE);
            }
            return;
        }
        // SAFETY: a traced object has a prefix; it is alive, hence listed, and the list is held.
        let place = unsafe { &*object.prefix_ptr() };
        match self.base.get(place.shard as usize) {
            Some(base) => self.link_to(base + place.index, owner),
            // There was no memory to list it. It keeps its targets.
            None => self.graph.nodes[owner].add_marks(mark::EDGE),
        }
    }

    /// Adds a link of the node that is read. Without memory the survey comes to nothing.
    #[inline]
    pub(super) fn add_link(&mut self, link: Link) {
        self.abandoned |= try_push(&mut self.graph.links, link).is_err();
    }

    #[inline]
    fn link_to(&mut self, node: u32, owner: usize) {
        self.graph.nodes[owner].add_marks(mark::COUNTS);
        self.add_link(Link::to_node(node));
        self.graph.counts[node].need += 1;
    }

    /// Whether the wrapper of an object that owns no references may lead to objects of the
    /// frontend.
    fn is_edge(&self, object: &Header) -> bool {
        let View::Sweep { tag, look } = self.view else {
            return false;
        };
        let pair = object.custody().pair();
        !fault::is_fault_enabled(fault::NO_LEAF_EDGE)
            && !pair.wrapper().is_null()
            && pair.tag() == tag
            && look(pair.wrapper(), Holder::Python) == Look::Edge
    }

    /// The node of an object that owns no references: one only if its wrapper takes part.
    fn side_node(&mut self, object: &Header) -> Option<u32> {
        let View::Frontend { tag, tracked, .. } = self.view else {
            return None;
        };
        let pair = object.custody().pair();
        if pair.wrapper().is_null() || pair.tag() != tag {
            return None;
        }
        let address = std::ptr::from_ref(object).addr();
        if let Some(node) = self.side.get(&address) {
            return Some(*node);
        }
        if !tracked(pair.wrapper()) {
            return None;
        }
        let node = self.graph.counts.push();
        let known = self.know_by_counting(object, node);
        if known.facts() & fact::SKIPPED != 0 {
            // There is no such node.
            self.graph.counts.pop();
            self.open.pop_if(|open| open.0 == node);
            return None;
        }
        if !self.alone {
            self.objects.push(std::ptr::from_ref(object).cast_mut());
        }
        self.side_nodes.push(known);
        self.side.insert(address, node);
        Some(node)
    }
}

/// Notes an object's number.
#[inline]
pub(super) fn note_number(object: &Header, node: u32, epoch: u32) {
    // SAFETY: a traced object's; note and epoch belong to the collector of its wrapper's
    // interpreter, which is the one at work.
    unsafe {
        let prefix = object.prefix_ptr();
        (*prefix).note = node;
        (*prefix).epoch = epoch;
    }
}

/// Who keeps the pair alive, if that is one reference.
#[inline]
pub(super) fn only_owner(state: State) -> Option<Holder> {
    if fault::is_fault_enabled(fault::NO_OTHER_OWNERS) {
        return Some(state.holder());
    }
    state.only_owner()
}

/// The count of strong references, in less space.
fn saturating_strong(state: State) -> u32 {
    u32::try_from(state.strong()).unwrap_or(u32::MAX)
}

/// What a [sweep](super::super::sweep) says of an object.
fn sweep_sees(
    tag: u16,
    look: &dyn Fn(*mut std::ffi::c_void, Holder) -> Look,
    object: &Header,
    state: State,
    pair: Pair,
) -> Known {
    let held = Known::new(fact::HELD);
    let here = object.info().flags().contains(TypeFlags::THREAD_SAFE);
    match (pair.wrapper().is_null(), state.holder()) {
        (true, Holder::Unwrapped) if here => Known::new(0),
        (false, Holder::Native | Holder::Python) if pair.tag() == tag => {
            match look(pair.wrapper(), state.holder()) {
                Look::Dormant if here => Known::new(fact::WRAPPED),
                Look::Plain
                    if fault::is_fault_enabled(fault::ALL_DORMANT) && state.holder() == Holder::Native =>
                {
                    Known::new(fact::WRAPPED)
                }
                Look::Dormant | Look::Plain => held,
                Look::Edge => held.combined_with(Known::with_marks(mark::EDGE)),
            }
        }
        _ => held,
    }
}
