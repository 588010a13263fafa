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

struct Section : pb::TreeNode<Section> {
    const std::string title;
    pb::Children<Section> sections;
    pb::Cell<pb::Any> extra;
    static inline std::atomic<int> alive = 0;

    explicit Section(std::string title) : title(std::move(title)) { ++alive; }
    virtual ~Section() { --alive; }
    pb::ChildList<Section> children() const { return list(&Section::sections); }
};

struct Chapter : Section {
    using Section::Section;
    pb::Children<Section> notes;
};

struct Offer {
    std::int64_t price;
    std::int64_t total(std::int64_t count) const { return price * count; }
    std::string label(const std::string &prefix, pb::Ref<Offer> other) const {
        return prefix + std::to_string(price) + (other ? "+" : "");
    }
    void sell() { price = 0; }
};

struct Shelf {
    std::vector<std::string> names;
};

struct Signal {
    std::vector<double> samples;
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
    pb::class_<Section>(m, "Section", "A part of a text.")
        .def(pb::init<std::string>(), pb::arg("title"))
        .children("sections", &Section::sections, "Its parts.")
        .field("extra", &Section::extra)
        .node_name([](const Section &it) -> const std::string & {
            if (it.title == "throws") throw std::runtime_error("no name");
            return it.title;
        })
        .property("title", [](const Section &it) { return it.title; })
        .property("parent", [](const Section &it) { return it.parent<Section>(); })
        .property("root", [](const Section &it) { return it.root<Section>(); })
        .property("next", [](const Section &it) { return it.next_sibling(); })
        .property("previous", [](const Section &it) { return it.previous_sibling(); })
        .property("index", [](const Section &it) { return it.index(); })
        .property("last", [](const Section &it) { return it.children().at(it.children().size() - 1); })
        .def("append", [](const Section &it, pb::Ref<Section> child) { it.children().append(child); })
        .def("insert", [](const Section &it, std::size_t index, pb::Ref<Section> child) {
            it.children().insert(index, child);
        })
        .def("insert_before", [](const Section &it, pb::Ref<Section> at, pb::Ref<Section> child) {
            it.children().insert_before(at, child);
        })
        .def("move", [](const Section &it, pb::Ref<Section> child, pb::Ref<Section> before) {
            it.children().move(child, child, before);
        }, pb::arg("child"), pb::arg("before") = nullptr)
        .def("titles", [](const Section &it) {
            std::vector<std::string> titles;
            for (pb::Ref<Section> child : it.children()) titles.push_back(child->title);
            return titles;
        })
        .def("drop_all", [](const Section &it, const std::string &reason) {
            for (const pb::Ref<Section> &child : it.children()) child->erase(reason.c_str());
        })
        .def("below", [](const Section &it) {
            std::vector<pb::Ref<Section>> all;
            auto walk = it.descendants();
            for (const pb::Ref<Section> &node : walk) all.push_back(node);
            return all;
        })
        .def("is_in", [](const Section &it, pb::Ref<Section> above) { return it.is_in(above); })
        .def("detach", [](const Section &it) { it.detach(); })
        .def("erase", [](const Section &it) { it.erase(); })
        .def_static("alive", [] { return Section::alive.load(); });
    pb::class_<Chapter, Section>(m, "Chapter")
        .def(pb::init<std::string>(), pb::arg("title"))
        .children("notes", &Chapter::notes)
        .def("note", [](const Chapter &it, pb::Ref<Section> note) { it.list(&Chapter::notes).append(note); });
    static pb::Ref<Section> kept_section;
    m.def("keep_section", [](pb::Ref<Section> section) { std::swap(kept_section, section); return section; },
          pb::arg("section"));
    m.def("title_of", [](const Section &section) { return section.title.size(); });
    pb::class_<Offer>(m, "Offer")
        .def(pb::init([](std::int64_t price) { return Offer{price}; }), pb::arg("price"))
        .field("price", &Offer::price)
        .def_overridable<&Offer::total>("total", "What a customer pays.", pb::arg("count"))
        .def_overridable<&Offer::label>("label")
        .def_overridable<&Offer::sell>("sell");
    m.def("total_of", [](const Offer &offer, std::int64_t count) { return pb::call<&Offer::total>(offer, count); });
    m.def("label_of", [](pb::Ref<Offer> offer) { return pb::call<&Offer::label>(offer, "<", offer); });
    m.def("sell", [](Offer &offer) { pb::call<&Offer::sell>(offer); });
    static pb::Ref<Offer> kept;
    m.def("keep_offer", [](pb::Ref<Offer> offer) { std::swap(kept, offer); return offer; });
    m.def("total_of_kept", [] {
        std::int64_t total = 0;
        pb::detach([&] { total = pb::call<&Offer::total>(kept, 2); });
        return total;
    });
    pb::class_<Shelf>(m, "Shelf")
        .def(pb::init([](std::vector<std::string> names) { return Shelf{std::move(names)}; }))
        .def("__len__", [](const Shelf &self) { return self.names.size(); })
        .def("__getitem__",
             [](const Shelf &self, std::int64_t at) { return self.names.at(static_cast<std::size_t>(at)); },
             "One of its names.", pb::arg("at"));
    pb::class_<Signal>(m, "Signal")
        .def(pb::init([](std::vector<double> samples) { return Signal{std::move(samples)}; }), pb::arg("samples"))
        .property("samples", [](Signal &it) {
            return pb::Array<double>::lend(it.samples.data(), {it.samples.size()}, pb::Ref<Signal>::of(it));
        })
        .property("first", [](const Signal &it) { return it.samples.at(0); });
    m.def("grid", [](std::size_t rows, std::size_t columns) {
        std::vector<float> numbers(rows * columns);
        for (std::size_t at = 0; at < numbers.size(); ++at) numbers[at] = static_cast<float>(at);
        return pb::Array<float>::of(std::move(numbers), {rows, columns});
    });
    m.def("sum_of", [](pb::Array<const double> numbers) {
        double sum = 0;
        if (numbers.dimensions() == 1) {
            for (std::size_t at = 0; at < numbers.shape(0); ++at) sum += numbers(at);
        } else {
            for (std::size_t row = 0; row < numbers.shape(0); ++row) {
                for (std::size_t at = 0; at < numbers.shape(1); ++at) sum += numbers.at({row, at});
            }
        }
        return sum;
    });
    m.def("scale", [](pb::Array<double> numbers, double by) {
        for (std::size_t at = 0; at < numbers.shape(0); ++at) numbers(at) *= by;
        return numbers;
    });
    m.def("element", [](pb::Array<double> numbers, std::size_t index) { return numbers.at({index}); });
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
    m.def("nth", [](const pb::List<int> &list, std::size_t index) { return list.at(index); });
    m.def("value", [](const pb::Map<std::string, int> &map, std::string key) { return map.find(key); });
    m.def("find", [](const std::string &name) { return pb::Function::find(name.c_str()); });
    m.def("publish", [](const pb::Function &f, const std::string &name) { f.publish(name.c_str()); });
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
    m.def("sum_of_calls", [](const pb::Callback &f, int count) {
        std::int64_t sum = 0;
        for (int at = 0; at < count; ++at) sum += f(at, 0.5, "text").to<std::int64_t>();
        return sum;
    });
    m.def("returned", [](const pb::Callback &f) { return f(); });
    m.def("returned_with", [](const pb::Callback &f, std::string text) { return f(text); });
    static pb::Function later;
    m.def("call_later", [](pb::Callback f) { later = f.keep(); });
    m.def("now", [] { return std::exchange(later, pb::Function())(); });
    static std::shared_ptr<Node> held;
    m.def("hold", [](std::shared_ptr<Node> node) { held = std::move(node); });
    m.def("held", [] { return held; });
    m.def("uses", [] { return held.use_count(); });
    m.def("not_in_an_object", [] { return std::make_shared<Node>("alone", 1.0, nullptr); });
    m.def("names", &pb::Function::names);
    m.def("through_dlpack", [](pb::Array<double> numbers) {
        return pb::Array<double>::from_dlpack(numbers.to_dlpack());
    });
    m.def("as_floats", [](pb::Array<double> numbers) {
        return pb::Array<float>::from_dlpack(numbers.to_dlpack());
    });
    m.def("explained", [](const pb::Function &f) {
        try {
            f();
        } catch (const pb::Error &error) {
            throw pb::Error(PB_RUNTIME_ERROR, "explained").from(error);
        }
    });
    m.def("causes", [] {
        pb::Error error = pb::Error(PB_VALUE_ERROR, "what").from(pb::Error(PB_KEY_ERROR, "why"));
        return std::make_pair(error.cause()->message(), error.cause()->cause().has_value());
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
    static pb::Ref<Node> remembered;
    m.def("remember", [](pb::Ref<Node> node) { remembered = std::move(node); });
    m.def("remembered", []() -> const pb::Ref<Node> & { return remembered; });
    m.def("is_leaf", [](const pb::Ref<Node> &node) { return bool(node.as<Leaf>()); });
    static std::unique_ptr<pb::Observer> observer;
    static std::atomic<int> events[10];
    m.def("observe", [](bool on) {
        if (on) for (auto &count : events) count = 0;
        observer.reset(!on ? nullptr : new pb::Observer([](const pb_event &event) {
            if (event.kind == PB_EVENT_DEVICE || event.type == pb::detail::type_of<Offer>()) ++events[event.kind];
        }));
        pb_emit(7, 1, 2, 3);
        return std::vector<int>(events, events + 10);
    });
    m.def("points", [](std::vector<Point> points, std::optional<Point> last) {
        if (last) points.push_back(*last);
        return points;
    }, pb::arg("points"), pb::arg("last") = nullptr);
    m.def("first_of", [](const std::map<std::string, Point> &points, bool any) -> std::optional<Point> {
        return any ? std::optional<Point>(points.begin()->second) : std::nullopt;
    });
    m.def("point_or_number", [](std::variant<Point, double> it) { return it; });
    m.def("pointer", [](Node *node) { return node; });
    m.def("text_or_none", [](bool some) { return some ? "text" : nullptr; });
    m.def("x_of", [](const Point &point) { return point.x; }, pb::arg("point") = Point{7, 8});
    m.def("calls", [](std::function<double(const Point &)> f) { return f ? f(Point{3, 4}) : -1; }, pb::arg("f") = nullptr);
    m.def("none", [] { return std::function<void()>(); });
    m.def("mover", [] {
        return std::function<void(Offer &, std::int64_t)>([](Offer &offer, std::int64_t by) { offer.price += by; });
    });
    m.attr("ANSWER", 42);
}
