"""pairbond's peer as a library that `pairbond.load` loads: one file without Python, for every version of it."""

import sys
from pathlib import Path

import pairbond
from pairbond import move  # noqa: F401

_found = (Path(folder, "libpairbond_loaded.so") for folder in sys.path)
_library = pairbond.load(next(file for file in _found if file.exists()))
globals().update({name: getattr(_library, name) for name in _library.__all__})

VERSION = f"pairbond {_library.version()}, loaded"

closure = _library.make_closure()
