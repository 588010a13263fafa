//! Nodes that are created to be inserted: [`DetachedNode`]s, which cost no counting, and
//! [`batch_insert`], which inserts many under one lock.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use super::children::{Children, List};
use super::edit;
use super::error::Refused;
use super::guard::TreeGuard;
use super::hooks::table_of;
use super::keep::count_handle;
use super::links::flag;
use super::node::{Node, node_of};
use super::weight;
use pairbond_core::error::Error;
use pairbond_core::object::{self, Birth, ErasedRef, Object, Ref, Weaks, destroy_object};

/// A node that has not been shared, and that nothing else keeps: to be
/// [inserted](BatchInsert::push). If it is not, it dies with everything below it.
///
/// The same as a [`Ref`] that is [pushed](List::push_owned) and dropped, but it has no handle to
/// begin with, so that none is to be counted and dropped.
#[derive(Debug)]
pub struct DetachedNode<T: Object + Send + Sync> {
    /// A pointer only, for the node is asleep.
    object: ManuallyDrop<Ref<T>>,
    /// Whether there may be a weak reference.
    named: bool,
}

impl<T: Object + Send + Sync> DetachedNode<T> {
    /// A new node.
    ///
    /// # Panics
    /// When the allocator refuses, or the type is not marked `tree`.
    #[inline]
    #[must_use]
    pub fn new(value: T) -> Self {
        UninitNode::new().init_in_place(value)
    }

    /// Memory for one, so that a large value is made where it will stay: one that is handed from
    /// function to function is copied each time, and each copy waits for writes made before.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    ///
    /// ```
    /// # use pairbond_core::object::Object;
    /// # use pairbond_tree::DetachedNode;
    /// fn detached<T: Object + Send + Sync>(make: impl FnOnce() -> T) -> DetachedNode<T> {
    ///     let room = DetachedNode::uninit();
    ///     room.init_in_place(make())
    /// }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn uninit() -> UninitNode<T> {
        UninitNode::new()
    }

    /// The same node as the type that its own extends.
    #[inline]
    #[must_use]
    pub fn upcast(self) -> DetachedNode<T::Base>
    where
        T::Base: Send + Sync,
    {
        let named = self.named;
        // SAFETY: a `T` begins with its base at the same offset; the pointer is that of the new
        // one.
        let object = ManuallyDrop::new(unsafe { Ref::from_raw(self.into_node().as_non_null()) });
        DetachedNode { object, named }
    }

    /// Weak references: so many are counted at once, which costs nothing the first time. They lead
    /// to nothing before the node is inserted.
    ///
    /// # Panics
    /// When none is wanted.
    #[must_use]
    pub fn downgrade(&mut self, count: u32) -> Weaks<T> {
        assert!(count > 0, "no weak reference is none");
        let node = self.node();
        let custody = node.header().custody();
        if std::mem::replace(&mut self.named, true) {
            custody.downgrade_many(count);
        } else {
            custody.downgrade_first(count);
        }
        // SAFETY: counted just now; a `T`.
        unsafe { Weaks::from_counted(node.as_non_null(), count) }
    }

    fn node(&self) -> Node {
        node_of(&self.object)
    }

    fn into_node(self) -> Node {
        ManuallyDrop::new(self).node()
    }
}

impl<T: Object + Send + Sync> Deref for DetachedNode<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.object
    }
}

impl<T: Object + Send + Sync> Drop for DetachedNode<T> {
    fn drop(&mut self) {
        // SAFETY: it has no handles, and none can be had.
        unsafe { destroy_object(self.node().as_non_null()) }
    }
}

/// UninitNode for a node: see [`DetachedNode::uninit`]. It is given back if no value comes.
pub struct UninitNode<T: Object + Send + Sync>(object::UninitObject<T>);

impl<T: Object + Send + Sync> UninitNode<T> {
    #[inline(always)]
    fn new() -> Self {
        assert!(table_of::<T>().is_some(), "{} is not marked `tree`", T::KEY);
        match object::UninitObject::new(Birth::Asleep) {
            Ok(room) => UninitNode(room),
            Err(error) => error.unwind(),
        }
    }

    /// The node of a value.
    ///
    /// # Panics
    /// There is no memory to list it.
    #[inline(always)]
    #[must_use]
    pub fn init_in_place(self, value: T) -> DetachedNode<T> {
        let object = match self.0.fill(value) {
            Ok(object) => object,
            Err(error) => Error::from(error).unwind(),
        };
        DetachedNode {
            object: ManuallyDrop::new(object),
            named: false,
        }
    }
}

impl<T: Object + Send + Sync> fmt::Debug for UninitNode<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<room for a {}>", T::KEY)
    }
}

/// Inserts detached nodes: into all trees of the process, [under the lock](super::with_lock).
pub struct BatchInsert<'a> {
    planted: Planted,
    guard: TreeGuard,
    after: &'a mut After,
}

/// Work for after the lock.
#[derive(Default)]
struct After {
    /// The first refusal, and handles to the nodes that it tells of.
    refused: Option<(Refused, [ErasedRef; 2])>,
    /// Refused nodes, to be destroyed.
    rest: Vec<Node>,
}

/// The number of nodes inserted, reported after the last one: under the lock, as it goes before
/// [`TreeGuard`], also in a panic.
struct Planted(isize);

impl Drop for Planted {
    fn drop(&mut self) {
        weight::note_attached(self.0);
    }
}

