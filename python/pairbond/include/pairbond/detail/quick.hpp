// Calls with words: the shorter way of functions whose arguments and result are simple. Included by
// pairbond.hpp.
#ifndef PAIRBOND_DETAIL_QUICK_HPP
#define PAIRBOND_DETAIL_QUICK_HPP

#include <pairbond/detail/conversions.hpp>

namespace pb {

// What a pb::Callback has returned: `to<T>()` converts it, and returned as it is, it is not converted
// at all. Good where the callback is.
class Returned {
  public:
    explicit Returned(Any any) : any_(std::move(any)) {}
    Returned(const pb_quick *quick, void *word) : quick_(quick), word_(word) {}
    Returned(Returned &&other) noexcept
        : quick_(other.quick_), word_(std::exchange(other.word_, nullptr)), any_(std::move(other.any_)) {}
    Returned(const Returned &) = delete;
    Returned &operator=(const Returned &) = delete;
    ~Returned() {
        if (word_ != nullptr) quick_->drop(word_);
    }

    // The value, taken.
    Any take() {
        if (word_ == nullptr) return std::move(any_);
        Any out;
        pb_error *error = nullptr;
        detail::check(quick_->to_any(std::exchange(word_, nullptr), out.place(), &error), error);
        return out;
    }
    operator Any() && { return take(); }
    template <class T>
    T to() && {
        return take().template to<T>();
    }
    // The word as it is, owned; null where there is none.
    void *release_word() { return std::exchange(word_, nullptr); }

  private:
    const pb_quick *quick_ = nullptr;
    void *word_ = nullptr;
    Any any_;
};

// A callable that is a parameter: it is called during the call only, on its thread, and while that is
// attached (not in pb::detach). In exchange nothing is counted and nothing is converted that needs not
// be. What outlives the call is a pb::Function: `keep` makes one.
class Callback {
  public:
    Callback() = default;
    explicit Callback(Function function) : kept_(new Function(std::move(function))) {}
    Callback(const pb_quick *quick, void *word) : quick_(quick), word_(word) {}
    Callback(Callback &&other) noexcept
        : quick_(other.quick_), word_(other.word_), kept_(std::exchange(other.kept_, nullptr)) {}
    Callback(const Callback &) = delete;
    Callback &operator=(const Callback &) = delete;
    ~Callback() {
        if (kept_ != nullptr) delete kept_;
    }

    template <class... Args>
    Returned operator()(Args &&...args) const {
        if (quick_ == nullptr) return Returned(keep()(std::forward<Args>(args)...));
        pb_error *error = nullptr;
        void *result = nullptr;
        if constexpr (sizeof...(Args) == 0) {
            result = quick_->call(word_, nullptr, 0, &error);
        } else {
            Words<sizeof...(Args)> words(quick_);
            (words.add(std::forward<Args>(args)), ...);
            result = quick_->call(word_, words.all, sizeof...(Args), &error);
        }
        if (result == nullptr) throw Error(error);
        return Returned(quick_, result);
    }

    Function keep() const {
        if (kept_ != nullptr) return *kept_;
        Any out;
        if (quick_ == nullptr || !quick_->get_function(word_, out.place())) {
            throw Error(PB_TYPE_ERROR, "not a callable");
        }
        return Function(std::move(out));
    }

