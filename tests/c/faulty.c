/* Libraries with one fault each: -DFAULT=1 and so on. */

#include <pairbond/pairbond.h>

#define SIZE(type) .size = sizeof(type)
#define TEXT(text) {text, sizeof(text) - 1}

typedef struct thing {
    int64_t number;
    pb_object *other;
} thing;

static void destroy(void *value) {
    pb_release(((thing *)value)->other);
}

static void trace(const void *value, const pb_tracer *tracer) {
    pb_trace_object(tracer, ((const thing *)value)->other);
#if FAULT == 11
    pb_trace_object(tracer, ((const thing *)value)->other);
#endif
}

static const pb_type *type;

static bool construct(pb_call *call, void *place, void *context) {
    (void)context;
    thing *it = place;
    pb_object *other = NULL;
    it->number = 0;
    it->other = NULL;
#if FAULT == 11
    if (!pb_is_none(call, 0) && !pb_get_object(call, 0, type, &other)) return false;
    it->other = pb_retain(other);
#else
    (void)call;
    (void)other;
#endif
    return true;
}

static bool describe(pb_module *module, pb_error **error) {
    const pb_parameter other[] = {
        {SIZE(pb_parameter), .name = TEXT("other"), .default_text = TEXT("None")}};
    const pb_function constructor = {SIZE(pb_function), .parameters = other, .parameter_count = 1};
    const pb_field fields[] = {
        {SIZE(pb_field), .name = TEXT("number"), .kind = PB_FIELD_I64,
#if FAULT == 1
         .offset = 1},
#elif FAULT == 2
         .offset = 1 << 20},
#elif FAULT == 3
         .offset = 0, .settable = true},
        {SIZE(pb_field), .name = TEXT("other"), .kind = PB_FIELD_OBJECT, .settable = true, .offset = 8},
#else
         .offset = 0},
#endif
    };
    pb_type_spec spec = {SIZE(pb_type_spec),
                         .key = TEXT("faulty.Thing"),
                         .value_size = sizeof(thing),
                         .value_align = _Alignof(thing),
                         .destroy = destroy,
                         .trace = trace,
                         .fields = fields,
                         .field_count = sizeof fields / sizeof *fields,
                         .construct = construct,
                         .constructor = &constructor};
#if FAULT == 4
    spec.destroy = NULL;
#elif FAULT == 5
    spec.size = 16;
#elif FAULT == 6
    spec.key = (pb_str)TEXT("Thing");
#elif FAULT == 7
    spec.value_align = 3;
#elif FAULT == 8
    spec.flags = 1 << 20;
#elif FAULT == 9
    spec.base = pb_type_find("pairbond.List");
#endif
    type = pb_module_add_type(module, &spec, error);
    if (type == NULL) return false;
#if FAULT == 10
    spec.value_size = 2 * sizeof(thing);
    return pb_module_add_type(module, &spec, error) != NULL;
#elif FAULT == 12
    *error = pb_error_new(PB_OS_ERROR, "there is no device");
    return false;
#elif FAULT == 13
    return false;
#elif FAULT == 14
    const pb_function function = {SIZE(pb_function), .name = TEXT("f")};
    return pb_module_add_function(module, &function, error);
#elif FAULT == 15
    const pb_function function = {SIZE(pb_function), .name = {"\xff", 1}};
    return pb_module_add_function(module, &function, error);
#endif
    return true;
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
