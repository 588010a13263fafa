"""Turns rounds into tables: ratios to the floor first, absolute times last and with a warning."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

from . import cases

ABSENT = "absent"


def ratio(times: list[float], floor: list[float]) -> str:
    """Median of the paired rounds, with quartiles: the pairs met the same load."""
    pairs = [a / b for a, b in zip(times, floor, strict=False)]
    low, middle, high = statistics.quantiles(pairs, n=4, method="inclusive") if len(pairs) > 1 else pairs * 3
    return f"**{middle:.2f}** ({low:.2f}–{high:.2f})"


class Report:
    def __init__(self, names: list[str], interpreter: str, settings: str):
        self.names = names
        self.interpreter = interpreter
        self.settings = settings
        self.missing: dict[str, str] = {}
        self.checks: dict[str, dict] = {}
        self.times: dict[str, dict[str, list[float]]] = {}
        self.memory: dict[str, dict[str, float]] = {}
        self.footnotes: list[str] = []

    def add_times(self, results: dict[str, dict[str, list[float]]]) -> None:
        for key, per_name in results.items():
            for name, rounds in per_name.items():
                self.times.setdefault(key, {}).setdefault(name, []).extend(rounds)

    def mark(self, name: str, key: str) -> str:
        note = self.checks[name]["notes"].get(key)
        if not note:
            return ""
        text = f"{name}: {note}"
        if text not in self.footnotes:
            self.footnotes.append(text)
        return f" [{self.footnotes.index(text) + 1}]"

    def row(self, case: cases.Case, cell) -> str | None:
        cells = []
        for name in self.names:
            if name in self.missing:
                cells.append(ABSENT)
            elif case.key in self.checks[name]["absent"]:
                cells.append("–")
            else:
                text = cell(name)
                cells.append("–" if text is None else text + self.mark(name, case.key))
        if all(c in ("–", ABSENT) for c in cells):
            return None
        return f"| {case.title} | " + " | ".join(cells) + " |"

    def table(self, rows: list[str | None]) -> list[str]:
        head = ["| | " + " | ".join(self.names) + " |", "|---|" + "---|" * len(self.names)]
        return [*head, *(row for row in rows if row), ""]

    def ratio_rows(self) -> list[str | None]:
        def timed(key: str):
            per_name = self.times.get(key, {})
            return lambda name: ratio(per_name[name], per_name["floor"]) if name in per_name else None

        def on_off(kind: str):
            def cell(name: str) -> str | None:
                off, on = (self.times.get(f"{kind}_{gc}", {}).get(name) for gc in ("off", "on"))
                return ratio(on, off) if on and off else None

            return cell

        def weighed(key: str):
            def cell(name: str) -> str | None:
                bytes_, floor = self.memory.get(name, {}).get(key), self.memory.get("floor", {}).get(key)
                return f"**{bytes_ / floor:.2f}** ({bytes_:.0f} B)" if bytes_ and floor else None

            return cell

        rows = [self.row(case, timed(case.key)) for case in [*cases.CASES, *cases.BULK, *cases.LEAVES]]
        rows.append(self.row(cases.BULK_RATIO, on_off("bulk")))
        rows.append(self.row(cases.LEAF_RATIO, on_off("leaf")))
        return rows + [self.row(case, weighed(case.key)) for case in cases.MEMORY]

    def absolute_rows(self) -> list[str | None]:
        def cell(key: str):
            per_name = self.times.get(key, {})
            return lambda name: f"{statistics.median(per_name[name]):.1f}" if name in per_name else None

        return [self.row(case, cell(case.key)) for case in [*cases.CASES, *cases.BULK, *cases.LEAVES]]

    def promise_rows(self) -> list[str | None]:
        return [
            self.row(case, lambda name, key=case.key: "yes" if self.checks[name]["promises"][key] else "no")
            for case in cases.PROMISES
        ]

    def markdown(self) -> str:
        versions = [f"- {name}: {self.checks[name]['version']}" for name in self.names if name in self.checks]
        missing = [f"- **{name} is absent**: {reason}" for name, reason in self.missing.items()]
        ratios, promised = self.table(self.ratio_rows()), self.table(self.promise_rows())
        absolute = self.table(self.absolute_rows())
        notes = [f"{i}. {text}" for i, text in enumerate(self.footnotes, 1)]
        return "\n".join(
            [
                f"## {self.interpreter}",
                "",
                f"Ratios to the floor, median (quartiles) of paired rounds; {self.settings}.",
                "",
                *ratios,
                *notes,
                *([""] if notes else []),
                *versions,
                *missing,
                "",
                "What one gets for it:",
                "",
                *promised,
                "<details><summary>Medians in nanoseconds: of a shared, noisy machine, "
                "not to be compared with others</summary>",
                "",
                *absolute,
                "</details>",
            ]
        )


HEADER = """# Benchmarks

Written by `python benches/run.py --write docs/benchmarks.md`, one section per interpreter, and
`python benches/callgrind.py --write docs/benchmarks.md`; how they measure is told in `benches/README.md`.
"""


def write_section(path: Path, key: str, text: str) -> None:
    """Replaces the section of that key, or adds it, and leaves the others as they are."""
    old = path.read_text() if path.exists() else HEADER
    begin, end = f"<!-- begin {key} -->", f"<!-- end {key} -->"
    block = f"{begin}\n{text.rstrip()}\n{end}\n"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end) + "\n", re.DOTALL)
    new = pattern.sub(lambda _: block, old) if pattern.search(old) else f"{old.rstrip()}\n\n{block}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(new)
