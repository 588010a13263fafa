//! [`ExternalTree`]: nodes of types that another language than Rust defines; [`NodeList`]: their
//! lists, whose elements are known at run time only.
//!
//! Such a type brings functions for its own part of a value. Those that its [`TypeInfo`] has do the
//! rest: they show the node's place to collectors, and let its children go before the value is
//! destroyed. They find the type through the header, so that a type that extends it has them, too.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use super::children::List;
use super::clear::{clear_bare, leave_lists};
use super::cursor::Stand;
use super::edit;
use super::error::Refused;
use super::guard::with_lock;
use super::head::Head;
use super::hooks::is_tree;
use super::node::{Bare, Node, TreeTable, node_of};
use super::trace::trace_bare;
use pairbond_core::error::Error;
use pairbond_core::frontend::{contain_panics, contain_trace};
use pairbond_core::object::NameFn;
use pairbond_core::object::{ErasedBorrow, Header, NodeType, Object, Ref, Root, value_offset};
use pairbond_core::runtime::find_type;
use pairbond_core::trace::{Tracer, TracerTable};
use pairbond_core::types::{TraceFn, TypeInfo, ValueFn};

/// The type of the nodes in a list, which may be registered later than the list's own.
#[derive(Debug)]
pub struct Element {
    key: &'static str,
    info: OnceLock<&'static TypeInfo>,
}

impl Element {
    /// By its key; nodes of any type where that is empty.
    pub fn from_key(key: &'static str) -> Self {
        let info = OnceLock::new();
        Element { key, info }
    }

    fn type_info(&self) -> Result<&'static TypeInfo, Error> {
        if let Some(info) = self.info.get() {
            return Ok(info);
        }
        let found = if self.key.is_empty() {
            Some(Root::info())
        } else {
            find_type(self.key)
        };
        let missing = || Error::type_error(format!("the type {} is not registered", self.key));
        found
            .map(|found| *self.info.get_or_init(|| found))
            .ok_or_else(missing)
    }
}

/// The functions that the author of a type of nodes provides.
pub struct NodeFunctions {
    /// Destroys a value.
    pub drop: Option<ValueFn>,
    /// Shows the references of a value.
    pub trace: Option<TraceFn>,
    /// Drops the references of a value, which lives on.
    pub clear: Option<ValueFn>,
    /// Shows what errors call a node; its text lives as long as the value.
    pub name: Option<unsafe extern "C" fn(*const c_void, *mut usize) -> *const u8>,
}

/// See the head of this file. The table comes first: it is found by that.
#[repr(C)]
pub struct ExternalTree {
    table: TreeTable,
    functions: NodeFunctions,
    elements: Vec<&'static Element>,
}

impl ExternalTree {
    /// Returns the tree part of a type, for the process: where its links and its own lists are.
    /// The links are those of a base that is a node, and the lists of the base come first.
    pub fn new(
        base: Option<&'static ExternalTree>,
        links: usize,
        own: Vec<(usize, Element)>,
        functions: NodeFunctions,
        align: usize,
    ) -> Option<&'static ExternalTree> {
        let (mut lists, mut elements) = match base {
            Some(base) => (base.table.lists.to_vec(), base.elements.clone()),
            None => (Vec::new(), Vec::new()),
        };
        for (at, element) in own {
            lists.push(at);
            elements.push(Box::leak(Box::new(element)));
        }
        let name = match functions.name {
            Some(_) => Some(of_align(align)?.name),
            None => base.and_then(|base| base.table.name),
        };
        let functions = NodeFunctions {
            name: functions.name.or(base.and_then(|base| base.functions.name)),
            ..functions
        };
        let table = TreeTable {
            links: base.map_or(links, |base| base.table.links),
            lists: lists.leak(),
            name,
        };
        Some(Box::leak(Box::new(ExternalTree {
            table,
            functions,
            elements,
        })))
    }

    /// That of a type, if its nodes are of another language, or it extends such a type.
    pub fn for_type(info: &TypeInfo) -> Option<&'static ExternalTree> {
        let table = TreeTable::of_node(info.node().copied()).filter(|_| info.is_beside_rust())?;
        // SAFETY: such a type has the table that `new` made.
        Some(unsafe { &*ptr::from_ref(table).cast::<ExternalTree>() })
    }

    /// Returns what the core knows of nodes of the type.
    #[must_use]
    pub fn node_type(&'static self) -> NodeType {
        self.table.node_type()
    }

    /// Returns the number of lists of children that a node has.
    #[must_use]
    pub fn list_count(&self) -> usize {
        self.table.lists.len()
    }

    /// Returns whether its author's function shows references.
    #[must_use]
    pub fn has_trace(&self) -> bool {
        self.functions.trace.is_some()
    }
}