  private:
    template <std::size_t Count>
    struct Words {
        explicit Words(const pb_quick *quick) : quick(quick) {}
        Words(const Words &) = delete;
        ~Words() {
            for (std::size_t at = 0; at < count; ++at) quick->drop(all[at]);
        }
        void add(std::int64_t number) { put(quick->new_i64(number)); }
        void add(double number) { put(quick->new_f64(number)); }
        template <class T>
        void add(T &&value) {
            using Plain = std::decay_t<T>;
            if constexpr (std::is_same_v<Plain, bool>) {
                put(quick->new_bool(value));
            } else if constexpr (std::is_integral_v<Plain> && (std::is_signed_v<Plain> || sizeof(Plain) < 8)) {
                put(quick->new_i64(value));
            } else {
                Any any(std::forward<T>(value));
                pb_error *error = nullptr;
                void *word = quick->new_any(any.get(), &error);
                if (word == nullptr) throw Error(error);
                put(word);
            }
        }
        void put(void *word) {
            if (word == nullptr) throw std::bad_alloc();
            all[count++] = word;
        }
        const pb_quick *quick;
        std::size_t count = 0;
        void *all[Count + 1] = {};
    };
    const pb_quick *quick_ = nullptr;
    void *word_ = nullptr;
    Function *kept_ = nullptr; // where the call is not of words
};

namespace detail {

template <>
struct convert<Callback> {
    using Taken = Callback;
    static constexpr bool only_reports = true;
    static std::string name() { return "callable"; }
    static Callback get(pb_call *call, std::size_t index) {
        return Callback(convert<Function>::get(call, index));
    }
};

template <class T, bool = std::is_class_v<T>>
struct is_registered : std::false_type {};
template <class T>
struct is_registered<T, true> : std::is_base_of<registered<T>, convert<T>> {};

template <>
struct convert<Returned> {
    static std::string name() { return "object"; }
    static bool give(pb_call *call, Returned value) { return convert<Any>::give(call, value.take()); }
    static pb_any to_any(Returned value) { return value.take().release(); }
};

// How an argument is read from a word: `Slot` holds it, `get` refuses by false, without a message, and
// `pass` is what the function is given. `empty_is_none`: a slot is None before.
template <class T, class = void>
struct word {
    static constexpr bool can = false;
};
template <class T>
struct by_value {
    static constexpr bool can = true;
    static constexpr bool empty_is_none = false;
    using Slot = T;
    template <class A>
    static A &&pass(Slot &slot) {
        return static_cast<A &&>(slot);
    }
};
template <>
struct word<bool> : by_value<bool> {
    static bool get(const pb_quick *quick, void *from, bool &out) { return quick->get_bool(from, &out); }
};
template <class T>
struct word<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> : by_value<T> {
    static PB_INLINE bool get(const pb_quick *quick, void *from, T &out) {
        std::int64_t number = 0;
        if (!pb_word_i64(quick, from, &number)) return false;
        if (sizeof(T) < 8 || std::is_unsigned_v<T>) {
            if (!convert<T>::fits(number)) return false;
        }
        out = static_cast<T>(number);
        return true;
    }
};
template <class T>
struct word<T, std::enable_if_t<std::is_floating_point_v<T>>> : by_value<T> {
    static PB_INLINE bool get(const pb_quick *quick, void *from, T &out) {
        double number = 0;
        if (!pb_word_f64(quick, from, &number)) return false;
        out = static_cast<T>(number);
        return true;
    }
};
template <>
struct word<Callback> : by_value<Callback> {
    static PB_INLINE bool get(const pb_quick *quick, void *from, Callback &out) {
        if (!quick->is_callable(from)) return false;
        new (&out) Callback(quick, from); // over an empty one
        return true;
    }
};
template <>
struct word<Function> : by_value<Function> {
    static bool get(const pb_quick *quick, void *from, Function &out) {
        return quick->get_function(from, out.place());
    }
};
template <class T>
struct word<Ref<T>> : by_value<Ref<T>> {
    static constexpr bool empty_is_none = true;
    static bool get(const pb_quick *quick, void *from, Ref<T> &out) {
        const pb_type *type = Of<std::remove_cv_t<T>>::known.type;
        pb_object *object = type == nullptr ? nullptr : quick->get_object(from, type);
        if (object == nullptr) return quick->is_none(from);
        out = Ref<T>::retain(object);
        return true;
    }
};
// A registered class: the object that the caller lends.
template <class T>
struct word<T, std::enable_if_t<is_registered<T>::value>> {
    static constexpr bool can = true;
    static constexpr bool empty_is_none = false;
    using Slot = T *;
    static bool get(const pb_quick *quick, void *from, T *&out) {
        const pb_type *type = Of<T>::known.type;
        pb_object *object = type == nullptr ? nullptr : quick->get_object(from, type);
        if (object == nullptr) return false;
        out = value_of<T>(object);
        return true;
    }
    template <class A>
    static T &pass(T *slot) {
        return *slot;
    }
};
template <class T>
struct word<T *, std::enable_if_t<std::is_class_v<T>>> : by_value<T *> {
    static constexpr bool empty_is_none = true;
    static bool get(const pb_quick *quick, void *from, T *&out) {
        out = nullptr;
        return quick->is_none(from) || word<std::remove_cv_t<T>>::get(quick, from, mutable_of(out));
    }

