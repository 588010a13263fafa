//! Version 1 of the binary interface, as far as an extension with one type needs it.
//!
//! **Never changed**: when this no longer works, the interface has another version, and this file
//! is the one that the versions after it are tested against.

use std::ffi::c_void;
use std::sync::atomic::{AtomicIsize, AtomicPtr, AtomicU32, AtomicU64};

use pyo3_ffi as py;

pub const ABI: u32 = 1;

#[repr(C)]
pub struct Text {
    pub start: *const u8,
    pub len: usize,
}

#[repr(C)]
pub struct Head {
    pub size: u32,
    pub abi: u32,
    pub version: Text,
    pub compiler: Text,
    pub shapes: u64,
}

#[repr(C)]
pub struct Header {
    pub state: AtomicU64,
    pub pair: AtomicU64,
    pub type_word: *const c_void,
}

#[repr(C)]
pub struct Allocation {
    pub memory: *mut u8,
    pub origin: *const c_void,
}

/// Whose objects are counted, and what.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Counted(pub usize);

#[repr(C)]
pub struct RuntimeTable {
    pub head: Head,
    pub heap: [usize; 2],
    pub allocate: unsafe extern "C" fn(usize, usize, Counted) -> Allocation,
    pub deallocate: unsafe extern "C" fn(*mut u8, usize, usize, u8, Counted),
    pub count: unsafe extern "C" fn(*const TypeInfo, isize, isize),
    pub counted: unsafe extern "C" fn(*const TypeInfo, *mut [isize; 2]),
    pub allocator: [usize; 2],
    pub register_type: unsafe extern "C" fn(*const TypeInfo, *mut *const TypeInfo) -> bool,
    pub find_type: unsafe extern "C" fn(*const u8, usize) -> *const TypeInfo,
    pub each_type: unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void, *const TypeInfo)),
    pub track: usize,
    pub destroy: unsafe extern "C-unwind" fn(*mut Header),
    pub others: [usize; 27],
}

#[repr(C)]
pub struct Api {
    pub head: Head,
    pub shape: u64,
    pub runtime: *const RuntimeTable,
    pub marker: usize,
    pub dealloc: usize,
    pub sole: usize,
    pub spare: usize,
    pub current: unsafe extern "C" fn() -> *const c_void,
    pub make_wrapper: unsafe extern "C" fn(*const c_void, *const Header) -> *mut py::PyObject,
    pub drain: unsafe extern "C" fn(),
    pub hold: usize,
    pub class_of: unsafe extern "C" fn(*const c_void, *const TypeInfo) -> *mut py::PyTypeObject,
    pub register_class: unsafe extern "C" fn(*const c_void, *const TypeInfo, *mut py::PyTypeObject),
    pub exception: unsafe extern "C" fn(*const c_void, *const u8, usize) -> *mut py::PyObject,
    pub element_iterator: usize,
    pub give_wrapper: unsafe extern "C" fn(*const c_void, *const Header) -> *mut py::PyObject,
    pub others: [usize; 3],
}

#[repr(C)]
pub struct Plan {
    pub known: bool,
    pub bare: bool,
    pub len: u8,
    pub words: [[u16; 2]; 6],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Items {
    pub size: usize,
    pub align: usize,
    pub len: unsafe extern "C-unwind" fn(*const u8) -> usize,
    pub drop: Option<unsafe extern "C-unwind" fn(*mut u8, usize)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Equality {
    pub equal: Option<unsafe extern "C-unwind" fn()>,
    pub hash: Option<unsafe extern "C-unwind" fn()>,
}

#[repr(C)]
pub struct Carrying {
    pub by_fields: bool,
    pub ordered: bool,
    pub functions: [usize; 4],
}

#[repr(C)]
pub struct Origin {
    pub krate: Text,
    pub version: Text,
    pub digest: u64,
    pub closed: bool,
    pub place: u64,
}

type ValueFn = unsafe extern "C-unwind" fn(*mut u8);

#[repr(C, align(256))]
pub struct TypeInfo {
    pub hot: AtomicU32,
    pub bytes: u32,
    pub size: usize,
    pub align: usize,
    pub prefix: usize,
    pub value_offset: usize,
    pub index: AtomicIsize,
    pub members: AtomicPtr<c_void>,
    pub drop: Option<ValueFn>,
    pub trace: unsafe extern "C-unwind" fn(*const u8, *const c_void),
    pub plan: Plan,
    pub clear: ValueFn,
    pub shareable: unsafe extern "C-unwind" fn(*const u8) -> u8,
    pub items: Option<Items>,
    pub items_offset: usize,
    pub key: &'static str,
    pub version: u32,
    pub depth: u32,
    pub base: *const TypeInfo,
    pub ancestors: AtomicPtr<*const TypeInfo>,
    pub fields: &'static [u8],
    pub fingerprint: [u64; 2],
    pub flags: u32,
    pub objects: AtomicIsize,
    pub wrappers: AtomicIsize,
    pub equality: Option<Equality>,
    pub table: *const c_void,
    pub carrying: Carrying,
    pub kept: AtomicPtr<()>,
    pub tree: *const c_void,
    pub parts: &'static [u8],
    pub origin: Origin,
    pub binary: *const u8,
    pub rust_type: u64,
}

/// How a layout is hashed: FNV-1a of 128 bits, numbers as a whole.
pub struct Fingerprint(u128);

impl Fingerprint {
    pub const fn new() -> Self {
        Fingerprint(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
    pub const fn number(mut self, number: u64) -> Self {
        self.0 = (self.0 ^ number as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        self.0 ^= self.0 >> 64;
        self
    }
    pub const fn text(self, text: &str) -> Self {
        let mut this = self.number(text.len() as u64);
        let (bytes, mut at) = (text.as_bytes(), 0);
        while at < bytes.len() {
            this.0 = (this.0 ^ bytes[at] as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
            at += 1;
        }
        this
    }
    pub const fn halves(&self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }
}
