// nanobind as its documentation recommends it, with dynamic attributes and weak references like everybody else here.
// Compiled twice: std::shared_ptr, and intrusive counting (-DINTRUSIVE). The namespace differs because nanobind would
// otherwise take the two Node types, equal by name, for one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/optional.h>
#include <optional>
#include <stdexcept>
#include <vector>

#ifdef INTRUSIVE
#include <nanobind/intrusive/counter.h>
#include <nanobind/intrusive/counter.inl>
#include <nanobind/intrusive/ref.h>
#define NAMESPACE intrusive_flavour
#define MODULE nanobind_intrusive
#else
#define NAMESPACE shared_flavour
#define MODULE nanobind_shared
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace NAMESPACE {

#ifdef INTRUSIVE
template <typename T> using Ptr = nb::ref<T>;
struct Node : nb::intrusive_base {
#else
template <typename T> using Ptr = std::shared_ptr<T>;
struct Node {
#endif
    int64_t value;
    double weight;
    Ptr<Node> child, fixed;

    Node(int64_t value, double weight, Ptr<Node> fixed) : value(value), weight(weight), fixed(std::move(fixed)) {}
    void call0() const {}
    int64_t call3(int64_t a, int64_t b, int64_t c) const { return a + b + c; }
};

Ptr<Node> make(int64_t value) {
#ifdef INTRUSIVE
    return new Node(value, 1.0, {});
#else
    return std::make_shared<Node>(value, 1.0, nullptr);
#endif
}

struct Sequence {
    std::vector<Ptr<Node>> items;
};

void define(nb::module_ &m) {
    nb::class_<Node>(m, "Node", nb::dynamic_attr(), nb::is_weak_referenceable()
#ifdef INTRUSIVE
                     , nb::intrusive_ptr<Node>([](Node *n, PyObject *self) noexcept { n->set_self_py(self); })
#endif
                         )
        .def(nb::init<int64_t, double, Ptr<Node>>(), "value"_a, "weight"_a, nb::kw_only(), "fixed"_a.none() = nb::none())
        .def("call0", &Node::call0)
        .def("call3", &Node::call3)
        .def_ro("child", &Node::child)
        .def_ro("fixed", &Node::fixed)
        .def("set_child", [](Node &self, Ptr<Node> child) { self.child = std::move(child); });
    nb::class_<Sequence>(m, "Sequence")
        .def("__len__", [](const Sequence &s) { return s.items.size(); })
        .def("__getitem__", [](const Sequence &s, size_t i) {
            if (i >= s.items.size())
                throw nb::index_error();
            return s.items[i];
        });
    m.def("call0", [] {});
    m.def("call3", [](int64_t a, int64_t b, int64_t c) { return a + b + c; });
    m.def("make_node", [] { return make(7); });
    m.def("make_parent", [] {
        Ptr<Node> parent = make(1);
        parent->child = make(7);
        return parent;
    });
    m.def("make_list", [](int64_t n) {
        nb::list list;
        for (int64_t i = 0; i < n; i++)
            list.append(make(i));
        return list;
    });
    m.def("make_sequence", [](int64_t n) {
        Sequence s;
        s.items.reserve(n);
        for (int64_t i = 0; i < n; i++)
            s.items.push_back(make(i));
        return s;
    });
    m.def("apply", [](nb::callable f) { return f(); });
    m.def("fail", [] { throw nb::value_error("failed"); });
}

} // namespace NAMESPACE

NB_MODULE(MODULE, m) {
#ifdef INTRUSIVE
    nb::intrusive_init(
        [](PyObject *o) noexcept {
            nb::gil_scoped_acquire guard;
            Py_INCREF(o);
        },
        [](PyObject *o) noexcept {
            nb::gil_scoped_acquire guard;
            Py_DECREF(o);
        });
#endif
    NAMESPACE::define(m);
}
