"""HTML documents as trees of native nodes.

>>> document = dom.parse("<p class=note>one <a href='/two'>two</a></p>")
>>> document.select_one("p.note > a")["href"]
'/two'

`html5ever` parses, and the crate `selectors` searches. Each node has one Python object with identity, attributes and
weak references; nodes may be edited by any thread, and an erased one raises `pairbond.InvalidatedError`.
"""

import pairbond

from dom._dom import Node, parse, tostring

#: For programs that mark nodes, such as `dom.__main__`.
pairbond.attributes(Node, seen=bool)

__all__ = ["Node", "parse", "tostring"]
