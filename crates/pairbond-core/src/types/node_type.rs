//! [`NodeType`]: objects that a structure keeps, besides references to them. The core's use of them
//! is in `object/node.rs`.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::custody::{Answer, Header};
use crate::raw::{ErasedRef, Error};
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
    pub(crate) refused: u32,
    /// The structure shows a reference to an object with one of these flags, which is not counted.
    pub(crate) owned: u32,
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
    /// Called when a wrapper was made for an object, to which the caller has a native reference,
    /// and whether the structure may have that reference. Returns whether it has taken it.
    pub wrapped: unsafe fn(&Header, bool) -> bool,
    /// Called when the wrapper of a living object was given back. Returns a reference that the
    /// structure had because of it, to be dropped where foreign code may run.
    pub unwrapped: unsafe fn(&Header) -> Option<ErasedRef>,
    /// Returns what made the object one that is refused, in a few words.
    pub cause: unsafe fn(&Header) -> &'static str,
    /// Returns the function that names objects whose type has this table.
    pub name_fn: unsafe fn(*const c_void) -> Option<NameFn>,
    /// Returns whether a collection would free less than half of the heap, because the structure of
    /// an object, which the caller holds, has at least half of that many objects and all that wait
    /// for a collection.
    pub is_mostly_alive: unsafe fn(&Header, usize) -> bool,
}

/// Tells the name of an object: shows it to a function, once, with the pointer that it was given.
pub type NameFn = unsafe extern "C-unwind" fn(value: *const u8, context: *mut c_void, show: ShowFn);
/// Called with a name, in UTF-8.
pub type ShowFn = unsafe extern "C-unwind" fn(context: *mut c_void, name: *const u8, len: usize);

/// A function that is called with an object, its relation to the other, and a function that
/// returns a reference to it.
pub type ShowNeighbour<'a> = dyn FnMut(&Header, Neighbour, &dyn Fn() -> ErasedRef) + 'a;

/// The relation of an object to another.
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
    pub(crate) unsafe fn has_flags(&self, value: *const u8, flags: u32) -> bool {
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
