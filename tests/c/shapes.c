/* A library of C for the tests: everything that pairbond.h offers is used once. */

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <pairbond/pairbond.h>

#define TEXT(text) {text, sizeof(text) - 1}
#define SIZE(type) .size = sizeof(type)

/* Nodes of a graph: an immutable name, a number, and a reference that changes. */

typedef struct node {
    int64_t weight;
    pb_any name;
    pb_object *origin;
    pb_cell next;
} node;

static const pb_type *node_type;
static const pb_type *leaf_type;

static node *node_of(const pb_object *object) {
    return pb_value_aligned(object, _Alignof(node));
}

static void node_destroy(void *value) {
    node *it = value;
    pb_any_destroy(&it->name);
    pb_release(it->origin);
    pb_cell_destroy(&it->next);
}

static void node_trace(const void *value, const pb_tracer *tracer) {
    const node *it = value;
    pb_trace_any(tracer, &it->name);
    pb_trace_object(tracer, it->origin);
    pb_trace_cell(tracer, &it->next);
}

static void node_clear(void *value) {
    pb_cell_clear(&((node *)value)->next);
}

/* Node(name, weight=1, *, origin=None) */
static bool node_construct(pb_call *call, void *place, void *context) {
    (void)context;
    node made = {.weight = 1};
    pb_object *origin = NULL;
    if (pb_is_given(call, 1) && !pb_get_i64(call, 1, &made.weight)) return false;
    if (!pb_is_none(call, 2) && !pb_get_object(call, 2, node_type, &origin)) return false;
    if (made.weight < 0) return pb_fail(call, PB_VALUE_ERROR, "a weight is not negative");
    if (!pb_get_any(call, 0, &made.name)) return false;
    made.origin = pb_retain(origin);
    pb_cell_init(&made.next, pb_none());
    memcpy(place, &made, sizeof made);
    return true;
}

static bool node_repr(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type);
    if (self == NULL) return false;
    char text[100];
    pb_str name = {NULL, 0};
    pb_any_as_str(&node_of(self)->name, &name);
    int size = snprintf(text, sizeof text, "Node(%.*s, %lld)", (int)name.size, name.size ? name.data : "",
                        (long long)node_of(self)->weight);
    return pb_return_str(call, (pb_str){text, (size_t)size});
}

/* A method that classes made in Python override, and a function that calls it. */
static const pb_overridable *heft;

static bool node_heft(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type);
    int64_t factor;
    return self != NULL && pb_get_i64(call, 0, &factor) && pb_return_i64(call, node_of(self)->weight * factor);
}

static bool heft_of(pb_call *call, void *context) {
    (void)context;
    pb_object *self;
    int64_t factor;
    bool overridden;
    pb_any result;
    pb_error *error = NULL;
    if (!pb_get_object(call, 0, node_type, &self) || !pb_get_i64(call, 1, &factor)) return false;
    if (!pb_overridden(self, heft, &overridden, &error)) return pb_fail_with(call, error);
    if (!overridden) return pb_return_i64(call, -node_of(self)->weight * factor);
    pb_any arguments[1] = {pb_int(factor)};
    if (!pb_call_override(self, heft, arguments, 1, &result, &error)) return pb_fail_with(call, error);
    bool done = pb_return_any(call, &result);
    pb_any_destroy(&result);
    return done;
}

/* The nodes from this one on, by way of `next`. */
static bool node_chain(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type);
    pb_error *error = NULL;
    pb_any list;
    if (self == NULL) return false;
    if (!pb_list_new(&list, &error)) return pb_fail_with(call, error);
    pb_any at = pb_object_value(pb_retain(self));
    while (at.kind == PB_OBJECT) {
        pb_any next = pb_cell_get(&node_of(at.as.object)->next);
        if (!pb_list_append(&list, at, &error)) {
            pb_any_destroy(&next);
            pb_any_destroy(&list);
            return pb_fail_with(call, error);
        }
        at = next;
    }
    bool done = pb_return_any(call, &list);
    pb_any_destroy(&list);
    return done;
}

static bool node_equal(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type), *other = NULL;
    bool same = false;
    pb_error *error = NULL;
    if (self == NULL) return false;
    pb_any value;
    if (!pb_get_any(call, 0, &value)) return false;
    if (value.kind == PB_OBJECT && pb_object_is_a(value.as.object, node_type)) other = value.as.object;
    if (other == NULL) {
        pb_any_destroy(&value);
        return pb_fail_with(call, pb_error_new(PB_NO_SUCH_OPERATION, ""));
    }
    bool done = pb_any_equal(&node_of(self)->name, &node_of(other)->name, &same, &error);
    pb_any_destroy(&value);
    return done ? pb_return_bool(call, same) : pb_fail_with(call, error);
}

static bool node_hash(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type);
    return self != NULL && pb_return_i64(call, node_of(self)->weight);
}

static bool node_heavy(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type);
    return self != NULL && pb_return_bool(call, node_of(self)->weight > 100);
}

static bool node_set_heavy(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, node_type);
    bool heavy;
    if (self == NULL || !pb_get_bool(call, 0, &heavy)) return false;
    node_of(self)->weight = heavy ? 1000 : 1;
    return true;
}

/* Node.alive(): how many there are. */
static bool node_alive(pb_call *call, void *context) {
    (void)context;
    return pb_return_i64(call, pb_type_live(node_type));
}

/* A type that extends the first. */

typedef struct leaf {
    node base;
    double value;
} leaf;

static bool leaf_construct(pb_call *call, void *place, void *context) {
    (void)context;
    leaf *it = place;
    double value = 0;
    if (!pb_get_f64(call, 0, &value)) return false;
    memset(it, 0, sizeof *it);
    it->base.weight = 7;
    it->value = value;
    pb_cell_init(&it->base.next, pb_none());
    return true;
}

/* A type without references, whose values need no destructor. */

typedef struct point {
    float x;
    int8_t small;
    bool flag;
    uint64_t large;
} point;

static const pb_type *point_type;

static bool point_construct(pb_call *call, void *place, void *context) {
    (void)call;
    (void)context;
    memset(place, 0, sizeof(point));
    return true;
}

