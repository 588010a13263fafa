"""What managers of passes show of their passes while they run: texts, times, numbers."""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["PassDisplayMode", "Watching"]


class PassDisplayMode(enum.Enum):
    """How statistics are shown: by the name of the pass, or in the order in which passes ran."""

    LIST = 0
    PIPELINE = 1


class Watching:
    """Is called before and after each pass."""

    def __init__(self) -> None:
        self.before = self.after = self.only_changes = self.failure = self.whole = False
        self.verifies = self.times = False
        self.directory: str | None = None
        self.how: dict[str, Any] = {}
        self.statistics: PassDisplayMode | None = None
        self._files = 0
        self._clear()

    def _clear(self) -> None:
        self._open: list[tuple[float, int | None]] = []
        self._seconds: dict[str, float] = {}
        self._runs: dict[str, int] = {}
        self._changes: dict[str, int] = {}

    def __call__(self, event: str, name: str, op: Any) -> None:
        if event == "before":
            if self.before and op is not None:
                self._show(f"IR Dump Before {name}", op)
            compares = self.only_changes or self.statistics is not None
            looked_at = op.structural_hash() if compares and op is not None else None
            self._open.append((time.perf_counter(), looked_at))
            return
        began, looked_at = self._open.pop()
        self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - began
        self._runs[name] = self._runs.get(name, 0) + 1
        if event == "failed":
            if self.failure and op is not None:
                self._show(f"IR Dump After {name} Failed", op)
            return
        changed = looked_at is None or op is None or op.structural_hash() != looked_at
        if looked_at is not None:
            self._changes[name] = self._changes.get(name, 0) + changed
        if self.after and op is not None and (changed or not self.only_changes):
            self._show(f"IR Dump After {name}", op)
        if self.verifies and op is not None:
            op.verify()

    def _show(self, what: str, op: Any) -> None:
        shown = op
        if self.whole:
            while shown.parent is not None:
                shown = shown.parent
        text = f"// -----// {what} //----- //\n{shown.get_asm(**self.how).rstrip()}\n\n\n"
        if self.directory is None:
            sys.stderr.write(text)
            return
        folder = Path(self.directory)
        folder.mkdir(parents=True, exist_ok=True)
        word = what.removeprefix("IR Dump ").replace(" ", "_")
        (folder / f"{self._files}_{word}.mlir").write_text(text, encoding="utf-8")
        self._files += 1

    @contextmanager
    def whole_run(self) -> Iterator[None]:
        """Around all passes: what is known of them is shown at the end."""
        self._clear()
        began = time.perf_counter()
        try:
            yield
        finally:
            if self.statistics is not None:
                self._show_statistics(self.statistics)
            if self.times:
                self._show_times(time.perf_counter() - began)

    def _show_statistics(self, mode: PassDisplayMode) -> None:
        names = sorted(self._runs) if mode is PassDisplayMode.LIST else list(self._runs)
        lines = [f"{it}\n  (S) {self._runs[it]} runs\n  (S) {self._changes.get(it, 0)} changes\n" for it in names]
        _report("Pass statistics report", "".join(lines))

    def _show_times(self, total: float) -> None:
        rest = max(total - sum(self._seconds.values()), 0.0)
        lines = [f"  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n"]
        for name, seconds in [*self._seconds.items(), ("Rest", rest), ("Total", total)]:
            share = 100.0 * seconds / total if total else 100.0
            lines.append(f"  {seconds:8.4f} ({share:5.1f}%)  {name}\n")
        _report("Execution time report", "".join(lines))


def _report(title: str, text: str) -> None:
    line = f"===-{'-' * 73}-===\n"
    sys.stderr.write(f"{line}{f'... {title} ...':^79}\n{line}{text}\n")
