#!/usr/bin/env python3
"""Draws the pictures of README.md and docs/: docs/pictures/*.svg, which are committed.

draw_pictures.py            custody.svg and states.svg, and badges that say what Cargo.toml and pyproject.toml say
draw_pictures.py --graph    graph.svg as well, by pairbond.graph: needs shop, pairbond and graphlay on the path
draw_pictures.py --check    compares instead of writing; the exit status is 1 if a picture is stale

Colours are those of `pairbond.graph`. Each picture has a light background of its own, for dark pages.
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
RUST, PYTHON, GREY, TEXT = ("#c2410c", "#fff7ed"), ("#2563eb", "#eff6ff"), ("#9ca3af", "#f3f4f6"), "#111827"


class Drawing:
    """SVG, part by part."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        self.title = title
        self.parts = [f'<rect width="{width}" height="{height}" rx="12" fill="#ffffff"/>']

    def box(
        self, x: float, y: float, w: float, h: float, look: tuple[str, str], *lines: str, dash: str = "", r: int = 4
    ) -> None:
        """A box around its centre, with lines of text."""
        stroke, fill = look
        style = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<rect x="{x - w / 2:g}" y="{y - h / 2:g}" width="{w:g}" height="{h:g}" rx="{r}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="1.5"{style}/>'
        )
        for at, line in enumerate(lines):
            self.text(x, y + (at - (len(lines) - 1) / 2) * 17 + 4.5, line, TEXT if at == 0 else "#6b7280")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = TEXT,
        size: int = 13,
        anchor: str = "middle",
        weight: str = "",
    ) -> None:
        bold = f' font-weight="{weight}"' if weight else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" font-size="{size}"{bold}>'
            f"{escape(text)}</text>"
        )

    def arrow(self, path: str, look: tuple[str, str], dash: str = "", both: bool = False) -> None:
        name = {RUST: "rust", PYTHON: "python", GREY: "grey"}[look]
        style = f' stroke-dasharray="{dash}"' if dash else ""
        start = f' marker-start="url(#{name})"' if both else ""
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{look[0]}" stroke-width="1.7"{style}{start} '
            f'marker-end="url(#{name})"/>'
        )

    def svg(self) -> str:
        markers = "".join(
            f'<marker id="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" '
            f'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{look[0]}"/></marker>'
            for name, look in (("rust", RUST), ("python", PYTHON), ("grey", GREY))
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {self.size} role="img" '
            f"font-family=\"system-ui, -apple-system, 'Segoe UI', sans-serif\">"
        )
        return "\n".join(
            [head, f"<title>{escape(self.title)}</title>", f"<defs>{markers}</defs>", *self.parts, "</svg>", ""]
        )


def custody() -> str:
    """Two heaps, and pairs across the border."""
    it = Drawing(820, 330, "Native objects in Rust's heap, each with at most one Python wrapper")
    it.parts.append('<rect x="16" y="16" width="788" height="138" rx="10" fill="#f8fbff" stroke="#dbeafe"/>')
    it.parts.append('<rect x="16" y="176" width="788" height="138" rx="10" fill="#fffaf5" stroke="#fed7aa"/>')
    it.text(34, 40, "Python", PYTHON[0], 14, "start", "bold")
    it.text(34, 300, "Rust", RUST[0], 14, "start", "bold")
    it.text(34, 169.5, "one wrapper for each object", "#6b7280", 12, "start")
    columns = {"Cart": 250, "List": 410, "Item": 560, "Book": 710}
    for name in ("Cart", "Book"):
        it.box(columns[name], 110, 112, 46, PYTHON, f"{name}", "wrapper", r=10)
    it.box(columns["List"], 110, 112, 46, GREY, "List", "dormant", dash="4 3", r=10)
    for name, x in columns.items():
        it.box(x, 230, 112, 46, RUST, name, "object")
        if name != "Item":
            it.arrow(f"M{x},207 L{x},134", GREY, both=True)
    it.text(columns["Item"], 114, "not seen yet:", "#6b7280", 12)
    it.text(columns["Item"], 130, "no wrapper", "#6b7280", 12)
    it.box(90, 110, 96, 34, PYTHON, "cart", r=17)
    it.arrow("M138,110 L193,110", PYTHON, "5 3")
    it.arrow("M250,87 C250,50 300,46 480,46 S710,50 710,86", PYTHON, "5 3")
    it.text(480, 66, "cart.favourite, an attribute", PYTHON[0], 12)
    it.arrow("M306,230 L353,230", RUST)
    it.text(330, 222, ".items", RUST[0], 12)
    it.arrow("M466,230 L503,230", RUST)
    it.arrow("M410,253 C410,296 470,290 560,290 S710,290 710,254", RUST)
    it.box(90, 230, 96, 34, RUST, "a static", r=17)
    it.arrow("M138,230 L193,230", RUST)
    return it.svg()