/// The functions of a [`TypeInfo`], for values of an alignment.
pub struct TypeFunctions {
    /// Destroys a value.
    pub drop: ValueFn,
    /// Shows the references of a value.
    pub trace: TraceFn,
    /// Drops the references of a value, which lives on.
    pub clear: ValueFn,
    name: NameFn,
}

/// Returns the functions for values of an alignment; `None` if it is none that objects can have.
#[must_use]
pub fn of_align(align: usize) -> Option<TypeFunctions> {
    macro_rules! of {
        ($($align:literal)*) => {
            match align {
                $($align => Some(TypeFunctions {
                    drop: drop_external::<{ value_offset($align) }>,
                    trace: trace_external::<{ value_offset($align) }>,
                    clear: clear_external::<{ value_offset($align) }>,
                    name: name_external::<{ value_offset($align) }>,
                }),)*
                _ => None,
            }
        };
    }
    of!(8 16 32 64 128 256 512 1024 2048 4096)
}

/// The object of a value, and what its type brings.
///
/// # Safety
/// The value of a living object at that offset behind its header, of a type with an
/// [`ExternalTree`].
unsafe fn of_value<'a, const OFFSET: usize>(value: *const u8) -> (&'a Header, &'static ExternalTree) {
    // SAFETY: the header is before the value by the offset of its alignment.
    let object = unsafe { &*value.sub(OFFSET).cast::<Header>() };
    let tree = ExternalTree::for_type(object.info()).expect("a type of nodes of another language");
    (object, tree)
}

unsafe extern "C-unwind" fn drop_external<const OFFSET: usize>(value: *mut u8) {
    // SAFETY: called once with a living value that nothing but its children refers to; the table
    // has the places of its lists.
    unsafe {
        let (object, tree) = of_value::<OFFSET>(value);
        contain_panics(object.info().key(), || {
            leave_lists(value, tree.table.lists);
            for at in tree.table.lists {
                // With its index, if it has one.
                std::mem::drop(ptr::replace(value.add(*at).cast::<Head>(), Head::new()));
            }
        });
        if let Some(drop) = tree.functions.drop {
            drop(value);
        }
    }
}

unsafe extern "C-unwind" fn trace_external<const OFFSET: usize>(
    value: *const u8,
    tracer: *const TracerTable,
) {
    // SAFETY: called with a living value and a valid tracer.
    unsafe {
        let (object, tree) = of_value::<OFFSET>(value);
        if let Some(trace) = tree.functions.trace {
            trace(value, tracer);
        }
        contain_trace::<ExternalTree>(|| {
            trace_bare(&Bare::of_object(object), &mut Tracer::new(&*tracer));
        });
    }
}

unsafe extern "C-unwind" fn clear_external<const OFFSET: usize>(value: *mut u8) {
    // SAFETY: called with a living value that is garbage.
    unsafe {
        let (object, tree) = of_value::<OFFSET>(value);
        if let Some(clear) = tree.functions.clear {
            clear(value);
        }
        contain_panics(object.info().key(), || clear_bare(&Bare::of_object(object)));
    }
}

unsafe extern "C-unwind" fn name_external<const OFFSET: usize>(
    value: *const u8,
    context: *mut c_void,
    show: unsafe extern "C-unwind" fn(*mut c_void, *const u8, usize),
) {
    // SAFETY: called with a living value, whose text lives as long as it does; the text is made
    // UTF-8 before it is shown.
    unsafe {
        let (_, tree) = of_value::<OFFSET>(value);
        let Some(name) = tree.functions.name else { return };
        let mut size = 0;
        let data = name(value.cast(), &raw mut size);
        if !data.is_null() {
            let text = String::from_utf8_lossy(std::slice::from_raw_parts(data, size));
            show(context, text.as_ptr(), text.len());
        }
    }
}

/// Returns the error of asking for a reference to an object in its constructor or destructor.
#[must_use]
pub fn no_reference_error(info: &TypeInfo) -> Error {
    Error::runtime_error(format!(
        "a {} is used whose constructor has not returned, or that is being destroyed",
        info.key()
    ))
}

