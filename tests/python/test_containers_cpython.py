"""CPython's own tests of lists, tuples, dicts and sets, run against pairbond's.

They are in CPython's `test` package, which some installations lack; then these tests are skipped, and say so.
What cannot apply is left out by name, with the reason.
"""

import pairbond
import pytest

REASON = "this Python has no `test` package (built with --disable-test-modules)"
list_tests = pytest.importorskip("test.list_tests", reason=REASON)
seq_tests = pytest.importorskip("test.seq_tests", reason=REASON)
mapping_tests = pytest.importorskip("test.mapping_tests", reason=REASON)
test_set = pytest.importorskip("test.test_set", reason=REASON)

PICKLE = "native objects are not pickled yet"
REPR = "pairbond's repr names the class; test_containers.py has the tests of it"


def without(**reasons):
    """Leave tests out: `without(test_name="why")`. A name that the class does not have (any more) is an error."""

    def leave_out(cls):
        for name in reasons:
            if not hasattr(cls, name):
                assert name in OPTIONAL, f"{cls.__name__} has no {name}"
            setattr(cls, name, None)
        return cls

    return leave_out


# Not in every version of CPython.
OPTIONAL = {
    "test_subclass_with_custom_hash",
    "test_do_not_rehash_dict_keys",
    "test_hash_deep",
    "test_fromkeys_operator_modifying_set_operand",
}


@without(
    test_pickle=PICKLE,
    test_repr=REPR,
    test_repr_deep=REPR,
)
class TestList(list_tests.CommonTest):
    type2test = pairbond.List


class Sub(pairbond.List):
    """A subclass is a list all the same."""


@without(test_pickle=PICKLE, test_repr=REPR, test_repr_deep=REPR)
class TestListSubclass(list_tests.CommonTest):
    type2test = Sub


@without(test_pickle=PICKLE)
class TestTuple(seq_tests.CommonTest):
    type2test = pairbond.Tuple


@without(
    test_repr=REPR,
)
class TestMap(mapping_tests.TestHashMappingProtocol):
    type2test = pairbond.Map


@without(
    test_pickling=PICKLE,
    test_iterator_pickling=PICKLE,
    test_deepcopy=PICKLE,
    test_do_not_rehash_dict_keys="the hashes that Python's dicts keep are not public",
)
class TestSet(test_set.TestSet):
    thetype = pairbond.Set
    basetype = pairbond.Set
