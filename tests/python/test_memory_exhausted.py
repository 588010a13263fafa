"""Sizes that come from Python or from data, under a limit of memory: MemoryError, and the objects as they were."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.large, pytest.mark.threads]

PROLOGUE = f"""
import copy, gc, itertools, pickle, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import memory_limits
import pairbond
import pairbond_holders as holders
import pairbond_testext as ext

def works():
    return pairbond.List([1, 2])[1] == 2

def fails(act, *args, more=1 << 26):
    memory_limits.fails(act, *args, more=more, works=works)

def sweep(act, steps=10, little=False):
    memory_limits.sweep(act, works, steps, little)

listed = memory_limits.listed

class Text:
    def __init__(self, size):
        self.size = size

    def __repr__(self):
        return "x" * self.size
"""

SCRIPTS = {
    "endless": """
fails(pairbond.List, itertools.repeat(1.5))
fails(pairbond.Tuple, itertools.repeat(1))
fails(pairbond.List, itertools.count())
fails(pairbond.Set, itertools.count())
fails(pairbond.Map, ((i, i) for i in itertools.count()))
fails(pairbond.FrozenMap, ((i, i) for i in itertools.count()))
items, mapping, elements = pairbond.List([1, 2]), pairbond.Map({1: 2}), pairbond.Set([1])
fails(items.extend, itertools.repeat(3))
assert list(items) == [1, 2]
fails(mapping.update, ((i, i) for i in itertools.count()))
assert mapping[1] in (1, 2)
fails(elements.update, itertools.count())
assert 1 in elements
""",
    "growing": """
def grow(add):
    for i in itertools.count():
        add(i)

def extend(items):
    while True:
        items.extend(items)

items = pairbond.List([1, 2])
fails(extend, items)
size = len(items)
assert list(items[:4]) == [1, 2, 1, 2] and size & (size - 1) == 0
items.clear()
for items, add in ((pairbond.List(), "append"), (pairbond.Set(), "add")):
    fails(grow, getattr(items, add))
    count = len(items)
    assert count > 1000 and list(itertools.islice(items, 3)) == [0, 1, 2]
    assert (count - 1) in items if add == "add" else items[count - 1] == count - 1
    del items, add
mapping = pairbond.Map()
fails(grow, lambda i: mapping.__setitem__(i, i))
count = len(mapping)
assert mapping[0] == 0 and mapping[count - 1] == count - 1 and count not in mapping
del mapping
mapping = pairbond.Map()
fails(grow, lambda i: mapping.setdefault(i, i))
""",
    "copies": """
items = pairbond.List([1.5]) * 4_000_000
for act in (items.copy, lambda: items[:], lambda: items[::2], lambda: items + items, lambda: items * 100,
            lambda: items.__imul__(100), lambda: items.__iadd__(items), lambda: pairbond.Tuple(items),
            lambda: pairbond.List(items), lambda: copy.copy(items) if False else items.copy(),
            lambda: items.__setitem__(slice(0, 0), items)):
    fails(act, more=1 << 24)
    assert len(items) == 4_000_000
del items
elements = pairbond.Set(range(1_000_000))
for act in (elements.copy, lambda: elements | {-1}, lambda: elements & elements, lambda: elements ^ {-1}):
    fails(act, more=1 << 22)
    assert len(elements) == 1_000_000
mapping = pairbond.Map({i: i for i in range(1_000_000)})
fails(mapping.copy, more=1 << 22)
assert len(mapping) == 1_000_000
""",
    "sort": """
items = pairbond.List(range(500_000))
items.reverse()
for options in ({}, {"key": lambda it: -it}, {"reverse": True}):
    fails(lambda: items.sort(**options), more=1 << 22)
    assert len(items) == 500_000 and set(items) == set(range(500_000))
items.sort(key=lambda it: it % 1000)
assert list(items[:2]) != [0, 1] and items[0] % 1000 == 0 and len(set(items)) == 500_000
items.sort()
assert list(items) == list(range(500_000))
many = pairbond.List(["b", "a", "b", "c", "a"] * 1000)
many.sort()
assert list(many) == sorted(["b", "a", "b", "c", "a"] * 1000)
""",
    "repr": """
text = Text(1 << 20)
fails(repr, pairbond.List([text]) * 1000)
fails(repr, pairbond.Map({i: text for i in range(1000)}))
fails(repr, pairbond.Set([Text(1 << 20) for _ in range(1000)]))
fails(repr, pairbond.Map({i: text for i in range(1000)}).values())
""",
    "serial": """
many = pairbond.List([1.5]) * 4_000_000
for act in (copy.deepcopy, pickle.dumps, pairbond.to_json, pairbond.structural_hash):
    fails(act, many)
    assert len(many) == 4_000_000 and many[-1] == 1.5
del many
objects = pairbond.List([pairbond.List() for _ in range(300_000)])
for act in (copy.deepcopy, pickle.dumps):
    fails(act, objects, more=1 << 24)
