/* Threads of C (POSIX) that use objects, weak references, values, lists, functions, errors and trees of pairbond. Every
 * result is compared: `run` returns how many were wrong, which is none. */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <pairbond/pairbond.h>

#define TEXT(text) {text, sizeof(text) - 1}
#define SIZE(type) .size = sizeof(type)
#define THREADS 3

/* A node of a tree, with a cell. */
typedef struct twig {
    int64_t number;
    pb_links links;
    pb_children twigs;
    pb_cell extra;
} twig;

static const pb_type *twig_type;
static atomic_long alive;

static twig *twig_of(const pb_object *object) {
    return pb_value_aligned(object, _Alignof(twig));
}
static void twig_destroy(void *value) {
    pb_cell_destroy(&((twig *)value)->extra);
    atomic_fetch_sub(&alive, 1);
}
static void twig_trace(const void *value, const pb_tracer *tracer) {
    pb_trace_cell(tracer, &((const twig *)value)->extra);
}
static void twig_clear(void *value) {
    pb_cell_clear(&((twig *)value)->extra);
}
static bool twig_write(void *place, void *context, pb_error **error) {
    twig *it = place;
    (void)error;
    it->number = *(int64_t *)context;
    pb_links_init(&it->links);
    pb_children_init(&it->twigs);
    pb_cell_init(&it->extra, pb_none());
    atomic_fetch_add(&alive, 1);
    return true;
}
static bool twig_construct(pb_call *call, void *place, void *context) {
    int64_t number = 0;
    (void)context;
    return pb_get_i64(call, 0, &number) && twig_write(place, &number, NULL);
}
static pb_object *twig_new(int64_t number) {
    return pb_object_new(twig_type, twig_write, &number, NULL);
}

/* What all threads share. */
typedef struct shared {
    pb_any function; /* doubles an int, and fails for a negative one */
    pb_any list;
    pb_object *root;
    pb_object *kept;
    pb_weak *weak;
    int64_t turns;
    atomic_int next;  /* numbers of threads */
    atomic_long wrong;
    atomic_long erased;
    atomic_int waiting;
} shared;

static bool is(shared *it, bool fine) {
    if (!fine) atomic_fetch_add(&it->wrong, 1);
    return fine;
}

static void calls(shared *it, int64_t number) {
    pb_any argument = pb_int(number), result;
    pb_error *error = NULL;
    pb_any function = pb_any_copy(&it->function);
    bool done = pb_function_call(&function, &argument, 1, &result, &error);
    if (number < 0) {
        pb_str message = {NULL, 0};
        if (is(it, !done && error != NULL)) message = pb_error_message(error);
        is(it, message.size > 0 && pb_error_kind_of(error) != 0);
        pb_error *copy = error == NULL ? NULL : pb_error_copy(error);
        pb_error_free(error);
        pb_error_free(copy);
    } else if (is(it, done)) {
        is(it, result.kind == PB_INT && result.as.integer == 2 * number);
        pb_any_destroy(&result);
    }
    pb_any_destroy(&function);
}

static void objects(shared *it, int64_t number) {
    pb_object *mine = pb_retain(it->kept), *made = twig_new(number);
    if (!is(it, made != NULL)) return;
    is(it, pb_object_is_a(mine, twig_type) && twig_of(mine)->number == -1);
    /* Whoever replaces what is in the cell drops it. */
    pb_cell_set(&twig_of(mine)->extra, pb_object_value(pb_retain(made)));
    pb_any found = pb_cell_get(&twig_of(mine)->extra);
    if (found.kind == PB_OBJECT) is(it, twig_of(found.as.object)->number >= 0);
    pb_any_destroy(&found);
    pb_weak *weak = pb_weak_new(made);
    pb_object *again = pb_weak_upgrade(weak);
    is(it, again == made);
    pb_release(again);
    pb_cell_clear(&twig_of(mine)->extra);
    pb_release(made);
    if ((again = pb_weak_upgrade(weak)) != NULL) is(it, twig_of(again)->number == number); /* another has it */
    pb_release(again);
    pb_weak_free(weak);
    again = pb_weak_upgrade(it->weak);
    is(it, again == it->kept);
    pb_release(again);
    pb_release(mine);
}

static void lists(shared *it, int64_t number) {
    pb_error *error = NULL;
    pb_any text = pb_none();
    char digits[30];
    int size = snprintf(digits, sizeof digits, "%lld", (long long)number);
    is(it, pb_any_from_str((pb_str){digits, (size_t)size}, &text, &error));
    is(it, pb_list_append(&it->list, text, &error));
    pb_any first;
    if (is(it, pb_get(&it->list, 0, &first, &error))) {
        pb_str seen = {NULL, 0};
        is(it, pb_any_as_str(&first, &seen) && seen.size > 0);
        pb_any_destroy(&first);
    }
}

