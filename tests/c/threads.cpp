// Threads of C++ that use everything of pairbond that may be used on any thread. Every result is compared; the first
// that is wrong is an exception. Each function returns what it counted. Under ThreadSanitizer nothing is reported, except
// by `race`, which is there to be.

#include <pairbond/pairbond.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

using Counter = std::atomic<std::int64_t>;

void expect(bool fine, const char *what) {
    if (!fine) throw std::runtime_error(std::string("wrong: ") + what);
}

// Runs `work` with the number of each thread. They begin together, and Python runs meanwhile.
template <class F>
void on_threads(int threads, F work) {
    std::atomic<int> missing{threads};
    std::mutex lock;
    std::exception_ptr thrown;
    pb::detach([&] {
        std::vector<std::thread> all;
        for (int number = 0; number < threads; ++number) {
            all.emplace_back([&, number] {
                --missing;
                while (missing > 0) std::this_thread::yield();
                try {
                    work(number);
                } catch (...) {
                    std::lock_guard<std::mutex> guard(lock);
                    if (!thrown) thrown = std::current_exception();
                }
            });
        }
        for (std::thread &thread : all) thread.join();
    });
    if (thrown) std::rethrow_exception(thrown);
}

struct Node {
    const std::int64_t number;
    const std::string text;  // memory of its own: read after the end, it shows
    const std::shared_ptr<Counter> living;
    pb::Cell<pb::Ref<Node>> next;
    static inline Counter alive = 0;

    explicit Node(std::int64_t number, std::shared_ptr<Counter> living = nullptr)
        : number(number), text("node " + std::to_string(number)), living(std::move(living)) {
        ++alive;
        if (this->living) ++*this->living;
    }
    virtual ~Node() {
        --alive;
        if (living) --*living;
    }
    void look() const { expect(text == "node " + std::to_string(number), "a node"); }
};

struct Leaf : Node {
    using Node::Node;
};

struct Section : pb::TreeNode<Section> {
    const std::int64_t number;
    pb::Children<Section> sections;
    static inline Counter alive = 0;

    explicit Section(std::int64_t number) : number(number) { ++alive; }
    virtual ~Section() { --alive; }
    pb::ChildList<Section> children() const { return list(&Section::sections); }
};

struct Offer {
    std::int64_t price;
    std::int64_t total(std::int64_t count) const { return price * count; }
};

// References are copied, cast, replaced and dropped. Returns how many nodes are left of those it made: 0.
std::int64_t references(int threads, int turns) {
    auto living = std::make_shared<Counter>(0);
    {
        pb::Ref<Node> shared = pb::make<Leaf>(7, living);
        on_threads(threads, [&](int thread) {
            std::vector<pb::Ref<Node>> kept;
            for (int turn = 0; turn < turns; ++turn) {
                kept.push_back(turn % 2 ? shared : pb::Ref<Node>::of(*shared));
                kept.back()->look();
                expect(kept.back() == shared && kept.back().as<Leaf>(), "a copy");
                if (kept.size() > 8) kept.erase(kept.begin());
                std::shared_ptr<Node> pointer = pb::shared(shared);
                expect(pb::Ref<Node>::of_shared(pointer) == shared, "a shared_ptr");
                // Whoever replaces a node drops it, perhaps the last that has it.
                pb::Ref<Node> made = pb::make<Node>(std::int64_t(thread) * turns + turn, living);
                made->next.set(shared->next.get() && turn % 5 ? pb::Ref<Node>() : shared);
                shared->next.set(made);
                if (pb::Ref<Node> found = shared->next.get()) found->look();
                if (turn % 3 == 0) {
                    if (pb::Ref<Node> old = shared->next.replace(nullptr)) old->next.set(nullptr);
                }
                made->next.set(nullptr);
            }
        });
        shared->next.set(nullptr);
        expect(*living == 1, "one is left");
    }
    return *living;
}

// Weak references to nodes whose last reference another thread drops. Returns how often one was there meanwhile, how often
// one was gone afterwards, and how many nodes are left.
std::tuple<std::int64_t, std::int64_t, std::int64_t> weak(int threads, int turns) {
    auto living = std::make_shared<Counter>(0);
    std::vector<pb::Ref<Node>> only;
    std::vector<pb::Weak<Node>> watched;
    for (int turn = 0; turn < turns; ++turn) {
        only.push_back(pb::make<Node>(turn, living));
        watched.emplace_back(only.back());
    }
    Counter there = 0, gone = 0;
    std::atomic<int> reached{-1}, dropping{threads};
    on_threads(threads, [&](int thread) {
        for (int turn = 0; turn < turns; ++turn) {
            if (thread == 0) {
                while (reached < turn) std::this_thread::yield();  // one at least has found it
                only[turn] = nullptr;
                continue;
            }
            pb::Weak<Node> mine = watched[turn];
            for (int tries = 0; tries < 20; ++tries) {
                pb::Ref<Node> node = mine.lock();
                int before = reached;
                while (before < turn && !reached.compare_exchange_weak(before, turn)) {}
                if (!node) break;
                node->look();
                expect(node->number == turn, "the node of a weak reference");
                ++there;
            }
        }
        --dropping;
        while (dropping > 0) std::this_thread::yield();
        for (const pb::Weak<Node> &it : watched) gone += !it.lock();
    });
    return {there, gone, *living};
}

