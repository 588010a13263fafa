"""Copying and pickling native objects.

What a native object leads to natively is one *graph*, taken apart and made again as a table, whatever its depth.
Python objects in it, and what Python has attached to the selves of its objects, go beside the table, through
``pickle`` and ``copy`` themselves.

pickle calls ``__reduce_ex__`` for one object at a time, and remembers each; it says neither which pickle it is making
nor when that ends. So:

* The first object of a graph that pickle meets reduces to *(its graph, its number)*, and so do all others, which the
  graph has with it. The graph is a Python object, which pickle remembers: it is written once.
* Which objects belong to which graph is kept by a *session* as long as the pickle is in the making: until pickle
  forgets what it remembers, and with it a sentinel that is written with the first graph.
* A graph that pickle has written is not asked again by the same pickle. If it is asked again, another pickle is being
  made (while a first one is not forgotten yet), and gets a session and a table of its own.

Tables are made at the moment when they are asked for: what is written is what the objects are then.
"""

import copyreg
import functools
import inspect
import pickle
import sys
import threading
import types
import weakref

from pairbond._pairbond import (
    Device,
    DType,
    Function,
    Object,
    _function_name,
    _make,
    _Members,
    _take,
    get_function,
)

_MISSING = object()


class _Local(threading.local):
    def __init__(self):
        self.sessions = []


_local = _Local()


class _Session:
    """What a pickle that is in the making has written."""

    __slots__ = ("ended", "graphs", "members", "started")

    def __init__(self):
        self.members = _Members()
        # Weak references: pickle remembers those that it has written.
        self.graphs = []
        self.started = self.ended = False

    def graph(self, number):
        graph = self.graphs[number]
        return None if graph is None else graph()

    def end(self):
        self.ended = True
        self.members = _Members()
        self.graphs = []
        if self in _local.sessions:
            _local.sessions.remove(self)

    @staticmethod
    def current():
        sessions = _local.sessions
        while sessions and sessions[-1].ended:
            sessions.pop()
        if not sessions:
            sessions.append(_Session())
        return sessions[-1]


class _Sentinel:
    """Remembered by a pickle that is in the making, and by nobody else."""

    __slots__ = ("_session",)

    def __init__(self, session):
        self._session = session

    def __reduce__(self):
        return _nothing, ()

    def __del__(self):
        self._session.end()


class _Written:
    """The end of what must be written before a graph."""

    __slots__ = ("_graph",)

    def __init__(self, graph):
        self._graph = graph

    def __reduce__(self):
        self._graph.busy = False
        return _nothing, ()


def _nothing():
    return None


def _is_reduced(cls):
    """Whether a class says itself how its objects are pickled (so that they are not part of a graph)."""
    return (
        cls.__reduce_ex__ is not Object.__reduce_ex__
        or cls.__reduce__ is not object.__reduce__
        or cls in copyreg.dispatch_table
    )


def _is_copied(cls):
    return cls.__deepcopy__ is not Object.__deepcopy__ or _is_reduced(cls)


def reduce_ex(self, protocol):
    """``Object.__reduce_ex__``"""
    cls = type(self)
    if cls.__reduce__ is not object.__reduce__ and cls.__reduce_ex__ is Object.__reduce_ex__:
        return self.__reduce__()
    simple = _simple(self)
    if simple is not None:
        return simple
    session = _Session.current()
    place = session.members.find(self)
    graph = None if place is None else session.graph(place[0])
    if graph is None:
        graph, number = _Graph(session, self), 0
    else:
        number = place[1]
    graph.asked = (self, number)
    return _object, (graph, number)


def _simple(self):
    """How a value that has no identity of its own is reduced."""
    if isinstance(self, (DType, Device)):
        return type(self), (str(self),)
    if isinstance(self, Function):
        name = _function_name(self)
        if name is None:
            raise TypeError(
                f"cannot pickle the native function {self.__name__!r}: it is not registered by a name "
                "(pairbond.register_function)"
            )
        return get_function, (name,)
    return None


