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

#include <pairbond/pairbond.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace pb {

inline pb_str text(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(pb_str text) {
    return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

// ---------------------------------------------------------------------------------------- errors

// An error on its way to an exception of Python, or an exception that came from there: thrown
// again, it leaves as the same object.
class Error : public std::exception {
  public:
    // `kind` is a pb_error_kind.
    Error(int kind, std::string_view message) : Error(pb_runtime->error_new(kind, text(message))) {}
    // Of an owned error.
    explicit Error(pb_error *error)
        : error_(error, pb_error_free), what_(view(pb_error_message(error))) {}

    // As an exception class of a module: "graphs.GraphError".
    static Error custom(std::string_view class_name, std::string_view message) {
        return Error(pb_runtime->error_new_custom(text(class_name), text(message)));
    }

    int kind() const { return pb_error_kind_of(error_.get()); }
    const std::string &message() const { return what_; }
    const char *what() const noexcept override { return what_.c_str(); }
    Error &note(std::string_view note) {
        pb_runtime->error_add_note(error_.get(), text(note));
        return *this;
    }
    // A copy that the caller owns.
    pb_error *copy() const { return pb_error_copy(error_.get()); }

  private:
    std::shared_ptr<pb_error> error_;
    std::string what_;
};

namespace detail {

// A function of pairbond has failed, and the call has its error already.
struct Reported {};

// The exception that is being handled, as an owned error.
inline pb_error *report() noexcept {
    auto error = [](int kind, const char *message) { return pb_error_new(kind, message); };
    try {
        throw;
    } catch (const Error &it) {
        return it.copy();
    } catch (const std::bad_alloc &) {
        return error(PB_MEMORY_ERROR, "out of memory");
    } catch (const std::out_of_range &it) {
        return error(PB_INDEX_ERROR, it.what());
    } catch (const std::overflow_error &it) {
        return error(PB_OVERFLOW_ERROR, it.what());
    } catch (const std::invalid_argument &it) {
        return error(PB_VALUE_ERROR, it.what());
    } catch (const std::domain_error &it) {
        return error(PB_VALUE_ERROR, it.what());
    } catch (const std::length_error &it) {
        return error(PB_VALUE_ERROR, it.what());
    } catch (const std::range_error &it) {
        return error(PB_VALUE_ERROR, it.what());
    } catch (const std::system_error &it) {
        return error(PB_OS_ERROR, it.what());
    } catch (const std::exception &it) {
        return error(PB_RUNTIME_ERROR, it.what());
    } catch (...) {
        return error(PB_RUNTIME_ERROR, "a C++ exception that is no std::exception");
    }
}

// Runs a function of the library for pairbond: no exception leaves it.
template <class F>
bool guarded(pb_call *call, F &&run) noexcept {
    try {
        return run();
    } catch (const Reported &) {
        return false;
    } catch (...) {
        return pb_fail_with(call, report());
    }
}

// Throws the error of a function that failed.
inline void check(bool done, pb_error *error) {
    if (!done) throw Error(error);
}
inline void reported(bool done) {
    if (!done) throw Reported();
}

// What pairbond knows of a C++ class in this library.
struct Traced {
    std::size_t offset;
    std::uint32_t kind;
};
struct Class {
    const pb_type *type = nullptr;
    const Class *base = nullptr;
    std::vector<Traced> traced;
    std::string key;
};
template <class T>
struct Of {
    static inline Class known;
};
template <class T>
const pb_type *type_of() {
    const pb_type *type = Of<std::remove_cv_t<T>>::known.type;
    if (type == nullptr) {
        throw Error(PB_TYPE_ERROR, "a C++ class is used that no pb::class_ has registered");
    }
    return type;
}
template <class T>
constexpr std::size_t offset_of() {
    constexpr std::size_t align = alignof(T) < 8 ? 8 : alignof(T);
    return (24 + align - 1) / align * align;
}
template <class T>
T *value_of(pb_object *object) {
    return std::launder(reinterpret_cast<T *>(reinterpret_cast<char *>(object) + offset_of<T>()));
}
template <class T>
pb_object *object_of(const T &value) {
    auto *start = reinterpret_cast<char *>(const_cast<T *>(std::addressof(value)));
    return reinterpret_cast<pb_object *>(start - offset_of<T>());
}

template <class T>
struct registered;
// How values of a type cross; of a class that nothing else is known of, as an object.
template <class T, class = void>
struct convert : registered<T> {};

}  // namespace detail

// ------------------------------------------------------------------------------------- references

// An owned reference to an object of a class, or none.
template <class T>
class Ref {
  public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    Ref(const Ref &other) : object_(pb_retain(other.object_)) {}
    Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
    Ref(const Ref<U> &other) : object_(pb_retain(other.object())) {}
    ~Ref() { pb_release(object_); }
    Ref &operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }

    // The object that a value lies in, which pb::make or Python has made.
    static Ref of(const T &value) { return Ref::retain(detail::object_of(value)); }
    static Ref retain(pb_object *object) { return Ref::adopt(pb_retain(object)); }
    // Of an owned reference.
    static Ref adopt(pb_object *object) {
        Ref ref;
        ref.object_ = object;
        return ref;
    }

    T *get() const { return object_ == nullptr ? nullptr : detail::value_of<T>(object_); }
    T *operator->() const { return get(); }
    T &operator*() const { return *get(); }
    explicit operator bool() const { return object_ != nullptr; }
    pb_object *object() const { return object_; }
    pb_object *release() { return std::exchange(object_, nullptr); }

    // The same object as one of a class that extends T; none if it is not.
    template <class U>
    Ref<U> as() const {
        if (object_ == nullptr || !pb_object_is_a(object_, detail::type_of<U>())) return nullptr;
        return Ref<U>::retain(object_);
    }

    friend bool operator==(const Ref &a, const Ref &b) { return a.object_ == b.object_; }
    friend bool operator!=(const Ref &a, const Ref &b) { return a.object_ != b.object_; }

  private:
    pb_object *object_ = nullptr;
};

// A reference that does not keep its object alive.
template <class T>
class Weak {
  public:
    Weak() = default;
    Weak(const Ref<T> &ref) : weak_(ref ? pb_weak_new(ref.object()) : nullptr) {}
    Weak(const Weak &other) : Weak(other.lock()) {}
    Weak(Weak &&other) noexcept : weak_(std::exchange(other.weak_, nullptr)) {}
    ~Weak() { pb_weak_free(weak_); }
    Weak &operator=(Weak other) noexcept {
        std::swap(weak_, other.weak_);
        return *this;
    }
    // None when the object is gone.
    Ref<T> lock() const {
        return weak_ == nullptr ? Ref<T>() : Ref<T>::adopt(pb_weak_upgrade(weak_));
    }

  private:
    pb_weak *weak_ = nullptr;
};

// A new object, made of the arguments of a constructor of T.
template <class T, class... Args>
Ref<T> make(Args &&...args) {
    struct Context {
        std::tuple<Args &&...> args;
        std::exception_ptr thrown;
    } context{std::forward_as_tuple(std::forward<Args>(args)...), nullptr};
    auto write = [](void *place, void *context, pb_error **error) {
        auto *it = static_cast<Context *>(context);
        try {
            std::apply([&](Args &&...args) { new (place) T(std::forward<Args>(args)...); },
                       std::move(it->args));
            return true;
        } catch (...) {
            it->thrown = std::current_exception();
            *error = pb_error_new(PB_RUNTIME_ERROR, "thrown");
            return false;
        }
    };
    pb_error *error = nullptr;
    pb_object *object = pb_object_new(detail::type_of<T>(), write, &context, &error);
    if (object == nullptr) {
        if (context.thrown) {
            pb_error_free(error);
            std::rethrow_exception(context.thrown);
        }
        throw Error(error);
    }
    return Ref<T>::adopt(object);
}

// ------------------------------------------------------------------------------------------ values

// A value of any kind.
class Any {
  public:
    Any() : any_(pb_none()) {}
    Any(const Any &other) : any_(pb_any_copy(&other.any_)) {}
    Any(Any &&other) noexcept : any_(std::exchange(other.any_, pb_none())) {}
    ~Any() {
        if (any_.kind > PB_INT && any_.kind != PB_FLOAT) pb_any_destroy(&any_);
    }
    Any &operator=(Any other) noexcept {
        std::swap(any_, other.any_);
        return *this;
    }
    template <class T, class = std::enable_if_t<!std::is_base_of_v<Any, std::decay_t<T>>>>
    Any(T &&value) : any_(detail::convert<std::decay_t<T>>::to_any(std::forward<T>(value))) {}

    // Of an owned value.
    static Any adopt(pb_any owned) {
        Any any;
        any.any_ = owned;
        return any;
    }

    pb_kind kind() const { return static_cast<pb_kind>(any_.kind); }
    bool is_none() const { return any_.kind == PB_NONE; }
    // The value as a C++ type; throws a TypeError if it is none.
    template <class T>
    T to() const {
        return detail::convert<T>::from_any(any_);
    }
    std::string kind_name() const { return std::string(view(pb_any_kind_name(&any_))); }
    const pb_any *get() const { return &any_; }
    pb_any *place() { return &any_; }
    pb_any release() { return std::exchange(any_, pb_none()); }

    friend bool operator==(const Any &a, const Any &b) {
        bool same = false;
        pb_error *error = nullptr;
        detail::check(pb_any_equal(&a.any_, &b.any_, &same, &error), error);
        return same;
    }
    friend bool operator!=(const Any &a, const Any &b) { return !(a == b); }

  private:
    pb_any any_;
};

// A field that changes while other threads look. Reading copies the value out.
template <class T>
class Cell {
  public:
    Cell() : Cell(T()) {}
    Cell(T value) { pb_cell_init(&cell_, Any(std::move(value)).release()); }
    Cell(const Cell &) = delete;
    Cell &operator=(const Cell &) = delete;
    ~Cell() { pb_cell_destroy(&cell_); }
    T get() const { return Any::adopt(pb_cell_get(&cell_)).template to<T>(); }
    void set(T value) const { pb_cell_set(&cell_, Any(std::move(value)).release()); }
    T replace(T value) const {
        return Any::adopt(pb_cell_replace(&cell_, Any(std::move(value)).release())).template to<T>();
    }

  private:
    pb_cell cell_;
};

// A function of C++, Rust or Python, which can be called on any thread.
class Function : public Any {
  public:
    Function() = default;
    explicit Function(Any any) : Any(std::move(any)) {}

    // Of anything that can be called with `const std::vector<Any> &` and returns an Any.
    template <class F>
    static Function of(std::string_view name, F function) {
        auto call = [](void *context, const pb_any *arguments, std::size_t count, pb_any *result,
                       pb_error **error) {
            try {
                std::vector<Any> all;
                for (std::size_t at = 0; at < count; ++at) {
                    all.push_back(Any::adopt(pb_any_copy(arguments + at)));
                }
                *result = Any((*static_cast<F *>(context))(all)).release();
                return true;
            } catch (...) {
                *error = detail::report();
                return false;
            }
        };
        auto destroy = [](void *context) { delete static_cast<F *>(context); };
        auto kept = std::make_unique<F>(std::move(function));
        Any out;
        pb_error *error = nullptr;
        bool made = pb_runtime->function_new(text(name), call, kept.get(), destroy, out.place(), &error);
        kept.release();
        detail::check(made, error);
        return Function(std::move(out));
    }

    template <class... Args>
    Any operator()(Args &&...args) const {
        Any all[sizeof...(Args) + 1] = {Any(std::forward<Args>(args))...};
        pb_error *error = nullptr;
        Any out;
        // An array of Any is one of pb_any.
        static_assert(sizeof(Any) == sizeof(pb_any));
        bool done = pb_function_call(get(), all[0].get(), sizeof...(Args), out.place(), &error);
        detail::check(done, error);
        return out;
    }

    // The process's function of a name; a KeyError if there is none.
    static Function find(const char *name) {
        Any out;
        pb_error *error = nullptr;
        detail::check(pb_function_find(name, out.place(), &error), error);
        return Function(std::move(out));
    }
    void publish(const char *name, bool replace = false) const {
        pb_error *error = nullptr;
        detail::check(pb_function_publish(name, get(), replace, &error), error);
    }
};

// A list that Python, Rust and C++ share.
template <class T = Any>
class List : public Any {
  public:
    List() {
        pb_error *error = nullptr;
        detail::check(pb_list_new(place(), &error), error);
    }
    explicit List(Any any) : Any(std::move(any)) {}

    std::size_t size() const {
        std::size_t size = 0;
        pb_error *error = nullptr;
        detail::check(pb_size(get(), &size, &error), error);
        return size;
    }
    T at(std::size_t index) const {
        Any out;
        pb_error *error = nullptr;
        detail::check(pb_get(get(), index, out.place(), &error), error);
        return out.to<T>();
    }
    void set(std::size_t index, T value) const {
        pb_error *error = nullptr;
        detail::check(pb_list_set(get(), index, Any(std::move(value)).release(), &error), error);
    }
    void append(T value) const {
        pb_error *error = nullptr;
        detail::check(pb_list_append(get(), Any(std::move(value)).release(), &error), error);
    }
    void insert(std::size_t index, T value) const {
        pb_error *error = nullptr;
        detail::check(pb_list_insert(get(), index, Any(std::move(value)).release(), &error), error);
    }
    T remove(std::size_t index) const {
        Any out;
        pb_error *error = nullptr;
        detail::check(pb_list_remove(get(), index, out.place(), &error), error);
        return out.to<T>();
    }
    // The elements as they are now.
    std::vector<T> copy() const { return to<std::vector<T>>(); }
};

// A map that Python, Rust and C++ share.
template <class K = Any, class V = Any>
class Map : public Any {
  public:
    Map() {
        pb_error *error = nullptr;
        detail::check(pb_map_new(place(), &error), error);
    }
    explicit Map(Any any) : Any(std::move(any)) {}

    std::size_t size() const {
        std::size_t size = 0;
        pb_error *error = nullptr;
        detail::check(pb_size(get(), &size, &error), error);
        return size;
    }
    std::optional<V> find(const K &key) const {
        Any out;
        bool found = false;
        pb_error *error = nullptr;
        Any wanted(key);
        detail::check(pb_map_get(get(), wanted.get(), out.place(), &found, &error), error);
        if (!found) return std::nullopt;
        return out.to<V>();
    }
    void set(K key, V value) const {
        pb_error *error = nullptr;
        detail::check(pb_map_set(get(), Any(std::move(key)).release(), Any(std::move(value)).release(),
                                 &error),
                      error);
    }
    bool remove(const K &key) const {
        bool found = false;
        pb_error *error = nullptr;
        Any wanted(key);
        detail::check(pb_remove(get(), wanted.get(), &found, &error), error);
        return found;
    }
};

// Lets other threads of Python run while `run` does.
template <class F>
void detach(F &&run) {
    struct Context {
        F &run;
        std::exception_ptr thrown;
    } context{run, nullptr};
    pb_detach(
        [](void *context) {
            auto *it = static_cast<Context *>(context);
            try {
                it->run();
            } catch (...) {
                it->thrown = std::current_exception();
            }
        },
        &context);
    if (context.thrown) std::rethrow_exception(context.thrown);
}

// For loops of seconds: throws when the user interrupts.
inline void check_signals() {
    pb_error *error = nullptr;
    detail::check(pb_check_signals(&error), error);
}

// ------------------------------------------------------------------------------------- conversions

namespace detail {

[[noreturn]] inline void wrong(const pb_any &any, const std::string &expected) {
    throw Error(PB_TYPE_ERROR,
                "expected " + expected + ", got " + std::string(view(pb_any_kind_name(&any))));
}

// How values of a type are read from arguments (`get`), returned (`give`), and kept in an Any
// (`to_any`, `from_any`). `Taken` is what `get` returns. `name` is for stubs.
template <>
struct convert<bool> {
    using Taken = bool;
    static std::string name() { return "bool"; }
    static bool get(pb_call *call, std::size_t index) {
        bool out = false;
        reported(pb_get_bool(call, index, &out));
        return out;
    }
    static bool give(pb_call *call, bool value) { return pb_return_bool(call, value); }
    static pb_any to_any(bool value) { return pb_bool(value); }
    static bool from_any(const pb_any &any) {
        if (any.kind != PB_BOOL) wrong(any, "bool");
        return any.truth;
    }
};

template <class T>
struct convert<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    using Taken = T;
    static std::string name() { return "int"; }
    static bool fits(std::int64_t number) {
        if constexpr (std::is_signed_v<T>) {
            return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
        } else {
            return number >= 0 && static_cast<std::uint64_t>(number) <= std::numeric_limits<T>::max();
        }
    }
    static T narrow(std::int64_t number) {
        if (!fits(number)) {
            throw Error(PB_OVERFLOW_ERROR, std::to_string(number) + " does not fit into an int from " +
                                               std::to_string(std::numeric_limits<T>::min()) + " to " +
                                               std::to_string(std::numeric_limits<T>::max()));
        }
        return static_cast<T>(number);
    }
    static T get(pb_call *call, std::size_t index) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
            std::uint64_t out = 0;
            reported(pb_get_u64(call, index, &out));
            return out;
        } else {
            std::int64_t out = 0;
            reported(pb_get_i64(call, index, &out));
            return narrow(out);
        }
    }
    static bool give(pb_call *call, T value) {
        if constexpr (std::is_unsigned_v<T>) return pb_return_u64(call, value);
        return pb_return_i64(call, static_cast<std::int64_t>(value));
    }
    static pb_any to_any(T value) {
        if constexpr (std::is_unsigned_v<T>) return pb_any_from_u64(value);
        return pb_int(static_cast<std::int64_t>(value));
    }
    static T from_any(const pb_any &any) {
        if (any.kind != PB_INT) wrong(any, "int");
        return narrow(any.as.integer);
    }
};

