//! An extension module of version 1 of the binary interface: one type, `abi.V1`, whose value is a
//! number.

#![allow(unsafe_op_in_unsafe_fn, reason = "as C would be written")]

mod declared;

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use declared::*;
use pyo3_ffi as py;

static API: AtomicPtr<Api> = AtomicPtr::new(ptr::null_mut());
static TYPE: AtomicPtr<TypeInfo> = AtomicPtr::new(ptr::null_mut());

/// `THREAD_SAFE | ATTRIBUTES | SHAREABLE`
const FLAGS: u32 = 4 | 2 | 8;

unsafe extern "C-unwind" fn trace(_: *const u8, _: *const c_void) {}
unsafe extern "C-unwind" fn clear(_: *mut u8) {}
unsafe extern "C-unwind" fn shareable(_: *const u8) -> u8 {
    u8::MAX
}

/// What `#[pairbond::object("abi.V1")] struct V1 { value: u64 }` has.
const fn fingerprint() -> [u64; 2] {
    let part = Fingerprint::new()
        .number(0)
        .number(8)
        .text("u64")
        .number(8)
        .number(8)
        .halves();
    Fingerprint::new()
        .text("an object")
        .number(8)
        .number(8)
        .number(1)
        .number(0)
        .number(1)
        .number(1)
        .text("pairbond.Object")
        .text("value")
        .number(part[0])
        .number(part[1])
        .halves()
}

const fn text(text: &'static str) -> Text {
    Text {
        start: text.as_ptr(),
        len: text.len(),
    }
}

/// # Safety
/// A registered type, of which the new one is a subtype.
unsafe fn describe(base: *const TypeInfo) -> TypeInfo {
    TypeInfo {
        hot: AtomicU32::new(0),
        bytes: size_of::<TypeInfo>() as u32,
        size: 32,
        align: 8,
        prefix: 0,
        value_offset: 24,
        index: AtomicIsize::new(-1),
        members: AtomicPtr::new(ptr::null_mut()),
        drop: None,
        trace,
        plan: Plan {
            known: true,
            bare: false,
            len: 0,
            words: [[0, u16::MAX]; 6],
        },
        clear,
        shareable,
        items: None,
        items_offset: 0,
        key: "abi.V1",
        version: 1,
        depth: (*base).depth + 1,
        base,
        ancestors: AtomicPtr::new(ptr::null_mut()),
        fields: &[],
        fingerprint: fingerprint(),
        flags: FLAGS,
        objects: AtomicIsize::new(0),
        wrappers: AtomicIsize::new(0),
        equality: None,
        table: ptr::null(),
        carrying: Carrying {
            by_fields: false,
            ordered: false,
            functions: [0; 4],
        },
        kept: AtomicPtr::new(ptr::null_mut()),
        tree: ptr::null(),
        parts: &[],
        origin: Origin {
            krate: text("abi-v1"),
            version: text("1.0.0"),
            digest: 0,
            closed: true,
            place: 0,
        },
        binary: ptr::null(),
        rust_type: 0,
    }
}

/// # Safety
/// The calling thread is attached; a terminated text.
unsafe fn fail(text: *const c_char) -> *mut py::PyObject {
    py::PyErr_SetString(py::PyExc_ImportError, text);
    ptr::null_mut()
}

/// Joins, and registers the type.
///
/// # Safety
/// The calling thread is attached.
unsafe fn join() -> bool {
    let package = py::PyImport_ImportModule(c"pairbond._pairbond".as_ptr());
    if package.is_null() {
        return false;
    }
    let capsule = py::PyObject_GetAttrString(package, c"_api".as_ptr());
    py::Py_DECREF(package);
    if capsule.is_null() {
        return false;
    }
    let api = py::PyCapsule_GetPointer(capsule, c"pairbond._pairbond._api".as_ptr()).cast::<Api>();
    py::Py_DECREF(capsule);
    if api.is_null() {
        return false;
    }
    let fits = |head: &Head, size: usize| head.abi == ABI && head.size as usize >= size;
    if !fits(&(*api).head, size_of::<Api>()) {
        fail(c"v1: the frontend's table is of another version".as_ptr());
        return false;
    }
    let runtime = (*api).runtime;
    if !fits(&(*runtime).head, size_of::<RuntimeTable>()) {
        fail(c"v1: the runtime's table is of another version".as_ptr());
        return false;
    }
    let key = "pairbond.Object";
    let base = ((*runtime).find_type)(key.as_ptr(), key.len());
    if base.is_null() {
        fail(c"v1: pairbond.Object is not registered".as_ptr());
        return false;
    }
    let mine = Box::into_raw(Box::new(describe(base)));
    let mut entered = ptr::null();
    let fits = ((*runtime).register_type)(mine, &raw mut entered);
    if !ptr::eq(entered, mine) {
        drop(Box::from_raw(mine));
    }
    if !fits {
        fail(c"v1: abi.V1 is registered with another layout".as_ptr());
        return false;
    }
    API.store(api, Ordering::Release);
    TYPE.store(entered.cast_mut(), Ordering::Release);
    true
}