static bool write_point(void *place, void *context, pb_error **error) {
    if (context == NULL) {
        *error = pb_error_custom("shutil.Error", "no point");
        pb_error_add_note(*error, "a note of C");
        return false;
    }
    memcpy(place, context, sizeof(point));
    return true;
}

/* Nodes of trees, with a list of their own kind and one of any nodes. */

typedef struct branch {
    pb_any name;
    pb_links links;
    pb_children branches;
    pb_children any;
    pb_cell extra;
} branch;

static const pb_type *branch_type;

static branch *branch_of(const pb_object *object) {
    return pb_value_aligned(object, _Alignof(branch));
}

static void branch_destroy(void *value) {
    branch *it = value;
    pb_any_destroy(&it->name);
    pb_cell_destroy(&it->extra);
}

static void branch_trace(const void *value, const pb_tracer *tracer) {
    pb_trace_cell(tracer, &((const branch *)value)->extra);
}

static void branch_clear(void *value) {
    pb_cell_clear(&((branch *)value)->extra);
}

static const char *branch_name(const void *value, size_t *size) {
    pb_str name = {NULL, 0};
    pb_any_as_str(&((const branch *)value)->name, &name);
    *size = name.size;
    return name.data;
}

static bool branch_construct(pb_call *call, void *place, void *context) {
    (void)context;
    branch *it = place;
    pb_str name;
    pb_error *error = NULL;
    if (!pb_get_str(call, 0, &name)) return false;
    if (!pb_any_from_str(name, &it->name, &error)) return pb_fail_with(call, error);
    pb_links_init(&it->links);
    pb_children_init(&it->branches);
    pb_children_init(&it->any);
    pb_cell_init(&it->extra, pb_none());
    return true;
}

enum branch_method {
    PARENT, ROOT, NEXT, PREVIOUS, TAKE, INDEX, IS_IN, SIZE_OF, APPEND, INSERT, INSERT_BEFORE, MOVE, DETACH, ERASE,
    EACH, BELOW, ABOVE, APPEND_ANY, FOREIGN_LIST
};

/* Calls a function with each child, while it may edit the list. */
static bool branch_each(pb_object *self, const pb_any *function, pb_error **error) {
    pb_cursor cursor = {0};
    pb_object *child;
    bool done;
    while ((done = pb_children_next(self, &branch_of(self)->branches, &cursor, &child, error)) && child != NULL) {
        pb_any argument = pb_object_value(pb_retain(child)), result;
        done = pb_function_call(function, &argument, 1, &result, error);
        pb_any_destroy(&argument);
        if (!done) break;
        pb_any_destroy(&result);
    }
    pb_cursor_end(&cursor);
    return done;
}

static bool branch_walk(pb_call *call, pb_walk *walk, pb_error *error) {
    pb_any list = pb_none();
    if (walk == NULL) return pb_fail_with(call, error);
    bool done = pb_list_new(&list, &error);
    for (pb_object *node; done && (node = pb_walk_next(walk)) != NULL;) {
        done = pb_list_append(&list, pb_object_value(node), &error);
    }
    pb_walk_free(walk);
    done = done ? pb_return_data(call, &list) : pb_fail_with(call, error);
    pb_any_destroy(&list);
    return done;
}

static bool branch_method(pb_call *call, void *context) {
    pb_object *self = pb_receiver(call, branch_type), *nodes[3] = {NULL, NULL, NULL};
    pb_error *error = NULL;
    int64_t number = 0;
    size_t size = 0;
    bool done;
    if (self == NULL) return false;
    const pb_children *list = &branch_of(self)->branches;
    intptr_t what = (intptr_t)context;
    switch (what) {
    case PARENT: return pb_return_owned(call, pb_parent(self));
    case ROOT: return pb_return_owned(call, pb_root(self));
    case NEXT: return pb_return_owned(call, pb_next_sibling(self));
    case PREVIOUS: return pb_return_owned(call, pb_previous_sibling(self));
    case INDEX: return pb_index_of(self, &size) ? pb_return_u64(call, size) : pb_return_none(call);
    case BELOW: {
        pb_walk *walk = pb_descendants(self, &error);
        return branch_walk(call, walk, error);
    }
    case ABOVE: {
        pb_walk *walk = pb_ancestors(self, &error);
        return branch_walk(call, walk, error);
    }
    case SIZE_OF:
        return pb_children_size(self, list, &size, &error) ? pb_return_u64(call, size) : pb_fail_with(call, error);
    case TAKE:
        if (!pb_get_i64(call, 0, &number)) return false;
        if (!pb_children_get(self, list, (size_t)number, &nodes[0], &error)) return pb_fail_with(call, error);
        return pb_return_owned(call, nodes[0]);
    case EACH: {
        pb_any function;
        if (!pb_get_function(call, 0, &function)) return false;
        done = branch_each(self, &function, &error);
        pb_any_destroy(&function);
        return done ? pb_return_none(call) : pb_fail_with(call, error);
    }
    case ERASE: {
        pb_str reason = {NULL, 0};
        if (pb_is_given(call, 0) && !pb_get_str(call, 0, &reason)) return false;
        char text[50];
        snprintf(text, sizeof text, "%.*s", (int)reason.size, reason.size ? reason.data : "");
        return pb_erase(self, reason.size ? text : NULL, &error) || pb_fail_with(call, error);
    }
    case DETACH: return pb_detach_node(self, &error) || pb_fail_with(call, error);
    case INSERT:
        if (!pb_get_i64(call, 0, &number) || !pb_get_object(call, 1, NULL, &nodes[0])) return false;
        return pb_children_insert(self, list, (size_t)number, nodes[0], &error) || pb_fail_with(call, error);
    default:
        for (size_t at = 0; at < 3; ++at) {
            if (!pb_is_none(call, at) && !pb_get_object(call, at, NULL, &nodes[at])) return false;
        }
    }
    switch (what) {
    case IS_IN: return pb_return_bool(call, pb_is_in(self, nodes[0]));
    case APPEND: done = pb_children_append(self, list, nodes[0], &error); break;
    case APPEND_ANY: done = pb_children_append(self, &branch_of(self)->any, nodes[0], &error); break;
    case FOREIGN_LIST: done = pb_children_append(nodes[0], list, nodes[1], &error); break;
    case INSERT_BEFORE: done = pb_children_insert_before(self, list, nodes[0], nodes[1], &error); break;
    default: done = pb_children_move(self, list, nodes[2], nodes[0], nodes[1], &error);
    }
    return done || pb_fail_with(call, error);
}