template <class T>
struct convert<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    using Taken = T;
    static std::string name() { return "float"; }
    static T get(pb_call *call, std::size_t index) {
        double out = 0;
        reported(pb_get_f64(call, index, &out));
        return static_cast<T>(out);
    }
    static bool give(pb_call *call, T value) { return pb_return_f64(call, static_cast<double>(value)); }
    static pb_any to_any(T value) { return pb_float(static_cast<double>(value)); }
    static T from_any(const pb_any &any) {
        if (any.kind == PB_INT) return static_cast<T>(any.as.integer);
        if (any.kind != PB_FLOAT) wrong(any, "float");
        return static_cast<T>(any.as.number);
    }
};

inline pb_any text_to_any(std::string_view value) {
    pb_any out;
    pb_error *error = nullptr;
    check(pb_any_from_str(text(value), &out, &error), error);
    return out;
}

template <>
struct convert<std::string> {
    using Taken = std::string;
    static std::string name() { return "str"; }
    static std::string get(pb_call *call, std::size_t index) {
        pb_str out{};
        reported(pb_get_str(call, index, &out));
        return std::string(view(out));
    }
    static bool give(pb_call *call, const std::string &value) {
        return pb_return_str(call, text(value));
    }
    static pb_any to_any(const std::string &value) { return text_to_any(value); }
    static std::string from_any(const pb_any &any) {
        pb_str out{};
        if (!pb_any_as_str(&any, &out)) wrong(any, "str");
        return std::string(view(out));
    }
};

