"""Finding out which pickler reduces an object, and what that pickler reduces in ways of its own.

``__reduce_ex__`` is not told which pickler calls it, and one pickler's objects must not be written as references into
the stream of another one: picklers may be interleaved, nested, and used by several threads. A pickler is recognized by
its memo: it calls ``__reduce__`` of an object only if its memo does not have that object. So each pickler that meets
native objects has a *session* with a *sentinel*, which is in its memo. A *question* follows the sentinels of the
sessions that may be meant, in one tuple; when it is reduced, the sentinel that was not is that of the pickler.

Invariant: the sentinel of a session is in no memo of a pickler whose session stands behind it in ``_sentinels``.
Asking for a sentinel puts it into the memo of a pickler from behind, and the session of that one then goes to the
front, with a new sentinel.

A session lives as long as its sentinel, and objects are kept by the graphs that were written: both are in the
pickler's memo, so what a pickler keeps alive goes with it, also when it has failed. Nothing belongs to a thread but
the questions that are open on it.
"""

import gc
import pickle
import sys
import threading
import weakref

from pairbond._pairbond import _Members


class _Local(threading.local):
    def __init__(self):
        # Weak references to the open questions, those of nested picklers last.
        self.questions = []


_local = _Local()

# Weak references to the sentinels of sessions, the most recently used last. Changed by single operations of dict only,
# because threads and finalizers come in between.
_sentinels = {}


def _forget(reference):
    _sentinels.pop(reference, None)


class Sentinel:
    """Memoized by the pickler of a session."""

    __slots__ = ("__weakref__", "reference", "session")

    def __init__(self, session):
        self.session = session
        self.reference = weakref.ref(self, _forget)
        _sentinels[self.reference] = None

    def __reduce__(self):
        questions = _local.questions
        while questions:
            question = questions[-1]()
            if question is not None:
                question.saved.add(self)
                break
            questions.pop()
        return nothing, ()

    def __deepcopy__(self, memo):
        return self


def nothing():
    return None


def _living():
    """The sentinels, that of the most recently used session first."""
    sentinels = [sentinel for reference in _sentinels.copy() if (sentinel := reference()) is not None]
    sentinels.reverse()
    return sentinels


def recent():
    """The sentinel of the most recently used session."""
    sentinels = _living() if len(_sentinels) else None
    return sentinels[0] if sentinels else None


class _Kept:
    """The objects that a pickler has written, kept by their graphs."""

    __slots__ = ("__weakref__", "graphs", "members")

    def __init__(self):
        self.members = _Members()
        # Weak references: the memo keeps the graphs.
        self.graphs = []


class Session:
    """What the memo of one pickler has of native objects."""

    __slots__ = ("__weakref__", "_kept", "_pickler", "_reduced", "_sentinel")

    def __init__(self):
        self._kept = nothing
        self._pickler = None
        self._reduced = {}
        self._sentinel = nothing

    def to_front(self):
        """Makes this the most recently used session. Returns its new sentinel, which its pickler has to memoize."""
        old, sentinel = self._sentinel(), Sentinel(self)
        self._sentinel = weakref.ref(sentinel)
        if old is not None:
            _sentinels.pop(old.reference, None)
        return sentinel

    def retire(self):
        """Makes the session one that is not found again."""
        sentinel = self._sentinel()
        if sentinel is not None:
            _sentinels.pop(sentinel.reference, None)

    def kept(self):
        kept = self._kept()
        if kept is None:
            kept = _Kept()
            self._kept = weakref.ref(kept)
        return kept

    def find(self, value):
        """The graph that an object belongs to, if any, and its number there."""
        kept = self._kept()
        place = None if kept is None else kept.members.find(value)
        if place is None:
            return None, 0
        graph = kept.graphs[place[0]]()
        if graph is None:
            # It was not written: the pickler failed.
            kept.members.forget(place[0])
        return graph, place[1]

    # What the pickler reduces in its own way.

    def unknown(self, classes):
        """Those of classes that no probe was saved for."""
        return sorted((cls for cls in classes if cls not in self._reduced), key=lambda cls: cls.__qualname__)

    def reduces_class(self, cls):
        """Whether the pickler's dispatch table has a class, as far as that is known."""
        return self._reduced.get(cls, False)

    def probe(self, cls):
        """An object that the pickler is to save, to find out about a class."""
        self._reduced[cls] = False
        probe = _probe_class(cls)()
        probe.session = self
        return probe

    def may_have_hooks(self):
        """Whether it is not known yet if the pickler has hooks, and it may have some."""
        return self._pickler is None and bool(_hooked_picklers())

    def _meet_pickler(self):
        """Looks for the pickler, which has memoized the sentinel."""
        sentinel = self._sentinel()
        for it in _hooked_picklers():
            memo = it.memo
            if id(sentinel) in (memo if isinstance(memo, dict) else memo.copy()):
                try:
                    self._pickler = weakref.ref(it)
                except TypeError:
                    # It has slots only, so it is looked for again when the next graph is written.
                    self._pickler = None
                return it
        self._pickler = nothing
        return None

    def claims(self):
        """A function that returns whether the pickler's hooks take an object; None if it has no hooks."""
        pickler = self._meet_pickler() if self.may_have_hooks() else self._pickler and self._pickler()
        if pickler is None:
            return None
        persistent_id = getattr(pickler, "persistent_id", None)
        override = getattr(pickler, "reducer_override", None)

        def claimed(value):
            if persistent_id is not None and persistent_id(value) is not None:
                return True
            return override is not None and override(value) is not NotImplemented

        return claimed


