/* A library with the fault whose number the environment's FAULT is; from 20 on with one in its table: -DFAULT=20. */

#include <stdio.h>
#include <stdlib.h>

#include <pairbond/pairbond.h>

#ifndef FAULT
#define FAULT 0
#endif

#define SIZE(type) .size = sizeof(type)
#define TEXT(text) {text, sizeof(text) - 1}

typedef struct thing {
    int64_t number;
    pb_object *other;
} thing;

static int fault;

static void destroy(void *value) {
    if (fault != 30) pb_release(((thing *)value)->other);
}

static void trace(const void *value, const pb_tracer *tracer) {
    pb_trace_object(tracer, ((const thing *)value)->other);
    if (fault == 11) pb_trace_object(tracer, ((const thing *)value)->other);
}

static const pb_type *type;

static bool construct(pb_call *call, void *place, void *context) {
    (void)context;
    thing *it = place;
    pb_object *other = NULL;
    if (!pb_is_none(call, 0) && !pb_get_object(call, 0, type, &other)) return false;
    it->number = 0;
    it->other = fault == 30 ? other : pb_retain(other); /* 30: shown, and not owned */
    return true;
}

#ifdef FUNCTIONS
/* No fault, but many functions, and a type whose methods come behind them. */
static bool number_of(pb_call *call, void *context) {
    return pb_return_i64(call, (int64_t)(intptr_t)context);
}

static bool plus(pb_call *call, void *context) {
    (void)context;
    int64_t number = 0;
    pb_object *self = pb_receiver(call, type);
    return self != NULL && pb_get_i64(call, 0, &number) &&
           pb_return_i64(call, ((thing *)pb_value(self))->number + number);
}

static bool add_functions(pb_module *module, pb_error **error) {
    for (intptr_t number = 0; number < FUNCTIONS; ++number) {
        char name[30];
        pb_function function = {SIZE(pb_function), .call = number_of, .context = (void *)number};
        function.name = (pb_str){name, (size_t)snprintf(name, sizeof name, "f%d", (int)number)};
        if (!pb_module_add_function(module, &function, error)) return false;
    }
    return true;
}
#endif

static bool describe(pb_module *module, pb_error **error) {
    const char *chosen = getenv("FAULT");
    fault = chosen == NULL ? 0 : atoi(chosen);
    const pb_parameter other[] = {
        {SIZE(pb_parameter), .name = TEXT("other"), .default_text = TEXT("None")}};
    const pb_function constructor = {SIZE(pb_function), .parameters = other, .parameter_count = 1};
    pb_field fields[] = {
        {SIZE(pb_field), .name = TEXT("number"), .kind = PB_FIELD_I64},
        {SIZE(pb_field), .name = TEXT("other"), .kind = PB_FIELD_OBJECT, .offset = offsetof(thing, other)},
        {SIZE(pb_field), .name = TEXT("links"), .kind = PB_FIELD_LINKS},
        {SIZE(pb_field), .name = TEXT("more"), .kind = PB_FIELD_LINKS},
    };
    pb_type_spec spec = {SIZE(pb_type_spec),
                         .key = TEXT("faulty.Thing"),
                         .value_size = sizeof(thing),
                         .value_align = _Alignof(thing),
                         .destroy = destroy,
                         .trace = trace,
                         .fields = fields,
                         .field_count = 1,
                         .construct = construct,
                         .constructor = &constructor};
    switch (fault) {
    case 1: fields[0].offset = 1; break;
    case 2: fields[0].offset = 1 << 20; break;
    case 3:
        fields[1].settable = true;
        spec.field_count = 2;
        break;
    case 4: spec.destroy = NULL; break;
    case 5: spec.size = 16; break;
    case 6: spec.key = (pb_str)TEXT("Thing"); break;
    case 7: spec.value_align = 3; break;
    case 8: spec.flags = 1 << 20; break;
    case 9: spec.base = pb_type_find("pairbond.List"); break;
    case 16: spec.flags = PB_TYPE_TREE; break;
    case 17:
        fields[2].offset = 0;
        spec.value_size = 80;
        spec.field_count = 3;
        break;
    case 18:
        fields[3].offset = 40;
        spec.value_size = 80;
        spec.field_count = 4;
        spec.flags = PB_TYPE_TREE;
        break;
    case 19:
        spec.fields = &fields[2];
        spec.value_size = 80;
        spec.flags = PB_TYPE_TREE | PB_TYPE_PLAIN;
        break;
    default: break;
    }
#ifdef FUNCTIONS
    const pb_parameter number = {SIZE(pb_parameter), .name = TEXT("number"), .type = TEXT("int")};
    const pb_function methods[] = {
        {SIZE(pb_function), .name = TEXT("plus"), .parameters = &number, .parameter_count = 1, .call = plus},
        {SIZE(pb_function), .name = TEXT("__getitem__"), .parameters = &number, .parameter_count = 1, .call = plus},
    };
    spec.methods = methods;
    spec.method_count = 2;
    if (!add_functions(module, error)) return false;
#endif
#ifdef MANY
    /* No fault, but many types. */
    for (int number = 0; number < MANY; ++number) {
        char key[30];
        spec.key = (pb_str){key, (size_t)snprintf(key, sizeof key, "many.Thing%d", number)};
        if (pb_module_add_type(module, &spec, error) == NULL) return false;
    }
    spec.key = (pb_str)TEXT("faulty.Thing");
#endif
    type = pb_module_add_type(module, &spec, error);
    if (type == NULL) return false;
    const pb_function nothing = {SIZE(pb_function), .name = TEXT("f")};
    const pb_function nameless = {SIZE(pb_function), .name = {"\xff", 1}};
    switch (fault) {
    case 10:
        spec.value_size = 2 * sizeof(thing);
        return pb_module_add_type(module, &spec, error) != NULL;
    case 12: *error = pb_error_new(PB_OS_ERROR, "there is no device"); return false;
    case 13: return false;
    case 14: return pb_module_add_function(module, &nothing, error);
    case 15: return pb_module_add_function(module, &nameless, error);
    default: return true;
    }
}

#if FAULT < 20
PB_LIBRARY(faulty, "", describe)
#else
const pb_api *pb_runtime = NULL;
#if FAULT == 24
#define MEMBERS (describe == NULL ? members : NULL)
#else
#define MEMBERS members
#endif
static bool members(const pb_api *api, pb_module *module, pb_error **error) {
    pb_runtime = api;
    return describe(module, error);
}
PB_EXPORT const pb_library pairbond_library_faulty = {
    {'p', 'a', 'i', 'r', 'b', 'n', 'd', 'C'},
#if FAULT == 20
    24, PAIRBOND_ABI, sizeof(pb_api), PAIRBOND_VERSION,
#elif FAULT == 21
    sizeof(pb_library), PAIRBOND_ABI + 1, sizeof(pb_api), "7.1.0",
#elif FAULT == 22
    sizeof(pb_library), PAIRBOND_ABI, sizeof(pb_api) + 8, "7.1.0-rc.1",
#elif FAULT == 23
    sizeof(pb_library), PAIRBOND_ABI - 1, sizeof(pb_api), "0.0.1",
#elif FAULT == 24
    sizeof(pb_library), PAIRBOND_ABI, sizeof(pb_api), PAIRBOND_VERSION,
#endif
    "faulty", "",
    MEMBERS,
};
#endif