// An argument lends its text for the call.
template <>
struct convert<std::string_view> {
    using Taken = std::string_view;
    static std::string name() { return "str"; }
    static std::string_view get(pb_call *call, std::size_t index) {
        pb_str out{};
        reported(pb_get_str(call, index, &out));
        return view(out);
    }
    static bool give(pb_call *call, std::string_view value) { return pb_return_str(call, text(value)); }
    static pb_any to_any(std::string_view value) { return text_to_any(value); }
};

template <>
struct convert<const char *> {
    static std::string name() { return "str"; }
    static bool give(pb_call *call, const char *value) { return pb_return_str(call, pb_text(value)); }
    static pb_any to_any(const char *value) { return text_to_any(value); }
};
template <>
struct convert<char *> : convert<const char *> {};

// Bytes, as Python knows them.
template <>
struct convert<std::vector<std::byte>> {
    using Taken = std::vector<std::byte>;
    static std::string name() { return "bytes"; }
    static Taken of(pb_str bytes) {
        auto *start = reinterpret_cast<const std::byte *>(bytes.data);
        return bytes.size == 0 ? Taken() : Taken(start, start + bytes.size);
    }
    static pb_str lent(const Taken &value) {
        return {reinterpret_cast<const char *>(value.data()), value.size()};
    }
    static Taken get(pb_call *call, std::size_t index) {
        pb_str out{};
        reported(pb_get_bytes(call, index, &out));
        return of(out);
    }
    static bool give(pb_call *call, const Taken &value) { return pb_return_bytes(call, lent(value)); }
    static pb_any to_any(const Taken &value) {
        pb_any out;
        pb_error *error = nullptr;
        check(pb_any_from_bytes(lent(value), &out, &error), error);
        return out;
    }
    static Taken from_any(const pb_any &any) {
        pb_str out{};
        if (!pb_any_as_bytes(&any, &out)) wrong(any, "bytes");
        return of(out);
    }
};

template <>
struct convert<std::nullptr_t> {
    static pb_any to_any(std::nullptr_t) { return pb_none(); }
};

// What goes through an Any in both directions.
template <class T>
struct by_any {
    using Taken = T;
    static T get(pb_call *call, std::size_t index) {
        Any any;
        reported(pb_get_data(call, index, any.place()));
        return convert<T>::from_any(*any.get());
    }
    static bool give(pb_call *call, const T &value) {
        Any any = Any::adopt(convert<T>::to_any(value));
        return pb_return_data(call, any.get());
    }
};

