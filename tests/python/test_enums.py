"""Enums of Rust: without data members of an enum.Enum, with data classes that `match` understands."""

import copy
import enum
import gc
import inspect
import pickle
import weakref

import pairbond
import pytest
from interpreters import KINDS, check
from pairbond_testext import Crossing, Expr, Light, doubled_expr, lights, next_light, simplified


def test_an_enum_without_data_is_an_enum():
    assert issubclass(Light, enum.Enum)
    assert [member.name for member in Light] == ["Red", "Amber", "Go"]
    assert [member.value for member in Light] == [1, 5, 6]
    assert Light(5) is Light.Amber is Light["Amber"]
    assert repr(Light.Red) == "<Light.Red: 1>"
    assert Light.__doc__ == "What a light shows."
    assert Light.Red.__doc__ == "Stop."
    assert (Light.__module__, Light.__qualname__) == ("pairbond_testext", "Light")
    assert len({Light.Red: 1, Light.Amber: 2}) == 2
    with pytest.raises(ValueError, match="7"):
        Light(7)
    with pytest.raises(AttributeError):
        Light.Red.value = 3
    with pytest.raises(TypeError, match="cannot extend"):

        class _More(Light):
            pass


def test_members_are_the_same_both_ways():
    assert next_light(Light.Red) is Light.Go
    assert next_light(next_light(next_light(Light.Red))) is Light.Red
    assert lights([Light.Red, Light.Go]) == [Light.Red, Light.Go]
    crossing = Crossing(Light.Red)
    assert crossing.first is Light.Red
    crossing.light = Light.Amber
    assert crossing.light is Light.Amber
    gc.collect()
    pairbond.trim()
    assert crossing.light is Light.Amber
    for wrong in (1, "Red", None, crossing):
        with pytest.raises(TypeError, match=r"pairbond_testext\.Light"):
            next_light(wrong)
    match crossing.light:
        case Light.Amber:
            pass
        case _:
            pytest.fail("another member")


def test_members_are_copied_and_pickled_as_themselves():
    for member in Light:
        assert copy.copy(member) is copy.deepcopy(member) is member
        for protocol in range(2, 6):
            assert pickle.loads(pickle.dumps(member, protocol)) is member


def test_members_are_nobodys_leak():
    assert not [leak for leak in pairbond.leaks() if "Light" in str(leak)]


def test_the_function_that_finds_members_is_for_the_class_only():
    fetch = inspect.getclosurevars(Light.__new_member__).nonlocals["fetch"]
    for arguments in [(), (int, 0), (Light, 99), (Light, -1), (pairbond.List, 0), (3, 0), (Light, "x")]:
        with pytest.raises(TypeError):
            fetch(*arguments)


def test_an_enum_with_data_is_a_class_hierarchy():
    number = Expr.Number(2)
    total = Expr.Add(number, Expr.Number(3))
    call = Expr.Call("f", [number, total])
    for value, cls in [(number, Expr.Number), (total, Expr.Add), (call, Expr.Call), (Expr.Nothing(), Expr.Nothing)]:
        assert type(value) is cls
        assert isinstance(value, Expr)
        assert issubclass(cls, Expr)
    assert (number.value, total.left, call.item0) == (2.0, number, "f")
    assert total.left is number
    assert call.item1 == [number, total]
    assert (Expr.Add.__module__, Expr.Add.__qualname__) == ("pairbond_testext", "Expr.Add")
    assert Expr.Add.__doc__ == "A sum."
    assert str(inspect.signature(Expr.Add)) == "(left, right)"
    with pytest.raises(TypeError, match="cannot create"):
        Expr()
    with pytest.raises(TypeError, match="expected"):
        Expr.Number("x")
    with pytest.raises(TypeError):
        Expr.Add(number)
    with pytest.raises(AttributeError):
        number.value = 3.0


def evaluate(expr):
    match expr:
        case Expr.Number(value):
            return value
        case Expr.Add(left, right):
            return evaluate(left) + evaluate(right)
        case Expr.Call(name, arguments):
            return (name, [evaluate(argument) for argument in arguments])
        case Expr.Nothing():
            return None
    raise AssertionError(expr)


def test_match():
    expr = Expr.Call("f", [Expr.Number(1), Expr.Add(Expr.Number(2), Expr.Number(3)), Expr.Nothing()])
    assert evaluate(expr) == ("f", [1.0, 5.0, None])
    assert Expr.Add.__match_args__ == ("left", "right")


def test_rust_matches_back():
    x = Expr.Number(7)
    assert simplified(Expr.Add(x, Expr.Number(0))) is x
    total = Expr.Add(x, x)
    assert simplified(total) is total
    assert doubled_expr(x).value == 14
    twice = doubled_expr(total)
    assert type(twice) is Expr.Add
    assert twice.left is not total
    assert twice.left.left is x
    assert total.result() == 14.0
    with pytest.raises(TypeError):
        simplified(3)


def test_cycles_through_variants_are_collected():
    arguments = pairbond.List([])
    call = Expr.Call("f", [])
    call.note = call
    reference = weakref.ref(call)
    call.item1.append(call)
    del call, arguments
    gc.collect()
    assert reference() is None


def test_subclasses_of_variants():
    class Mine(Expr.Number):
        pass

    mine = Mine(4)
    assert simplified(Expr.Add(mine, Expr.Number(0))) is mine
    assert evaluate(mine) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_another_interpreter_has_members_of_its_own(kind):
    check(
        f"""
        from interpreters import Interpreter
        from pairbond_testext import Light, next_light

        assert next_light(Light.Red) is Light.Go
        for _ in range(2):
            with Interpreter({kind!r}) as other:
                other.run(
                    '''if True:
                    from pairbond_testext import Light, next_light, Crossing, Expr
                    assert next_light(Light.Red) is Light.Go
                    assert Crossing(Light.Amber).light is Light.Amber
                    assert Light(1) is Light.Red
                    assert isinstance(Expr.Number(3), Expr)
                    '''
                )
        assert next_light(Light.Red) is Light.Go
        print("fine")
        """
    )
