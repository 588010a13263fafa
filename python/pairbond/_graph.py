"""Pictures of object graphs: who holds whom."""

from collections import namedtuple
from pathlib import Path

from pairbond._pairbond import _graph

__all__ = ["Graph", "GraphEdge", "GraphNode", "graph", "graph_of_leaks"]

MAX_NODES = 60
MAX_OBJECTS = 4_000_000
OUTSIDE = {True: "native code, outside of the picture", False: "Python, outside of the picture"}

GraphNode = namedtuple("GraphNode", "kind type count address wrappers dormant erased")
GraphNode.__module__ = "pairbond"
GraphNode.__doc__ = """A node of a picture: one object, or several of one type.

``kind`` is ``"native"``, ``"python"`` or ``"outside"`` (what holds objects and is not in the picture). ``address`` is
that of one object, and 0 for several. ``wrappers`` is how many of the objects have a wrapper (-1: the leak report does
not say), ``dormant`` how many of these nothing refers to but the object, ``erased`` how many were erased from their
tree.
"""

GraphEdge = namedtuple("GraphEdge", "source target native label count")
GraphEdge.__module__ = "pairbond"
GraphEdge.__doc__ = """References from one node to another, which are given by their places in ``Graph.nodes``.

``native`` says whether native code owns them. ``label`` is the field or attribute (``".next"``), the place in a Python
container (``"[0]"``), ``"parent"`` for a node of a tree that keeps the one above it, or empty.
"""


class Graph:
    """Who holds whom, as a picture: :func:`graph` and ``leaks().graph()`` make it.

    ``nodes`` and ``edges`` are lists of :class:`GraphNode` and :class:`GraphEdge`. ``objects`` is the number of objects
    that were found, ``grouped`` how they are grouped (``""``: not at all; ``"path"``, ``"type"``), and ``complete``
    whether all were looked at. Notebooks show the picture if the extra ``pairbond[graph]`` is installed.
    """

    def __init__(self, nodes, edges, objects, grouped="", complete=True):
        self.nodes = nodes
        self.edges = edges
        self.objects = objects
        self.grouped = grouped
        self.complete = complete

    def __repr__(self):
        grouped = f", grouped by {self.grouped}" if self.grouped else ""
        more = "" if self.complete else ", and more"
        return f"<Graph of {self.objects} objects{more}: {len(self.nodes)} nodes, {len(self.edges)} edges{grouped}>"

    def to_dot(self):
        """The picture in the language of Graphviz. It needs no other package."""
        lines = ["digraph pairbond {", "  rankdir=LR;", '  node [fontname="sans-serif", fontsize=11, style=filled];']
        for at, node in enumerate(self.nodes):
            label = "\\n".join(_quoted(line) for line in _lines(node))
            look = _DOT[node.kind] + (", penwidth=2" if at == 0 and node.kind != "outside" else "")
            lines.append(f'  n{at} [label="{label}", {look}];')
        for edge in self.edges:
            look = 'color="#c2410c"' if edge.native else 'color="#2563eb", style=dashed'
            lines.append(f'  n{edge.source} -> n{edge.target} [label="{_quoted(_text(edge))}", {look}];')
        return "\n".join([*lines, "}", ""])

    def to_svg(self):
        """The picture as SVG. It needs the extra ``pairbond[graph]``, which places the nodes."""
        from pairbond._drawing import svg

        return svg(self)

    def save(self, path):
        """Writes the picture to a file, as its name says: ``.dot`` or ``.svg``."""
        path = Path(path)
        if path.suffix not in (".dot", ".svg"):
            raise ValueError(f"a picture is written to a file that ends with .dot or .svg, not to {path.name!r}")
        path.write_text(self.to_svg() if path.suffix == ".svg" else self.to_dot(), encoding="utf-8")

    def _repr_svg_(self):
        try:
            return self.to_svg()
        except ModuleNotFoundError:
            return None  # Notebooks show the `repr` then.


Graph.__module__ = "pairbond"

_DOT = {
    "native": 'shape=box, color="#c2410c", fillcolor="#fff7ed"',
    "python": 'shape=box, style="filled,rounded", color="#2563eb", fillcolor="#eff6ff"',
    "outside": 'shape=ellipse, style="filled,dashed", color="#6b7280", fillcolor="#f3f4f6"',
}


