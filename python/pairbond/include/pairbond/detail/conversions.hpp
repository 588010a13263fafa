// How values of C++ cross: arguments, results, elements of containers. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_CONVERSIONS_HPP
#define PAIRBOND_DETAIL_CONVERSIONS_HPP

#include <pairbond/detail/values.hpp>

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <variant>

namespace pb {

namespace detail {

[[noreturn]] inline void wrong(const pb_any &any, const std::string &expected) {
    throw Error(PB_TYPE_ERROR,
                "expected " + expected + ", got " + std::string(view(pb_any_kind_name(&any))));
}

// The key of a class that is an argument, a result or a field.
template <class T>
const std::string &key_of() {
    const Class &known = Of<T>::known;
    if (known.key.empty()) not_registered<T>();
    return known.key;
}

// How values of a type are read from arguments (`get`), returned (`give`), and kept in an Any
// (`to_any`, `from_any`). `Taken` is what `get` returns. `name` is for stubs.
template <>
struct convert<bool> {
    using Taken = bool;
    static constexpr bool only_reports = true;
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
    static constexpr bool only_reports = sizeof(T) == 8;
    static std::string name() { return "int"; }
    template <class N>
    static bool fits(N number) {
        if constexpr (std::is_signed_v<N> && std::is_signed_v<T>) {
            return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
        } else {
            if constexpr (std::is_signed_v<N>) {
                if (number < 0) return false;
            }
            return static_cast<std::uint64_t>(number) <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        }
    }
    template <class N>
    static T narrow(N number) {
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
        if (any.kind == PB_INT) return narrow(any.as.integer);
        // As an argument, which may be a bool, too.
        if (any.kind != PB_BIG_INT && any.kind != PB_BOOL) wrong(any, "int");
        pb_error *error = nullptr;
        if constexpr (std::is_unsigned_v<T>) {
            std::uint64_t number = 0;
            check(pb_any_as_u64(&any, &number, &error), error);
            return narrow(number);
        } else {
            std::int64_t number = 0;
            check(pb_any_as_i64(&any, &number, &error), error);
            return narrow(number);
        }
    }
};

template <class T>
struct convert<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    using Taken = T;
    static constexpr bool only_reports = true;
    static std::string name() { return "float"; }
    static T get(pb_call *call, std::size_t index) {
        double out = 0;
        reported(pb_get_f64(call, index, &out));
        return static_cast<T>(out);
    }
    static bool give(pb_call *call, T value) { return pb_return_f64(call, static_cast<double>(value)); }
    static pb_any to_any(T value) { return pb_float(static_cast<double>(value)); }
    static T from_any(const pb_any &any) {
        if (any.kind == PB_FLOAT) return static_cast<T>(any.as.number);
        if (any.kind != PB_INT && any.kind != PB_BIG_INT && any.kind != PB_BOOL) wrong(any, "float");
        double number = 0;
        pb_error *error = nullptr;
        check(pb_any_as_f64(&any, &number, &error), error);
        return static_cast<T>(number);
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
    static constexpr bool only_reports = true;
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
    static constexpr bool only_reports = true;
    static std::string name() { return "str"; }
    static std::string_view get(pb_call *call, std::size_t index) {
        pb_str out{};
        reported(pb_get_str(call, index, &out));
        return view(out);
    }
    static bool give(pb_call *call, std::string_view value) { return pb_return_str(call, text(value)); }
    static pb_any to_any(std::string_view value) { return text_to_any(value); }
};

// A null pointer is None where it is returned.
template <>
struct convert<const char *> {
    static std::string name() { return "str"; }
    static bool give(pb_call *call, const char *value) {
        return value == nullptr ? pb_return_none(call) : pb_return_str(call, pb_text(value));
    }
    static pb_any to_any(const char *value) { return value == nullptr ? pb_none() : text_to_any(value); }
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

// Whether `get` throws nothing but what says that the call has its error.
template <class C, class = void>
struct only_reports : std::false_type {};
template <class C>
struct only_reports<C, std::enable_if_t<C::only_reports>> : std::true_type {};

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
    static constexpr bool only_reports = true;
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
    static std::string name() { return key_of<T>() + "?"; }
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
            wrong(any, key_of<T>());
        }
        return Ref<T>::retain(any.as.object);
    }
};

// An object that a std::shared_ptr keeps: its deleter has the reference.
template <class T>
struct convert<std::shared_ptr<T>> {
    using Taken = std::shared_ptr<T>;
    static std::string name() { return convert<Ref<T>>::name(); }
    static Taken get(pb_call *call, std::size_t index) {
        return shared(convert<Ref<T>>::get(call, index));
    }
    static bool give(pb_call *call, const Taken &value) {
        return convert<Ref<T>>::give(call, Ref<T>::of_shared(value));
    }
    static pb_any to_any(const Taken &value) { return convert<Ref<T>>::to_any(Ref<T>::of_shared(value)); }
    static Taken from_any(const pb_any &any) { return shared(convert<Ref<T>>::from_any(any)); }
};

