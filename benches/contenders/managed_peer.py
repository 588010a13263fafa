"""The floor with attributes as the documentation of CPython asks for them: for the benchmark of collections."""

from floor_managed import *  # noqa: F403
from floor_managed import Node  # noqa: F401
