// A library of C++ for the tests.

#include <pairbond/pairbond.hpp>

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace {

struct Node {
    std::string name;
    double weight = 1;
    const std::int32_t number;
    const pb::Ref<Node> origin;
    pb::Cell<pb::Ref<Node>> next;
    const pb::List<pb::Ref<Node>> others;
    static inline std::atomic<int> alive = 0;

    Node(std::string name, double weight, pb::Ref<Node> origin)
        : name(std::move(name)), weight(weight), number(alive + 1), origin(std::move(origin)) {
        if (this->name.empty()) throw std::invalid_argument("a node needs a name");
        ++alive;
    }
    virtual ~Node() { --alive; }
    std::size_t length() const {
        std::size_t length = 1;
        for (pb::Ref<Node> at = next.get(); at && at.get() != this; at = at->next.get()) ++length;
        return length;
    }
    pb::Ref<Node> itself() const { return pb::Ref<Node>::of(*this); }
    Node &me() { return *this; }
};

struct Leaf : Node {
    explicit Leaf(std::int8_t small) : Node("leaf", small, nullptr), small(small) {}
    std::int8_t small;
};

struct Point {
    float x = 0, y = 0;
    bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};

double total(const std::vector<double> &numbers) {
    double sum = 0;
    for (double number : numbers) sum += number;
    return sum;
}

}  // namespace

PB_MODULE(graphs, m) {
    pb::class_<Node>(m, "Node", "A node.")
        .def(pb::init<std::string, double, pb::Ref<Node>>(), pb::arg("name"), pb::arg("weight") = 1.5,
             pb::kw_only(), pb::arg("origin") = nullptr)
        .field("weight", &Node::weight, "Its weight.")
        .field("number", &Node::number)
        .field("origin", &Node::origin)
        .field("next", &Node::next)
        .field("others", &Node::others)
        .property("name", [](const Node &self) { return self.name; },
                  [](Node &self, std::string name) { self.name = std::move(name); })
        .def("length", &Node::length, "How long the list is.")
        .def("itself", &Node::itself)
        .def("me", &Node::me)
        .def("__repr__", [](const Node &self) { return "<Node " + self.name + ">"; })
        .def("join", [](const Node &self, const Node *other) { self.next.set(other ? other->itself() : nullptr); },
             pb::arg("other"))
        .def_static("alive", [] { return Node::alive.load(); });
    pb::class_<Leaf, Node>(m, "Leaf").def(pb::init<std::int8_t>(), pb::arg("small")).field("small", &Leaf::small);
    pb::class_<Point>(m, "Point", pb::plain(), pb::immutable())
        .def(pb::init([](float x, float y) { return Point{x, y}; }), pb::arg("x") = 0.0, pb::arg("y") = 0.0)
        .field("x", &Point::x)
        .field_readonly("y", &Point::y)
        .def("__eq__", [](const Point &self, const Point &other) { return self == other; });
    m.def("total", &total, "Adds up.", pb::arg("numbers"));
    m.def("make", [](std::string name) { return pb::make<Node>(std::move(name), 2.0, nullptr); }, pb::arg("name"));
    m.def("middle", [](const Point &a, const Point &b) { return Point{(a.x + b.x) / 2, (a.y + b.y) / 2}; });
    m.def("lengths", [](std::map<std::string, std::vector<int>> lists) {
        std::map<std::string, std::size_t> lengths;
        for (auto &[name, list] : lists) lengths[name] = list.size();
        return lengths;
    });
    m.def("apply", [](std::function<double(double)> f, double x) { return f(x); });
    m.def("call", [](const pb::Function &f, pb::Any x) { return f(x, 2); });
    m.def("doubler", [] { return std::function<int(int)>([](int x) { return 2 * x; }); });
    m.def("half", [](std::optional<int> x) -> std::optional<double> {
        if (!x) return std::nullopt;
        return *x / 2.0;
    });
    m.def("either", [](std::variant<std::int64_t, std::string> it) {
        return std::visit([](auto &&it) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(it)>, std::string>) return "str " + it;
            else return "int " + std::to_string(it);
        }, it);
    });
    m.def("swap", [](std::pair<int, std::string> both) { return std::make_tuple(both.second, both.first); });
    m.def("fail", [](int how) {
        switch (how) {
            case 0: throw std::out_of_range("out");
            case 1: throw std::overflow_error("over");
            case 2: throw std::bad_alloc();
            case 3: throw 5;
            case 4: throw pb::Error::custom("shutil.Error", "custom").note("a note");
            case 5: throw pb::Error(PB_KEY_ERROR, "key");
            case 6: throw std::runtime_error("run");
            case 7: throw std::system_error(std::make_error_code(std::errc::io_error));
            default: throw std::domain_error("domain");
        }
    });
    m.def("caught", [](const pb::Function &f) -> std::string {
        try {
            f();
        } catch (const pb::Error &error) {
            return error.message();
        }
        return "";
    });
    m.def("passed_on", [](const pb::Function &f) { return f(); });
    m.def("spin", [](std::int64_t turns) {
        pb::detach([&] { while (turns > 0) --turns; });
        return turns;
    });
    m.def("bytes", [](std::vector<std::byte> bytes) { return bytes; });
    m.def("weak", [](const pb::Ref<Node> &node) { return pb::Weak<Node>(node).lock(); });
    m.def("is_leaf", [](const pb::Ref<Node> &node) { return bool(node.as<Leaf>()); });
    m.attr("ANSWER", 42);
}
