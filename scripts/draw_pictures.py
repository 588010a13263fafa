#!/usr/bin/env python3
"""Draws those pictures of README.md and docs/ that show what programs know: in docs/pictures, which are committed.
The others, custody.svg and states.svg, are files that are edited.

draw_pictures.py            badges that say what Cargo.toml and pyproject.toml say
draw_pictures.py --graph    graph.svg as well, by pairbond.graph: needs shop, pairbond and graphlay on the path
draw_pictures.py --check    compares instead of writing; the exit status is 1 if a picture is stale

Each picture has a light background of its own, for dark pages.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Callable
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"


def badge(name: str, value: str) -> Callable[[], str]:
    """A badge of two words, as they are known from other READMEs."""

    left, right = 7 * len(name) + 16, 7 * len(value) + 16
    text = '<text x="{:g}" y="14" text-anchor="middle" fill="#ffffff" font-size="11">{}</text>'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + right} 20" width="{left + right}" height="20" '
        f'role="img" font-family="system-ui, -apple-system, \'Segoe UI\', sans-serif">',
        f"<title>{escape(name)}: {escape(value)}</title>",
        f'<rect width="{left + right}" height="20" rx="4" fill="#4b5563"/>',
        f'<path d="M{left},0 h{right - 4} a4,4 0 0 1 4,4 v12 a4,4 0 0 1 -4,4 h-{right - 4} z" fill="#c2410c"/>',
        text.format(left / 2, escape(name)),
        text.format(left + right / 2, escape(value)),
        "</svg>",
        "",
    ]
    return lambda: "\n".join(lines)


def badges() -> dict[str, Callable[[], str]]:
    """What is true of this checkout, by the names of files."""
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "badge-python.svg": badge("Python", project["requires-python"].replace(">=", "≥ ")),
        "badge-rust.svg": badge("Rust", f"≥ {workspace['rust-version']}"),
        "badge-licence.svg": badge("licence", workspace["license"].replace(" OR ", " or ")),
        "badge-version.svg": badge("version", f"{workspace['version']}, not released"),
    }


def graph() -> str:
    """The example of docs/how-to/leaks.md."""
    import pairbond
    import shop

    cart = shop.Cart()
    cart.items.append(shop.Item(3))
    cart.items.append(shop.Book(30, 200))
    cart.favourites = [cart.items[1]]
    cart.owner = shop.Cart()
    # Addresses are others each time.
    drawn = re.sub(r" at 0x[0-9a-f]+", "", pairbond.graph(cart).to_svg())
    head, rest = drawn.split("\n", 1)
    box = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', head)
    assert box is not None
    x, y, width, height = box.groups()
    return f'{head}\n<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="10" fill="#ffffff"/>\n{rest}'


def stale(drawings: dict[str, Callable[[], str]]) -> list[str]:
    """Those that are not what is committed."""

    def is_fresh(name: str, draw: Callable[[], str]) -> bool:
        path = PICTURES / name
        return path.exists() and path.read_text(encoding="utf-8") == draw()

    return [name for name, draw in drawings.items() if not is_fresh(name, draw)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", action="store_true", help="draw graph.svg as well")
    parser.add_argument("--check", action="store_true", help="compare with what is committed")
    options = parser.parse_args()
    drawings = badges() | ({"graph.svg": graph} if options.graph else {})
    if options.check:
        for name in (found := stale(drawings)):
            print(f"draw_pictures: {name} is stale: scripts/py scripts/draw_pictures.py", file=sys.stderr)
        sys.exit(bool(found))
    PICTURES.mkdir(exist_ok=True)
    for name, draw in drawings.items():
        (PICTURES / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