template <class T, class D>
struct convert<std::unique_ptr<T, D>> {
    static_assert(sizeof(T) == 0, "a std::unique_ptr is no owner of an object: use pb::Ref<T>, by pb::make<T>(...)");
};

template <class T>
struct convert<Weak<T>> {
    using Taken = Weak<T>;
    static std::string name() { return convert<Ref<T>>::name(); }
    static Weak<T> get(pb_call *call, std::size_t index) { return convert<Ref<T>>::get(call, index); }
    static pb_any to_any(const Weak<T> &value) { return convert<Ref<T>>::to_any(value.lock()); }
    static Weak<T> from_any(const pb_any &any) { return convert<Ref<T>>::from_any(any); }
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

// Shows the elements of a container of one of these kinds to a function of C++.
template <class F>
void each(const pb_any &any, const char *expected, std::initializer_list<const char *> kinds, F visit) {
    bool fits = false;
    if (any.kind == PB_OBJECT) {
        const std::string_view is = view(pb_any_kind_name(&any));
        for (const char *kind : kinds) fits |= is == kind;
    }
    if (!fits) wrong(any, expected);
    struct Context {
        F &visit;
        std::exception_ptr thrown;
    } context{visit, nullptr};
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
        each(any, "a list", {"pairbond.List", "pairbond.Tuple", "pairbond.Set"}, [&](const pb_any &element, const pb_any &) {
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
        each(any, "a dict", {"pairbond.Map"}, [&](const pb_any &key, const pb_any &value) {
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
        each(any, "a tuple", {"pairbond.List", "pairbond.Tuple"}, [&](const pb_any &element, const pb_any &) {
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
    // None is the empty function, which as an argument has to be the default.
    static F from_any(const pb_any &any) {
        if (any.kind == PB_NONE) return nullptr;
        return wrap(convert<Function>::from_any(any));
    }
    static bool give(pb_call *call, F value) {
        Any any = Any::adopt(to_any(std::move(value)));
        return pb_return_any(call, any.get());
    }
    static pb_any to_any(F value) {
        if (value == nullptr) return pb_none();
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
            value(argument<std::decay_t<Args>>(args[I])...);
            return Any();
        } else {
            return Any(value(argument<std::decay_t<Args>>(args[I])...));
        }
    }
    // Of a registered class the object itself, and no copy of its value.
    template <class T>
    static decltype(auto) argument(const Any &any) {
        if constexpr (std::is_class_v<T> && std::is_base_of_v<registered<T>, convert<T>>) {
            return registered<T>::value_in(*any.get());
        } else {
            return any.template to<T>();
        }
    }
};

// A registered class, lent for the call: `const T &`, `T &`, `T *`. Returned by value, it becomes a
// new object.
template <class T>
struct registered {
    static_assert(std::is_class_v<T>, "pairbond does not know how to convert this type");
    using Taken = T &;
    static std::string name() { return key_of<T>(); }
    static T &get(pb_call *call, std::size_t index) {
        pb_object *out = nullptr;
        reported(pb_get_object(call, index, type_of<T>(), &out));
        return *value_of<T>(out);
    }
    static bool give(pb_call *call, T &&value) {
        return pb_return_owned(call, make<T>(std::move(value)).release());
    }
    static bool give(pb_call *call, const T &value) { return pb_return_owned(call, make<T>(value).release()); }
    static pb_any to_any(const T &value) { return pb_object_value(make<T>(value).release()); }
    static pb_any to_any(T &&value) { return pb_object_value(make<T>(std::move(value)).release()); }
    // The value of the object in an Any, lent by that.
    static T &value_in(const pb_any &any) {
        if (any.kind != PB_OBJECT || !pb_object_is_a(any.as.object, type_of<T>())) wrong(any, key_of<T>());
        return *value_of<T>(any.as.object);
    }
    // A copy.
    static const T &from_any(const pb_any &any) { return value_in(any); }
};
// The object that a value lies in.
template <class T>
struct convert<T *, std::enable_if_t<std::is_class_v<T>>> {
    using Taken = T *;
    static std::string name() { return key_of<T>() + "?"; }
    static bool give(pb_call *call, T *value) {
        return value == nullptr ? pb_return_none(call) : pb_return_object(call, object_of(*value));
    }
    static pb_any to_any(T *value) {
        return value == nullptr ? pb_none() : pb_object_value(owned_object_of(*value));
    }
    static T *from_any(const pb_any &any) {
        return any.kind == PB_NONE ? nullptr : &registered<std::remove_cv_t<T>>::value_in(any);
    }
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

inline std::vector<std::string> Function::names() {
    Any out;
    pb_error *error = nullptr;
    detail::check(pb_function_names(out.place(), &error), error);
    return out.to<std::vector<std::string>>();
}

}  // namespace pb

#endif