/* A node that extends another, with a list of its own. */

typedef struct bough {
    branch base;
    pb_children more;
} bough;

static const pb_type *bough_type;

static bool bough_construct(pb_call *call, void *place, void *context) {
    pb_children_init(&((bough *)place)->more);
    return branch_construct(call, place, context);
}

static bool bough_add(pb_call *call, void *context) {
    (void)context;
    pb_object *self = pb_receiver(call, bough_type), *child;
    pb_error *error = NULL;
    if (self == NULL || !pb_get_object(call, 0, NULL, &child)) return false;
    bough *it = pb_value_aligned(self, _Alignof(bough));
    return pb_children_append(self, &it->more, child, &error) || pb_fail_with(call, error);
}

/* Functions of the module. */

static bool make_point(pb_call *call, void *context) {
    (void)context;
    point made = {.x = 1.5f, .small = -3, .flag = true, .large = UINT64_MAX};
    pb_error *error = NULL;
    bool good = true;
    if (pb_is_given(call, 0) && !pb_get_bool(call, 0, &good)) return false;
    pb_object *object = pb_object_new(point_type, write_point, good ? &made : NULL, &error);
    return object != NULL ? pb_return_owned(call, object) : pb_fail_with(call, error);
}

/* Calls a function with arguments. */
static bool apply(pb_call *call, void *context) {
    (void)context;
    pb_any function, result, arguments[8];
    pb_error *error = NULL;
    size_t count = 0;
    if (!pb_get_function(call, 0, &function)) return false;
    bool done = true, found = true;
    while (done && found && count < 8) {
        done = pb_get_rest(call, count, &arguments[count], &found);
        count += done && found;
    }
    if (done && !pb_function_call(&function, arguments, count, &result, &error)) {
        done = pb_fail_with(call, error);
    } else if (done) {
        done = pb_return_any(call, &result);
        pb_any_destroy(&result);
    }
    while (count > 0) pb_any_destroy(&arguments[--count]);
    pb_any_destroy(&function);
    return done;
}

static bool add_up(void *context, const pb_any *arguments, size_t count, pb_any *result, pb_error **error) {
    int64_t sum = *(int64_t *)context;
    for (size_t at = 0; at < count; ++at) {
        if (arguments[at].kind != PB_INT) {
            *error = pb_error_new(PB_TYPE_ERROR, "adder() adds up integers");
            return false;
        }
        sum += arguments[at].as.integer;
    }
    *result = pb_int(sum);
    return true;
}

static bool adder(pb_call *call, void *context) {
    (void)context;
    int64_t start, *kept = malloc(sizeof *kept);
    pb_any function;
    pb_error *error = NULL;
    if (!pb_get_i64(call, 0, &start)) {
        free(kept);
        return false;
    }
    *kept = start;
    if (!pb_function_new("adder", add_up, kept, free, &function, &error)) return pb_fail_with(call, error);
    bool done = pb_return_any(call, &function);
    pb_any_destroy(&function);
    return done;
}

static bool count_one(void *context, const pb_any *element, const pb_any *value, pb_error **error) {
    (void)value;
    (void)error;
    int64_t *sums = context;
    ++sums[0];
    if (element->kind == PB_INT) sums[1] += element->as.integer;
    return true;
}

/* The outcome of operations on containers, as a tuple. */
static bool containers(pb_call *call, void *context) {
    (void)context;
    pb_error *error = NULL;
    pb_any list = pb_none(), map = pb_none(), set = pb_none(), tuple = pb_none(), removed = pb_none();
    pb_any found = pb_none(), key = pb_none();
    bool yes = false, again = true, gone = false;
    int64_t sums[2] = {0, 0};
    size_t size = 0;
    bool done = pb_list_new(&list, &error) && pb_list_append(&list, pb_int(2), &error) &&
                pb_list_insert(&list, 0, pb_int(1), &error) && pb_list_append(&list, pb_int(9), &error) &&
                pb_list_set(&list, 1, pb_int(20), &error) && pb_list_remove(&list, 2, &removed, &error) &&
                pb_each(&list, count_one, sums, &error) && pb_size(&list, &size, &error) &&
                pb_map_new(&map, &error) && pb_any_from_str(pb_text("key"), &key, &error) &&
                pb_map_set(&map, pb_any_copy(&key), pb_any_copy(&list), &error) &&
                pb_map_get(&map, &key, &found, &yes, &error) && pb_set_new(&set, &error) &&
                pb_set_add(&set, pb_int(5), &yes, &error) && pb_set_add(&set, pb_int(5), &again, &error) &&
                pb_remove(&map, &key, &gone, &error);
    if (done) {
        pb_any parts[6] = {list, found, set, removed, pb_int(sums[0] * 1000 + sums[1]), pb_bool(yes && !again && gone)};
        done = pb_tuple_new(parts, 6, &tuple, &error);
    }
    done = done ? pb_return_any(call, &tuple) : pb_fail_with(call, error);
    pb_any *all[] = {&list, &map, &set, &tuple, &removed, &found, &key};
    for (size_t at = 0; at < sizeof all / sizeof *all; ++at) pb_any_destroy(all[at]);
    return done;
}

/* An error with a cause. */
static bool fail(pb_call *call, void *context) {
    (void)context;
    int64_t kind;
    pb_str message;
    if (!pb_get_i64(call, 0, &kind) || !pb_get_str(call, 1, &message)) return false;
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)message.size, message.data);
    pb_error *error = pb_error_new((int32_t)kind, text);
    pb_error_set_cause(error, pb_error_new(PB_KEY_ERROR, "the cause"));
    return pb_fail_with(call, error);
}

static bool say_nothing(pb_call *call, void *context) {
    (void)call;
    (void)context;
    return false;
}

static bool return_twice(pb_call *call, void *context) {
    (void)context;
    return pb_return_i64(call, 1) && pb_return_i64(call, 2);
}

/* Numbers of C as an array, which is freed with its last user. */
static _Atomic int64_t freed_ramps;

static void free_ramp(void *numbers) {
    ++freed_ramps;
    free(numbers);
}

