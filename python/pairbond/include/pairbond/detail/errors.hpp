// Errors and exceptions, and what pairbond knows of a class of C++. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_ERRORS_HPP
#define PAIRBOND_DETAIL_ERRORS_HPP

#include <pairbond/pairbond.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#include <cxxabi.h>
#define PB_INLINE inline __attribute__((always_inline))
#define PB_COLD __attribute__((cold, noinline))
// Reads memory that may be beyond what it was given: to find out what that is.
#define PB_ANY_MEMORY __attribute__((no_sanitize_address))
#else
#define PB_INLINE inline
#define PB_COLD
#define PB_ANY_MEMORY
#endif
// What a library knows of its classes is its own, also without -fvisibility=hidden: another library
// may have other classes of the same names.
#if defined(__GNUC__) && !defined(_WIN32)
#define PB_OWN __attribute__((visibility("hidden")))
#else
#define PB_OWN
#endif

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
    explicit Error(pb_error *error) : state_(std::make_shared<State>(error)) {}

    // As an exception class of a module: "graphs.GraphError".
    static Error custom(std::string_view class_name, std::string_view message) {
        return Error(pb_runtime->error_new_custom(text(class_name), text(message)));
    }

    int kind() const { return pb_error_kind_of(state_->error); }
    const std::string &message() const { return state_->message(); }
    const char *what() const noexcept override {
        try {
            return message().c_str();
        } catch (...) {
            return "an error whose message does not fit into memory";
        }
    }
    Error &note(std::string_view note) {
        pb_runtime->error_add_note(state_->error, text(note));
        return *this;
    }
    // What it was raised from: `__cause__` in Python. (An exception of Python has its own.)
    Error &from(const Error &cause) {
        pb_error_set_cause(state_->error, cause.copy());
        return *this;
    }
    std::optional<Error> cause() const {
        const pb_error *cause = pb_error_cause(state_->error);
        if (cause == nullptr) return std::nullopt;
        return Error(pb_error_copy(cause));
    }
    // A copy that the caller owns.
    pb_error *copy() const { return pb_error_copy(state_->error); }

  private:
    // The message of an exception of Python is made when it is asked for.
    struct State {
        explicit State(pb_error *error) : error(error) {}
        State(const State &) = delete;
        State &operator=(const State &) = delete;
        ~State() {
            pb_error_free(error);
            delete known.load();
        }
        const std::string &message() {
            std::string *first = known.load();
            if (first == nullptr) {
                auto made = std::make_unique<std::string>(view(pb_error_message(error)));
                if (known.compare_exchange_strong(first, made.get())) first = made.release();
            }
            return *first;
        }
        pb_error *error;
        std::atomic<std::string *> known{nullptr};
    };
    std::shared_ptr<State> state_;
};