def _object(graph, number):
    return graph.object(number)


class _Graph:
    """A graph on its way into a pickle."""

    __slots__ = ("__weakref__", "_session", "asked", "busy", "first", "number", "written")

    def __init__(self, session, root):
        self._session = session
        # The object that pickle has just met, and its number.
        self.asked = (root, 0)
        self.busy = self.written = False
        self.first = 0
        self.number = len(session.graphs)
        session.graphs.append(weakref.ref(self))

    def __reduce_ex__(self, protocol):
        if self.busy:
            raise pickle.PicklingError(
                f"cannot pickle {type(self.asked[0]).__name__!r}: it leads back to itself through a Python object "
                "that must be there before it (a key of a mapping that never changes, or an object of a class with "
                "a __reduce__ of its own)"
            )
        session, first = self._session, self.first
        root, alias = self.asked
        if self.written or session.ended:
            # Another pickle.
            session = _Session()
            session.graphs = [None] * self.number + [weakref.ref(self)]
            _local.sessions.append(session)
        taken = _take(root, session.members, _is_reduced, False)
        taken.enter(session.members, self.number, first)
        self.first = first + len(taken)
        self.written = self.busy = True
        inside = protocol < 5
        buffers = None if inside else tuple(pickle.PickleBuffer(buffer) for buffer in taken.buffers())
        kinds, early, foreign, native = _beside(taken)
        classes, states = _selves(taken.selves())
        # The modules that register the types are imported with their classes.
        needed = tuple(_classes(taken.keys()))
        ends = () if session.started else (_Sentinel(session),)
        session.started = True
        arguments = (
            1,
            bytes(taken.table(inside)),
            buffers,
            needed,
            kinds,
            early,
            classes,
            (first, alias),
            ends,
            _Written(self),
        )
        if foreign or native or states:
            return _Made, arguments, (foreign, native, states)
        return _Made, arguments


def _beside(taken):
    """What goes beside a graph: of what kind each is, those that come first, and by number those that come late."""
    kinds, early, foreign, native = bytearray(), [], [], []
    for number, (value, must) in enumerate(zip(taken.beside(), taken.early(), strict=True)):
        if must:
            kinds.append(0)
            early.append(value)
        elif isinstance(value, Object):
            kinds.append(2)
            native.append((number, value))
        else:
            kinds.append(1)
            foreign.append((number, value))
    return bytes(kinds), tuple(early), foreign, native


def _classes(keys):
    for key in keys:
        module, _, name = key.rpartition(".")
        cls = getattr(sys.modules.get(module), name, None)
        if isinstance(cls, type) and cls.__module__ == module and cls.__qualname__ == name:
            yield cls


def _selves(selves):
    """The classes of selves that are instances of classes made in Python, and the states of those that have any."""
    classes, states = [], []
    for number, is_own, self in selves:
        if is_own:
            cls = type(self)
            classes.append((number, cls, *_new_arguments(self, cls)))
        state = self.__getstate__()
        if state is not None:
            states.append((number, state))
    return classes, states


def _new_arguments(self, cls):
    """What ``__new__`` of a class is called with, by the rules of pickle."""
    if hasattr(cls, "__getnewargs_ex__"):
        args, kwargs = self.__getnewargs_ex__()
        return tuple(args), dict(kwargs)
    if hasattr(cls, "__getnewargs__"):
        return tuple(self.__getnewargs__()), None
    return (), None


class _Made:
    """A graph that comes out of a pickle."""

    __slots__ = ("_alias", "_first", "_making")

    def __new__(cls, version, table, buffers, needed, kinds, early, classes, numbers, *ends):
        if version != 1:
            raise pickle.UnpicklingError(f"the pickle is of a later version of pairbond ({version!r})")
        self = object.__new__(cls)
        self._first, self._alias = numbers
        arrays = None if buffers is None else [_memory(buffer) for buffer in buffers]
        self._making = _make(table, arrays, kinds, list(early))
        _adopt_all(self._making, classes)
        return self

    def object(self, number):
        return self._making.object(0 if number == self._alias else number - self._first)

    def __setstate__(self, state):
        foreign, native, states = state
        if foreign or native:
            self._making.finish(foreign, native)
        for number, own in states:
            set_state(self._making.object(number), own)