static bool ramp(pb_call *call, void *context) {
    (void)context;
    int64_t size;
    pb_error *error = NULL;
    if (!pb_get_i64(call, 0, &size)) return false;
    double *numbers = malloc((size_t)(size + 1) * sizeof *numbers);
    for (int64_t at = 0; at < size; ++at) numbers[at] = (double)at;
    size_t shape[1] = {(size_t)size};
    ptrdiff_t backwards[1] = {-(ptrdiff_t)sizeof *numbers};
    pb_array memory = {SIZE(pb_array), .data = numbers, .dtype = {2, 64, 1}, .device = {1, 0}, .readonly = size > 5,
                       .dimensions = 1, .shape = shape};
    if (size == 3) {
        memory.data = numbers + 2;
        memory.strides = backwards;
    }
    if (size == 4) memory.shape = NULL;
    if (size == 2) memory.dtype.bits = 3;
    pb_any array;
    if (!pb_array_new(&memory, pb_owner_new(numbers, free_ramp), &array, &error)) return pb_fail_with(call, error);
    bool done = pb_return_any(call, &array);
    pb_any_destroy(&array);
    return done;
}

/* As <dlpack/dlpack.h> declares it. */
struct DLManagedTensor {
    struct {
        void *data;
        pb_device device;
        int32_t ndim;
        pb_dtype dtype;
        int64_t *shape;
        int64_t *strides;
        uint64_t byte_offset;
    } dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
};

static void free_tensor(struct DLManagedTensor *tensor) {
    ++freed_ramps;
    free(tensor->dl_tensor.data);
    free(tensor->dl_tensor.shape);
    free(tensor);
}

/* A tensor of two rows of so many numbers; without memory for 0, of -1 dimensions below. */
static bool tensor(pb_call *call, void *context) {
    (void)context;
    int64_t columns = 0;
    if (!pb_get_i64(call, 0, &columns)) return false;
    struct DLManagedTensor *made = calloc(1, sizeof *made);
    size_t count = columns > 0 ? 2 * (size_t)columns : 0;
    float *numbers = count == 0 ? NULL : malloc(count * sizeof *numbers);
    for (size_t at = 0; at < count; ++at) numbers[at] = (float)at;
    made->dl_tensor.data = numbers;
    made->dl_tensor.device = (pb_device){1, 0};
    made->dl_tensor.ndim = columns < 0 ? -1 : 2;
    made->dl_tensor.dtype = (pb_dtype){2, 32, 1};
    made->dl_tensor.shape = malloc(2 * sizeof(int64_t));
    made->dl_tensor.shape[0] = 2;
    made->dl_tensor.shape[1] = columns == 0 ? 3 : columns;
    made->deleter = free_tensor;
    pb_any array = pb_none();
    pb_error *error = NULL;
    if (!pb_array_from_dlpack(made, columns == 7, &array, &error)) return pb_fail_with(call, error);
    bool done = pb_return_any(call, &array);
    pb_any_destroy(&array);
    return done;
}

/* The same memory through a tensor and back, its first two axes exchanged. */
static bool transposed(pb_call *call, void *context) {
    (void)context;
    pb_any array = pb_none();
    pb_error *error = NULL;
    if (!pb_get_array(call, 0, &array)) return false;
    struct DLManagedTensor *tensor = pb_array_to_dlpack(&array, &error);
    pb_any_destroy(&array);
    if (tensor == NULL) return pb_fail_with(call, error);
    int64_t *shape = tensor->dl_tensor.shape, *strides = tensor->dl_tensor.strides;
    int64_t swap = shape[0];
    shape[0] = shape[1], shape[1] = swap;
    swap = strides[0];
    strides[0] = strides[1], strides[1] = swap;
    if (!pb_array_from_dlpack(tensor, false, &array, &error)) return pb_fail_with(call, error);
    bool done = pb_return_any(call, &array);
    pb_any_destroy(&array);
    return done;
}

static bool names_of_functions(pb_call *call, void *context) {
    (void)context;
    pb_any names = pb_none();
    pb_error *error = NULL;
    if (!pb_function_names(&names, &error)) return pb_fail_with(call, error);
    bool done = pb_return_data(call, &names);
    pb_any_destroy(&names);
    return done;
}

/* A library of C that reports its errors by longjmp, and a function that contains it: the jump passes
 * frames of this file only. */
static jmp_buf on_error;

static int64_t digits_of(const char *text, size_t size) {
    int64_t number = 0;
    for (size_t at = 0; at < size; ++at) {
        if (text[at] < '0' || text[at] > '9') longjmp(on_error, 1);
        number = 10 * number + (text[at] - '0');
    }
    return number;
}

static bool parsed(pb_call *call, void *context) {
    (void)context;
    pb_str text = {NULL, 0};
    if (!pb_get_str(call, 0, &text)) return false;
    if (setjmp(on_error) != 0) return pb_fail(call, PB_VALUE_ERROR, "not a number");
    return pb_return_i64(call, digits_of(text.data, text.size));
}

/* The shorter way, which counts how often it was taken. */
static int64_t quick_calls;

static bool product(pb_call *call, void *context) {
    (void)context;
    int64_t a = 0, b = 10;
    if (!pb_get_i64(call, 0, &a) || (pb_is_given(call, 1) && !pb_get_i64(call, 1, &b))) return false;
    return pb_return_i64(call, a * b);
}

static void *quick_product(const pb_quick *quick, pb_object *object, void *const *words, size_t count,
                           void *context, pb_error **error) {
    (void)object;
    (void)context;
    int64_t a = 0, b = 10;
    if (!pb_word_i64(quick, words[0], &a) || (count > 1 && !pb_word_i64(quick, words[1], &b))) return NULL;
    ++quick_calls;
    if (b == 0) {
        *error = pb_error_new(PB_ZERO_DIVISION_ERROR, "quick");
        return NULL;
    }
    return quick->new_i64(a * b);
}

static bool quick_calls_of(pb_call *call, void *context) {
    (void)context;
    return pb_return_i64(call, quick_calls);
}

static bool ramps_freed(pb_call *call, void *context) {
    (void)context;
    return pb_return_i64(call, freed_ramps);
}

