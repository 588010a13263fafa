"""The floor is already the interface: everything is implemented in `floor/floor.c`."""

from floor import *  # noqa: F403
from floor import Node  # noqa: F401

VERSION = "hand-written C, cc -O2"
NOTES = {"item_dropped": "the floor makes a fresh wrapper, which has lost its identity"}
