"""Does everything to an object that Python lets one do, with every kind of argument. For processes that may crash."""

import copy
import gc
import itertools
import operator
import pickle
import sys
import weakref

import lockgraph
import pairbond
from pairbond_holders import Holder, Leaf, Node

SEEN = {"calls": 0, "errors": 0}
WEIRD = [
    None,
    0,
    -1,
    1 << 80,
    1.5,
    "",
    "next",
    b"x",
    [],
    {},
    (),
    object(),
    type,
    len,
    slice(None),
    lambda *a: a,
    Node(1),
    Leaf(2),
    lockgraph.Package("weird"),
    Node.__new__(Node),
    float("nan"),
    chr(0xD800),
    range(3),
    NotImplemented,
    Exception(),
]
# What hangs, reads the disk or stops the others.
SKIP = {"churn", "juggle", "stop", "drop_on_thread", "upgrade_on_thread", "chain", "ring"}


def attempt(function, *arguments, **keywords):
    SEEN["calls"] += 1
    try:
        return function(*arguments, **keywords)
    except SystemError:
        raise
    except Exception as error:
        SEEN["errors"] += 1
        str(error), repr(error)


OPERATORS = [
    len,
    iter,
    next,
    hash,
    repr,
    str,
    bool,
    int,
    float,
    abs,
    operator.index,
    operator.neg,
    operator.invert,
    reversed,
    dir,
    vars,
    copy.copy,
    copy.deepcopy,
    pickle.dumps,
    list,
    callable,
    format,
    bytes,
    weakref.ref,
    sys.getsizeof,
    gc.get_referents,
    gc.get_referrers,
    gc.is_tracked,
    pairbond.native_id,
    pairbond.is_dormant,
    complex,
    round,
]
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.matmul,
    operator.truediv,
    operator.pow,
    operator.and_,
    operator.lshift,
    operator.iadd,
    operator.eq,
    operator.lt,
    operator.ge,
    operator.contains,
    operator.getitem,
    operator.delitem,
    divmod,
    isinstance,
    getattr,
    hasattr,
]


def poke(it, depth=1):
    for function in OPERATORS:
        attempt(function, it)
    for function, other in itertools.product(BINARY, WEIRD):
        attempt(function, it, other)
        attempt(function, other, it)
    for other in WEIRD:
        attempt(operator.setitem, it, other, other)
    cls = type(it)
    for name in dir(it):
        if name in SKIP or name in ("__class__", "__init_subclass__", "__subclasshook__"):
            continue
        attribute = attempt(getattr, it, name)
        on_class = attempt(getattr, cls, name)
        for other in WEIRD:
            attempt(setattr, it, name, other)
            if callable(attribute):
                attempt(attribute, other)
                attempt(attribute, other, other)
                attempt(attribute, x=other)
            if callable(on_class):
                attempt(on_class, other)
                attempt(on_class, it, other)
            if hasattr(on_class, "__get__"):
                attempt(on_class.__get__, other, cls)
                attempt(on_class.__get__, None, cls)
                attempt(on_class.__get__, it, None)
            if hasattr(on_class, "__set__"):
                attempt(on_class.__set__, other, it)
            if hasattr(on_class, "__delete__"):
                attempt(on_class.__delete__, other)
        if callable(attribute):
            attempt(attribute)
        attempt(delattr, it, name)


CLASSES = [
    Node,
    Leaf,
    Holder,
    lockgraph.Package,
    lockgraph.Lock,
    lockgraph.Packages,
    pairbond.List,
    pairbond.Function,
    pairbond.Object,
]