def _quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _lines(node):
    """What stands in a node."""
    lines = [node.type if node.count == 1 or node.kind == "outside" else f"{node.type} × {node.count:,}"]
    if node.kind == "native" and (state := _state(node)):
        lines.append(state)
    return lines


def _state(node):
    if node.wrappers < 0:
        return ""
    held = node.wrappers - node.dormant
    if node.count == 1:
        states = ["dormant wrapper" if node.dormant else "wrapper" if node.wrappers else "no wrapper"]
        return ", ".join([*states, *(["erased"] if node.erased else [])])
    parts = [(held, "with a wrapper"), (node.dormant, "with a dormant one"), (node.erased, "erased")]
    return ", ".join(f"{count:,} {what}" for count, what in parts if count) or "no wrappers"


def _text(edge):
    """What stands at an edge."""
    return edge.label if edge.count == 1 else f"{edge.label} × {edge.count:,}".lstrip()


def graph(obj, *, max_nodes=MAX_NODES, max_objects=MAX_OBJECTS):
    """What ``obj`` holds, and what holds each of these: a :class:`Graph`.

    ``obj`` may be a native object or a Python one, such as a list of some. The picture has the native objects that it
    leads to, through native references and through attributes, containers and closures of Python's; Python objects are
    shown if they lead to a native object, or if native code holds them. What is not in the picture but holds something
    that is, such as a variable, a static or another thread, is one node for Python and one for native code.

    With more than ``max_nodes`` objects, those of one type that are reached by one path are one node; if that are still
    too many, those of one type. The walk ends at ``max_objects``. It makes no wrappers, and other threads may go on.
    """
    if max_nodes < 2:
        raise ValueError(f"a picture has at least 2 nodes, not {max_nodes}")
    rows, edges, objects, grouped, complete = _graph(obj, max_nodes, max_objects)
    nodes = [GraphNode("native" if native else "python", *row) for native, *row, _, _ in rows]
    edges = [GraphEdge(*edge) for edge in edges]
    for native, place in ((True, -2), (False, -1)):
        held = [(at, row[place]) for at, row in enumerate(rows) if row[place]]
        if held:
            # The caller holds the first one, by as many references as the call takes.
            edges += [GraphEdge(len(nodes), at, native, "", count if at or native else 1) for at, count in held]
            nodes.append(GraphNode("outside", OUTSIDE[native], 1, 0, 0, 0, 0))
    return Graph(nodes, edges, objects, grouped, complete)


def graph_of_leaks(leaks, keys, max_nodes=MAX_NODES):
    """The picture of a leak report. ``keys`` are the types of living objects."""
    nodes, edges, places = [], {}, {}

    def place(key, make):
        if key not in places:
            places[key] = len(nodes)
            nodes.append(make())
        return places[key]

    def node(held_by, path, type, count=0):
        at = place((held_by, path, type), lambda: GraphNode("native", type, 0, 0, -1, 0, 0))
        nodes[at] = nodes[at]._replace(count=nodes[at].count + count)
        return at

    left_out = 0
    for leak in leaks:
        if len(nodes) + len(leak.path) + 2 > max_nodes:
            left_out += leak.count
            continue
        native = not leak.held_by.startswith(("a Python wrapper", "a wrapper"))
        holder = place((leak.held_by,), lambda leak=leak: GraphNode("outside", leak.held_by, 1, 0, 0, 0, 0))
        above, label = holder, ""
        for length, step in enumerate([*leak.path, leak.type]):
            last = length == len(leak.path)
            type, field = (step, "") if last else _split(step, keys)
            at = node(leak.held_by, leak.path[:length], type, leak.count if last else 0)
            edges[above, at, native or above != holder, label] = 1
            above, label = at, field
    if left_out:
        nodes.append(GraphNode("outside", f"{left_out:,} objects more", 1, 0, 0, 0, 0))
    # Objects that are only on the way, such as functions of the process, have no line of their own in the report.
    nodes = [node if node.count else node._replace(count=1) for node in nodes]
    edges = [GraphEdge(*edge, count) for edge, count in edges.items()]
    return Graph(nodes, edges, sum(leak.count for leak in leaks), "path", not left_out)


def _split(step, keys):
    """Type and field of a step of a path."""
    more = "…" if step.endswith("…") else ""
    step = step.removesuffix("…")
    if step in keys:
        return step, more
    type, _, field = step.rpartition(".")
    return type, f".{field}{more}"
