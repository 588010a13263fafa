/* pairbond.h - libraries of C, and of every language that can call C, take part in pairbond.
 *
 * Needs C11 or C++17, no Rust and no Python: a library that includes this header is one file for
 * every version of Python. It describes its types and functions (PB_LIBRARY), and is loaded by
 * pairbond.load("libshapes.so") in Python, by pairbond::library::load in Rust, or is an extension
 * module (PB_EXTENSION_MODULE).
 *
 * Rules:
 *  1. Ownership. A pointer that a function returns is owned where its comment says "owned": give it
 *     back once (pb_release, pb_error_free, ...). A "lent" one is good for the call only. A "taken"
 *     one belongs to pairbond afterwards, also if the function fails.
 *  2. Errors. A function with a last parameter `pb_error **error` returns false (or NULL) when it
 *     fails, and then stores an owned error there. NULL is good for callers who do not want it.
 *  3. Threads. Every function may be called on any thread, attached to Python or not, except those
 *     with a pb_call or pb_tracer, which are good on their thread and for the call. Functions and
 *     destructors of a library may be called on any thread.
 *  4. References that change. A reference in a value that may change after the object was made is
 *     in a pb_cell or pb_ref_cell: other threads may look at it at any moment, the collector among
 *     them. A plain `pb_object *` or pb_any in a value is written when the object is made and never
 *     again.
 *  5. An exception must not leave a function of the library; pairbond.hpp catches all. A longjmp
 *     must not either: frames of pairbond and Python lie between, which have things to give back,
 *     and nothing can stop it. It may be used within a function of the library, around code that
 *     calls nothing of pairbond: set it up there, and return false with an error.
 *  6. Structures that the library fills in begin with their size: set it with sizeof.
 *
 * License: MIT OR Apache-2.0
 */
#ifndef PAIRBOND_PAIRBOND_H
#define PAIRBOND_PAIRBOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PAIRBOND_VERSION "0.1.0"
#define PAIRBOND_ABI 1

#if UINTPTR_MAX != UINT64_MAX
#error "pairbond needs pointers of 64 bits"
#endif

#if defined(_WIN32)
#define PB_EXPORT __declspec(dllexport)
#else
#define PB_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A native object; one object of Python stands for it wherever it is shown. */
typedef struct pb_object pb_object;
/* A weak reference. */
typedef struct pb_weak pb_weak;
/* A registered type; lives for the process. */
typedef struct pb_type pb_type;
/* An error on its way to an exception, or an exception on its way through the library. */
typedef struct pb_error pb_error;
/* Arguments and result of one call; declared below. */
typedef struct pb_call pb_call;
/* A walk of the collector over a value's references. */
typedef struct pb_tracer pb_tracer;
/* The module that a library describes. */
typedef struct pb_module pb_module;

/* A text in UTF-8, or bytes; not terminated. {NULL, 0} is empty. */
typedef struct pb_str {
    const char *data;
    size_t size;
} pb_str;

/* What a pb_any is. */
enum pb_kind {
    PB_NONE = 0,
    PB_BOOL = 1,
    PB_INT = 2,
    PB_BIG_INT = 3,
    PB_FLOAT = 4,
    PB_STR = 5,
    PB_BYTES = 6,
    PB_OBJECT = 7,   /* containers are objects */
    PB_FUNCTION = 8,
    PB_FOREIGN = 9,  /* another object of Python, passed on as it is */
    PB_DTYPE = 10,
    PB_DEVICE = 11,
    PB_ERROR = 12
};

/* A value of any kind. {0} is None. It may own something: destroy it with pb_any_destroy, and copy
 * it with pb_any_copy, not by assignment (a move by assignment is fine, if the old one is
 * forgotten). */
typedef struct pb_any {
    uint8_t kind;
    bool truth; /* of a PB_BOOL */
    uint8_t reserved[6];
    union {
        int64_t integer;   /* of a PB_INT */
        double number;     /* of a PB_FLOAT */
        pb_object *object; /* of a PB_OBJECT */
        uint64_t bits;
    } as;
} pb_any;

/* A field that changes while others look. */
typedef struct pb_cell {
    uint64_t opaque[3];
} pb_cell;

/* A field that changes while others look, and holds an object or nothing: smaller than a pb_cell. */
typedef struct pb_ref_cell {
    pb_object *opaque;
    uint64_t lock;
} pb_ref_cell;

/* The place of a node in its tree: a field of each type with PB_TYPE_TREE. Zeros: a root. */
typedef struct pb_links {
    uint64_t opaque[4];
} pb_links;

/* An ordered list of children: a field of a type of nodes. Made by pb_children_init; it needs no
 * destructor: children of a node that dies are roots before its value is destroyed. */
typedef struct pb_children {
    uint64_t opaque[2];
} pb_children;

/* Where an iteration over a list of children stands. {0}: before the first. */
typedef struct pb_cursor {
    pb_object *current;
    pb_object *next;
    bool begun;
} pb_cursor;

/* A walk through a tree. */
typedef struct pb_walk pb_walk;

/* A method that a class made in Python may override. */
typedef struct pb_overridable pb_overridable;

/* What the elements of an array are: DLPack's DLDataType. */
typedef struct pb_dtype {
    uint8_t code; /* 0: int, 1: unsigned, 2: float, 4: bfloat, 5: complex, 6: bool */
    uint8_t bits;
    uint16_t lanes; /* 1 */
} pb_dtype;

/* Where they lie: DLPack's DLDevice. {1, 0} is the processor's memory. */
typedef struct pb_device {
    int32_t kind;
    int32_t index;
} pb_device;

/* DLPack's tensor with its deleter: <dlpack/dlpack.h> declares it; it is not needed here. */
struct DLManagedTensor;

/* Numbers in memory. */
typedef struct pb_array {
    size_t size; /* sizeof(pb_array) */
    void *data;  /* the element whose indices are all zero */
    pb_dtype dtype;
    pb_device device;
    bool readonly;
    size_t dimensions;
    const size_t *shape;
    const ptrdiff_t *strides; /* in bytes; NULL: row after row */
} pb_array;

enum pb_event_kind {
    PB_EVENT_MADE = 0,          /* an object was made */
    PB_EVENT_FREED = 1,         /* an object is about to be destroyed */
    PB_EVENT_TIED = 2,          /* an object got its self */
    PB_EVENT_HANDED_OVER = 3,   /* its self keeps it from here on */
    PB_EVENT_SEVERED = 4,       /* it lost its self and lives on */
    PB_EVENT_RELEASED_LATE = 5, /* a reference was released that had waited */
    PB_EVENT_OPENED = 6,        /* an interpreter began */
    PB_EVENT_DISARMED = 7,      /* an interpreter ended */
    PB_EVENT_DEVICE = 8,        /* a library's own: pb_emit */
    PB_EVENT_LOST = 9           /* `a` events were not kept */
};

typedef struct pb_event {
    uint32_t kind;
    uint32_t device_kind; /* of a PB_EVENT_DEVICE: as the library numbers it */
    uint32_t device;
    uint16_t interpreter; /* 0: none */
    uintptr_t object;     /* an address, of an object that may be gone; 0: none */
    const pb_type *type;  /* of the object, or NULL */
    uint64_t a, b;
} pb_event;

/* Where objects' memory comes from. The functions are called on any threads. */
typedef struct pb_allocator {
    /* Memory, or NULL; the size is not 0, the alignment a power of two. */
    void *(*allocate)(void *context, size_t size, size_t align);
    /* What `allocate` returned, and was called with. */
    void (*deallocate)(void *context, void *memory, size_t size, size_t align);
    void *context; /* lives for the process */
} pb_allocator;

/* Where numbers lie in words: only pb_word_i64 and pb_word_f64 use it. */
typedef struct pb_layout {
    size_t type_at;
    const void *int_type;
    const void *float_type;
    size_t tag_at;
    size_t digit_at;
    size_t float_at;
    int64_t tag_least;
    uint64_t tag_span;
    int8_t signs[16];
} pb_layout;

