# ruff: noqa: E501 - the programs are texts, where a loop that tries one thing stays on its line
"""Nothing done in pure Python crashes the process. What is risky runs in a process of its own, under faulthandler."""

import textwrap

import pytest
from promises import in_a_process

POKE = "from promises_poke import *\n"


@pytest.mark.parametrize("cls", range(9))
def test_half_made_objects(cls):
    """`cls.__new__(cls)`, and everything on it; then `__init__`, and everything again."""
    out = in_a_process(
        POKE
        + f"""
cls = CLASSES[{cls}]
try:
    class Child(cls):
        __slots__ = ("slot",)
except TypeError:
    Child = cls
for kind in (cls, Child):
    half = attempt(kind.__new__, kind)
    attempt(object.__new__, kind)
    attempt(pairbond.Object.__new__, kind)
    for other in CLASSES:
        attempt(other.__new__, kind)
        attempt(kind.__new__, other)
        if half is not None:
            attempt(other.__init__, half)
            attempt(other.__init__, half, "x")
    if half is not None:
        poke(half)
        half = kind.__new__(kind)
        attempt(half.__init__)
        attempt(half.__init__, "x")
        attempt(half.__init__)
        poke(half)
        half.mark = half
        del half
gc.collect()
print(SEEN["calls"], SEEN["errors"])
"""
    )
    calls, errors = map(int, out.split())
    assert calls > 40
    assert errors > 10


def test_whole_objects():
    out = in_a_process(
        POKE
        + """
lock = lockgraph.parse('version = 4\\n[[package]]\\nname = "a"\\nversion = "1.0.0"\\n')
for it in (Node.ring(3), Leaf(1), Holder(Node(2)), lock, lock["a"], iter(lock), Node(1).children, iter(Node(1).children),
           pairbond_holders.global_function(), pairbond_holders.echo):
    poke(it)
    gc.collect()
print(SEEN["calls"], SEEN["errors"])
"""
    )
    assert int(out.split()[0]) > 10_000


