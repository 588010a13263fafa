//! The special methods of Python's data model: which visitor method shows each, and how many
//! arguments it takes.

/// How a special method is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    /// `visitor.NAME::<…>()`, where it is number `slot` of `slots` that are shown together.
    Protocol {
        visit: &'static str,
        slot: usize,
        slots: usize,
    },
    /// As an ordinary method: Python looks it up by name.
    Method,
}

pub(super) struct Protocol {
    pub(super) name: &'static str,
    pub(super) shown: Shown,
    /// How many parameters it has beside the receiver; `None` when that differs.
    pub(super) parameters: Option<usize>,
}

const fn protocol_alone(name: &'static str, visit: &'static str, parameters: usize) -> Protocol {
    protocol_slot(name, visit, 0, 1, parameters)
}

const fn protocol_slot(
    name: &'static str,
    visit: &'static str,
    slot: usize,
    slots: usize,
    parameters: usize,
) -> Protocol {
    Protocol {
        name,
        shown: Shown::Protocol { visit, slot, slots },
        parameters: Some(parameters),
    }
}

const fn protocol_method(name: &'static str, parameters: usize) -> Protocol {
    Protocol {
        name,
        shown: Shown::Method,
        parameters: Some(parameters),
    }
}

const fn protocol_any(name: &'static str) -> Protocol {
    Protocol {
        name,
        shown: Shown::Method,
        parameters: None,
    }
}

const PROTOCOLS: &[Protocol] = &[
    protocol_alone("__repr__", "repr", 0),
    protocol_alone("__str__", "str", 0),
    protocol_alone("__hash__", "hash", 0),
    protocol_alone("__len__", "len", 0),
    protocol_alone("__bool__", "bool", 0),
    protocol_alone("__contains__", "contains", 1),
    protocol_alone("__getitem__", "get_item", 1),
    protocol_slot("__setitem__", "assign_item", 0, 2, 2),
    protocol_slot("__delitem__", "assign_item", 1, 2, 1),
    protocol_alone("__iter__", "iter", 0),
    protocol_alone("__next__", "next", 0),
    protocol_alone("__buffer__", "buffer", 0),
    Protocol {
        name: "__call__",
        shown: Shown::Protocol {
            visit: "call",
            slot: 0,
            slots: 1,
        },
        parameters: None,
    },
    protocol_alone("__enter__", "enter", 0),
    protocol_alone("__exit__", "exit", 3),
    protocol_slot("__lt__", "compare", 0, 6, 1),
    protocol_slot("__le__", "compare", 1, 6, 1),
    protocol_slot("__eq__", "compare", 2, 6, 1),
    protocol_slot("__ne__", "compare", 3, 6, 1),
    protocol_slot("__gt__", "compare", 4, 6, 1),
    protocol_slot("__ge__", "compare", 5, 6, 1),
    protocol_slot("__add__", "add", 0, 2, 1),
    protocol_slot("__radd__", "add", 1, 2, 1),
    protocol_slot("__sub__", "sub", 0, 2, 1),
    protocol_slot("__rsub__", "sub", 1, 2, 1),
    protocol_slot("__mul__", "mul", 0, 2, 1),
    protocol_slot("__rmul__", "mul", 1, 2, 1),
    protocol_slot("__truediv__", "truediv", 0, 2, 1),
    protocol_slot("__rtruediv__", "truediv", 1, 2, 1),
    protocol_slot("__floordiv__", "floordiv", 0, 2, 1),
    protocol_slot("__rfloordiv__", "floordiv", 1, 2, 1),
    protocol_slot("__mod__", "modulo", 0, 2, 1),
    protocol_slot("__rmod__", "modulo", 1, 2, 1),
    protocol_slot("__matmul__", "matmul", 0, 2, 1),
    protocol_slot("__rmatmul__", "matmul", 1, 2, 1),
    protocol_slot("__and__", "and", 0, 2, 1),
    protocol_slot("__rand__", "and", 1, 2, 1),
    protocol_slot("__or__", "or", 0, 2, 1),
    protocol_slot("__ror__", "or", 1, 2, 1),
    protocol_slot("__xor__", "xor", 0, 2, 1),
    protocol_slot("__rxor__", "xor", 1, 2, 1),
    protocol_slot("__lshift__", "lshift", 0, 2, 1),
    protocol_slot("__rlshift__", "lshift", 1, 2, 1),
    protocol_slot("__rshift__", "rshift", 0, 2, 1),
    protocol_slot("__rrshift__", "rshift", 1, 2, 1),
    protocol_slot("__pow__", "pow", 0, 2, 1),
    protocol_slot("__rpow__", "pow", 1, 2, 1),
    protocol_slot("__divmod__", "divmod", 0, 2, 1),
    protocol_slot("__rdivmod__", "divmod", 1, 2, 1),
    protocol_alone("__iadd__", "iadd", 1),
    protocol_alone("__isub__", "isub", 1),
    protocol_alone("__imul__", "imul", 1),
    protocol_alone("__itruediv__", "itruediv", 1),
    protocol_alone("__ifloordiv__", "ifloordiv", 1),
    protocol_alone("__imod__", "imod", 1),
    protocol_alone("__imatmul__", "imatmul", 1),
    protocol_alone("__iand__", "iand", 1),
    protocol_alone("__ior__", "ior", 1),
    protocol_alone("__ixor__", "ixor", 1),
    protocol_alone("__ilshift__", "ilshift", 1),
    protocol_alone("__irshift__", "irshift", 1),
    protocol_alone("__neg__", "neg", 0),
    protocol_alone("__pos__", "pos", 0),
    protocol_alone("__abs__", "abs", 0),
    protocol_alone("__invert__", "invert", 0),
    protocol_alone("__int__", "int", 0),
    protocol_alone("__float__", "float", 0),
    protocol_alone("__index__", "index", 0),
    protocol_method("__reversed__", 0),
    protocol_method("__length_hint__", 0),
    protocol_method("__copy__", 0),
    protocol_method("__deepcopy__", 1),
    protocol_any("__replace__"),
    protocol_method("__reduce__", 0),
    protocol_method("__reduce_ex__", 1),
    protocol_method("__getstate__", 0),
    protocol_method("__setstate__", 1),
    protocol_method("__getnewargs__", 0),
    protocol_method("__getnewargs_ex__", 0),
    protocol_method("__format__", 1),
    protocol_method("__bytes__", 0),
    protocol_method("__complex__", 0),
    protocol_any("__round__"),
    protocol_method("__trunc__", 0),
    protocol_method("__floor__", 0),
    protocol_method("__ceil__", 0),
    protocol_method("__dir__", 0),
    protocol_method("__sizeof__", 0),
    protocol_method("__fspath__", 0),
    protocol_method("__class_getitem__", 1),
    protocol_any("__init_subclass__"),
    protocol_method("__await__", 0),
    protocol_method("__aiter__", 0),
    protocol_method("__anext__", 0),
    protocol_method("__aenter__", 0),
    protocol_method("__aexit__", 3),
    protocol_any("__array__"),
    protocol_any("__dlpack__"),
    protocol_method("__dlpack_device__", 0),
    protocol_method("__rich_repr__", 0),
    protocol_method("__getattr__", 1),
    protocol_method("__setattr__", 2),
    protocol_method("__delattr__", 1),
    protocol_method("__get__", 2),
    protocol_method("__set__", 2),
    protocol_method("__delete__", 1),
    protocol_method("__set_name__", 2),
    protocol_method("__missing__", 1),
];