  private:
    static std::remove_cv_t<T> *&mutable_of(T *&place) {
        return const_cast<std::remove_cv_t<T> *&>(place);
    }
};
template <class A>
using word_of = word<std::remove_cv_t<std::remove_reference_t<A>>>;

// How a result becomes a word.
template <class R, class = void>
struct to_word {
    static constexpr bool can = false;
};
struct can_word {
    static constexpr bool can = true;
};
inline void *any_to_word(const pb_quick *quick, const Any &any, pb_error **error) {
    return quick->new_any(any.get(), error);
}
template <>
struct to_word<void> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        run();
        void *word = quick->new_none();
        return word != nullptr ? word : any_to_word(quick, Any(), error);
    }
};
template <>
struct to_word<bool> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        bool value = run();
        void *word = quick->new_bool(value);
        return word != nullptr ? word : any_to_word(quick, Any(value), error);
    }
};
template <class T>
struct to_word<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        T value = run();
        if (std::is_unsigned_v<T> && static_cast<std::uint64_t>(value) > INT64_MAX) {
            return any_to_word(quick, Any(value), error);
        }
        void *word = quick->new_i64(static_cast<std::int64_t>(value));
        return word != nullptr ? word : any_to_word(quick, Any(value), error);
    }
};
template <class T>
struct to_word<T, std::enable_if_t<std::is_floating_point_v<T>>> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        double value = static_cast<double>(run());
        void *word = quick->new_f64(value);
        return word != nullptr ? word : any_to_word(quick, Any(value), error);
    }
};
template <class T>
struct to_word<T, std::enable_if_t<std::is_same_v<T, Any> || std::is_same_v<T, Function>>> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        T value = run();
        void *word = value.is_none() ? quick->new_none() : nullptr;
        return word != nullptr ? word : any_to_word(quick, value, error);
    }
};
template <>
struct to_word<Returned> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        Returned value = run();
        void *word = value.release_word();
        return word != nullptr ? word : any_to_word(quick, value.take(), error);
    }
};
template <class T>
struct to_word<Ref<T>> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        pb_object *object = Ref<T>(run()).release();
        if (object != nullptr) return quick->new_owned(object, error);
        void *word = quick->new_none();
        return word != nullptr ? word : any_to_word(quick, Any(), error);
    }
};
// Of a container or a member, which goes on having it: nothing is counted.
template <class T>
struct to_word<const Ref<T> &> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        const Ref<T> &result = run();
        if (result) return quick->new_object(result.object(), error);
        void *word = quick->new_none();
        return word != nullptr ? word : any_to_word(quick, Any(), error);
    }
};
template <class T>
struct to_word<T, std::enable_if_t<is_registered<T>::value>> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        return quick->new_owned(pb::make<T>(run()).release(), error);
    }
};
// The object that a reference lies in.
template <class T>
struct to_word<T &, std::enable_if_t<is_registered<std::remove_cv_t<T>>::value>> : can_word {
    template <class F>
    static PB_INLINE void *make(const pb_quick *quick, pb_error **error, F &&run) {
        return quick->new_object(object_of(run()), error);
    }
};

}  // namespace detail

}  // namespace pb

#endif
