// Arrays that share memory, methods that Python overrides, events. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_ARRAYS_HPP
#define PAIRBOND_DETAIL_ARRAYS_HPP

#include <pairbond/detail/conversions.hpp>

#include <complex>
#include <initializer_list>

namespace pb {

namespace detail {

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};

template <class T>
constexpr pb_dtype dtype_of() {
    static_assert(std::is_arithmetic_v<T> || is_complex<T>::value, "an array is of numbers");
    std::uint8_t code = is_complex<T>::value         ? 5
                        : std::is_same_v<T, bool>    ? 6
                        : std::is_floating_point_v<T> ? 2
                        : std::is_unsigned_v<T>      ? 1
                                                     : 0;
    return {code, static_cast<std::uint8_t>(8 * sizeof(T)), 1};
}

}  // namespace detail

// Numbers in memory that Python (numpy, torch, ...), Rust and C++ share without copying. Of `const`
// numbers, it may be one that cannot be written. Others may write at the same time: that is for the
// program to prevent.
template <class T>
class Array : public Any {
    using Number = std::remove_const_t<T>;

  public:
    explicit Array(Any any) : Any(std::move(any)) {
        memory_.size = sizeof memory_;
        pb_error *error = nullptr;
        detail::check(pb_array_describe(get(), &memory_, &error), error);
        constexpr pb_dtype wanted = detail::dtype_of<Number>();
        const pb_dtype &is = memory_.dtype;
        if (is.code != wanted.code || is.bits != wanted.bits || is.lanes != wanted.lanes) {
            throw Error(PB_TYPE_ERROR, "expected an array of " + name_of(wanted) + ", got one of " +
                                           name_of(is));
        }
        if (memory_.device.kind != 1) {
            throw Error(PB_VALUE_ERROR, "the array is not in the processor's memory");
        }
        if (!std::is_const_v<T> && memory_.readonly) {
            throw Error(PB_VALUE_ERROR, "the array cannot be written");
        }
    }
    // Of numbers, which the array keeps as they are, the last index fastest.
    static Array of(std::vector<Number> numbers, std::vector<std::size_t> shape) {
        std::size_t size = 1;
        bool fits = true;
        for (std::size_t length : shape) {
            fits &= length == 0 || size <= SIZE_MAX / length;
            size *= length;
        }
        if (!fits || size != numbers.size()) {
            throw Error(PB_VALUE_ERROR, std::to_string(numbers.size()) + " numbers do not fill the shape");
        }
        auto kept = std::make_unique<std::vector<Number>>(std::move(numbers));
        Number *data = kept->data();
        Any owner = Any::adopt(pb_owner_new(kept.release(), [](void *context) {
            delete static_cast<std::vector<Number> *>(context);
        }));
        return lend(data, shape, std::move(owner));
    }
    // Of memory that lives as long as `owner`: a reference to the object that has it. Strides are in
    // bytes; without, the last index is fastest.
    static Array lend(T *data, const std::vector<std::size_t> &shape, Any owner,
                      const std::vector<std::ptrdiff_t> &strides = {}) {
        pb_array memory{};
        memory.size = sizeof memory;
        memory.data = const_cast<Number *>(data);
        memory.dtype = detail::dtype_of<Number>();
        memory.device = {1, 0};
        memory.readonly = std::is_const_v<T>;
        memory.dimensions = shape.size();
        memory.shape = shape.data();
        if (!strides.empty()) memory.strides = strides.data();
        if (!strides.empty() && strides.size() != shape.size()) {
            throw Error(PB_VALUE_ERROR, "an array has as many strides as dimensions");
        }
        Any out;
        pb_error *error = nullptr;
        detail::check(pb_array_new(&memory, owner.release(), out.place(), &error), error);
        return Array(std::move(out));
    }

    // Of a tensor of DLPack, which is taken: its deleter is called on any thread, when nothing looks at
    // its memory any more, and also if the tensor is refused. Of `const` numbers, Python must not
    // write them.
    static Array from_dlpack(DLManagedTensor *tensor) {
        Any out;
        pb_error *error = nullptr;
        detail::check(pb_array_from_dlpack(tensor, std::is_const_v<T>, out.place(), &error), error);
        return Array(std::move(out));
    }
    // A tensor of the same memory, which it keeps until its deleter is called, on any thread.
    DLManagedTensor *to_dlpack() const {
        pb_error *error = nullptr;
        DLManagedTensor *tensor = pb_array_to_dlpack(get(), &error);
        detail::check(tensor != nullptr, error);
        return tensor;
    }