/// A new object with that number, given to Python.
unsafe extern "C" fn make(_: *mut py::PyObject, number: *mut py::PyObject) -> *mut py::PyObject {
    let number = py::PyLong_AsUnsignedLongLong(number);
    if !py::PyErr_Occurred().is_null() {
        return ptr::null_mut();
    }
    let (api, info) = (&*API.load(Ordering::Acquire), TYPE.load(Ordering::Acquire));
    let made = ((*api.runtime).allocate)(32, 8, Counted(info.expose_provenance()));
    if made.memory.is_null() {
        return py::PyErr_NoMemory();
    }
    let slot = made.origin.addr() & 0xff;
    let header = made.memory.cast::<Header>();
    header.write(Header {
        // One native reference, no wrapper.
        state: AtomicU64::new(0),
        pair: AtomicU64::new(0),
        type_word: info.cast_const().cast::<c_void>().map_addr(|a| a | slot),
    });
    made.memory.add(24).cast::<u64>().write(number);
    (api.give_wrapper)((api.current)(), header)
}

/// The number of an object of the type.
unsafe extern "C" fn read(_: *mut py::PyObject, wrapper: *mut py::PyObject) -> *mut py::PyObject {
    let size = py::PyObject_GetAttrString((&raw mut py::PyBaseObject_Type).cast(), c"__basicsize__".as_ptr());
    let offset = py::PyLong_AsSize_t(size);
    py::Py_DECREF(size);
    let header = *wrapper.cast::<u8>().add(offset).cast::<*const Header>();
    let info = (*header).type_word.map_addr(|a| a & !0xff).cast::<TypeInfo>();
    if !ptr::eq(info, TYPE.load(Ordering::Acquire)) {
        py::PyErr_SetString(py::PyExc_TypeError, c"not an abi.V1".as_ptr());
        return ptr::null_mut();
    }
    py::PyLong_FromUnsignedLongLong(*header.cast::<u8>().add(24).cast::<u64>())
}

/// How many objects and wrappers of the type there are.
unsafe extern "C" fn count(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    let api = &*API.load(Ordering::Acquire);
    let mut count = [0; 2];
    ((*api.runtime).counted)(TYPE.load(Ordering::Acquire), &raw mut count);
    py::Py_BuildValue(c"(nn)".as_ptr(), count[0], count[1])
}

/// The sizes of the tables in the first version, and in this process.
unsafe extern "C" fn sizes(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    let api = &*API.load(Ordering::Acquire);
    py::Py_BuildValue(
        c"((nn)(nn)(nn))".as_ptr(),
        size_of::<Api>(),
        api.head.size as usize,
        size_of::<RuntimeTable>(),
        (*api.runtime).head.size as usize,
        size_of::<TypeInfo>(),
        (*TYPE.load(Ordering::Acquire)).bytes as usize,
    )
}

unsafe extern "C" fn exec(_: *mut py::PyObject) -> c_int {
    if join() { 0 } else { -1 }
}

fn method(
    name: &'static std::ffi::CStr,
    function: unsafe extern "C" fn(*mut py::PyObject, *mut py::PyObject) -> *mut py::PyObject,
    flags: c_int,
) -> py::PyMethodDef {
    py::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunction: function,
        },
        ml_flags: flags,
        ml_doc: ptr::null(),
    }
}

/// Called by CPython when the module is imported.
///
/// # Safety
/// As for any module's initialisation function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PyInit_v1() -> *mut py::PyObject {
    let methods = vec![
        method(c"make", make, py::METH_O),
        method(c"read", read, py::METH_O),
        method(c"count", count, py::METH_NOARGS),
        method(c"sizes", sizes, py::METH_NOARGS),
        py::PyMethodDef::zeroed(),
    ];
    let slots = vec![
        py::PyModuleDef_Slot {
            slot: py::Py_mod_exec,
            value: exec as unsafe extern "C" fn(*mut py::PyObject) -> c_int as *mut c_void,
        },
        py::PyModuleDef_Slot {
            slot: 0,
            value: ptr::null_mut(),
        },
    ];
    let definition = Box::leak(Box::new(py::PyModuleDef {
        m_base: py::PyModuleDef_HEAD_INIT,
        m_name: c"v1".as_ptr(),
        m_doc: ptr::null(),
        m_size: 0,
        m_methods: methods.leak().as_mut_ptr(),
        m_slots: slots.leak().as_mut_ptr(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    }));
    py::PyModuleDef_Init(definition)
}
