//! The variables that refer to a wrapper: references that `part` can account for.
//!
//! `Names` counts too few rather than too many: a reference that is not found may be a borrow.

use pairbond_core::error::{Error, ErrorKind};
use pyo3_ffi as py;

#[cfg(not(all(Py_3_12, Py_GIL_DISABLED)))]
use crate::errors::owned_or_error;
#[cfg(not(Py_3_12))]
use crate::ffi::PyCell_Type;
use crate::owned::Owned;
#[cfg(not(Py_3_12))]
use crate::running;

/// The variable `obj` of the Python function that called us.
pub(crate) struct Argument {
    object: Owned,
    frame: Owned,
    copies: Copies,
}

/// A dict in which looking has left references. Counted each time: Python code that runs meanwhile
/// may change it.
#[derive(Default)]
struct Copies(Option<Owned>);

/// Variables of one function that refer to the object.
#[derive(Default)]
pub(super) struct Names {
    /// Local variables that are known to do so, and count their reference.
    locals: bool,
    copies: Copies,
    globals: Option<Owned>,
}

impl Argument {
    /// The argument of the Python function that is running.
    ///
    /// # Errors
    /// It has no such variable.
    ///
    /// # Safety
    /// Attached.
    pub(crate) unsafe fn find() -> Result<Self, Error> {
        // SAFETY: attached; borrowed, and null when no Python code is running.
        unsafe {
            let frame = py::PyEval_GetFrame();
            if frame.is_null() {
                // CPython drops the error when it has no memory for the object that stands for a
                // frame.
                let is_running = !py::PyEval_GetGlobals().is_null();
                return Err(if is_running { no_memory() } else { no_argument() });
            }
            let frame = Owned::from_borrowed(frame.cast());
            let (object, copies) = frame_variable(&frame)?;
            Ok(Argument {
                object,
                frame,
                copies,
            })
        }
    }

    pub(crate) fn object(&self) -> &Owned {
        &self.object
    }

    /// How many references are known: the variable's own or its lender's, ours, and copies.
    ///
    /// # Safety
    /// Attached.
    pub(super) unsafe fn references(&self) -> isize {
        // SAFETY: attached: the caller ensures it.
        2 + unsafe { self.copies.of(self.object.as_ptr()) }
    }

    /// The variables of the function's caller.
    ///
    /// # Errors
    /// Memory was exhausted.
    ///
    /// # Safety
    /// Attached.
    pub(super) unsafe fn names_of_caller(&self) -> Result<Names, Error> {
        // SAFETY: attached; new references or null.
        unsafe {
            let caller = py::PyFrame_GetBack(self.frame.as_ptr().cast());
            let Some(caller) = Owned::from_new(caller.cast()) else {
                return match crate::errors::is_set() {
                    true => Err(crate::errors::take()),
                    false => Ok(Names::default()),
                };
            };
            let (locals, copies) = local_refers(&caller, &self.object)?;
            Ok(Names {
                locals,
                copies,
                globals: Owned::from_new(py::PyFrame_GetGlobals(caller.as_ptr().cast())),
            })
        }
    }
}

impl Copies {
    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
    unsafe fn of(&self, object: *mut py::PyObject) -> isize {
        // SAFETY: this thread is attached to the interpreter.
        self.0
            .as_ref()
            .map_or(0, |dict| unsafe { count_in_dict(dict, object) })
    }
}

impl Names {
    /// How many references looking has made.
    ///
    /// # Safety
    /// Attached.
    pub(super) unsafe fn copies(&self, object: *mut py::PyObject) -> isize {
        // SAFETY: attached: the caller ensures it.
        unsafe { self.copies.of(object) }
    }

    /// Whether one of the variables is known to refer to the object. Calls nothing of Python's that
    /// runs code.
    ///
    /// # Safety
    /// Attached, and no other attached thread runs.
    pub(super) unsafe fn name(&self, object: *mut py::PyObject) -> bool {
        // SAFETY: attached, and no other attached thread runs: the caller ensures it.
        self.locals
            || self
                .globals
                .as_ref()
                .is_some_and(|globals| unsafe { count_in_dict(globals, object) } > 0)
    }
}

#[cold]
fn no_memory() -> Error {
    Error::new(ErrorKind::Memory, "out of memory")
}