/* How values of a caller of the same process are read and made at once. A word is such a value: of
 * CPython, a `PyObject *`. An argument is lent; what `new_...` and `call` return is owned, and
 * `to_any` and `drop` take it. Without a place for an error, false or NULL: the function of the
 * runtime does it, or reports why it cannot. Good on the thread of a call, and for the call. */
typedef struct pb_quick {
    bool (*get_bool)(void *word, bool *out);
    pb_object *(*get_object)(void *word, const pb_type *type); /* lent */
    bool (*get_function)(void *word, pb_any *out);             /* owned */
    bool (*is_none)(void *word);
    bool (*is_callable)(void *word);
    void *(*new_none)(void);
    void *(*new_bool)(bool value);
    void *(*new_i64)(int64_t value);
    void *(*new_f64)(double value);
    void *(*new_object)(pb_object *object, pb_error **error); /* not NULL */
    void *(*new_owned)(pb_object *object, pb_error **error);  /* not NULL; taken */
    void *(*new_any)(const pb_any *value, pb_error **error);
    void *(*call)(void *word, void *const *words, size_t count, pb_error **error);
    bool (*to_any)(void *word, pb_any *out, pb_error **error);
    void (*drop)(void *word);
    pb_layout layout;
} pb_quick;

/* Only the functions below use these fields, and there are more behind them. */
struct pb_call {
    const pb_quick *quick; /* NULL: all goes by way of the runtime */
    void *const *words;
    size_t count;
    pb_object *receiver;
    const pb_type *receiver_type; /* NULL: the runtime has to be asked */
    const pb_quick *makes;        /* NULL: there is no result, or it goes by way of the runtime */
    void *result;
};

/* The exception that an error becomes. */
enum pb_error_kind {
    PB_TYPE_ERROR = 1,
    PB_VALUE_ERROR = 2,
    PB_KEY_ERROR = 3,
    PB_INDEX_ERROR = 4,
    PB_ATTRIBUTE_ERROR = 5,
    PB_OVERFLOW_ERROR = 6,
    PB_ZERO_DIVISION_ERROR = 7,
    PB_RUNTIME_ERROR = 8,
    PB_NOT_IMPLEMENTED_ERROR = 9,
    PB_STOP_ITERATION = 10,
    PB_MEMORY_ERROR = 11,
    PB_OS_ERROR = 12,
    PB_FILE_NOT_FOUND_ERROR = 13,
    PB_PERMISSION_ERROR = 14,
    PB_TIMEOUT_ERROR = 15,
    PB_UNICODE_ERROR = 16,
    PB_IMPORT_ERROR = 17,
    PB_INTERPRETER_ERROR = 18,
    PB_CLOSED_ERROR = 19,
    PB_INVALIDATED_ERROR = 20,
    PB_PANIC_ERROR = 21,  /* only read */
    PB_CUSTOM_ERROR = 22, /* made by pb_error_custom */
    PB_NO_SUCH_OPERATION = 23, /* an operator asks the other operand, as Python's NotImplemented */
    PB_FOREIGN_ERROR = 24 /* an exception of Python; only read */
};

/* Functions of a library. They return false when they fail, after pb_call_fail or the like. */
typedef bool (*pb_callback)(pb_call *call, void *context);
/* Writes the value of a new object at `place`; on false, no value is there. */
typedef bool (*pb_constructor)(pb_call *call, void *place, void *context);
/* A shorter way, for calls by a language of the same process: words in, an owned word out. NULL: it
 * fails with `*error`, or, if that stays NULL, it has done nothing, and the pb_callback is called
 * instead, which reports what is wrong with the arguments. `object` is that of a method, of its type and not erased. Words beyond `count`, and NULL,
 * are of parameters with defaults. */
typedef void *(*pb_quick_callback)(const pb_quick *quick, pb_object *object, void *const *words,
                                   size_t count, void *context, pb_error **error);
/* The same of a constructor: true when the value is there. */
typedef bool (*pb_quick_constructor)(const pb_quick *quick, void *const *words, size_t count,
                                     void *place, void *context, pb_error **error);
/* The same for pb_object_new. */
typedef bool (*pb_writer)(void *place, void *context, pb_error **error);
/* A function as a value: stores its result (owned) in `result`, which is None before. */
typedef bool (*pb_closure)(void *context, const pb_any *arguments, size_t count, pb_any *result,
                           pb_error **error);
/* Is shown an element, and the value beside it in a map; returns false to stop. */
typedef bool (*pb_visitor)(void *context, const pb_any *element, const pb_any *value,
                           pb_error **error);
typedef void (*pb_destructor)(void *);
/* Is told of events. */
typedef void (*pb_observer)(void *context, const pb_event *event);

enum pb_parameter_kind {
    PB_STANDARD = 0,     /* by position or by keyword */
    PB_KEYWORD_ONLY = 1, /* after `*` */
    PB_REST = 2,         /* `*args`: pb_call_get_rest */
    PB_REST_KEYWORDS = 3 /* `**kwargs`: a map, by pb_call_get_any; absent if there are none */
};

typedef struct pb_parameter {
    size_t size;
    pb_str name;
    /* The type in stubs: "int", "float", "bool", "str", "bytes", "callable", "array", "object", a
     * key of a type, "list[int]", "dict[str, float]", "tuple[int, str]"; with "?" at its end if it
     * may be None. */
    pb_str type;
    /* The default as Python writes it; none if its data is NULL. The function knows it itself:
     * pb_call_is_given tells whether an argument came. */
    pb_str default_text;
    uint32_t kind;
} pb_parameter;

enum pb_binding {
    PB_PLAIN = 0,  /* a function of a module; a method of a class's objects */
    PB_STATIC = 1, /* of a class */
    PB_CLASS = 2,
    PB_CLASS_GETTER = 3 /* an attribute of the class itself */
};

typedef struct pb_function {
    size_t size;
    pb_str name; /* also of special methods: "__repr__" */
    pb_str doc;
    pb_str returns; /* as pb_parameter.type; "None" for nothing */
    const pb_parameter *parameters; /* the object itself not among them */
    size_t parameter_count;
    pb_callback call;
    void *context; /* lives for the process */
    uint32_t binding;
    pb_quick_callback quick; /* or NULL */
} pb_function;

enum pb_field_kind {
    PB_FIELD_PROPERTY = 0, /* get and set */
    PB_FIELD_BOOL = 1,
    PB_FIELD_I8 = 2,
    PB_FIELD_I16 = 3,
    PB_FIELD_I32 = 4,
    PB_FIELD_I64 = 5,
    PB_FIELD_U8 = 6,
    PB_FIELD_U16 = 7,
    PB_FIELD_U32 = 8,
    PB_FIELD_U64 = 9,
    PB_FIELD_F32 = 10,
    PB_FIELD_F64 = 11,
    PB_FIELD_OBJECT = 12, /* a `pb_object *`, NULL for None; never changes */
    PB_FIELD_ANY = 13,    /* a pb_any that never changes */
    PB_FIELD_CELL = 14,   /* a pb_cell */
    PB_FIELD_LINKS = 15,  /* a pb_links, one in each node; not an attribute */
    PB_FIELD_CHILDREN = 16, /* a pb_children; its attribute is a list of those there now. With an
                               empty name it is none. */
    PB_FIELD_REF_CELL = 17 /* a pb_ref_cell */
};

typedef struct pb_field {
    size_t size;
    pb_str name;
    pb_str doc;
    pb_str type; /* as pb_parameter.type; empty: by its kind */
    uint32_t kind;
    bool settable;
    size_t offset; /* from the beginning of the value */
    pb_str key;    /* of an object, a cell or a list: the type of its objects; empty for any */
    pb_callback get;
    pb_callback set; /* its value is argument 0. Of a pb_cell: checks and stores it; or NULL */
    void *context;
} pb_field;

enum pb_type_flags {
    PB_TYPE_TRIVIAL = 1,  /* values need no destructor */
    PB_TYPE_PLAIN = 2,    /* objects take no attributes, weak references and subclasses in Python */
    PB_TYPE_IMMUTABLE = 4, /* the class itself refuses to be changed */
    PB_TYPE_TREE = 8       /* objects are nodes of trees: see "Trees" below. Types that extend it
                              are so, too, without the flag. */
};

