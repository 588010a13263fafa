"""What the process made by itself has a stable self too. (Objects from before Python: tests/embedding.)"""

import gc

import pairbond_holders as native
from promises import at_once


def test_a_static_object():
    assert native.global_node() is native.other_global_node()
    assert native.global_node().number == 42
    number = id(native.global_node())
    native.global_node().mark = mark = object()
    for _ in range(100):
        crowd = [native.Node(i) for i in range(20)]
        gc.collect(0)
        assert id(native.global_node()) == number
        assert native.other_global_node().mark is mark
        del crowd
    del native.global_node().mark


def test_a_static_function():
    assert native.global_function() is native.global_function()
    number = id(native.global_function())
    native_result = object()
    for _ in range(100):
        crowd = [native.Holder(i) for i in range(20)]
        gc.collect(0)
        assert id(native.global_function()) == number
        del crowd
    assert native.global_function()(native_result) is native_result
    assert native.call(native.global_function(), native_result) is native_result


def test_from_many_threads():
    numbers = at_once(8, lambda i: {id(native.global_node()) for _ in range(500)})
    assert len(set.union(*numbers)) == 1