#[cold]
fn no_argument() -> Error {
    Error::type_error("pairbond.move() looks at its caller's variables: it cannot be called without one")
}

/// In how many places of a dict an object is.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn count_in_dict(dict: &Owned, object: *mut py::PyObject) -> isize {
    let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    let mut found = 0;
    // SAFETY: attached; nothing changes the dict meanwhile.
    unsafe {
        if py::PyDict_Check(dict.as_ptr()) != 0 {
            while py::PyDict_Next(dict.as_ptr(), &mut at, &mut key, &mut value) != 0 {
                found += isize::from(std::ptr::eq(value, object));
            }
        }
    }
    found
}

/// The variable of the frame, and the references that looking has made.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(Py_3_12)]
unsafe fn frame_variable(frame: &Owned) -> Result<(Owned, Copies), Error> {
    // SAFETY: attached; a new reference, or null with an exception. It is the content of the
    // frame's own slot.
    let object = unsafe { py::PyFrame_GetVarString(frame.as_ptr().cast(), c"obj".as_ptr().cast_mut()) };
    // SAFETY: attached; a new reference, or null with an exception. It is the content of the
    // frame's own slot.
    match unsafe { Owned::from_new(object) } {
        Some(object) => Ok((object, Copies::default())),
        // SAFETY: attached, with an exception.
        None if unsafe { py::PyErr_ExceptionMatches(py::PyExc_NameError) } != 0 => {
            crate::errors::clear();
            Err(no_argument())
        }
        None => Err(crate::errors::take()),
    }
}

/// Whether a local variable refers to the object by a reference that it counts.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(all(Py_3_12, not(Py_GIL_DISABLED)))]
unsafe fn local_refers(frame: &Owned, object: &Owned) -> Result<(bool, Copies), Error> {
    // From 3.14 on only variables that are shared with inner functions count for certain.
    let lists: &[unsafe extern "C" fn(*mut py::PyCodeObject) -> *mut py::PyObject] = if cfg!(Py_3_14) {
        &[crate::ffi::PyCode_GetCellvars, crate::ffi::PyCode_GetFreevars]
    } else {
        &[
            crate::ffi::PyCode_GetVarnames,
            crate::ffi::PyCode_GetCellvars,
            crate::ffi::PyCode_GetFreevars,
        ]
    };
    // SAFETY: attached; new references or null with an exception; the tuples keep their elements.
    unsafe {
        let code = owned_or_error(py::PyFrame_GetCode(frame.as_ptr().cast()).cast())?;
        for list in lists {
            let names = owned_or_error(list(code.as_ptr().cast()))?;
            for at in 0..py::PyTuple_GET_SIZE(names.as_ptr()) {
                let name = py::PyTuple_GET_ITEM(names.as_ptr(), at);
                match Owned::from_new(py::PyFrame_GetVar(frame.as_ptr().cast(), name)) {
                    Some(value) if value.as_ptr() == object.as_ptr() => return Ok((true, Copies::default())),
                    Some(_) => {}
                    // Not assigned yet.
                    None => crate::errors::clear(),
                }
            }
        }
    }
    Ok((false, Copies::default()))
}

/// A variable that is shared with inner functions may be assigned by another thread at any moment,
/// and others count nothing for certain.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(all(Py_3_12, Py_GIL_DISABLED))]
unsafe fn local_refers(_: &Owned, _: &Owned) -> Result<(bool, Copies), Error> {
    Ok((false, Copies::default()))
}

/// As above: 3.11 shows variables in a dict only, which it keeps, and which may hold anything else
/// besides. Making one takes ten times what the rest does, so the frame of `move` itself is looked
/// into.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(not(Py_3_12))]
unsafe fn frame_variable(frame: &Owned) -> Result<(Owned, Copies), Error> {
    // SAFETY: attached; a new reference or null with an exception; borrowed, and counted.
    unsafe {
        if let Some(object) = only_variable(frame)? {
            return Ok((object, Copies::default()));
        }
        let dict = owned_or_error(py::PyFrame_GetLocals(frame.as_ptr().cast()))?;
        let name = owned_or_error(py::PyUnicode_InternFromString(c"obj".as_ptr()))?;
        let object = py::PyDict_GetItemWithError(dict.as_ptr(), name.as_ptr());
        if object.is_null() {
            return Err(match crate::errors::is_set() {
                true => crate::errors::take(),
                false => no_argument(),
            });
        }
        let object = Owned::from_borrowed(object);
        drop(dict);
        match local_refers(frame, &object)? {
            (true, copies) => Ok((object, copies)),
            (false, _) => Err(no_argument()),
        }
    }
}

