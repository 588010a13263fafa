//! The class `pairbond.Array`: its attributes and methods.

use std::ffi::{CStr, c_int, c_void};

use pairbond_core::error::Error;
use pairbond_value::convert::{IntoValue, Sink};
use pairbond_value::value::{Any, ArrayBody};
use pyo3_ffi as py;

use super::arguments::{
    device_pair, dtype_of, fill_array, given_or_none, nested_shape, pair_of, parse, parse_vector, shape_of,
};
use super::dlpack;
use super::index::{self, array_construct, to_list};
use super::lend::{CPU, from_buffer};
use crate::buffers::{buffer_error, buffer_get, buffer_release};
use crate::call::method_table::method_definition;
use crate::convert::PySink;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::errors::{finish_call, finish_status};
use crate::heap_types::classes;
use crate::heap_types::support::{
    self, Methods, Object_, body_of, method_noargs, objects_equal, repr_text, with_keywords, wrap_new,
};
use crate::interp::{Interp, kept, local};
use crate::owned::Owned;
use crate::running;

unsafe extern "C" fn array_init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    finish_status(|| {
        let [values, dtype] = parse!(arguments, keywords, c"O|O:Array", [c"", c"dtype"], values, dtype);
        // SAFETY: attached, with a wrapper and the objects of its call, or null.
        unsafe {
            let dtype = dtype_of(dtype)?;
            let kept;
            let values = if py::PySequence_Check(values) == 0 && py::PyNumber_Check(values) == 0 {
                kept = owned_or_error(running::PySequence_List(values))?;
                kept.as_ptr()
            } else {
                values
            };
            let mut shape = Vec::new();
            nested_shape(values, &mut shape)?;
            let array = ArrayBody::zeros(&shape, dtype)?;
            fill_array(&array, values)?;
            array_construct(this, array)
        }
    })
}

unsafe extern "C" fn array_zeros(_: Object_, arguments: Object_, keywords: Object_) -> Object_ {
    finish_call(|| {
        let [shape, dtype] = parse!(
            arguments,
            keywords,
            c"O|O:zeros",
            [c"shape", c"dtype"],
            shape,
            dtype
        );
        // SAFETY: attached, with an object of the call, and one or null.
        let (shape, dtype) = unsafe { (shape_of(shape)?, dtype_of(dtype)?) };
        wrap_new(ArrayBody::zeros(&shape, dtype)?)
    })
}

unsafe extern "C" fn array_from(_: Object_, object: Object_) -> Object_ {
    // SAFETY: called by CPython with a class and an object.
    finish_call(|| unsafe {
        if support::as_body::<ArrayBody>(object).is_some() {
            return Ok(Owned::from_borrowed(object));
        }
        if py::PyObject_CheckBuffer(object) == 0 {
            return wrap_new(dlpack::import_capsule(object, &[])?);
        }
        match from_buffer(object, None) {
            Ok(array) => wrap_new(array),
            // What buffers have no name for, DLPack may have.
            Err(error) if running::PyObject_HasAttrString(object, c"__dlpack__".as_ptr()) != 0 => {
                dlpack::import_capsule(object, &[]).map_or(Err(error), wrap_new)
            }
            Err(error) => Err(error),
        }
    })
}

unsafe extern "C" fn of_buffer(
    _: Object_,
    arguments: *const Object_,
    count: py::Py_ssize_t,
    keywords: Object_,
) -> Object_ {
    finish_call(|| {
        let [object, readonly] = parse_vector!(
            arguments,
            count,
            keywords,
            c"O|$O:from_buffer",
            1,
            [c"", c"readonly"],
            object,
            readonly
        );
        // SAFETY: attached, with an object of the call.
        let readonly = given_or_none(readonly).map(|readonly| unsafe { Owned::lend(&readonly) }.is_true());
        // SAFETY: attached, with an object of the call.
        wrap_new(unsafe { from_buffer(object, readonly.transpose()?) }?)
    })
}

unsafe extern "C" fn of_dlpack(
    _: Object_,
    arguments: *const Object_,
    count: py::Py_ssize_t,
    keywords: Object_,
) -> Object_ {
    finish_call(|| {
        let [object, device, copy] = parse_vector!(
            arguments,
            count,
            keywords,
            c"O|$OO:from_dlpack",
            1,
            [c"", c"device", c"copy"],
            object,
            device,
            copy
        );
        // SAFETY: attached, with an object of the call.
        let pair = given_or_none(device).map(|device| unsafe { device_pair(device) });
        let pair = pair.transpose()?;
        let mut asked = Vec::new();
        if let Some(pair) = &pair {
            asked.push((c"dl_device", pair.as_ptr()));
        }
        if let Some(copy) = given_or_none(copy) {
            asked.push((c"copy", copy));
        }
        // SAFETY: attached, with objects of the call.
        wrap_new(unsafe { dlpack::import_capsule(object, &asked) }?)
    })
}

