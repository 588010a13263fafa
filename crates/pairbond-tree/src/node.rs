//! [`TreeNode`]: what every node can do; and `Node`, a node whose type is not known.

use std::ptr::NonNull;

use super::children::{Children, List, child_as};
use super::error::Refused;
use super::guard::Found;
use super::head::Head;
use super::hooks::{is_tree, table_of};
use super::keep::count_handle;
use super::links::{Links, Place, flag};
use super::lock::lock_trees;
use super::search::{Traversal, nodes_below, search_nodes};
use super::walk::{Ancestors, Descendants};
use super::{edit, erase};
use pairbond_core::error::Error;
use pairbond_core::object::NameFn;
use pairbond_core::object::{
    ErasedRef, Header, Object, Ref, Shape, check_node, read_unless_erased, value_offset,
};

/// Where a type of nodes has its links and its lists, in bytes from the beginning of a value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TreeTable {
    /// The field of type [`Links`].
    pub links: usize,
    /// The fields of type [`Children`]: up to 256.
    pub lists: &'static [usize],
    /// The function that names a node in errors, after its key.
    pub name: Option<NameFn>,
}

impl TreeTable {
    /// The lists of a type that extends a node: those of its parent first, so that these keep their
    /// numbers.
    #[must_use]
    pub const fn extend_lists<const ALL: usize>(&self, own: &[usize]) -> [usize; ALL] {
        assert!(ALL == self.lists.len() + own.len());
        let (mut all, mut i) = ([0; ALL], 0);
        while i < ALL {
            all[i] = if i < self.lists.len() {
                self.lists[i]
            } else {
                own[i - self.lists.len()]
            };
            i += 1;
        }
        all
    }
}

/// A node, under the lock or by a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(NonNull<Header>);

impl Node {
    /// # Safety
    /// An object of a type that has a [`TreeTable`], which is alive for as long as the result is
    /// used.
    #[inline]
    pub(super) unsafe fn new(header: NonNull<Header>) -> Self {
        Node(header)
    }

    /// By a reference, which reaches no further than the header itself.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline]
    pub(super) unsafe fn from_header(object: &Header) -> Self {
        // SAFETY: the address of an object.
        unsafe { Node::new(NonNull::new_unchecked(object.object_ptr().cast())) }
    }

    pub(super) fn as_non_null(self) -> NonNull<Header> {
        self.0
    }

    /// # Safety
    /// As [`new`](Self::new), or null.
    #[inline]
    pub(super) unsafe fn from_ptr(header: *mut Header) -> Option<Self> {
        NonNull::new(header).map(Node)
    }

    #[inline]
    pub(super) fn as_ptr(self) -> *mut Header {
        self.0.as_ptr()
    }

    #[inline]
    pub(super) fn header<'a>(self) -> &'a Header {
        // SAFETY: promised to `new`.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    pub(super) fn table(self) -> &'static TreeTable {
        // SAFETY: such a type has a table of trees, as was promised to `new`.
        unsafe {
            let node = self.header().info().node().unwrap_unchecked();
            &*node.table().cast::<TreeTable>()
        }
    }

    #[inline]
    pub(super) fn links<'a>(self) -> &'a Links {
        // SAFETY: the table says where the links are; alive as promised.
        unsafe { &*self.header().value_ptr().add(self.table().links).cast::<Links>() }
    }

    /// The links of a node of a type that is known, which takes no look at the node.
    ///
    /// # Safety
    /// The node is a `T`, which is a type of nodes.
    #[inline]
    pub(super) unsafe fn links_of<'a, T: Object>(self) -> &'a Links {
        let table = table_of::<T>().expect("a type of nodes");
        let links = Shape::<T>::OFFSET + table.links;
        // SAFETY: a `T`, or a type that begins with one, has its value at that offset, and the
        // table says where the links are; alive as promised to `new`.
        unsafe { &*self.as_ptr().cast::<u8>().add(links).cast::<Links>() }
    }

    #[inline]
    pub(super) fn place_ptr(self) -> *mut Place {
        self.links().place_ptr()
    }

    #[inline]
    pub(super) fn has_bits(self, bits: u32) -> bool {
        self.links().has_bits(bits)
    }