// Calls a function that doubles an int, and raises an exception for a negative one; and one of C++. Returns the sum.
std::int64_t functions(const pb::Function &doubles, int threads, int turns) {
    Counter sum = 0;
    pb::Function triples = pb::Function::of(
        "triples", [](const std::vector<pb::Any> &all) { return pb::Any(3 * all.at(0).to<std::int64_t>()); });
    on_threads(threads, [&](int thread) {
        for (int turn = 0; turn < turns; ++turn) {
            std::int64_t number = std::int64_t(thread) * turns + turn;
            pb::Function mine = turn % 2 ? doubles : pb::Function(doubles);
            std::int64_t twice = mine(number).to<std::int64_t>();
            expect(twice == 2 * number, "a function's result");
            expect(triples(number).to<std::int64_t>() == 3 * number, "a result of C++");
            sum += twice;
            try {
                mine(-1);
                expect(false, "an error");
            } catch (const pb::Error &error) {
                expect(error.message().find("negative") != std::string::npos, "an error's message");
            }
        }
    });
    return sum;
}

// Functions by name. Returns how many names there were at the end.
std::int64_t names(int threads, int turns) {
    on_threads(threads, [&](int thread) {
        for (int turn = 0; turn < turns; ++turn) {
            std::string name = "threads.f" + std::to_string(turn % 7);
            auto function = pb::Function::of(name, [](const std::vector<pb::Any> &) { return pb::Any(5); });
            function.publish(name.c_str(), true);
            expect(pb::Function::find(name.c_str())().to<int>() == 5, "a function by name");
            if (turn % 20 == thread % 20) expect(!pb::Function::names().empty(), "names");
        }
    });
    std::int64_t left = 0;
    for (const std::string &name : pb::Function::names()) {
        if (name.rfind("threads.f", 0) != 0) continue;
        expect(pb_function_withdraw(name.c_str()), "a function that was published");
        ++left;
    }
    return left;
}

// One error, whose text is made by who asks first. Returns how often it was read.
std::int64_t errors(int threads, int turns) {
    Counter read = 0;
    for (int turn = 0; turn < turns; ++turn) {
        const pb::Error error = pb::Error(PB_VALUE_ERROR, "what " + std::to_string(turn)).from(pb::Error(PB_KEY_ERROR, "why"));
        on_threads(threads, [&](int) {
            pb::Error mine = error;
            expect(mine.message() == "what " + std::to_string(turn) && mine.kind() == PB_VALUE_ERROR, "an error");
            expect(mine.cause()->message() == "why", "a cause");
            try {
                throw mine;
            } catch (const std::exception &thrown) {
                if (std::string(thrown.what()) == mine.message()) ++read;
            }
        });
    }
    return read;
}

// Lists, maps and cells that all threads edit. Returns the sums of what is in them at the end.
std::pair<std::int64_t, std::int64_t> containers(int threads, int turns) {
    pb::List<std::int64_t> numbers;
    pb::List<pb::Ref<Node>> nodes;
    pb::Map<std::int64_t, std::string> texts;
    auto living = std::make_shared<Counter>(0);
    on_threads(threads, [&](int thread) {
        for (int turn = 0; turn < turns; ++turn) {
            std::int64_t number = std::int64_t(thread) * turns + turn;
            numbers.append(number);
            nodes.append(pb::make<Node>(number, living));
            texts.set(number, std::to_string(number));
            expect(texts.find(number) == std::to_string(number), "an entry of a map");
            if (turn % 2) expect(texts.remove(number - 1) && !texts.find(number - 1), "a removed entry");
            nodes.at(std::size_t(turn) / 2)->look();
            if (turn % 16 == 0) {
                std::int64_t mine = 0;
                for (std::int64_t it : numbers.copy()) mine += it / turns == thread;
                expect(mine == turn + 1, "what this thread has appended");
                for (const pb::Ref<Node> &node : nodes.copy()) node->look();
            }
            if (turn % 4 == 3) nodes.remove(0)->look();
        }
    });
    std::int64_t all = 0, kept = 0;
    for (std::int64_t number : numbers.copy()) all += number;
    for (auto &[number, text] : texts.to<std::map<std::int64_t, std::string>>()) {
        expect(text == std::to_string(number), "an entry");
        kept += number;
    }
    expect(*living == std::int64_t(nodes.size()), "only what is in the list lives");
    return {all, kept};
}