unsafe extern "C" fn to_dlpack(
    this: Object_,
    arguments: *const Object_,
    count: py::Py_ssize_t,
    keywords: Object_,
) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let array = unsafe { body_of::<ArrayBody>(this) }?;
        let [stream, version, device, copy] = parse_vector!(
            arguments,
            count,
            keywords,
            c"|$OOOO:__dlpack__",
            0,
            [c"stream", c"max_version", c"dl_device", c"copy"],
            stream,
            version,
            device,
            copy
        );
        if given_or_none(stream).is_some() && array.device().kind == CPU.kind {
            return Err(buffer_error("an array of the processor's memory has no stream"));
        }
        let mut versioned = false;
        if let Some(version) = given_or_none(version) {
            // SAFETY: attached, with an object of the call.
            versioned = unsafe { major_of(version) }? >= 1;
        }
        if let Some(wanted) = given_or_none(device) {
            let own = pair_of(array.device())?;
            // SAFETY: attached, with an object of the call.
            if !unsafe { objects_equal(own.as_ptr(), wanted) }? {
                return Err(buffer_error(
                    "the array cannot be had on another device than its own",
                ));
            }
        }
        // SAFETY: attached, with an object of the call.
        let copies = given_or_none(copy).map_or(Ok(false), |copy| unsafe { Owned::lend(&copy) }.is_true())?;
        if copies {
            dlpack::export_capsule(&array.copy()?, versioned, true)
        } else {
            dlpack::export_capsule(array, versioned, false)
        }
    })
}

/// The first of the two numbers of a version.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `version` alive.
unsafe fn major_of(version: Object_) -> Result<isize, Error> {
    // SAFETY: attached; a living object; a tuple keeps its items.
    let small = unsafe {
        if py::PyTuple_CheckExact(version) != 0 && py::PyTuple_GET_SIZE(version) > 0 {
            crate::ints::small(py::PyTuple_GET_ITEM(version, 0))
        } else {
            None
        }
    };
    if let Some(major) = small {
        return Ok(major);
    }
    // SAFETY: attached; a living object.
    let major = unsafe {
        let major = owned_or_error(running::PySequence_GetItem(version, 0))?;
        py::PyLong_AsSsize_t(major.as_ptr())
    };
    if major == -1 && crate::errors::is_set() {
        return Err(take());
    }
    Ok(major)
}

unsafe extern "C" fn dlpack_device(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| pair_of(unsafe { body_of::<ArrayBody>(this) }?.device()))
}

unsafe extern "C" fn array_copy(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| wrap_new(unsafe { body_of::<ArrayBody>(this) }?.copy()?))
}

unsafe extern "C" fn array_tolist(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| to_list(unsafe { body_of::<ArrayBody>(this) }?))
}

unsafe extern "C" fn array_tobytes(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let copy = unsafe { body_of::<ArrayBody>(this) }?.copy()?;
        let size = copy.element_count() * copy.item_size();
        // SAFETY: the copy is ours, and of so many bytes.
        PySink.write_bytes(unsafe { std::slice::from_raw_parts(copy.start_ptr(), size) })
    })
}

unsafe extern "C" fn array_repr(this: Object_) -> Object_ {
    /// More elements are not shown.
    const SHOWN: usize = 1000;
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let (array, this) = unsafe { (body_of::<ArrayBody>(this)?, Owned::lend(&this)) };
        let (name, dtype) = (this.class_name(), array.dtype());
        let text = if array.element_count() > SHOWN || array.check_readable().is_err() {
            let shape = repr_text(&tuple_of_sizes(array.shape().iter().map(|n| *n as i64))?)?;
            format!("<{name} of {dtype}, shape {shape}, on {}>", array.device())
        } else {
            format!("{name}({}, dtype='{dtype}')", repr_text(&to_list(array)?)?)
        };
        crate::convert::from_text(&text)
    })
}

fn tuple_of_sizes(all: impl ExactSizeIterator<Item = i64>) -> Result<Owned, Error> {
    // SAFETY: attached; the tuple is ours until it is full.
    unsafe {
        let tuple = owned_or_error(py::PyTuple_New(all.len() as py::Py_ssize_t))?;
        for (at, n) in all.enumerate() {
            py::PyTuple_SET_ITEM(
                tuple.as_ptr(),
                at as py::Py_ssize_t,
                PySink.write_i64(n)?.into_ptr(),
            );
        }
        Ok(tuple)
    }
}

macro_rules! attributes {
    ($($name:ident, $doc:literal, $array:ident => $value:expr;)*) => {
        $(
            unsafe extern "C" fn $name(this: Object_, _: *mut c_void) -> Object_ {
                finish_call(|| {
                    // SAFETY: called by CPython with a wrapper.
                    let $array = unsafe { body_of::<ArrayBody>(this) }?;
                    $value
                })
            }
        )*

        static ATTRIBUTES: classes::Constant<[py::PyGetSetDef; 11]> = classes::Constant([
            $(py::PyGetSetDef {
                name: concat!(stringify!($name), "\0").as_ptr().cast(),
                get: Some($name),
                set: None,
                doc: concat!($doc, "\0").as_ptr().cast(),
                closure: std::ptr::null_mut(),
            },)*
            classes::DICT,
            classes::END,
        ]);
    };
}