static void trees(shared *it, int64_t number) {
    pb_error *error = NULL;
    pb_object *made = twig_new(number), *child = NULL;
    const pb_children *list = &twig_of(it->root)->twigs;
    is(it, pb_children_append(it->root, list, made, &error));
    is(it, pb_children_get(it->root, list, 0, &child, &error));
    if (child != NULL && number % 2) {
        if (pb_erase(child, "trees", &error)) {
            atomic_fetch_add(&it->erased, 1);
        } else {
            is(it, pb_error_kind_of(error) == PB_INVALIDATED_ERROR);
            pb_error_free(error);
            error = NULL;
        }
        is(it, pb_is_erased(child));
    } else if (child != NULL && !pb_children_move(it->root, list, NULL, child, child, &error)) {
        is(it, pb_error_kind_of(error) == PB_INVALIDATED_ERROR);
        pb_error_free(error);
        error = NULL;
    }
    pb_cursor cursor = {0};
    pb_object *at;
    while (pb_children_next(it->root, list, &cursor, &at, &error) && at != NULL) {
        is(it, twig_of(at)->number >= 0);
    }
    pb_cursor_end(&cursor);
    is(it, error == NULL);
    pb_release(child);
    pb_release(made);
}

static void *work(void *context) {
    shared *it = context;
    int64_t thread = atomic_fetch_add(&it->next, 1);
    atomic_fetch_sub(&it->waiting, 1);
    while (atomic_load(&it->waiting) > 0) sched_yield();
    for (int64_t turn = 0; turn < it->turns; ++turn) {
        int64_t number = thread * it->turns + turn;
        calls(it, turn % 5 == 4 ? -1 : number);
        objects(it, number);
        lists(it, number);
        trees(it, number);
    }
    return NULL;
}

static void start(void *context) {
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; ++at) {
        if (pthread_create(&threads[at], NULL, work, context) != 0) abort();
    }
    for (int at = 0; at < THREADS; ++at) pthread_join(threads[at], NULL);
}

/* run(function, turns): how many results were wrong. */
static bool run(pb_call *call, void *context) {
    (void)context;
    shared it = {.waiting = THREADS};
    pb_error *error = NULL;
    size_t appended = 0, children = 0;
    if (!pb_get_i64(call, 1, &it.turns) || !pb_get_function(call, 0, &it.function)) return false;
    it.root = twig_new(-1);
    it.kept = twig_new(-1);
    it.weak = pb_weak_new(it.kept);
    is(&it, pb_list_new(&it.list, &error));
    pb_detach(start, &it);
    size_t all = THREADS * (size_t)it.turns;
    is(&it, pb_size(&it.list, &appended, &error) && appended == all);
    is(&it, pb_children_size(it.root, &twig_of(it.root)->twigs, &children, &error));
    is(&it, children + (size_t)atomic_load(&it.erased) == all && atomic_load(&it.erased) > 0);
    pb_any_destroy(&it.list);
    pb_any_destroy(&it.function);
    pb_weak_free(it.weak);
    pb_release(it.root);
    pb_release(it.kept);
    return pb_return_i64(call, atomic_load(&it.wrong));
}

static bool count(pb_call *call, void *context) {
    (void)context;
    return pb_return_i64(call, atomic_load(&alive));
}

static bool describe(pb_module *module, pb_error **error) {
    const pb_parameter number[] = {{SIZE(pb_parameter), .name = TEXT("number"), .type = TEXT("int")}};
    const pb_field fields[] = {
        {SIZE(pb_field), .name = TEXT("links"), .kind = PB_FIELD_LINKS, .offset = offsetof(twig, links)},
        {SIZE(pb_field), .name = TEXT("twigs"), .kind = PB_FIELD_CHILDREN, .offset = offsetof(twig, twigs)},
        {SIZE(pb_field), .name = TEXT("extra"), .kind = PB_FIELD_CELL, .offset = offsetof(twig, extra)},
    };
    const pb_function constructor = {SIZE(pb_function), .parameters = number, .parameter_count = 1};
    const pb_type_spec twigs = {SIZE(pb_type_spec),
                                .key = TEXT("pthreads.Twig"),
                                .value_size = sizeof(twig),
                                .value_align = _Alignof(twig),
                                .destroy = twig_destroy,
                                .trace = twig_trace,
                                .clear = twig_clear,
                                .flags = PB_TYPE_TREE,
                                .fields = fields,
                                .field_count = sizeof fields / sizeof *fields,
                                .construct = twig_construct,
                                .constructor = &constructor};
    const pb_parameter of_run[] = {
        {SIZE(pb_parameter), .name = TEXT("function"), .type = TEXT("callable")},
        {SIZE(pb_parameter), .name = TEXT("turns"), .type = TEXT("int")},
    };
    const pb_function functions[] = {
        {SIZE(pb_function), .name = TEXT("run"), .returns = TEXT("int"), .parameters = of_run, .parameter_count = 2,
         .call = run},
        {SIZE(pb_function), .name = TEXT("alive"), .returns = TEXT("int"), .call = count},
    };
    twig_type = pb_module_add_type(module, &twigs, error);
    return twig_type != NULL && pb_module_add_function(module, &functions[0], error) &&
           pb_module_add_function(module, &functions[1], error);
}

PB_LIBRARY(pthreads, "Threads of C.", describe)
PB_EXTENSION_MODULE(pthreads)