/// Whether exactly one local variable refers to the object, and how many references the dict of
/// them has.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(not(Py_3_12))]
unsafe fn local_refers(frame: &Owned, object: &Owned) -> Result<(bool, Copies), Error> {
    const OPTIMIZED: std::ffi::c_long = 1;
    // SAFETY: attached; new references or null with an exception. From where the dict is filled
    // nothing is allocated that could begin a collection.
    unsafe {
        let code = owned_or_error(py::PyFrame_GetCode(frame.as_ptr().cast()).cast())?;
        let flags = code.get_attr(c"co_flags")?;
        if py::PyLong_AsLong(flags.as_ptr()) & OPTIMIZED == 0 {
            // A module or a class: its attributes are in its namespace.
            return Ok((false, Copies::default()));
        }
        let lists = [
            owned_or_error(crate::ffi::PyCode_GetVarnames(code.as_ptr().cast()))?,
            owned_or_error(crate::ffi::PyCode_GetCellvars(code.as_ptr().cast()))?,
            owned_or_error(crate::ffi::PyCode_GetFreevars(code.as_ptr().cast()))?,
        ];
        let dict = owned_or_error(py::PyFrame_GetLocals(frame.as_ptr().cast()))?;
        let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        let mut variables = 0;
        while py::PyDict_Next(dict.as_ptr(), &mut at, &mut key, &mut value) != 0 {
            // Comparing names runs no code: a key of another class than `str` is not a name.
            if std::ptr::eq(value, object.as_ptr()) && py::PyUnicode_CheckExact(key) != 0 {
                for names in &lists {
                    match running::PySequence_Contains(names.as_ptr(), key) {
                        -1 => return Err(crate::errors::take()),
                        0 => {}
                        _ => {
                            variables += 1;
                            break;
                        }
                    }
                }
            }
        }
        Ok((variables == 1, Copies(Some(dict))))
    }
}

/// The variable of a function that has no other, if the frame's were not read yet.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(not(Py_3_12))]
unsafe fn only_variable(frame: &Owned) -> Result<Option<Owned>, Error> {
    use std::ffi::{c_char, c_int, c_void};

    /// Include/internal/pycore_frame.h of 3.11, as far as it matters.
    #[repr(C)]
    struct Frame {
        base: py::PyObject,
        back: *mut c_void,
        inner: *mut Inner,
    }
    #[repr(C)]
    struct Inner {
        function: *mut c_void,
        globals: *mut c_void,
        builtins: *mut c_void,
        /// The dict of variables, once there is one.
        locals: *mut c_void,
        code: *mut py::PyCodeObject,
        links: [*mut c_void; 3],
        stack_top: c_int,
        is_entry: bool,
        owner: c_char,
        variables: [*mut py::PyObject; 1],
    }
    // SAFETY: attached; a living frame, as CPython 3.11 lays it out (no other has this code). A new
    // reference or null with an exception.
    unsafe {
        let inner = (*frame.as_ptr().cast::<Frame>()).inner;
        let names = owned_or_error(crate::ffi::PyCode_GetVarnames((*inner).code))?;
        if !(*inner).locals.is_null() || py::PyTuple_GET_SIZE(names.as_ptr()) != 1 {
            return Ok(None);
        }
        let is_it =
            py::PyUnicode_CompareWithASCIIString(py::PyTuple_GET_ITEM(names.as_ptr(), 0), c"obj".as_ptr())
                == 0;
        let object = (&raw const (*inner).variables).cast::<*mut py::PyObject>().read();
        // In a cell it would be shared with an inner function.
        let is_there = !object.is_null() && py::Py_TYPE(object) != &raw mut PyCell_Type;
        Ok((is_it && is_there).then(|| Owned::from_borrowed(object)))
    }
}
