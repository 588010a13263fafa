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

const fn one(name: &'static str, visit: &'static str, parameters: usize) -> Protocol {
    slot(name, visit, 0, 1, parameters)
}

const fn slot(
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

const fn method(name: &'static str, parameters: usize) -> Protocol {
    Protocol {
        name,
        shown: Shown::Method,
        parameters: Some(parameters),
    }
}

const fn any(name: &'static str) -> Protocol {
    Protocol {
        name,
        shown: Shown::Method,
        parameters: None,
    }
}

const PROTOCOLS: &[Protocol] = &[
    one("__repr__", "repr", 0),
    one("__str__", "str", 0),
    one("__hash__", "hash", 0),
    one("__len__", "len", 0),
    one("__bool__", "bool", 0),
    one("__contains__", "contains", 1),
    one("__getitem__", "get_item", 1),
    slot("__setitem__", "assign_item", 0, 2, 2),
    slot("__delitem__", "assign_item", 1, 2, 1),
    one("__iter__", "iter", 0),
    one("__next__", "next", 0),
    one("__buffer__", "buffer", 0),
    Protocol {
        name: "__call__",
        shown: Shown::Protocol {
            visit: "call",
            slot: 0,
            slots: 1,
        },
        parameters: None,
    },
    one("__enter__", "enter", 0),
    one("__exit__", "exit", 3),
    slot("__lt__", "compare", 0, 6, 1),
    slot("__le__", "compare", 1, 6, 1),
    slot("__eq__", "compare", 2, 6, 1),
    slot("__ne__", "compare", 3, 6, 1),
    slot("__gt__", "compare", 4, 6, 1),
    slot("__ge__", "compare", 5, 6, 1),
    slot("__add__", "add", 0, 2, 1),
    slot("__radd__", "add", 1, 2, 1),
    slot("__sub__", "sub", 0, 2, 1),
    slot("__rsub__", "sub", 1, 2, 1),
    slot("__mul__", "mul", 0, 2, 1),
    slot("__rmul__", "mul", 1, 2, 1),
    slot("__truediv__", "truediv", 0, 2, 1),
    slot("__rtruediv__", "truediv", 1, 2, 1),
    slot("__floordiv__", "floordiv", 0, 2, 1),
    slot("__rfloordiv__", "floordiv", 1, 2, 1),
    slot("__mod__", "modulo", 0, 2, 1),
    slot("__rmod__", "modulo", 1, 2, 1),
    slot("__matmul__", "matmul", 0, 2, 1),
    slot("__rmatmul__", "matmul", 1, 2, 1),
    slot("__and__", "and", 0, 2, 1),
    slot("__rand__", "and", 1, 2, 1),
    slot("__or__", "or", 0, 2, 1),
    slot("__ror__", "or", 1, 2, 1),
    slot("__xor__", "xor", 0, 2, 1),
    slot("__rxor__", "xor", 1, 2, 1),
    slot("__lshift__", "lshift", 0, 2, 1),
    slot("__rlshift__", "lshift", 1, 2, 1),
    slot("__rshift__", "rshift", 0, 2, 1),
    slot("__rrshift__", "rshift", 1, 2, 1),
    slot("__pow__", "pow", 0, 2, 1),
    slot("__rpow__", "pow", 1, 2, 1),
    slot("__divmod__", "divmod", 0, 2, 1),
    slot("__rdivmod__", "divmod", 1, 2, 1),
    one("__iadd__", "iadd", 1),
    one("__isub__", "isub", 1),
    one("__imul__", "imul", 1),
    one("__itruediv__", "itruediv", 1),
    one("__ifloordiv__", "ifloordiv", 1),
    one("__imod__", "imod", 1),
    one("__imatmul__", "imatmul", 1),
    one("__iand__", "iand", 1),
    one("__ior__", "ior", 1),
    one("__ixor__", "ixor", 1),
    one("__ilshift__", "ilshift", 1),
    one("__irshift__", "irshift", 1),
    one("__neg__", "neg", 0),
    one("__pos__", "pos", 0),
    one("__abs__", "abs", 0),
    one("__invert__", "invert", 0),
    one("__int__", "int", 0),
    one("__float__", "float", 0),
    one("__index__", "index", 0),
    method("__reversed__", 0),
    method("__length_hint__", 0),
    method("__copy__", 0),
    method("__deepcopy__", 1),
    any("__replace__"),
    method("__reduce__", 0),
    method("__reduce_ex__", 1),
    method("__getstate__", 0),
    method("__setstate__", 1),
    method("__getnewargs__", 0),
    method("__getnewargs_ex__", 0),
    method("__format__", 1),
    method("__bytes__", 0),
    method("__complex__", 0),
    any("__round__"),
    method("__trunc__", 0),
    method("__floor__", 0),
    method("__ceil__", 0),
    method("__dir__", 0),
    method("__sizeof__", 0),
    method("__fspath__", 0),
    method("__class_getitem__", 1),
    any("__init_subclass__"),
    method("__await__", 0),
    method("__aiter__", 0),
    method("__anext__", 0),
    method("__aenter__", 0),
    method("__aexit__", 3),
    any("__array__"),
    any("__dlpack__"),
    method("__dlpack_device__", 0),
    method("__rich_repr__", 0),
    method("__getattr__", 1),
    method("__setattr__", 2),
    method("__delattr__", 1),
    method("__get__", 2),
    method("__set__", 2),
    method("__delete__", 1),
    method("__set_name__", 2),
    method("__missing__", 1),
];

pub(super) fn lookup(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.name == name)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
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
        for (i, name) in names().enumerate() {
            assert!(is_special(name), "{name}");
            assert!(
                !names().take(i).any(|other| other == name),
                "{name} is listed twice"
            );
            assert!(super::super::check::instead(name).is_none(), "{name}");
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
