"""PyO3's classes and functions in a module that pairbond exports, beside a module that PyO3 exports."""

from __future__ import annotations

import pairbond
import pyhosted
import pymixed
import pytest


def test_a_module_of_pairbond_lists_both() -> None:
    assert set(pyhosted.__all__) == {"Item", "Counter", "native", "twice", "LIMIT"}
    assert pyhosted.__doc__ == "Both libraries."
    assert pyhosted.LIMIT == 42
    assert isinstance(pyhosted.Item("a"), pairbond.Object)


def test_identity() -> None:
    item = pyhosted.Item("a")
    assert pyhosted.native(item) is item
    one, two = pyhosted.twice(item)
    assert one is two is item
    counter = pyhosted.Counter()
    assert counter.add(item) == "a"
    assert counter.count == 1


def test_objects_of_one_module_pass_through_the_other() -> None:
    item = pyhosted.Item("a")
    assert pymixed.pass_any(item) is item
    with pytest.raises(TypeError, match=r"expected pymixed\.Node, got pyhosted\.Item"):
        pymixed.pass_node(item)
    node = pymixed.Node("n")
    node.note = item
    assert node.note is item
