"""Names of parametrized tests."""

import re


def without_address(value: object) -> str:
    """Its repr, the same in every process: pytest-xdist tells by the names whether its workers found the same tests."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