template <>
struct convert<Any> {
    using Taken = Any;
    static std::string name() { return "object"; }
    static Any get(pb_call *call, std::size_t index) {
        Any any;
        reported(pb_get_any(call, index, any.place()));
        return any;
    }
    static bool give(pb_call *call, const Any &value) { return pb_return_any(call, value.get()); }
    static pb_any to_any(Any value) { return value.release(); }
    static Any from_any(const pb_any &any) { return Any::adopt(pb_any_copy(&any)); }
};

template <>
struct convert<Function> {
    using Taken = Function;
    static std::string name() { return "callable"; }
    static Function get(pb_call *call, std::size_t index) {
        Any any;
        reported(pb_get_function(call, index, any.place()));
        return Function(std::move(any));
    }
    static bool give(pb_call *call, const Function &value) { return pb_return_any(call, value.get()); }
    static pb_any to_any(Function value) { return value.release(); }
    static Function from_any(const pb_any &any) {
        if (any.kind != PB_FUNCTION) wrong(any, "a callable");
        return Function(Any::adopt(pb_any_copy(&any)));
    }
};

template <class C>
struct container {
    using Taken = C;
    static C get(pb_call *call, std::size_t index) {
        Any any;
        reported(pb_get_any(call, index, any.place()));
        return from_any(*any.get());
    }
    static bool give(pb_call *call, const C &value) { return pb_return_any(call, value.get()); }
    static pb_any to_any(C value) { return value.release(); }
    static C from_any(const pb_any &any) {
        std::size_t size = 0;
        if (!pb_size(&any, &size, nullptr)) wrong(any, convert<C>::name());
        return C(Any::adopt(pb_any_copy(&any)));
    }
};
template <class T>
struct convert<List<T>> : container<List<T>> {
    static std::string name() { return "List[" + convert<T>::name() + "]"; }
};
template <class K, class V>
struct convert<Map<K, V>> : container<Map<K, V>> {
    static std::string name() { return "Map[" + convert<K>::name() + ", " + convert<V>::name() + "]"; }
};

template <class T>
struct convert<Ref<T>> {
    using Taken = Ref<T>;
    static std::string name() { return Of<T>::known.key + "?"; }
    static Ref<T> get(pb_call *call, std::size_t index) {
        if (pb_is_none(call, index)) return nullptr;
        pb_object *out = nullptr;
        reported(pb_get_object(call, index, type_of<T>(), &out));
        return Ref<T>::retain(out);
    }
    static bool give(pb_call *call, Ref<T> value) { return pb_return_owned(call, value.release()); }
    static pb_any to_any(Ref<T> value) { return pb_object_value(value.release()); }
    static Ref<T> from_any(const pb_any &any) {
        if (any.kind == PB_NONE) return nullptr;
        if (any.kind != PB_OBJECT || !pb_object_is_a(any.as.object, type_of<T>())) {
            wrong(any, Of<T>::known.key);
        }
        return Ref<T>::retain(any.as.object);
    }
};

template <class T>
struct convert<Weak<T>> {
    static std::string name() { return convert<Ref<T>>::name(); }
    static bool give(pb_call *call, const Weak<T> &value) {
        return convert<Ref<T>>::give(call, value.lock());
    }
};

template <class T>
struct convert<std::optional<T>> {
    using Taken = std::optional<T>;
    static std::string name() { return convert<T>::name() + "?"; }
    static Taken get(pb_call *call, std::size_t index) {
        if (pb_is_none(call, index)) return std::nullopt;
        return convert<T>::get(call, index);
    }
    static bool give(pb_call *call, const Taken &value) {
        return value ? convert<T>::give(call, *value) : pb_return_none(call);
    }
    static pb_any to_any(const Taken &value) { return value ? convert<T>::to_any(*value) : pb_none(); }
    static Taken from_any(const pb_any &any) {
        if (any.kind == PB_NONE) return std::nullopt;
        return convert<T>::from_any(any);
    }
};

// Shows the elements of a container to a function of C++.
template <class F>
void each(const pb_any &any, const char *expected, F visit) {
    struct Context {
        F &visit;
        std::exception_ptr thrown;
    } context{visit, nullptr};
    std::size_t size = 0;
    if (!pb_size(&any, &size, nullptr)) wrong(any, expected);
    pb_error *error = nullptr;
    bool done = pb_each(
        &any,
        [](void *context, const pb_any *element, const pb_any *value, pb_error **) {
            auto *it = static_cast<Context *>(context);
            try {
                it->visit(*element, *value);
                return true;
            } catch (...) {
                it->thrown = std::current_exception();
                return false;
            }
        },
        &context, &error);
    if (context.thrown) {
        pb_error_free(error);
        std::rethrow_exception(context.thrown);
    }
    check(done, error);
}

template <class T>
struct convert<std::vector<T>> : by_any<std::vector<T>> {
    static std::string name() { return "list[" + convert<T>::name() + "]"; }
    static pb_any to_any(const std::vector<T> &value) {
        List<T> list;
        for (const auto &element : value) list.append(element);
        return list.release();
    }
    static std::vector<T> from_any(const pb_any &any) {
        std::vector<T> all;
        each(any, "a list", [&](const pb_any &element, const pb_any &) {
            all.push_back(convert<T>::from_any(element));
        });
        return all;
    }
};

template <class M, class K, class V>
struct mapping : by_any<M> {
    static std::string name() { return "dict[" + convert<K>::name() + ", " + convert<V>::name() + "]"; }
    static pb_any to_any(const M &value) {
        Map<K, V> map;
        for (const auto &[key, element] : value) map.set(key, element);
        return map.release();
    }
    static M from_any(const pb_any &any) {
        M all;
        each(any, "a dict", [&](const pb_any &key, const pb_any &value) {
            all.emplace(convert<K>::from_any(key), convert<V>::from_any(value));
        });
        return all;
    }
};
template <class K, class V>
struct convert<std::map<K, V>> : mapping<std::map<K, V>, K, V> {};
template <class K, class V>
struct convert<std::unordered_map<K, V>> : mapping<std::unordered_map<K, V>, K, V> {};

template <class... T>
struct convert<std::tuple<T...>> : by_any<std::tuple<T...>> {
    static std::string name() {
        std::string all;
        ((all += (all.empty() ? "" : ", ") + convert<T>::name()), ...);
        return "tuple[" + all + "]";
    }
    static pb_any to_any(const std::tuple<T...> &value) {
        return std::apply(
            [](const T &...part) {
                Any all[sizeof...(T) + 1] = {Any(part)...};
                pb_any out;
                pb_error *error = nullptr;
                check(pb_tuple_new(all[0].get(), sizeof...(T), &out, &error), error);
                return out;
            },
            value);
    }
    static std::tuple<T...> from_any(const pb_any &any) {
        std::vector<Any> parts;
        each(any, "a tuple", [&](const pb_any &element, const pb_any &) {
            parts.push_back(Any::adopt(pb_any_copy(&element)));
        });
        if (parts.size() != sizeof...(T)) {
            throw Error(PB_VALUE_ERROR, "expected " + std::to_string(sizeof...(T)) +
                                            " elements, got " + std::to_string(parts.size()));
        }
        return read(parts, std::index_sequence_for<T...>());
    }

