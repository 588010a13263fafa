/* Sequences of Python objects, as far from `list` and `tuple` as types of one's own must be: CPython specialises nothing for them.
 *
 * `Items` changes, so that correct C locks it where there is no GIL, for a look too; `FixedItems` does not. */

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[];
} Items;

typedef struct {
    PyObject_HEAD
    Items *items; /* strong */
    Py_ssize_t next;
} ItemsIterator;

static PyTypeObject *items_type, *fixed_items_type, *items_iterator_type;

static PyObject *items_make(PyTypeObject *type, PyObject *const *from, Py_ssize_t n, Py_ssize_t step)
{
    Items *self = PyObject_GC_NewVar(Items, type, n);
    for (Py_ssize_t i = 0; self && i < n; i++)
        self->items[i] = Py_NewRef(from[i * step]);
    if (self)
        PyObject_GC_Track(self);
    return (PyObject *)self;
}

static PyObject *items_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *iterable, *list;
    if (!PyArg_ParseTuple(args, "O", &iterable) || !(list = PySequence_List(iterable)))
        return NULL;
    PyObject *self = items_make(type, ((PyListObject *)list)->ob_item, PyList_GET_SIZE(list), 1);
    Py_DECREF(list);
    return self;
}

/* The place that an index means, or -1 with an error. */
static Py_ssize_t items_place(Items *self, PyObject *key)
{
    Py_ssize_t i = PyLong_AsSsize_t(key);
    if (i == -1 && PyErr_Occurred())
        return -1;
    if (i < 0)
        i += Py_SIZE(self);
    if ((size_t)i >= (size_t)Py_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return -1;
    }
    return i;
}

static PyObject *items_slice(Items *self, PyObject *key)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t n = PySlice_AdjustIndices(Py_SIZE(self), &start, &stop, step);
    PyObject *made;
    Py_BEGIN_CRITICAL_SECTION(self);
    made = items_make(Py_TYPE(self), self->items + start, n, step);
    Py_END_CRITICAL_SECTION();
    return made;
}

static PyObject *items_subscript(Items *self, PyObject *key)
{
    if (PySlice_Check(key))
        return items_slice(self, key);
    Py_ssize_t i = items_place(self, key);
    PyObject *item = NULL;
    if (i >= 0) {
        Py_BEGIN_CRITICAL_SECTION(self);
        item = Py_NewRef(self->items[i]);
        Py_END_CRITICAL_SECTION();
    }
    return item;
}

static PyObject *fixed_items_subscript(Items *self, PyObject *key)
{
    if (PySlice_Check(key))
        return items_slice(self, key);
    Py_ssize_t i = items_place(self, key);
    return i < 0 ? NULL : Py_NewRef(self->items[i]);
}

static int items_assign(Items *self, PyObject *key, PyObject *value)
{
    Py_ssize_t i = items_place(self, key);
    if (i < 0)
        return -1;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "items are not deleted");
        return -1;
    }
    PyObject *old;
    Py_BEGIN_CRITICAL_SECTION(self);
    old = self->items[i];
    self->items[i] = Py_NewRef(value);
    Py_END_CRITICAL_SECTION();
    Py_DECREF(old);
    return 0;
}

static int items_contains(Items *self, PyObject *value)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        PyObject *item;
        Py_BEGIN_CRITICAL_SECTION(self);
        item = Py_NewRef(self->items[i]);
        Py_END_CRITICAL_SECTION();
        int same = PyObject_RichCompareBool(item, value, Py_EQ);
        Py_DECREF(item);
        if (same)
            return same;
    }
    return 0;
}

static Py_ssize_t items_length(Items *self) { return Py_SIZE(self); }

static int items_traverse(Items *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++)
        Py_VISIT(self->items[i]);
    return 0;
}

static void items_dealloc(Items *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++)
        Py_DECREF(self->items[i]);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *items_iter(Items *self)
{
    ItemsIterator *it = PyObject_GC_New(ItemsIterator, items_iterator_type);
    if (it) {
        it->items = (Items *)Py_NewRef(self);
        it->next = 0;
        PyObject_GC_Track(it);
    }
    return (PyObject *)it;
}

static PyObject *items_iterator_next(ItemsIterator *self)
{
    if (self->next >= Py_SIZE(self->items))
        return NULL;
    PyObject *item;
    Py_BEGIN_CRITICAL_SECTION(self->items);
    item = Py_NewRef(self->items->items[self->next++]);
    Py_END_CRITICAL_SECTION();
    return item;
}

static int items_iterator_traverse(ItemsIterator *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->items);
    return 0;
}

static void items_iterator_dealloc(ItemsIterator *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_DECREF(self->items);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

#define ITEMS_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE)
#define ITEMS_COMMON                                                                                                   \
    {Py_tp_new, items_new}, {Py_tp_dealloc, items_dealloc}, {Py_tp_traverse, items_traverse},                          \
        {Py_mp_length, items_length}, {Py_sq_contains, items_contains}, {Py_tp_iter, items_iter}

static PyType_Slot items_slots[] = {
    ITEMS_COMMON, {Py_mp_subscript, items_subscript}, {Py_mp_ass_subscript, items_assign}, {0, NULL}};
static PyType_Slot fixed_items_slots[] = {ITEMS_COMMON, {Py_mp_subscript, fixed_items_subscript}, {0, NULL}};

static PyType_Slot items_iterator_slots[] = {
    {Py_tp_dealloc, items_iterator_dealloc},
    {Py_tp_traverse, items_iterator_traverse},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, items_iterator_next},
    {0, NULL},
};

static PyType_Spec items_spec = {"floor.Items", sizeof(Items), sizeof(PyObject *), ITEMS_FLAGS, items_slots};
static PyType_Spec fixed_items_spec = {
    "floor.FixedItems", sizeof(Items), sizeof(PyObject *), ITEMS_FLAGS, fixed_items_slots};
static PyType_Spec items_iterator_spec = {
    "floor.ItemsIterator", sizeof(ItemsIterator), 0, ITEMS_FLAGS | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    items_iterator_slots};

static int add_items(PyObject *module)
{
    items_type = (PyTypeObject *)PyType_FromSpec(&items_spec);
    fixed_items_type = (PyTypeObject *)PyType_FromSpec(&fixed_items_spec);
    items_iterator_type = (PyTypeObject *)PyType_FromSpec(&items_iterator_spec);
    if (!items_type || !fixed_items_type || !items_iterator_type)
        return -1;
    if (PyModule_AddObjectRef(module, "Items", (PyObject *)items_type) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "FixedItems", (PyObject *)fixed_items_type);
}
