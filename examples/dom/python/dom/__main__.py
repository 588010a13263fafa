"""Prints where the links of an HTML file lead, each target once: `python -m dom page.html`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import dom


def links(page: dom.Node) -> Iterator[tuple[str, str]]:
    """Target and text of each link, in the order of the page."""
    found: dict[str, dom.Node] = {}
    for link in page.select("a[href]"):
        first = found.setdefault(link["href"], link)
        first.seen = True
        if first is link:
            yield link["href"], link.text.strip()


def main() -> None:
    for target, text in links(dom.parse(Path(sys.argv[1]).read_text())):
        print(f"{target}\t{text}")


if __name__ == "__main__":
    main()
