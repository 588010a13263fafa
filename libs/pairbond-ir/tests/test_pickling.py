"""Modules as pickles: texts with locations, and one context for those that had one."""

import copy
import pickle

import pairbond_ir as ir
import pytest

TEXT = """
"builtin.module"() ({
  %0 = "test.made"() {tag = #test<odd>} : () -> !test.kind loc("a.py":7:8)
  "test.used"(%0) ({ ^bb0(%a: i32): "test.end"() : () -> () }) : (!test.kind) -> ()
}) : () -> ()
"""


def again(it, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(it, protocol))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_the_same_text_and_locations(protocol):
    module = ir.Module.parse(TEXT, ir.Context())
    made = again(module, protocol)
    assert made is not module
    assert made.context is not module.context
    assert made.get_asm(enable_debug_info=True) == module.get_asm(enable_debug_info=True)
    assert str(made.body.operations[0].location) == 'loc("a.py":7:8)'


def test_one_module_and_one_context_stay_one():
    context = ir.Context()
    first, second = (ir.Module.parse(TEXT, context) for _ in range(2))
    one, same, other, of_both = again([first, first, second, context])
    assert one is same
    assert one is not other
    assert one.context is other.context is of_both


def test_attributes_go_along():
    module = ir.Module.parse(TEXT, ir.Context())
    module.note = {"me": module}
    made = again(module)
    assert made.note["me"] is made


def test_what_is_inside_has_no_pickle_of_its_own():
    module = ir.Module.parse(TEXT, ir.Context())
    with pytest.raises(TypeError, match="cannot take"):
        pickle.dumps(module.body.operations[0])


def test_erased():
    module = ir.Module.parse(TEXT, ir.Context())
    module.erase()
    with pytest.raises(ir.InvalidatedError):
        pickle.dumps(module)


def test_a_deep_copy_has_a_context_of_its_own():
    module = ir.Module.parse(TEXT, ir.Context())
    made = copy.deepcopy(module)
    assert made.context is not module.context
    assert str(made) == str(module)
