// pybind11 as its documentation recommends it, with std::shared_ptr, dynamic attributes and weak references.
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace py = pybind11;
using namespace py::literals;

namespace {

struct Node {
    std::int64_t value;
    double weight;
    std::shared_ptr<Node> child, fixed;

    Node(std::int64_t value, double weight, std::shared_ptr<Node> fixed)
        : value(value), weight(weight), fixed(std::move(fixed)) {}
    void call0() const {}
    std::int64_t call3(std::int64_t a, std::int64_t b, std::int64_t c) const { return a + b + c; }
};

struct Sequence {
    std::vector<std::shared_ptr<Node>> items;
};

std::shared_ptr<Node> make(std::int64_t value) {
    return std::make_shared<Node>(value, 1.0, nullptr);
}

}  // namespace

PYBIND11_MODULE(pybind11_bench, m, py::mod_gil_not_used()) {
    py::class_<Node, std::shared_ptr<Node>>(m, "Node", py::dynamic_attr())
        .def(py::init<std::int64_t, double, std::shared_ptr<Node>>(), "value"_a, "weight"_a, py::kw_only(),
             "fixed"_a = py::none())
        .def("call0", &Node::call0)
        .def("call3", &Node::call3)
        .def_readonly("child", &Node::child)
        .def_readonly("fixed", &Node::fixed)
        .def("set_child", [](Node &self, std::shared_ptr<Node> child) { self.child = std::move(child); });
    py::class_<Sequence>(m, "Sequence")
        .def("__len__", [](const Sequence &it) { return it.items.size(); })
        .def("__getitem__", [](const Sequence &it, std::size_t index) {
            if (index >= it.items.size()) throw py::index_error();
            return it.items[index];
        });
    m.def("call0", [] {});
    m.def("call3", [](std::int64_t a, std::int64_t b, std::int64_t c) { return a + b + c; });
    m.def("value_of", [](const Node &node) { return node.value; });
    m.def("make_node", [] { return make(7); });
    m.def("make_parent", [] {
        auto parent = make(1);
        parent->child = make(7);
        return parent;
    });
    m.def("make_list", [](std::int64_t n) {
        py::list list;
        for (std::int64_t at = 0; at < n; ++at) list.append(make(at));
        return list;
    });
    m.def("make_sequence", [](std::int64_t n) {
        Sequence made;
        made.items.reserve(static_cast<std::size_t>(n));
        for (std::int64_t at = 0; at < n; ++at) made.items.push_back(make(at));
        return made;
    });
    m.def("apply", [](const py::function &f) { return f(); });
    m.def("fail", [] { throw py::value_error("failed"); });
}
