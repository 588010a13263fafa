//! Every member of a class becomes a slot, a method or an attribute.

use std::ffi::{CStr, c_int, c_void};
use std::marker::PhantomData;

use pairbond_value::class::{
    Binding, Callable, Class, ClassVisitor, Constructor, Getter, Invoke, Setter, Signature,
};
use pyo3_ffi as py;

use super::callable::{self, ByItself, ByMethod, Called};
use super::protocol_slots::is_absent;
use super::{buffer, construct, getset, number, protocol_slots, richcompare, type_repr};
use crate::call::{leak_doc, leak_text, method_def};

pub(super) struct Collected {
    pub(super) signature: &'static Signature,
    pub(super) init: py::initproc,
    pub(super) vectorcall: py::vectorcallfunc,
}

/// Everything that was collected. Its functions are compiled once, and those of [`Collector`] for
/// each class.
#[derive(Default)]
pub(super) struct Members {
    pub(super) slots: Vec<py::PyType_Slot>,
    pub(super) methods: Vec<py::PyMethodDef>,
    pub(super) getsets: Vec<py::PyGetSetDef>,
    pub(super) fields: Vec<&'static str>,
    pub(super) class_getters: Vec<py::PyGetSetDef>,
    pub(super) constructor: Option<Collected>,
    pub(super) late: Vec<&'static CStr>,
    /// Has an ordering, but no equality.
    pub(super) compares: bool,
    pub(super) hashes: bool,
    /// Objects are called without a tuple of arguments.
    pub(super) called: bool,
}

impl Members {
    fn slot(&mut self, id: c_int, function: *mut c_void) {
        self.slots.push(py::PyType_Slot {
            slot: id,
            pfunc: function,
        });
    }

    fn attribute(&mut self, name: &'static str, doc: &str, get: py::getter, set: Option<py::setter>) {
        self.fields.push(name);
        self.getsets.push(getset_definition(name, doc, get, set));
    }

    fn class_getter(&mut self, signature: &Signature, get: py::getter) {
        self.class_getters
            .push(getset_definition(signature.name, signature.doc, get, None));
    }

    fn method(&mut self, signature: &Signature, definition: py::PyMethodDef) {
        if let Some(late) = LATE.into_iter().find(|late| late.to_str() == Ok(signature.name)) {
            self.late.push(late);
        }
        self.methods.push(definition);
    }

    fn len(&mut self, function: py::lenfunc) {
        // Both: `len()` and `reversed()` look at the one, negative indices at the other.
        self.slot(py::Py_mp_length, function as *mut c_void);
        self.slot(py::Py_sq_length, function as *mut c_void);
    }

    fn buffer(&mut self, get: py::getbufferproc, view: py::PyCFunction) {
        self.slot(py::Py_bf_getbuffer, get as *mut c_void);
        let release: py::releasebufferproc = crate::buffers::buffer_release;
        self.slot(py::Py_bf_releasebuffer, release as *mut c_void);
        // CPython makes it of the slot since 3.12.
        if cfg!(not(Py_3_12)) {
            self.methods.push(crate::call::method_table::method_definition(
                c"__buffer__",
                view,
                py::METH_O,
                c"__buffer__($self, flags, /)\n--\n\nA view of the memory that the object lends.",
            ));
        }
    }
}

fn getset_definition(name: &str, doc: &str, get: py::getter, set: Option<py::setter>) -> py::PyGetSetDef {
    py::PyGetSetDef {
        name: leak_text(name).as_ptr(),
        get: Some(get),
        set,
        doc: leak_doc(doc),
        closure: std::ptr::null_mut(),
    }
}

pub(super) struct Collector<T> {
    members: Members,
    _type: PhantomData<T>,
}

/// Methods whose slots CPython fills only when the class's attribute is set
/// (`Objects/typeobject.c`, `fixup_slot_dispatchers`).
const LATE: [&CStr; 9] = [
    c"__await__",
    c"__aiter__",
    c"__anext__",
    c"__getattr__",
    c"__setattr__",
    c"__delattr__",
    c"__get__",
    c"__set__",
    c"__delete__",
];