attributes! {
    dtype, "What the elements are: a DType.", array => Any::DType(array.dtype()).into_value(PySink);
    device, "Where they lie: a Device.", array => Any::Device(array.device()).into_value(PySink);
    shape, "The number of elements along each axis.", array => tuple_of_sizes(array.shape().iter().map(|n| *n as i64));
    strides, "From one element to the next along each axis, in bytes.", array => tuple_of_sizes(array.strides().iter().map(|n| *n as i64));
    ndim, "The number of axes.", array => PySink.write_u64(array.shape().len() as u64);
    size, "The number of elements.", array => PySink.write_u64(array.element_count() as u64);
    nbytes, "The bytes of all elements.", array => PySink.write_u64((array.element_count() * array.item_size()) as u64);
    readonly, "Whether elements cannot be assigned.", array => PySink.write_bool(array.is_readonly());
    transposed, "The axes in the opposite order, of the same memory.", array => wrap_new(array.transposed());
}

static METHODS: Methods<11> = Methods([
    of_class(with_keywords(c"zeros", array_zeros, c"zeros($type, /, shape, dtype='float64')\n--\n\nAn array of zeros.")),
    method_definition(c"of", array_from, py::METH_O | py::METH_CLASS, c"of($type, object, /)\n--\n\nWhat an object lends without copying: an array itself, a buffer, or by DLPack."),
    of_class(method_vector(c"from_buffer", of_buffer, c"from_buffer($type, object, /, *, readonly=None)\n--\n\nThe memory of an object's buffer, which is kept for as long as it is used.")),
    of_class(method_vector(c"from_dlpack", of_dlpack, c"from_dlpack($type, object, /, *, device=None, copy=None)\n--\n\nThe memory that an object's __dlpack__ gives. What cannot say whether it may be written is read-only.")),
    method_vector(c"__dlpack__", to_dlpack, c"__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack capsule of the same memory."),
    method_noargs(c"__dlpack_device__", dlpack_device, c"__dlpack_device__($self, /)\n--\n\nDLPack's numbers of the device."),
    method_noargs(c"copy", array_copy, c"copy($self, /)\n--\n\nThe elements in memory of their own, which can be written."),
    method_noargs(c"__copy__", array_copy, c"__copy__($self, /)\n--\n\nSee copy()."),
    method_noargs(c"tolist", array_tolist, c"tolist($self, /)\n--\n\nThe elements as numbers in nested lists."),
    method_noargs(c"tobytes", array_tobytes, c"tobytes($self, /)\n--\n\nA copy of the elements' bytes, row after row."),
    py::PyMethodDef::zeroed(),
]);

const fn method_vector(
    name: &'static CStr,
    function: py::PyCFunctionFastWithKeywords,
    doc: &'static CStr,
) -> py::PyMethodDef {
    py::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: function,
        },
        ml_flags: py::METH_FASTCALL | py::METH_KEYWORDS,
        ml_doc: doc.as_ptr(),
    }
}

/// A method of the class.
const fn of_class(mut method: py::PyMethodDef) -> py::PyMethodDef {
    method.ml_flags |= py::METH_CLASS;
    method
}

/// The thread is attached to `interp`.
pub(crate) fn publish_array(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let slots: [(c_int, *mut c_void); 9] = classes::slots![
        Py_mp_length: lenfunc = index::len;
        Py_sq_length: lenfunc = index::len;
        Py_sq_item: ssizeargfunc = index::array_item;
        Py_mp_subscript: binaryfunc = index::array_subscript;
        Py_mp_ass_subscript: objobjargproc = index::array_assign;
        Py_tp_iter: getiterfunc = index::array_iter;
        Py_tp_repr: reprfunc = array_repr;
        Py_bf_getbuffer: getbufferproc = buffer_get;
        Py_bf_releasebuffer: releasebufferproc = buffer_release;
    ];
    let spec = classes::Spec {
        name: c"pairbond.Array",
        doc: c"Array(values, /, dtype='float64')\n--\n\nNumbers of one type in memory, with a shape: shared with numpy and others by buffers and DLPack.",
        methods: METHODS.0.as_ptr(),
        attributes: Some(ATTRIBUTES.0.as_ptr()),
        init: array_init,
        vectorcall: None,
        slots: &slots,
    };
    local::set_helper_class(
        interp,
        kept::LENDER,
        super::lend::lender_class(module)?.into_ptr(),
    );
    dlpack::make_constants(interp)?;
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    unsafe { classes::container_class::<ArrayBody>(interp, module, &spec) }?;
    Ok(())
}
