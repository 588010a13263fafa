"""The timing core: rounds of all contenders in turn, so that what disturbs one disturbs all.

The loop is compiled as `timeit` does it (everything a local variable of one function, so that CPython specialises it),
with the statement repeated to keep the loop's own share small.
"""

from __future__ import annotations

import itertools
import textwrap
import time
from collections.abc import Callable

UNROLL = 10
ROUND_NS = 3_000_000

Loop = Callable[[int], int]


def compile_loop(module: object, setup: str, statement: str) -> Loop:
    """A function that runs the statement `UNROLL * n` times and returns the nanoseconds that took."""
    source = "\n".join(
        [
            "def loop(_n):",
            textwrap.indent(setup, "    "),
            "    _it = _repeat(None, _n)",
            "    _start = _now()",
            "    for _ in _it:",
            textwrap.indent("\n".join([statement] * UNROLL), "        "),
            "    return _now() - _start",
        ]
    )
    # Each loop has a namespace of its own: inline caches and dict versions are not shared between contenders.
    namespace = {"C": module, "_repeat": itertools.repeat, "_now": time.perf_counter_ns}
    exec(compile(source, "<benchmark>", "exec"), namespace)
    return namespace["loop"]


def calibrate(loop: Loop, round_ns: int) -> int:
    """How often to run it for one round; also warms the specialising interpreter up."""
    n = 1
    while True:
        spent = loop(n)
        if spent >= round_ns // 4:
            return max(1, n * round_ns // spent)
        n *= 4


def measure(loops: dict[str, Loop], rounds: int, round_ns: int = ROUND_NS) -> dict[str, list[float]]:
    """Nanoseconds per statement of each contender, one entry per round."""
    counts = {name: calibrate(loop, round_ns) for name, loop in loops.items()}
    times: dict[str, list[float]] = {name: [] for name in loops}
    order = list(loops)
    for _ in range(rounds):
        for name in order:
            times[name].append(loops[name](counts[name]) / (counts[name] * UNROLL))
        order.append(order.pop(0))
    return times