pub(super) fn find_protocol(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.name == name)
}

pub(super) fn protocol_names() -> impl Iterator<Item = &'static str> {
    PROTOCOLS.iter().map(|protocol| protocol.name)
}

pub(super) fn is_special(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// `a += b` and its like: Python assigns their result to `a`.
pub(super) fn is_in_place(shown: Shown) -> bool {
    matches!(shown, Shown::Protocol { visit, slots: 1, .. } if visit.starts_with('i') && !matches!(visit, "iter" | "invert" | "int" | "index"))
}

/// Comparisons, `a + b` and `a += b`, which may leave the decision to the other operand.
pub(super) fn is_operator(shown: Shown) -> bool {
    match shown {
        Shown::Protocol {
            visit: "assign_item", ..
        }
        | Shown::Method => false,
        Shown::Protocol { slots, .. } => slots > 1 || is_in_place(shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_special() {
        for (i, name) in protocol_names().enumerate() {
            assert!(is_special(name), "{name}");
            assert!(
                !protocol_names().take(i).any(|other| other == name),
                "{name} is listed twice"
            );
            assert!(
                super::super::check_methods::what_to_write_instead(name).is_none(),
                "{name}"
            );
        }
    }

    #[test]
    fn every_slot_of_a_group_is_there() {
        for protocol in PROTOCOLS {
            let Shown::Protocol { visit, slots, .. } = protocol.shown else {
                continue;
            };
            let found = PROTOCOLS
                .iter()
                .filter(|p| matches!(p.shown, Shown::Protocol { visit: v, .. } if v == visit));
            assert_eq!(found.count(), slots, "{visit}");
        }
    }

    #[test]
    fn in_place() {
        let names: Vec<_> = PROTOCOLS
            .iter()
            .filter(|p| is_in_place(p.shown))
            .map(|p| p.name)
            .collect();
        assert_eq!(names.len(), 12, "{names:?}");
    }
}