  private:
    template <std::size_t... I>
    static std::tuple<T...> read(const std::vector<Any> &parts, std::index_sequence<I...>) {
        return std::tuple<T...>(parts[I].template to<T>()...);
    }
};
template <class A, class B>
struct convert<std::pair<A, B>> : by_any<std::pair<A, B>> {
    static std::string name() { return convert<std::tuple<A, B>>::name(); }
    static pb_any to_any(const std::pair<A, B> &value) {
        return convert<std::tuple<A, B>>::to_any(std::tuple<A, B>(value.first, value.second));
    }
    static std::pair<A, B> from_any(const pb_any &any) {
        auto both = convert<std::tuple<A, B>>::from_any(any);
        return {std::get<0>(both), std::get<1>(both)};
    }
};

// The first alternative that takes the value.
template <class... T>
struct convert<std::variant<T...>> : by_any<std::variant<T...>> {
    using V = std::variant<T...>;
    static std::string name() { return "object"; }
    static pb_any to_any(const V &value) {
        return std::visit(
            [](const auto &it) { return convert<std::decay_t<decltype(it)>>::to_any(it); }, value);
    }
    static V from_any(const pb_any &any) { return first<T...>(any); }

  private:
    template <class First, class... Rest>
    static V first(const pb_any &any) {
        if constexpr (sizeof...(Rest) == 0) {
            return convert<First>::from_any(any);
        } else {
            try {
                return convert<First>::from_any(any);
            } catch (const Error &) {
                return first<Rest...>(any);
            }
        }
    }
};
template <>
struct convert<std::monostate> {
    static pb_any to_any(std::monostate) { return pb_none(); }
    static std::monostate from_any(const pb_any &any) {
        if (any.kind != PB_NONE) wrong(any, "None");
        return {};
    }
};

template <class R, class... Args>
struct convert<std::function<R(Args...)>> {
    using F = std::function<R(Args...)>;
    using Taken = F;
    static std::string name() { return "callable"; }
    static F wrap(Function function) {
        return [function = std::move(function)](Args... args) -> R {
            Any result = function(std::forward<Args>(args)...);
            if constexpr (!std::is_void_v<R>) return result.template to<R>();
        };
    }
    static F get(pb_call *call, std::size_t index) { return wrap(convert<Function>::get(call, index)); }
    static F from_any(const pb_any &any) { return wrap(convert<Function>::from_any(any)); }
    static bool give(pb_call *call, F value) {
        Any any = Any::adopt(to_any(std::move(value)));
        return pb_return_any(call, any.get());
    }
    static pb_any to_any(F value) {
        return Function::of("function",
                            [value = std::move(value)](const std::vector<Any> &args) {
                                if (args.size() != sizeof...(Args)) {
                                    throw Error(PB_TYPE_ERROR,
                                                "expected " + std::to_string(sizeof...(Args)) +
                                                    " arguments, got " + std::to_string(args.size()));
                                }
                                return run(value, args, std::index_sequence_for<Args...>());
                            })
            .release();
    }

  private:
    template <std::size_t... I>
    static Any run(const F &value, const std::vector<Any> &args, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<R>) {
            value(args[I].template to<std::decay_t<Args>>()...);
            return Any();
        } else {
            return Any(value(args[I].template to<std::decay_t<Args>>()...));
        }
    }
};

// A registered class, lent for the call: `const T &`, `T &`, `T *`. Returned by value, it becomes a
// new object.
template <class T>
struct registered {
    static_assert(std::is_class_v<T>, "pairbond does not know how to convert this type");
    using Taken = T &;
    static std::string name() { return Of<T>::known.key; }
    static T &get(pb_call *call, std::size_t index) {
        pb_object *out = nullptr;
        reported(pb_get_object(call, index, type_of<T>(), &out));
        return *value_of<T>(out);
    }
    static bool give(pb_call *call, T &&value) {
        return pb_return_owned(call, make<T>(std::move(value)).release());
    }
    static pb_any to_any(T value) { return pb_object_value(make<T>(std::move(value)).release()); }
};
template <class T>
struct convert<T *, std::enable_if_t<std::is_class_v<T>>> {
    using Taken = T *;
    static std::string name() { return Of<std::remove_cv_t<T>>::known.key + "?"; }
    static T *get(pb_call *call, std::size_t index) {
        if (pb_is_none(call, index)) return nullptr;
        return &convert<std::remove_cv_t<T>>::get(call, index);
    }
};

template <class A>
using converter = convert<std::remove_cv_t<std::remove_reference_t<A>>>;

// What a function returns. A reference to a registered class is the object that it lies in.
template <class R>
struct result {
    static std::string name() { return converter<R>::name(); }
    template <class F>
    static bool give(pb_call *call, F &&run) {
        using T = std::remove_cv_t<std::remove_reference_t<R>>;
        if constexpr (std::is_lvalue_reference_v<R> &&
                      std::is_same_v<typename taken<T>::type, T &>) {
            return pb_return_object(call, object_of(run()));
        } else {
            return converter<R>::give(call, run());
        }
    }

  private:
    template <class T, class = void>
    struct taken {
        using type = void;
    };
    template <class T>
    struct taken<T, std::void_t<typename convert<T>::Taken>> {
        using type = typename convert<T>::Taken;
    };
};
template <>
struct result<void> {
    static std::string name() { return "None"; }
    template <class F>
    static bool give(pb_call *call, F &&run) {
        run();
        return pb_return_none(call);
    }
};

// The signature of what can be called.
template <class F>
struct signature : signature<decltype(&F::operator())> {};
template <class R, class... A>
struct signature<R (*)(A...)> {
    using Result = R;
    using Args = std::tuple<A...>;
};
template <class R, class... A>
struct signature<R (*)(A...) noexcept> : signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct signature<R (C::*)(A...)> : signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct signature<R (C::*)(A...) const> : signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct signature<R (C::*)(A...) noexcept> : signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct signature<R (C::*)(A...) const noexcept> : signature<R (*)(A...)> {};

template <class T>
struct tail;
template <class First, class... Rest>
struct tail<std::tuple<First, Rest...>> {
    using type = std::tuple<Rest...>;
};

}  // namespace detail

// ------------------------------------------------------------------------------------- definitions

// A parameter's name, and its default: `pb::arg("weight") = 1.5`.
struct arg {
    explicit arg(std::string name) : name(std::move(name)) {}
    template <class T>
    arg &&operator=(T &&value) && {
        fallback = Any(std::forward<T>(value));
        shown = show(*fallback);
        return std::move(*this);
    }
    std::string name;
    std::optional<Any> fallback;
    std::string shown;
    bool keyword_only = false;

  private:
    static std::string show(const Any &any) {
        switch (any.kind()) {
            case PB_NONE: return "None";
            case PB_BOOL: return any.to<bool>() ? "True" : "False";
            case PB_INT: return std::to_string(any.to<std::int64_t>());
            case PB_FLOAT: {
                std::string text = std::to_string(any.to<double>());
                text.erase(text.find_last_not_of('0') + 1);
                return text.back() == '.' ? text + "0" : text;
            }
            case PB_STR: return "'" + any.to<std::string>() + "'";
            default: return "...";
        }
    }
};

// The parameters behind it are given by keyword only.
struct kw_only {};

// A constructor by the types of its parameters, or by a function that returns the value.
template <class... Args>
struct init_of {};
template <class... Args>
init_of<Args...> init() {
    return {};
}
template <class F>
struct init_by {
    F function;
};
template <class F>
init_by<F> init(F function) {
    return {std::move(function)};
}

