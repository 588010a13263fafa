// References to objects, and making them. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_REFERENCES_HPP
#define PAIRBOND_DETAIL_REFERENCES_HPP

#include <pairbond/detail/errors.hpp>

#include <exception>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pb {

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

}  // namespace pb

#endif
