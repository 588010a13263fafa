"""How a process ends, whatever native code is doing: no crash, no hang, and no message that is not the user's.

Each scenario runs in processes of its own, PAIRBOND_SHUTDOWN_RUNS times, twice unless told:

    PAIRBOND_SHUTDOWN_RUNS=100 scripts/py scripts/test_python.py -k shutdown
"""

from __future__ import annotations

import os
import signal

import pytest
from interpreters import script

RUNS = int(os.environ.get("PAIRBOND_SHUTDOWN_RUNS") or 2)

PROLOGUE = """
import atexit, gc, os, signal, sys, threading, time, weakref
import pairbond_holders as native

class Sub(native.Node):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.me = self

def subs(count):
    return [Sub(i) for i in range(count)]

class Loud:
    def __init__(self, text):
        self.text = text
    def __del__(self):
        print("deleted", self.text)
"""

NATIVE_THREADS = """
holder = native.Holder(Sub(1))
holder.watch(holder.get())
holder.churn(2)
holder.juggle(2)
native.drop_slowly(subs(3000))
native.drop_slowly([{} for _ in range(3000)])
native.work_for_ever(Sub(2), [1, 2])
native.work_for_ever(holder.get(), Sub(3))
time.sleep(0.01)
"""

DAEMONS = """
def forever(*_):
    while True:
        time.sleep(0.0002)

def busy(*_):
    while True:
        native.call(lambda it: it, {})

for target in (
    lambda: native.call(forever, Sub(1)),
    lambda: native.call_on_thread(forever, Sub(2)),
    lambda: native.call_detached(forever, Sub(3)),
    lambda: native.call(busy, Sub(4)),
    lambda: native.call_on_thread(busy),
    lambda: native.call_detached(lambda: native.call(forever)),
):
    threading.Thread(target=target, daemon=True).start()
native.call_for_ever(lambda it: it, Sub(5))
native.call_for_ever(lambda: {})
native.call_for_ever(forever)
time.sleep(0.02)
"""

#: Threads that are in an overridden method or a finalizer when Python ends, with native code around it.
OVERRIDES = """
import pairbond_testext as ext

def forever():
    while True:
        time.sleep(0.0002)

class Stuck(ext.Shape):
    def area(self, factor):
        forever()

class Quick(ext.Shape):
    def area(self, factor):
        return factor

class Finalized:
    def __del__(self):
        forever()

def quick():
    try:
        ext.area_elsewhere(Quick(), 10**9)
    except RuntimeError:
        pass            # refused, because Python ends

def attributes():
    leaf = native.Leaf(1)
    leaf.mark = Finalized()

def watched():
    leaf = native.Leaf(1)
    watch = weakref.ref(leaf, lambda _: forever())
    del leaf

for target in (
    lambda: Stuck().twice(),
    lambda: ext.area_elsewhere(Stuck()),
    quick,
    lambda: native.Holder(Finalized()).clear(),
    lambda: native.call_detached(lambda it: it, native.Holder(Finalized())),
    attributes,
    watched,
):
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.05)
"""

#: Threads that are in Python code which a conversion, a container or an observer runs.
CONVERSIONS = """
import pairbond

def forever():
    while True:
        time.sleep(0.0002)

class Stuck:
    def __iter__(self):
        yield 1
        forever()

    def __hash__(self):
        forever()

    def __eq__(self, other):
        forever()

    def __repr__(self):
        forever()

    def __index__(self):
        forever()

    def __len__(self):
        forever()

    def __call__(self, *_):
        forever()

    def __getattr__(self, name):
        forever()

    def __lt__(self, other):
        forever()

def observe(_):
    if threading.current_thread() is not threading.main_thread():
        forever()

def traced():
    with pairbond.trace(observe):
        while True:
            Sub(1)

class Key:
    def __hash__(self):
        return 1

    __eq__ = Stuck.__eq__

def keys():
    pairbond.Map({Key(): 1})[Key()]

stuck = Stuck()
for target in (
    lambda: pairbond.List(stuck),
    lambda: pairbond.Tuple(stuck),
    lambda: pairbond.List([1]).extend(stuck),
    lambda: pairbond.Map(stuck),
    lambda: pairbond.Map({"a": stuck}) == {"a": Stuck()},
    lambda: pairbond.Set([stuck]),
    lambda: pairbond.List([1, 2])[stuck],
    lambda: repr(pairbond.List([stuck])),
    lambda: stuck in pairbond.List([Stuck()]),
    lambda: pairbond.List([Stuck(), Stuck()]).sort(),
    lambda: pairbond.List([2, 1]).sort(key=stuck),
    lambda: native.Node(stuck),
    lambda: pairbond.List([1])[stuck:],
    lambda: pairbond.Array(stuck),
    lambda: pairbond.Array.from_dlpack(stuck),
    keys,
    traced,
):
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.05)
"""

