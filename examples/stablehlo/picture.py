"""The data flow of a function as an SVG picture: operations in layers, from the arguments down to what is returned."""

from __future__ import annotations

from collections import Counter
from html import escape

import igraph
import pairbond_ir as ir

ACROSS, DOWN, WIDE, HIGH = 96, 44, 84, 22
COLORS = {
    "argument": "#d9d9d9",
    "constant": "#f2f2f2",
    "dot_general": "#fb8072",
    "reduce": "#fdb462",
    "broadcast_in_dim": "#ccebc5",
    "reshape": "#ccebc5",
    "transpose": "#ccebc5",
    "return": "#bc80bd",
}
OTHER = "#80b1d3"


def nodes_and_edges(function):
    """Arguments and operations of a function's first block, and who uses whom, also in regions."""
    block = function.regions[0].blocks[0]
    nodes = [*block.arguments, *block.operations]
    places = {node: place for place, node in enumerate(nodes)}
    edges = Counter()
    for op in block.operations:

        def used(inner, op=op):
            for value in inner.operands:
                definer = value if isinstance(value, ir.BlockArgument) else value.owner
                if definer in places:
                    edges[places[definer], places[op]] += 1

        op.walk(used)
    return nodes, list(edges)


def layers_of(count, edges):
    """The longest way there from anywhere; sources stand right above their first user."""
    layers = [0] * count
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        layers[end] = max(layers[end], layers[start] + 1)
    has_inputs = {end for _, end in edges}
    first_use = {}
    for start, end in edges:
        first_use[start] = min(first_use.get(start, layers[end]), layers[end])
    return [layer if node in has_inputs else first_use.get(node, 1) - 1 for node, layer in enumerate(layers)]


def kind_of(node):
    return "argument" if isinstance(node, ir.BlockArgument) else node.name.partition(".")[2]


def svg(function):
    """The picture of a function, and how many nodes and edges it has."""
    nodes, edges = nodes_and_edges(function)
    graph = igraph.Graph(len(nodes), edges, directed=True)
    layout = graph.layout_sugiyama(layers=layers_of(len(nodes), edges), maxiter=200)
    # What the layout added for long edges comes behind the nodes.
    places = [(x * ACROSS + WIDE, y * DOWN + HIGH) for x, y in layout.coords[: len(nodes)]]
    width, height = max(x for x, _ in places) + WIDE, max(y for _, y in places) + 2 * HIGH
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="9" text-anchor="middle">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    for start, end in edges:
        (x, y), (to_x, to_y) = places[start], places[end]
        bend = (to_y - y) / 2
        path = f"M{x:.0f} {y + HIGH / 2:.0f}C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} "
        path += f"{to_x:.0f} {to_y - HIGH / 2:.0f}"
        parts.append(f'<path d="{path}" fill="none" stroke="#888" stroke-width=".7"/>')
    for node, (x, y) in zip(nodes, places, strict=True):
        kind = kind_of(node)
        text = str(node) if isinstance(node, ir.BlockArgument) else str(node).splitlines()[0]
        parts.append(
            f"<g><title>{escape(text[:400])}</title>"
            f'<rect x="{x - WIDE / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{WIDE}" height="{HIGH}" rx="4" '
            f'fill="{COLORS.get(kind, OTHER)}" stroke="#555" stroke-width=".7"/>'
            f'<text x="{x:.0f}" y="{y + 3:.0f}">{escape(kind[:16])}</text></g>'
        )
    return "\n".join([*parts, "</svg>", ""]), len(nodes), len(edges)
