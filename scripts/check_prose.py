"""Checks the prose of comments: phrases that the field does not use, comments that are too wide, commit subjects.

    check_prose.py            compare with scripts/check_prose.toml
    check_prose.py --show     print every place that counts
    check_prose.py --write    write check_prose.toml again: after places were rewritten

A part of `make lint`. The file has, for each crate or library, how many such places there are: none may be added, and
when some are rewritten the number has to be lowered. The aim is none, and 5 phrases in 10,000 words.

- phrases: `nobody`, `whoever`, and `what is`, `what was`, `what it`, `what they` in place of a noun.
- wide: comments beyond 100 columns, except rows of tables, which cannot be broken.
- empty: SAFETY comments that name no condition ("promised.", "the caller's contract.", "as above.", "attached.").
- contracts: unsafe functions without a section `# Safety`; callbacks and implementations of traits need none.

Subjects of commits that are on no other branch than this have 72 columns at most.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).with_suffix(".toml")
WIDTH = 100
SUBJECT = 72
#: Subjects are checked from here on.
SINCE = "7c335de"
COMMENT = re.compile(r"\s*(//[/!]?)\s?(.*)")
PHRASE = re.compile(r"\b(?:nobody|whoever|what (?:is|was|it|they))\b", re.IGNORECASE)
EMPTY = re.compile(
    r"SAFETY: (?:promised(?: by the caller)?|the caller's (?:promises|contract)|passed on to the caller"
    r"|as above|attached)\.(?:\s|$)"
)


UNSAFE = re.compile(r"(\s*)(?:pub(?:\([^)]*\))? )?(?:const )?unsafe fn \w+")
OF_TRAIT = re.compile(r"(\s*)(?:unsafe )?impl\b.* for ")


def sources() -> list[Path]:
    """The Rust files that git has."""
    output = subprocess.run(["git", "ls-files", "*.rs"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    return [path for name in output.splitlines() if (path := ROOT / name).exists()]


def part_of(path: Path) -> str:
    """The crate, library or folder of tests that a file belongs to."""
    return "/".join(path.relative_to(ROOT).parts[:2])


def places(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, kind and comment of each place in a Rust source that counts."""
    for number, line in enumerate(text.splitlines(), 1):
        if not (match := COMMENT.match(line)):
            continue
        comment = match[2]
        for _ in PHRASE.finditer(comment):
            yield number, "phrases", comment
        if len(line) > WIDTH and not comment.startswith("|"):
            yield number, "wide", comment
        if EMPTY.search(comment):
            yield number, "empty", comment


def without_contract(text: str) -> Iterator[tuple[int, str, str]]:
    """As `places`, for unsafe functions that do not say what their caller must ensure."""
    of_trait, documented = -1, False  # how far the implementation of a trait that lines are in is indented
    for number, line in enumerate(text.splitlines(), 1):
        if match := OF_TRAIT.match(line):
            of_trait = len(match[1])
        elif of_trait >= 0 and line.startswith(" " * of_trait + "}"):
            of_trait = -1
        if line.lstrip().startswith(("//", "#[")):
            documented |= "# Safety" in line
            continue
        if (match := UNSAFE.match(line)) and not documented and of_trait < 0 and not line.rstrip().endswith(";"):
            yield number, "contracts", line.strip()
        documented = False


def counts(show: bool = False) -> dict[str, dict[str, int]]:
    """How many places of each kind there are in each part."""
    found: dict[str, dict[str, int]] = {}
    for path in sources():
        kinds = found.setdefault(part_of(path), {"phrases": 0, "wide": 0, "empty": 0, "contracts": 0})
        text = path.read_text()
        for number, kind, comment in [*places(text), *without_contract(text)]:
            kinds[kind] += 1
            if show:
                print(f"{path.relative_to(ROOT)}:{number}: {kind}: {comment}")
    return found


def differences(found: dict[str, dict[str, int]], listed: dict[str, dict[str, int]]) -> list[str]:
    """Where a count is not what is listed."""
    wrong = []
    for part, kinds in found.items():
        for kind, count in kinds.items():
            most = listed.get(part, {}).get(kind, 0)
            if count > most:
                wrong.append(f"{part}: {count} {kind}, where {most} are allowed: check_prose.py --show")
            elif count < most:
                wrong.append(f"{part}: {count} {kind}, where {most} are listed: check_prose.py --write")
    return wrong


def long_subjects() -> list[str]:
    """Commits whose subject is too long; none if this is no clone that knows where to begin."""
    command = ["git", "log", "--format=%h %s", f"{SINCE}..HEAD"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    subjects = [line.split(" ", 1) for line in run.stdout.splitlines()]
    return [f"{commit}: the subject has {len(text)} columns" for commit, text in subjects if len(text) > SUBJECT]


def written(found: dict[str, dict[str, int]]) -> str:
    lines = ["# Places whose prose is to be rewritten: see check_prose.py."]
    for part, kinds in sorted(found.items()):
        if some := [f"{kind} = {count}" for kind, count in kinds.items() if count]:
            lines += ["", f'["{part}"]', *some]
    return "\n".join(lines) + "\n"


def main() -> None:
    found = counts(show="--show" in sys.argv)
    if "--write" in sys.argv:
        ALLOWED.write_text(written(found))
        return
    problems = differences(found, tomllib.loads(ALLOWED.read_text())) + long_subjects()
    print(*problems, sep="\n", end="\n" if problems else "")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