typedef struct pb_type_spec {
    size_t size;
    pb_str key; /* "module.Name" */
    pb_str doc;
    const pb_type *base; /* NULL: pairbond.Object. A value begins with one of the base. */
    size_t value_size;
    size_t value_align;
    /* Destroys a value; of a type with a base, the base's part as well. */
    pb_destructor destroy;
    /* Shows each reference that a value owns exactly once (pb_trace_object and the like), those of
     * the base's part as well. It allocates nothing, takes no lock, and calls nothing else. */
    void (*trace)(const void *value, const pb_tracer *tracer);
    /* Empties the cells of a value that is garbage in a cycle (pb_cell_clear, pb_ref_cell_clear).
     * Needed if there are any. */
    pb_destructor clear;
    uint32_t flags;
    const pb_field *fields;
    size_t field_count;
    const pb_function *methods;
    size_t method_count;
    /* NULL: objects are made by the library only. */
    pb_constructor construct;
    const pb_function *constructor; /* parameters, doc and context of `construct` */
    /* Of nodes, or NULL: what errors call one besides its class. The text lives as long as the
     * value, and never changes. */
    const char *(*node_name)(const void *value, size_t *size);
    pb_quick_constructor quick_construct; /* or NULL */
} pb_type_spec;

/* The functions of the runtime, by number of their version. Grows at its end. */
typedef struct pb_api {
    uint32_t size;
    uint32_t abi;
    const char *version;

    pb_error *(*error_new)(int32_t kind, pb_str message);
    pb_error *(*error_new_custom)(pb_str class_name, pb_str message);
    pb_error *(*error_copy)(const pb_error *error);
    int32_t (*error_kind)(const pb_error *error);
    pb_str (*error_message)(const pb_error *error);
    void (*error_add_note)(pb_error *error, pb_str note);
    void (*error_set_cause)(pb_error *error, pb_error *cause);
    const pb_error *(*error_cause)(const pb_error *error);
    void (*error_free)(pb_error *error);

    const pb_type *(*module_add_type)(pb_module *module, const pb_type_spec *spec, pb_error **error);
    bool (*module_add_function)(pb_module *module, const pb_function *function, pb_error **error);
    bool (*module_add_constant)(pb_module *module, pb_str name, pb_any *value, pb_error **error);

    const pb_type *(*type_find)(pb_str key);
    pb_str (*type_key)(const pb_type *type);
    bool (*type_is_a)(const pb_type *type, const pb_type *base);
    ptrdiff_t (*type_live)(const pb_type *type);

    pb_object *(*object_new)(const pb_type *type, pb_writer write, void *context, pb_error **error);
    pb_object *(*object_retain)(pb_object *object);
    void (*object_release)(pb_object *object);
    const pb_type *(*object_type)(const pb_object *object);
    void *(*object_value)(const pb_object *object);
    pb_weak *(*weak_new)(pb_object *object);
    pb_object *(*weak_upgrade)(pb_weak *weak);
    void (*weak_free)(pb_weak *weak);

    void (*cell_init)(pb_cell *cell, pb_any *value);
    void (*cell_get)(const pb_cell *cell, pb_any *out);
    void (*cell_set)(const pb_cell *cell, pb_any *value);
    void (*cell_replace)(const pb_cell *cell, pb_any *value);
    void (*cell_destroy)(pb_cell *cell);
    void (*cell_clear)(const pb_cell *cell);

    void (*trace_object)(const pb_tracer *tracer, const pb_object *object);
    void (*trace_any)(const pb_tracer *tracer, const pb_any *value);
    void (*trace_cell)(const pb_tracer *tracer, const pb_cell *cell);

    void (*any_copy)(const pb_any *value, pb_any *out);
    void (*any_destroy)(pb_any *value);
    bool (*any_from_str)(pb_str text, pb_any *out, pb_error **error);
    bool (*any_from_bytes)(pb_str bytes, pb_any *out, pb_error **error);
    void (*any_from_u64)(uint64_t number, pb_any *out);
    bool (*any_as_str)(const pb_any *value, pb_str *out);
    bool (*any_as_bytes)(const pb_any *value, pb_str *out);
    bool (*any_equal)(const pb_any *one, const pb_any *two, bool *out, pb_error **error);
    pb_str (*any_kind_name)(const pb_any *value);

    bool (*list_new)(pb_any *out, pb_error **error);
    bool (*map_new)(pb_any *out, pb_error **error);
    bool (*set_new)(pb_any *out, pb_error **error);
    bool (*tuple_new)(const pb_any *values, size_t count, pb_any *out, pb_error **error);
    bool (*container_size)(const pb_any *container, size_t *out, pb_error **error);
    bool (*container_each)(const pb_any *container, pb_visitor each, void *context, pb_error **error);
    bool (*sequence_get)(const pb_any *sequence, size_t index, pb_any *out, pb_error **error);
    bool (*list_set)(const pb_any *list, size_t index, pb_any *value, pb_error **error);
    bool (*list_insert)(const pb_any *list, size_t index, pb_any *value, pb_error **error);
    bool (*list_remove)(const pb_any *list, size_t index, pb_any *out, pb_error **error);
    bool (*map_get)(const pb_any *map, const pb_any *key, pb_any *out, bool *found, pb_error **error);
    bool (*map_set)(const pb_any *map, pb_any *key, pb_any *value, pb_error **error);
    bool (*set_add)(const pb_any *set, pb_any *value, bool *added, pb_error **error);
    bool (*set_contains)(const pb_any *set, const pb_any *value, bool *found, pb_error **error);
    bool (*key_remove)(const pb_any *container, const pb_any *key, bool *found, pb_error **error);

    bool (*function_new)(pb_str name, pb_closure function, void *context, pb_destructor destroy,
                         pb_any *out, pb_error **error);
    bool (*function_call)(const pb_any *function, const pb_any *arguments, size_t count,
                          const pb_str *names, size_t name_count, pb_any *out, pb_error **error);
    bool (*function_find)(pb_str name, pb_any *out, pb_error **error);
    bool (*function_publish)(pb_str name, const pb_any *function, bool replace, pb_error **error);
    bool (*function_withdraw)(pb_str name);

    pb_object *(*call_receiver)(pb_call *call, const pb_type *type);
    bool (*call_is_given)(const pb_call *call, size_t index);
    bool (*call_is_none)(const pb_call *call, size_t index);
    bool (*call_get_bool)(pb_call *call, size_t index, bool *out);
    bool (*call_get_i64)(pb_call *call, size_t index, int64_t *out);
    bool (*call_get_u64)(pb_call *call, size_t index, uint64_t *out);
    bool (*call_get_f64)(pb_call *call, size_t index, double *out);
    bool (*call_get_str)(pb_call *call, size_t index, pb_str *out);
    bool (*call_get_bytes)(pb_call *call, size_t index, pb_str *out);
    bool (*call_get_object)(pb_call *call, size_t index, const pb_type *type, pb_object **out);
    bool (*call_get_function)(pb_call *call, size_t index, pb_any *out);
    bool (*call_get_any)(pb_call *call, size_t index, pb_any *out);
    bool (*call_get_data)(pb_call *call, size_t index, pb_any *out);
    bool (*call_get_rest)(pb_call *call, size_t index, pb_any *out, bool *found);
    bool (*call_return_none)(pb_call *call);
    bool (*call_return_bool)(pb_call *call, bool value);
    bool (*call_return_i64)(pb_call *call, int64_t value);
    bool (*call_return_u64)(pb_call *call, uint64_t value);
    bool (*call_return_f64)(pb_call *call, double value);
    bool (*call_return_str)(pb_call *call, pb_str value);
    bool (*call_return_bytes)(pb_call *call, pb_str value);
    bool (*call_return_object)(pb_call *call, pb_object *value);
    bool (*call_return_owned)(pb_call *call, pb_object *value);
    bool (*call_return_any)(pb_call *call, const pb_any *value);
    bool (*call_return_data)(pb_call *call, const pb_any *value);
    bool (*call_fail)(pb_call *call, pb_error *error);

    void (*detach)(pb_destructor run, void *context);
    bool (*check_signals)(pb_error **error);

    pb_object *(*node_parent)(const pb_object *node);
    pb_object *(*node_root)(const pb_object *node);
    pb_object *(*node_next)(const pb_object *node);
    pb_object *(*node_previous)(const pb_object *node);
    bool (*node_index)(const pb_object *node, size_t *out);
    bool (*node_is_in)(const pb_object *node, const pb_object *above);
    bool (*node_is_erased)(const pb_object *node);
    bool (*node_check)(const pb_object *node, pb_error **error);
    bool (*node_detach)(const pb_object *node, pb_error **error);
    bool (*node_erase)(const pb_object *node, pb_str reason, pb_error **error);
    bool (*children_size)(const pb_object *owner, const pb_children *list, size_t *out,
                          pb_error **error);
    bool (*children_get)(const pb_object *owner, const pb_children *list, size_t index,
                         pb_object **out, pb_error **error);
    bool (*children_insert)(const pb_object *owner, const pb_children *list, size_t index,
                            const pb_object *child, pb_error **error);
    bool (*children_insert_before)(const pb_object *owner, const pb_children *list,
                                   const pb_object *at, const pb_object *child, pb_error **error);
    bool (*children_move)(const pb_object *owner, const pb_children *list, const pb_object *before,
                          const pb_object *first, const pb_object *last, pb_error **error);
    bool (*children_next)(const pb_object *owner, const pb_children *list, pb_cursor *cursor,
                          pb_object **out, pb_error **error);
    void (*cursor_end)(pb_cursor *cursor);
    pb_walk *(*walk_new)(const pb_object *node, bool up, pb_error **error);
    pb_object *(*walk_next)(pb_walk *walk);
    void (*walk_free)(pb_walk *walk);

    const pb_overridable *(*overridable_new)(const pb_type *type, pb_str name, pb_error **error);
    bool (*overridden)(pb_object *object, const pb_overridable *method, bool *out, pb_error **error);
    bool (*override_call)(const pb_object *object, const pb_overridable *method,
                          const pb_any *arguments, size_t count, pb_any *out, pb_error **error);

    void (*owner_new)(void *context, pb_destructor destroy, pb_any *out);
    bool (*array_new)(const pb_array *memory, pb_any *owner, pb_any *out, pb_error **error);
    bool (*array_describe)(const pb_any *array, pb_array *out, pb_error **error);
    bool (*call_get_array)(pb_call *call, size_t index, pb_any *out);

    size_t (*observe)(pb_observer tell, void *context, pb_destructor forget);
    void (*observe_end)(size_t observer);
    void (*emit)(uint32_t kind, uint32_t device, uint64_t a, uint64_t b);
    void (*allocator_get)(pb_allocator *out);
    bool (*allocator_set)(const pb_allocator *allocator, pb_error **error);

    bool (*array_from_dlpack)(struct DLManagedTensor *tensor, bool readonly, pb_any *out,
                              pb_error **error);
    struct DLManagedTensor *(*array_to_dlpack)(const pb_any *array, pb_error **error);
    bool (*function_names)(pb_any *out, pb_error **error);

    pb_object *(*ref_cell_get)(const pb_ref_cell *cell);
    pb_object *(*ref_cell_replace)(const pb_ref_cell *cell, pb_object *object);
    void (*ref_cell_clear)(const pb_ref_cell *cell);
    void (*trace_ref_cell)(const pb_tracer *tracer, const pb_ref_cell *cell);
    pb_object *(*object_of_value)(const void *value, const pb_type *type, pb_error **error);
    bool (*any_as_i64)(const pb_any *value, int64_t *out, pb_error **error);
    bool (*any_as_u64)(const pb_any *value, uint64_t *out, pb_error **error);
    bool (*any_as_f64)(const pb_any *value, double *out, pb_error **error);
} pb_api;