#: Threads that are in Python code which copying, pickling, writing or a tree runs.
COPIES = """
import copy, io, pickle
import pairbond, pairbond_testext as ext

def forever(*_):
    # Some of it is collected at the end, by the main thread.
    while threading.current_thread() is not threading.main_thread():
        time.sleep(0.0002)

class State(ext.Section):
    def __getstate__(self):
        forever()

class Later(ext.Section):
    def __setstate__(self, state):
        forever()

class Copied:
    __copy__ = __deepcopy__ = __reduce_ex__ = forever

class Dying:
    def __del__(self):
        forever()

class Equal:
    def __eq__(self, other):
        forever()

    def __hash__(self):
        return 5

class Read(ext.Section):
    def __getattribute__(self, name):
        if name == "odd":
            forever()
        return super().__getattribute__(name)

class Pickler(pickle.Pickler):
    def persistent_id(self, it):
        if isinstance(it, ext.Section):
            forever()

def later():
    section = Later("a")
    section.note = 1
    copy.deepcopy(section)

def tree(act):
    section = ext.Section("a")
    section.write(ext.Paragraph("text"))
    section.extra = section.paragraphs()[0].extra = Dying()
    act(section)

def dying(make, act):
    it = make()
    act(it)

@pairbond.object("shutdown.Record")
class Record:
    number: object

    def __post_init__(self):
        forever()

for target in (
    lambda: copy.copy(State("a")),
    lambda: copy.deepcopy(State("a")),
    lambda: pickle.dumps(State("a")),
    later,
    lambda: copy.deepcopy(pairbond.List([Copied()])),
    lambda: pickle.dumps(pairbond.List([Copied()])),
    lambda: Pickler(io.BytesIO()).dump(pairbond.List([ext.Section("a")])),
    lambda: pairbond.structural_equal(pairbond.List([Equal()]), pairbond.List([Equal()])),
    lambda: tree(lambda it: it.erase()),
    lambda: tree(lambda it: None),
    lambda: tree(lambda it: setattr(it, "extra", None)),
    lambda: dying(lambda: pairbond.List([Dying()]), lambda it: it.clear()),
    lambda: dying(lambda: pairbond.List([Dying()]), lambda it: it.pop()),
    lambda: dying(lambda: pairbond.List([Dying(), 1]), lambda it: it.__delitem__(slice(0, 1))),
    lambda: dying(lambda: pairbond.Map({1: Dying()}), lambda it: it.clear()),
    lambda: dying(lambda: pairbond.Map({1: Dying()}), lambda it: it.__setitem__(1, 2)),
    lambda: dying(lambda: pairbond.Set([Dying()]), lambda it: it.clear()),
    lambda: pairbond.List([Equal()]).remove(Equal()),
    lambda: pairbond.List([Equal()]).index(Equal()),
    lambda: pairbond.List([Equal()]).count(Equal()),
    lambda: pairbond.Set([Equal()]).add(Equal()),
    lambda: pairbond.Set([Equal()]) & {Equal()},
    lambda: pairbond.Map({Equal(): 1}).get(Equal()),
    lambda: pairbond.Map({Equal(): 1}).update({Equal(): 1}),
    lambda: Read("a").odd,
    lambda: Record(1),
    lambda: ext.call_each(forever, [1, 2, 3]),
    lambda: ext.apply(forever, [1]),
):
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.05)
"""

