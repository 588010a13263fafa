"""Limits of memory for tests that run in a process of their own: where memory ends, MemoryError, and all works then.

Other folders of tests put this one on their path.
"""

import ctypes
import gc
import os
import resource

# Exit statuses of a forked process.
DONE, NO_MEMORY, BROKEN = 0, 3, 1


def size() -> int:
    """How many bytes of addresses the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit(more: int) -> None:
    """Lets the process have that many more bytes of addresses than it has."""
    resource.setrlimit(resource.RLIMIT_AS, (size() + more, resource.RLIM_INFINITY))


def unlimited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def fails(act, *args, more: int, works) -> None:
    """Asserts that `act` has not enough with so much, and that `works` is true afterwards."""
    gc.collect()
    limit(more)
    try:
        act(*args)
    except MemoryError:
        unlimited()
    else:
        unlimited()
        raise AssertionError("there was enough memory")
    assert works()


def listed(act, values) -> list:
    """What `act` returns of each value.

    Not a list comprehension: where one finds no room to grow, a debug build of CPython 3.14 ends with an assertion
    of its own (LIST_APPEND does not save the stack pointer).
    """
    return list(map(act, values))


def use_what_is_left(now: int) -> None:
    """Takes what malloc has left over in a process of that size, a megabyte in small blocks excepted.

    What is needed beyond is new memory. Blocks of a kilobyte are left for what takes a little, and for the error.
    """
    malloc, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
    malloc.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    some = [malloc(1 << 10) for _ in range(2 << 10)][::2]  # no two of them side by side
    resource.setrlimit(resource.RLIMIT_AS, (now, resource.RLIM_INFINITY))
    block = 1 << 24
    while block >= 1 << 9:
        if not malloc(block):
            block //= 2
    for block in some:
        free(block)


def attempt(act, more: int, works) -> int:
    """Runs `act` with so much memory in a forked process, which has what was prepared, and returns its exit status."""
    pid = os.fork()
    if not pid:
        status = BROKEN
        try:
            now = size() + (1 << 21)
            use_what_is_left(now)
            resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.RLIM_INFINITY))
            try:
                act()
                status = DONE
            except MemoryError:
                status = NO_MEMORY
            unlimited()
            assert works()
        except BaseException as error:
            print(type(error), error, flush=True)
            status = BROKEN
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def sweep(act, works, steps: int = 12, little: bool = False) -> None:
    """Runs `act` under limits from almost nothing to its measured need: each ends well or in MemoryError.

    How much is left over in CPython's allocators differs between its builds; limits are therefore shares of what was
    measured, and most of them must be too small. With `little`, it may do with what is left over.
    """
    ended = {}

    def run(more):
        ended[more] = attempt(act, more, works)
        assert ended[more] in (DONE, NO_MEMORY), f"status {ended[more]} with {more} bytes; {ended}"
        return ended[more]

    enough = 1 << 15
    while run(enough) == NO_MEMORY:
        enough *= 4
        assert enough < 1 << 35, "no memory is enough"
    assert little or enough > 1 << 18, "needs no more than what allocators have left: take a larger input"
    # It is within a factor of four; halved, within a factor of two.
    middle = enough // 2
    if run(middle) == DONE:
        enough = middle
    # The least leaves something: where there is no memory at all, no error can be made.
    failed = sum(run(enough * number // steps) == NO_MEMORY for number in range(1, steps + 1))
    assert little or failed >= steps // 2, f"{failed} of {steps} limits failed; {ended}"
    # Where memory lies, and how it is aligned, is not quite the same in each process.
    assert run(2 * enough + (1 << 22)) == DONE