/* What a library exports. */
typedef struct pb_library {
    char magic[8];
    uint32_t size;
    uint32_t abi;
    uint64_t api_size;
    const char *version;
    const char *name;
    const char *doc;
    bool (*describe)(const pb_api *api, pb_module *module, pb_error **error);
} pb_library;

/* The functions of the runtime; set when the library is loaded. */
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((visibility("hidden")))
#endif
extern const pb_api *pb_runtime;

/* Once in a library, outside of all functions:
 *
 *     PB_LIBRARY(shapes, "Shapes of the plane.", describe)
 *
 * `describe` is `bool describe(pb_module *module, pb_error **error)`. A module "pkg.shapes" is
 * PB_LIBRARY_NAMED(shapes, "pkg.shapes", ...). */
#define PB_LIBRARY(name, doc, describe) PB_LIBRARY_NAMED(name, #name, doc, describe)
#define PB_LIBRARY_NAMED(symbol, full_name, doc_text, describe_function)                           \
    const pb_api *pb_runtime = NULL;                                                               \
    static bool pb_describe_##symbol(const pb_api *api, pb_module *module, pb_error **error) {     \
        pb_runtime = api;                                                                          \
        return describe_function(module, error);                                                   \
    }                                                                                              \
    PB_EXTERN_C PB_EXPORT const pb_library pairbond_library_##symbol = {                           \
        {'p', 'a', 'i', 'r', 'b', 'n', 'd', 'C'},                                                  \
        (uint32_t)sizeof(pb_library),                                                              \
        PAIRBOND_ABI,                                                                              \
        sizeof(pb_api),                                                                            \
        PAIRBOND_VERSION,                                                                          \
        full_name,                                                                                 \
        doc_text,                                                                                  \
        pb_describe_##symbol};

#ifdef __cplusplus
#define PB_EXTERN_C extern "C"
#else
#define PB_EXTERN_C
#endif

/* The library can be loaded without Python, too. */
#if defined(__GNUC__) && !defined(_WIN32) && !defined(__APPLE__)
#define PB_WEAK __attribute__((weak))
#else
#define PB_WEAK
#endif

/* CPython's PyObject. */
struct _object;

/* Makes the library an extension module as well: `import shapes`. After PB_LIBRARY. The file serves
 * every version of Python; it is named shapes.abi3.so. */
#define PB_EXTENSION_MODULE(symbol)                                                                \
    PB_EXTERN_C PB_WEAK struct _object *PyImport_ImportModule(const char *);                       \
    PB_EXTERN_C PB_WEAK struct _object *PyObject_CallMethod(struct _object *, const char *,        \
                                                            const char *, ...);                    \
    PB_EXTERN_C PB_WEAK void Py_DecRef(struct _object *);                                          \
    PB_EXTERN_C PB_EXPORT struct _object *PyInit_##symbol(void);                                   \
    PB_EXTERN_C PB_EXPORT struct _object *PyInit_##symbol(void) {                                  \
        struct _object *pairbond = PyImport_ImportModule("pairbond._pairbond");                        \
        struct _object *definition = NULL;                                                         \
        if (pairbond != NULL) {                                                                    \
            definition = PyObject_CallMethod(pairbond, "_define_module", "K",                      \
                                         (unsigned long long)(uintptr_t)&pairbond_library_##symbol); \
            Py_DecRef(pairbond);                                                                   \
        }                                                                                          \
        return definition;                                                                         \
    }

/* Texts. */

static inline pb_str pb_text(const char *text) {
    pb_str result = {text, text == NULL ? 0 : strlen(text)};
    return result;
}

/* Errors. */

