"""``python -m pairbond new``: writes a complete project, whose tests pass at once.

The files lie in ``template``, each with the suffix ``.in``: those of ``common``, then those of the kind of project. In
paths and texts ``@name@`` and the like are replaced. ``dot_github`` becomes ``.github``: wheels leave out hidden files.
"""

from __future__ import annotations

import datetime
import keyword
import re
import sys
from pathlib import Path

import pairbond
from pairbond._pairbond import _compiler

__all__ = ["KINDS", "NotAName", "create"]

TEMPLATE = Path(__file__).parent / "template"
#: The folders of the template that make up each kind of project.
KINDS = {
    "extension": ("common", "maturin", "extension"),
    "pyo3": ("common", "maturin", "pyo3"),
    "one-wheel": ("common", "one_wheel"),
}
#: The newest release of PyO3 that pairbond accepts.
PYO3 = "0.30"
#: What the module of a project has; `#[cfg]` leaves out what needs Python.
MEMBERS = "Book, Shelf, total_pages"
MEMBERS_OF_PYO3 = f"""
        {MEMBERS},
        #[cfg(feature = "python")] #[pyclass] pyo3_half::Reader,
        #[cfg(feature = "python")] #[pyfunction] pyo3_half::longest,
    """
#: Words that Rust or Cargo refuses as the name of a crate. Words with capitals are refused anyway.
RUST_WORDS = """
abstract alloc as async await become box break build const continue core crate deps do dyn else enum examples extern
false final fn for gen if impl in incremental let loop macro match mod move mut override priv proc_macro pub ref return
self static std struct super test trait true try type typeof unsafe unsized use virtual where while yield
"""


class NotAName(ValueError):
    """A project cannot be called that; the text gives the reason."""


def check_name(name: str) -> None:
    """Raises `NotAName` unless a Python package and a crate can have the name."""
    folded = re.sub(r"[\W_]+", "_", name).strip("_").lower()
    instead = f": try {folded!r}" if folded != name and re.fullmatch(r"[a-z]\w*", folded, re.ASCII) else ""
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise NotAName(f"{name!r} is a keyword of Python")
    if not name.isidentifier() or not name.isascii():
        raise NotAName(f"{name!r} is no name of a Python package (letters, digits and _){instead}")
    if name != name.lower() or name.startswith("_") or name.endswith("_"):
        raise NotAName(f"{name!r} is no name of a package as PEP 8 has it (lower case){instead}")
    if name in RUST_WORDS.split():
        raise NotAName(f"{name!r} has a meaning in Rust, and cannot be the name of a crate")
    if name in ("target", "tests"):
        raise NotAName(f"{name!r} is a folder of every project, for its own tests and what cargo builds")
    if name in sys.stdlib_module_names or name == "pairbond":
        raise NotAName(f"{name!r} is the name of a module that is there already")


def create(folder: Path, kind: str = "extension", checkout: Path | None = None) -> None:
    """Writes a project into `folder`, which is made; its name is the project's.

    The project depends on the released pairbond, or on a checkout of its repository.

    Raises `NotAName`, and `OSError`: `FileExistsError` if the folder is there.
    """
    name = folder.name
    check_name(name)
    values = replacements(name, kind, checkout)
    folder.mkdir(parents=True)
    for layer in KINDS[kind]:
        root = TEMPLATE / layer
        for source in sorted(root.rglob("*.in")):
            relative = source.relative_to(root).as_posix().removesuffix(".in")
            path = folder / substitute(re.sub(r"(^|/)dot_", r"\1.", relative), values)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = substitute(source.read_text(encoding="utf-8"), values)
            path.write_text(text, encoding="utf-8", newline="\n")
    if checkout is None and (compiler := re.match(r"rustc (\d+\.\d+\.\d+) ", _compiler)):
        # All modules of a process are built by one compiler.
        toolchain = f'[toolchain]\nchannel = "{compiler[1]}"\n'
        text = f"# The compiler that pairbond {pairbond.__version__} was built by.\n{toolchain}"
        (folder / "rust-toolchain.toml").write_text(text, encoding="utf-8", newline="\n")


def replacements(name: str, kind: str, checkout: Path | None) -> dict[str, str]:
    """Returns what the template's placeholders stand for."""
    major, minor = release()
    oldest, next_one = (f"{major}.{minor}", f"{major}.{minor + 1}") if major == 0 else (f"{major}", f"{major + 1}")
    requirement = f"pairbond>={oldest},<{next_one}"
    crate = f'"{oldest}"'
    if checkout is not None:
        checkout = checkout.resolve()
        path = checkout / "crates" / "pairbond"
        if not (path / "Cargo.toml").is_file():
            raise FileNotFoundError(f"{checkout} is no checkout of pairbond: it has no crates/pairbond")
        crate = f'{{ path = "{path.as_posix()}" }}'
    about = TEMPLATE / "about" / f"{kind}.md.in"
    return {
        "name": name,
        "year": str(datetime.date.today().year),
        "about": substitute(about.read_text(encoding="utf-8"), {"name": name}).strip(),
        "modules": '\n#[cfg(feature = "python")]\nmod pyo3_half;\n' if kind == "pyo3" else "",
        "members": MEMBERS_OF_PYO3 if kind == "pyo3" else f" {MEMBERS} ",
        "pyo3": PYO3,
        "requirement": requirement,
        "installed": requirement if checkout is None else str(checkout),
        "pairbond_crate": crate,
    }


def release() -> tuple[int, int]:
    """Returns the first two numbers of pairbond's version."""
    major, minor, *_ = pairbond.__version__.split(".")
    return int(major), int(minor)


def substitute(text: str, values: dict[str, str]) -> str:
    """Replaces placeholders; an `@` that begins none is left alone."""
    return re.sub(rf"@({'|'.join(values)})@", lambda match: values[match[1]], text)
