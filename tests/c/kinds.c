/* A library of C for the tests: what shapes.c leaves of pairbond.h. */

#include <pairbond/pairbond.h>

#define TEXT(text) {text, sizeof(text) - 1}
#define SIZE(type) .size = sizeof(type)
#define COUNT(array) (sizeof array / sizeof *array)

/* Numbers of every width, and a cell. */

typedef struct numbers {
    int16_t short_one;
    int32_t int_one;
    uint16_t unsigned_short;
    uint32_t unsigned_int;
    pb_cell anything;
} numbers;

static const pb_type *numbers_type;

static void numbers_destroy(void *value) {
    pb_cell_destroy(&((numbers *)value)->anything);
}
static void numbers_trace(const void *value, const pb_tracer *tracer) {
    pb_trace_cell(tracer, &((const numbers *)value)->anything);
}
static void numbers_clear(void *value) {
    pb_cell_clear(&((numbers *)value)->anything);
}
static bool numbers_construct(pb_call *call, void *place, void *context) {
    numbers *it = place;
    (void)call;
    (void)context;
    memset(it, 0, sizeof *it);
    pb_cell_init(&it->anything, pb_none());
    return true;
}

/* Numbers.named(): a class method, which makes an object of its own. */
static bool write_one(void *place, void *context, pb_error **error) {
    (void)error;
    numbers_construct(NULL, place, NULL);
    ((numbers *)place)->int_one = *(int32_t *)context;
    return true;
}
static bool numbers_named(pb_call *call, void *context) {
    (void)context;
    double number = 0;
    pb_error *error = NULL;
    if (!pb_get_f64(call, 0, &number)) return false;
    int32_t whole = (int32_t)number;
    pb_object *made = pb_object_new(numbers_type, write_one, &whole, &error);
    if (made == NULL) return pb_fail_with(call, error);
    bool done = pb_return_object(call, made);
    pb_release(made);
    return done;
}
/* it.exchange(value): what was in the cell. */
static bool numbers_exchange(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, numbers_type);
    pb_any value;
    if (self == NULL || !pb_get_any(call, 0, &value)) return false;
    numbers *it = pb_value(self);
    pb_any old = pb_cell_replace(&it->anything, value);
    bool done = pb_return_any(call, &old);
    pb_any_destroy(&old);
    return done;
}

/* References that change: to another of its type, and to any native object. */

typedef struct knot {
    pb_ref_cell other;
    pb_ref_cell any;
} knot;

static const pb_type *knot_type;

static void knot_destroy(void *value) {
    pb_ref_cell_destroy(&((knot *)value)->other);
    pb_ref_cell_destroy(&((knot *)value)->any);
}
static void knot_trace(const void *value, const pb_tracer *tracer) {
    pb_trace_ref_cell(tracer, &((const knot *)value)->other);
    pb_trace_ref_cell(tracer, &((const knot *)value)->any);
}
static void knot_clear(void *value) {
    pb_ref_cell_clear(&((knot *)value)->other);
    pb_ref_cell_clear(&((knot *)value)->any);
}
/* Knot(other=None) */
static bool knot_construct(pb_call *call, void *place, void *context) {
    pb_object *other = NULL;
    (void)context;
    if (pb_is_given(call, 0) && !pb_get_object(call, 0, knot_type, &other)) return false;
    pb_ref_cell_init(&((knot *)place)->other, pb_retain(other));
    pb_ref_cell_init(&((knot *)place)->any, NULL);
    return true;
}
static bool return_owned(pb_call *call, pb_object *object) {
    bool done = object == NULL ? pb_return_none(call) : pb_return_object(call, object);
    pb_release(object);
    return done;
}
/* it.last(): the end of its chain of others. */
static bool knot_last(pb_call *call, void *context) {
    (void)context;
    pb_object *at = pb_retain(pb_receiver(call, knot_type));
    if (at == NULL) return false;
    for (pb_object *next; (next = pb_ref_cell_get(&((knot *)pb_value(at))->other)) != NULL; at = next) {
        pb_release(at);
    }
    return return_owned(call, at);
}
/* it.exchange(other): the other that it had. */
static bool knot_exchange(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, knot_type), *other;
    if (self == NULL || !pb_get_object(call, 0, knot_type, &other)) return false;
    return return_owned(call, pb_ref_cell_replace(&((knot *)pb_value(self))->other, pb_retain(other)));
}
/* it.forget(): it has no other. */
static bool knot_forget(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, knot_type);
    if (self == NULL) return false;
    pb_ref_cell_set(&((knot *)pb_value(self))->other, NULL);
    return pb_return_none(call);
}