/* An owned error of a kind (pb_error_kind). */
static inline pb_error *pb_error_new(int32_t kind, const char *message) {
    return pb_runtime->error_new(kind, pb_text(message));
}
/* An owned error that becomes an exception class of a module: "shapes.ShapeError". */
static inline pb_error *pb_error_custom(const char *class_name, const char *message) {
    return pb_runtime->error_new_custom(pb_text(class_name), pb_text(message));
}
/* An owned error like this one; an exception stays the same object. */
static inline pb_error *pb_error_copy(const pb_error *error) {
    return pb_runtime->error_copy(error);
}
static inline int32_t pb_error_kind_of(const pb_error *error) {
    return pb_runtime->error_kind(error);
}
/* Lent by the error. */
static inline pb_str pb_error_message(const pb_error *error) {
    return pb_runtime->error_message(error);
}
static inline void pb_error_add_note(pb_error *error, const char *note) {
    pb_runtime->error_add_note(error, pb_text(note));
}
/* The cause is taken. */
static inline void pb_error_set_cause(pb_error *error, pb_error *cause) {
    pb_runtime->error_set_cause(error, cause);
}
/* Lent by the error; NULL if there is none. */
static inline const pb_error *pb_error_cause(const pb_error *error) {
    return pb_runtime->error_cause(error);
}
static inline void pb_error_free(pb_error *error) {
    pb_runtime->error_free(error);
}

/* Modules and types. */

/* Registers a type and adds its class to the module. NULL: see the error. */
static inline const pb_type *pb_module_add_type(pb_module *module, const pb_type_spec *spec,
                                                pb_error **error) {
    return pb_runtime->module_add_type(module, spec, error);
}
static inline bool pb_module_add_function(pb_module *module, const pb_function *function,
                                          pb_error **error) {
    return pb_runtime->module_add_function(module, function, error);
}
/* The value is taken. */
static inline bool pb_module_add_constant(pb_module *module, const char *name, pb_any *value,
                                          pb_error **error) {
    return pb_runtime->module_add_constant(module, pb_text(name), value, error);
}
/* A type that any library has registered, or NULL. */
static inline const pb_type *pb_type_find(const char *key) {
    return pb_runtime->type_find(pb_text(key));
}
static inline pb_str pb_type_key(const pb_type *type) {
    return pb_runtime->type_key(type);
}
static inline bool pb_type_is_a(const pb_type *type, const pb_type *base) {
    return pb_runtime->type_is_a(type, base);
}
/* How many of its objects are alive. */
static inline ptrdiff_t pb_type_live(const pb_type *type) {
    return pb_runtime->type_live(type);
}

/* Objects. */

/* An owned new object, whose value `write` writes in place. */
static inline pb_object *pb_object_new(const pb_type *type, pb_writer write, void *context,
                                       pb_error **error) {
    return pb_runtime->object_new(type, write, context, error);
}
/* An owned reference to an object that is lent or owned. NULL for NULL. */
static inline pb_object *pb_retain(pb_object *object) {
    return object == NULL ? NULL : pb_runtime->object_retain(object);
}
/* Gives an owned reference back; the last one destroys the object. NULL is good. */
static inline void pb_release(pb_object *object) {
    if (object != NULL) pb_runtime->object_release(object);
}
static inline const pb_type *pb_object_type(const pb_object *object) {
    return pb_runtime->object_type(object);
}
static inline bool pb_object_is_a(const pb_object *object, const pb_type *type) {
    return pb_type_is_a(pb_object_type(object), type);
}
/* The object's value. */
static inline void *pb_value(const pb_object *object) {
    return pb_runtime->object_value(object);
}
/* The object's value, whose type's alignment is known: without a call. */
static inline void *pb_value_aligned(const pb_object *object, size_t align) {
    size_t least = align < 8 ? 8 : align;
    return (char *)(uintptr_t)object + (24 + least - 1) / least * least;
}
/* An owned reference to the object whose value, of a type or of one that extends it, is at an
 * address. NULL, with a PB_TYPE_ERROR, if the value there is in no object, and with a
 * PB_RUNTIME_ERROR in the constructor or destructor of the value. The 24 bytes before the value
 * are read in any case (with an alignment beyond 8, those before its padding). */
static inline pb_object *pb_object_of(const void *value, const pb_type *type, pb_error **error) {
    return pb_runtime->object_of_value(value, type, error);
}
/* An owned weak reference. NULL for NULL. */
static inline pb_weak *pb_weak_new(pb_object *object) {
    return pb_runtime->weak_new(object);
}
/* An owned reference, or NULL when the object is gone. */
static inline pb_object *pb_weak_upgrade(pb_weak *weak) {
    return pb_runtime->weak_upgrade(weak);
}
static inline void pb_weak_free(pb_weak *weak) {
    pb_runtime->weak_free(weak);
}

/* Fields that change. */

/* Makes a field with a value, which is taken. */
static inline void pb_cell_init(pb_cell *cell, pb_any value) {
    if (value.kind == PB_NONE) {
        memset(cell, 0, sizeof *cell);
    } else {
        pb_runtime->cell_init(cell, &value);
    }
}
/* An owned copy of the value. */
static inline pb_any pb_cell_get(const pb_cell *cell) {
    pb_any out;
    pb_runtime->cell_get(cell, &out);
    return out;
}
/* Stores a value, which is taken; the old one is destroyed. */
static inline void pb_cell_set(const pb_cell *cell, pb_any value) {
    pb_runtime->cell_set(cell, &value);
}
/* Stores a value, which is taken; the old one is returned, owned. */
static inline pb_any pb_cell_replace(const pb_cell *cell, pb_any value) {
    pb_runtime->cell_replace(cell, &value);
    return value;
}
static inline void pb_cell_destroy(pb_cell *cell) {
    /* None is left as it is. */
    uint8_t kind;
    memcpy(&kind, cell->opaque, sizeof kind);
    if (kind != PB_NONE) pb_runtime->cell_destroy(cell);
}
/* For the `clear` of a type. */
static inline void pb_cell_clear(const pb_cell *cell) {
    pb_runtime->cell_clear(cell);
}

/* The same of a reference. */

/* Makes a field with an owned reference, which is taken, or with NULL. */
static inline void pb_ref_cell_init(pb_ref_cell *cell, pb_object *object) {
    cell->opaque = object;
    cell->lock = 0;
}
/* An owned reference, or NULL. */
static inline pb_object *pb_ref_cell_get(const pb_ref_cell *cell) {
    return pb_runtime->ref_cell_get(cell);
}
/* Stores an owned reference, which is taken, or NULL; the old one is returned, owned. */
static inline pb_object *pb_ref_cell_replace(const pb_ref_cell *cell, pb_object *object) {
    return pb_runtime->ref_cell_replace(cell, object);
}
/* Stores an owned reference, which is taken, or NULL; the old one is released. */
static inline void pb_ref_cell_set(const pb_ref_cell *cell, pb_object *object) {
    pb_release(pb_ref_cell_replace(cell, object));
}
static inline void pb_ref_cell_destroy(pb_ref_cell *cell) {
    pb_release(cell->opaque);
}
/* For the `clear` of a type. */
static inline void pb_ref_cell_clear(const pb_ref_cell *cell) {
    pb_runtime->ref_cell_clear(cell);
}

/* For the `trace` of a type. */

/* A reference that a value owns. NULL is good. */
static inline void pb_trace_object(const pb_tracer *tracer, const pb_object *object) {
    pb_runtime->trace_object(tracer, object);
}
static inline void pb_trace_any(const pb_tracer *tracer, const pb_any *value) {
    pb_runtime->trace_any(tracer, value);
}
static inline void pb_trace_cell(const pb_tracer *tracer, const pb_cell *cell) {
    pb_runtime->trace_cell(tracer, cell);
}
static inline void pb_trace_ref_cell(const pb_tracer *tracer, const pb_ref_cell *cell) {
    pb_runtime->trace_ref_cell(tracer, cell);
}

/* Values. */

