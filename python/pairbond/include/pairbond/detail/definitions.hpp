// Functions, classes and modules, as their authors describe them. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_DEFINITIONS_HPP
#define PAIRBOND_DETAIL_DEFINITIONS_HPP

#include <pairbond/detail/arrays.hpp>
#include <pairbond/detail/quick.hpp>
#include <pairbond/detail/trees.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

namespace pb {

// A parameter's name, and its default: `pb::arg("weight") = 1.5`.
struct arg {
    explicit arg(std::string name) : name(std::move(name)) {}
    template <class T>
    arg &&operator=(T &&value) && {
        using Plain = std::decay_t<T>;
        if constexpr (detail::is_registered<Plain>::value) {
            // Its class may not be registered before the module is described.
            later = std::make_shared<Later>([value = Plain(std::forward<T>(value))] { return Any(value); });
            fallback = Any();
            shown = "...";
        } else {
            fallback = Any(std::forward<T>(value));
            shown = show(*fallback);
        }
        return std::move(*this);
    }
    // The default, where there is one.
    const Any &value() const {
        if (later == nullptr) return *fallback;
        std::call_once(later->once, [&] { later->value = later->make(); });
        return later->value;
    }
    // Whether it is None, and the argument can be so, too.
    bool is_none() const { return fallback && later == nullptr && fallback->is_none(); }

    struct Later {
        explicit Later(std::function<Any()> make) : make(std::move(make)) {}
        std::function<Any()> make;
        std::once_flag once;
        Any value;
    };
    std::string name;
    std::optional<Any> fallback;
    std::shared_ptr<Later> later;
    std::string shown;
    bool keyword_only = false;

  private:
    static std::string show(const Any &any) {
        switch (any.kind()) {
            case PB_NONE: return "None";
            case PB_BOOL: return any.to<bool>() ? "True" : "False";
            case PB_INT: return std::to_string(any.to<std::int64_t>());
            case PB_BIG_INT: return std::to_string(any.to<std::uint64_t>());
            case PB_FLOAT: return show(any.to<double>());
            case PB_STR: return show(any.to<std::string>());
            default: return "...";
        }
    }
    // The shortest text that is the number again, whatever the locale.
    static std::string show(double number) {
        if (number != number) return "...";
        if (number - number != 0) return number > 0 ? "1e999" : "-1e999";
        char text[40];
        for (int digits = 15; digits <= 17; ++digits) {
            std::snprintf(text, sizeof text, "%.*g", digits, number);
            if (std::strtod(text, nullptr) == number) break;
        }
        std::string shown = text;
        bool whole = true;
        for (char &it : shown) {
            if (it == 'e') whole = false;
            if ((it < '0' || it > '9') && it != '-' && it != '+' && it != 'e') it = '.', whole = false;
        }
        return whole ? shown + ".0" : shown;
    }
    static std::string show(const std::string &text) {
        std::string shown = "'";
        for (char it : text) {
            if (it == '\'' || it == '\\') {
                shown += {'\\', it};
            } else if (static_cast<unsigned char>(it) < 32 || it == 127) {
                char code[8];
                std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(it));
                shown += code;
            } else {
                shown += it;
            }
        }
        return shown + "'";
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

// An argument as a function takes it. One of a registered class that is taken by value is a copy:
// the value of the object stays as it is.
template <class A, class Taken>
PB_INLINE decltype(auto) pass_on(Taken &&taken) {
    if constexpr (std::is_lvalue_reference_v<Taken &&> && !std::is_reference_v<A>) {
        return static_cast<const std::remove_reference_t<Taken> &>(taken);
    } else {
        return static_cast<A &&>(taken);
    }
}
// Runs a conversion, whose errors do not know what they are of: `where` returns it.
template <class W, class F>
auto at_place(W &&where, F &&run) -> decltype(run()) {
    try {
        return run();
    } catch (const Error &error) {
        int kind = error.kind();
        if (kind != PB_TYPE_ERROR && kind != PB_VALUE_ERROR && kind != PB_OVERFLOW_ERROR) throw;
        throw Error(kind, where() + ": " + error.message());
    }
}
template <class F>
auto at_attribute(const std::string &name, F &&run) -> decltype(run()) {
    return at_place([&] { return name; }, std::forward<F>(run));
}

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
        if (given.fallback && args.size() < 64) {
            defaults |= std::uint64_t(1) << args.size();
            if (given.is_none()) nones |= std::uint64_t(1) << args.size();
        }
        args.push_back(std::move(given));
    }
    void take(arg &given) { take(arg(given)); }
    void take(kw_only) { keyword_only = true; }