static bool describe_knots(pb_module *module, pb_error **error) {
    const pb_parameter other[] = {{SIZE(pb_parameter), .name = TEXT("other"), .type = TEXT("kinds.Knot")}};
    const pb_parameter perhaps[] = {
        {SIZE(pb_parameter), .name = TEXT("other"), .type = TEXT("kinds.Knot?"), .default_text = TEXT("None")}};
    const pb_field fields[] = {
        {SIZE(pb_field), .name = TEXT("other"), .kind = PB_FIELD_REF_CELL, .settable = true,
         .offset = offsetof(knot, other), .key = TEXT("kinds.Knot")},
        {SIZE(pb_field), .name = TEXT("any"), .kind = PB_FIELD_REF_CELL, .settable = true,
         .offset = offsetof(knot, any)},
    };
    const pb_function methods[] = {
        {SIZE(pb_function), .name = TEXT("last"), .call = knot_last, .returns = TEXT("kinds.Knot")},
        {SIZE(pb_function), .name = TEXT("exchange"), .parameters = other, .parameter_count = 1,
         .call = knot_exchange, .returns = TEXT("kinds.Knot?")},
        {SIZE(pb_function), .name = TEXT("forget"), .call = knot_forget},
    };
    const pb_function constructor = {SIZE(pb_function), .parameters = perhaps, .parameter_count = 1};
    const pb_type_spec spec = {SIZE(pb_type_spec),
                               .key = TEXT("kinds.Knot"),
                               .value_size = sizeof(knot),
                               .value_align = _Alignof(knot),
                               .destroy = knot_destroy,
                               .trace = knot_trace,
                               .clear = knot_clear,
                               .fields = fields,
                               .field_count = COUNT(fields),
                               .methods = methods,
                               .method_count = COUNT(methods),
                               .construct = knot_construct,
                               .constructor = &constructor};
    knot_type = pb_module_add_type(module, &spec, error);
    return knot_type != NULL;
}

/* Values. */

static bool return_pair(pb_call *call, const pb_any *one, const pb_any *two) {
    pb_any both[] = {*one, *two}, tuple;
    pb_error *error = NULL;
    if (!pb_tuple_new(both, 2, &tuple, &error)) return pb_fail_with(call, error);
    bool done = pb_return_data(call, &tuple);
    pb_any_destroy(&tuple);
    return done;
}

/* kind(value): the number of its kind, and its name. */
static bool kind(pb_call *call, void *context) {
    (void)context;
    pb_any value, name = pb_none();
    pb_error *error = NULL;
    if (!pb_get_any(call, 0, &value)) return false;
    bool done = pb_any_from_str(pb_any_kind_name(&value), &name, &error);
    pb_any number = pb_int(value.kind);
    done = done ? return_pair(call, &number, &name) : pb_fail_with(call, error);
    pb_any_destroy(&name);
    pb_any_destroy(&value);
    return done;
}

/* same(value): a copy of it. */
static bool same(pb_call *call, void *context) {
    (void)context;
    pb_any value;
    if (!pb_get_any(call, 0, &value)) return false;
    pb_any copy = pb_any_copy(&value);
    pb_any_destroy(&value);
    bool done = pb_return_any(call, &copy);
    pb_any_destroy(&copy);
    return done;
}

/* data(value): lists and maps of Python as those of pairbond. */
static bool data(pb_call *call, void *context) {
    (void)context;
    pb_any value;
    if (!pb_get_data(call, 0, &value)) return false;
    bool done = pb_return_any(call, &value);
    pb_any_destroy(&value);
    return done;
}

/* large(): the largest number of 64 bits. */
static bool large(pb_call *call, void *context) {
    (void)context;
    pb_any number = pb_any_from_u64(UINT64_MAX);
    if (number.kind != PB_BIG_INT) return pb_fail(call, PB_RUNTIME_ERROR, "not a large number");
    bool done = pb_return_any(call, &number);
    pb_any_destroy(&number);
    return done;
}