static bool mean(pb_call *call, void *context) {
    (void)context;
    pb_any array;
    pb_array memory = {SIZE(pb_array), .data = NULL};
    pb_error *error = NULL;
    double sum = 0;
    if (!pb_get_array(call, 0, &array)) return false;
    if (!pb_array_describe(&array, &memory, &error)) {
        pb_any_destroy(&array);
        return pb_fail_with(call, error);
    }
    bool fits = memory.dimensions == 1 && memory.dtype.code == 2 && memory.dtype.bits == 64 && memory.shape[0] > 0;
    for (size_t at = 0; fits && at < memory.shape[0]; ++at) {
        sum += *(double *)((char *)memory.data + (ptrdiff_t)at * memory.strides[0]);
    }
    size_t size = fits ? memory.shape[0] : 1;
    pb_any_destroy(&array);
    return fits ? pb_return_f64(call, sum / (double)size) : pb_fail(call, PB_VALUE_ERROR, "one dimension of doubles");
}

static bool describe_any(pb_call *call, void *context) {
    (void)context;
    pb_any value;
    pb_array memory = {SIZE(pb_array), .data = NULL};
    pb_error *error = NULL;
    if (!pb_get_any(call, 0, &value)) return false;
    bool done = pb_array_describe(&value, &memory, &error);
    pb_any_destroy(&value);
    return done ? pb_return_u64(call, memory.dimensions) : pb_fail_with(call, error);
}

/* What happens while a function runs: events by kind, and memory of the allocator below. */
typedef struct counts {
    int64_t events[10];
    int64_t allocated, deallocated, ended;
} counts;

static counts seen;

static void count_event(void *context, const pb_event *event) {
    if (event->kind == PB_EVENT_DEVICE ? event->device_kind == 5 : event->type == node_type) {
        ++((counts *)context)->events[event->kind];
    }
}

static void count_end(void *context) {
    ++((counts *)context)->ended;
}

static pb_allocator usual;

static void *count_allocation(void *context, size_t size, size_t align) {
    ++((counts *)context)->allocated;
    return usual.allocate(usual.context, size, align);
}

static void count_deallocation(void *context, void *memory, size_t size, size_t align) {
    ++((counts *)context)->deallocated;
    usual.deallocate(usual.context, memory, size, align);
}

static bool watch(pb_call *call, void *context) {
    (void)context;
    pb_any function, result = pb_none(), list = pb_none();
    pb_error *error = NULL;
    if (!pb_get_function(call, 0, &function)) return false;
    memset(&seen, 0, sizeof seen);
    pb_allocator mine = {count_allocation, count_deallocation, &seen};
    pb_allocator_get(&usual);
    size_t observer = pb_observe(count_event, &seen, count_end);
    bool done = pb_allocator_set(&mine, &error);
    pb_emit(5, 1, 2, 3);
    done = done && pb_function_call(&function, NULL, 0, &result, &error);
    done = pb_allocator_set(&usual, done ? &error : NULL) && done;
    pb_observe_end(observer);
    pb_observe_end(observer);
    pb_emit(5, 1, 2, 3);
    pb_any_destroy(&result);
    pb_any_destroy(&function);
    int64_t all[] = {seen.events[PB_EVENT_MADE], seen.events[PB_EVENT_FREED], seen.events[PB_EVENT_TIED],
                     seen.events[PB_EVENT_DEVICE], seen.allocated, seen.deallocated, seen.ended};
    done = done && pb_list_new(&list, &error);
    for (size_t at = 0; done && at < sizeof all / sizeof *all; ++at) {
        done = pb_list_append(&list, pb_int(all[at]), &error);
    }
    done = done ? pb_return_data(call, &list) : pb_fail_with(call, error);
    pb_any_destroy(&list);
    return done;
}

/* Keeps a function without Python, or calls the one that is kept. */
static pb_any kept_function;

static bool keep_function(pb_call *call, void *context) {
    (void)context;
    pb_any function = pb_none();
    if (!pb_is_none(call, 0) && !pb_get_function(call, 0, &function)) return false;
    pb_any_destroy(&kept_function);
    kept_function = function;
    return true;
}

static bool call_kept(pb_call *call, void *context) {
    (void)context;
    pb_any result;
    pb_error *error = NULL;
    if (!pb_function_call(&kept_function, NULL, 0, &result, &error)) return pb_fail_with(call, error);
    bool done = pb_return_any(call, &result);
    pb_any_destroy(&result);
    return done;
}

/* Publishes a function, calls the one of that name, withdraws it, and looks for it again. */
static bool by_name(pb_call *call, void *context) {
    (void)context;
    pb_any function, found, result = pb_none();
    pb_error *error = NULL;
    if (!pb_get_function(call, 0, &function)) return false;
    bool done = pb_function_publish("shapes.published", &function, false, &error);
    done = done && !pb_function_publish("shapes.published", &function, false, NULL) &&
           pb_function_publish("shapes.published", &function, true, &error) &&
           pb_function_find("shapes.published", &found, &error);
    pb_any_destroy(&function);
    if (!done) return pb_fail_with(call, error);
    done = pb_function_call(&found, NULL, 0, &result, &error) && pb_return_any(call, &result);
    pb_any_destroy(&found);
    pb_any_destroy(&result);
    if (!pb_function_withdraw("shapes.published") || pb_function_withdraw("shapes.published")) {
        return pb_fail(call, PB_RUNTIME_ERROR, "it is withdrawn once");
    }
    return done || pb_fail_with(call, error);
}

/* Asks for an argument that it does not describe. */
static bool read_more(pb_call *call, void *context) {
    (void)context;
    int64_t number = 0;
    if (pb_is_given(call, 1) || !pb_is_none(call, 7)) return false;
    return pb_get_i64(call, 1, &number);
}

static bool upgrade(pb_call *call, void *context) {
    (void)context;
    pb_object *object;
    if (!pb_get_object(call, 0, NULL, &object)) return false;
    pb_weak *weak = pb_weak_new(object);
    pb_object *again = pb_weak_upgrade(weak);
    pb_weak_free(weak);
    return pb_return_owned(call, again);
}

static pb_weak *remembered;

static bool remember(pb_call *call, void *context) {
    (void)context;
    pb_object *object;
    if (!pb_get_object(call, 0, NULL, &object)) return false;
    pb_weak_free(remembered);
    remembered = pb_weak_new(object);
    return true;
}