    template <class... A, class... Extra>
    void describe(std::tuple<A...> *, Extra &&...extra) {
        (take(std::forward<Extra>(extra)), ...);
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
        [[maybe_unused]] std::size_t at = 0;
        types.clear();
        (name_type<A>(at++), ...);
    }
    template <class A>
    void name_type(std::size_t at) {
        static_assert(!std::is_rvalue_reference_v<A> || !is_registered<std::remove_cv_t<std::remove_reference_t<A>>>::value,
                      "the value of an object cannot be moved away: take it as `T` or `const T &`");
        types.push_back(at_argument(at, [] { return converter<A>::name(); }));
        const arg &it = args[at];
        if (!it.fallback || it.later != nullptr) return;
        at_argument(at, [&] {
            if constexpr (!std::is_same_v<typename converter<A>::Taken, Callback>) default_of<A>(at);
            return 0;
        });
    }

    // The default of a parameter.
    template <class A>
    decltype(auto) default_of(std::size_t index) const {
        using C = converter<A>;
        using Taken = typename C::Taken;
        const Any &value = args[index].value();
        if constexpr (std::is_lvalue_reference_v<Taken>) {
            return static_cast<Taken>(C::value_in(*value.get()));
        } else if constexpr (std::is_same_v<Taken, std::string_view>) {
            pb_str lent{};
            if (!pb_any_as_str(value.get(), &lent)) wrong(*value.get(), "str");
            return Taken(view(lent));
        } else {
            return Taken(C::from_any(*value.get()));
        }
    }

    template <class F>
    auto at_argument(std::size_t index, F &&run) const -> decltype(run()) {
        return at_place([&] { return name + "() argument '" + args[index].name + "'"; }, std::forward<F>(run));
    }

    pb_function spec(pb_callback call, void *context, pb_quick_callback quick = nullptr) {
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
        function.quick = quick;
        return function;
    }

    // An argument that is a word, or its default. False: `get` is to be called, which reports.
    template <class A>
    PB_INLINE bool read(const pb_quick *quick, void *const *words, std::size_t count, std::size_t index,
                        typename word_of<A>::Slot &out) const {
        if (index < count && words[index] != nullptr) return word_of<A>::get(quick, words[index], out);
        if constexpr (word_of<A>::empty_is_none) {
            if (index < 64 && (nones >> index & 1) != 0) return true;  // as it is
        }
        return fall_back<A>(index, out);
    }
    template <class A>
    PB_COLD bool fall_back(std::size_t index, typename word_of<A>::Slot &out) const {
        using Taken = typename converter<A>::Taken;
        if (!has_default(index)) return false;
        if constexpr (std::is_same_v<Taken, Callback>) {
            return false;
        } else if constexpr (std::is_lvalue_reference_v<Taken>) {
            out = std::addressof(default_of<A>(index));
            return true;
        } else {
            out = default_of<A>(index);
            return true;
        }
    }