impl<T: Class> Collector<T> {
    pub(super) fn new() -> Self {
        Collector {
            members: Members::default(),
            _type: PhantomData,
        }
    }

    pub(super) fn into_members(self) -> Members {
        self.members
    }

    fn slot(&mut self, id: c_int, function: *mut c_void) {
        self.members.slot(id, function);
    }

    fn called<C: Called>(&mut self) {
        if callable::is_fast::<T>() {
            let function: py::allocfunc = callable::callable_allocate::<C>;
            self.slot(py::Py_tp_alloc, function as *mut c_void);
            self.members.called = true;
        }
    }
}

/// Whether an integer is what `__getitem__` takes: then the class is a sequence, which Python
/// iterates and reverses by index.
fn takes_index(signature: &Signature) -> bool {
    let types = ["usize", "isize", "u64", "i64", "u32", "i32"];
    signature
        .parameters
        .first()
        .is_some_and(|parameter| types.contains(&parameter.rust_type))
}

macro_rules! as_is {
    ($($name:ident => $id:ident, $function:path, $t:ty;)*) => {$(
        fn $name<M: Callable>(&mut self) {
            let function: $t = $function;
            self.slot(py::$id, function as *mut c_void);
        }
    )*};
}

macro_rules! reflected {
    ($($name:ident => $id:ident;)*) => {$(
        fn $name<M: Callable, R: Callable>(&mut self) {
            let function: py::binaryfunc = number::number_binary::<T, M, R, { py::$id }>;
            self.slot(py::$id, function as *mut c_void);
        }
    )*};
}

impl<T: Class> ClassVisitor for Collector<T> {
    fn visit_getter<G: Getter>(&mut self) {
        self.members
            .attribute(G::NAME, G::DOC, getset::field_get::<G>, None);
    }

    fn visit_property<S: Setter>(&mut self) {
        let set: py::setter = getset::field_set::<S>;
        self.members
            .attribute(S::NAME, S::DOC, getset::field_get::<S>, Some(set));
    }

    fn visit_constructor<C: Constructor>(&mut self) {
        construct::BaseConstructor::register::<C>();
        self.members.constructor = Some(Collected {
            signature: const { &C::SIGNATURE },
            init: construct::construct_init::<C>,
            vectorcall: construct::construct_vectorcall::<C>,
        });
    }

    fn visit_invoke<I: Invoke>(&mut self) {
        let function: py::ternaryfunc = protocol_slots::slot_invoke::<I>;
        self.slot(py::Py_tp_call, function as *mut c_void);
        self.called::<ByItself<I>>();
    }

    fn call<M: Callable>(&mut self) {
        let function: py::ternaryfunc = protocol_slots::slot_call::<M>;
        self.slot(py::Py_tp_call, function as *mut c_void);
        self.called::<ByMethod<M>>();
    }

    fn visit_method<M: Callable>(&mut self) {
        let signature = const { &M::SIGNATURE };
        if const { matches!(M::SIGNATURE.binding, Binding::ClassGetter) } {
            self.members.class_getter(signature, getset::get_of_class::<M>);
        } else {
            self.members.method(signature, method_def::<M>());
        }
    }

