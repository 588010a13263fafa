// pairbond.hpp - C++ classes take part in pairbond: one native object, one Python self.
//
// Needs C++17 and nothing else: no Rust, no Python. One file serves every version of Python.
//
//     #include <pairbond/pairbond.hpp>
//
//     struct Node {
//         std::string name;
//         pb::Cell<pb::Ref<Node>> next;  // changes; seen by the collector
//         explicit Node(std::string name) : name(std::move(name)) {}
//         std::int64_t length() const;
//     };
//
//     PB_MODULE(graphs, m) {
//         pb::class_<Node>(m, "Node", "A node of a list.")
//             .def(pb::init<std::string>(), pb::arg("name"))
//             .field("next", &Node::next)
//             .property("name", [](const Node &self) { return self.name; })
//             .def("length", &Node::length);
//         m.def("make", [](std::string name) { return pb::make<Node>(std::move(name)); },
//               pb::arg("name"));
//     }
//
// Rules:
//  * Any class can be registered: it inherits from nothing, and lies in its object as it is.
//  * pb::Ref<T> owns a reference. As a member it is `const` (it never changes after construction)
//    or in a pb::Cell (it may, while other threads look). Members that own references are declared
//    with `.field`; one that is not declared keeps its object alive, so that a cycle through it is
//    not collected.
//  * Methods may be called, and objects destroyed, on any thread.
//  * Exceptions cross in both directions: std::out_of_range is an IndexError, and so on (see
//    pb::detail::report); an exception of Python is a pb::Error, and leaves as the same object.
//
// License: MIT OR Apache-2.0
#ifndef PAIRBOND_PAIRBOND_HPP
#define PAIRBOND_PAIRBOND_HPP

#include <pairbond/detail/definitions.hpp>

// The library and extension module of a name: PB_MODULE(graphs, m) { ... }.
#define PB_MODULE(name, variable) PB_MODULE_NAMED(name, #name, variable)
// The same for a module inside a package: PB_MODULE_NAMED(_graphs, "graphs._graphs", m) { ... }.
#define PB_MODULE_NAMED(symbol, full_name, variable)                                               \
    static void pb_body_##symbol(pb::Module &);                                                    \
    static bool pb_members_##symbol(pb_module *module, pb_error **error) {                         \
        return pb::detail::describe(module, error, full_name, pb_body_##symbol);                   \
    }                                                                                              \
    PB_LIBRARY_NAMED(symbol, full_name, "", pb_members_##symbol)                                   \
    PB_EXTENSION_MODULE(symbol)                                                                    \
    static void pb_body_##symbol(pb::Module &variable)

#endif
