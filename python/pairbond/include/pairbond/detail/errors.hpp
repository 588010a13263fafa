// Errors and exceptions, and what pairbond knows of a class of C++. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_ERRORS_HPP
#define PAIRBOND_DETAIL_ERRORS_HPP

#include <pairbond/pairbond.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
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

// What each exception becomes, an owned error: a list of handlers, of which each ends with
// `done(error);`.
#define PB_CATCH_ALL(done)                                                                         \
    catch (const Error &it) {                                                                      \
        done(it.copy());                                                                           \
    }                                                                                              \
    catch (const std::bad_alloc &) {                                                               \
        done(pb_error_new(PB_MEMORY_ERROR, "out of memory"));                                      \
    }                                                                                              \
    catch (const std::out_of_range &it) {                                                          \
        done(pb_error_new(PB_INDEX_ERROR, it.what()));                                             \
    }                                                                                              \
    catch (const std::overflow_error &it) {                                                        \
        done(pb_error_new(PB_OVERFLOW_ERROR, it.what()));                                          \
    }                                                                                              \
    catch (const std::invalid_argument &it) {                                                      \
        done(pb_error_new(PB_VALUE_ERROR, it.what()));                                             \
    }                                                                                              \
    catch (const std::domain_error &it) {                                                          \
        done(pb_error_new(PB_VALUE_ERROR, it.what()));                                             \
    }                                                                                              \
    catch (const std::length_error &it) {                                                          \
        done(pb_error_new(PB_VALUE_ERROR, it.what()));                                             \
    }                                                                                              \
    catch (const std::range_error &it) {                                                           \
        done(pb_error_new(PB_VALUE_ERROR, it.what()));                                             \
    }                                                                                              \
    catch (const std::system_error &it) {                                                          \
        done(pb_error_new(PB_OS_ERROR, it.what()));                                                \
    }                                                                                              \
    catch (const std::exception &it) {                                                             \
        done(pb_error_new(PB_RUNTIME_ERROR, it.what()));                                           \
    }                                                                                              \
    catch (...) {                                                                                  \
        done(pb_error_new(PB_RUNTIME_ERROR, "a C++ exception that is no std::exception"));         \
    }

// The exception that is being handled, as an owned error.
inline pb_error *report() noexcept {
    try {
        throw;
    }
    PB_CATCH_ALL(return)
}

// As guarded(), for all that it is used with: the exception is not thrown once more to see what it
// is.
inline bool guarded_call(pb_call *call, bool (*run)(void *), void *context) noexcept {
    try {
        return run(context);
    } catch (const Reported &) {
        return false;
    }
#define PB_FAIL(error) return pb_fail_with(call, error)
    PB_CATCH_ALL(PB_FAIL)
#undef PB_FAIL
}

// Runs a function of the library for pairbond: no exception leaves it.
template <class F>
bool guarded(pb_call *call, F &&run) noexcept {
    using Run = std::remove_reference_t<F>;
    return guarded_call(call, [](void *context) { return (*static_cast<Run *>(context))(); }, &run);
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

}  // namespace pb

#endif