namespace detail {

// A function, method or constructor that is being described; lives for the process.
struct Described {
    std::string name, doc, returns;
    std::vector<arg> args;
    std::vector<std::string> types;
    std::vector<pb_parameter> parameters;
    std::uint32_t binding = PB_PLAIN;

    // Whether Python asks the other operand when this one does not know it.
    bool is_operator() const {
        static const char *const names[] = {
            "eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "matmul", "truediv", "floordiv",
            "mod", "divmod", "pow", "lshift", "rshift", "and", "or", "xor"};
        if (name.size() < 6 || name.compare(0, 2, "__") != 0) return false;
        std::string inner = name.substr(2, name.size() - 4);
        for (const char *known : names) {
            if (inner == known || inner == std::string("r") + known) return true;
        }
        return false;
    }

    void take(const char *text) { doc = text; }
    void take(arg &&given) {
        given.keyword_only = keyword_only;
        args.push_back(std::move(given));
    }
    void take(arg &given) { take(arg(given)); }
    void take(kw_only) { keyword_only = true; }

    template <class... A, class... Extra>
    void describe(std::tuple<A...> *, Extra &&...extra) {
        (take(std::forward<Extra>(extra)), ...);
        (types.push_back(std::string()), ..., (void)sizeof(A));
        types.resize(sizeof...(A));
        if (args.size() > sizeof...(A)) {
            throw Error(PB_VALUE_ERROR, name + "(): more pb::arg than parameters");
        }
        while (args.size() < sizeof...(A)) {
            take(arg("arg" + std::to_string(args.size())));
        }
    }

    // The names of types are known when all classes are.
    template <class... A>
    void name_types(std::tuple<A...> *) {
        types = {converter<A>::name()...};
    }

    pb_function spec(pb_callback call, void *context) {
        for (std::size_t at = 0; at < args.size(); ++at) {
            pb_parameter parameter{};
            parameter.size = sizeof(pb_parameter);
            parameter.name = text(args[at].name);
            parameter.type = text(types[at]);
            if (args[at].fallback) parameter.default_text = text(args[at].shown);
            parameter.kind = args[at].keyword_only ? PB_KEYWORD_ONLY : PB_STANDARD;
            parameters.push_back(parameter);
        }
        pb_function function{};
        function.size = sizeof(pb_function);
        function.name = text(name);
        function.doc = text(doc);
        function.returns = text(returns);
        function.parameters = parameters.data();
        function.parameter_count = parameters.size();
        function.call = call;
        function.context = context;
        function.binding = binding;
        return function;
    }

    // The argument of a parameter, or its default.
    template <class A>
    decltype(auto) get(pb_call *call, std::size_t index) const {
        using C = converter<A>;
        if (args[index].fallback && !pb_is_given(call, index)) {
            if constexpr (std::is_same_v<typename C::Taken, std::remove_cv_t<std::remove_reference_t<A>>> &&
                          !std::is_same_v<typename C::Taken, std::string_view> &&
                          !std::is_pointer_v<typename C::Taken>) {
                return typename C::Taken(C::from_any(*args[index].fallback->get()));
            } else if constexpr (std::is_pointer_v<typename C::Taken>) {
                return typename C::Taken(nullptr);
            }
        }
        try {
            return typename C::Taken(C::get(call, index));
        } catch (const Error &error) {
            int kind = error.kind();
            if (kind != PB_TYPE_ERROR && kind != PB_VALUE_ERROR && kind != PB_OVERFLOW_ERROR) throw;
            throw Error(kind, name + "() argument '" + args[index].name + "': " + error.message());
        }
    }

  private:
    bool keyword_only = false;
};

// A callable of C++ with its description. `Self` is the class of a method, or void.
template <class Self, class F, class Args>
struct Callable;
template <class Self, class F, class... A>
struct Callable<Self, F, std::tuple<A...>> : Described {
    F function;
    bool asks_other = false;
    explicit Callable(F function) : function(std::move(function)) {}

    static bool call(pb_call *call, void *context) {
        return guarded(call, [&] {
            auto *it = static_cast<Callable *>(context);
            if (!it->asks_other) return it->run(call, std::index_sequence_for<A...>());
            try {
                return it->run(call, std::index_sequence_for<A...>());
            } catch (const Reported &) {
                return pb_fail(call, PB_NO_SUCH_OPERATION, "");
            }
        });
    }

    template <std::size_t... I>
    bool run([[maybe_unused]] pb_call *call, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<Self>) {
            using R = std::invoke_result_t<F &, A...>;
            return result<R>::give(call, [&]() -> R {
                return std::invoke(function, static_cast<A &&>(this->template get<A>(call, I))...);
            });
        } else {
            pb_object *object = pb_receiver(call, type_of<Self>());
            reported(object != nullptr);
            Self &self = *value_of<Self>(object);
            using R = std::invoke_result_t<F &, Self &, A...>;
            return result<R>::give(call, [&]() -> R {
                return std::invoke(function, self,
                                   static_cast<A &&>(this->template get<A>(call, I))...);
            });
        }
    }
};

template <class T, class F, class Args>
struct Maker;
template <class T, class F, class... A>
struct Maker<T, F, std::tuple<A...>> : Described {
    F function;
    explicit Maker(F function) : function(std::move(function)) {}

    static bool construct(pb_call *call, void *place, void *context) {
        return guarded(call, [&] {
            auto *it = static_cast<Maker *>(context);
            it->run(call, place, std::index_sequence_for<A...>());
            return true;
        });
    }
    template <std::size_t... I>
    void run([[maybe_unused]] pb_call *call, void *place, std::index_sequence<I...>) {
        function(place, static_cast<A &&>(this->template get<A>(call, I))...);
    }
};

// A class that is being described.
struct Builder {
    virtual ~Builder() = default;
    virtual void finish(pb_module *module) = 0;
};

}  // namespace detail

// The module that a library describes.
class Module {
  public:
    Module(pb_module *module, std::string name) : module_(module), name_(std::move(name)) {}

    // A function: `m.def("area", &area, "Its documentation.", pb::arg("x"), pb::arg("y") = 1)`.
    template <class F, class... Extra>
    Module &def(const char *name, F function, Extra &&...extra) {
        using Args = typename detail::signature<F>::Args;
        using It = detail::Callable<void, F, Args>;
        auto *it = new It(std::move(function));  // lives for the process
        it->name = name;
        it->describe(static_cast<Args *>(nullptr), std::forward<Extra>(extra)...);
        finish_.push_back([it, module = module_] {
            it->name_types(static_cast<Args *>(nullptr));
            it->returns = detail::result<typename detail::signature<F>::Result>::name();
            pb_function spec = it->spec(&It::call, it);
            pb_error *error = nullptr;
            detail::check(pb_module_add_function(module, &spec, &error), error);
        });
        return *this;
    }

    // A constant.
    Module &attr(const char *name, Any value) {
        pb_error *error = nullptr;
        pb_any owned = value.release();
        detail::check(pb_module_add_constant(module_, name, &owned, &error), error);
        return *this;
    }

    const std::string &name() const { return name_; }
    void add(std::shared_ptr<detail::Builder> builder) { builders_.push_back(std::move(builder)); }
    void finish() {
        for (auto &builder : builders_) builder->finish(module_);
        for (auto &step : finish_) step();
    }

  private:
    pb_module *module_;
    std::string name_;
    std::vector<std::shared_ptr<detail::Builder>> builders_;
    std::vector<std::function<void()>> finish_;
};

