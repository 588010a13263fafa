"""What is in a lock file, as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lockgraph import Lock, Package

# A path longer than that is shown without its middle.
LONGEST = 10


def report(lock: Lock, top: int) -> Iterator[str]:
    """The whole report."""
    edges = sum(len(package.dependencies) for package in lock)
    yield f"{lock.path or 'a text'}: {len(lock)} packages, {edges} dependencies, format {lock.format}"
    roots = lock.roots()
    yield f"Nothing depends on {some([label(package) for package in roots], 4)}"
    yield from depended(lock, top)
    yield from deepest(roots)
    yield from duplicated(lock, top)


def label(package: Package) -> str:
    return f"{package.name} {package.version}"


def some(words: list[str], limit: int) -> str:
    """The first words of a list, and how many more there are."""
    return ", ".join(words[:limit]) + (f" and {len(words) - limit} more" if len(words) > limit else "")


def table(rows: Iterable[tuple[str, int, int]], head: tuple[str, str, str]) -> Iterator[str]:
    rows = list(rows)
    width = max([30, len(head[0]) - 2, *(len(name) for name, *_ in rows)])
    yield f"{head[0]:<{width + 2}}{head[1]:>9}{head[2]:>9}"
    for name, first, second in rows:
        yield f"  {name:<{width}}{first:>9}{second:>9}"


def depended(lock: Lock, top: int) -> Iterator[str]:
    """The packages that most others depend on."""
    yield ""
    rows = ((label(package), direct, in_all) for package, direct, in_all in lock.most_depended(top))
    yield from table(rows, ("Depended on most", "directly", "in all"))


def deepest(roots: list[Package]) -> Iterator[str]:
    """The shortest path between a root and the package that is farthest from it."""
    # A closure comes nearest first.
    ends = [(root, closure[-1]) for root in roots if (closure := root.closure())]
    paths = [path for root, last in ends if (path := root.path_to(last))]
    if not paths:
        return
    path = max(paths, key=len)
    yield ""
    yield f"The shortest path from {label(path[0])} to {label(path[-1])}, {len(path) - 1} steps"
    shown = [label(package) for package in path]
    if len(shown) > LONGEST:
        shown[LONGEST // 2 : -LONGEST // 2] = ["…"]
    for depth, name in enumerate(shown):
        yield f"  {'  ' * depth}{name}"


def duplicated(lock: Lock, top: int) -> Iterator[str]:
    """The names with more than one version."""
    duplicates = lock.duplicates()
    yield ""
    yield f"In more than one version: {len(duplicates) or 'none'}"
    width = max(map(len, duplicates), default=0)
    for name, versions in list(duplicates.items())[:top]:
        yield f"  {name:<{width}}  {', '.join(versions)}"
    if len(duplicates) > top:
        yield f"  and {len(duplicates) - top} more"