    as_is! {
        repr => Py_tp_repr, type_repr::of_type::<M>, py::reprfunc;
        str => Py_tp_str, protocol_slots::slot_unary::<M>, py::reprfunc;
        bool => Py_nb_bool, protocol_slots::slot_truth::<M>, py::inquiry;
        contains => Py_sq_contains, protocol_slots::slot_contains::<M>, py::objobjproc;
        iter => Py_tp_iter, protocol_slots::slot_iter::<M>, py::getiterfunc;
        next => Py_tp_iternext, protocol_slots::next::<M>, py::iternextfunc;
        iadd => Py_nb_inplace_add, number::in_place::<M>, py::binaryfunc;
        isub => Py_nb_inplace_subtract, number::in_place::<M>, py::binaryfunc;
        imul => Py_nb_inplace_multiply, number::in_place::<M>, py::binaryfunc;
        itruediv => Py_nb_inplace_true_divide, number::in_place::<M>, py::binaryfunc;
        ifloordiv => Py_nb_inplace_floor_divide, number::in_place::<M>, py::binaryfunc;
        imod => Py_nb_inplace_remainder, number::in_place::<M>, py::binaryfunc;
        imatmul => Py_nb_inplace_matrix_multiply, number::in_place::<M>, py::binaryfunc;
        iand => Py_nb_inplace_and, number::in_place::<M>, py::binaryfunc;
        ior => Py_nb_inplace_or, number::in_place::<M>, py::binaryfunc;
        ixor => Py_nb_inplace_xor, number::in_place::<M>, py::binaryfunc;
        ilshift => Py_nb_inplace_lshift, number::in_place::<M>, py::binaryfunc;
        irshift => Py_nb_inplace_rshift, number::in_place::<M>, py::binaryfunc;
        neg => Py_nb_negative, protocol_slots::slot_unary::<M>, py::unaryfunc;
        pos => Py_nb_positive, protocol_slots::slot_unary::<M>, py::unaryfunc;
        abs => Py_nb_absolute, protocol_slots::slot_unary::<M>, py::unaryfunc;
        invert => Py_nb_invert, protocol_slots::slot_unary::<M>, py::unaryfunc;
        int => Py_nb_int, protocol_slots::slot_unary::<M>, py::unaryfunc;
        float => Py_nb_float, protocol_slots::slot_unary::<M>, py::unaryfunc;
        index => Py_nb_index, protocol_slots::slot_unary::<M>, py::unaryfunc;
    }

    reflected! {
        add => Py_nb_add;
        sub => Py_nb_subtract;
        mul => Py_nb_multiply;
        truediv => Py_nb_true_divide;
        floordiv => Py_nb_floor_divide;
        modulo => Py_nb_remainder;
        matmul => Py_nb_matrix_multiply;
        and => Py_nb_and;
        or => Py_nb_or;
        xor => Py_nb_xor;
        lshift => Py_nb_lshift;
        rshift => Py_nb_rshift;
        divmod => Py_nb_divmod;
    }

    fn pow<M: Callable, R: Callable>(&mut self) {
        let function: py::ternaryfunc = number::number_power::<T, M, R>;
        self.slot(py::Py_nb_power, function as *mut c_void);
    }

    fn hash<M: Callable>(&mut self) {
        let function: py::hashfunc = protocol_slots::hash::<M>;
        self.members.hashes = true;
        self.slot(py::Py_tp_hash, function as *mut c_void);
    }

    fn len<M: Callable>(&mut self) {
        self.members.len(protocol_slots::len::<M>);
    }

    fn buffer<M: Callable>(&mut self) {
        self.members.buffer(buffer::buffer_get::<M>, buffer::buffer_view);
    }

    fn get_item<M: Callable>(&mut self) {
        let function: py::binaryfunc = protocol_slots::slot_binary::<M>;
        self.slot(py::Py_mp_subscript, function as *mut c_void);
        if takes_index(&M::SIGNATURE) {
            let function: py::ssizeargfunc = protocol_slots::slot_item::<M>;
            self.slot(py::Py_sq_item, function as *mut c_void);
        }
    }

    fn assign_item<Set: Callable, Del: Callable>(&mut self) {
        let function: py::objobjargproc = protocol_slots::slot_assign::<T, Set, Del>;
        self.slot(py::Py_mp_ass_subscript, function as *mut c_void);
    }

    fn compare<Lt: Callable, Le: Callable, Eq: Callable, Ne: Callable, Gt: Callable, Ge: Callable>(
        &mut self,
    ) {
        let function: py::richcmpfunc = richcompare::rich_compare::<T, Lt, Le, Eq, Ne, Gt, Ge>;
        self.members.compares = is_absent::<Eq>();
        self.slot(py::Py_tp_richcompare, function as *mut c_void);
    }

    fn enter<M: Callable>(&mut self) {
        debug_assert_eq!(M::SIGNATURE.binding, Binding::Instance);
        self.visit_method::<M>();
    }
}
