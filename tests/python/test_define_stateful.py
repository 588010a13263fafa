"""Types defined in Python against dataclasses: random definitions, and what can be done with their objects."""

import copy
import dataclasses
import inspect
import itertools
import operator
import os

import pairbond
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

NUMBERS = itertools.count()
LONG = bool(os.environ.get("PAIRBOND_LONG"))

# Values that both keep as they are, by annotation.
VALUES = {
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False),
    str: st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    bytes: st.binary(max_size=5),
    int | None: st.none() | st.integers(),
    float | str: st.floats(allow_nan=False) | st.text("ab", max_size=3),
    object: st.none() | st.integers(0, 9) | st.sampled_from([Ellipsis, int, (1, 2)]),
}
ANNOTATIONS = list(VALUES)


@st.composite
def definitions(draw):
    """Fields as name, annotation and options of `field()`, and options of the class."""
    fields, optional = [], False
    for name in "abcde"[: draw(st.integers(0, 5))]:
        annotation = draw(st.sampled_from(ANNOTATIONS))
        options = {}
        for flag in ("repr", "compare"):
            if draw(st.integers(0, 4)) == 0:
                options[flag] = False
        kw_only = draw(st.integers(0, 3)) == 0
        if kw_only:
            options["kw_only"] = True
        if (optional and not kw_only) or draw(st.booleans()):
            default = draw(VALUES[annotation])
            if draw(st.booleans()):
                options["default_factory"] = lambda default=default: default
            else:
                options["default"] = default
            optional = optional or not kw_only
            if draw(st.integers(0, 5)) == 0:
                options["init"] = False
        fields.append((name, annotation, options))
    options = {flag: draw(st.booleans()) for flag in ("frozen", "order", "unsafe_hash")}
    options["eq"] = options["order"] or draw(st.integers(0, 4)) > 0
    return fields, options


def outcome(call):
    """What a call comes to, for comparing the two."""
    try:
        return ("value", call())
    except Exception as error:
        return ("error", type(error))


