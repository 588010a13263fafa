"""Packages are built by the tools that their users and maintainers run, with one target directory for all."""

import os
import shutil
import subprocess
from pathlib import Path

import parts

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "target" / "packages"
#: The kinds of project, and what `python -m pairbond new` is given for them.
KINDS = {"extension": [], "pyo3": ["--pyo3"], "one-wheel": ["--one-wheel"]}
#: Of `make`, which a project's Makefile would take for its own.
MAKE = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"}


def environment(**further: str) -> dict[str, str]:
    """The environment of an author: nothing of this run, and release builds that are soon made, since the part
    `release` tests optimised ones."""
    kept = {
        key: value for key, value in os.environ.items() if key not in MAKE and not key.startswith(("PYTHON", "PYO3_"))
    }
    kept |= parts.QUICK_RELEASE | {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
    kept |= {"CARGO_TARGET_DIR": str(TARGET / "cargo"), "CARGO_INCREMENTAL": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return kept | further


def run(*command: object, cwd: Path = ROOT, fails: bool = False, **env: str) -> str:
    """Runs a command, and returns what it printed; it must succeed, or fail."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=environment(**env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert (done.returncode != 0) == fails, f"{' '.join(words)}: status {done.returncode}\n{done.stdout}"
    return done.stdout


class Environment:
    """A fresh virtual environment."""

    def __init__(self, folder: Path, python: str) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        run(python, "-m", "venv", folder)
        self.python = folder / "bin" / "python"
        self.elsewhere = folder  # no package lies there

    def install(self, *what: object, **env: str) -> str:
        return run(self.python, "-m", "pip", "install", "--quiet", *what, **env)

    def code(self, code: str, fails: bool = False) -> str:
        return run(self.python, "-c", code, cwd=self.elsewhere, fails=fails)
