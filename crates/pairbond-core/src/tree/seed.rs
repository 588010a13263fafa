//! Nodes that are made to stand in a tree: [`Seed`]s, which cost no counting, and [`plant`], which puts many into their places under one lock.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use super::children::{Children, List};
use super::edit;
use super::error::Refused;
use super::hold::Still;
use super::keep::take;
use super::node::{Node, TreeNode, node_of};
use crate::error::Error;
use crate::object::{Birth, ErasedRef, Object, Ref, Weak, destroy};

/// A node that nobody knows yet, and that nothing keeps but this: to be [planted](Planting::push). It dies with what was planted below it if it is not.
///
/// The same as a [`Ref`] that is [pushed](List::push_owned) and dropped, but it has no handle to begin with, so that none is to be counted and dropped.
#[derive(Debug)]
pub struct Seed<T: Object + Send + Sync> {
    /// A pointer only, for the node is asleep.
    object: ManuallyDrop<Ref<T>>,
    /// Whether there may be a weak reference.
    named: bool,
}

impl<T: Object + Send + Sync> Seed<T> {
    /// A new node.
    ///
    /// # Panics
    /// When the allocator refuses, or the type is not marked `tree`.
    #[inline]
    #[must_use]
    pub fn new(value: T) -> Self {
        assert!(T::TREE.is_some(), "{} is not marked `tree`", T::KEY);
        match Ref::born(Birth::Asleep, || Ok(value)) {
            Ok(object) => Seed {
                object: ManuallyDrop::new(object),
                named: false,
            },
            Err(error) => panic!("{error}"),
        }
    }

    /// The same node as the type that its own extends.
    #[inline]
    #[must_use]
    pub fn upcast(self) -> Seed<T::Base>
    where
        T::Base: Send + Sync,
    {
        let named = self.named;
        // SAFETY: a `T` begins with its base at the same offset; the pointer is that of the new one.
        let object = ManuallyDrop::new(unsafe { Ref::from_raw(self.into_node().as_non_null()) });
        Seed { object, named }
    }

    /// A weak reference. It leads to nothing before the node is planted.
    #[must_use]
    pub fn downgrade(&mut self) -> Weak<T> {
        let node = self.node();
        if std::mem::replace(&mut self.named, true) {
            return Weak::of(node.as_non_null());
        }
        node.header().custody().downgrade_first();
        Weak::counted(node.as_non_null())
    }

    fn node(&self) -> Node {
        node_of(&self.object)
    }

    fn into_node(self) -> Node {
        ManuallyDrop::new(self).node()
    }
}

impl<T: Object + Send + Sync> Deref for Seed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.object
    }
}

impl<T: Object + Send + Sync> Drop for Seed<T> {
    fn drop(&mut self) {
        // SAFETY: nobody has a handle to it, and none can be had.
        unsafe { destroy(self.node().as_non_null()) }
    }
}

/// Where seeds are planted: all trees of the process, [held still](super::look).
pub struct Planting {
    still: Still,
    /// The first refusal, and handles to the nodes that it tells of.
    refused: Option<(Refused, [ErasedRef; 2])>,
    /// What was refused, to be destroyed when the lock is given back.
    rest: Vec<Node>,
}

/// Plants. It holds the lock of all trees: the function is short, and calls nothing of this module but what it is given, drops no reference and no seed,
/// does not panic, and runs no foreign code, as [`look`](super::look) says.
///
/// # Errors
/// `InvalidatedError`: a list belonged to a node that was erased. What should have been put there is destroyed; the rest is done.
///
/// ```
/// # use pairbond_core::tree::{Children, Seed, TreeNode, plant};
/// # use pairbond_core::object::{Object, Ref};
/// # use pairbond_core::error::Error;
/// fn fill<B: Object + Send + Sync, O: Object + Send + Sync>(
///     block: &Ref<B>,
///     list: impl Fn(&B) -> &Children<O>,
///     seeds: Vec<Seed<O>>,
/// ) -> Result<(), Error> {
///     let list = block.list(list);
///     plant(|planting| seeds.into_iter().for_each(|seed| planting.push(list, seed)))
/// }
/// ```
pub fn plant<R>(work: impl FnOnce(&mut Planting) -> R) -> Result<R, Error> {
    let mut planting = Planting {
        still: Still::begin(),
        refused: None,
        rest: Vec::new(),
    };
    let done = work(&mut planting);
    let Planting { still, refused, rest } = planting;
    drop(still);
    for node in rest {
        // SAFETY: a seed that was given away.
        unsafe { destroy(node.as_non_null()) };
    }
    match refused {
        Some((refused, _nodes)) => Err(refused.into()),
        None => Ok(done),
    }
}

impl Planting {
    /// Puts a seed to the end of a list.
    pub fn push<T: Object + Send + Sync>(&mut self, list: List<'_, T>, seed: Seed<T>) {
        let node = seed.into_node();
        if let Err(refused) = edit::plant(list.node, list.number, node) {
            self.refuse(refused, list.node, list.node);
            self.rest.push(node);
        }
    }

    fn refuse(&mut self, refused: Refused, list: Node, child: Node) {
        if self.refused.is_none() {
            self.refused = Some((refused, [list.handle(), child.handle()]));
        }
    }

    /// Puts a seed to the end of a list of another.
    pub fn push_below<T: Object + Send + Sync, U: Object + Send + Sync>(
        &mut self,
        above: &Seed<T>,
        choose: impl FnOnce(&T) -> &Children<U>,
        seed: Seed<U>,
    ) {
        self.push(above.object.list(choose), seed);
    }

    /// Puts a root to the end of a list, as [`List::push`].
    pub fn push_root<T: Object + Send + Sync>(&mut self, list: List<'_, T>, root: &Ref<T>) {
        let node = node_of(root);
        match edit::join(list, node, |_| Ok(None)) {
            Ok(()) => edit::stay_awake(list.node, node),
            Err(refused) => self.refuse(refused, list.node, node),
        }
    }

    /// A handle to a seed, which is the root of a tree of its own from now on.
    #[must_use]
    pub fn keep<T: Object + Send + Sync>(&mut self, seed: Seed<T>) -> Ref<T> {
        let node = seed.into_node();
        take(node);
        // SAFETY: counted just now.
        unsafe { Ref::from_raw(node.as_non_null()) }
    }
}

impl Deref for Planting {
    type Target = Still;

    fn deref(&self) -> &Still {
        &self.still
    }
}
