// Values of any kind, fields that change, functions, containers, threads. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_VALUES_HPP
#define PAIRBOND_DETAIL_VALUES_HPP

#include <pairbond/detail/references.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace pb {

// A value of any kind.
class Any {
  public:
    Any() : any_(pb_none()) {}
    Any(const Any &other) : any_(pb_any_copy(&other.any_)) {}
    PB_INLINE Any(Any &&other) noexcept : any_(std::exchange(other.any_, pb_none())) {}
    PB_INLINE ~Any() {
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

class Function;

namespace detail {
// Whether `T()` is None.
template <class T>
struct begins_as_none : std::bool_constant<std::is_same_v<T, Any> || std::is_same_v<T, Function>> {};
template <class T>
struct begins_as_none<Ref<T>> : std::true_type {};
template <class T>
struct begins_as_none<std::optional<T>> : std::true_type {};
}  // namespace detail

// A field that changes while other threads look. Reading copies the value out.
template <class T>
class Cell {
  public:
    PB_INLINE Cell() {
        if constexpr (detail::begins_as_none<T>::value) {
            pb_cell_init(&cell_, pb_none());
        } else {
            pb_cell_init(&cell_, Any(T()).release());
        }
    }
    Cell(T value) { pb_cell_init(&cell_, Any(std::move(value)).release()); }
    Cell(const Cell &) = delete;
    Cell &operator=(const Cell &) = delete;
    ~Cell() { pb_cell_destroy(&cell_); }
    T get() const { return read(Any::adopt(pb_cell_get(&cell_))); }
    void set(T value) const { pb_cell_set(&cell_, Any(std::move(value)).release()); }
    T replace(T value) const {
        return read(Any::adopt(pb_cell_replace(&cell_, Any(std::move(value)).release())));
    }

  private:
    static T read(Any any) {
        if constexpr (std::is_same_v<T, Function>) {
            if (any.is_none()) return T();
        }
        return any.template to<T>();
    }
    pb_cell cell_;
};

// The same of a reference, which takes 16 bytes.
template <class T>
class Cell<Ref<T>> {
  public:
    PB_INLINE Cell() { pb_ref_cell_init(&cell_, nullptr); }
    PB_INLINE Cell(Ref<T> value) { pb_ref_cell_init(&cell_, value.release()); }
    Cell(const Cell &) = delete;
    Cell &operator=(const Cell &) = delete;
    PB_INLINE ~Cell() { pb_ref_cell_destroy(&cell_); }
    Ref<T> get() const { return Ref<T>::adopt(pb_ref_cell_get(&cell_)); }
    void set(Ref<T> value) const { pb_ref_cell_set(&cell_, value.release()); }
    Ref<T> replace(Ref<T> value) const {
        return Ref<T>::adopt(pb_ref_cell_replace(&cell_, value.release()));
    }

  private:
    pb_ref_cell cell_;
};

// A function of C++, Rust or Python, which can be called on any thread.
class Function : public Any {
  public:
    Function() = default;
    explicit Function(Any any) : Any(std::move(any)) {}

    // Of anything that can be called with `const std::vector<Any> &` and returns an Any.
    template <class F>
    static Function of(std::string_view name, F function) {
        static_assert(std::is_nothrow_destructible_v<F>, "no exception can leave a destructor");
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
    // The names of all functions of the process, sorted.
    static std::vector<std::string> names();
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

}  // namespace pb

#endif
