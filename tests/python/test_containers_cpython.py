"""CPython's own tests of lists, tuples, dicts and sets, run against pairbond's.

They are in CPython's `test` package, which some installations lack. PAIRBOND_CPYTHON_TESTS names the folder of another
one then, best of the same version; `scripts/test_python.py` finds the nearest on this machine. Without any these tests
are skipped, and say so. What cannot apply is left out by name, with the reason.
"""

import importlib.util
import os
import sys
import types

import pairbond
import pytest

if not (importlib.util.find_spec("test") and importlib.util.find_spec("test.seq_tests")):
    borrowed = os.environ.get("PAIRBOND_CPYTHON_TESTS")
    if not borrowed:
        pytest.skip("this Python has no `test` package, and PAIRBOND_CPYTHON_TESTS is not set", allow_module_level=True)
    # Only the package, by its path: whatever else lies beside it belongs to another version of Python.
    sys.modules["test"] = package = types.ModuleType("test")
    package.__path__ = [borrowed]

from test import list_tests, mapping_tests, seq_tests, test_set

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


@without(test_repr=REPR, test_repr_deep=REPR)
class TestList(list_tests.CommonTest):
    type2test = pairbond.List


class Sub(pairbond.List):
    """A subclass is a list all the same."""


@without(test_repr=REPR, test_repr_deep=REPR)
class TestListSubclass(list_tests.CommonTest):
    type2test = Sub


class TestTuple(seq_tests.CommonTest):
    type2test = pairbond.Tuple


@without(test_repr=REPR)
class TestMap(mapping_tests.TestHashMappingProtocol):
    type2test = pairbond.Map


@without(
    test_do_not_rehash_dict_keys="the hashes that Python's dicts keep are not public",
)
class TestSet(test_set.TestSet):
    thetype = pairbond.Set
    basetype = pairbond.Set