KEPT = """
native.global_node().mark = native.global_node()
native.global_node().value = subs(3)
native.global_point().mark = subs(3)
native.global_function().mark = Sub(1)
native.put_global(lambda: keep)
keep = subs(100)
keep[0].next = keep[1]
keep[1].value = lambda: keep
"""

DORMANT = """
holders = [native.Holder(it) for it in subs(1000)]
native.put_global(Sub(7))
native.get_global().value = holders[0]
native.global_node().value = native.Holder(Sub(8))
leaves = [native.Holder(native.Leaf(i)) for i in range(1000)]
native.global_node().next = native.Node(3)
native.global_node().next.value = native.Leaf(4)
"""

QUEUE = """
def fill(count):
    holder = native.Holder(subs(count))
    held = [native.Holder(it) for it in subs(count)]
    native.drop_slowly([it.take() for it in held], 0)
    native.drop_slowly([{} for _ in range(count)], 0)
    holder.drop_on_thread()
fill(1000)
atexit.register(fill, 1000)
"""

#: Code, and what the process says and how it ends.
SCENARIOS = {
    "native_threads": (NATIVE_THREADS, "", "", 0),
    "daemon_threads": (DAEMONS, "", "", 0),
    "overrides": (OVERRIDES, "", "", 0),
    "conversions": (CONVERSIONS, "", "", 0),
    "copies": (COPIES, "", "", 0),
    "copies_exit": (COPIES + "sys.exit(7)\n", "", "", 7),
    "kept": (KEPT, "", "", 0),
    "dormant": (DORMANT, "", "", 0),
    "full_queue": (QUEUE, "", "", 0),
    "everything": (KEPT + DORMANT + QUEUE + NATIVE_THREADS + DAEMONS + OVERRIDES, "", "", 0),
    "atexit_raises": (
        KEPT + NATIVE_THREADS + "atexit.register(lambda: native.call(lambda: 1 / 0))\n",
        "",
        "ZeroDivisionError: division by zero\n",
        0,
    ),
    "os_exit": (KEPT + NATIVE_THREADS + DAEMONS + "os._exit(3)\n", "", "", 3),
    "sys_exit_in_a_thread": (
        KEPT + NATIVE_THREADS + "t = threading.Thread(target=lambda: native.call(sys.exit, 5)); t.start(); t.join()\n",
        "",
        "",
        0,
    ),
    "sys_exit_in_a_callback": (KEPT + NATIVE_THREADS + "native.call(sys.exit, 6)\n", "", "", 6),
    "sigterm": (
        KEPT + NATIVE_THREADS + DAEMONS + "os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)\n",
        "",
        "",
        -signal.SIGTERM,
    ),
    "late": (
        """
        native.put_global(Sub(1))
        gone = Sub(2)
        native.at_thread_exit(native.global_node(), gone, lambda it: it)
        native.at_thread_exit(Sub(3), native.global_point(), native.global_function())
        """.replace("\n        ", "\n"),
        "late: true, false, Closed\nlate: true, true, called\n",
        "",
        0,
    ),
    "finalizers": (
        """
        first = native.Node(1)
        first.mark = Loud("first")
        class Finalized(native.Node):
            def __del__(self):
                print("finalized", self.number)
        second = Finalized(2)
        third = Finalized(3)
        third.value = lambda: third             # a cycle through native code
        fourth = Finalized(4)
        fourth.next = fourth
        fourth.mark = Loud("fourth")
        native.call(lambda it: None, fourth)
        """.replace("\n        ", "\n"),
        "deleted first\ndeleted fourth\nfinalized 2\nfinalized 3\nfinalized 4\n",
        "",
        0,
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_shutdown(name: str) -> None:
    code, out, err, status = SCENARIOS[name]
    for run in range(RUNS):
        done = script(PROLOGUE + code, timeout=60)
        said = "".join(sorted(done.stdout.splitlines(keepends=True))) if name == "finalizers" else done.stdout
        fine = done.stderr == err or (err and done.stderr.endswith(err) and done.stderr.count(err) == 1)
        if not (fine and said == out and done.returncode == status):
            pytest.fail(f"run {run}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
