// pairbond in C++ as its guide recommends it: an extension module from one header.
#include <pairbond/pairbond.hpp>

namespace {

struct Node {
    std::int64_t value;
    double weight;
    pb::Cell<pb::Ref<Node>> child;
    const pb::Ref<Node> fixed;

    Node(std::int64_t value, double weight, pb::Ref<Node> fixed)
        : value(value), weight(weight), fixed(std::move(fixed)) {}
    void call0() const {}
    std::int64_t call3(std::int64_t a, std::int64_t b, std::int64_t c) const { return a + b + c; }
    void set_child(pb::Ref<Node> node) const { child.set(std::move(node)); }
};

struct Leaf {
    std::int64_t value;
    double weight;
};

struct Sequence {
    std::vector<pb::Ref<Node>> items;
};

pb::Ref<Node> make(std::int64_t value) {
    return pb::make<Node>(value, 1.0, nullptr);
}

}  // namespace

PB_MODULE(pairbond_cpp_peer, m) {
    pb::class_<Node>(m, "Node", pb::immutable())
        .def(pb::init<std::int64_t, double, pb::Ref<Node>>(), pb::arg("value"), pb::arg("weight"), pb::kw_only(),
             pb::arg("fixed") = nullptr)
        .field_readonly("value", &Node::value)
        .field_readonly("weight", &Node::weight)
        .field_readonly("child", &Node::child)
        .field("fixed", &Node::fixed)
        .def("call0", &Node::call0)
        .def("call3", &Node::call3)
        .def("set_child", &Node::set_child);
    pb::class_<Leaf>(m, "Leaf")
        .def(pb::init([](std::int64_t value, double weight) { return Leaf{value, weight}; }))
        .field_readonly("value", &Leaf::value)
        .field_readonly("weight", &Leaf::weight);
    pb::class_<Sequence>(m, "Sequence")
        .def("__len__", [](const Sequence &it) { return it.items.size(); })
        .def("__getitem__", [](const Sequence &it, std::size_t index) { return it.items.at(index); });
    m.def("call0", [] {});
    m.def("call3", [](std::int64_t a, std::int64_t b, std::int64_t c) { return a + b + c; });
    m.def("value_of", [](const Node &node) { return node.value; });
    m.def("make_closure", [] { return pb::Function::of("closure", [](const std::vector<pb::Any> &) { return pb::Any(); }); });
    m.def("make_node", [] { return make(7); });
    m.def("make_leaves", [](std::int64_t n) {
        std::vector<pb::Ref<Leaf>> leaves;
        for (std::int64_t at = 0; at < n; ++at) leaves.push_back(pb::make<Leaf>(Leaf{at, 1.0}));
        return leaves;
    });
    m.def("make_parent", [] {
        auto parent = make(1);
        parent->child.set(make(7));
        return parent;
    });
    m.def("make_list", [](std::int64_t n) {
        std::vector<pb::Ref<Node>> nodes;
        for (std::int64_t at = 0; at < n; ++at) nodes.push_back(make(at));
        return nodes;
    });
    m.def("make_sequence", [](std::int64_t n) {
        Sequence made;
        for (std::int64_t at = 0; at < n; ++at) made.items.push_back(make(at));
        return made;
    });
    m.def("apply", [](const pb::Callback &f) { return f(); });
    m.def("fail", [] { throw std::invalid_argument("failed"); });
}