    /// A list, by its number.
    #[inline]
    pub(super) fn list_ptr(self, number: usize) -> *mut Head {
        // SAFETY: the table says where the lists are, and a list begins with its head.
        unsafe {
            self.header()
                .value_ptr()
                .add(self.table().lists[number])
                .cast::<Head>()
        }
    }

    /// The first node of a list. Under the lock.
    #[inline]
    pub(super) fn first_child(self, list: usize) -> Option<Node> {
        // SAFETY: the lock is held, and children are alive.
        unsafe { (*self.list_ptr(list)).first() }
    }

    pub(super) fn list_count(self) -> usize {
        self.table().lists.len()
    }

    /// The number of the parent's list that it stands in.
    #[inline]
    pub(super) fn list_number(self) -> usize {
        (self.links().flags.load(std::sync::atomic::Ordering::Relaxed) >> flag::LIST) as usize
    }

    /// Under the lock.
    #[inline]
    pub(super) fn parent(self) -> Option<Node> {
        // SAFETY: the lock is held, and a parent is alive as long as its children are attached.
        self.has_bits(flag::ATTACHED)
            .then(|| unsafe { Node(NonNull::new_unchecked((*self.place_ptr()).parent)) })
    }

    /// Under the lock.
    #[inline]
    pub(super) fn next(self) -> Option<Node> {
        // SAFETY: the lock is held, and neighbours are alive.
        unsafe { Node::from_ptr((*self.place_ptr()).next) }
    }

    /// Under the lock.
    pub(super) fn previous(self) -> Option<Node> {
        // SAFETY: the lock is held, and neighbours are alive. Only behind the last one is nothing,
        // and that is before the first.
        unsafe { Node::from_ptr((*self.place_ptr()).previous).filter(|before| before.next().is_some()) }
    }

    /// A handle, of a node to which the caller has one.
    fn by_handle(self) -> ErasedRef {
        self.header().custody().acquire();
        // SAFETY: counted just now. Who has walks has nodes that are `Send + Sync`, as `handle`
        // says.
        unsafe { ErasedRef::from_raw(self.0) }
    }

    /// A handle. Under the lock.
    pub(super) fn to_ref(self) -> ErasedRef {
        count_handle(self);
        // SAFETY: counted just now. Nodes are `Send + Sync`: only such are attached.
        unsafe { ErasedRef::from_raw(self.0) }
    }

    pub(super) fn check_not_erased(self) -> Result<(), Refused> {
        if self.has_bits(flag::ERASED) {
            return Err(Refused::Erased(self));
        }
        Ok(())
    }
}

/// The value of a type of nodes, which need not be an object's: one that is not has no place, and
/// no children.
pub(super) struct Bare<'a> {
    links: &'a Links,
    value: *const u8,
    offset: usize,
}

impl<'a> Bare<'a> {
    pub(super) fn from_value<T: Object>(value: &'a T) -> Option<Self> {
        let table = table_of::<T>()?;
        let start = std::ptr::from_ref(value).cast::<u8>();
        // SAFETY: the table of `T` says where its links are.
        let links = unsafe { &*start.add(table.links).cast::<Links>() };
        Some(Bare {
            links,
            value: start,
            offset: value_offset(align_of::<T>()),
        })
    }

    /// The value of a node of any type.
    ///
    /// # Safety
    /// An object of a type that has a [`TreeTable`].
    pub(super) unsafe fn of_object(object: &'a Header) -> Self {
        // SAFETY: the caller's node.
        let node = unsafe { Node::from_header(object) };
        Bare {
            links: node.links(),
            value: object.value_ptr(),
            offset: object.info().value_offset(),
        }
    }

    pub(super) fn is_asleep(&self) -> bool {
        self.links.has_bits(flag::ATTACHED) && !self.links.has_bits(flag::AWAKE)
    }

    /// Has neither parent nor children, and does not own itself. Under the lock. The flags count,
    /// and not the lists of `T`: a type that extends it may have more of them.
    pub(super) fn is_alone(&self) -> bool {
        !self.links.has_bits(flag::ATTACHED | flag::SELF | flag::PARENT)
    }

    /// The node, which is an object because it is not [alone](Self::is_alone).
    pub(super) fn node(&self) -> Node {
        let header = self.value.addr() - self.offset;
        // SAFETY: only objects are attached, and have children. Headers are exposed when they are
        // written.
        unsafe {
            Node(NonNull::new_unchecked(std::ptr::with_exposed_provenance_mut(
                header,
            )))
        }
    }
}