// Options of a class.
struct plain {};      // no attributes, weak references and subclasses in Python
struct immutable {};  // the class itself refuses to be changed

namespace detail {

template <class M>
struct member;
template <class C, class T>
struct member<T C::*> {
    using Type = T;
};

template <class T, class = void>
struct field_kind {
    static constexpr std::uint32_t value = PB_FIELD_PROPERTY;
};
#define PB_FIELD_OF(type, kind)                                                                    \
    template <>                                                                                    \
    struct field_kind<type> {                                                                      \
        static constexpr std::uint32_t value = kind;                                               \
    };
PB_FIELD_OF(bool, PB_FIELD_BOOL)
PB_FIELD_OF(float, PB_FIELD_F32)
PB_FIELD_OF(double, PB_FIELD_F64)
#undef PB_FIELD_OF
template <class T>
struct field_kind<T, std::enable_if_t<std::is_integral_v<T>>> {
    static constexpr std::uint32_t value = (std::is_signed_v<T> ? PB_FIELD_I8 : PB_FIELD_U8) +
                                           (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
};
template <class T>
struct field_kind<Ref<T>> {
    static constexpr std::uint32_t value = PB_FIELD_OBJECT;
};
template <class T>
struct field_kind<T, std::enable_if_t<std::is_base_of_v<Any, T>>> {
    static constexpr std::uint32_t value = PB_FIELD_ANY;
};
template <class T>
struct field_kind<Cell<T>> {
    static constexpr std::uint32_t value = PB_FIELD_CELL;
};

// The class of the objects in a field.
template <class T>
struct objects_of {
    static std::string key() { return {}; }
    static std::string name() { return converter<T>::name(); }
};
template <class T>
struct objects_of<Ref<T>> {
    static std::string key() { return Of<T>::known.key; }
    static std::string name() { return converter<Ref<T>>::name(); }
};
template <class T>
struct objects_of<Cell<T>> : objects_of<T> {};

}  // namespace detail

// A class: `pb::class_<Node>(m, "Node", "Its documentation.")`, with its base as the second
// parameter if it has one: `pb::class_<Leaf, Node>(m, "Leaf")`.
template <class T, class Base = void>
class class_ {
  public:
    template <class... Options>
    class_(Module &module, const char *name, Options &&...options)
        : builder_(std::make_shared<Builder>()), name_(name) {
        builder_->key = module.name() + "." + name;
        detail::Of<T>::known.key = builder_->key;
        if constexpr (!std::is_void_v<Base>) {
            static_assert(std::is_base_of_v<Base, T>);
            static_assert(detail::offset_of<Base>() == detail::offset_of<T>(),
                          "a class cannot need a larger alignment than the one that it extends");
        }
        (take(std::forward<Options>(options)), ...);
        module.add(builder_);
    }

    // A method: a member function, or a function whose first parameter is the object.
    template <class F, class... Extra>
    class_ &def(const char *name, F function, Extra &&...extra) {
        using All = typename detail::signature<F>::Args;
        if constexpr (std::is_member_function_pointer_v<F>) {
            return method<All>(name, std::move(function), PB_PLAIN, std::forward<Extra>(extra)...);
        } else {
            static_assert(std::tuple_size_v<All> > 0, "a method takes the object first");
            using First = std::remove_cv_t<std::remove_reference_t<std::tuple_element_t<0, All>>>;
            static_assert(std::is_base_of_v<First, T>, "a method takes the object first: `const T &self`");
            return method<typename detail::tail<All>::type>(name, std::move(function), PB_PLAIN,
                                                            std::forward<Extra>(extra)...);
        }
    }
    // A function in the namespace of the class.
    template <class F, class... Extra>
    class_ &def_static(const char *name, F function, Extra &&...extra) {
        using Args = typename detail::signature<F>::Args;
        return callable<void, Args>(name, std::move(function), PB_STATIC, std::forward<Extra>(extra)...);
    }
    // A constructor.
    template <class... Args, class... Extra>
    class_ &def(init_of<Args...>, Extra &&...extra) {
        auto make = [](void *place, Args &&...args) { new (place) T(std::forward<Args>(args)...); };
        return constructor<std::tuple<Args...>>(std::move(make), std::forward<Extra>(extra)...);
    }
    template <class F, class... Extra>
    class_ &def(init_by<F> by, Extra &&...extra) {
        using Args = typename detail::signature<F>::Args;
        return made_by(by, static_cast<Args *>(nullptr), std::forward<Extra>(extra)...);
    }
    // A member of the value: a number, a `const Ref`, a Cell, an Any or container. Numbers that are
    // not const, and cells, can be set.
    template <class M>
    class_ &field(const char *name, M T::*where, const char *doc = "") {
        return add_field(name, where, doc, !std::is_const_v<M>);
    }
    template <class M>
    class_ &field_readonly(const char *name, M T::*where, const char *doc = "") {
        return add_field(name, where, doc, false);
    }
    // An attribute by functions.
    template <class G>
    class_ &property(const char *name, G getter, const char *doc = "") {
        return add_property(name, std::move(getter), nullptr, nullptr, doc);
    }
    template <class G, class S, class = std::enable_if_t<!std::is_convertible_v<S, const char *>>>
    class_ &property(const char *name, G getter, S setter, const char *doc = "") {
        using Value = last<typename detail::signature<S>::Args>;
        using It = Accessor<S, Value>;
        auto *it = new It{std::move(setter)};
        return add_property(name, std::move(getter), &It::call, it, doc);
    }

  private:
    // Under a name of its own, so that it may be a base of T.
    struct Field {
        std::string name, doc;
        std::function<std::string()> type, key;
        pb_field spec{};
        std::string type_text, key_text;
    };
    struct Builder : detail::Builder {
        std::string key, doc;
        std::uint32_t flags = 0;
        std::vector<std::unique_ptr<Field>> fields;
        std::vector<std::function<pb_function()>> methods;
        std::function<pb_function()> constructor;
        pb_constructor construct = nullptr;

        void finish(pb_module *module) override {
            detail::Class &known = detail::Of<T>::known;
            std::vector<pb_field> field_specs;
            for (auto &field : fields) {
                field->type_text = field->type();
                field->key_text = field->key();
                field->spec.name = text(field->name);
                field->spec.doc = text(field->doc);
                field->spec.type = text(field->type_text);
                field->spec.key = text(field->key_text);
                field_specs.push_back(field->spec);
            }
            std::vector<pb_function> method_specs;
            for (auto &method : methods) method_specs.push_back(method());
            pb_function constructor_spec{};
            pb_type_spec spec{};
            spec.size = sizeof spec;
            spec.key = text(key);
            spec.doc = text(doc);
            spec.value_size = sizeof(T);
            spec.value_align = alignof(T);
            spec.flags = flags;
            if constexpr (!std::is_void_v<Base>) {
                spec.base = detail::type_of<Base>();
                known.base = &detail::Of<Base>::known;
            }
            if constexpr (std::is_trivially_destructible_v<T>) {
                spec.flags |= PB_TYPE_TRIVIAL;
            } else {
                spec.destroy = [](void *value) { static_cast<T *>(value)->~T(); };
            }
            bool traced = false;
            for (const detail::Class *at = &known; at != nullptr; at = at->base) {
                traced |= !at->traced.empty();
            }
            if (traced) {
                spec.trace = trace;
                spec.clear = clear;
            }
            spec.fields = field_specs.data();
            spec.field_count = field_specs.size();
            spec.methods = method_specs.data();
            spec.method_count = method_specs.size();
            if (construct != nullptr) {
                constructor_spec = constructor();
                spec.construct = construct;
                spec.constructor = &constructor_spec;
            }
            pb_error *error = nullptr;
            known.type = pb_module_add_type(module, &spec, &error);
            detail::check(known.type != nullptr, error);
        }

