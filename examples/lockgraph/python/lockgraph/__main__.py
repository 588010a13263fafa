"""python -m lockgraph [Cargo.lock]: what is in a lock file, and that every package in it is one Python object.

The exit status is 1 if a promise does not hold, and 2 if the file cannot be read.
"""

import argparse
import sys

import pairbond

from lockgraph import explore, live, read


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lockgraph", description="What is in a lock file.")
    parser.add_argument("path", nargs="?", default="Cargo.lock", help="the lock file (default: %(default)s)")
    parser.add_argument("--top", type=int, default=8, metavar="N", help="how many packages a list shows")
    options = parser.parse_args()
    before = pairbond.live_objects()
    try:
        lock = read(options.path)
    except (OSError, ValueError) as error:
        print(f"lockgraph: {error}", file=sys.stderr)
        return 2
    print("\n".join(explore.report(lock, options.top)))
    checks = live.Checks()
    live.identity(lock, checks)
    witnesses = live.state(lock, checks)
    del lock
    live.collection(witnesses, before, checks)
    print(f"\n{checks.passed} checks hold, {checks.failed} do not")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
