"""What is sent, what the other process does with it, and how one sees that it is whole."""

from __future__ import annotations

import os

import lockgraph
import numpy
import pairbond
import pairbond_autograd as torch
import pairbond_ir as ir
import shop
from pairbond_autograd import nn

LOCK = """
version = 4

[[package]]
name = "app"
version = "1.0.0"
dependencies = ["left", "right"]

[[package]]
name = "left"
version = "1.0.0"
dependencies = ["base"]

[[package]]
name = "right"
version = "1.0.0"
dependencies = ["base"]

[[package]]
name = "base"
version = "2.0.0"
"""
TEXT = """
"builtin.module"() ({
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32 loc("a.py":7:8)
  %1 = "arith.addi"(%0, %0) : (i32, i32) -> i32 loc("b.py":9:10)
}) : () -> ()
"""


class Strict(ValueError):
    """An error with more than words."""

    def __init__(self, message, level):
        super().__init__(message, level)
        self.level = level


def lock():
    """A graph with shared nodes, and references in both directions."""
    made = lockgraph.parse(LOCK)
    made["base"].where = {"seen by": made["app"]}
    return made


def is_whole_lock(lock):
    app, base = lock["app"], lock["base"]
    left, right = app.dependencies
    return (
        left.dependencies[0] is base
        and right.dependencies[0] is base
        and {it.name for it in base.dependents} == {"left", "right"}
        and any(it is left for it in base.dependents)
        and base.where["seen by"] is app
    )


def module():
    """A program, and one more of the same context."""
    context = ir.Context()
    made = [ir.Module.parse(TEXT, context) for _ in range(2)]
    made[0].note = "the first"
    return made


def is_whole_module(modules):
    first, second = modules
    return (
        first.context is second.context
        and first.note == "the first"
        and [it.name for it in first.body.operations] == ["arith.constant", "arith.addi"]
        and first.body.operations[1].operands[0].owner is first.body.operations[0]
        and str(first.body.operations[0].location) == 'loc("a.py":7:8)'
        and first.verify()
        and second.structural_equal(ir.Module.parse(TEXT, second.context))
    )


def network():
    """Weights, of which two layers share one."""
    torch.manual_seed(1)
    made = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    made[2].weight = made[0].weight
    made[0].weight.note = "shared"
    return made


def is_whole_network(network):
    weight = network[0].weight
    return (
        network[2].weight is weight
        and weight.note == "shared"
        and weight.requires_grad
        and len(list(network.parameters())) == 3
        and network(torch.ones(1, 4)).shape == (1, 4)
    )


def document():
    """A tree, as documents are: nodes in order, with attributes, and a reference from one to another."""
    page, body = shop.Op("page"), shop.Block()
    page.push(body)
    for name in ("title", "text", "link"):
        body.push(shop.Op(name))
    title, _, link = body.ops
    title.attributes, link.target = {"lang": "en"}, title
    return page


def is_whole_document(page):
    body, title, text, link, *_ = pairbond.descendants(page)
    return (
        [it.name for it in (page, title, text, link)] == ["page", "title", "text", "link"]
        and all(it.parent is body for it in (title, text, link))
        and list(pairbond.ancestors(link)) == [body, page]
        and title.attributes == {"lang": "en"}
        and link.target is title
    )


def all_of_it():
    """As one object: Dask takes the elements of plain lists for themselves."""
    return pairbond.List([lock(), *module(), network(), document()])


def is_whole(graph):
    found, first, second, net, page = graph
    parts = is_whole_lock(found), is_whole_module([first, second]), is_whole_network(net), is_whole_document(page)
    return all(parts)


def change(graph):
    """What the other process does: looks, changes, and sends back, with its own number."""
    assert is_whole(graph)
    graph[0]["app"].seen = "there"
    one = graph[1].body.operations[0]
    with graph[1].context:
        one.attributes["tag"] = ir.StringAttr.get("there")
    (graph[3](torch.ones(1, 4))).sum().backward()
    next(pairbond.descendants(graph[4])).push(shop.Op("there"))
    return pairbond.List([graph, os.getpid()])


def is_changed(graph):
    return (
        is_whole(graph)
        and graph[0]["app"].seen == "there"
        and str(graph[1].body.operations[0].attributes["tag"]) == '"there"'
        and [*pairbond.descendants(graph[4])][-1].name == "there"
    )


def largest(array):
    """Of an array that lies in memory of the transport."""
    return float(numpy.asarray(array).max()), numpy.asarray(array).nbytes


def fail(kind):
    """Errors of every sort."""
    if kind == "native":
        lockgraph.parse("no lock")
    if kind == "erased":
        module = ir.Module.parse(TEXT, ir.Context())
        op = module.body.operations[1]
        with pairbond.erasing("the test"):
            op.erase()
        op.name
    error = Strict("too strict", 3)
    error.add_note("in the worker")
    raise error
