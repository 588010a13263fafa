//! [`Descendants`] and [`Ancestors`]: walks through a tree that may be edited meanwhile. Each step
//! takes the lock once, and no step fails.

use super::guard::with_lock;
use super::links::flag;
use super::node::Node;
use crate::error::Error;
use crate::object::{ErasedRef, Header};
use crate::trace::{Reach, Trace, Tracer};

/// Where a walk stands in one list of children.
struct Stand {
    /// Whose list it is, and its number.
    parent: ErasedRef,
    list: usize,
    /// The current node, and the one that was next when it became that; nothing before the first.
    at: Option<(ErasedRef, Option<ErasedRef>)>,
}

fn node(of: &ErasedRef) -> Node {
    // SAFETY: walks begin at nodes, and hold nodes; the reference keeps it.
    unsafe { Node::of(of.header()) }
}

impl Stand {
    fn new(parent: ErasedRef) -> Self {
        let (list, at) = (0, None);
        Stand { parent, list, at }
    }

    /// Whether a node stands in the list. Under the lock.
    fn has(&self, child: Node) -> bool {
        child.parent() == Some(node(&self.parent)) && child.number() == self.list
    }

    /// The next node. Under the lock.
    fn next(&self) -> Option<Node> {
        let parent = node(&self.parent);
        let standing = |it: &ErasedRef| Some(node(it)).filter(|it| self.has(*it));
        match &self.at {
            // SAFETY: the lock is held, and the number is that of a list.
            None => (self.list < parent.lists())
                .then(|| unsafe { (*parent.list(self.list)).first() })
                .flatten(),
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
    /// The last result, whose children come next if it is still there.
    last: Option<ErasedRef>,
}

/// Handles that a step leaves, to be dropped without the lock.
type Left = Vec<ErasedRef>;

impl Descendants {
    pub(super) fn of(above: ErasedRef) -> Self {
        Descendants {
            stands: vec![Stand::new(above)],
            last: None,
        }
    }

    /// Those of an object of any type.
    ///
    /// # Errors
    /// `TypeError`: it is no node. `InvalidatedError`: it was erased.
    pub fn of_object(object: ErasedRef) -> Result<Self, Error> {
        check(object.header())?;
        Ok(Self::of(object))
    }

    /// How many nodes stand above the last one, up to that where the walk began.
    pub(super) fn depth(&self) -> usize {
        self.stands.len()
    }

    /// A step under the lock.
    pub fn step(&mut self, left: &mut Left) -> Option<ErasedRef> {
        if let Some(last) = self.last.take() {
            match self.stands.last() {
                // A node that was taken away is not below any more.
                Some(stand) if !stand.has(node(&last)) => left.push(last),
                _ => self.stands.push(Stand::new(last)),
            }
        }
        while let Some(stand) = self.stands.last_mut() {
            let found = stand.next().map(|found| (found.handle(), found.next()));
            let before = stand.at.take();
            if let Some((now, next)) = before {
                left.push(now);
                left.extend(next);
            }
            if let Some((found, next)) = found {
                stand.at = Some((found.clone(), next.map(Node::handle)));
                self.last = Some(found.clone());
                return Some(found);
            }
            stand.list += 1;
            if stand.list >= node(&stand.parent).lists() {
                left.extend(self.stands.pop().map(|stand| stand.parent));
            }
        }
        None
    }
}

impl Iterator for Descendants {
    type Item = ErasedRef;

    fn next(&mut self) -> Option<ErasedRef> {
        let mut left = Left::new();
        with_lock(|_| self.step(&mut left))
    }
}

/// The nodes above one, the nearest first: see [`TreeNode::ancestors`](super::TreeNode::ancestors).
pub struct Ancestors {
    /// Where it is, and the parent that this had when it came there.
    at: Option<(ErasedRef, Option<ErasedRef>)>,
}

impl Ancestors {
    pub(super) fn of(node: ErasedRef) -> Self {
        Ancestors {
            at: Some((node, None)),
        }
    }

    /// Those of an object of any type.
    ///
    /// # Errors
    /// `TypeError`: it is no node. `InvalidatedError`: it was erased.
    pub fn of_object(object: ErasedRef) -> Result<Self, Error> {
        check(object.header())?;
        Ok(Self::of(object))
    }

    /// A step under the lock.
    pub fn step(&mut self, left: &mut Left) -> Option<ErasedRef> {
        let (now, before) = self.at.take()?;
        let found = if node(&now).has(flag::ERASED) {
            before.clone().filter(|before| !node(before).has(flag::ERASED))
        } else {
            node(&now).parent().map(Node::handle)
        };
        left.push(now);
        left.extend(before);
        let found = found?;
        self.at = Some((found.clone(), node(&found).parent().map(Node::handle)));
        Some(found)
    }
}

impl Iterator for Ancestors {
    type Item = ErasedRef;

    fn next(&mut self) -> Option<ErasedRef> {
        let mut left = Left::new();
        with_lock(|_| self.step(&mut left))
    }
}

fn check(object: &Header) -> Result<(), Error> {
    if !object.info().is_tree() {
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
        self.last.trace(tracer);
    }
    fn reach(reach: &mut Reach) {
        reach.anything();
    }
}

// SAFETY: all references that it owns are shown; it changes under the lock of all trees, as a
// `Guarded` that holds it does.
unsafe impl Trace for Ancestors {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.at.trace(tracer);
    }
    fn reach(reach: &mut Reach) {
        reach.anything();
    }
}
