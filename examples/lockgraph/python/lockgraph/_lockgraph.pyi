# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `lockgraph`."""

import os
from typing import Any, Self

import pairbond

__all__ = [
    "Lock",
    "Package",
    "Packages",
    "parse",
    "read",
]

class Package(pairbond.Object):
    """A package of a lock file: a node of the graph, with edges both ways."""

    __match_args__ = ("name", "version", "source", "checksum")
    @property
    def name(self) -> str:
        """As in its Cargo.toml."""
    @property
    def version(self) -> str:
        """The version that was locked."""
    @property
    def source(self) -> str | None:
        """Where it comes from (`registry+https://…`); None for packages of the workspace and path
        dependencies.
        """
    @property
    def checksum(self) -> str | None:
        """SHA-256 of its archive, in hexadecimal digits."""
    @property
    def dependencies(self) -> pairbond.List[Package]:
        """Its dependencies."""
    @property
    def dependents(self) -> pairbond.List[Package]:
        """What depends on it."""
    note: str | None
    """Anything you want to remember of it."""
    def __init__(
        self, name: str, version: str = "0.0.0", source: str | None = None, checksum: str | None = None
    ) -> None:
        """A package without edges."""
    def depend_on(self, other: Package) -> None:
        """Makes this package depend on another: an edge there and an edge back. Does nothing when it
        does already.
        """
    def closure(self) -> list[Package]:
        """The packages that this one needs, directly or not, nearest first. Itself is not among them,
        even if it is in a cycle.
        """
    def needed_by(self) -> list[Package]:
        """The packages that need this one, directly or not, nearest first. Itself is not among them."""
    def path_to(self, other: Package) -> list[Package] | None:
        """The shortest way from this package to another along dependencies, both included; None if
        there is none.
        """
    def __repr__(self) -> str: ...

class Lock(pairbond.Object):
    """A lock file: its packages, in its order."""

    @property
    def path(self) -> str | None:
        """The file that it was read from; None if it was parsed from a text."""
    @property
    def format(self) -> int:
        """The version of the format, 1 to 4."""
    @property
    def packages(self) -> pairbond.List[Package]:
        """All packages."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def by_name(self, name: str) -> list[Package]:
        """The packages of that name; there is one for each version and source."""
    def roots(self) -> list[Package]:
        """The packages that nothing depends on."""
    def most_depended(self, n: int = 10) -> list[tuple[Package, int, int]]:
        """The `n` packages that most others depend on, each with how many do directly and how many in
        all.
        """
    def duplicates(self) -> dict[str, list[str]]:
        """The names that occur more than once, each with its versions."""
    def __len__(self) -> int: ...
    def __getitem__(self, key: str, /) -> Package:
        """The package with that name, or with that name and version (`"syn 2.0.1"`)."""
    def __iter__(self) -> Packages: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __repr__(self) -> str: ...

class Packages(pairbond.Object):
    """An iterator over the packages that a lock had when it was asked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> Package: ...

def read(path: str | os.PathLike[str]) -> Lock:
    """Reads a Cargo.lock.

    Raises OSError if the file cannot be read, and ValueError, with the place in the file, if it is
    not a lock file or lacks a package.
    """

def parse(text: str) -> Lock:
    """Reads a lock file from its text.

    Raises ValueError, with the place in the text, if it is not a lock file or lacks a package.
    """