// Nodes go to and fro between two trees, are erased and appended, while others walk. Returns how many were made, how many
// were moved, how many were erased by themselves, and how many are in the trees at the end.
std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> trees(int threads, int turns) {
    pb::Ref<Section> roots[2] = {pb::make<Section>(-1), pb::make<Section>(-2)};
    std::vector<std::vector<pb::Ref<Section>>> made(std::size_t(threads) + 1);
    Counter erased = 0, moved = 0;
    auto grow = [&](const pb::Ref<Section> &above, int thread, std::int64_t number) {
        made[std::size_t(thread)].push_back(pb::make<Section>(number));
        above->children().append(made[std::size_t(thread)].back());
    };
    for (int number = 0; number < 8; ++number) grow(roots[number % 2], threads, number);
    on_threads(threads, [&](int thread) {
        for (int turn = 0; turn < turns; ++turn) {
            pb::Ref<Section> from = roots[turn % 2], to = roots[(turn + thread) % 2];
            pb::Ref<Section> child = from->children().find(std::size_t(turn) % 3);
            try {
                if (!child || turn % 3 == 2) {
                    grow(from, thread, turn);
                } else if (turn % 5 == thread % 5) {
                    child->erase("trees()");
                    ++erased;
                    expect(child->is_erased() && !child->parent<Section>(), "an erased node");
                } else if (turn % 7 == 0) {
                    grow(child, thread, turn);
                } else {
                    to->children().move(child);
                    ++moved;
                }
            } catch (const pb::Error &error) {
                // Another thread has erased it.
                expect(error.kind() == PB_INVALIDATED_ERROR, error.what());
            }
            for (const pb::Ref<Section> &it : to->children()) expect(it->number >= 0, "a child");
            auto walk = from->descendants();
            for (const pb::Ref<Section> &it : walk) expect(it->number >= 0, "a node below");
            auto root = child ? child->root<Section>() : nullptr;
            expect(!root || root->number < 0 || child->is_erased(), "a root");
        }
    });
    std::int64_t total = 0, inside = 0, left = 0;
    for (const auto &list : made) {
        total += std::int64_t(list.size());
        for (const pb::Ref<Section> &it : list) inside += it->is_in(roots[0]) || it->is_in(roots[1]);
    }
    for (const pb::Ref<Section> &root : roots) {
        auto walk = root->descendants();
        for (const pb::Ref<Section> &it : walk) {
            expect(!it->is_erased() && it->root<Section>() == root, "a node of the tree");
            ++left;
        }
    }
    expect(inside == left, "all that is in the trees is found by walking");
    return {total, moved, erased, left};
}

// A method that a class of Python may override, of one object. Returns the sum of its results.
std::int64_t totals(const pb::Ref<Offer> &offer, std::int64_t each, int threads, int turns) {
    Counter sum = 0;
    on_threads(threads, [&](int) {
        for (int turn = 0; turn < turns; ++turn) {
            std::int64_t total = pb::call<&Offer::total>(*offer, turn);
            expect(total == each * turn, "the result of an overridable method");
            sum += total;
        }
    });
    return sum;
}

// Drops what is in a list, on threads that Python does not know. Returns how many there were.
std::int64_t release(const pb::List<pb::Any> &list, int threads) {
    Counter released = 0;
    on_threads(threads, [&](int) {
        for (;;) {
            try {
                pb::Any taken = list.remove(0);
                ++released;
            } catch (const pb::Error &error) {
                expect(error.kind() == PB_INDEX_ERROR, error.what());
                return;
            }
        }
    });
    return released;
}

// An observer on each thread, which sees at least what happens on its own. Returns how many nodes were made.
std::int64_t observers(int threads, int turns) {
    Counter made = 0;
    on_threads(threads, [&](int) {
        for (int turn = 0; turn < turns; ++turn) {
            // Shared: another thread may be telling the observer when it ends.
            auto seen = std::make_shared<Counter>(0);
            {
                pb::Observer observer([seen](const pb_event &event) {
                    if (event.kind == PB_EVENT_MADE && event.type == pb::detail::type_of<Node>()) ++*seen;
                });
                pb::make<Node>(turn);
                ++made;
            }
            expect(*seen >= 1, "an observer");
        }
    });
    return made;
}

// A race, for the test that one is reported.
std::int64_t racing = 0;
std::int64_t race(int threads, int turns) {
    on_threads(threads, [&](int) {
        for (int turn = 0; turn < turns; ++turn) racing = racing + 1;
    });
    return racing;
}

}  // namespace

PB_MODULE(threads, m) {
    pb::class_<Node>(m, "Node").def(pb::init<std::int64_t>()).field("number", &Node::number).field("next", &Node::next);
    pb::class_<Leaf, Node>(m, "Leaf");
    pb::class_<Section>(m, "Section").def(pb::init<std::int64_t>()).children("sections", &Section::sections);
    pb::class_<Offer>(m, "Offer")
        .def(pb::init([](std::int64_t price) { return Offer{price}; }))
        .def_overridable<&Offer::total>("total");
    m.def("alive", [] { return Node::alive + Section::alive; }, "How many nodes there are.");
    m.def("references", &references);
    m.def("weak", &weak);
    m.def("functions", &functions);
    m.def("names", &names);
    m.def("errors", &errors);
    m.def("containers", &containers);
    m.def("trees", &trees);
    m.def("totals", &totals);
    m.def("release", &release);
    m.def("observers", &observers);
    m.def("race", &race);
}