static bool recall(pb_call *call, void *context) {
    (void)context;
    return pb_return_owned(call, remembered == NULL ? NULL : pb_weak_upgrade(remembered));
}

static pb_object *kept;

/* Keeps an object without Python, and returns the one before. */
static bool keep(pb_call *call, void *context) {
    (void)context;
    pb_object *object = NULL, *before = kept;
    if (!pb_is_none(call, 0) && !pb_get_object(call, 0, NULL, &object)) return false;
    kept = pb_retain(object);
    return pb_return_owned(call, before);
}

static void wait(void *context) {
    volatile int64_t *turns = context;
    while (*turns > 0) --*turns;
}

static bool spin(pb_call *call, void *context) {
    (void)context;
    int64_t turns;
    if (!pb_get_i64(call, 0, &turns)) return false;
    pb_detach(wait, &turns);
    return pb_return_i64(call, turns);
}

static bool spin_until_interrupted(pb_call *call, void *context) {
    (void)context;
    pb_error *error = NULL;
    while (pb_check_signals(&error)) {
    }
    return pb_fail_with(call, error);
}

static bool bytes(pb_call *call, void *context) {
    (void)context;
    pb_str given;
    return pb_get_bytes(call, 0, &given) && pb_return_bytes(call, given);
}

static bool numbers(pb_call *call, void *context) {
    (void)context;
    uint64_t large;
    return pb_get_u64(call, 0, &large) && pb_return_u64(call, large);
}