# A pickler looks up the class of an object in its dispatch table. A probe's class has the hash of the class in
# question, so the table compares the two if it has that.


class _ProbeMeta(type):
    def __hash__(cls):
        return cls.hash

    def __eq__(cls, other):
        if other is cls.wanted():
            cls.found.add(threading.get_ident())
        return cls is other


class _Probe:
    __slots__ = ("session",)

    def __reduce__(self):
        cls = type(self)
        if threading.get_ident() in cls.found:
            cls.found.discard(threading.get_ident())
            self.session._reduced[cls.wanted()] = True
        return nothing, ()


_probe_classes = weakref.WeakKeyDictionary()


def _probe_class(wanted):
    cls = _probe_classes.get(wanted)
    if cls is None:
        body = {"__slots__": (), "hash": hash(wanted), "wanted": weakref.ref(wanted), "found": set()}
        cls = _probe_classes[wanted] = _ProbeMeta("_Probe", (_Probe,), body)
    cls.found.discard(threading.get_ident())
    return cls


def _hooked_classes():
    """The classes of picklers with ``persistent_id`` or ``reducer_override``."""
    found, seen = [], set()
    for base in (pickle.Pickler, pickle._Pickler):
        plain = getattr(base, "persistent_id", None)
        classes = base.__subclasses__()
        while classes:
            cls = classes.pop()
            if cls in seen:
                continue
            seen.add(cls)
            classes += cls.__subclasses__()
            own = getattr(cls, "persistent_id", None)
            if own is not plain or getattr(cls, "reducer_override", None) is not None:
                found.append(cls)
    return found


# The counts of references to the classes when picklers were looked for, and those that were found.
_last_look = ((), ())


def _hooked_picklers():
    """The living picklers with hooks.

    Only the collector knows them, and asking it takes time. Each instance counts as a reference to its class, so it is
    not asked again while there are none and the counts are the same.
    """
    global _last_look
    classes = _hooked_classes()
    if not classes:
        return []
    counts = [(id(cls), sys.getrefcount(cls)) for cls in classes]
    if getattr(sys, "_is_gil_enabled", lambda: True)() and counts == _last_look[0]:
        return []
    found = [it for it in gc.get_referrers(*classes) if isinstance(it, (pickle.Pickler, pickle._Pickler))]
    if not found:
        _last_look = counts, ()
    return found


class Question:
    """Saved after sentinels, and reduced to the answer of the pickler that did not have to save one of them."""

    __slots__ = ("__weakref__", "_answer", "_asked", "_copies", "saved", "settled", "value")

    def __init__(self, asked, value, answer, copies=()):
        self._answer = answer
        self._asked = asked
        # How the value is copied, alone and deeply.
        self._copies = copies
        self.value = value
        self.saved = set()
        self.settled = False
        _local.questions.append(weakref.ref(self))

    def __reduce_ex__(self, protocol):
        questions = _local.questions
        while questions:
            other = questions.pop()()
            if other is self:
                break
        found = next((sentinel for sentinel in self._asked if sentinel not in self.saved), None)
        if found is None and len(self._asked) == 1:
            rest = [sentinel for sentinel in _living() if sentinel not in self.saved]
            if rest:
                question = Question(rest, self.value, self._answer, self._copies)
                question.saved |= self.saved
                self.settled = True
                return last, (*rest, question)
        if found is not None and found is recent():
            self.settled = True
            return self._answer(found.session, self.value)
        session = Session() if found is None else found.session
        return last, (session.to_front(), _Settled(self, session))

    def answer(self, session):
        self.settled = True
        return self._answer(session, self.value)

    def __del__(self):
        # The pickler was interrupted. Its memo may have sentinels of sessions in front of its own.
        if not self.settled:
            for sentinel in self.saved:
                sentinel.session.retire()

    # Copying calls the reduction without pickling it.

    def __deepcopy__(self, memo):
        return Held(self._copies[1](self.value, memo))

    def copied(self):
        return self._copies[0](self.value)


class _Settled:
    """Reduced when the pickler has a new sentinel."""

    __slots__ = ("_question", "_session")

    def __init__(self, question, session):
        self._question = question
        self._session = session

    def __reduce_ex__(self, protocol):
        return self._question.answer(self._session)


class Held:
    """A value that copying is to use as it is."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def object(self, number):
        return self.value


def last(*values):
    value = values[-1]
    if isinstance(value, Question):
        return value.copied()
    return value.value if isinstance(value, Held) else value
