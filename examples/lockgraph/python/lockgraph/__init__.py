"""A Cargo.lock as a graph of native objects.

>>> lock = lockgraph.read("Cargo.lock")
>>> lock["serde"].dependents[0].path_to(lock["serde"])
[<Package toml 1.2.1>, <Package serde 1.0.229>]

The packages are Rust objects that refer to each other in both directions. Python sees each as one object, with
identity, attributes, subclasses and weak references; `python -m lockgraph [Cargo.lock]` shows it.
"""

from lockgraph._lockgraph import Lock, Package, Packages, parse, read

__all__ = ["Lock", "Package", "Packages", "parse", "read"]
