"""A daemon thread is in Python code that native code called, by every way there is, while the process ends.

The main thread calls `sys.exit(7)`. CPython ends such a thread by unwinding its stack by force, through the native
frames: the process ends with its own status, and says nothing. `make test-long` runs this on release builds, whose
frames are not what debug builds have, and each way PAIRBOND_EXIT_RUNS times.
"""

import os
import subprocess
import sys

import pytest

RUNS = int(os.environ.get("PAIRBOND_EXIT_RUNS") or "1")
TIMEOUT = 120

PROGRAM = """
import atexit, copy, gc, pickle, sys, threading, time, weakref
import pairbond
import pairbond_holders as holders
import pairbond_testext as ext

begun = []

def pause(*_):
    # The interpreter ends while a thread is in here: it gives the GIL away, and comes back for it. It holds no lock
    # then, such as that of a threading.Event, for which a destructor in the main thread would wait for ever.
    if not begun:
        begun.append(True)
    time.sleep(0)

class Dies:
    def __del__(self):
        pause()

class Key:
    def __hash__(self):
        return 7
    def __eq__(self, other):
        pause()
        return self is other

class Hashed:
    def __hash__(self):
        pause()
        return 7

class Less:
    def __lt__(self, other):
        pause()
        return False

class Shown:
    def __repr__(self):
        pause()
        return "shown"

class Index:
    def __index__(self):
        pause()
        return 0
    def __float__(self):
        pause()
        return 1.5
    def __fspath__(self):
        pause()
        return "/"

class Shape(ext.Shape):
    def area(self, factor):
        pause()
        return 1.0

class Reduced:
    def __reduce__(self):
        pause()
        return Reduced, ()
    def __deepcopy__(self, memo):
        pause()
        return self

class State(holders.Node):
    def __getstate__(self):
        pause()
        return 1
    def __setstate__(self, state):
        pause()

@pairbond.object("exits.Made")
class Made:
    number: int = 0
    factory: object = pairbond.field(default_factory=lambda: pause())
    def __post_init__(self):
        pause()

class Finalized(holders.Node):
    def __del__(self):
        pause()

class Meta(holders.Node):
    def __new__(cls):
        pause()
        return super().__new__(cls)
    def __init__(self):
        super().__init__()
        pause()

def pauses():
    for _ in range(3):
        pause()
        yield 1

class Entries:
    def keys(self):
        pause()
        return ["a"]
    def __getitem__(self, key):
        pause()
        return 1

def field():
    node = holders.Node(1)
    node.value = Dies()
    node.value = None

def chain():
    first = holders.Node(0)
    for number in range(5):
        node = holders.Node(number)
        node.next, node.value, first = first, Dies(), node

def cycle():
    node = holders.Node(1)
    node.value = Dies()
    node.next = node
    node.mark = node
    del node
    gc.collect()

def finalized_cycle():
    node = Finalized(1)
    node.next = node
    del node
    gc.collect()

def native_cycle():
    node = holders.Node(1)
    node.value = Dies()
    node.next = node
    del node
    pairbond.collect()

def watched():
    node = holders.Node(1)
    ref = weakref.ref(node, pause)
    del node
    assert ref

def finalizer():
    node = holders.Node(1)
    weakref.finalize(node, pause).atexit = False
    del node

def attributes():
    node = holders.Node(1)
    node.mark = Dies()
    del node

def trimmed():
    pairbond.List([Dies()])
    pairbond.trim()

def dropped_elsewhere():
    # What a native thread drops is released here, by whoever comes next.
    holder = holders.Holder(Dies())
    holder.drop_on_thread()
    holders.call(len, ())
    pause()

def sections():
    root = ext.Section("root")
    root.fill(3)
    root.mark = Dies()
    root.paragraph(1).mark = Dies()
    root.erase()

def observed():
    with pairbond.trace(pause):
        holders.Node(1)

def subclass_call():
    ext.call_each(lambda value: pause(), [1, 2, 3], None)

table, elements, items = pairbond.Map({Key(): 1}), pairbond.Set([Key()]), pairbond.List([1, 2, 3])
node = holders.Node(1)
node.value = Reduced()
state = State(1)
stated = pickle.dumps(state)
written = pairbond.List([Reduced()])
small = pairbond.Array([1.0, 2.0])
caller = ext.Caller(pause) if hasattr(ext, "Caller") else None
native = ext.native_function()

WAYS = {
    "walk": lambda: ext.walk([1, 2, 3], pause),
    "call": lambda: holders.call(pause),
    "call detached": lambda: holders.call_detached(pause),
    "call on a thread": lambda: holders.call_on_thread(pause),
    "call each": subclass_call,
    "call each elsewhere": lambda: ext.call_each_later(pause, [1, 2, 3]),
    "apply": lambda: ext.apply(pause),
    "apply elsewhere": lambda: ext.apply_later(pause, 1),
    "feed": lambda: holders.feed(pause, pause, 3),
    "catch": lambda: ext.call_and_catch(pause),
    "overridable": lambda: ext.area_of(Shape(1.0)),
    "overridable elsewhere": lambda: ext.area_elsewhere(Shape(1.0), 3),
    "function object": lambda: pairbond.Function(pause)() if isinstance(pairbond.Function, type) else None,
    "list clear": lambda: pairbond.List([Dies()]).clear(),
    "list assign": lambda: pairbond.List([Dies()]).__setitem__(0, 1),
    "list slice": lambda: pairbond.List([Dies(), Dies()]).__delitem__(slice(None)),
    "map clear": lambda: pairbond.Map({1: Dies()}).clear(),
    "map assign": lambda: pairbond.Map({1: Dies()}).update({1: 2}),
    "map drop": lambda: pairbond.Map({Dies(): Dies()}),
    "set drop": lambda: pairbond.Set([Dies()]).clear(),
    "tuple drop": lambda: pairbond.Tuple([Dies()]),
    "holder": lambda: holders.Holder(Dies()).clear(),
    "field": field,
    "chain": chain,
    "cycle": cycle,
    "finalized": lambda: Finalized(1),
    "finalized cycle": finalized_cycle,
    "native cycle": native_cycle,
    "weak reference": watched,
    "finalizer": finalizer,
    "attribute": attributes,
    "trim": trimmed,
    "deferred": dropped_elsewhere,
    "erase": sections,
    "key equal": lambda: table.get(Key()),
    "key stored": lambda: pairbond.Map({Key(): 1, Key(): 2}),
    "element equal": lambda: Key() in elements,
    "set algebra": lambda: elements | {Key()},
    "frozen equal": lambda: pairbond.FrozenMap({Key(): 1}) == pairbond.FrozenMap({Key(): 1}),
    "hash": lambda: table.get(Hashed()),
    "tuple hash": lambda: hash(pairbond.Tuple([Hashed()])),
    "list equal": lambda: pairbond.List([Key()]) == [Key()],
    "list index": lambda: pairbond.List([Key()]).count(Key()),
    "sort key": lambda: pairbond.List([1, 2, 3]).sort(key=pause),
    "sort less": lambda: pairbond.List([Less(), Less()]).sort(),
    "list of an iterator": lambda: pairbond.List(pauses()),
    "extend": lambda: pairbond.List().extend(pauses()),
    "slice of an iterator": lambda: pairbond.List([1]).__setitem__(slice(0, 1), pauses()),
    "set of an iterator": lambda: pairbond.Set(pauses()),
    "map of pairs": lambda: pairbond.Map((n, pause()) for n in range(3)),
    "map of a mapping": lambda: pairbond.Map().update(Entries()),
    "index": lambda: items[Index()],
    "repr": lambda: repr(pairbond.List([Shown()])),
    "map repr": lambda: repr(pairbond.Map({1: Shown()})),
    "argument": lambda: ext.f64_(Index()),
    "path": lambda: ext.path(Index()),
    "sequence argument": lambda: ext.vec(pauses()),
    "setter": lambda: setattr(Made.__new__(Made), "number", Index()),
    "constructor": lambda: holders.Node(Index()),
    "defined class": lambda: Made(),
    "subclass made": lambda: Meta(),
    "deep copy": lambda: copy.deepcopy(written),
    "deep copy of a graph": lambda: copy.deepcopy(node),
    "pickle": lambda: pickle.dumps(written),
    "pickle of a graph": lambda: pickle.dumps(node),
    "state": lambda: pickle.dumps(state),
    "set state": lambda: pickle.loads(stated),
    "structural": lambda: pairbond.structural_equal(pairbond.List([Key()]), pairbond.List([Key()])),
    "observer": observed,
}

def body(way):
    while True:
        try:
            way()
        except (ValueError, TypeError, AttributeError, pairbond.Error, pickle.PicklingError):
            if not begun:
                raise

if __name__ == "__main__":
    if sys.argv[1] == "names":
        print(*WAYS, sep="\\n")
    else:
        for _ in range(2):
            threading.Thread(target=body, args=(WAYS[sys.argv[1]],), daemon=True).start()
        last = time.monotonic() + 60
        while not begun:
            if time.monotonic() > last:
                sys.exit(1)
            time.sleep(0.001)
        time.sleep(0.05)
        # Without a GIL its loop over all finalizers fails where threads make some: no finalizer here is of the exit.
        atexit.unregister(weakref.finalize._exitfunc)
        sys.exit(7)
"""
WAYS = [line.split('"')[1] for line in PROGRAM.partition("WAYS = {")[2].partition("\n}")[0].splitlines() if '"' in line]


@pytest.mark.parametrize("way", WAYS)
def test_the_process_ends_as_it_says(way):
    for run in range(RUNS):
        command = [sys.executable, "-X", "faulthandler", "-c", PROGRAM, way]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        said = done.stdout + done.stderr
        assert (done.returncode, said) == (7, ""), f"run {run}: status {done.returncode}\n{said[-3000:]}"
