"""How much memory this process has."""

import os
from pathlib import Path


def resident() -> int:
    """Bytes of this process that are in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