namespace detail {

// A function of pairbond has failed, and the call has its error already.
struct Reported {};

// What an exception becomes: the first class in this list that it is of.
#define PB_EXCEPTIONS(is)                                                                          \
    is(std::out_of_range, PB_INDEX_ERROR)                                                          \
    is(std::overflow_error, PB_OVERFLOW_ERROR)                                                     \
    is(std::invalid_argument, PB_VALUE_ERROR)                                                      \
    is(std::domain_error, PB_VALUE_ERROR)                                                          \
    is(std::length_error, PB_VALUE_ERROR)                                                          \
    is(std::range_error, PB_VALUE_ERROR)                                                           \
    is(std::system_error, PB_OS_ERROR)

inline pb_error *out_of_memory() {
    return pb_error_new(PB_MEMORY_ERROR, "out of memory");
}
inline pb_error *unknown_exception() {
    return pb_error_new(PB_RUNTIME_ERROR, "a C++ exception that is no std::exception");
}

#if defined(__GXX_RTTI) || defined(_CPPRTTI) || defined(__cpp_rtti)
// The exception as an owned error. To throw it once more, and to have the unwinder look for its class,
// would take thousands of instructions.
inline pb_error *error_of(const std::exception &it) {
    const std::type_info &type = typeid(it);
    if (type == typeid(Error)) return static_cast<const Error &>(it).copy();
#define PB_IS_EXACTLY(of, kind)                                                                    \
    if (type == typeid(of)) return pb_error_new(kind, it.what());
#define PB_EXTENDS(of, kind)                                                                       \
    if (dynamic_cast<const of *>(&it) != nullptr) return pb_error_new(kind, it.what());
    PB_EXCEPTIONS(PB_IS_EXACTLY)
    if (type == typeid(std::runtime_error)) return pb_error_new(PB_RUNTIME_ERROR, it.what());
    if (auto *error = dynamic_cast<const Error *>(&it)) return error->copy();
    if (dynamic_cast<const std::bad_alloc *>(&it) != nullptr) return out_of_memory();
    PB_EXCEPTIONS(PB_EXTENDS)
#undef PB_IS_EXACTLY
#undef PB_EXTENDS
    return pb_error_new(PB_RUNTIME_ERROR, it.what());
}
#else
// The exception, which is being handled, as an owned error.
inline pb_error *error_of(const std::exception &) {
#define PB_CATCH(of, kind)                                                                         \
    catch (const of &it) {                                                                         \
        return pb_error_new(kind, it.what());                                                      \
    }
    try {
        throw;
    } catch (const Error &it) {
        return it.copy();
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
    PB_EXCEPTIONS(PB_CATCH)
    catch (const std::exception &it) {
        return pb_error_new(PB_RUNTIME_ERROR, it.what());
    }
#undef PB_CATCH
}
#endif

// The exception that is being handled, as an owned error.
inline pb_error *report() noexcept {
    try {
        throw;
    } catch (const std::exception &it) {
        return error_of(it);
    } catch (...) {
        return unknown_exception();
    }
}

// Of what the error of a call is; out of the way of what runs without one.
PB_COLD inline bool failed(pb_call *call, const std::exception &it) noexcept {
    return pb_fail_with(call, error_of(it));
}
PB_COLD inline bool failed(pb_call *call) noexcept {
    return pb_fail_with(call, unknown_exception());
}

// The same for calls with words; an exception that says that a call has its error needs none.
PB_COLD inline std::nullptr_t failed_quickly(pb_error **error, const std::exception &it) noexcept {
    *error = error_of(it);
    return nullptr;
}
PB_COLD inline std::nullptr_t failed_quickly(pb_error **error) noexcept {
    *error = unknown_exception();
    return nullptr;
}

// Runs a function of the library for pairbond: no exception leaves it. Inline, so that an exception has
// few frames to pass. `refused` is what is returned when a function of pairbond has failed.
template <class F, class R>
PB_INLINE bool guarded(pb_call *call, F &&run, R &&refused) noexcept {
    try {
        return run();
    } catch (const Reported &) {
        return refused();
    } catch (const std::exception &it) {
        return failed(call, it);
    } catch (...) {
        return failed(call);
    }
}
template <class F>
PB_INLINE bool guarded(pb_call *call, F &&run) noexcept {
    return guarded(call, run, [] { return false; });
}

// Throws the error of a function that failed. By reference: `check(f(&error), error)` may look at its
// second argument before it calls the function.
inline void check(bool done, pb_error *const &error) {
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
    // The references in a value, those of its bases included, each once; lives for the process.
    const std::vector<Traced> *traced = nullptr;
    std::string key;
};
template <class T>
struct PB_OWN OfClass {
    static inline Class known;
    // The type of an object of a class that extends this one, as object_of has seen it; 1: of none.
    static inline std::atomic<std::uintptr_t> extended{1};
};
template <class T>
using Of = OfClass<std::remove_cv_t<T>>;

// What messages call a class of C++.
template <class T>
std::string class_name() {
#if defined(__GXX_RTTI) || defined(_CPPRTTI) || defined(__cpp_rtti)
    // Of a pointer, because the class may be declared only.
    std::string name = typeid(T *).name();
#if defined(__GNUC__)
    int failed = 0;
    std::unique_ptr<char, void (*)(void *)> shown(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), std::free);
    if (failed == 0 && shown != nullptr) name = shown.get();
#endif
    return name.back() == '*' ? name.substr(0, name.size() - 1) : name;
#else
    return "?";
#endif
}

template <class T>
[[noreturn]] PB_COLD void not_registered() {
    throw Error(PB_TYPE_ERROR, "the C++ class " + class_name<T>() + " is used, and no pb::class_ has registered it");
}
template <class T>
const pb_type *type_of() {
    const pb_type *type = Of<T>::known.type;
    if (type == nullptr) not_registered<T>();
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
// Whether a class begins with a base, so that an object of the one is one of the other as it is.
template <class T, class Base, class = void>
struct can_extend : std::false_type {};
template <class T, class Base>
struct can_extend<T, Base, std::void_t<decltype(static_cast<T *>(std::declval<Base *>()))>>
    : std::is_base_of<Base, T> {};
template <class T, class Base>
bool begins_with() {
    static_assert(can_extend<T, Base>::value,
                  "a base that an object is shown as is public, and there once and not virtual");
    static_assert(offset_of<Base>() == offset_of<T>(),
                  "a class cannot need a larger alignment than the one that it extends");
    alignas(T) static char somewhere[sizeof(T)];
    auto *value = reinterpret_cast<T *>(somewhere);
    return reinterpret_cast<char *>(static_cast<Base *>(value)) == somewhere;
}

// An owned reference to the object that a value lies in. A TypeError if it lies in none; a
// RuntimeError while it is being made or destroyed.
template <class T>
pb_object *owned_object_of(const T &value) {
    pb_error *error = nullptr;
    pb_object *object = pb_object_of(std::addressof(value), type_of<T>(), &error);
    check(object != nullptr, error);
    return object;
}
// The object that a value lies in, not counted. A TypeError if it lies in none.
template <class T>
PB_ANY_MEMORY pb_object *object_of(const T &value) {
    const pb_type *type = Of<T>::known.type;
    char *start = reinterpret_cast<char *>(const_cast<T *>(std::addressof(value))) - offset_of<T>();
    // What pb_object_of looks at, where the object is of this very class.
    auto is = *reinterpret_cast<const volatile std::uintptr_t *>(start + 16) & ~std::uintptr_t(255);
    if (type == nullptr || is != reinterpret_cast<std::uintptr_t>(type)) {
        auto &extended = Of<T>::extended;
        if (type == nullptr || is != extended.load(std::memory_order_relaxed)) {
            pb_release(owned_object_of(value));
            extended.store(is, std::memory_order_relaxed);
        }
    }
    return reinterpret_cast<pb_object *>(start);
}

template <class T>
struct registered;
// How values of a type cross; of a class that nothing else is known of, as an object.
template <class T, class = void>
struct convert : registered<T> {};

}  // namespace detail

}  // namespace pb

#endif
