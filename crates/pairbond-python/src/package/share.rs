//! `share` and `receive`: handing an object from one interpreter of the process to another without
//! copying it.
//!
//! A token owns one native reference, and is good once. It is a number, because every way of
//! communication between interpreters can carry numbers; numbers are not used again. A token that
//! is not received stays until the process ends, or until its sender takes it back.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedRef, Object, Root};
use pairbond_core::types::TypeInfo;
use pairbond_value::convert::Source;
use pyo3_ffi as py;

use crate::call::method_table::{Methods, add_functions, method_definition};
use crate::convert::PySource;
use crate::errors::{finish_call, owned_or_error, take};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper;

#[derive(Default)]
struct Shared {
    last: u64,
    objects: HashMap<u64, ErasedRef>,
}

static SHARED: Mutex<Option<Shared>> = Mutex::new(None);

fn lock_shared() -> MutexGuard<'static, Option<Shared>> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

static FUNCTIONS: Methods<3> = Methods([
    method_definition(c"share", share_function, py::METH_O, c"share(obj, /)\n--\n\nMakes a native object ready to be received by another interpreter of this process, without copying. Returns a token, an int that is good once."),
    method_definition(c"receive", receive_function, py::METH_O, c"receive(token, /)\n--\n\nThe object that was shared under a token."),
    py::PyMethodDef::zeroed(),
]);

/// Adds them to the module. The thread is attached.
pub(super) fn publish_share(module: &Owned) -> Result<(), Error> {
    add_functions(module, &FUNCTIONS)
}

unsafe extern "C" fn share_function(_: *mut py::PyObject, object: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; the caller's argument outlives the call.
        unsafe { wrapper::native_of(object) }.and_then(|native| {
            if !TypeInfo::is_shareable(native.header()) {
                return Err(Error::type_error(format!(
                    "cannot share a {}: it can hold Python objects, and those belong to one interpreter",
                    native.header().info().key()
                )));
            }
            // SAFETY: attached; the caller's argument outlives the call.
            let reference = unsafe { PySource::new(object) }.to_owned_ref(native);
            let token = {
                let mut all = lock_shared();
                let all = all.get_or_insert_default();
                all.objects.try_reserve(1)?;
                all.last += 1;
                all.objects.insert(all.last, reference);
                all.last
            };
            // SAFETY: attached; a new reference or null.
            unsafe { owned_or_error(py::PyLong_FromUnsignedLongLong(token)) }
        })
    })
}

unsafe extern "C" fn receive_function(_: *mut py::PyObject, token: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; the caller's argument outlives the call.
        let token = unsafe { py::PyLong_AsUnsignedLongLong(token) };
        if token == u64::MAX && crate::errors::is_set() {
            return Err(take());
        }
        take_shared(token)
    })
}

fn take_shared(token: u64) -> Result<Owned, Error> {
    let interp = Interp::current()?;
    let object = lock_shared().as_mut().and_then(|all| all.objects.remove(&token));
    let object = object.ok_or_else(|| {
        Error::value_error("nothing is shared under this token: each is good for receiving once")
    })?;
    let info = object.header().info();
    let found = if interp.class_of(info) == interp.base_class() && !std::ptr::eq(info, Root::info()) {
        Err(Error::new(
            ErrorKind::Import,
            format!(
                "this interpreter has no class {}: import {} first",
                info.key(),
                info.module()
            ),
        ))
    } else {
        wrapper::fetch(object.as_borrow())
    };
    if found.is_err() {
        // Nothing happened: the token stays good.
        lock_shared()
            .get_or_insert_default()
            .objects
            .insert(token, object);
    }
    found
}
