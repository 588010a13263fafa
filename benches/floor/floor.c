/* The floor: what the same job costs when written by hand in C for CPython.
 *
 * Every ratio of the benchmarks has this module as its denominator, so it does what an expert would do and nothing
 * more: vectorcall everywhere, one malloc per native block, no argument parser, no registry. It keeps the promises that
 * cost time (the type is collected by the garbage collector, has a __dict__ and weak references, and arguments are
 * checked) and gives up the ones it can: a wrapper that is dropped loses its identity when it is made again.
 *
 * Counts of native blocks are plain integers: the benchmarks run on one thread.
 * A wrapper is 48 bytes (64 with the collector's header); a native block is 40.
 *
 * With MANAGED, since 3.13 only, attributes are kept as in classes made in Python and as the documentation asks for: specialised
 * loads find them, and wrappers are larger. Only the benchmark of collections uses that. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

/* A field that another thread may replace cannot be read bare without the GIL; correct C takes the object's lock. */
#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(op) {
#define Py_END_CRITICAL_SECTION() }
#endif

#ifdef MANAGED
#define ATTRIBUTES (Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF)
#else
#define ATTRIBUTES 0
#endif

typedef struct {
    Py_ssize_t refs;
    long value;
    double weight;
    PyObject *child;   /* strong */
    PyObject *wrapper; /* borrowed; NULL when Python holds none */
} Native;

typedef struct {
    PyObject_HEAD
    Native *native;
    PyObject *fixed; /* strong; in the wrapper because only there CPython specialises the load */
#ifndef MANAGED
    PyObject *dict;
    PyObject *weakrefs;
#endif
} Node;

static PyTypeObject *node_type, *sequence_type, *numbers_type;

/* ---- native blocks ---- */

static Native *native_new(long value, double weight)
{
    Native *n = malloc(sizeof *n);
    if (!n) {
        PyErr_NoMemory();
        return NULL;
    }
    *n = (Native){1, value, weight, NULL, NULL};
    return n;
}

static void native_release(Native *n)
{
    if (--n->refs == 0) {
        Py_XDECREF(n->child);
        free(n);
    }
}

/* Takes the reference to `n` over, also when it fails. */
static PyObject *wrap(Native *n, PyObject *fixed)
{
#ifdef MANAGED
    Node *self = (Node *)PyType_GenericAlloc(node_type, 0); /* nothing else knows how large it is */
#else
    Node *self = PyObject_GC_New(Node, node_type);
#endif
    if (!self) {
        native_release(n);
        return NULL;
    }
    self->native = n;
    self->fixed = Py_XNewRef(fixed);
#ifndef MANAGED
    self->dict = NULL;
    self->weakrefs = NULL;
#endif
    n->wrapper = (PyObject *)self;
#ifndef MANAGED
    PyObject_GC_Track(self);
#endif
    return (PyObject *)self;
}

/* ---- Node ---- */

static PyObject *bad_arguments(void)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "Node(value: int, weight: float, *, fixed=None)");
    return NULL;
}

static PyObject *node_vectorcall(PyObject *type, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyObject *fixed = NULL;
    if (PyVectorcall_NARGS(nargsf) != 2)
        return bad_arguments();
    if (kwnames && PyTuple_GET_SIZE(kwnames)) {
        if (PyTuple_GET_SIZE(kwnames) != 1 ||
            PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "fixed") != 0 ||
            !(args[2] == Py_None || Py_IS_TYPE(args[2], node_type)))
            return bad_arguments();
        fixed = args[2];
    }
    long value = PyLong_AsLong(args[0]);
    if (value == -1 && PyErr_Occurred())
        return bad_arguments();
    double weight = PyFloat_AsDouble(args[1]);
    if (weight == -1.0 && PyErr_Occurred())
        return bad_arguments();
    Native *n = native_new(value, weight);
    return n ? wrap(n, fixed) : NULL;
}

static int node_traverse(Node *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->native->child);
    Py_VISIT(self->fixed);
#ifdef MANAGED
    return PyObject_VisitManagedDict((PyObject *)self, visit, arg);
#else
    Py_VISIT(self->dict);
    return 0;
#endif
}

static int node_clear(Node *self)
{
    Py_CLEAR(self->native->child);
    Py_CLEAR(self->fixed);
#ifdef MANAGED
    PyObject_ClearManagedDict((PyObject *)self);
#else
    Py_CLEAR(self->dict);
#endif
    return 0;
}