data = pickle.dumps(objects)
del objects
fails(pickle.loads, data, more=1 << 24)
""",
    "conversions": """
numbers, text = [1] * 20_000_000, "x" * 200_000_000
for act, value in ((ext.vec, numbers), (ext.string, text), (ext.text, text), (ext.any, text)):
    fails(act, value)
assert ext.vec([1, 2]) == [1, 2] and ext.string("a") == "a"
del numbers, text
words = {str(i): i for i in range(1_000_000)}
fails(ext.map, words)
assert len(words) == 1_000_000 and ext.map({"a": 1}) == {"a": 1}
del words
fails(ext.set, range(10**9))
assert ext.set({1, 2}) == [1, 2]
""",
    "json": """
begin, end = '{"pairbond": 1, "root": {"ref": 0}, "nodes": [{"type": "pairbond.List", "of": ["Any"], "items": [', ']}]}'
for item, count in (("1", 1_000_000), ('{"set": [1]}', 300_000), ('{"map": [1, 2]}', 300_000)):
    text = begin + ",".join([item] * count) + end
    fails(pairbond.from_json, text, more=1 << 24)
other = ', {"type": "pairbond.List", "of": ["Any"], "items": []}'
text = begin + ",".join('{"ref": 1}' for _ in range(100)) + "]}" + other * 200_000 + "]}"
fails(pairbond.from_json, text, more=1 << 24)
assert list(pairbond.from_json(begin + "1, 2" + end)) == [1, 2]
""",
    "slices": """
items = pairbond.List([1.5]) * 2_000_000
for act in (lambda: items.__delitem__(slice(0, None, 2)), lambda: items.__delitem__(slice(None, None, -3)),
            lambda: items.__delitem__(slice(None)), lambda: items.__setitem__(slice(0, 1_500_000), [1])):
    fails(act, more=1 << 22)
    assert len(items) == 2_000_000 and items[-1] == 1.5
del items[::-2]
assert len(items) == 1_000_000
""",
    "arguments": """
pairs, numbers = {(i,): i for i in range(300_000)}, (1,) * 1_000_000
fails(pairbond.Map, pairs, more=1 << 22)
fails(lambda: ext.apply(lambda *rest: None, *numbers), more=1 << 22)
fails(ext.any, 1 << 400_000_000, more=1 << 22)
assert ext.apply(lambda *rest: len(rest), *numbers[:100]) == 100
""",
    "reports": """
objects = pairbond.List([pairbond.List() for _ in range(40_000)])
fails(pairbond.leaks, more=1 << 20)
fails(pairbond.graph, objects, more=1 << 20)
assert len(objects) == 40_000 and any(leak.count >= 40_000 for leak in pairbond.leaks())
""",
    "nodes": """
fails(holders.Node.chain, 10**8)
gc.collect()
assert holders.Node.chain(3).next.number == 1
""",
}


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system has no limit of memory")
@pytest.mark.parametrize("name", SCRIPTS)
def test_memory_is_exhausted(name):
    run = subprocess.run(
        [sys.executable, "-c", PROLOGUE + SCRIPTS[name] + "\nprint('to its end')"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "to its end\n"


SWEPT = {
    "objects": """
class Own(holders.Node):
    pass

for act in (
    lambda: listed(holders.Node, range(40_000)), lambda: listed(Own, range(20_000)),
    lambda: listed(lambda _: pairbond.List(), range(40_000)),
    lambda: pairbond.List(listed(lambda _: pairbond.Map(), range(20_000))),
    lambda: holders.Node.chain(100_000),
):
    sweep(act)
""",
    "deaths": """
import threading
kept = [holders.Node(i) for i in range(60_000)]
chain = holders.Node.chain(100_000)
threads = []

def make():
    threads.append([holders.Node(i) for i in range(60_000)])

thread = threading.Thread(target=make)
thread.start()
thread.join()

def cut():
    chain.next = None

for act in (kept.clear, cut, threads.clear):
    sweep(act, 8, little=True)
""",
    "children": """
section = ext.Section("")
section.fill(200_000)
places = [section.paragraph(0)]

def look():
    for place in (199_990, 100_000, 150_000):
        places.append(section.paragraph(place))
    assert None not in places

sweep(look, 8, little=True)
""",
    "collections": """
nodes = [holders.Node(i) for i in range(15_000)]
for one, other in zip(nodes, nodes[1:] + nodes[:1]):
    one.next = other
inner = holders.Node.ring(15_000)
sweep(gc.collect, 8, little=True)
held = pairbond.List(nodes)
sweep(gc.collect, 8, little=True)
nodes.clear()
held.clear()
del one, other, inner
sweep(gc.collect, 8, little=True)
""",
}


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system has no limit of memory")
@pytest.mark.parametrize("name", SWEPT)
def test_limits_one_after_the_other(name):
    """Wherever memory ends, the process does not."""
    run = subprocess.run([sys.executable, "-c", PROLOGUE + SWEPT[name]], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
