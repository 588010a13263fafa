/* The smallest library of C that is worth one: counters that can be chained.
 *
 *     cc -shared -fPIC -I $(python -m pairbond --include) counters.c -o counters.abi3.so
 *
 *     >>> import counters
 *     >>> a = counters.Counter(); b = counters.Counter()
 *     >>> a.next = b; b.next = a    # a cycle: collected when nothing else holds it
 *     >>> a.next.add(2)
 *     2
 */
#include <pairbond/pairbond.h>

typedef struct counter {
    int64_t count;
    pb_cell next; /* a reference that changes */
} counter;

static const pb_type *counter_type;

static bool construct(pb_call *call, void *place, void *context) {
    (void)call, (void)context;
    counter *it = place;
    it->count = 0;
    pb_cell_init(&it->next, pb_none());
    return true;
}
static void destroy(void *value) { pb_cell_destroy(&((counter *)value)->next); }
static void clear(void *value) { pb_cell_clear(&((counter *)value)->next); }
static void trace(const void *value, const pb_tracer *tracer) {
    pb_trace_cell(tracer, &((const counter *)value)->next);
}

static bool add(pb_call *call, void *context) {
    (void)context;
    int64_t by;
    pb_object *self = pb_receiver(call, counter_type);
    if (self == NULL || !pb_get_i64(call, 0, &by)) return false;
    counter *it = pb_value(self);
    if (by < 0) return pb_fail(call, PB_VALUE_ERROR, "a counter counts upwards");
    return pb_return_i64(call, it->count += by);
}

#define TEXT(text) {text, sizeof(text) - 1}

static bool describe(pb_module *module, pb_error **error) {
    const pb_field fields[] = {
        {.size = sizeof(pb_field), .name = TEXT("count"), .kind = PB_FIELD_I64, .offset = offsetof(counter, count)},
        {.size = sizeof(pb_field), .name = TEXT("next"), .kind = PB_FIELD_CELL, .settable = true,
         .offset = offsetof(counter, next), .key = TEXT("counters.Counter")},
    };
    const pb_parameter by[] = {{.size = sizeof(pb_parameter), .name = TEXT("by"), .type = TEXT("int")}};
    const pb_function methods[] = {
        {.size = sizeof(pb_function), .name = TEXT("add"), .doc = TEXT("Counts on, and returns the sum."),
         .returns = TEXT("int"), .parameters = by, .parameter_count = 1, .call = add},
    };
    const pb_type_spec spec = {.size = sizeof(pb_type_spec), .key = TEXT("counters.Counter"),
                               .doc = TEXT("Counts upwards."), .value_size = sizeof(counter),
                               .value_align = _Alignof(counter), .destroy = destroy, .trace = trace, .clear = clear,
                               .fields = fields, .field_count = 2, .methods = methods, .method_count = 1,
                               .construct = construct};
    counter_type = pb_module_add_type(module, &spec, error);
    return counter_type != NULL;
}

PB_LIBRARY(counters, "Counters.", describe)
PB_EXTENSION_MODULE(counters)