/* backwards(bytes): in the other order. */
static bool backwards(pb_call *call, void *context) {
    (void)context;
    pb_any value, out;
    pb_str bytes;
    char turned[16];
    pb_error *error = NULL;
    if (!pb_get_any(call, 0, &value)) return false;
    if (!pb_any_as_bytes(&value, &bytes) || bytes.size > sizeof turned) {
        pb_any_destroy(&value);
        return pb_fail(call, PB_TYPE_ERROR, "16 bytes at most");
    }
    for (size_t at = 0; at < bytes.size; ++at) turned[at] = bytes.data[bytes.size - 1 - at];
    bool done = pb_any_from_bytes((pb_str){turned, bytes.size}, &out, &error);
    pb_any_destroy(&value);
    if (!done) return pb_fail_with(call, error);
    done = pb_return_any(call, &out);
    pb_any_destroy(&out);
    return done;
}

/* contains(value, ...): whether a set of what comes after the first has it. */
static bool contains(pb_call *call, void *context) {
    (void)context;
    pb_any set, value, element;
    pb_error *error = NULL;
    bool found = true, added;
    if (!pb_get_any(call, 0, &value)) return false;
    bool done = pb_set_new(&set, &error);
    for (size_t at = 0; done && found; ++at) {
        if (!pb_get_rest(call, at, &element, &found)) {
            pb_any_destroy(&set);
            pb_any_destroy(&value);
            return false;
        }
        if (found) done = pb_set_add(&set, element, &added, &error);
    }
    done = done && pb_set_contains(&set, &value, &found, &error);
    pb_any_destroy(&set);
    pb_any_destroy(&value);
    return done ? pb_return_bool(call, found) : pb_fail_with(call, error);
}

/* keywords(**given): the map of them; None if there are none. */
static bool keywords(pb_call *call, void *context) {
    (void)context;
    pb_any map;
    if (!pb_is_given(call, 0)) return pb_return_none(call);
    if (!pb_get_any(call, 0, &map)) return false;
    bool done = pb_return_any(call, &map);
    pb_any_destroy(&map);
    return done;
}

/* call_named(function): function(1, b=2). */
static bool call_named(pb_call *call, void *context) {
    (void)context;
    pb_any function, result, arguments[] = {pb_int(1), pb_int(2)};
    const pb_str names[] = {TEXT("b")};
    pb_error *error = NULL;
    if (!pb_get_function(call, 0, &function)) return false;
    bool done = pb_function_call_named(&function, arguments, 2, names, 1, &result, &error);
    pb_any_destroy(&function);
    if (!done) return pb_fail_with(call, error);
    done = pb_return_any(call, &result);
    pb_any_destroy(&result);
    return done;
}

/* Types and errors. */

/* type_of(object): the key of its type, and whether it is a Numbers. */
static bool type_of(pb_call *call, void *context) {
    (void)context;
    pb_object *object;
    pb_any key;
    pb_error *error = NULL;
    if (!pb_get_object(call, 0, NULL, &object)) return false;
    const pb_type *type = pb_object_type(object);
    if (!pb_any_from_str(pb_type_key(type), &key, &error)) return pb_fail_with(call, error);
    pb_any is = pb_bool(pb_type_is_a(type, numbers_type));
    bool done = return_pair(call, &key, &is);
    pb_any_destroy(&key);
    return done;
}

/* raised(function): the kind of error that it raises, and the message of its cause. */
static bool raised(pb_call *call, void *context) {
    (void)context;
    pb_any function, result, message = pb_none();
    pb_error *error = NULL, *problem = NULL;
    if (!pb_get_function(call, 0, &function)) return false;
    bool done = pb_function_call(&function, NULL, 0, &result, &error);
    pb_any_destroy(&function);
    if (done) {
        pb_any_destroy(&result);
        return pb_fail(call, PB_VALUE_ERROR, "it raised nothing");
    }
    const pb_error *cause = pb_error_cause(error);
    done = cause == NULL || pb_any_from_str(pb_error_message(cause), &message, &problem);
    pb_any number = pb_int(pb_error_kind_of(error));
    done = done ? return_pair(call, &number, &message) : pb_fail_with(call, problem);
    pb_any_destroy(&message);
    pb_error_free(error);
    return done;
}

/* check(node): fails as using an erased node does. */
static bool check(pb_call *call, void *context) {
    (void)context;
    pb_any node;
    pb_error *error = NULL;
    if (!pb_get_any(call, 0, &node)) return false;
    bool done = node.kind == PB_OBJECT && pb_check_node(node.as.object, &error);
    pb_any_destroy(&node);
    if (error != NULL) return pb_fail_with(call, error);
    return pb_return_bool(call, done);
}