    T *data() const { return static_cast<T *>(memory_.data); }
    std::size_t dimensions() const { return memory_.dimensions; }
    std::size_t shape(std::size_t axis) const { return memory_.shape[axis]; }
    std::ptrdiff_t stride(std::size_t axis) const { return memory_.strides[axis]; }
    std::size_t size() const {
        std::size_t size = 1;
        for (std::size_t axis = 0; axis < dimensions(); ++axis) size *= shape(axis);
        return size;
    }
    // An element by its indices, which are not checked: `grid(1, 2)`.
    template <class... Index>
    T &operator()(Index... index) const {
        std::size_t axis = 0;
        char *place = static_cast<char *>(memory_.data);
        ((place += static_cast<std::ptrdiff_t>(index) * memory_.strides[axis++]), ...);
        return *reinterpret_cast<T *>(place);
    }
    // The same, checked.
    T &at(std::initializer_list<std::size_t> indices) const {
        if (indices.size() != dimensions()) throw std::out_of_range("an index for each dimension");
        std::size_t axis = 0;
        char *place = static_cast<char *>(memory_.data);
        for (std::size_t index : indices) {
            if (index >= shape(axis)) throw std::out_of_range("the index is beyond the array");
            place += static_cast<std::ptrdiff_t>(index) * memory_.strides[axis++];
        }
        return *reinterpret_cast<T *>(place);
    }

  private:
    static std::string name_of(pb_dtype dtype) {
        const char *kinds[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
        return (dtype.code < 7 ? kinds[dtype.code] : "type") + std::to_string(dtype.bits);
    }
    pb_array memory_{};
};

namespace detail {

template <class T>
struct convert<Array<T>> {
    using Taken = Array<T>;
    static std::string name() { return "array"; }
    static Array<T> get(pb_call *call, std::size_t index) {
        Any any;
        reported(pb_get_array(call, index, any.place()));
        return Array<T>(std::move(any));
    }
    static bool give(pb_call *call, const Array<T> &value) { return pb_return_any(call, value.get()); }
    static pb_any to_any(Array<T> value) { return value.release(); }
    static Array<T> from_any(const pb_any &any) { return Array<T>(Any::adopt(pb_any_copy(&any))); }
};

// What is known of a method that was described with `.def_overridable`.
template <auto Method>
struct PB_OWN Overridable {
    static inline const pb_overridable *known = nullptr;
    static inline std::string name;
};

template <class T>
struct is_ref : std::false_type {};
template <class T>
struct is_ref<Ref<T>> : std::true_type {};

}  // namespace detail

// Calls a method that was described with `.def_overridable`: that of the object's class, if it was
// made in Python and overrides it, and otherwise the method as written. The object is a `pb::Ref`,
// or a reference to a value that lies in one.
template <auto Method, class Object, class... Args>
auto call(Object &&self, Args &&...args) {
    if constexpr (detail::is_ref<std::decay_t<Object>>::value) {
        if (!self) throw Error(PB_TYPE_ERROR, "a method is called of None");
        return call<Method>(*self, std::forward<Args>(args)...);
    } else {
        using R = std::invoke_result_t<decltype(Method), Object, Args...>;
        using It = detail::Overridable<Method>;
        static_assert(!std::is_reference_v<R>, "what overrides a method returns a value");
        bool overridden = false;
        pb_object *object = detail::object_of(self);
        pb_error *error = nullptr;
        if (It::known != nullptr) {
            detail::check(pb_overridden(object, It::known, &overridden, &error), error);
        }
        if (!overridden) return std::invoke(Method, self, std::forward<Args>(args)...);
        Any all[sizeof...(Args) + 1] = {Any(std::forward<Args>(args))...};
        Any out;
        bool done = pb_call_override(object, It::known, all[0].get(), sizeof...(Args), out.place(), &error);
        detail::check(done, error);
        if constexpr (!std::is_void_v<R>) {
            try {
                return out.template to<R>();
            } catch (const Error &wrong) {
                throw Error(wrong.kind(),
                            "the result of " + It::name + "() of a subclass: " + wrong.message());
            }
        }
    }
}

// Calls a function with every event while it lives, on the thread where it happens: it must not
// block, nor throw. When an observer ends, other threads may still be calling its function: what that
// uses is captured by value, or in a std::shared_ptr.
class Observer {
  public:
    template <class F>
    explicit Observer(F tell) {
        static_assert(std::is_nothrow_destructible_v<F>, "no exception can leave a destructor");
        auto call = [](void *context, const pb_event *event) {
            try {
                (*static_cast<F *>(context))(*event);
            } catch (...) {
            }
        };
        auto forget = [](void *context) { delete static_cast<F *>(context); };
        observer_ = pb_observe(call, new F(std::move(tell)), forget);
    }
    Observer(const Observer &) = delete;
    Observer &operator=(const Observer &) = delete;
    ~Observer() { pb_observe_end(observer_); }

  private:
    std::size_t observer_;
};

}  // namespace pb

#endif
