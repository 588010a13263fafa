// One of two libraries that are built without -fvisibility=hidden and have different classes of one name.

#include <pairbond/pairbond.hpp>

#if NUMBER == 1
struct Same {
    std::int64_t value = 1;
    pb::Cell<pb::Ref<Same>> next;
};
PB_MODULE(visible1, m) {
#else
struct Same {
    std::string value = "two";
    std::string more;
    pb::Cell<pb::Ref<Same>> next;
};
PB_MODULE(visible2, m) {
#endif
    pb::class_<Same>(m, "Same")
        .def(pb::init<>())
        .field("next", &Same::next)
        .property("value", [](const Same &it) { return it.value; });
    m.def("value_of", [](const Same &it) { return it.value; });
}