/// A node, whatever its type.
///
/// # Errors
/// `TypeError`: an object of a type that is no node's. `RuntimeError`: its value is not complete,
/// or is being destroyed.
pub fn any_node(object: ErasedBorrow<'_>) -> Result<Ref<Root>, Error> {
    let info = object.header().info();
    if !is_tree(object.header()) {
        return Err(Error::type_error(format!(
            "a {} is no node of a tree",
            info.key()
        )));
    }
    let node = object.try_to_ref().ok_or_else(|| no_reference_error(info))?;
    // SAFETY: each object is a `Root`; nodes may be used on any thread.
    Ok(unsafe { Ref::from_raw(node.into_raw()) })
}

/// A list of children of a node of another language, and the node.
pub struct NodeList {
    owner: Ref<Root>,
    tree: &'static ExternalTree,
    number: usize,
}

/// Where an iteration over a list stands: `pb_cursor` in `pairbond.h`. Zeros: before the first.
#[repr(C)]
pub struct Place {
    now: Option<Ref<Root>>,
    next: Option<Ref<Root>>,
    begun: bool,
}

const _: () = assert!(size_of::<Place>() == 24 && size_of::<Option<Ref<Root>>>() == 8);

impl NodeList {
    /// The list at a place in an object's value.
    ///
    /// # Errors
    /// `TypeError`: the object is no node of another language. `ValueError`: there is no list of it
    /// at that place.
    pub fn at_place(owner: ErasedBorrow<'_>, list: *const c_void) -> Result<Self, Error> {
        let owner = any_node(owner)?;
        let info = owner.header().info();
        let Some(tree) = ExternalTree::for_type(info) else {
            return Err(Error::type_error(format!(
                "the lists of a {} are used by the library that it is of",
                info.key()
            )));
        };
        let start = owner.header().value_ptr().addr();
        let mut lists = tree.table.lists.iter();
        match lists.position(|at| start + at == list.addr()) {
            Some(number) => Ok(NodeList { owner, tree, number }),
            None => Err(Error::value_error(format!(
                "the list of children is not one of this {}",
                info.key()
            ))),
        }
    }

    /// Returns the list, for edits.
    pub fn as_list(&self) -> List<'_, Root> {
        List::new(node_of(&self.owner), self.number)
    }

    /// A node that the list takes.
    ///
    /// # Errors
    /// `TypeError`: it is none, or of another type than the list's.
    pub fn check_element(&self, object: ErasedBorrow<'_>) -> Result<Ref<Root>, Error> {
        let node = any_node(object)?;
        let (info, expected) = (node.header().info(), self.tree.elements[self.number].type_info()?);
        if info.is_a(expected) {
            Ok(node)
        } else {
            let (given, expected) = (info.key(), expected.key());
            Err(Error::type_error(format!(
                "a {given} does not go into a list of {expected}"
            )))
        }
    }

    /// As [`List::splice`].
    ///
    /// # Errors
    /// As there.
    pub fn splice(
        &self,
        before: Option<&Ref<Root>>,
        first: &Ref<Root>,
        last: &Ref<Root>,
    ) -> Result<(), Error> {
        let element = self.tree.elements[self.number].type_info()?;
        let (first, last) = (node_of(first), node_of(last));
        Ok(edit::move_range(
            self.as_list(),
            before.map(node_of),
            first,
            last,
            element,
        )?)
    }

    /// The next node of an iteration, whose place keeps it; null at the end, and ever after.
    ///
    /// # Errors
    /// `InvalidatedError`: the node whose list it is was erased; the place stays.
    pub fn advance(&self, place: &mut Place) -> Result<*mut Header, Error> {
        let mut stand: Option<Stand<Root>> = place.begun.then(|| (place.now.take(), place.next.take()));
        let stepped = with_lock(|_| {
            node_of(&self.owner).check_not_erased()?;
            Ok(self.as_list().step_locked(&mut stand))
        });
        let stepped: Result<_, Refused> = stepped;
        let (now, next) = stand.unwrap_or_default();
        let begun = place.begun || stepped.is_ok();
        *place = Place { now, next, begun };
        let (found, _left): (Option<Ref<Root>>, Stand<Root>) = stepped?;
        // The place has a handle of its own.
        Ok(found.map_or(ptr::null_mut(), |found| node_of(&found).as_ptr()))
    }
}

impl Place {
    /// Ends an iteration.
    pub fn end_iteration(&mut self) {
        (self.now, self.next, self.begun) = (None, None, true);
    }
}

/// The place of a node in the list that it stands in.
pub fn place_of(node: &Ref<Root>) -> Option<usize> {
    with_lock(|_| {
        let node = node_of(node);
        let parent: Node = node.parent()?;
        Some(super::child_index::place_of_child(
            parent.list_ptr(node.list_number()),
            node,
        ))
    })
}
