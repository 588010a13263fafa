// What a program of C++ must not do, and each time finds out by an exception.

#include <pairbond/pairbond.hpp>

namespace {

struct Item {
    std::string text;
    const pb::Ref<Item> other;
    pb::Cell<pb::Ref<Item>> next;
    explicit Item(std::string text = "") : text(std::move(text)) {}
    Item(const Item &it) : text(it.text), other(it.other) {}
    Item(Item &&it) noexcept : text(std::move(it.text)), other(it.other) {}
};

struct Holder {
    std::string before = "something that is no object";
    Item inner{"inner"};
    std::string taken;
    const Item &lent() const { return inner; }
};

// Asks for itself before it is made, and when it is no more.
struct Early {
    static inline pb::Ref<Early> kept;
    explicit Early(bool keep) {
        if (keep) kept = pb::Ref<Early>::of(*this);
    }
};
struct Late {
    static inline std::string message;
    ~Late() {
        try {
            pb::Ref<Late>::of(*this);
            message = "it has a reference";
        } catch (const pb::Error &error) {
            message = error.message();
        }
    }
};

struct First {
    std::int64_t one = 1;
};
struct Second {
    std::int64_t two = 2;
};
struct Third : First, Second {};

struct Branch : pb::TreeNode<Branch> {
    pb::Children<Branch> branches;
    static inline std::string seen;
    static inline std::atomic<int> alive = 0;
    explicit Branch(bool early = false) {
        if (early) list(&Branch::branches).append(pb::make<Branch>());
        ++alive;
    }
    ~Branch() {
        --alive;
        seen = std::string(parent<Branch>() ? "parent " : "") + (root<Branch>() ? "root " : "") +
               (next_sibling() ? "sibling " : "") + (index() ? "index " : "");
        try {
            list(&Branch::branches).append(pb::make<Branch>());
        } catch (const pb::Error &error) {
            seen += error.message();
        }
    }
    pb::Ref<Branch> itself() const { return pb::Ref<Branch>::of(*this); }
};

struct Slots {
    pb::Cell<std::int8_t> small;
    pb::Cell<std::string> text;
    pb::Cell<pb::Function> function;
    pb::Cell<std::uint64_t> large;
};

}  // namespace

PB_MODULE(misuse, m) {
    pb::class_<Item>(m, "Item")
        .def(pb::init<std::string>(), pb::arg("text") = "")
        .field("next", &Item::next)
        .field("also_next", &Item::next)  // one member by two names
        .field_readonly("next_to_read", &Item::next)
        .field("other", &Item::other)
        .property("text", [](const Item &it) { return it.text; });
    pb::class_<Holder>(m, "Holder")
        .def(pb::init<>())
        .def("lent", &Holder::lent)
        .property("taken", [](const Holder &it) { return it.taken; }, [](Holder &it, Item item) { it.taken = item.text; });
    m.def("text_of", [](Item item, const std::string &more) { return item.text + more; }, pb::arg("item"), pb::arg("more"));
    m.def("on_the_stack", [] {
        Item item("stack");
        return pb::Ref<Item>::of(item);
    });
    m.def("static_one", []() -> Item & {
        static Item item("static");
        return item;
    });
    pb::class_<Early>(m, "Early").def(pb::init<bool>(), pb::arg("keep") = true);
    m.def("make_early", [](bool keep) { return pb::make<Early>(keep); });
    m.def("early", [] { return std::exchange(Early::kept, nullptr); });
    pb::class_<Late>(m, "Late").def(pb::init<>());
    m.def("make_late", [] { return pb::make<Late>(); });
    m.def("late", [] { return std::exchange(Late::message, ""); });
    pb::class_<First>(m, "First").def(pb::init<>()).field("one", &First::one);
    pb::class_<Second>(m, "Second").def(pb::init<>()).field("two", &Second::two);
    pb::class_<Third, First>(m, "Third").def(pb::init<>());
    m.def("as_first", [](pb::Ref<Third> it) -> pb::Ref<First> { return it; });
    m.def("as_second", [](pb::Ref<Third> it) -> pb::Ref<Second> { return it; });
    pb::class_<Branch>(m, "Branch")
        .def(pb::init<bool>(), pb::arg("early") = false)
        .children("branches", &Branch::branches)
        .def("append", [](const Branch &it, pb::Ref<Branch> branch) { it.list(&Branch::branches).append(branch); })
        .def("root", [](const Branch &it) { return it.root<Branch>(); })
        .def("first_kept_by_its_tree", [](const Branch &it) {
            Branch *first = it.list(&Branch::branches).at(0).get();
            return first->itself();
        })
        .def_static("alive", [] { return Branch::alive.load(); });
    m.def("seen", [] { return std::exchange(Branch::seen, ""); });
    m.def("branch_on_the_stack", [] {
        Branch branch;
        branch.erase();
    });
    pb::class_<Slots>(m, "Slots")
        .def(pb::init<>())
        .field("small", &Slots::small)
        .field("text", &Slots::text)
        .field("function", &Slots::function)
        .field("large", &Slots::large)
        .def("read", [](const Slots &it) {
            return std::make_tuple(it.small.get(), it.text.get(), it.function.get().is_none(), it.large.get());
        });
    m.def("numbers", [](std::vector<std::uint64_t> numbers) { return numbers; }, pb::arg("numbers"));
    m.def("signed_numbers", [](std::vector<std::int64_t> numbers) { return numbers; });
    m.def("floats", [](std::vector<double> numbers) { return numbers; });
    m.def("to_the_end", [](std::size_t count) { return count; }, pb::arg("count") = std::string::npos);
    m.def("names", [](std::vector<std::string> names) { return names; });
    m.def("pair", [](std::pair<int, int> pair) { return pair; });
    m.def("table", [](std::map<int, std::optional<int>> table) { return table; });
    m.def("many", [](std::size_t rows, std::size_t columns) { return pb::Array<double>::of({}, {rows, columns}); });
    m.def("separated", [](std::string_view by) { return std::string(by); }, pb::arg("by") = "it's \\\n");
    m.def("close_to", [](double by) { return by; }, pb::arg("by") = 1e-9);
}
