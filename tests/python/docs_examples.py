"""Runs the Python examples of a page of docs/, one after the other, as one program.

    docs_examples.py PAGE

Comments at the end of a statement are checked: `# → value` says what an expression is, as `repr` writes it, and
`# ValueError: text` what a statement raises, with a message that begins so. A comment `<!-- setup: code -->` before an
example is run as well, and not shown to readers; the example after `<!-- needs: module -->` is left out where there is
no such module.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import sys
import tokenize
import types
from collections.abc import Iterator
from pathlib import Path

PART = re.compile(r"^<!-- (setup|needs): ?(.*?)-->|^```python\n(.*?)^```$", flags=re.M | re.S)
RAISES = re.compile(r"(\w*Error)\b(?:: (.*))?")


def parts(text: str) -> Iterator[tuple[str, int, str]]:
    """What a page has: kind, line and text."""
    for match in PART.finditer(text):
        kind, code, example = match.groups()
        at = text.count("\n", 0, match.start()) + 2
        yield (kind, at, code.strip()) if kind else ("example", at, example)


def comments(code: str) -> dict[int, str]:
    """The comments by their lines."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {it.start[0]: it.string.removeprefix("#").strip() for it in tokens if it.type == tokenize.COMMENT}


def is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


class Wrong(Exception):
    """An example does not do what its page says."""


def run(statement: ast.stmt, comment: str, names: dict[str, object], file: str) -> None:
    """Runs a statement, and checks what its comment says."""
    if comment.startswith("→"):
        if not isinstance(statement, ast.Expr):
            raise Wrong("→ stands behind an expression")
        value = eval(compile(ast.Expression(statement.value), file, "eval"), names)
        if repr(value) != comment[1:].strip():
            raise Wrong(f"{value!r}, and the page says {comment}")
        return
    body = compile(ast.Module([statement], []), file, "exec")
    if not (match := RAISES.match(comment)):
        exec(body, names)
        return
    try:
        exec(body, names)
    except Exception as error:
        if type(error).__name__ != match[1] or not str(error).startswith(match[2] or ""):
            raise Wrong(f"{error!r}, and the page says {comment}") from error
    else:
        raise Wrong(f"no error, and the page says {comment}")


def run_page(page: Path) -> int:
    """Runs all of it. Returns the number of examples."""
    module = types.ModuleType("page")
    sys.modules["page"] = module
    count, wanted = 0, True
    for kind, line, code in parts(page.read_text(encoding="utf-8")):
        if kind == "needs":
            wanted = all(map(is_there, code.split()))
            continue
        if kind == "example" and not wanted:
            print(f"{page.name}:{line}: left out: a module is missing here")
            wanted = True
            continue
        said = comments(code)
        for statement in ast.parse(code).body:
            # A comment inside of a block is for readers.
            simple = statement.lineno == statement.end_lineno or isinstance(statement, ast.Expr)
            comment = said.get(statement.end_lineno, "") if simple else ""
            ast.increment_lineno(statement, line - 1)
            try:
                run(statement, comment, vars(module), str(page))
            except Exception as error:
                error.add_note(f"in {page}, line {statement.lineno}: {ast.unparse(statement)}")
                raise
        count, wanted = count + (kind == "example"), True
    return count


if __name__ == "__main__":
    print(run_page(Path(sys.argv[1])), "examples")