PROGRAMS = {
    "init twice": """
        node = Node(1)
        node.next = node
        for arguments in ((2,), ("x",), (), (1, 2)):
            try: node.__init__(*arguments)
            except TypeError as error: assert arguments in (("x",), (1, 2)) or "twice" in str(error), error
            else: raise SystemExit("__init__ ran twice")
        assert node.number == 1 and node.next is node
    """,
    "half made says so": """
        half = Node.__new__(Node)
        for use in (lambda: half.number, lambda: half.same(), lambda: setattr(half, "next", None),
                    lambda: half.children, lambda: setattr(Node(1), "next", half)):
            try: use()
            except RuntimeError as error: assert "__init__() was not called" in str(error), error
            else: raise SystemExit("a half-made object was used")
        # As any value it is a Python object like others, also when it is made later.
        holder = Holder(half)
        assert holder.get() is half
        Node.__init__(half, 3)
        half.next = half
        assert holder.get() is half.next
        del holder
        halves = [half, *(cls.__new__(cls) for cls in (Node, Leaf, WithDict, WithSlots, pairbond.List))]
        del half, use
        while halves:
            it = halves.pop()
            it.anything = it
            watch = weakref.ref(it)
            del it
            gc.collect()
            assert watch() is None, watch
    """,
    "init without super": """
        class Forgets(Node):
            def __init__(self): self.extra = self
        it = Forgets()
        try: it.number
        except RuntimeError as error: assert "Node.__init__() was not called: there is no native object behind this Forgets" in str(error), error
        else: raise SystemExit("used")
        Node.__init__(it, 5)
        assert it.number == 5 and it.extra is it
    """,
    "class assignment": """
        class Sub(Node): pass
        class Other(Node): pass
        class Slots(Node): __slots__ = ("a", "b")
        class Plain: pass
        sub = Sub(1)
        holder = Holder(sub)
        sub.__class__ = Other
        assert type(holder.get()) is Other and sub.number == 1
        for it in (Node(1), sub, Slots(2), Leaf(3), pairbond.List(), Plain()):
            for cls in (Node, Leaf, Slots, Plain, Sub, object, pairbond.List, pairbond.Object, int, type, None, 3):
                try: it.__class__ = cls
                except TypeError: pass
                for name in ("number", "next", "extra"):
                    try: getattr(it, name)
                    except (TypeError, AttributeError): pass
        del it, sub
        gc.collect()
    """,
    "deletion and wrong types of fields": """
        node = Node(1)
        for name in ("number", "next", "value", "children", "parent"):
            try: delattr(node, name)
            except (AttributeError, TypeError): pass
            else: raise SystemExit(name)
        for name, wrong in (("next", 1), ("next", Leaf(1)), ("next", "x"), ("parent", Leaf(1)), ("number", 5), ("children", [])):
            try: setattr(node, name, wrong)
            except (AttributeError, TypeError): pass
            else: raise SystemExit((name, wrong))
        for wrong in (1, None, Leaf(1), node.children):
            try: node.children.append(wrong)
            except TypeError: pass
            else: raise SystemExit(wrong)
        assert (node.number, node.next, len(node.children)) == (1, None, 0)
    """,
    "deep recursion": """
        class Deep(Node):
            def __repr__(self): return repr(self.value)
            def __eq__(self, other): return self.value == other
            __hash__ = Node.__hash__
        deep = Deep(1)
        deep.value = deep
        for use in (repr, str, lambda it: it == 1, lambda it: pairbond_holders.call(recurse, it)):
            def recurse(it): return pairbond_holders.call(recurse, it)
            try: use(deep)
            except RecursionError: pass
            else: raise SystemExit("no RecursionError")
        nested = []
        for _ in range(100_000): nested = [nested]
        deep.value = nested
        node = Node(1)
        for _ in range(200_000):
            outer = Node(1); outer.value = [node]; node = outer
        del node, outer, deep, nested
        gc.collect()
    """,
    "exceptions in every callback": """
        hook = []
        sys.unraisablehook = lambda info: hook.append(info.exc_type)
        def fail(*_): raise ZeroDivisionError("on purpose")
        class Fails(Node):
            __del__ = __repr__ = __hash__ = __eq__ = __bool__ = __index__ = __iter__ = __len__ = fail
        it = Fails(1)
        watches = [weakref.ref(it, fail)]
        holder = Holder(it)
        for use in (repr, hash, lambda it: it == 1, len, list, lambda it: pairbond_holders.call(fail, it),
                    lambda it: pairbond_holders.call_on_thread(fail, it), pairbond.List, lambda it: lockgraph.parse(it)):
            try: use(it)
            except (ZeroDivisionError, TypeError): pass
            else: raise SystemExit(use)
        gc.callbacks.append(fail)
        gc.collect()
        gc.callbacks.remove(fail)
        del it
        holder.clear()
        gc.collect()
        assert watches[0]() is None
        assert hook.count(ZeroDivisionError) >= 3, hook
    """,
    "a setter whose old value reads the field": """
        log = []
        class Reads:
            def __init__(self, node): self.node = node
            def __del__(self):
                log.append(self.node.value)
                if len(log) < 50: self.node.value = Reads(self.node)
                self.node.children.append(Node(1))
                self.node.children.clear()
        node = Node(1)
        node.value = Reads(node)
        node.value = 5
        assert log and not isinstance(log[0], Reads), log
        class Child(Node):
            def __del__(self): log.append((parent.next, len(parent.children)))
        parent, log = Node(1), []
        parent.next = Child(2)
        parent.next = None
        parent.children.append(Child(3))
        parent.children[0] = Child(4)
        del parent.children[0]
        parent.children.append(Child(5))
        parent.children.clear()
        assert log == [(None, 0), (None, 1), (None, 0), (None, 0)], log
    """,
    "a list that changes under its reader": """
        items = pairbond.List()
        class Changes:
            def __index__(self): items.clear(); return 0
            def __eq__(self, other): items.clear(); return False
            def __del__(self): items.append(5)
            __hash__ = None
        items.extend([Changes(), 1, Changes()])
        for use in (lambda: items[Changes()], lambda: items.index(Changes()), lambda: Changes() in items, items.clear, items.pop,
                    lambda: items.insert(Changes(), 1), lambda: items.remove(Changes()), lambda: items.extend(items)):
            try: use()
            except (IndexError, ValueError, TypeError): pass
        items.clear()
        items.extend(range(10))
        seen = 0
        for it in items:
            seen += 1
            items.pop()
        assert seen == 5
    """,
    "everything that the collector knows": """
        def wrappers(): return [it for it in gc.get_objects() if isinstance(it, pairbond.Object) and it not in KEPT]
        ring = Node.ring(50)
        node = ring
        for _ in range(50): node = node.next
        holder = Holder(ring)
        number = id(ring)
        del ring, node
        for it in wrappers():
            it.mark = it
            assert pairbond.native_id(it)
            gc.get_referents(it), gc.get_referrers(it), repr(it), dir(it)
        assert len([it for it in wrappers() if type(it) is Node]) == 50
        assert id(holder.get()) == number
        del it
        holder.clear()
        gc.collect()
        assert not [it for it in wrappers() if type(it) is Node]
    """,
    "looking around in finalizers": """
        looked = []
        def look(*_):
            for it in gc.get_objects():
                if isinstance(it, pairbond.Object):
                    looked.append(type(it))
                    gc.get_referents(it)
                    if type(it) is Looks: it.next, it.value, list(it.children), it.same()
            gc.get_referrers(Looks)
        class Looks(Node):
            def __del__(self):
                gc.get_referents(self), gc.get_referrers(self)
                look()
                self.next.next, self.value
                gc.collect()
        for size in (1, 2, 5):
            ring = [Looks(i) for i in range(size)]
            watches = [weakref.ref(it, look) for it in ring]
            for a, b in zip(ring, ring[1:] + ring[:1]):
                a.next = b; a.value = [b, ring]; a.children.append(b); a.mark = b
            del ring, a, b
            for _ in range(4): gc.collect()
            assert all(watch() is None for watch in watches)
        assert looked
    """,
    "the collector's callbacks are cleared": """
        assert gc.callbacks
        kept = gc.callbacks[:]
        gc.callbacks.clear()
        for i in range(50):
            ring = Node.ring(5)
            ring.mark = [ring]
            ring.next.value = ring
            held = Holder(ring)
            watch = weakref.ref(ring)
            del ring
            gc.collect()
            assert held.get() is watch() and watch().mark[0] is watch()
            del held
            gc.collect()
        gc.callbacks[:] = kept
        for _ in range(4): gc.collect()
        assert pairbond.live_objects().get("pairbond_holders.Node", 0) == 0 + len([1 for it in KEPT if type(it) is Node])
        for wrong in ((), ("start",), ("start", {}), ("stop", None), (1, 2), ("start", {"generation": "x"}), ("stop", {}), ("stop", {})):
            for callback in kept:
                try: callback(*wrong)
                except Exception: pass
        for _ in range(100):
            for callback in kept: callback("start", {"generation": 2})
            ring = Node.ring(3); ring.mark = ring; gc.get_referents(ring); del ring
        gc.collect(); gc.collect()
    """,
    "freeze": """
        rings = [Node.ring(3) for _ in range(20)]
        for ring in rings: ring.mark = [ring]; ring.next.value = ring
        watches = [weakref.ref(ring) for ring in rings]
        gc.freeze()
        fresh = Node.ring(3)
        fresh.mark = fresh
        fresh.children.append(rings[0])
        rings[0].children.append(fresh)
        other = weakref.ref(fresh)
        del fresh, ring
        for _ in range(3): gc.collect()
        assert other() is not None
        held = Holder(rings[1])
        rings.clear()
        for _ in range(3): gc.collect()
        assert held.get() is watches[1]() and held.get().next.value is watches[1]()
        gc.unfreeze()
        held.clear()
        for _ in range(4): gc.collect()
        assert all(watch() is None for watch in watches) and other() is None
    """,
    "young collections and thresholds": """
        gc.set_threshold(1, 1, 1)
        rings = []
        for i in range(2000):
            ring = Node.ring(3)
            ring.mark = [ring, object()]
            ring.children.append(ring.next)
            rings.append(ring)
            if len(rings) > 20:
                old = rings.pop(0)
                assert old.next.next.next is old and old.mark[0] is old
                del old
    """,
    "attributes of all kinds": """
        node = Node(1)
        node.__dict__ = {"a": node}
        assert node.a is node
        node.__dict__["b"] = node.__dict__
        vars(node).update({str(i): node for i in range(1000)})
        for wrong in (None, 1, [], object()):
            try: node.__dict__ = wrong
            except TypeError: pass
            else: raise SystemExit(wrong)
        holder = Holder(node)
        watch = weakref.ref(node)
        del node
        gc.collect()
        assert holder.get().a is holder.get().b["999"]
        holder.get().__dict__ = {}
        holder.get().__dict__.clear()
        holder.clear()
        gc.collect()
        assert watch() is None
    """,
    "strange classes": """
        import abc, enum, typing, dataclasses
        class Meta(type):
            def __call__(cls, *a): return super().__call__(*a)
        class WithMeta(Node, metaclass=Meta): pass
        class Abstract(Node, abc.ABC):
            @abc.abstractmethod
            def f(self): ...
        class Concrete(Abstract):
            def f(self): return self.number
        class Generic(Node, typing.Generic[typing.TypeVar("T")]): pass
        class NewOnly(Node):
            def __new__(cls, *a): return super().__new__(cls)
        class Swaps(Node):
            def __new__(cls, *a): return 5
        class Lies(Node):
            @property
            def __class__(self): return int
        class Gets(Node):
            def __getattribute__(self, name): return object.__getattribute__(self, name)
            def __setattr__(self, name, value): object.__setattr__(self, name, value)
        try: Abstract(1)
        except TypeError: pass
        else: raise SystemExit("an abstract class was instantiated")
        assert Swaps(1) == 5
        for cls in (WithMeta, Concrete, Generic, NewOnly, Lies, Gets):
            it = cls(7)
            assert it.number == 7
            it.next = it
            holder = Holder(it)
            watch = weakref.ref(it)
            del it
            gc.collect()
            assert type(holder.get()) is cls and holder.get().next is watch()
            holder.clear()
            gc.collect()
            assert watch() is None, cls
        # Two native classes have one layout since 3.12, and CPython lets them mix: the object is of the first kind, and says so to the other.
        for bases in ((Node, Leaf), (Leaf, Node), (lockgraph.Package, Node), (pairbond.List, Holder)):
            try: Mixed = type("Mixed", bases, {})
            except TypeError: continue
            mixed = Mixed("1") if bases[0] is lockgraph.Package else Mixed([1]) if bases[0] is pairbond.List else Mixed(1)
            for cls in bases:
                for name, attribute in vars(cls).items():
                    for use in (lambda: getattr(mixed, name), lambda: attribute.__get__(mixed), lambda: attribute.__set__(mixed, mixed),
                                lambda: attribute(mixed), lambda: attribute.__get__(mixed)(), lambda: attribute(mixed, mixed)):
                        if name in ("churn", "juggle", "stop", "ring", "chain"): continue
                        try: use()
                        except (TypeError, AttributeError, IndexError, ValueError, KeyError): pass
            mixed.me = mixed
            holder, watch = Holder(mixed), weakref.ref(mixed)
            del mixed
            gc.collect()
            assert type(holder.get()) is Mixed
            holder.clear()
            gc.collect()
            assert watch() is None
        for bases in ((Node, int), (Node, dict), (Node, BaseException), (pairbond.Object, list)):
            try: type("Mixed", bases, {})
            except TypeError: pass
            else: raise SystemExit(bases)
        for name in ("__del__", "__init__", "__new__", "__getattr__", "number", "__class__"):
            for value in (lambda *a: None, None, 5):
                try: setattr(WithMeta, name, value)
                except TypeError: pass
                for use in (lambda: WithMeta(1), lambda: WithMeta(1).number):
                    try: use()
                    except Exception: pass
            try: delattr(WithMeta, name)
            except (AttributeError, TypeError): pass
        for name in ("__del__", "__repr__", "number", "next"):
            try: setattr(Node, name, lambda self, *a: 1)
            except TypeError: continue
            it = Node(3)
            try: repr(it)
            except TypeError: pass
            del it
            delattr(Node, name)
        gc.collect()
    """,
    "threads that end in the middle": """
        import threading, _thread
        holder = Holder(Node(1))
        def work():
            local = threading.local()
            local.node = WithDel("thread")
            local.node.me = local.node
            holder.put(local.node)
            _thread.exit()
        for _ in range(50):
            thread = threading.Thread(target=work); thread.start(); thread.join()
        holder.drop_on_thread()
        gc.collect()
        # The interpreter ends while native threads run, own wrappers, and call.
        holder.put(WithDict("last"))
        holder.juggle(3)
        keep = [Node.ring(4) for _ in range(5)]
        for ring in keep: ring.mark = [ring, holder]
        import atexit
        atexit.register(lambda: holder.get().name)
        sys.exit(0)
    """,
    "finalizers at the end": """
        class Late(Node):
            def __del__(self):
                self.next, self.value, list(self.children), self.same() is self
                Node(5).next
        late = Late(1)
        late.value = [late]
        late.children.append(Late(2))
        holder = Holder(Late(3))
        holder.get().mark = holder
        module = sys.modules["pairbond"]
        module.late = Late(4)
        sys.modules["__main__"].self = [late, holder]
    """,
    "modules that are imported again": """
        import importlib
        node = Node(1)
        for name in ("pairbond_holders", "lockgraph._lockgraph", "lockgraph", "pairbond._pairbond", "pairbond"):
            del sys.modules[name]
        import pairbond as again, pairbond_holders as holders
        assert type(holders.echo(node)) is type(node) and holders.echo(node) is node
        other = holders.Node(2)
        node.next = other
        assert node.next is other
        for module in (again, holders):
            try: importlib.reload(module)
            except ImportError: pass
        gc.collect()
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    in_a_process(
        "import lockgraph, pairbond_holders\nfrom pairbond_holders import *\n" + textwrap.dedent(PROGRAMS[name])
    )
