// A module that cannot be described for the reason whose number the environment's FAULT is.

#include <pairbond/pairbond.hpp>

#include <cstdlib>

namespace {

struct Thing {
    pb::Cell<pb::Ref<Thing>> next;
};
struct One {
    std::int64_t one = 1;
};
struct Two {
    std::int64_t two = 2;
};
struct Both : One, Two {};
struct WithVirtual : Two {
    virtual ~WithVirtual() = default;
};
struct Unknown {};

}  // namespace

PB_MODULE(refused, m) {
    const char *chosen = std::getenv("FAULT");
    const int fault = chosen == nullptr ? 0 : std::atoi(chosen);
    pb::class_<Thing>(m, "Thing").def(pb::init<>()).field("next", &Thing::next);
    pb::class_<One>(m, "One");
    pb::class_<Two>(m, "Two");
    switch (fault) {
        case 1: pb::class_<Both, Two>(m, "Both"); break;
        case 2: pb::class_<WithVirtual, Two>(m, "WithVirtual"); break;
        case 3: pb::class_<Thing>(m, "Another"); break;
        case 4: pb::class_<Thing>(m, "Thing"); break;
        case 5: m.def("f", [](const Unknown &) {}, pb::arg("it")); break;
        case 6: m.def("f", [](int) {}, pb::arg("it") = 1.5); break;
        case 7: m.def("f", [](const One &) {}, pb::arg("it") = nullptr); break;
        case 8: m.def("f", [] {}).def("f", [](int) {}); break;
        case 9: pb::class_<Both, One>(m, "Both").def("f", [](const Both &) {}).def("f", [](const Both &, int) {}); break;
        case 10: m.def("f", [](int, int) {}, pb::arg("it"), pb::arg("it")); break;
        case 11: m.def("f", [](int) {}, pb::arg("a"), pb::arg("b")); break;
        case 13: pb::class_<Both, One>(m, "Both").def(pb::init<>()).def(pb::init<const Both &>()); break;
        case 12: throw std::runtime_error("not today");
        default: break;
    }
}
