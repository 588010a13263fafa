"""What native code calls while it reads and writes files. Calling Python at all lets signals in: Ctrl-C ends it."""

from __future__ import annotations

import importlib.util
import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pairbond

__all__: list[str] = []


def _name(file: Any) -> str:
    """What an open file is called: that of a pipe or socket is a number."""
    name = getattr(file, "name", None)
    if isinstance(name, int):
        mode = os.fstat(name).st_mode
        kinds = (("pipe", stat.S_ISFIFO), ("socket", stat.S_ISSOCK))
        return next((f"<{what}>" for what, is_it in kinds if is_it(mode)), f"<file descriptor {name}>")
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else "<stream>"


def _reader(file: Any) -> tuple[str, int | None, Callable[..., bytes]]:
    """How it is called, how many bytes that are, if that is known, and what reads some, or again from some place."""
    own = not hasattr(file, "read")
    name = os.fsdecode(file) if own else _name(file)
    of: Any = open(file, "rb", buffering=0) if own else file  # noqa: SIM115
    try:
        begin = of.tell()
        total = of.seek(0, io.SEEK_END) - begin if own else None
        of.seek(begin)
    except (AttributeError, OSError):
        begin = total = None

    def read(most: int | None, again: int | None = None) -> bytes:
        if most is None:
            if own:
                of.close()
            return b""
        if again is not None:
            if begin is None or isinstance(of, io.TextIOBase):
                raise io.UnsupportedOperation("seek")
            of.seek(begin + again)
        found = of.read(most)
        if found is None:
            raise BlockingIOError("nothing to read yet: a file must wait for what comes")
        return found.encode() if isinstance(found, str) else bytes(found)

    return str(name).encode(errors="replace").decode(), total, read


def _watcher(
    progress: bool | Callable[[int, int | None], Any] | None, total: int | None, name: str
) -> Callable[[int | None], None]:
    """Is told how many bytes were read, and None at the end."""
    if callable(progress):
        return lambda done: None if done is None else progress(done, total)
    if not progress or importlib.util.find_spec("tqdm") is None:
        return lambda done: None
    from tqdm import tqdm  # type: ignore[import-untyped]

    bar = tqdm(total=total, desc=Path(name).name, unit="B", unit_scale=True)

    def show(done: int | None) -> None:
        if done is None:
            bar.close()
        else:
            bar.update(done - bar.n)

    return show


def _writer(file: Any, binary: bool) -> Callable[[str | None], None]:
    """Takes text, and None at the end."""
    file = sys.stdout if file is None else file
    own = not hasattr(file, "write")
    to: Any = open(file, "w", encoding="utf-8", newline="\n") if own else file  # noqa: SIM115

    as_bytes = isinstance(to, io.BufferedIOBase) or (binary and not own)

    def write(text: str | None) -> None:
        if text is None:
            if own:
                to.close()
        elif isinstance(to, io.RawIOBase):
            left = memoryview(text.encode())
            while left:
                left = left[to.write(left) or 0 :]
        else:
            data: Any = text.encode() if as_bytes else text
            to.write(data)

    return write


pairbond.register_function("pairbond_ir.reader", _reader, True)
pairbond.register_function("pairbond_ir.watcher", _watcher, True)
pairbond.register_function("pairbond_ir.writer", _writer, True)
