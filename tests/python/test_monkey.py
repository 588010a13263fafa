"""Whatever is called with whatever there is, an exception comes of it at worst. PAIRBOND_SEED replays a run."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

LONG = bool(os.environ.get("PAIRBOND_LONG"))
SEED = int(os.environ.get("PAIRBOND_SEED", "1"))


@pytest.mark.parametrize("package", ["pairbond", "pairbond_ir", "pairbond_autograd"])
@pytest.mark.parametrize("seed", range(SEED, SEED + (8 if LONG else 1)))
def test_nothing_ends_the_process_or_panics(package, seed, tmp_path):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} was not built")
    log = tmp_path / "log"
    command = [sys.executable, Path(__file__).with_name("monkey.py"), package, str(seed), "20000", log]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600, cwd=tmp_path)
    last = log.read_text(errors="replace").splitlines()[-1:]
    assert (run.returncode, run.stdout) == (0, ""), f"last: {last}\n{run.stderr[-3000:]}"