static inline pb_any pb_none(void) {
    pb_any value;
    memset(&value, 0, sizeof value);
    return value;
}
static inline pb_any pb_bool(bool truth) {
    pb_any value = pb_none();
    value.kind = PB_BOOL;
    value.truth = truth;
    return value;
}
static inline pb_any pb_int(int64_t number) {
    pb_any value = pb_none();
    value.kind = PB_INT;
    value.as.integer = number;
    return value;
}
static inline pb_any pb_float(double number) {
    pb_any value = pb_none();
    value.kind = PB_FLOAT;
    value.as.number = number;
    return value;
}
/* Of an owned reference, which is taken; None for NULL. */
static inline pb_any pb_object_value(pb_object *object) {
    pb_any value = pb_none();
    if (object != NULL) {
        value.kind = PB_OBJECT;
        value.as.object = object;
    }
    return value;
}
static inline pb_any pb_any_copy(const pb_any *value) {
    pb_any out;
    pb_runtime->any_copy(value, &out);
    return out;
}
/* Leaves None. */
static inline void pb_any_destroy(pb_any *value) {
    pb_runtime->any_destroy(value);
}
static inline bool pb_any_from_str(pb_str text, pb_any *out, pb_error **error) {
    return pb_runtime->any_from_str(text, out, error);
}
static inline bool pb_any_from_bytes(pb_str bytes, pb_any *out, pb_error **error) {
    return pb_runtime->any_from_bytes(bytes, out, error);
}
/* A number beyond 64 bits with a sign becomes a PB_BIG_INT. */
static inline pb_any pb_any_from_u64(uint64_t number) {
    pb_any out;
    pb_runtime->any_from_u64(number, &out);
    return out;
}
/* The number of an int, also of a PB_BIG_INT or bool. A PB_OVERFLOW_ERROR if it does not fit. */
static inline bool pb_any_as_i64(const pb_any *value, int64_t *out, pb_error **error) {
    return pb_runtime->any_as_i64(value, out, error);
}
static inline bool pb_any_as_u64(const pb_any *value, uint64_t *out, pb_error **error) {
    return pb_runtime->any_as_u64(value, out, error);
}
/* The number of a float or int. */
static inline bool pb_any_as_f64(const pb_any *value, double *out, pb_error **error) {
    return pb_runtime->any_as_f64(value, out, error);
}
/* Lent by the value; false if it is no str. */
static inline bool pb_any_as_str(const pb_any *value, pb_str *out) {
    return pb_runtime->any_as_str(value, out);
}
static inline bool pb_any_as_bytes(const pb_any *value, pb_str *out) {
    return pb_runtime->any_as_bytes(value, out);
}
/* As Python's ==. */
static inline bool pb_any_equal(const pb_any *one, const pb_any *two, bool *out, pb_error **error) {
    return pb_runtime->any_equal(one, two, out, error);
}
/* For messages: "int", "shapes.Circle". */
static inline pb_str pb_any_kind_name(const pb_any *value) {
    return pb_runtime->any_kind_name(value);
}

/* Containers: pairbond.List, Map, Set and Tuple, which Python, Rust and C share. */

static inline bool pb_list_new(pb_any *out, pb_error **error) {
    return pb_runtime->list_new(out, error);
}
static inline bool pb_map_new(pb_any *out, pb_error **error) {
    return pb_runtime->map_new(out, error);
}
static inline bool pb_set_new(pb_any *out, pb_error **error) {
    return pb_runtime->set_new(out, error);
}
/* The values are copied. */
static inline bool pb_tuple_new(const pb_any *values, size_t count, pb_any *out, pb_error **error) {
    return pb_runtime->tuple_new(values, count, out, error);
}
static inline bool pb_size(const pb_any *container, size_t *out, pb_error **error) {
    return pb_runtime->container_size(container, out, error);
}
/* Shows every element of the container as it is now; changes meanwhile are not seen. False also
 * when the visitor stops without an error, which is a PB_STOP_ITERATION then. */
static inline bool pb_each(const pb_any *container, pb_visitor visit, void *context,
                           pb_error **error) {
    return pb_runtime->container_each(container, visit, context, error);
}
/* An owned element of a list or tuple. */
static inline bool pb_get(const pb_any *sequence, size_t index, pb_any *out, pb_error **error) {
    return pb_runtime->sequence_get(sequence, index, out, error);
}
/* The value is taken. */
static inline bool pb_list_set(const pb_any *list, size_t index, pb_any value, pb_error **error) {
    return pb_runtime->list_set(list, index, &value, error);
}
static inline bool pb_list_insert(const pb_any *list, size_t index, pb_any value, pb_error **error) {
    return pb_runtime->list_insert(list, index, &value, error);
}
static inline bool pb_list_append(const pb_any *list, pb_any value, pb_error **error) {
    return pb_runtime->list_insert(list, SIZE_MAX, &value, error);
}
/* The element that is removed is owned. */
static inline bool pb_list_remove(const pb_any *list, size_t index, pb_any *out, pb_error **error) {
    return pb_runtime->list_remove(list, index, out, error);
}
/* `*found` says whether there is such a key; then `*out` is owned. */
static inline bool pb_map_get(const pb_any *map, const pb_any *key, pb_any *out, bool *found,
                              pb_error **error) {
    return pb_runtime->map_get(map, key, out, found, error);
}
/* Key and value are taken. */
static inline bool pb_map_set(const pb_any *map, pb_any key, pb_any value, pb_error **error) {
    return pb_runtime->map_set(map, &key, &value, error);
}
static inline bool pb_set_add(const pb_any *set, pb_any value, bool *added, pb_error **error) {
    return pb_runtime->set_add(set, &value, added, error);
}
static inline bool pb_set_contains(const pb_any *set, const pb_any *value, bool *found,
                                   pb_error **error) {
    return pb_runtime->set_contains(set, value, found, error);
}
/* Of a map or set. */
static inline bool pb_remove(const pb_any *container, const pb_any *key, bool *found,
                             pb_error **error) {
    return pb_runtime->key_remove(container, key, found, error);
}

/* Functions as values. */

/* `context` is taken, and destroyed with the function if `destroy` is not NULL. The function may be
 * called on any thread. References of `context` are not shown to the collector. */
static inline bool pb_function_new(const char *name, pb_closure function, void *context,
                                   pb_destructor destroy, pb_any *out, pb_error **error) {
    return pb_runtime->function_new(pb_text(name), function, context, destroy, out, error);
}
/* Calls a function of C, Rust or Python, from any thread. The last `name_count` arguments have
 * names. The result is owned. */
static inline bool pb_function_call(const pb_any *function, const pb_any *arguments, size_t count,
                                    pb_any *out, pb_error **error) {
    return pb_runtime->function_call(function, arguments, count, NULL, 0, out, error);
}
static inline bool pb_function_call_named(const pb_any *function, const pb_any *arguments,
                                          size_t count, const pb_str *names, size_t name_count,
                                          pb_any *out, pb_error **error) {
    return pb_runtime->function_call(function, arguments, count, names, name_count, out, error);
}
/* The process's functions by name. */
static inline bool pb_function_find(const char *name, pb_any *out, pb_error **error) {
    return pb_runtime->function_find(pb_text(name), out, error);
}
static inline bool pb_function_publish(const char *name, const pb_any *function, bool replace,
                                       pb_error **error) {
    return pb_runtime->function_publish(pb_text(name), function, replace, error);
}
static inline bool pb_function_withdraw(const char *name) {
    return pb_runtime->function_withdraw(pb_text(name));
}
/* The names of all of them, sorted: a list of str, owned. */
static inline bool pb_function_names(pb_any *out, pb_error **error) {
    return pb_runtime->function_names(out, error);
}

/* Calls. The functions that read or return something give false when they fail; return that false,
 * and the caller gets the error, which names the function and the parameter. */

/* An argument as the caller passed it; NULL where there is none, or the runtime has to be asked. */
static inline void *pb_word(const pb_call *call, size_t index) {
    return index < call->count ? call->words[index] : NULL;
}
/* A word as a number, if it is one of the simplest: an int of 30 bits, a float. */
static inline bool pb_word_i64(const pb_quick *quick, const void *word, int64_t *out) {
    const pb_layout *layout = &quick->layout;
    const char *at = (const char *)word;
    const void *type;
    int64_t tag;
    uint32_t digit;
    uint64_t place;
    memcpy(&type, at + layout->type_at, sizeof type);
    if (type != layout->int_type) return false;
    memcpy(&tag, at + layout->tag_at, sizeof tag);
    place = (uint64_t)tag - (uint64_t)layout->tag_least;
    if (place > layout->tag_span) return false;
    memcpy(&digit, at + layout->digit_at, sizeof digit);
    *out = (int64_t)digit * layout->signs[place];
    return true;
}
static inline bool pb_word_f64(const pb_quick *quick, const void *word, double *out) {
    const char *at = (const char *)word;
    const void *type;
    memcpy(&type, at + quick->layout.type_at, sizeof type);
    if (type != quick->layout.float_type) return false;
    memcpy(out, at + quick->layout.float_at, sizeof *out);
    return true;
}
/* Whether a result can be made at once. */
static inline bool pb_makes(const pb_call *call) {
    return call->makes != NULL && call->result == NULL;
}

