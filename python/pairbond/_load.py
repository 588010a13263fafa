"""Loading libraries that bring no Python of their own."""

from __future__ import annotations

import os
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType

from pairbond._pairbond import _library_members, _library_number, _open_library

__all__ = ["load"]

# One at a time, as modules are imported: whoever comes second finds what the first has made.
_LOCK = threading.RLock()
# The modules of this interpreter, by the number of their library.
_MODULES: dict[int, ModuleType] = {}


def load(path: str | os.PathLike[str]) -> ModuleType:
    """Load a library of Rust, C or C++, and make a module of it.

    A library of Rust is a ``cdylib`` crate with a ``pairbond::module!``, built without the feature ``python``; one of C
    or C++ includes ``pairbond.h`` or ``pairbond.hpp`` and has a ``PB_LIBRARY``. No Python was needed to build it. Its
    classes and functions are what they would be in an extension module.

    The module is entered in ``sys.modules`` under the name that the library gives it, so that ``import`` and ``pickle``
    find it. Loading the same file again, or one that was imported, gives the same module. A library stays loaded until
    the process ends.

    :exc:`ImportError` says why a file is not such a library: another kind of file, a damaged one, another version of
    pairbond, a Python extension module (import that), or a type whose key is taken by one with another layout. It is
    raised as well when another module has the library's name. A file that cannot be read raises :exc:`OSError`.
    """
    path = os.path.abspath(os.fsdecode(path))
    if "\0" in path:
        raise ValueError("a path cannot contain a null character")
    with _LOCK:
        try:
            handle, number, name, doc = _open_library(path)
        except ImportError as error:
            error.path = path
            raise
        known = _MODULES.get(number)
        if known is not None:
            sys.modules.setdefault(name, known)
            return known
        other = sys.modules.get(name)
        if other is not None:
            if _library_number(other) == number:
                # It was imported.
                _MODULES[number] = other
                return other
            where = getattr(other, "__file__", None) or "built in"
            why = (
                f"{path} is a library of a module {name!r}, and there is another module of that name ({where}): "
                "it would be found in its place. If the file was built anew, start a new process"
            )
            raise ImportError(why, name=name, path=path)
        module = ModuleType(name, doc or None)
        module.__file__ = path
        module.__spec__ = ModuleSpec(name, None, origin=path)
        members = _library_members(handle, module)
        # Nothing is seen before all is there.
        module.__dict__.update(members, __all__=[name for name in members if not name.startswith("_")])
        sys.modules[name] = module
        _MODULES[number] = module
        return module


load.__module__ = "pairbond"