def _memory(buffer):
    """The memory of an array, used as it is: where pickle got it from is where it stays."""
    return pickle.PickleBuffer(buffer).raw()


def _adopt_all(making, classes):
    for number, cls, args, kwargs in classes:
        if not (isinstance(cls, type) and issubclass(cls, Object)):
            raise pickle.UnpicklingError("the pickle is damaged: a native object whose class is none")
        own_new = args or kwargs or isinstance(cls.__new__, types.FunctionType)
        making.adopt(number, cls, functools.partial(cls.__new__, cls, *args, **(kwargs or {})) if own_new else None)


def set_state(self, state):
    """As pickle does."""
    setter = getattr(self, "__setstate__", None)
    if setter is not None:
        setter(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        own = self.__dict__
        for name, value in state.items():
            own[sys.intern(name) if type(name) is str else name] = value
    if slots:
        for name, value in slots.items():
            setattr(self, name, value)


def copy(self):
    """``Object.__copy__``"""
    cls = type(self)
    if _is_reduced(cls):
        return _reconstruct(self, None, self.__reduce_ex__(4))
    if isinstance(self, (DType, Device, Function)):
        return self
    taken = _take(self, None, _is_reduced, True)
    # Making takes the graph, so what there is to be asked is asked before.
    making = _make(taken, None, bytes(len(taken.beside())), taken.beside())
    classes, states = _selves(taken.selves())
    _adopt_all(making, classes)
    made = making.object(0)
    for _, state in states:
        set_state(made, state)
    return made


class _Copies:
    """What a deep copy has copied so far; in its memo."""

    __slots__ = ("graphs", "members")

    def __init__(self):
        self.members = _Members()
        self.graphs = []

    def find(self, original):
        place = self.members.find(original)
        return None if place is None else self.graphs[place[0]].object(place[1])


def deepcopy(self, memo):
    """``Object.__deepcopy__``"""
    from copy import deepcopy as deep

    cls = type(self)
    if _is_reduced(cls):
        return _reconstruct(self, memo, self.__reduce_ex__(4))
    if isinstance(self, (DType, Device, Function)):
        return self
    if memo is None:
        memo = {}
    copies = memo.get(id(_MISSING))
    if copies is None:
        copies = memo[id(_MISSING)] = _Copies()
    found = copies.find(self)
    if found is not None:
        return found
    taken = _take(self, copies.members, _is_copied, False)
    kinds, early, foreign, native = _beside(taken)
    early = [deep(value, memo) for value in early]
    selves = taken.selves()
    making = _make(taken, None, kinds, early)
    classes, states = _selves(selves)
    _adopt_all(making, classes)
    taken.enter(copies.members, len(copies.graphs), 0)
    copies.graphs.append(making)
    if foreign or native:
        making.finish(
            [(number, deep(value, memo)) for number, value in foreign],
            [(number, deep(value, memo)) for number, value in native],
        )
    for number, state in states:
        set_state(making.object(number), deep(state, memo))
    return making.object(0)


def _reconstruct(self, memo, reduced):
    from copy import _reconstruct as reconstruct

    if isinstance(reduced, str):
        return self
    return reconstruct(self, memo, *reduced)


def replace(self, changes=None):
    """``Object.__replace__``"""
    cls = type(self)
    arguments = {}
    changes = dict(changes or {})
    for name, parameter in inspect.signature(cls).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in changes:
            arguments[name] = changes.pop(name)
            continue
        value = getattr(self, name, _MISSING)
        if value is _MISSING:
            if parameter.default is not parameter.empty:
                continue
            raise TypeError(
                f"cannot replace parts of a {cls.__name__!r}: it has no attribute {name!r}, which making one needs"
            )
        arguments[name] = value
    if changes:
        raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {next(iter(changes))!r}")
    return cls(**arguments)
