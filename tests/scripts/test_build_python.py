"""build_python.sh where nothing has to be built."""

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_python.sh"


def run(cache, *names):
    env = os.environ | {"XDG_CACHE_HOME": str(cache), "PYTHON_TARBALL": str(cache / "python.tar.xz")}
    return subprocess.run([SCRIPT, *names], env=env, capture_output=True, text=True, timeout=60)


def test_what_is_there_is_named_and_not_built_again(tmp_path):
    paths = [tmp_path / "pythons" / name / "bin" / f"python{name}" for name in ("3.14t", "3.14d")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.touch(0o755)
    done = run(tmp_path, "3.14t", "3.14d")
    assert (done.returncode, done.stdout.split()) == (0, [str(path) for path in paths])


def test_a_name_without_a_recipe_is_an_error_before_anything_is_built(tmp_path):
    done = run(tmp_path, "3.14t", "3.9")
    assert done.returncode
    assert "no recipe for '3.9'" in done.stderr
    assert not (tmp_path / "pythons").exists()


def test_no_name_is_an_error(tmp_path):
    assert "usage" in run(tmp_path).stderr