static bool describe(pb_module *module, pb_error **error) {
    const pb_parameter value[] = {{SIZE(pb_parameter), .name = TEXT("value"), .type = TEXT("object")}};
    const pb_parameter number[] = {{SIZE(pb_parameter), .name = TEXT("number"), .type = TEXT("float")}};
    const pb_parameter function[] = {{SIZE(pb_parameter), .name = TEXT("function"), .type = TEXT("callable")}};
    const pb_parameter given[] = {
        {SIZE(pb_parameter), .name = TEXT("given"), .type = TEXT("object"), .kind = PB_REST_KEYWORDS}};
    const pb_parameter several[] = {
        {SIZE(pb_parameter), .name = TEXT("value"), .type = TEXT("object")},
        {SIZE(pb_parameter), .name = TEXT("elements"), .type = TEXT("object"), .kind = PB_REST},
    };
    const pb_field fields[] = {
        {SIZE(pb_field), .name = TEXT("short_one"), .kind = PB_FIELD_I16, .settable = true,
         .offset = offsetof(numbers, short_one)},
        {SIZE(pb_field), .name = TEXT("int_one"), .kind = PB_FIELD_I32, .settable = true,
         .offset = offsetof(numbers, int_one)},
        {SIZE(pb_field), .name = TEXT("unsigned_short"), .kind = PB_FIELD_U16, .settable = true,
         .offset = offsetof(numbers, unsigned_short)},
        {SIZE(pb_field), .name = TEXT("unsigned_int"), .kind = PB_FIELD_U32, .settable = true,
         .offset = offsetof(numbers, unsigned_int)},
        {SIZE(pb_field), .name = TEXT("anything"), .kind = PB_FIELD_CELL, .settable = true,
         .offset = offsetof(numbers, anything)},
    };
    const pb_function methods[] = {
        {SIZE(pb_function), .name = TEXT("named"), .parameters = number, .parameter_count = 1, .call = numbers_named,
         .returns = TEXT("kinds.Numbers"), .binding = PB_CLASS},
        {SIZE(pb_function), .name = TEXT("exchange"), .parameters = value, .parameter_count = 1,
         .call = numbers_exchange},
    };
    const pb_function constructor = {SIZE(pb_function), .doc = TEXT("Zeros.")};
    const pb_type_spec spec = {SIZE(pb_type_spec),
                               .key = TEXT("kinds.Numbers"),
                               .value_size = sizeof(numbers),
                               .value_align = _Alignof(numbers),
                               .destroy = numbers_destroy,
                               .trace = numbers_trace,
                               .clear = numbers_clear,
                               .fields = fields,
                               .field_count = COUNT(fields),
                               .methods = methods,
                               .method_count = COUNT(methods),
                               .construct = numbers_construct,
                               .constructor = &constructor};
    const pb_function functions[] = {
        {SIZE(pb_function), .name = TEXT("kind"), .parameters = value, .parameter_count = 1, .call = kind},
        {SIZE(pb_function), .name = TEXT("same"), .parameters = value, .parameter_count = 1, .call = same},
        {SIZE(pb_function), .name = TEXT("data"), .parameters = value, .parameter_count = 1, .call = data},
        {SIZE(pb_function), .name = TEXT("large"), .call = large},
        {SIZE(pb_function), .name = TEXT("backwards"), .parameters = value, .parameter_count = 1, .call = backwards},
        {SIZE(pb_function), .name = TEXT("contains"), .parameters = several, .parameter_count = 2, .call = contains},
        {SIZE(pb_function), .name = TEXT("keywords"), .parameters = given, .parameter_count = 1, .call = keywords},
        {SIZE(pb_function), .name = TEXT("call_named"), .parameters = function, .parameter_count = 1,
         .call = call_named},
        {SIZE(pb_function), .name = TEXT("type_of"), .parameters = value, .parameter_count = 1, .call = type_of},
        {SIZE(pb_function), .name = TEXT("raised"), .parameters = function, .parameter_count = 1, .call = raised},
        {SIZE(pb_function), .name = TEXT("check"), .parameters = value, .parameter_count = 1, .call = check},
    };
    numbers_type = pb_module_add_type(module, &spec, error);
    bool done = numbers_type != NULL && describe_knots(module, error);
    for (size_t at = 0; done && at < COUNT(functions); ++at) {
        done = pb_module_add_function(module, &functions[at], error);
    }
    return done;
}

PB_LIBRARY(kinds, "What shapes.c leaves.", describe)