class Against(RuleBasedStateMachine):
    @initialize(definition=definitions(), data=st.data())
    def define(self, definition, data):
        fields, options = definition
        number = next(NUMBERS)

        def namespace():
            own = {name: dataclasses.field(**field) for name, _, field in fields}
            return {**own, "__annotations__": {name: annotation for name, annotation, _ in fields}, "__qualname__": "C"}

        self.fields = fields
        self.options = options
        self.theirs = dataclasses.dataclass(slots=True, **options)(type("C", (), namespace()))
        self.ours = pairbond.object(f"stateful.C{number}", **options)(type("C", (), namespace()))
        self.pairs = []
        self.make(data)

    def values(self, data, count=None):
        init = [(name, annotation, field) for name, annotation, field in self.fields if field.get("init", True)]
        given = {}
        for name, annotation, field in init:
            has_default = "default" in field or "default_factory" in field
            if not has_default or data.draw(st.booleans()):
                given[name] = data.draw(VALUES[annotation])
        return given

    @rule(data=st.data())
    def make(self, data):
        given = self.values(data)
        self.pairs.append((self.theirs(**given), self.ours(**given)))
        positional = [name for name, _, field in self.fields if not field.get("kw_only") and field.get("init", True)]
        count = data.draw(st.integers(0, len(positional) + 1))
        values = [given.get(name, 0) for name in positional][:count] + [0] * (count - len(positional))
        wrong = {name: value for name, value in given.items() if name not in positional[:count]}
        if data.draw(st.booleans()):
            wrong["unknown"] = 1
        theirs, ours = outcome(lambda: self.theirs(*values, **wrong)), outcome(lambda: self.ours(*values, **wrong))
        if theirs[0] == "error":
            assert ours[0] == "error"
            assert ours[1] is theirs[1]

    def pair(self, data):
        # Hypothesis would show what it draws, and objects with deleted fields have no repr.
        return self.pairs[data.draw(st.integers(0, len(self.pairs) - 1))]

    def same(self, theirs, ours):
        for name, _, _ in self.fields:
            a, b = (outcome(lambda it=it, name=name: getattr(it, name)) for it in (theirs, ours))
            assert a == b
            assert type(a[1]) is type(b[1])

    @rule(data=st.data())
    def look(self, data):
        theirs, ours = self.pair(data)
        self.same(theirs, ours)
        assert outcome(lambda: repr(theirs)) == outcome(lambda: repr(ours))
        assert outcome(lambda: hash(theirs))[0] == outcome(lambda: hash(ours))[0]
        if self.options["eq"]:
            assert outcome(lambda: hash(theirs)) == outcome(lambda: hash(ours))
        assert outcome(lambda: dataclasses.asdict(theirs)) == outcome(lambda: dataclasses.asdict(ours))
        assert outcome(lambda: dataclasses.astuple(theirs)) == outcome(lambda: dataclasses.astuple(ours))

    @rule(data=st.data())
    def compare(self, data):
        (a, x), (b, y) = self.pair(data), self.pair(data)
        for operation in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
            results = [outcome(lambda op=operation, p=p, q=q: getattr(operator, op)(p, q)) for p, q in ((a, b), (x, y))]
            assert results[0] == results[1], operation
        assert (x == a) is (a == x) is False

    @precondition(lambda self: self.fields)
    @rule(data=st.data())
    def assign(self, data):
        theirs, ours = self.pair(data)
        name, annotation, _ = data.draw(st.sampled_from(self.fields))
        value = data.draw(VALUES[annotation])
        a = outcome(lambda: setattr(theirs, name, value))
        assert a == outcome(lambda: setattr(ours, name, value))
        self.same(theirs, ours)

    @precondition(lambda self: self.fields)
    @rule(data=st.data())
    def refuse(self, data):
        """A value of another type: our object stays as it was."""
        _, ours = self.pair(data)
        name, annotation, _ = data.draw(st.sampled_from(self.fields))
        if annotation is object:
            return
        before = outcome(lambda: getattr(ours, name))
        assert outcome(lambda: setattr(ours, name, [1j]))[0] == "error"
        assert outcome(lambda: getattr(ours, name)) == before

    @precondition(lambda self: self.fields)
    @rule(data=st.data())
    def delete(self, data):
        theirs, ours = self.pair(data)
        name, _, _ = data.draw(st.sampled_from(self.fields))
        a = outcome(lambda: delattr(theirs, name))
        assert a == outcome(lambda: delattr(ours, name))
        self.same(theirs, ours)

    @rule(data=st.data())
    def unknown_attribute(self, data):
        theirs, ours = self.pair(data)
        a = outcome(lambda: setattr(theirs, "z", 1))
        b = outcome(lambda: setattr(ours, "z", 1))
        assert (a[0], b[0]) == ("error", "error")

    @rule(data=st.data())
    def replace(self, data):
        theirs, ours = self.pair(data)
        changes = {
            name: data.draw(VALUES[annotation])
            for name, annotation, _ in self.fields
            if data.draw(st.integers(0, 2)) == 0
        }
        a = outcome(lambda: dataclasses.replace(theirs, **changes))
        b = outcome(lambda: dataclasses.replace(ours, **changes))
        assert a[0] == b[0]
        if a[0] == "error":
            assert a[1] is b[1]
        else:
            self.same(a[1], b[1])
            self.pairs.append((a[1], b[1]))

    @rule(data=st.data())
    def half_made(self, data):
        half = self.ours.__new__(self.ours)
        for name, annotation, _ in self.fields:
            outcome(lambda name=name: getattr(half, name))
            if not self.options["frozen"]:
                setattr(half, name, data.draw(VALUES[annotation]))
        outcome(lambda: repr(half))
        outcome(lambda: copy.copy(half))

    @rule()
    def description(self):
        assert getattr(self.theirs, "__match_args__", None) == getattr(self.ours, "__match_args__", None)
        theirs, ours = inspect.signature(self.theirs), inspect.signature(self.ours)
        assert list(theirs.parameters) == list(ours.parameters)
        assert [p.kind for p in theirs.parameters.values()] == [p.kind for p in ours.parameters.values()]
        assert [f.name for f in dataclasses.fields(self.theirs)] == [f.name for f in dataclasses.fields(self.ours)]


Against.TestCase.settings = settings(
    max_examples=1000 if LONG else 40,
    stateful_step_count=50 if LONG else 20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAgainst = Against.TestCase