static void node_dealloc(Node *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
#ifdef MANAGED
    PyObject_ClearWeakRefs((PyObject *)self);
    PyObject_ClearManagedDict((PyObject *)self);
#else
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    Py_XDECREF(self->dict);
#endif
    self->native->wrapper = NULL;
    native_release(self->native);
    Py_XDECREF(self->fixed);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *call0(PyObject *self, PyObject *unused)
{
    Py_RETURN_NONE;
}

static PyObject *call3(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 3) {
        PyErr_Format(PyExc_TypeError, "call3() takes 3 arguments (%zd given)", nargs);
        return NULL;
    }
    long sum = 0;
    for (int i = 0; i < 3; i++) {
        long v = PyLong_AsLong(args[i]);
        if (v == -1 && PyErr_Occurred())
            return NULL;
        sum = (long)((unsigned long)sum + (unsigned long)v);
    }
    return PyLong_FromLong(sum);
}

static PyObject *node_set_child(Node *self, PyObject *child)
{
    if (!Py_IS_TYPE(child, node_type)) {
        PyErr_SetString(PyExc_TypeError, "set_child() takes a Node");
        return NULL;
    }
    PyObject *old;
    Py_BEGIN_CRITICAL_SECTION(self);
    old = self->native->child;
    self->native->child = Py_NewRef(child);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyObject *node_get_child(Node *self, void *closure)
{
    PyObject *child;
    Py_BEGIN_CRITICAL_SECTION(self);
    child = Py_NewRef(self->native->child ? self->native->child : Py_None);
    Py_END_CRITICAL_SECTION();
    return child;
}

static PyMethodDef node_methods[] = {
    {"call0", call0, METH_NOARGS, NULL},
    {"call3", (PyCFunction)(void (*)(void))call3, METH_FASTCALL, NULL},
    {"set_child", (PyCFunction)node_set_child, METH_O, NULL},
    {NULL},
};

static PyGetSetDef node_getset[] = {{"child", (getter)node_get_child, NULL, NULL, NULL}, {NULL}};

static PyMemberDef node_members[] = {
    {"fixed", T_OBJECT_EX, offsetof(Node, fixed), READONLY, NULL},
#ifndef MANAGED
    {"__dictoffset__", T_PYSSIZET, offsetof(Node, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakrefs), READONLY, NULL},
#endif
    {NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {Py_tp_methods, node_methods},
    {Py_tp_getset, node_getset},
    {Py_tp_members, node_members},
    {0, NULL},
};

/* IMMUTABLETYPE lets CPython specialise the constructor call; DISALLOW_INSTANTIATION only removes tp_new. */
static PyType_Spec node_spec = {
    "floor.Node", sizeof(Node), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION | ATTRIBUTES,
    node_slots};

/* ---- Sequence: an array of native blocks, wrapped when asked for ---- */

typedef struct {
    PyObject_VAR_HEAD
    Native *items[];
} Sequence;

static PyObject *sequence_item(Sequence *self, PyObject *key)
{
    Py_ssize_t i = PyLong_AsSsize_t(key);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    if (i < 0 || i >= Py_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    PyObject *result;
    Py_BEGIN_CRITICAL_SECTION(self);
    Native *n = self->items[i];
    if (n->wrapper)
        result = Py_NewRef(n->wrapper);
    else {
        n->refs++;
        result = wrap(n, NULL);
    }
    Py_END_CRITICAL_SECTION();
    return result;
}

static Py_ssize_t sequence_length(Sequence *self) { return Py_SIZE(self); }

static void sequence_dealloc(Sequence *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++)
        if (self->items[i])
            native_release(self->items[i]);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot sequence_slots[] = {
    {Py_tp_dealloc, sequence_dealloc},
    {Py_mp_subscript, sequence_item},
    {Py_mp_length, sequence_length},
    {0, NULL},
};

static PyType_Spec sequence_spec = {
    "floor.Sequence", sizeof(Sequence), sizeof(Native *),
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, sequence_slots};

#include "items.h"

/* ---- Numbers: an iterator ---- */

typedef struct {
    PyObject_HEAD
    long left;
} Numbers;

static PyObject *numbers_next(Numbers *self) { return self->left > 0 ? PyLong_FromLong(self->left--) : NULL; }

static void numbers_dealloc(Numbers *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot numbers_slots[] = {
    {Py_tp_dealloc, numbers_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, numbers_next},
    {0, NULL},
};

static PyType_Spec numbers_spec = {
    "floor.Numbers", sizeof(Numbers), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, numbers_slots};

/* ---- module functions ---- */

static PyObject *value_of(PyObject *self, PyObject *node)
{
    if (!PyObject_TypeCheck(node, node_type)) {
        PyErr_SetString(PyExc_TypeError, "value_of() takes a Node");
        return NULL;
    }
    return PyLong_FromLong(((Node *)node)->native->value);
}

static PyObject *move(PyObject *self, PyObject *object)
{
    return Py_NewRef(object);
}

static PyObject *make_node(PyObject *self, PyObject *unused)
{
    Native *n = native_new(7, 1.0);
    return n ? wrap(n, NULL) : NULL;
}

static PyObject *make_parent(PyObject *self, PyObject *unused)
{
    PyObject *child = make_node(NULL, NULL), *parent = child ? make_node(NULL, NULL) : NULL;
    if (parent)
        ((Node *)parent)->native->child = child;
    else
        Py_XDECREF(child);
    return parent;
}

static Py_ssize_t as_count(PyObject *count)
{
    Py_ssize_t n = PyLong_AsSsize_t(count);
    if (n < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "negative count");
    return n;
}

static PyObject *make_list(PyObject *self, PyObject *count)
{
    Py_ssize_t n = as_count(count);
    if (n < 0)
        return NULL;
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        Native *block = native_new((long)i, 1.0);
        PyObject *node = block ? wrap(block, NULL) : NULL;
        if (node)
            PyList_SET_ITEM(list, i, node);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *make_sequence(PyObject *self, PyObject *count)
{
    Py_ssize_t n = as_count(count);
    if (n < 0)
        return NULL;
    Sequence *s = PyObject_NewVar(Sequence, sequence_type, n);
    if (!s)
        return NULL;
    memset(s->items, 0, (size_t)n * sizeof(Native *));
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(s->items[i] = native_new((long)i, 1.0))) {
            Py_DECREF(s);
            return NULL;
        }
    return (PyObject *)s;
}

static PyObject *make_numbers(PyObject *self, PyObject *count)
{
    Py_ssize_t n = as_count(count);
    Numbers *numbers = n < 0 ? NULL : PyObject_New(Numbers, numbers_type);
    if (numbers)
        numbers->left = (long)n;
    return (PyObject *)numbers;
}

static PyObject *apply(PyObject *self, PyObject *callable) { return PyObject_CallNoArgs(callable); }

static PyObject *fail(PyObject *self, PyObject *unused)
{
    PyErr_SetString(PyExc_ValueError, "failed");
    return NULL;
}

static PyMethodDef functions[] = {
    {"call0", call0, METH_NOARGS, NULL},
    {"call3", (PyCFunction)(void (*)(void))call3, METH_FASTCALL, NULL},
    {"value_of", value_of, METH_O, NULL},
    {"asked_value_of", value_of, METH_O, NULL},
    {"value_out", value_of, METH_O, NULL},
    {"move", move, METH_O, NULL},
    {"closure", call0, METH_NOARGS, NULL},
    {"make_node", make_node, METH_NOARGS, NULL},
    {"make_parent", make_parent, METH_NOARGS, NULL},
    {"make_list", make_list, METH_O, NULL},
    {"make_sequence", make_sequence, METH_O, NULL},
    {"numbers", make_numbers, METH_O, NULL},
    {"apply", apply, METH_O, NULL},
    {"fail", fail, METH_NOARGS, NULL},
    {NULL},
};

static int exec(PyObject *module)
{
    node_type = (PyTypeObject *)PyType_FromSpec(&node_spec);
    sequence_type = (PyTypeObject *)PyType_FromSpec(&sequence_spec);
    numbers_type = (PyTypeObject *)PyType_FromSpec(&numbers_spec);
    if (!node_type || !sequence_type || !numbers_type || add_items(module) < 0)
        return -1;
    node_type->tp_vectorcall = node_vectorcall;
    return PyModule_AddObjectRef(module, "Node", (PyObject *)node_type);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "floor", .m_methods = functions, .m_slots = slots};

#ifdef MANAGED
#define PyInit_floor PyInit_floor_managed
#endif

PyMODINIT_FUNC PyInit_floor(void) { return PyModuleDef_Init(&definition); }