/* The object whose method or attribute is called, lent; NULL if it is not of the type. */
static inline pb_object *pb_receiver(pb_call *call, const pb_type *type) {
    if (type != NULL && call->receiver_type == type) return call->receiver;
    return pb_runtime->call_receiver(call, type);
}
static inline bool pb_is_given(const pb_call *call, size_t index) {
    if (call->quick != NULL) return pb_word(call, index) != NULL;
    return pb_runtime->call_is_given(call, index);
}
/* Not given, or None. */
static inline bool pb_is_none(const pb_call *call, size_t index) {
    if (call->quick != NULL) {
        void *word = pb_word(call, index);
        return word == NULL || call->quick->is_none(word);
    }
    return pb_runtime->call_is_none(call, index);
}
static inline bool pb_get_bool(pb_call *call, size_t index, bool *out) {
    void *word = pb_word(call, index);
    if (word != NULL && call->quick->get_bool(word, out)) return true;
    return pb_runtime->call_get_bool(call, index, out);
}
static inline bool pb_get_i64(pb_call *call, size_t index, int64_t *out) {
    void *word = pb_word(call, index);
    if (word != NULL && pb_word_i64(call->quick, word, out)) return true;
    return pb_runtime->call_get_i64(call, index, out);
}
static inline bool pb_get_u64(pb_call *call, size_t index, uint64_t *out) {
    void *word = pb_word(call, index);
    int64_t number = 0;
    if (word != NULL && pb_word_i64(call->quick, word, &number) && number >= 0) {
        *out = (uint64_t)number;
        return true;
    }
    return pb_runtime->call_get_u64(call, index, out);
}
static inline bool pb_get_f64(pb_call *call, size_t index, double *out) {
    void *word = pb_word(call, index);
    if (word != NULL && pb_word_f64(call->quick, word, out)) return true;
    return pb_runtime->call_get_f64(call, index, out);
}
/* Lent for the call. */
static inline bool pb_get_str(pb_call *call, size_t index, pb_str *out) {
    return pb_runtime->call_get_str(call, index, out);
}
static inline bool pb_get_bytes(pb_call *call, size_t index, pb_str *out) {
    return pb_runtime->call_get_bytes(call, index, out);
}
/* Lent for the call: pb_retain it to keep it. `type` NULL: any object. */
static inline bool pb_get_object(pb_call *call, size_t index, const pb_type *type, pb_object **out) {
    void *word = pb_word(call, index);
    if (word != NULL && (*out = call->quick->get_object(word, type)) != NULL) return true;
    return pb_runtime->call_get_object(call, index, type, out);
}
/* Anything that can be called; owned. */
static inline bool pb_get_function(pb_call *call, size_t index, pb_any *out) {
    return pb_runtime->call_get_function(call, index, out);
}
/* Owned. */
static inline bool pb_get_any(pb_call *call, size_t index, pb_any *out) {
    return pb_runtime->call_get_any(call, index, out);
}
/* As pb_get_any; a list, tuple or dict of Python becomes a pairbond.List or Map, and so do those
 * inside. */
static inline bool pb_get_data(pb_call *call, size_t index, pb_any *out) {
    return pb_runtime->call_get_data(call, index, out);
}
/* The argument with that index of `*args`; `*found` says whether there is one, owned. */
static inline bool pb_get_rest(pb_call *call, size_t index, pb_any *out, bool *found) {
    return pb_runtime->call_get_rest(call, index, out, found);
}

static inline bool pb_return_none(pb_call *call) {
    if (pb_makes(call) && (call->result = call->makes->new_none()) != NULL) return true;
    return pb_runtime->call_return_none(call);
}
static inline bool pb_return_bool(pb_call *call, bool value) {
    if (pb_makes(call) && (call->result = call->makes->new_bool(value)) != NULL) return true;
    return pb_runtime->call_return_bool(call, value);
}
static inline bool pb_return_i64(pb_call *call, int64_t value) {
    if (pb_makes(call) && (call->result = call->makes->new_i64(value)) != NULL) return true;
    return pb_runtime->call_return_i64(call, value);
}
static inline bool pb_return_u64(pb_call *call, uint64_t value) {
    if (value <= INT64_MAX) return pb_return_i64(call, (int64_t)value);
    return pb_runtime->call_return_u64(call, value);
}
static inline bool pb_return_f64(pb_call *call, double value) {
    if (pb_makes(call) && (call->result = call->makes->new_f64(value)) != NULL) return true;
    return pb_runtime->call_return_f64(call, value);
}
static inline bool pb_return_str(pb_call *call, pb_str value) {
    return pb_runtime->call_return_str(call, value);
}
static inline bool pb_return_bytes(pb_call *call, pb_str value) {
    return pb_runtime->call_return_bytes(call, value);
}
/* The object stays the library's: nothing is taken. */
static inline bool pb_return_object(pb_call *call, pb_object *value) {
    return pb_runtime->call_return_object(call, value);
}
/* The owned reference is taken. */
static inline bool pb_return_owned(pb_call *call, pb_object *value) {
    return pb_runtime->call_return_owned(call, value);
}
/* The value is copied. */
static inline bool pb_return_any(pb_call *call, const pb_any *value) {
    return pb_runtime->call_return_any(call, value);
}
/* As pb_return_any; a list, tuple or map becomes one of Python, and so do those inside. */
static inline bool pb_return_data(pb_call *call, const pb_any *value) {
    return pb_runtime->call_return_data(call, value);
}
/* Takes an error; returns false. */
static inline bool pb_fail_with(pb_call *call, pb_error *error) {
    return pb_runtime->call_fail(call, error);
}
/* Fails with a new error of a kind; returns false. */
static inline bool pb_fail(pb_call *call, int32_t kind, const char *message) {
    return pb_runtime->call_fail(call, pb_error_new(kind, message));
}

/* Trees: nodes have one owner, stand in ordered lists of it, and can be erased by anyone. A node is
 * an object of a type with PB_TYPE_TREE and a field of the kind PB_FIELD_LINKS; its lists are fields
 * of the kind PB_FIELD_CHILDREN. A reference to any node keeps the whole tree. A `list` below is a
 * pb_children in the value of `owner`, which is the node that has it. All may be called on any
 * threads: no list is ever seen torn. */

static inline void pb_links_init(pb_links *links) {
    memset(links, 0, sizeof *links);
}
static inline void pb_children_init(pb_children *list) {
    list->opaque[0] = 0;
    list->opaque[1] = 1;
}

/* Owned nodes around a node; NULL where there is none, and for an object that is no node. The root
 * may be the node itself. */
static inline pb_object *pb_parent(const pb_object *node) {
    return pb_runtime->node_parent(node);
}
static inline pb_object *pb_root(const pb_object *node) {
    return pb_runtime->node_root(node);
}
static inline pb_object *pb_next_sibling(const pb_object *node) {
    return pb_runtime->node_next(node);
}
static inline pb_object *pb_previous_sibling(const pb_object *node) {
    return pb_runtime->node_previous(node);
}
/* Its index in the list that it stands in; false if it stands in none. */
static inline bool pb_index_of(const pb_object *node, size_t *out) {
    return pb_runtime->node_index(node, out);
}
/* Whether a node is another one, or stands somewhere below it. */
static inline bool pb_is_in(const pb_object *node, const pb_object *above) {
    return pb_runtime->node_is_in(node, above);
}
static inline bool pb_is_erased(const pb_object *node) {
    return pb_runtime->node_is_erased(node);
}
/* Fails with a PB_INVALIDATED_ERROR, which says what erased it, if the node was erased. Methods and
 * arguments check it by themselves; it may be erased by another thread meanwhile. */
