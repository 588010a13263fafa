// References to objects, and making them. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_REFERENCES_HPP
#define PAIRBOND_DETAIL_REFERENCES_HPP

#include <pairbond/detail/errors.hpp>

#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pb {

namespace detail {

// The deleter of a std::shared_ptr to a value that lies in an object: keeps that.
struct Held {
    pb_object *object;
    explicit Held(pb_object *owned) : object(owned) {}
    Held(const Held &other) : object(pb_retain(other.object)) {}
    Held(Held &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
    Held &operator=(const Held &) = delete;
    ~Held() { pb_release(object); }
    void operator()(const void *) noexcept { pb_release(std::exchange(object, nullptr)); }
};

// Makes a value in its place, by a constructor, or of an aggregate's members.
template <class T, class... Args>
void write(void *place, Args &&...args) {
    if constexpr (std::is_constructible_v<T, Args &&...>) {
        ::new (place) T(std::forward<Args>(args)...);
    } else {
        ::new (place) T{std::forward<Args>(args)...};
    }
}

}  // namespace detail

// An owned reference to an object of a class, or none.
template <class T>
class Ref {
  public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    Ref(const Ref &other) : object_(pb_retain(other.object_)) {}
    PB_INLINE Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
    Ref(const Ref<U> &other) : object_(pb_retain(checked(other))) {}
    PB_INLINE ~Ref() { pb_release(object_); }
    Ref &operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }

    // The object that a value lies in, which pb::make or Python has made. A TypeError for a value that
    // lies in none; a RuntimeError in a constructor or destructor of the value.
    static Ref of(const T &value) { return Ref::adopt(detail::owned_object_of(value)); }
    // The object that a std::shared_ptr of pb::shared keeps, also as one of a base class. Any other
    // shared_ptr is a TypeError: its value lies in no object.
    static Ref of_shared(const std::shared_ptr<T> &pointer) {
        if (pointer == nullptr) return nullptr;
        auto *held = std::get_deleter<detail::Held>(pointer);
        if (held == nullptr || !pb_object_is_a(held->object, detail::type_of<T>())) {
            throw Error(PB_TYPE_ERROR, "a std::shared_ptr of a value that lies in no object: make it with "
                                       "pb::shared(pb::make<T>(...))");
        }
        return Ref::retain(held->object);
    }
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
    // An object of U as one of T, whose value lies at the same place.
    template <class U>
    static pb_object *checked(const Ref<U> &other) {
        if constexpr (!std::is_same_v<std::remove_cv_t<T>, std::remove_cv_t<U>>) {
            if (!detail::begins_with<std::remove_cv_t<U>, std::remove_cv_t<T>>()) {
                throw Error(PB_TYPE_ERROR, "a value of " + detail::class_name<U>() + " does not begin with its part of " +
                                               detail::class_name<T>());
            }
        }
        return other.object();
    }

    pb_object *object_ = nullptr;
};

// The value of an object as a std::shared_ptr, for code that wants one: it keeps the object, and
// pb::Ref<T>::of_shared has that again. As a member it is not shown to the collector.
template <class T>
std::shared_ptr<T> shared(Ref<T> ref) {
    T *value = ref.get();
    if (value == nullptr) return nullptr;
    return std::shared_ptr<T>(value, detail::Held(ref.release()));
}

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
            std::apply([&](Args &&...args) { detail::write<T>(place, std::forward<Args>(args)...); },
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
