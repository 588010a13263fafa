"""Panics in the code of one binary's types, called by another one, which cannot catch them: they are exceptions."""

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.large, pytest.mark.threads]

PROLOGUE = """
import copy, gc, pickle, sys, threading, traceback
import pairbond
import pairbond_holders as holders
import pairbond_testext as ext

def brittle(number=1):
    it = ext.Brittle(number)
    it.other = [it]
    return it

def raises(place, act, *args):
    ext.panic_in(place)
    try:
        act(*args)
    except pairbond.PanicError as error:
        assert f"in {place}" in str(error), (place, error)
    else:
        raise AssertionError(f"nothing panicked in {place}")
    finally:
        ext.panic_in()

def ends(place, act, *args):
    # Called where no exception can be raised.
    ext.panic_in(place)
    act(*args)
    ext.panic_in()
"""

SCRIPTS = {
    "save": """
for act in (copy.copy, copy.deepcopy, pickle.dumps, pickle._dumps, pairbond.to_json, pairbond.structural_hash):
    raises("save", act, brittle())
    if act is not copy.copy:
        raises("save", act, pairbond.List([brittle()]))
raises("save", pairbond.structural_equal, pairbond.List([brittle()]), pairbond.List([brittle()]))
raises("save", pairbond.structural_compare, pairbond.List([brittle()]), pairbond.List([brittle(2)]))
for act in (copy.copy, copy.deepcopy, pickle.dumps, pairbond.to_json, pairbond.structural_hash):
    raises("save by a function", act, ext.Written(1))
""",
    "load": """
data, text = pickle.dumps(brittle()), pairbond.to_json(ext.Brittle(1))
for place in ("load", "check", "default"):
    raises(place, pickle.loads, data)
    raises(place, pairbond.from_json, text)
    raises(place, copy.copy, brittle())
    raises(place, copy.deepcopy, brittle())
ring = brittle()
ring.other = ring
raises("finish", pickle.loads, pickle.dumps(ring))
raises("load by a function", pickle.loads, pickle.dumps(ext.Written(1)))
raises("load by a function", pairbond.from_json, pairbond.to_json(ext.Written(1)))
raises("load by a function", copy.copy, ext.Written(1))
""",
    "keys": """
one, two = brittle(), brittle()
for make in (lambda k: pairbond.Map({k: 1}), lambda k: pairbond.Set([k]), lambda k: pairbond.FrozenMap({k: 1})):
    raises("hash", make, one)
    full = make(one)
    raises("eq", lambda: two in full)
    raises("hash", lambda: two in full)
raises("hash", hash, pairbond.Tuple([one]))
items = pairbond.List([one])
raises("eq", items.index, two)
raises("eq", items.count, two)
raises("eq", items.remove, two)
raises("eq", lambda: items == pairbond.List([two]))
raises("eq", lambda: pairbond.Tuple([one]) == (two,))
raises("lt", pairbond.List([one, two]).sort)
raises("hash", hash, one)
raises("eq", lambda: one == two)
""",
    "protocols": """
it = brittle()
for place, act in {
    "new": lambda: ext.Brittle(1), "getter": lambda: it.number, "iter": lambda: iter(it), "next": lambda: next(it),
    "len": lambda: len(it), "call": it, "repr": lambda: repr(it),
}.items():
    raises(place, act)
raises("next", pairbond.List, it)
raises("iter", pairbond.Set, it)
raises("repr", lambda: repr(pairbond.List([it])))
raises("call", holders.call, it)
raises("call", holders.call_on_thread, it)
raises("call", holders.call_detached, it)
""",
    "functions": """
for place, function in zip(("built function", "closure", "function"), ext.brittle_functions(), strict=True):
    raises(place, function, 1)
    raises(place, holders.call, function, 1)
    raises(place, holders.call_on_thread, function, 1)
    raises(place, holders.call_detached, function, 1)
    pairbond.register_function("brittle." + place, function)
    raises(place, pairbond.get_function("brittle." + place), 1)
raises("function", ext.brittle_function, 1)
""",
    "drop": """
caught = []
sys.unraisablehook = lambda info: caught.append(str(info.exc_value))
for place in ("drop", "drop of a field"):
    holder = holders.Holder(ext.Brittle(1))
    ends(place, holder.clear)
    assert caught and f"in {place}" in caught[0], caught
    holder = holders.Holder(ext.Brittle(1))
    ends(place, holder.drop_on_thread)
    items = pairbond.List([ext.Brittle(1)])
    ends(place, items.clear)
    it = ext.Brittle(1)
    it.other = pairbond.List([it])
    del it
    ends(place, gc.collect)
    holders.put_global(ext.Brittle(1))
    ends(place, holders.put_global, None)
    data = pickle.dumps(pairbond.List([ext.Brittle(1), ext.Written(2)]))
    ext.panic_in("load by a function")
    try:
        pickle.loads(data)
    except pairbond.PanicError:
        pass
    ext.panic_in()
    caught.clear()
""",
    "names": """
parent, child = ext.Named(), ext.Named()
parent.add(child)
try:
    child.add(parent)
except ValueError as error:
    assert "named" in str(error), error
ext.panic_in("name")
try:
    child.add(parent)
except ValueError as error:
    assert "pairbond_testext.Named" in str(error), error
else:
    raise AssertionError("it was added")
child.erase()
try:
    child.erase()
except pairbond.InvalidatedError as error:
    assert "pairbond_testext.Named" in str(error), error
repr(child)
""",
    "while it is loaded": """
failures = []

class Meddling:
    def __init__(self, node):
        self.node = node

    def __setstate__(self, state):
        self.__dict__.update(state)
        for act in (
            copy.copy, copy.deepcopy, pickle.dumps, pickle._dumps, pairbond.structural_hash, pairbond.to_json,
            lambda it: pairbond.structural_equal(it, holders.Node(1)), lambda it: it.next, lambda it: it.value,
            lambda it: it.value(), lambda it: holders.call(it.value),
        ):
            try:
                failures.append(("no exception", act(self.node)))
            except Exception as error:
                failures.append(error)

class Reduced(holders.Node):
    def __reduce__(self):
        return Reduced, (self.number,)

a = holders.Node(1)
a.next, a.value = Reduced(2), Meddling(a)
for data in (pickle.dumps(a), pickle._dumps(a)):
    b = pickle.loads(data)
    assert b.next.number == 2
    assert b.value.node is b
    assert len(failures) == 11, failures
    for failure in failures:
        assert isinstance(failure, (pairbond.PanicError, RuntimeError, TypeError)), failure
        assert "load" in str(failure) or "made from data" in str(failure), failure
    failures.clear()
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_panic_is_an_exception(name):
    run = subprocess.run(
        [sys.executable, "-c", PROLOGUE + SCRIPTS[name] + "\nprint('to its end')"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "to its end\n"
