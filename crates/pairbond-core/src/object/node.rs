//! [`NodeType`]: objects that a structure keeps, besides references to them.
//!
//! Nodes of trees are such objects. The core knows of them what is in this file: a word of flags in
//! each value, and functions of the structure. It knows nothing else of structures.
//!
//! * A node may be *refused*: the structure has given it up, and it must not be used any more.
//!   Every access from a frontend asks ([`check_node`]). Types of objects that are no nodes pay
//!   nothing for that, for the type says it as a constant.
//! * Without references a node lives on if its structure lives ([`NodeHooks::released`]), and can
//!   be had by a weak reference ([`NodeHooks::upgrade`]).
//! * The references that its place in the structure stands for are shown to collectors by the
//!   type's [`Trace`](crate::trace::Trace) under [one lock](super::structure_lock).

use std::ffi::c_void;
use std::ptr::NonNull;

use super::erased::ErasedRef;
use super::header::Object;
use crate::custody::Header;
use crate::error::Error;
use crate::frontend::Answer;
use crate::sync::statics::{AtomicU32, Ordering};

/// How the objects of a type are kept by a structure.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NodeType {
    hooks: &'static NodeHooks,
    /// The structure's own description of the type.
    table: *const c_void,
    /// Where the word of flags is, an `AtomicU32`: bytes from the beginning of a value.
    word: u32,
    /// An object with one of these flags must not be used.
    refused: u32,
    /// The structure shows a reference to an object with one of these flags, which is not counted.
    owned: u32,
    /// Which structure it is.
    structure: u32,
}

// SAFETY: functions, and what a structure describes for the process.
unsafe impl Send for NodeType {}
// SAFETY: functions, and what a structure describes for the process.
unsafe impl Sync for NodeType {}

/// Functions of a structure. The objects are nodes of it.
#[derive(Debug)]
#[repr(C)]
pub struct NodeHooks {
    /// Returns why an object is refused.
    pub refuse: unsafe fn(&Header) -> Error,
    /// Called when the last reference was dropped and the protocol of custody gave the calling
    /// thread the duty to destroy the object, which it may keep instead.
    pub released: unsafe fn(NonNull<Header>),
    /// Returns a reference to an object of which there is none, if its structure lives.
    pub upgrade: unsafe fn(&Header) -> Answer<ErasedRef>,
    /// Called with a value before it is dropped, and the structure's table.
    pub leave: unsafe fn(*mut u8, *const c_void),
    /// Shows what stands around an object that has a reference; returns whether it owns one to
    /// itself. Called with a closure that must not drop a reference.
    pub neighbours: unsafe fn(&Header, &mut ShowNeighbour<'_>) -> bool,
}

/// What is shown an object, how it stands, and what takes a reference to it.
pub type ShowNeighbour<'a> = dyn FnMut(&Header, Neighbour, &dyn Fn() -> ErasedRef) + 'a;

/// How an object stands to another.
#[derive(Clone, Copy, Debug)]
pub enum Neighbour {
    /// It is the other's parent.
    Parent,
    /// It is a child.
    Child {
        /// The name of the field that is the list.
        list: &'static str,
        /// Whether it owns a reference to its parent.
        awake: bool,
    },
}

impl NodeType {
    /// Describes a type whose word of flags is so many bytes behind the beginning of a value.
    ///
    /// # Safety
    /// There is an `AtomicU32` in each value. The functions may be called with objects of the type.
    /// The table is of the type that belongs to this number of a structure.
    #[must_use]
    pub const unsafe fn new(
        structure: u32,
        word: usize,
        flags: NodeFlags,
        hooks: &'static NodeHooks,
        table: *const c_void,
    ) -> Self {
        assert!(word <= u32::MAX as usize, "a value of so many bytes");
        NodeType {
            hooks,
            table,
            word: word as u32,
            refused: flags.refused,
            owned: flags.owned,
            structure,
        }
    }

    /// Returns the structure's table, if it is this structure.
    #[inline]
    #[must_use]
    pub const fn table_of(&self, structure: u32) -> Option<*const c_void> {
        if self.structure == structure {
            Some(self.table)
        } else {
            None
        }
    }

    /// Returns the table of whatever structure it is.
    #[inline]
    #[must_use]
    pub const fn table(&self) -> *const c_void {
        self.table
    }

    /// Returns the functions of the structure.
    #[inline]
    pub(crate) const fn hooks(&self) -> &'static NodeHooks {
        self.hooks
    }

    /// # Safety
    /// A value of the type.
    #[inline(always)]
    unsafe fn has_flags(&self, value: *const u8, flags: u32) -> bool {
        // SAFETY: the type has a word there; the caller's value.
        let word = unsafe { &*value.add(self.word as usize).cast::<AtomicU32>() };
        word.load(Ordering::Acquire) & flags != 0
    }
}

/// Which flags of a node mean something to the core.
#[derive(Clone, Copy, Debug)]
pub struct NodeFlags {
    /// The object must not be used.
    pub refused: u32,
    /// The structure shows a reference to it that is not counted.
    pub owned: u32,
}

/// Checks that an object may be used, if it is a node: one load and one comparison, and nothing at
/// all for other types.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline(always)]
pub fn check_node<T: Object>(value: &T, object: &Header) -> Result<(), Error> {
    if let Some(node) = const { T::NODE } {
        // SAFETY: a value of the type, and the object that has it.
        unsafe {
            if node.has_flags(std::ptr::from_ref(value).cast(), node.refused) {
                return Err((node.hooks.refuse)(object));
            }
        }
    }
    Ok(())
}

/// Returns what a function finds out about an object, if that is not erased then: another thread
/// may erase it meanwhile, and there may be less to find than there was before. The function is
/// called in any case.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline(always)]
pub fn read_unless_erased<T: Object, R>(
    value: &T,
    object: &Header,
    find: impl FnOnce() -> R,
) -> Result<R, Error> {
    let found = find();
    check_node(value, object).map(|()| found)
}

/// As [`check_node`], for an object of any type.
///
/// # Errors
/// `InvalidatedError`: it was erased.
#[inline]
pub fn check_object(object: &Header) -> Result<(), Error> {
    match type_if(object, |node| node.refused) {
        // SAFETY: the type of the object; alive during the call.
        Some(node) => Err(unsafe { (node.hooks.refuse)(object) }),
        None => Ok(()),
    }
}

/// Returns whether an object of any type is a node that was erased.
#[inline]
#[must_use]
pub fn is_erased(object: &Header) -> bool {
    type_if(object, |node| node.refused).is_some()
}

/// Returns whether the object is a node whose structure shows a reference to it that its count does
/// not know. Under the structures' lock, which a survey has.
#[inline]
pub(crate) fn is_owned(object: &Header) -> bool {
    type_if(object, |node| node.owned).is_some()
}

/// Returns the type of nodes that an object is of, if it is one and has one of these flags.
#[inline(always)]
fn type_if(object: &Header, flags: impl Fn(&NodeType) -> u32) -> Option<&'static NodeType> {
    let node = object.info().node()?;
    // SAFETY: the type of the object, which is alive during the call.
    unsafe { node.has_flags(object.value_ptr(), flags(node)) }.then_some(node)
}