        static void trace(const void *value, const pb_tracer *tracer) {
            for (const detail::Class *at = &detail::Of<T>::known; at != nullptr; at = at->base) {
                for (const detail::Traced &field : at->traced) {
                    const char *place = static_cast<const char *>(value) + field.offset;
                    switch (field.kind) {
                        case PB_FIELD_OBJECT:
                            pb_trace_object(tracer, *reinterpret_cast<pb_object *const *>(place));
                            break;
                        case PB_FIELD_ANY:
                            pb_trace_any(tracer, reinterpret_cast<const pb_any *>(place));
                            break;
                        default:
                            pb_trace_cell(tracer, reinterpret_cast<const pb_cell *>(place));
                    }
                }
            }
        }
        static void clear(void *value) {
            for (const detail::Class *at = &detail::Of<T>::known; at != nullptr; at = at->base) {
                for (const detail::Traced &field : at->traced) {
                    if (field.kind != PB_FIELD_CELL) continue;
                    pb_cell_clear(reinterpret_cast<pb_cell *>(static_cast<char *>(value) + field.offset));
                }
            }
        }
    };

    template <class S, class Value>
    struct Accessor {
        S setter;
        static bool call(pb_call *call, void *context) {
            return detail::guarded(call, [&] {
                auto *it = static_cast<Accessor *>(context);
                pb_object *object = pb_receiver(call, detail::type_of<T>());
                detail::reported(object != nullptr);
                std::invoke(it->setter, *detail::value_of<T>(object),
                            static_cast<Value &&>(detail::converter<Value>::get(call, 0)));
                return true;
            });
        }
    };
    template <class Args>
    struct last_of;
    template <class... A>
    struct last_of<std::tuple<A...>> {
        using type = std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>;
    };
    template <class Args>
    using last = typename last_of<Args>::type;

    void take(const char *doc) { builder_->doc = doc; }
    void take(plain) { builder_->flags |= PB_TYPE_PLAIN; }
    void take(immutable) { builder_->flags |= PB_TYPE_IMMUTABLE; }

    template <class Args, class F, class... Extra>
    class_ &method(const char *name, F function, std::uint32_t binding, Extra &&...extra) {
        return callable<T, Args>(name, std::move(function), binding, std::forward<Extra>(extra)...);
    }
    template <class Self, class Args, class F, class... Extra>
    class_ &callable(const char *name, F function, std::uint32_t binding, Extra &&...extra) {
        using It = detail::Callable<Self, F, Args>;
        auto *it = new It(std::move(function));  // lives for the process
        it->name = name;
        it->binding = binding;
        it->asks_other = it->is_operator();
        it->describe(static_cast<Args *>(nullptr), std::forward<Extra>(extra)...);
        builder_->methods.push_back([it] {
            it->name_types(static_cast<Args *>(nullptr));
            it->returns = detail::result<typename detail::signature<F>::Result>::name();
            return it->spec(&It::call, it);
        });
        return *this;
    }
    template <class Args, class F, class... Extra>
    class_ &constructor(F function, Extra &&...extra) {
        using It = detail::Maker<T, F, Args>;
        auto *it = new It(std::move(function));  // lives for the process
        it->name = name_;
        it->describe(static_cast<Args *>(nullptr), std::forward<Extra>(extra)...);
        builder_->construct = &It::construct;
        builder_->constructor = [it] {
            it->name_types(static_cast<Args *>(nullptr));
            return it->spec(nullptr, it);
        };
        return *this;
    }
    template <class F, class... A, class... Extra>
    class_ &made_by(init_by<F> by, std::tuple<A...> *, Extra &&...extra) {
        auto make = [function = std::move(by.function)](void *place, A &&...args) {
            new (place) T(function(std::forward<A>(args)...));
        };
        return constructor<std::tuple<A...>>(std::move(make), std::forward<Extra>(extra)...);
    }
    template <class M>
    class_ &add_field(const char *name, M T::*where, const char *doc, bool settable) {
        using Value = std::remove_cv_t<M>;
        constexpr std::uint32_t kind = detail::field_kind<Value>::value;
        static_assert(kind != PB_FIELD_PROPERTY,
                      "this member cannot be a field: use `.property` with a function that returns it");
        static_assert((kind != PB_FIELD_OBJECT && kind != PB_FIELD_ANY) || std::is_const_v<M>,
                      "a reference that is a field is const (it never changes), or a pb::Cell (it may, "
                      "while other threads look)");
        static_assert(sizeof(Ref<T>) == sizeof(pb_object *) && sizeof(Any) == sizeof(pb_any) &&
                      sizeof(Cell<Any>) == sizeof(pb_cell));
        auto field = std::make_unique<Field>();
        field->name = name;
        field->doc = doc;
        field->type = [] { return detail::objects_of<Value>::name(); };
        field->key = [] { return detail::objects_of<Value>::key(); };
        field->spec.size = sizeof(pb_field);
        field->spec.kind = kind;
        field->spec.settable = settable;
        alignas(T) static char somewhere[sizeof(T)];
        const T *value = reinterpret_cast<const T *>(somewhere);
        field->spec.offset = static_cast<std::size_t>(
            reinterpret_cast<const char *>(std::addressof(value->*where)) - somewhere);
        if (kind >= PB_FIELD_OBJECT) {
            detail::Of<T>::known.traced.push_back({field->spec.offset, kind});
        }
        builder_->fields.push_back(std::move(field));
        return *this;
    }
    template <class G>
    class_ &add_property(const char *name, G getter, pb_callback set, void *setter, const char *doc) {
        struct Both {
            detail::Callable<T, G, std::tuple<>> get;
            void *setter;
            pb_callback set;
            static bool read(pb_call *call, void *context) {
                return decltype(get)::call(call, &static_cast<Both *>(context)->get);
            }
            static bool write(pb_call *call, void *context) {
                auto *it = static_cast<Both *>(context);
                return it->set(call, it->setter);
            }
        };
        auto *both = new Both{detail::Callable<T, G, std::tuple<>>(std::move(getter)), setter, set};
        auto field = std::make_unique<Field>();
        field->name = name;
        field->doc = doc;
        field->type = [] { return detail::result<typename detail::signature<G>::Result>::name(); };
        field->key = [] { return std::string(); };
        field->spec.size = sizeof(pb_field);
        field->spec.kind = PB_FIELD_PROPERTY;
        field->spec.get = &Both::read;
        if (set != nullptr) field->spec.set = &Both::write;
        field->spec.context = both;
        builder_->fields.push_back(std::move(field));
        return *this;
    }

    std::shared_ptr<Builder> builder_;
    std::string name_;
};

namespace detail {
// Runs the body of a module for pairbond.
template <class F>
bool describe(pb_module *module, pb_error **error, const char *name, F body) noexcept {
    try {
        Module described(module, name);
        body(described);
        described.finish();
        return true;
    } catch (...) {
        *error = report();
        return false;
    }
}
}  // namespace detail

}  // namespace pb

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