def states() -> str:
    """Custody as a diagram."""
    it = Drawing(880, 290, "The states of custody: unwrapped, native custody, Python custody")
    it.box(124, 120, 212, 92, GREY, "Unwrapped", "the object lives by its", "native references", r=8)
    it.box(
        440, 120, 212, 92, RUST, "Native custody", "native code holds the object,", "the object holds the wrapper", r=8
    )
    it.box(
        756, 120, 212, 92, PYTHON, "Python custody", "Python holds the wrapper,", "the wrapper holds the object", r=8
    )
    it.arrow("M230,120 L333,120", GREY)
    it.text(282, 110, "Python looks", "#6b7280", 12)
    it.text(282, 138, "at it first", "#6b7280", 12)
    it.arrow("M546,96 L649,96", RUST)
    it.text(598, 68, "the last native", "#6b7280", 12)
    it.text(598, 84, "reference goes", "#6b7280", 12)
    it.arrow("M650,144 L547,144", PYTHON)
    it.text(598, 164, "native code", "#6b7280", 12)
    it.text(598, 180, "takes a reference", "#6b7280", 12)
    it.arrow("M440,167 C440,246 124,246 124,168", GREY, "5 3")
    it.text(282, 250, "trim() gives back a dormant wrapper that cannot be missed", "#6b7280", 12)
    it.arrow("M440,73 C440,26 124,26 124,72", GREY, "5 3")
    it.text(282, 28, "the interpreter ends", "#6b7280", 12)
    it.arrow("M756,167 L756,226", PYTHON)
    it.text(756, 246, "Python's last reference goes:", "#6b7280", 12)
    it.text(756, 262, "both die, __del__ runs once", "#6b7280", 12)
    return it.svg()


def badge(name: str, value: str) -> Callable[[], str]:
    """A badge of two words, as they are known from other READMEs."""

    def drawn() -> str:
        left, right = 7 * len(name) + 16, 7 * len(value) + 16
        it = Drawing(left + right, 20, f"{name}: {value}")
        it.parts = [
            f'<rect width="{left + right}" height="20" rx="4" fill="#4b5563"/>',
            f'<path d="M{left},0 h{right - 4} a4,4 0 0 1 4,4 v12 a4,4 0 0 1 -4,4 h-{right - 4} z" fill="{RUST[0]}"/>',
        ]
        it.text(left / 2, 14, name, "#ffffff", 11)
        it.text(left + right / 2, 14, value, "#ffffff", 11)
        return it.svg()

    return drawn


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


def by_hand() -> dict[str, Callable[[], str]]:
    """All that is drawn without building anything, by the names of files."""
    return {"custody.svg": custody, "states.svg": states} | badges()


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
    drawings = by_hand() | ({"graph.svg": graph} if options.graph else {})
    if options.check:
        for name in (found := stale(drawings)):
            print(f"draw_pictures: {name} is stale: scripts/py scripts/draw_pictures.py", file=sys.stderr)
        sys.exit(bool(found))
    PICTURES.mkdir(exist_ok=True)
    for name, draw in drawings.items():
        (PICTURES / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