/// Methods of a handle to a node. See the [module](super).
pub trait TreeNode: Sized {
    /// The type of the node.
    type Type: Object + Send + Sync;

    /// # Errors
    /// `InvalidatedError`: the node was erased.
    fn check(&self) -> Result<(), Error>;
    /// Whether the node was erased.
    fn is_erased(&self) -> bool {
        self.check().is_err()
    }
    /// What a function finds out about the node, if it is not erased then: another thread may erase
    /// it meanwhile, and there may be less to find than there was before. It is called in any case.
    ///
    /// # Errors
    /// `InvalidatedError`: the node was erased.
    fn read<R>(&self, find: impl FnOnce() -> R) -> Result<R, Error>;
    /// The node that owns this one.
    fn parent(&self) -> Option<ErasedRef>;
    /// The same, if it is a `U`.
    fn parent_as<U: Object>(&self) -> Option<Ref<U>> {
        self.parent()?.downcast().ok()
    }
    /// The root of the tree, which may be the node itself.
    fn root(&self) -> ErasedRef;
    /// Whether the node is another one, or stands somewhere below it.
    fn is_in<U: Object + Send + Sync>(&self, above: &Ref<U>) -> bool;
    /// The nodes above this one, the nearest first. The tree may be edited meanwhile, and no step
    /// fails: each goes on with the parent that the node has by then; from one that was erased,
    /// with the parent that this had when the walk came to it; and ends where that was erased, too.
    /// Of an erased node there are none.
    fn ancestors(&self) -> Ancestors;
    /// All that stands below this node, each before what stands below it, in the order of the lists
    /// of children.
    ///
    /// The tree may be edited meanwhile, and no step fails. Each list is gone through as
    /// [`List::iter`] does: nodes inserted after the current one are seen, the current node may be
    /// removed, moved within its list, or erased; where it and the next were both taken away the
    /// list is done, and the walk goes on behind the node whose list it is. What stands below a
    /// node is seen if the node stands in its list when the walk goes on from it: a node that was
    /// removed is passed over with all below it. A walk that is inside of a part when that is
    /// *detached* goes through the rest of it; when it is erased, nothing is left there, and the
    /// walk goes on behind it. A node that is moved ahead is seen there (once more). Of an erased
    /// node there are none.
    fn descendants(&self) -> Descendants;
    /// Those [descendants](Self::descendants) that are a `U`.
    fn descendants_as<U: Object>(&self) -> impl Iterator<Item = Ref<U>> {
        self.descendants().filter_map(|node| node.downcast().ok())
    }
    /// Returns the [descendants](Self::descendants) as they are at one moment; if there are more
    /// than a thousand, the tree may be edited in between. Faster than collecting the walk.
    fn all_descendants(&self) -> Vec<ErasedRef>;
    /// The same of those that are a `U`.
    fn all_descendants_as<U: Object>(&self) -> Vec<Ref<U>>;
    /// The node and its [descendants](Self::descendants), as far as they are a `U`, each before and
    /// after those that stand in it, as for writing a tree, at any depth. The tree may be
    /// edited meanwhile.
    fn traverse<U: Object + Send + Sync>(&self) -> Traversal<U>;
    /// Those [descendants](Self::descendants) that are a `U` and fit, `limit` at most if there is
    /// one. They are looked at in place, some hundred under one lock: the rules of
    /// [`with_lock`](super::with_lock) hold for `fits`. Each time the lock is taken, `begin`
    /// makes a state for it, which may cache facts about nodes: none is edited meanwhile.
    ///
    /// ```
    /// # use pairbond_core::object::{Object, Ref}; use pairbond_tree::{Found, TreeNode};
    /// fn roots<T: Object + Send + Sync>(top: &Ref<T>) -> Vec<Ref<T>> {
    ///     top.search(Some(10), || (), |(), node: Found<'_, T>| node.parent::<T>().is_none())
    /// }
    /// ```
    fn search<U: Object + Send + Sync, S>(
        &self,
        limit: Option<usize>,
        begin: impl Fn() -> S,
        fits: impl FnMut(&mut S, Found<'_, U>) -> bool,
    ) -> Vec<Ref<U>> {
        search_nodes(self.descendants(), limit, begin, fits)
    }
    /// The next node in the same list.
    fn next_sibling(&self) -> Option<Ref<Self::Type>>;
    /// The node before this one in the same list.
    fn previous_sibling(&self) -> Option<Ref<Self::Type>>;
    /// One of its lists of children.
    ///
    /// # Panics
    /// The chosen list belongs to another object.
    fn list<C: Object + Send + Sync>(&self, choose: impl FnOnce(&Self::Type) -> &Children<C>) -> List<'_, C>;
    /// Makes the node the root of a tree of its own. A root stays a root.
    ///
    /// # Errors
    /// The node was erased.
    fn detach(&self) -> Result<(), Error>;
    /// Erases the node with all that stands below it: handles to these say so from now on, and the
    /// memory of each goes with its last handle. The reason is that of the [scope](super::reason),
    /// or `erase()`.
    ///
    /// # Errors
    /// It was erased before.
    fn erase(&self) -> Result<(), Error>;
}

impl<T: Object + Send + Sync> TreeNode for Ref<T> {
    type Type = T;