    // The argument of a parameter, or its default.
    template <class A>
    PB_INLINE decltype(auto) get(pb_call *call, std::size_t index) const {
        using C = converter<A>;
        using Taken = typename C::Taken;
        if constexpr (!std::is_same_v<Taken, Callback>) {
            if (has_default(index) && is_default(call, index)) return static_cast<Taken>(default_of<A>(index));
        }
        if constexpr (only_reports<C>::value) {
            return static_cast<Taken>(C::get(call, index));
        } else {
            return static_cast<Taken>(at_argument(index, [&]() -> Taken { return C::get(call, index); }));
        }
    }

  private:
    // Whether an argument was not given, or is None as its default.
    bool is_default(pb_call *call, std::size_t index) const {
        return !pb_is_given(call, index) || (args[index].is_none() && pb_is_none(call, index));
    }

    bool keyword_only = false;
    // A bit for each of the first parameters that have a default, and for those whose default is None.
    std::uint64_t defaults = 0;
    std::uint64_t nones = 0;
    PB_INLINE bool has_default(std::size_t index) const {
        return index < 64 ? (defaults >> index & 1) != 0 : args[index].fallback.has_value();
    }
};

// A callable of C++ with its description. `Self` is the class of a method, or void.
template <class Self, class F, class Args>
struct Callable;
template <class Self, class F, class... A>
struct Callable<Self, F, std::tuple<A...>> : Described {
    F function;
    bool asks_other = false;
    explicit Callable(F function) : function(std::move(function)) {}

    // Without an object and arguments it is no shorter, and a function that is called from two places
    // is not inlined: an exception has one frame more to pass.
    static constexpr bool can_be_quick() {
        return (word_of<A>::can && ...) && (sizeof...(A) > 0 || !std::is_void_v<Self>);
    }

    // The shorter way, where there is one.
    pb_quick_callback quick_call() const {
        if constexpr (can_be_quick()) {
            using R = typename signature<F>::Result;
            if constexpr (to_word<R>::can) {
                if (!asks_other) return &quick<R>;
            }
        }
        return nullptr;
    }

    template <class R>
    static void *quick(const pb_quick *quick, pb_object *object, void *const *words, std::size_t count,
                       void *context, pb_error **error) {
        auto *it = static_cast<Callable *>(context);
        try {
            return it->template run_with_words<R>(quick, object, words, count, error,
                                                  std::index_sequence_for<A...>());
        } catch (const std::exception &thrown) {
            return failed_quickly(error, thrown);
        } catch (...) {
            return failed_quickly(error);
        }
    }
    template <class R, std::size_t... I>
    PB_INLINE void *run_with_words(const pb_quick *quick, [[maybe_unused]] pb_object *object,
                                   [[maybe_unused]] void *const *words,
                                   [[maybe_unused]] std::size_t count, pb_error **error,
                                   std::index_sequence<I...>) {
        std::tuple<typename word_of<A>::Slot...> slots{};
        if (!(this->template read<A>(quick, words, count, I, std::get<I>(slots)) && ...)) return nullptr;
        return to_word<R>::make(quick, error, [&]() -> R {
            if constexpr (std::is_void_v<Self>) {
                return std::invoke(function, word_of<A>::template pass<A>(std::get<I>(slots))...);
            } else {
                return std::invoke(function, *value_of<Self>(object),
                                   word_of<A>::template pass<A>(std::get<I>(slots))...);
            }
        });
    }

    // Its description, when the names of all classes are known.
    static pb_function finished(void *described) {
        auto *it = static_cast<Callable *>(described);
        it->name_types(static_cast<std::tuple<A...> *>(nullptr));
        it->returns = result<typename signature<F>::Result>::name();
        return it->spec(&call, it, it->quick_call());
    }

    static bool call(pb_call *call, void *context) {
        auto *it = static_cast<Callable *>(context);
        return guarded(
            call, [&] { return it->run(call, std::index_sequence_for<A...>()); },
            [&] { return it->asks_other && pb_fail(call, PB_NO_SUCH_OPERATION, ""); });
    }

