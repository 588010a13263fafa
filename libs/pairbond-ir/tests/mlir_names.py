"""The public names of MLIR's bindings as JSON, by module, and of classes their members.

test_mlir_table.py compares them with ours.
"""

import enum
import importlib
import json
import types

MODULES = ("ir", "passmanager", "extras.types")
#: What modules import, and what each object has.
OTHERS = {
    "annotations",
    "contextmanager",
    "np",
    "Generator",
    "partial",
    "Optional",
    "Callable",
    "List",
    "Sequence",
    "Union",
}


def members(cls):
    """What a class has beyond what each has: of enumerations, their members."""
    if issubclass(cls, enum.Enum):
        return sorted(cls.__members__)
    known = set(dir(object)) | {"__module__", "__dict__", "__weakref__", "__annotations__", "__static_attributes__"}
    special = {
        "__len__",
        "__getitem__",
        "__setitem__",
        "__delitem__",
        "__iter__",
        "__contains__",
        "__add__",
        "__enter__",
        "__exit__",
    }
    special |= {
        "__next__",
        "__call__",
        "__int__",
        "__float__",
        "__bool__",
        "__mul__",
        "__sub__",
        "__mod__",
        "__radd__",
        "__rmul__",
    }
    return sorted(it for it in set(dir(cls)) - known if not it.startswith("_") or it in special)


def names(package):
    found = {}
    for name in MODULES:
        module = importlib.import_module(f"{package}.{name}")
        public = {
            it: value
            for it, value in vars(module).items()
            if not it.startswith("_") and it not in OTHERS and not isinstance(value, types.ModuleType)
        }
        if name == "extras.types":
            public = {it: value for it, value in public.items() if not isinstance(value, type)}
        found[name] = {it: members(value) if isinstance(value, type) else None for it, value in sorted(public.items())}
    return found


if __name__ == "__main__":
    print(json.dumps(names("jaxlib.mlir"), indent=0, sort_keys=True))
