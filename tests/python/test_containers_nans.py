"""Floats that are no numbers, as keys: an object is found, and no other, as in `dict` and `set`."""

import copy
import dataclasses
import json
import math
import pickle

import pairbond
import pytest
from pairbond import FrozenMap, Map, Set, structural_equal, structural_hash

NAN, OTHER, THIRD = float("nan"), float("nan"), float("nan")

pytestmark = pytest.mark.usefixtures("no_leak")


def same_keys(ours, theirs):
    return len(ours) == len(theirs) and all(a is b or a == b for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("make", [Map, FrozenMap])
def test_each_object_is_a_key_of_a_map(make):
    theirs = {NAN: 1, OTHER: 2, 1.5: 3}
    for ours in (make(theirs), make(theirs.items()), make(make(theirs)), make(theirs) | {}, {} | make(theirs)):
        assert ours == theirs
        assert len(ours) == 3
        assert same_keys(list(ours), list(theirs))
        assert (ours[NAN], ours[OTHER], ours[1.5]) == (1, 2, 3)
        assert NAN in ours
        assert NAN in ours.keys()  # noqa: SIM118 a view is asked
        assert (OTHER, 2) in ours.items()
        assert THIRD not in ours
        assert ours.get(THIRD) is None
        assert THIRD not in ours.keys()  # noqa: SIM118 a view is asked
        with pytest.raises(KeyError):
            ours[THIRD]


def test_a_map_is_changed_as_a_dict_is():
    ours, theirs = Map(), {}
    for made in (ours, theirs):
        made[NAN] = 1
        made[OTHER] = 2
        made[NAN] = 3
        assert made.setdefault(OTHER, 7) == 2
        assert made.setdefault(THIRD, 7) == 7
        made.update({THIRD: 8})
        made |= {THIRD: 9, math.nan: 10}
        assert made.pop(OTHER) == 2
        assert made.pop(OTHER, None) is None
        with pytest.raises(KeyError):
            del made[float("nan")]
        del made[math.nan]
    assert ours == theirs
    assert same_keys(list(ours), list(theirs))
    assert same_keys([*Map.fromkeys([NAN, OTHER, NAN])], [NAN, OTHER])
    assert same_keys([*FrozenMap.fromkeys([NAN, OTHER, NAN])], [NAN, OTHER])
    assert ours.popitem()[0] is THIRD


def test_each_object_is_an_element_of_a_set():
    ours, theirs = Set([NAN, OTHER, NAN]), {NAN, OTHER}
    assert ours == theirs
    assert len(ours) == 2
    assert NAN in ours
    assert THIRD not in ours
    ours.add(OTHER)
    ours.add(THIRD)
    theirs.add(THIRD)
    assert ours == theirs
    assert same_keys(list(ours), [NAN, OTHER, THIRD])
    ours.discard(float("nan"))
    with pytest.raises(KeyError):
        ours.remove(float("nan"))
    ours.remove(OTHER)
    assert ours == {NAN, THIRD}
    assert ours & {NAN, OTHER} == {NAN}
    assert ours - {NAN} == {THIRD}
    assert len(ours | {OTHER}) == 3
    assert ours ^ {NAN, OTHER} == {THIRD, OTHER}
    assert ours >= {NAN}
    assert not ours >= {OTHER}
    assert ours.union([OTHER]) == {NAN, OTHER, THIRD}
    assert ours.isdisjoint([OTHER])


def test_many_are_as_many_keys_in_little_time():
    many = [float("nan") for _ in range(20_000)]
    assert len(Set(many)) == len(Map(dict.fromkeys(many))) == 20_000


def test_copies_and_pickles_keep_them_apart():
    for made in (Map({NAN: 1, OTHER: 2}), FrozenMap({NAN: 1, OTHER: 2}), Set([NAN, OTHER])):
        for other in (copy.copy(made), copy.deepcopy(made)):
            assert same_keys(list(other), [NAN, OTHER])
            assert type(other) is type(made)
        other = pickle.loads(pickle.dumps(made))
        # They come out as new objects, as of a dict: pickles have floats by value.
        assert len(other) == 2
        assert all(map(math.isnan, other))
        assert NAN not in other
        assert all(key in other for key in other)


def test_what_they_are_as_values_of_text_and_compared():
    one = Map({NAN: 1, 2.0: 2})
    assert structural_equal(one, Map({OTHER: 1, 2.0: 2}))
    assert not structural_equal(one, Map({OTHER: 2, 2.0: 1}))
    assert structural_hash(one) == structural_hash(Map({OTHER: 1, 2.0: 2}))
    again = pairbond.from_json(pairbond.to_json(one))
    assert repr(again) == repr(one) == "pairbond.Map({nan: 1, 2.0: 2})"
    assert structural_equal(again, one)
    # What natives made has no object to be found by.
    assert again[NAN] == again[OTHER] == 1
    assert [again[key] for key in again] == [1, 2]
    again[NAN] = 3
    assert len(again) == 2
    assert again.pop(OTHER) == 3
    again[NAN] = 4
    assert NAN in again
    assert OTHER not in again


def test_hashes_of_frozen_maps():
    assert hash(FrozenMap({NAN: 1})) == hash(FrozenMap({NAN: 1}))
    assert FrozenMap({NAN: 1}) == FrozenMap({NAN: 1}) != FrozenMap({OTHER: 1})
    assert {FrozenMap({NAN: 1}): 2}[FrozenMap({NAN: 1})] == 2


@pairbond.object
class Kept:
    anything: Map[object, int] = dataclasses.field(default_factory=dict)
    floats: Map[float, int] = dataclasses.field(default_factory=dict)
    numbers: Set[float] = dataclasses.field(default_factory=set)
    some: Set[object] = dataclasses.field(default_factory=set)


def test_fields_of_classes_made_in_python():
    kept = Kept(anything={NAN: 1, OTHER: 2}, some={NAN, OTHER})
    assert same_keys(list(kept.anything), [NAN, OTHER])
    assert len(kept.some) == 2
    assert THIRD not in kept.some
    # A table of floats holds numbers, which have no identity.
    kept.floats[NAN] = 1
    kept.floats[OTHER] = 2
    assert len(kept.floats) == 1
    assert kept.floats[THIRD] == 2
    kept.numbers |= {NAN, 2}
    kept.numbers.update([OTHER])
    assert len(kept.numbers) == 2
    assert THIRD in kept.numbers


def test_json_reads_one_nan_as_pythons_own_does():
    """JSON does not say which NaNs were one object: a reader makes one of all, as Python's json does."""
    nans = float("nan"), float("nan")
    mapping, elements = pairbond.Map(dict.fromkeys(nans, 1)), pairbond.Set(nans)
    assert len(mapping) == len(elements) == 2
    as_python = len(dict.fromkeys(json.loads(json.dumps(nans))))
    assert len(pairbond.from_json(pairbond.to_json(mapping))) == as_python == 1
    assert len(pairbond.from_json(pairbond.to_json(elements))) == as_python
    assert len(pairbond.from_json(pairbond.to_json(pairbond.List(nans)))) == 2
