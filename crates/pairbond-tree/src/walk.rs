//! [`Descendants`] and [`Ancestors`]: walks through a tree that may be edited meanwhile. Each step
//! takes the lock once, and no step fails.

use smallvec::SmallVec;

use super::guard::with_lock;
use super::hooks::is_tree;
use super::links::flag;
use super::node::Node;
use pairbond_core::error::Error;
use pairbond_core::object::{ErasedRef, Header};
use pairbond_core::trace::{Reach, Trace, Tracer};

/// Where a walk stands in one list of children.
struct Stand {
    /// Whose list it is, and its number.
    parent: ErasedRef,
    list: usize,
    /// The current node, and the one that was next when it became that; nothing before the first.
    at: Option<(ErasedRef, Option<ErasedRef>)>,
}

pub(super) fn node_of_ref(of: &ErasedRef) -> Node {
    // SAFETY: walks begin at nodes, and hold nodes; the reference keeps it.
    unsafe { Node::from_header(of.header()) }
}

/// The first node of a list of children. Under the lock.
fn first_child(parent: Node, list: usize) -> Option<Node> {
    (list < parent.list_count())
        .then(|| parent.first_child(list))
        .flatten()
}

impl Stand {
    fn new(parent: ErasedRef) -> Self {
        let (list, at) = (0, None);
        Stand { parent, list, at }
    }

    /// Whether a node stands in the list. Under the lock.
    fn contains_node(&self, child: Node) -> bool {
        child.parent() == Some(node_of_ref(&self.parent)) && child.list_number() == self.list
    }

    /// The next node. Under the lock.
    fn next(&self) -> Option<Node> {
        let standing = |it: &ErasedRef| Some(node_of_ref(it)).filter(|it| self.contains_node(*it));
        match &self.at {
            None => first_child(node_of_ref(&self.parent), self.list),
            Some((now, next)) => match standing(now) {
                Some(now) => now.next(),
                None => next.as_ref().and_then(standing),
            },
        }
    }
}

/// All that stands below a node, each before what stands below it, in the order of the lists: see
/// [`TreeNode::descendants`](super::TreeNode::descendants).
pub struct Descendants {
    stands: Vec<Stand>,
    /// Whether the node that the last list stands at was the last result: its children come next if
    /// it is still there.
    descends: bool,
}

/// Handles that a step leaves, to be dropped without the lock: mostly two or three.
pub type Leftover = SmallVec<[ErasedRef; 4]>;

impl Descendants {
    pub(super) fn from_root(above: ErasedRef) -> Self {
        Descendants {
            stands: vec![Stand::new(above)],
            descends: false,
        }
    }

    /// Those of an object of any type.
    ///
    /// # Errors
    /// `TypeError`: it is no node. `InvalidatedError`: it was erased.
    pub fn of_object(object: ErasedRef) -> Result<Self, Error> {
        check_is_node(object.header())?;
        Ok(Self::from_root(object))
    }

    /// How many nodes stand above the last one, up to that where the walk began.
    pub(super) fn depth(&self) -> usize {
        self.stands.len()
    }

    /// A step under the lock.
    pub fn step_locked(&mut self, left: &mut Leftover) -> Option<ErasedRef> {
        if std::mem::take(&mut self.descends) {
            self.descend();
        }
        while let Some(stand) = self.stands.last_mut() {
            let found = stand.next();
            let (now, mut next) = stand.at.take().unzip();
            let found = found.map(|found| {
                // Mostly the one that was next, whose handle goes on.
                let known = next
                    .as_mut()
                    .and_then(|next| next.take_if(|it| node_of_ref(it) == found));
                (found, known.unwrap_or_else(|| found.to_ref()))
            });
            for handle in [now, next.flatten()].into_iter().flatten() {
                left.push(handle);
            }
            if let Some((found, handle)) = found {
                stand.at = Some((handle.clone(), found.next().map(Node::to_ref)));
                self.descends = true;
                return Some(handle);
            }
            stand.list += 1;
            if stand.list >= node_of_ref(&stand.parent).list_count()
                && let Some(stand) = self.stands.pop()
            {
                left.push(stand.parent);
            }
        }
        None
    }

    /// Goes below the last result, if there is something; not below a node that was taken away.
    fn descend(&mut self) {
        if let Some(stand) = self.stands.last()
            && let Some((now, _)) = &stand.at
            && stand.contains_node(node_of_ref(now))
            && (0..node_of_ref(now).list_count()).any(|list| first_child(node_of_ref(now), list).is_some())
        {
            let below = Stand::new(now.clone());
            self.stands.push(below);
        }
    }
}

impl Iterator for Descendants {
    type Item = ErasedRef;

    fn next(&mut self) -> Option<ErasedRef> {
        let mut left = Leftover::new();
        with_lock(|_| self.step_locked(&mut left))
    }
}

/// The nodes above one, the nearest first: see [`TreeNode::ancestors`](super::TreeNode::ancestors).
pub struct Ancestors {
    /// Where it is, and the parent that this had when it came there.
    at: Option<(ErasedRef, Option<ErasedRef>)>,
}

impl Ancestors {
    pub(super) fn from_node(node: ErasedRef) -> Self {
        Ancestors {
            at: Some((node, None)),
        }
    }

    /// Those of an object of any type.
    ///
    /// # Errors
    /// `TypeError`: it is no node. `InvalidatedError`: it was erased.
    pub fn of_object(object: ErasedRef) -> Result<Self, Error> {
        check_is_node(object.header())?;
        Ok(Self::from_node(object))
    }

    /// A step under the lock.
    pub fn step_locked(&mut self, left: &mut Leftover) -> Option<ErasedRef> {
        let (now, before) = self.at.take()?;
        let found = if node_of_ref(&now).has_bits(flag::ERASED) {
            before
                .clone()
                .filter(|before| !node_of_ref(before).has_bits(flag::ERASED))
        } else {
            node_of_ref(&now).parent().map(Node::to_ref)
        };
        left.push(now);
        if let Some(before) = before {
            left.push(before);
        }
        let found = found?;
        self.at = Some((found.clone(), node_of_ref(&found).parent().map(Node::to_ref)));
        Some(found)
    }
}

impl Iterator for Ancestors {
    type Item = ErasedRef;

    fn next(&mut self) -> Option<ErasedRef> {
        let mut left = Leftover::new();
        with_lock(|_| self.step_locked(&mut left))
    }
}

fn check_is_node(object: &Header) -> Result<(), Error> {
    if !is_tree(object) {
        return Err(Error::type_error(format!(
            "a {} is no node of a tree",
            object.info().key()
        )));
    }
    super::check_object(object)
}

// SAFETY: all references that it owns are shown; it changes under the lock of all trees, as a
// `Guarded` that holds it does.
unsafe impl Trace for Descendants {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        for stand in &self.stands {
            stand.parent.trace(tracer);
            stand.at.trace(tracer);
        }
    }
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_anything();
    }
}

// SAFETY: all references that it owns are shown; it changes under the lock of all trees, as a
// `Guarded` that holds it does.
unsafe impl Trace for Ancestors {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.at.trace(tracer);
    }
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_anything();
    }
}