    template <std::size_t... I>
    PB_INLINE bool run([[maybe_unused]] pb_call *call, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<Self>) {
            using R = std::invoke_result_t<F &, A...>;
            return result<R>::give(call, [&]() -> R {
                return std::invoke(function, pass_on<A>(this->template get<A>(call, I))...);
            });
        } else {
            pb_object *object = pb_receiver(call, type_of<Self>());
            reported(object != nullptr);
            Self &self = *value_of<Self>(object);
            using R = std::invoke_result_t<F &, Self &, A...>;
            return result<R>::give(call, [&]() -> R {
                return std::invoke(function, self, pass_on<A>(this->template get<A>(call, I))...);
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

    static constexpr pb_quick_constructor quick_construct() {
        if constexpr ((word_of<A>::can && ...)) {
            return &quick;
        } else {
            return nullptr;
        }
    }
    static bool quick(const pb_quick *quick, void *const *words, std::size_t count, void *place,
                      void *context, pb_error **error) {
        auto *it = static_cast<Maker *>(context);
        try {
            return it->make_with_words(quick, words, count, place, std::index_sequence_for<A...>());
        } catch (const std::exception &thrown) {
            failed_quickly(error, thrown);
        } catch (...) {
            failed_quickly(error);
        }
        return false;
    }
    template <std::size_t... I>
    PB_INLINE bool make_with_words([[maybe_unused]] const pb_quick *quick, [[maybe_unused]] void *const *words,
                                   [[maybe_unused]] std::size_t count, void *place,
                                   std::index_sequence<I...>) {
        std::tuple<typename word_of<A>::Slot...> slots{};
        if (!(this->template read<A>(quick, words, count, I, std::get<I>(slots)) && ...)) return false;
        function(place, word_of<A>::template pass<A>(std::get<I>(slots))...);
        return true;
    }

    // Its description, when the names of all classes are known.
    static pb_function finished(void *described) {
        auto *it = static_cast<Maker *>(described);
        it->name_types(static_cast<std::tuple<A...> *>(nullptr));
        return it->spec(nullptr, it);
    }

    static bool construct(pb_call *call, void *place, void *context) {
        auto *it = static_cast<Maker *>(context);
        return guarded(call, [&] {
            it->run(call, place, std::index_sequence_for<A...>());
            return true;
        });
    }
    template <std::size_t... I>
    PB_INLINE void run([[maybe_unused]] pb_call *call, void *place, std::index_sequence<I...>) {
        function(place, pass_on<A>(this->template get<A>(call, I))...);
    }
};

// A function that is described when the names of all classes are known. Plain pointers here and
// below: a std::function of a lambda takes a compiler a dozen functions.
struct Pending {
    pb_function (*spec)(void *described);
    void *described;
};
// A member, an attribute by functions, or a node's children.
struct Field {
    std::string name, doc;
    std::string (*type)() = nullptr;
    std::string (*key)() = nullptr;
    pb_field spec{};
    std::string type_text, key_text;
};
// A method that Python may override: what makes it known, and its name.
struct Overriding {
    void (*make)(const char *name);
    const char *name;
};

inline void trace_all(const std::vector<Traced> &traced, const void *value, const pb_tracer *tracer) {
    for (const Traced &field : traced) {
        const char *place = static_cast<const char *>(value) + field.offset;
        switch (field.kind) {
            case PB_FIELD_OBJECT:
                pb_trace_object(tracer, *reinterpret_cast<pb_object *const *>(place));
                break;
            case PB_FIELD_ANY:
                pb_trace_any(tracer, reinterpret_cast<const pb_any *>(place));
                break;
            case PB_FIELD_REF_CELL:
                pb_trace_ref_cell(tracer, reinterpret_cast<const pb_ref_cell *>(place));
                break;
            default:
                pb_trace_cell(tracer, reinterpret_cast<const pb_cell *>(place));
        }
    }
}
inline void clear_all(const std::vector<Traced> &traced, void *value) {
    for (const Traced &field : traced) {
        char *place = static_cast<char *>(value) + field.offset;
        if (field.kind == PB_FIELD_CELL) pb_cell_clear(reinterpret_cast<pb_cell *>(place));
        if (field.kind == PB_FIELD_REF_CELL) pb_ref_cell_clear(reinterpret_cast<pb_ref_cell *>(place));
    }
}

// A class that is being described.
struct Builder {
    Class &known;
    // The class that it extends, if it does: its type, once that is registered.
    const Class *above = nullptr;
    const pb_type *(*base)() = nullptr;
    std::string doc;
    // Its size and alignment, its flags, and the functions that destroy, trace and name its values.
    pb_type_spec spec{};
    std::vector<std::unique_ptr<Field>> fields;
    std::vector<Traced> traced;
    std::vector<Pending> methods;
    std::vector<Overriding> overridable;
    // Makes no value if it has no function.
    Pending constructor{};

    explicit Builder(Class &known) : known(known) {}

    void finish(pb_module *module) {
        std::vector<pb_field> field_specs;
        for (auto &field : fields) {
            field->key_text = field->key();
            // Python could store any object there, and C++ would take it for one of the class.
            bool refers = field->spec.kind == PB_FIELD_OBJECT || field->spec.kind == PB_FIELD_REF_CELL;
            if (refers && field->key_text.empty()) {
                throw Error(PB_TYPE_ERROR, known.key + "." + field->name +
                                               ": no pb::class_ is registered for the class of its objects");
            }
            field->type_text = field->type();
            field->spec.name = text(field->name);
            field->spec.doc = text(field->doc);
            field->spec.type = text(field->type_text);
            field->spec.key = text(field->key_text);
            field_specs.push_back(field->spec);
        }
        std::vector<pb_function> method_specs;
        for (const Pending &method : methods) method_specs.push_back(method.spec(method.described));
        pb_function constructor_spec{};
        spec.size = sizeof spec;
        spec.key = text(known.key);
        spec.doc = text(doc);
        // A member may have several names. Older lists stay: they may be read while the module is
        // described once more.
        auto all = std::make_unique<std::vector<Traced>>(traced);
        if (base != nullptr) {
            spec.base = base();
            if (above->traced != nullptr) all->insert(all->end(), above->traced->begin(), above->traced->end());
        }
        auto before = [](const Traced &a, const Traced &b) { return a.offset < b.offset; };
        auto same = [](const Traced &a, const Traced &b) { return a.offset == b.offset; };
        std::sort(all->begin(), all->end(), before);
        all->erase(std::unique(all->begin(), all->end(), same), all->end());
        if (all->empty()) {
            spec.trace = nullptr;
            spec.clear = nullptr;
        }
        spec.fields = field_specs.data();
        spec.field_count = field_specs.size();
        spec.methods = method_specs.data();
        spec.method_count = method_specs.size();
        if (spec.construct != nullptr) {
            constructor_spec = constructor.spec(constructor.described);
            spec.constructor = &constructor_spec;
        }
        pb_error *error = nullptr;
        const pb_type *type = pb_module_add_type(module, &spec, &error);
        check(type != nullptr, error);
        known.traced = all.release();  // lives for the process
        known.type = type;
        for (const Overriding &method : overridable) method.make(method.name);
    }
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
        functions_.push_back({&It::finished, it});
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
    // What is registered by a key is so once.
    void note_class(const std::string &key) {
        if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) {
            throw Error(PB_VALUE_ERROR, key + " is described twice");
        }
        keys_.push_back(key);
    }
    void finish() {
        for (auto &builder : builders_) builder->finish(module_);
        for (const detail::Pending &function : functions_) {
            pb_function spec = function.spec(function.described);
            pb_error *error = nullptr;
            detail::check(pb_module_add_function(module_, &spec, &error), error);
        }
    }

  private:
    pb_module *module_;
    std::string name_;
    std::vector<std::shared_ptr<detail::Builder>> builders_;
    std::vector<std::string> keys_;
    std::vector<detail::Pending> functions_;
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
    using Class = C;
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
template <class T>
struct field_kind<Cell<Ref<T>>> {
    static constexpr std::uint32_t value = PB_FIELD_REF_CELL;
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
template <class T>
struct is_checked_by_key : std::false_type {};
template <>
struct is_checked_by_key<Cell<Any>> : std::true_type {};

}  // namespace detail

// A class: `pb::class_<Node>(m, "Node", "Its documentation.")`, with its base as the second
// parameter if it has one: `pb::class_<Leaf, Node>(m, "Leaf")`.
template <class T, class Base = void>
class class_ {
  public:
    template <class... Options>
    class_(Module &module, const char *name, Options &&...options)
        : builder_(std::make_shared<detail::Builder>(detail::Of<T>::known)), name_(name) {
        std::string key = module.name() + "." + name;
        auto &known = detail::Of<T>::known.key;
        if (!known.empty() && known != key) {
            throw Error(PB_VALUE_ERROR, key + ": the C++ class " + detail::class_name<T>() +
                                            " is registered already, as " + known);
        }
        module.note_class(key);
        known = std::move(key);
        pb_type_spec &spec = builder_->spec;
        spec.value_size = sizeof(T);
        spec.value_align = alignof(T);
        spec.trace = [](const void *value, const pb_tracer *tracer) {
            detail::trace_all(*detail::Of<T>::known.traced, value, tracer);
        };
        spec.clear = [](void *value) { detail::clear_all(*detail::Of<T>::known.traced, value); };
        if constexpr (std::is_trivially_destructible_v<T>) {
            spec.flags |= PB_TYPE_TRIVIAL;
        } else {
            spec.destroy = [](void *value) { static_cast<T *>(value)->~T(); };
        }
        static_assert(std::is_nothrow_destructible_v<T>,
                      "no exception can leave a destructor: objects are destroyed on any thread");
        if constexpr (!std::is_void_v<Base>) {
            static_assert(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>);
            if (!detail::begins_with<T, Base>()) {
                throw Error(PB_TYPE_ERROR, known + ": its values do not begin with their part of " +
                                               detail::class_name<Base>() + ", which it extends: that has to be its " +
                                               "first base, with a virtual function if it has one");
            }
            builder_->above = &detail::Of<Base>::known;
            builder_->base = &detail::type_of<Base>;
        }
        (take(std::forward<Options>(options)), ...);
        if constexpr (std::is_same_v<detail::node_of<T>, T>) {
            spec.flags |= PB_TYPE_TREE;
            add_place();
        } else if constexpr (!std::is_void_v<detail::node_of<T>>) {
            static_assert(!std::is_void_v<Base>,
                          "a class that extends a node is registered with it: pb::class_<Leaf, Node>");
        }
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
    // A method that a class made in Python may override also for C++, which calls it with
    // `pb::call<&Offer::total>(offer, 2)`. Python calls it as written.
    template <auto Method, class... Extra>
    class_ &def_overridable(const char *name, Extra &&...extra) {
        auto make = [](const char *name) {
            pb_error *error = nullptr;
            detail::Overridable<Method>::name = name;
            auto &known = detail::Overridable<Method>::known;
            const pb_overridable *made = pb_overridable_new(detail::type_of<T>(), name, &error);
            detail::check(made != nullptr, error);
            // A class may describe a method that it inherits: that of the class that has it is for both.
            if (known == nullptr || std::is_same_v<typename detail::member<decltype(Method)>::Class, T>) known = made;
        };
        builder_->overridable.push_back({make, name});
        return def(name, Method, std::forward<Extra>(extra)...);
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
        auto make = [](void *place, Args &&...args) { detail::write<T>(place, std::forward<Args>(args)...); };
        return constructor<std::tuple<Args...>>(std::move(make), std::forward<Extra>(extra)...);
    }
    template <class F, class... Extra>
    class_ &def(init_by<F> by, Extra &&...extra) {
        using Args = typename detail::signature<F>::Args;
        return made_by(by, static_cast<Args *>(nullptr), std::forward<Extra>(extra)...);
    }
    // A member of the value: a number, a `const Ref`, a Cell, an Any or container. Numbers that are
    // not const, and cells, can be set.
    template <class M, class C>
    class_ &field(const char *name, M C::*where, const char *doc = "") {
        return add_field<M>(name, where, doc, !std::is_const_v<M>);
    }
    template <class M, class C>
    class_ &field_readonly(const char *name, M C::*where, const char *doc = "") {
        return add_field<M>(name, where, doc, false);
    }
    // A list of children, a member of a node: pb::Children<Op>. Its attribute is a list of those
    // there now.
    template <class C>
    class_ &children(const char *name, Children<C> T::*where, const char *doc = "") {
        static_assert(!std::is_void_v<detail::node_of<T>>, "only a pb::TreeNode has children");
        auto field = new_field(name, doc, PB_FIELD_CHILDREN, place_of(where));
        field->type = [] { return "list[" + detail::Of<C>::known.key + "]"; };
        field->key = [] { return detail::Of<C>::known.key; };
        builder_->fields.push_back(std::move(field));
        return *this;
    }
    // What errors call a node besides its class: a function that returns a `std::string_view` or
    // reference of its value, which never changes. Where it throws, the node has no name.
    template <class F>
    class_ &node_name(F function) {
        using Text = std::invoke_result_t<F &, const T &>;
        static_assert(std::is_reference_v<Text> || std::is_same_v<Text, std::string_view>,
                      "the text of a node's name is part of the node");
        Named<F>::function.emplace(std::move(function));
        builder_->spec.node_name = &Named<F>::call;
        return *this;
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
        auto *it = new It{std::move(setter), name_ + "." + name};
        return add_property(name, std::move(getter), &It::call, it, doc);
    }

  private:
    template <class S, class Value>
    struct Accessor {
        S setter;
        static bool call(pb_call *call, void *context) {
            return detail::guarded(call, [&] {
                auto *it = static_cast<Accessor *>(context);
                pb_object *object = pb_receiver(call, detail::type_of<T>());
                detail::reported(object != nullptr);
                using Taken = typename detail::converter<Value>::Taken;
                std::invoke(it->setter, *detail::value_of<T>(object),
                            detail::pass_on<Value>(detail::at_attribute(
                                it->name, [&]() -> Taken { return detail::converter<Value>::get(call, 0); })));
                return true;
            });
        }
        std::string name;
    };
    // What Python stores in a cell that has not room for any object: a value of the cell's type.
    template <class C>
    struct CellSetter;
    template <class V>
    struct CellSetter<Cell<V>> {
        std::size_t offset;
        std::string name;
        static bool call(pb_call *call, void *context) {
            return detail::guarded(call, [&] {
                auto *it = static_cast<CellSetter *>(context);
                pb_object *object = pb_receiver(call, detail::type_of<T>());
                detail::reported(object != nullptr);
                auto *value = reinterpret_cast<const char *>(detail::value_of<T>(object));
                auto *cell = reinterpret_cast<const Cell<V> *>(value + it->offset);
                cell->set(detail::at_attribute(it->name, [&]() -> V {
                    if constexpr (detail::begins_as_none<V>::value) {
                        if (pb_is_none(call, 0)) return V();
                    }
                    return detail::converter<V>::get(call, 0);
                }));
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
    void take(plain) { builder_->spec.flags |= PB_TYPE_PLAIN; }
    void take(immutable) { builder_->spec.flags |= PB_TYPE_IMMUTABLE; }

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
        builder_->methods.push_back({&It::finished, it});
        return *this;
    }
    template <class Args, class F, class... Extra>
    class_ &constructor(F function, Extra &&...extra) {
        if (builder_->spec.construct != nullptr) {
            throw Error(PB_VALUE_ERROR, builder_->known.key + ": it has two constructors: one takes arguments of several " +
                                            "kinds as a std::variant, and has defaults");
        }
        using It = detail::Maker<T, F, Args>;
        auto *it = new It(std::move(function));  // lives for the process
        it->name = name_;
        it->describe(static_cast<Args *>(nullptr), std::forward<Extra>(extra)...);
        builder_->spec.construct = &It::construct;
        builder_->spec.quick_construct = It::quick_construct();
        builder_->constructor = {&It::finished, it};
        return *this;
    }
    template <class F, class... A, class... Extra>
    class_ &made_by(init_by<F> by, std::tuple<A...> *, Extra &&...extra) {
        auto make = [function = std::move(by.function)](void *place, A &&...args) {
            ::new (place) T(function(std::forward<A>(args)...));
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
                      sizeof(Cell<Any>) == sizeof(pb_cell) && sizeof(Cell<Ref<T>>) == sizeof(pb_ref_cell));
        auto field = new_field(name, doc, kind, place_of(where));
        field->type = [] { return detail::objects_of<Value>::name(); };
        field->key = [] { return detail::objects_of<Value>::key(); };
        field->spec.settable = settable;
        if constexpr (kind == PB_FIELD_CELL) {
            // Any object of a class is checked by its key; other values by their type.
            using Setter = CellSetter<Value>;
            if (settable && !detail::is_checked_by_key<Value>::value) {
                field->spec.set = &Setter::call;
                field->spec.context = new Setter{field->spec.offset, name_ + "." + name};  // for the process
            }
        }
        if (kind >= PB_FIELD_OBJECT) builder_->traced.push_back({field->spec.offset, kind});
        builder_->fields.push_back(std::move(field));
        return *this;
    }
    template <class F>
    struct PB_OWN Named {
        static inline std::optional<F> function;
        static const char *call(const void *value, std::size_t *size) noexcept {
            try {
                std::string_view text = (*function)(*static_cast<const T *>(value));
                *size = text.size();
                return text.data();
            } catch (...) {
                *size = 0;  // an error is on its way already: it has the class only
                return nullptr;
            }
        }
    };
    // How far something is from the beginning of a value.
    template <class F>
    static std::size_t distance(F &&part) {
        alignas(T) static char somewhere[sizeof(T)];
        return static_cast<std::size_t>(part(reinterpret_cast<const T *>(somewhere)) - somewhere);
    }
    template <class M>
    static std::size_t place_of(M T::*where) {
        return distance([&](const T *value) {
            return reinterpret_cast<const char *>(std::addressof(value->*where));
        });
    }
    static std::unique_ptr<detail::Field> new_field(const char *name, const char *doc, std::uint32_t kind,
                                            std::size_t offset) {
        auto field = std::make_unique<detail::Field>();
        field->name = name;
        field->doc = doc;
        field->spec.size = sizeof(pb_field);
        field->spec.kind = kind;
        field->spec.offset = offset;
        return field;
    }
    // The place of a node, which is no attribute.
    void add_place() {
        auto field = new_field("links", "", PB_FIELD_LINKS, distance([](const T *value) {
            return reinterpret_cast<const char *>(static_cast<const TreeNode<T> *>(value));
        }));
        field->type = [] { return std::string(); };
        field->key = [] { return std::string(); };
        builder_->fields.push_back(std::move(field));
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
        auto field = new_field(name, doc, PB_FIELD_PROPERTY, 0);
        field->type = [] { return detail::result<typename detail::signature<G>::Result>::name(); };
        field->key = [] { return std::string(); };
        field->spec.get = &Both::read;
        if (set != nullptr) field->spec.set = &Both::write;
        field->spec.context = both;
        builder_->fields.push_back(std::move(field));
        return *this;
    }

    std::shared_ptr<detail::Builder> builder_;
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

#endif
