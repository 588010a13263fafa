"""A picture of an object graph as SVG.

graphlay places the nodes and leads the edges around them: a layered layout that is the same each time, in one wheel of
1.5 MB that needs nothing else, under this project's own licences. What is drawn is decided here: colours that can be
read on light and dark pages, and no fonts or scripts from elsewhere.
"""

from html import escape

from pairbond._graph import _lines, _text

CHARACTER, LINE, MARGIN = 6.7, 16, 10
COLOUR = {"native": ("#c2410c", "#fff7ed"), "python": ("#2563eb", "#eff6ff"), "outside": ("#6b7280", "#f3f4f6")}
OPTIONS = {"direction": "leftright", "routing": {"style": "diagonal"}}


def svg(graph):
    """The picture as SVG."""
    try:
        import graphlay
    except ModuleNotFoundError as error:
        if error.name != "graphlay":
            raise
        raise ModuleNotFoundError(
            "a picture as SVG needs graphlay, which places the nodes: pip install 'pairbond[graph]'", name="graphlay"
        ) from None
    plan = graphlay.Graph()
    texts = [_lines(node) for node in graph.nodes]
    for at, lines in enumerate(texts):
        width = max(len(line) for line in lines) * CHARACTER + 24
        plan.node(at, width=width, height=LINE * len(lines) + 14)
    for edge in graph.edges:
        label = _text(edge)
        size = {"label_size": {"width": len(label) * CHARACTER + 6, "height": LINE}} if label else {}
        plan.edge(edge.source, edge.target, **size)
    if not graph.nodes:
        return _page({"min": {"x": 0, "y": 0}, "max": {"x": 0, "y": 0}}, [])
    layout = graphlay.layout(plan, options=OPTIONS)
    parts = [_edge(edge, drawn) for edge, drawn in zip(graph.edges, layout.edges, strict=True)]
    parts += [_node(*it) for it in zip(graph.nodes, texts, layout.nodes, strict=True)]
    return _page(layout.bounds, parts)


def _page(bounds, parts):
    left, top = bounds["min"]["x"] - MARGIN, bounds["min"]["y"] - MARGIN
    width, height = bounds["max"]["x"] + MARGIN - left, bounds["max"]["y"] + MARGIN - top
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="system-ui, sans-serif" font-size="12">'
    )
    arrows = [
        f'<marker id="pairbond-{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{COLOUR[name][0]}"/></marker>'
        for name in ("native", "python")
    ]
    return "\n".join([head, f"<defs>{''.join(arrows)}</defs>", *parts, "</svg>", ""])


def _node(node, lines, drawn):
    stroke, fill = COLOUR[node.kind]
    (x, y), (width, height) = drawn["center"].values(), drawn["size"].values()
    radius = {"native": 2, "python": 10, "outside": height / 2}[node.kind]
    dash = ' stroke-dasharray="4 3"' if node.kind == "outside" else ""
    title = f"{node.type} at {node.address:#x}" if node.address else node.type
    texts = [
        f'<text x="{x:.1f}" y="{y + (at - (len(lines) - 1) / 2) * LINE + 4:.1f}" text-anchor="middle" '
        f'fill="{"#111827" if at == 0 else "#6b7280"}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    ]
    return (
        f'<g><title>{escape(title)}</title><rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" '
        f'width="{width:.1f}" height="{height:.1f}" rx="{radius:.0f}" fill="{fill}" stroke="{stroke}"{dash}/>'
        f"{''.join(texts)}</g>"
    )


def _edge(edge, drawn):
    name = "native" if edge.native else "python"
    points = " L".join(f"{point['x']:.1f},{point['y']:.1f}" for point in drawn["points"])
    dash = "" if edge.native else ' stroke-dasharray="5 3"'
    path = (
        f'<path d="M{points}" fill="none" stroke="{COLOUR[name][0]}" stroke-width="1.3"{dash} '
        f'marker-end="url(#pairbond-{name})"/>'
    )
    label, at = _text(edge), drawn["label_anchor"]
    if not label or not at:
        return path
    # A halo keeps it readable where a line runs through it, on any page.
    return (
        f'{path}<text x="{at["x"]:.1f}" y="{at["y"] + 4:.1f}" text-anchor="middle" fill="{COLOUR[name][0]}" '
        f'stroke="#ffffff" stroke-width="3" paint-order="stroke" stroke-opacity="0.85">{escape(label)}</text>'
    )