static inline bool pb_check_node(const pb_object *node, pb_error **error) {
    return pb_runtime->node_check(node, error);
}
/* Makes the node the root of a tree of its own. */
static inline bool pb_detach_node(const pb_object *node, pb_error **error) {
    return pb_runtime->node_detach(node, error);
}
/* Erases a node with all that stands below it: using one of them is a PB_INVALIDATED_ERROR from now
 * on. The reason, the name of a pass or function, is in its message; NULL: that of
 * `pairbond.erasing`, or "erase()". */
static inline bool pb_erase(const pb_object *node, const char *reason, pb_error **error) {
    return pb_runtime->node_erase(node, pb_text(reason), error);
}

static inline bool pb_children_size(const pb_object *owner, const pb_children *list, size_t *out,
                                    pb_error **error) {
    return pb_runtime->children_size(owner, list, out, error);
}
/* An owned child, or NULL where there is none. */
static inline bool pb_children_get(const pb_object *owner, const pb_children *list, size_t index,
                                   pb_object **out, pb_error **error) {
    return pb_runtime->children_get(owner, list, index, out, error);
}
/* Puts a root to an index, or to the end. */
static inline bool pb_children_insert(const pb_object *owner, const pb_children *list, size_t index,
                                      const pb_object *child, pb_error **error) {
    return pb_runtime->children_insert(owner, list, index, child, error);
}
static inline bool pb_children_append(const pb_object *owner, const pb_children *list,
                                      const pb_object *child, pb_error **error) {
    return pb_runtime->children_insert(owner, list, SIZE_MAX, child, error);
}
/* Puts a root before a node of the list. */
static inline bool pb_children_insert_before(const pb_object *owner, const pb_children *list,
                                             const pb_object *at, const pb_object *child,
                                             pb_error **error) {
    return pb_runtime->children_insert_before(owner, list, at, child, error);
}
/* Moves the nodes from `first` to `last`, which stand in one list of any node, before one that
 * stands in this list, or to the end for NULL. */
static inline bool pb_children_move(const pb_object *owner, const pb_children *list,
                                    const pb_object *before, const pb_object *first,
                                    const pb_object *last, pb_error **error) {
    return pb_runtime->children_move(owner, list, before, first, last, error);
}
/* The next child of an iteration, lent by the cursor until its next step; NULL at the end. The list
 * may be edited meanwhile: what is inserted behind the current child is seen, and the current one
 * may be removed, moved within the list, or erased. */
static inline bool pb_children_next(const pb_object *owner, const pb_children *list,
                                    pb_cursor *cursor, pb_object **out, pb_error **error) {
    return pb_runtime->children_next(owner, list, cursor, out, error);
}
/* Gives back what a cursor keeps; needed unless it has come to the end. */
static inline void pb_cursor_end(pb_cursor *cursor) {
    pb_runtime->cursor_end(cursor);
}
/* A walk through all below a node, each before what stands below it, or through all above it. The
 * tree may be edited meanwhile, and no step fails. Owned: give it back with pb_walk_free. */
static inline pb_walk *pb_descendants(const pb_object *node, pb_error **error) {
    return pb_runtime->walk_new(node, false, error);
}
static inline pb_walk *pb_ancestors(const pb_object *node, pb_error **error) {
    return pb_runtime->walk_new(node, true, error);
}
/* The next node of a walk, owned; NULL at the end. */
static inline pb_object *pb_walk_next(pb_walk *walk) {
    return pb_runtime->walk_next(walk);
}
static inline void pb_walk_free(pb_walk *walk) {
    pb_runtime->walk_free(walk);
}

/* Methods that a class made in Python may override, for code of the library that calls them. The
 * function that Python calls is the method as written: it does not look for an override, so that
 * `super().method()` ends there. */

/* The method of a type with that name: once, after the type was added. */
static inline const pb_overridable *pb_overridable_new(const pb_type *type, const char *name,
                                                       pb_error **error) {
    return pb_runtime->overridable_new(type, pb_text(name), error);
}
/* Whether the object's class overrides it: some loads for an object whose class was not made in
 * Python. On any thread. */
static inline bool pb_overridden(pb_object *object, const pb_overridable *method, bool *out,
                                 pb_error **error) {
    return pb_runtime->overridden(object, method, out, error);
}
/* Calls the method of the object's class. The result is owned. */
static inline bool pb_call_override(const pb_object *object, const pb_overridable *method,
                                    const pb_any *arguments, size_t count, pb_any *out,
                                    pb_error **error) {
    return pb_runtime->override_call(object, method, arguments, count, out, error);
}

/* Arrays: pairbond.Array, which shares its memory with numpy and whatever else knows buffers or
 * DLPack, in both directions and without copying. */

/* A value that owns `context`, and destroys it when nothing looks at its memory any more. */
static inline pb_any pb_owner_new(void *context, pb_destructor destroy) {
    pb_any out;
    pb_runtime->owner_new(context, destroy, &out);
    return out;
}
/* An array of memory that lives as long as `owner`, a value that is taken: one of pb_owner_new, or
 * an object whose value has the memory. Others may read it at any time, and write it unless it is
 * `readonly`. */
static inline bool pb_array_new(const pb_array *memory, pb_any owner, pb_any *out,
                                pb_error **error) {
    return pb_runtime->array_new(memory, &owner, out, error);
}
/* What an array is; lent by the value. Set out->size before. */
static inline bool pb_array_describe(const pb_any *array, pb_array *out, pb_error **error) {
    return pb_runtime->array_describe(array, out, error);
}
/* An argument as an array: one, or an object that lends its numbers (numpy's). Owned. */
static inline bool pb_get_array(pb_call *call, size_t index, pb_any *out) {
    return pb_runtime->call_get_array(call, index, out);
}
/* An array of the memory of a tensor of DLPack, which is taken: its deleter is called when nothing
 * looks at the memory any more, on any thread, and also if this fails. `readonly`: Python must not
 * write it. */
static inline bool pb_array_from_dlpack(struct DLManagedTensor *tensor, bool readonly, pb_any *out,
                                        pb_error **error) {
    return pb_runtime->array_from_dlpack(tensor, readonly, out, error);
}
/* A tensor of an array's memory, owned: its deleter gives it back, on any thread. It keeps the
 * memory. NULL: see the error; an array that cannot be written cannot be a DLManagedTensor. */
static inline struct DLManagedTensor *pb_array_to_dlpack(const pb_any *array, pb_error **error) {
    return pb_runtime->array_to_dlpack(array, error);
}

/* Events, and memory of objects. */

/* Calls `tell` with every event from now on, on the thread where it happens, in the middle of what
 * happens: it does not block. Its own use of objects is not observed. `context` is taken; `forget`
 * destroys it, and may be NULL. Returns a number for pb_observe_end, after which calls that have begun
 * on other threads may still be going on: `forget` is called when none is. */
static inline size_t pb_observe(pb_observer tell, void *context, pb_destructor forget) {
    return pb_runtime->observe(tell, context, forget);
}
static inline void pb_observe_end(size_t observer) {
    pb_runtime->observe_end(observer);
}
/* An event of the library's own, for observers and `pairbond.trace`. */
static inline void pb_emit(uint32_t kind, uint32_t device, uint64_t a, uint64_t b) {
    pb_runtime->emit(kind, device, a, b);
}
static inline void pb_allocator_get(pb_allocator *out) {
    pb_runtime->allocator_get(out);
}
/* For objects made from now on; living ones go back to where they came from. Up to 255 different
 * allocators can be set in a process. */
static inline bool pb_allocator_set(const pb_allocator *allocator, pb_error **error) {
    return pb_runtime->allocator_set(allocator, error);
}

/* Threads. */

/* Lets other threads of Python run meanwhile (the GIL is released); `run` uses no pb_call. */
static inline void pb_detach(pb_destructor run, void *context) {
    pb_runtime->detach(run, context);
}
/* For loops of seconds: false when the user interrupts (Ctrl-C); return the error. */
static inline bool pb_check_signals(pb_error **error) {
    return pb_runtime->check_signals(error);
}

#ifdef __cplusplus
}
#endif

#endif
