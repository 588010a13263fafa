#!/usr/bin/env python3
"""`make test`, `make test-all` and `make test-dist`. Ends with the time of each part and the total.

    test.py [--all | --rest | --dist] [--again] [--minutes N [--turn N]] [-k EXPRESSION] [PART[@PYTHON,...]...]

`make test` runs core-free, architecture, rust, python on the default interpreter, types, scripts and doc. --all runs
rust-large (the Rust tests that take many seconds), python, with the tests marked `large` and `slow`, and embedding on
every interpreter found, and docs and loom as well, those after python at the same time; --rest runs only what --all
adds. --dist runs packages, release, candle, pyo3 (on every interpreter found), abi, platforms and processes.
With parts named, those run and no others: `rust python@3.14t`. pythons.py prints the names of interpreters.

What passed before does not run while nothing that it depends on has changed (kept.py): crates, files of Python tests,
and some parts as a whole. --again runs them. -k runs all that it names.

After --minutes no part begins, those that run are stopped, and the table says so; neither is a failure. With --turn N
only those parts of --dist run for which --minutes should be enough, and to their ends; which come first depends on N.

-k leaves out tests whose names do not match, as with pytest, in Rust and Python alike, and parts without named tests.
"""

from __future__ import annotations

import math
import os
import sys

import parts
import pythons
import selection
import suites


def main() -> None:
    options = selection.parser(__doc__).parse_args()
    found = pythons.pythons()
    default = pythons.default(found)
    if default is None:
        sys.exit("test: no CPython >= 3.11 with headers found (Debian: apt-get install python3-dev python3-venv)")
    chosen = selection.select(options, found, default)
    os.environ.setdefault("PYO3_PYTHON", default.path)  # pyo3-ffi's build script asks it
    jobs = [one for job in chosen.jobs for one in job.apart()]
    suites.begin_environments(jobs, default)
    made = (suites.part(job, default, chosen.filter, not options.again) for job in jobs)
    results = parts.run_all(made, minutes=math.inf if options.turn is not None else options.minutes)
    if chosen.filter and not any(it.passed or it.failed for it in results):
        results.append(parts.Result(f"-k {chosen.filter}", failed=1, note="matches no test"))
    parts.close(results, chosen.left_out)


if __name__ == "__main__":
    main()