static bool describe(pb_module *module, pb_error **error) {
    const pb_parameter of_node[] = {
        {SIZE(pb_parameter), .name = TEXT("name"), .type = TEXT("str")},
        {SIZE(pb_parameter), .name = TEXT("weight"), .type = TEXT("int"), .default_text = TEXT("1")},
        {SIZE(pb_parameter), .name = TEXT("origin"), .type = TEXT("shapes.Node?"), .default_text = TEXT("None"),
         .kind = PB_KEYWORD_ONLY},
    };
    const pb_parameter other[] = {{SIZE(pb_parameter), .name = TEXT("other"), .type = TEXT("object")}};
    const pb_function node_constructor = {
        SIZE(pb_function), .doc = TEXT("A node."), .parameters = of_node, .parameter_count = 3};
    const pb_parameter factor[] = {{SIZE(pb_parameter), .name = TEXT("factor"), .type = TEXT("int")}};
    const pb_function node_methods[] = {
        {SIZE(pb_function), .name = TEXT("__repr__"), .returns = TEXT("str"), .call = node_repr},
        {SIZE(pb_function), .name = TEXT("__eq__"), .returns = TEXT("bool"), .parameters = other, .parameter_count = 1,
         .call = node_equal},
        {SIZE(pb_function), .name = TEXT("__hash__"), .returns = TEXT("int"), .call = node_hash},
        {SIZE(pb_function), .name = TEXT("heft"), .returns = TEXT("int"), .parameters = factor, .parameter_count = 1,
         .call = node_heft},
        {SIZE(pb_function), .name = TEXT("chain"), .doc = TEXT("The nodes from this one on."), .returns = TEXT("list"),
         .call = node_chain},
        {SIZE(pb_function), .name = TEXT("alive"), .returns = TEXT("int"), .call = node_alive, .binding = PB_STATIC},
        {SIZE(pb_function), .name = TEXT("count"), .returns = TEXT("int"), .call = node_alive,
         .binding = PB_CLASS_GETTER},
    };
    const pb_field node_fields[] = {
        {SIZE(pb_field), .name = TEXT("weight"), .doc = TEXT("Its weight."), .kind = PB_FIELD_I64, .settable = true,
         .offset = offsetof(node, weight)},
        {SIZE(pb_field), .name = TEXT("name"), .type = TEXT("str"), .kind = PB_FIELD_ANY,
         .offset = offsetof(node, name)},
        {SIZE(pb_field), .name = TEXT("origin"), .kind = PB_FIELD_OBJECT, .offset = offsetof(node, origin),
         .key = TEXT("shapes.Node")},
        {SIZE(pb_field), .name = TEXT("next"), .kind = PB_FIELD_CELL, .settable = true, .offset = offsetof(node, next),
         .key = TEXT("shapes.Node")},
        {SIZE(pb_field), .name = TEXT("heavy"), .type = TEXT("bool"), .kind = PB_FIELD_PROPERTY, .get = node_heavy,
         .set = node_set_heavy},
    };
    const pb_type_spec of_nodes = {SIZE(pb_type_spec),
                                   .key = TEXT("shapes.Node"),
                                   .doc = TEXT("A node of a graph."),
                                   .value_size = sizeof(node),
                                   .value_align = _Alignof(node),
                                   .destroy = node_destroy,
                                   .trace = node_trace,
                                   .clear = node_clear,
                                   .fields = node_fields,
                                   .field_count = sizeof node_fields / sizeof *node_fields,
                                   .methods = node_methods,
                                   .method_count = sizeof node_methods / sizeof *node_methods,
                                   .construct = node_construct,
                                   .constructor = &node_constructor};
    node_type = pb_module_add_type(module, &of_nodes, error);
    if (node_type == NULL) return false;
    heft = pb_overridable_new(node_type, "heft", error);
    if (heft == NULL) return false;
    if (pb_overridable_new(node_type, "nothing", NULL) != NULL) return false;

    const pb_parameter of_leaf[] = {{SIZE(pb_parameter), .name = TEXT("value"), .type = TEXT("float")}};
    const pb_function leaf_constructor = {SIZE(pb_function), .parameters = of_leaf, .parameter_count = 1};
    const pb_field leaf_fields[] = {
        {SIZE(pb_field), .name = TEXT("value"), .kind = PB_FIELD_F64, .settable = true, .offset = offsetof(leaf, value)}};
    const pb_type_spec of_leaves = {SIZE(pb_type_spec),
                                    .key = TEXT("shapes.Leaf"),
                                    .base = node_type,
                                    .value_size = sizeof(leaf),
                                    .value_align = _Alignof(leaf),
                                    .destroy = node_destroy,
                                    .trace = node_trace,
                                    .clear = node_clear,
                                    .fields = leaf_fields,
                                    .field_count = 1,
                                    .construct = leaf_construct,
                                    .constructor = &leaf_constructor};
    leaf_type = pb_module_add_type(module, &of_leaves, error);
    if (leaf_type == NULL) return false;

    const pb_field point_fields[] = {
        {SIZE(pb_field), .name = TEXT("x"), .kind = PB_FIELD_F32, .settable = true, .offset = offsetof(point, x)},
        {SIZE(pb_field), .name = TEXT("small"), .kind = PB_FIELD_I8, .settable = true, .offset = offsetof(point, small)},
        {SIZE(pb_field), .name = TEXT("flag"), .kind = PB_FIELD_BOOL, .settable = true, .offset = offsetof(point, flag)},
        {SIZE(pb_field), .name = TEXT("large"), .kind = PB_FIELD_U64, .settable = true, .offset = offsetof(point, large)},
    };
    const pb_type_spec of_points = {SIZE(pb_type_spec),
                                    .key = TEXT("shapes.Point"),
                                    .value_size = sizeof(point),
                                    .value_align = _Alignof(point),
                                    .flags = PB_TYPE_TRIVIAL,
                                    .fields = point_fields,
                                    .field_count = 4,
                                    .construct = point_construct};
    point_type = pb_module_add_type(module, &of_points, error);
    if (point_type == NULL) return false;

    const pb_parameter of_branch[] = {
        {SIZE(pb_parameter), .name = TEXT("name"), .type = TEXT("str")},
    };
    const pb_function branch_constructor = {SIZE(pb_function), .parameters = of_branch, .parameter_count = 1};
    const pb_parameter nodes[] = {
        {SIZE(pb_parameter), .name = TEXT("first"), .type = TEXT("object?"), .default_text = TEXT("None")},
        {SIZE(pb_parameter), .name = TEXT("second"), .type = TEXT("object?"), .default_text = TEXT("None")},
        {SIZE(pb_parameter), .name = TEXT("third"), .type = TEXT("object?"), .default_text = TEXT("None")},
    };
#define METHOD(text, count, number)                                                                                    \
    {SIZE(pb_function), .name = TEXT(text), .parameters = nodes, .parameter_count = count, .call = branch_method,      \
     .context = (void *)(intptr_t)number}
    const pb_function branch_methods[] = {
        METHOD("parent", 0, PARENT), METHOD("root", 0, ROOT), METHOD("next", 0, NEXT),
        METHOD("previous", 0, PREVIOUS), METHOD("index", 0, INDEX), METHOD("__len__", 0, SIZE_OF),
        METHOD("take", 1, TAKE), METHOD("is_in", 1, IS_IN), METHOD("append", 1, APPEND), METHOD("insert", 2, INSERT),
        METHOD("insert_before", 2, INSERT_BEFORE), METHOD("move", 3, MOVE), METHOD("detach", 0, DETACH),
        METHOD("erase", 1, ERASE), METHOD("each", 1, EACH), METHOD("below", 0, BELOW), METHOD("above", 0, ABOVE),
        METHOD("append_any", 1, APPEND_ANY), METHOD("foreign_list", 2, FOREIGN_LIST),
    };
    const pb_field branch_fields[] = {
        {SIZE(pb_field), .name = TEXT("links"), .kind = PB_FIELD_LINKS, .offset = offsetof(branch, links)},
        {SIZE(pb_field), .name = TEXT("branches"), .kind = PB_FIELD_CHILDREN, .offset = offsetof(branch, branches),
         .key = TEXT("shapes.Branch")},
        {SIZE(pb_field), .kind = PB_FIELD_CHILDREN, .offset = offsetof(branch, any)},
        {SIZE(pb_field), .name = TEXT("name"), .kind = PB_FIELD_ANY, .type = TEXT("str"),
         .offset = offsetof(branch, name)},
        {SIZE(pb_field), .name = TEXT("extra"), .kind = PB_FIELD_CELL, .settable = true,
         .offset = offsetof(branch, extra)},
    };
    const pb_type_spec of_branches = {SIZE(pb_type_spec),
                                      .key = TEXT("shapes.Branch"),
                                      .value_size = sizeof(branch),
                                      .value_align = _Alignof(branch),
                                      .destroy = branch_destroy,
                                      .trace = branch_trace,
                                      .clear = branch_clear,
                                      .flags = PB_TYPE_TREE,
                                      .fields = branch_fields,
                                      .field_count = sizeof branch_fields / sizeof *branch_fields,
                                      .methods = branch_methods,
                                      .method_count = sizeof branch_methods / sizeof *branch_methods,
                                      .construct = branch_construct,
                                      .constructor = &branch_constructor,
                                      .node_name = branch_name};
    branch_type = pb_module_add_type(module, &of_branches, error);
    if (branch_type == NULL) return false;
    const pb_field bough_fields[] = {
        {SIZE(pb_field), .name = TEXT("more"), .kind = PB_FIELD_CHILDREN, .offset = offsetof(bough, more),
         .key = TEXT("shapes.Bough")},
    };
    const pb_function bough_methods[] = {
        {SIZE(pb_function), .name = TEXT("add"), .parameters = nodes, .parameter_count = 1, .call = bough_add},
    };
    const pb_type_spec of_boughs = {SIZE(pb_type_spec),
                                    .key = TEXT("shapes.Bough"),
                                    .base = branch_type,
                                    .value_size = sizeof(bough),
                                    .value_align = _Alignof(bough),
                                    .destroy = branch_destroy,
                                    .trace = branch_trace,
                                    .clear = branch_clear,
                                    .fields = bough_fields,
                                    .field_count = 1,
                                    .methods = bough_methods,
                                    .method_count = 1,
                                    .construct = bough_construct,
                                    .constructor = &branch_constructor};
    bough_type = pb_module_add_type(module, &of_boughs, error);
    if (bough_type == NULL) return false;

    const pb_parameter good[] = {
        {SIZE(pb_parameter), .name = TEXT("good"), .type = TEXT("bool"), .default_text = TEXT("True")}};
    const pb_parameter of_apply[] = {
        {SIZE(pb_parameter), .name = TEXT("function"), .type = TEXT("callable")},
        {SIZE(pb_parameter), .name = TEXT("arguments"), .type = TEXT("object"), .kind = PB_REST},
    };
    const pb_parameter number[] = {{SIZE(pb_parameter), .name = TEXT("number"), .type = TEXT("int")}};
    const pb_parameter data[] = {{SIZE(pb_parameter), .name = TEXT("data"), .type = TEXT("bytes")}};
    const pb_parameter object[] = {{SIZE(pb_parameter), .name = TEXT("object"), .type = TEXT("object?")}};
    const pb_parameter of_fail[] = {
        {SIZE(pb_parameter), .name = TEXT("kind"), .type = TEXT("int")},
        {SIZE(pb_parameter), .name = TEXT("message"), .type = TEXT("str")},
    };
    const pb_parameter of_heft[] = {
        {SIZE(pb_parameter), .name = TEXT("node"), .type = TEXT("shapes.Node")},
        {SIZE(pb_parameter), .name = TEXT("factor"), .type = TEXT("int")},
    };
    const pb_parameter of_parsed[] = {{SIZE(pb_parameter), .name = TEXT("text"), .type = TEXT("str")}};
    const pb_parameter of_product[] = {
        {SIZE(pb_parameter), .name = TEXT("a"), .type = TEXT("int")},
        {SIZE(pb_parameter), .name = TEXT("b"), .type = TEXT("int"), .default_text = TEXT("10")}};
    const pb_parameter of_mean[] = {{SIZE(pb_parameter), .name = TEXT("numbers"), .type = TEXT("array")}};
    const pb_function functions[] = {
        {SIZE(pb_function), .name = TEXT("keep_function"), .returns = TEXT("None"), .parameters = object,
         .parameter_count = 1, .call = keep_function},
        {SIZE(pb_function), .name = TEXT("call_kept"), .call = call_kept},
        {SIZE(pb_function), .name = TEXT("by_name"), .parameters = of_apply, .parameter_count = 1, .call = by_name},
        {SIZE(pb_function), .name = TEXT("heft_of"), .returns = TEXT("int"), .parameters = of_heft,
         .parameter_count = 2, .call = heft_of},
        {SIZE(pb_function), .name = TEXT("ramp"), .returns = TEXT("array"), .parameters = number, .parameter_count = 1,
         .call = ramp},
        {SIZE(pb_function), .name = TEXT("tensor"), .returns = TEXT("array"), .parameters = number, .parameter_count = 1,
         .call = tensor},
        {SIZE(pb_function), .name = TEXT("transposed"), .returns = TEXT("array"), .parameters = of_mean,
         .parameter_count = 1, .call = transposed},
        {SIZE(pb_function), .name = TEXT("names_of_functions"), .call = names_of_functions},
        {SIZE(pb_function), .name = TEXT("parsed"), .returns = TEXT("int"), .parameters = of_parsed,
         .parameter_count = 1, .call = parsed},
        {SIZE(pb_function), .name = TEXT("product"), .returns = TEXT("int"), .parameters = of_product,
         .parameter_count = 2, .call = product, .quick = quick_product},
        {SIZE(pb_function), .name = TEXT("quick_calls"), .returns = TEXT("int"), .call = quick_calls_of},
        {SIZE(pb_function), .name = TEXT("ramps_freed"), .returns = TEXT("int"), .call = ramps_freed},
        {SIZE(pb_function), .name = TEXT("mean"), .returns = TEXT("float"), .parameters = of_mean,
         .parameter_count = 1, .call = mean},
        {SIZE(pb_function), .name = TEXT("describe_any"), .returns = TEXT("int"), .parameters = object,
         .parameter_count = 1, .call = describe_any},
        {SIZE(pb_function), .name = TEXT("watch"), .returns = TEXT("list[int]"), .parameters = of_apply,
         .parameter_count = 1, .call = watch},
        {SIZE(pb_function), .name = TEXT("read_more"), .returns = TEXT("int"), .parameters = number,
         .parameter_count = 1, .call = read_more},
        {SIZE(pb_function), .name = TEXT("make_point"), .doc = TEXT("Makes a point."), .returns = TEXT("shapes.Point"),
         .parameters = good, .parameter_count = 1, .call = make_point},
        {SIZE(pb_function), .name = TEXT("apply"), .parameters = of_apply, .parameter_count = 2, .call = apply},
        {SIZE(pb_function), .name = TEXT("adder"), .returns = TEXT("callable"), .parameters = number,
         .parameter_count = 1, .call = adder},
        {SIZE(pb_function), .name = TEXT("containers"), .returns = TEXT("tuple"), .call = containers},
        {SIZE(pb_function), .name = TEXT("fail"), .returns = TEXT("None"), .parameters = of_fail, .parameter_count = 2,
         .call = fail},
        {SIZE(pb_function), .name = TEXT("say_nothing"), .returns = TEXT("None"), .call = say_nothing},
        {SIZE(pb_function), .name = TEXT("return_twice"), .returns = TEXT("int"), .call = return_twice},
        {SIZE(pb_function), .name = TEXT("upgrade"), .parameters = object, .parameter_count = 1, .call = upgrade},
        {SIZE(pb_function), .name = TEXT("remember"), .returns = TEXT("None"), .parameters = object,
         .parameter_count = 1, .call = remember},
        {SIZE(pb_function), .name = TEXT("recall"), .call = recall},
        {SIZE(pb_function), .name = TEXT("keep"), .parameters = object, .parameter_count = 1, .call = keep},
        {SIZE(pb_function), .name = TEXT("spin"), .returns = TEXT("int"), .parameters = number, .parameter_count = 1,
         .call = spin},
        {SIZE(pb_function), .name = TEXT("spin_until_interrupted"), .returns = TEXT("None"),
         .call = spin_until_interrupted},
        {SIZE(pb_function), .name = TEXT("bytes"), .returns = TEXT("bytes"), .parameters = data, .parameter_count = 1,
         .call = bytes},
        {SIZE(pb_function), .name = TEXT("numbers"), .returns = TEXT("int"), .parameters = number, .parameter_count = 1,
         .call = numbers},
    };
    for (size_t at = 0; at < sizeof functions / sizeof *functions; ++at) {
        if (!pb_module_add_function(module, &functions[at], error)) return false;
    }
    pb_any unit = pb_float(2.5);
    return pb_module_add_constant(module, "UNIT", &unit, error);
}

PB_LIBRARY(shapes, "Shapes of C.", describe)
PB_EXTENSION_MODULE(shapes)
