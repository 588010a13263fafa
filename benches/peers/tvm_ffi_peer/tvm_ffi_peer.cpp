// apache-tvm-ffi as its C++ guide recommends it: reflected fields, methods and constructor.
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

struct NodeObj : ffi::Object {
    int64_t value;
    double weight;
    ffi::Optional<ffi::ObjectRef> child, fixed;

    NodeObj(int64_t value, double weight) : value(value), weight(weight) {}
    NodeObj(int64_t value, double weight, ffi::ObjectRef fixed) : value(value), weight(weight), fixed(fixed) {}
    static constexpr bool _type_mutable = true;
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Node", NodeObj, ffi::Object);
};

static ffi::ObjectRef make(int64_t value) { return ffi::ObjectRef(ffi::make_object<NodeObj>(value, 1.0)); }

static ffi::ObjectRef make_parent() {
    auto parent = ffi::make_object<NodeObj>(1, 2.0);
    parent->child = make(7);
    return ffi::ObjectRef(parent);
}

static ffi::Array<ffi::ObjectRef> make_array(int64_t n) {
    ffi::Array<ffi::ObjectRef> array;
    array.reserve(n);
    for (int64_t i = 0; i < n; i++)
        array.push_back(make(i));
    return array;
}

TVM_FFI_STATIC_INIT_BLOCK() {
    refl::ObjectDef<NodeObj>()
        .def(refl::init<int64_t, double>())
        .def_ro("child", &NodeObj::child)
        .def_ro("fixed", &NodeObj::fixed)
        .def("call0", [](const NodeObj *) {})
        .def("call3", [](const NodeObj *, int64_t a, int64_t b, int64_t c) { return a + b + c; })
        .def("set_child", [](NodeObj *self, ffi::ObjectRef child) { self->child = child; });
    refl::GlobalDef()
        .def("bench.call0", [] {})
        .def("bench.call3", [](int64_t a, int64_t b, int64_t c) { return a + b + c; })
        .def("bench.node_with_fixed",
             [](ffi::ObjectRef fixed) { return ffi::ObjectRef(ffi::make_object<NodeObj>(1, 2.0, fixed)); })
        .def("bench.value_of", [](const NodeObj *node) { return node->value; })
        .def("bench.make_node", [] { return make(7); })
        .def("bench.make_parent", make_parent)
        .def("bench.make_array", make_array)
        .def("bench.apply", [](ffi::Function f) { return f(); })
        .def("bench.fail", [] { TVM_FFI_THROW(ValueError) << "failed"; });
}
