"""Copying and pickling native objects.

The objects that one object leads to natively are one *graph*, taken apart and made again as a table of any depth.
Python objects in it, and what Python has attached to the wrappers of its objects, go beside the table, through
``pickle`` and ``copy`` themselves.

The first object of a graph that a pickler meets reduces to *(its graph, its number)*, and so do all others, which the
graph has with it. The graph is a Python object, which the pickler memoizes: it is written once. Tables are made when
they are written: they hold what the objects are then. ``_picklers`` finds out which pickler is asking, and what it
reduces in ways of its own.
"""

import copyreg
import functools
import inspect
import pickle
import sys
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
from pairbond._picklers import Held, Question, Session, last, nothing, recent

_MISSING = object()


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
    sentinel = recent()
    if sentinel is None:
        # No pickler has met a graph, so this one has not either.
        session = Session()
        return _object, (_Graph(session, self, session.to_front()), 0)
    return last, (sentinel, Question([sentinel], self, _answer, (_copy_native, _deepcopy_native)))


def _answer(session, value):
    """How an object is reduced by the pickler of a session."""
    graph, number = session.find(value)
    if graph is not None and graph.busy:
        graph = graph.again(value)
        number = 0
    if graph is None:
        graph, number = _Graph(session, value), 0
    graph.asked = (value, number)
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


def _these(*values):
    return values


class _Graph:
    """A graph on its way into a pickle. The pickler's memo keeps it, and it keeps its objects."""

    __slots__ = (
        "__weakref__",
        "_kept",
        "_number",
        "_sentinels",
        "_session",
        "_state",
        "_taken",
        "asked",
        "attempts",
        "busy",
        "written",
    )

    def __init__(self, session, root, *sentinels, attempts=0):
        self._session = session
        # A sentinel that the pickler has not memoized.
        self._sentinels = sentinels
        # The object that the pickler has just met, and its number.
        self.asked = (root, 0)
        self.attempts = attempts
        self.busy = self.written = False
        self._kept = session.kept()
        self._number = len(self._kept.graphs)
        self._kept.graphs.append(weakref.ref(self))
        self._taken = self._state = None

    def again(self, value):
        """A graph in the place of this one, which was begun and is not written: the pickler has failed, or recurses."""
        if self.attempts == 10:
            raise pickle.PicklingError(
                f"cannot pickle {type(value).__name__!r}: it leads back to itself through a Python object "
                "that must be there before it (a key of a mapping that never changes, or an object of a class with "
                "a __reduce__ of its own)"
            )
        self._kept.members.forget(self._number)
        return _Graph(self._session, value, attempts=self.attempts + 1)

    def __reduce_ex__(self, protocol):
        if self.busy or self.written:
            # The memo was copied, or is not used: this table goes by itself.
            session = Session()
            graph = _Graph(session, self.asked[0], session.to_front())
            graph.asked = self.asked
            return graph.__reduce_ex__(protocol)
        self.busy = True
        sentinels, self._sentinels = self._sentinels, ()
        if not self._session.may_have_hooks():
            probes = self._take(self._session.claims())
            if not probes:
                content, state = self._content(protocol)
                arguments = (2, sentinels, *content)
                return (_Made, arguments) if state is None else (_Made, arguments, state)
            sentinels += probes
        return _Made, (2, sentinels, _Later(self._late_content)), _Later(self._late_state)

    def _take(self, claims):
        """Takes the graph apart; or returns probes that the pickler has to save first."""
        session, root, classes = self._session, self.asked[0], set()
        classes.add(type(root))

        def is_external(cls):
            classes.add(cls)
            return _is_reduced(cls) or session.reduces_class(cls)

        error = None
        try:
            self._taken = _take(root, self._kept.members, is_external, False, claims), classes
        except Exception as e:
            # It may be an object that the pickler reduces itself.
            error = e
        probes = tuple(session.probe(cls) for cls in session.unknown(classes))
        if error is not None and not probes:
            raise error
        return probes

    def _late_content(self, protocol):
        """The content, when the pickler has saved the sentinel and the probes."""
        session = self._session
        claims = session.claims()
        if self._taken is None or claims or any(map(session.reduces_class, self._taken[1])):
            probes = self._take(claims)
            if probes:
                return last, (*probes, _Later(self._late_content))
        content, self._state = self._content(protocol)
        return _these, content

    def _late_state(self, protocol):
        state, self._state = self._state, None
        return _these, state or ((), (), ())

    def _content(self, protocol):
        taken, self._taken = self._taken[0], None
        taken.enter(self._kept.members, self._number, 0)
        inside = protocol < 5
        buffers = None if inside else tuple(pickle.PickleBuffer(buffer) for buffer in taken.buffers())
        kinds, early, foreign, native = _beside(taken)
        classes, states = _selves(taken.selves())
        # The modules that register the types are imported with their classes.
        needed = tuple(_classes(taken.keys()))
        number = self.asked[1]
        # In a table that goes by itself no other numbers are valid.
        numbers = (number and 1 << 62, number)
        content = (bytes(taken.table(inside)), buffers, needed, kinds, early, classes, numbers, _Written(self))
        return content, ((foreign, native, states) if foreign or native or states else None)

    # Copying calls the reduction without pickling it.

    def object(self, number):
        return _copy_native(self.asked[0])

    def __deepcopy__(self, memo):
        return Held(_deepcopy_native(self.asked[0], memo))


class _Later:
    """Reduced to what a function returns at that time."""

    __slots__ = ("_function",)

    def __init__(self, function):
        self._function = function

    def __reduce_ex__(self, protocol):
        return self._function(protocol)


class _Written:
    """The end of what must be written before a graph."""

    __slots__ = ("_graph",)

    def __init__(self, graph):
        self._graph = graph

    def __reduce__(self):
        self._graph.busy, self._graph.written = False, True
        return nothing, ()


# The name in pickles of earlier versions.
_nothing = nothing


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

    def __new__(cls, version, *arguments):
        if version not in (1, 2):
            raise pickle.UnpicklingError(f"the pickle is of a later version of pairbond ({version!r})")
        self = object.__new__(cls)
        if version == 2:
            _, *arguments = arguments
            if len(arguments) == 1:
                (arguments,) = arguments
        table, buffers, _, kinds, early, classes, numbers, *_ = arguments
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


def _own_reduction(self, cls):
    """What a class that is reduced in its own way makes of an object, as ``copy`` asks it."""
    reducer = copyreg.dispatch_table.get(cls)
    return self.__reduce_ex__(4) if reducer is None else reducer(self)


def copy(self):
    """``Object.__copy__``"""
    cls = type(self)
    if _is_reduced(cls):
        return _reconstruct(self, None, _own_reduction(self, cls))
    return _copy_native(self)


def _copy_native(self):
    if isinstance(self, (DType, Device, Function)):
        return self
    taken = _take(self, None, _is_reduced, True)
    # Making takes the graph, so what there is to be asked is asked before.
    making = _make(taken, None, bytes(len(taken.beside())), taken.beside())
    classes, states = _selves(taken.selves())
    _adopt_all(making, classes)
    # A node of a tree is copied with those below it.
    for number, state in states:
        set_state(making.object(number), state)
    return making.object(0)


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
    cls = type(self)
    if _is_reduced(cls):
        return _reconstruct(self, memo, _own_reduction(self, cls))
    return _deepcopy_native(self, memo)


def _deepcopy_native(self, memo):
    from copy import deepcopy as deep

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