    #[inline]
    fn check(&self) -> Result<(), Error> {
        check_node::<T>(self, self.header())
    }

    fn read<R>(&self, find: impl FnOnce() -> R) -> Result<R, Error> {
        read_unless_erased::<T, R>(self, self.header(), find)
    }

    fn parent(&self) -> Option<ErasedRef> {
        let _locked = lock_trees();
        node_of(self).parent().map(Node::to_ref)
    }

    fn root(&self) -> ErasedRef {
        let _locked = lock_trees();
        let mut at = node_of(self);
        while let Some(parent) = at.parent() {
            at = parent;
        }
        at.to_ref()
    }

    fn is_in<U: Object + Send + Sync>(&self, above: &Ref<U>) -> bool {
        let _locked = lock_trees();
        let above = node_of(above);
        std::iter::successors(Some(node_of(self)), |at| at.parent()).any(|at| at == above)
    }

    fn ancestors(&self) -> Ancestors {
        Ancestors::from_node(node_of(self).by_handle())
    }

    fn descendants(&self) -> Descendants {
        Descendants::from_root(node_of(self).by_handle())
    }

    fn all_descendants(&self) -> Vec<ErasedRef> {
        nodes_below(node_of(self), |node| Some(node.to_ref()))
    }

    fn all_descendants_as<U: Object>(&self) -> Vec<Ref<U>> {
        let as_one = |node: Node| node.header().is::<U>().then(|| child_as(node.to_ref()));
        nodes_below(node_of(self), as_one)
    }

    fn traverse<U: Object + Send + Sync>(&self) -> Traversal<U> {
        Traversal::new(self.descendants(), node_of(self).by_handle())
    }

    fn next_sibling(&self) -> Option<Ref<T>> {
        let next = {
            let _locked = lock_trees();
            let node = node_of(self);
            node.parent().and_then(|_| node.next()).map(Node::to_ref)
        };
        next.and_then(|next| next.downcast().ok())
    }

    fn previous_sibling(&self) -> Option<Ref<T>> {
        let previous = {
            let _locked = lock_trees();
            let node = node_of(self);
            node.parent().and_then(|_| node.previous()).map(Node::to_ref)
        };
        previous.and_then(|previous| previous.downcast().ok())
    }

    fn list<C: Object + Send + Sync>(&self, choose: impl FnOnce(&T) -> &Children<C>) -> List<'_, C> {
        let node = node_of(self);
        let list = std::ptr::from_ref(choose(self)).addr();
        let number = node
            .table()
            .lists
            .iter()
            .position(|at| self.header().value_ptr().addr() + at == list);
        List::new(node, number.expect("a list of this object"))
    }

    fn detach(&self) -> Result<(), Error> {
        Ok(edit::detach_node(node_of(self))?)
    }

    fn erase(&self) -> Result<(), Error> {
        Ok(erase::erase_subtree(node_of(self))?)
    }
}

/// # Panics
/// The type has no links; of a reference to any object ([`Root`](pairbond_core::object::Root)),
/// that of the object.
pub(super) fn node_of<T: Object>(object: &Ref<T>) -> Node {
    assert!(
        table_of::<T>().is_some() || is_tree(object.header()),
        "{} is not marked `tree`",
        T::KEY
    );
    // SAFETY: a type of nodes; the reference is a handle.
    unsafe { Node::from_header(object.header()) }
}