/// Plants. It holds the lock of all trees: the function is short, and calls nothing of this module
/// but its argument, drops no reference and no detached node, does not panic, and runs no foreign
/// code, as for [`with_lock`](super::with_lock).
///
/// # Errors
/// `InvalidatedError`: a list belonged to a node that was erased. What should have been put there
/// is destroyed; the rest is done.
///
/// ```
/// # use pairbond_tree::{Children, DetachedNode, TreeNode, batch_insert};
/// # use pairbond_core::object::{Object, Ref};
/// # use pairbond_core::error::Error;
/// fn fill<B: Object + Send + Sync, O: Object + Send + Sync>(
///     block: &Ref<B>,
///     list: impl Fn(&B) -> &Children<O>,
///     nodes: Vec<DetachedNode<O>>,
/// ) -> Result<(), Error> {
///     let list = block.list(list);
///     batch_insert(|batch| nodes.into_iter().for_each(|detached| batch.push(list, detached)))
/// }
/// ```
pub fn batch_insert<R>(work: impl FnOnce(&mut BatchInsert<'_>) -> R) -> Result<R, Error> {
    let mut after = After::default();
    let done = work(&mut BatchInsert {
        planted: Planted(0),
        guard: TreeGuard::lock_tree(),
        after: &mut after,
    });
    for node in after.rest {
        // SAFETY: a detached node that was given away.
        unsafe { destroy_object(node.as_non_null()) };
    }
    match after.refused {
        Some((refused, _nodes)) => Err(refused.into()),
        None => Ok(done),
    }
}

impl BatchInsert<'_> {
    /// Appends a detached node to a list.
    #[inline]
    pub fn push<T: Object + Send + Sync>(&mut self, list: List<'_, T>, detached: DetachedNode<T>) {
        let node = detached.into_node();
        match list.node.check_not_erased() {
            Ok(()) => self.insert_child(list, node),
            Err(refused) => {
                self.record_refusal(refused, list.node, list.node);
                self.after.rest.push(node);
            }
        }
    }

    /// As [`push`](Self::push), and returns a handle to the node.
    ///
    /// # Errors
    /// The list belongs to a node that was erased: the node is given back.
    #[inline]
    pub fn push_and_keep<T: Object + Send + Sync>(
        &mut self,
        list: List<'_, T>,
        detached: DetachedNode<T>,
    ) -> Result<Ref<T>, DetachedNode<T>> {
        if list.node.check_not_erased().is_err() {
            return Err(detached);
        }
        let node = detached.into_node();
        self.insert_child(list, node);
        // As `count_handle`, which checks of both nodes the facts known here, in twice the
        // instructions: the new one sleeps, and the caller has a handle to the one that the list is
        // of, so that this is not its first reference.
        node.header().custody().wake_node(false);
        node.links().set_bits(flag::AWAKE);
        list.node.header().custody().acquire();
        // SAFETY: counted just now.
        Ok(unsafe { Ref::from_raw(node.as_non_null()) })
    }

    /// The list is that of a node that was not erased, and the node was detached.
    #[inline]
    fn insert_child<T: Object + Send + Sync>(&mut self, list: List<'_, T>, node: Node) {
        self.planted.0 += 1;
        // SAFETY: the lock is held; a list of `T`, and a detached node stands nowhere.
        unsafe { edit::append_unshared::<T>(list.node, list.node.list_ptr(list.number), list.number, node) };
    }

    fn record_refusal(&mut self, refused: Refused, list: Node, child: Node) {
        if self.after.refused.is_none() {
            self.after.refused = Some((refused, [list.to_ref(), child.to_ref()]));
        }
    }

    /// Appends a detached node to a list of another.
    ///
    /// # Panics
    /// The chosen list belongs to another node.
    #[inline]
    pub fn push_below<T: Object + Send + Sync, U: Object + Send + Sync>(
        &mut self,
        above: &DetachedNode<T>,
        choose: impl FnOnce(&T) -> &Children<U>,
        detached: DetachedNode<U>,
    ) {
        let list = choose(above);
        let place = std::ptr::from_ref(list)
            .addr()
            .wrapping_sub(std::ptr::from_ref::<T>(above).addr());
        let lists = table_of::<T>().map_or(&[][..], |table| table.lists);
        let number = lists.iter().position(|at| *at == place);
        let number = number.expect("a list of this node");
        self.planted.0 += 1;
        // SAFETY: the lock is held; a detached node is not erased, and another one stands nowhere.
        unsafe { edit::append_unshared::<U>(above.node(), list.head(), number, detached.into_node()) };
    }

    /// Puts a root to the end of a list, as [`List::push`].
    pub fn push_root<T: Object + Send + Sync>(&mut self, list: List<'_, T>, root: &Ref<T>) {
        let node = node_of(root);
        match edit::attach_locked(list, node, |_| Ok(None)) {
            Ok(()) => edit::stay_awake(list.node, node),
            Err(refused) => self.record_refusal(refused, list.node, node),
        }
    }

    /// Returns a handle to a detached node, which is the root of a tree of its own from now on.
    #[must_use]
    pub fn keep<T: Object + Send + Sync>(&mut self, detached: DetachedNode<T>) -> Ref<T> {
        let node = detached.into_node();
        count_handle(node);
        // SAFETY: counted just now.
        unsafe { Ref::from_raw(node.as_non_null()) }
    }
}

impl Deref for BatchInsert<'_> {
    type Target = TreeGuard;

    fn deref(&self) -> &TreeGuard {
        &self.guard
    }
}
