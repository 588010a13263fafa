"""Handing objects over by value: who gets the only reference, what stays behind, and who must not lose theirs."""

import functools
import gc
import sys
import sysconfig
import threading
import weakref

import pairbond
import pairbond_testext as ext
import pytest
from pairbond import move
from promises import at_once, nothing_stays

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def buffer():
    return ext.Buffer(1, 2, 3)


def is_empty(obj):
    with pytest.raises(pairbond.InvalidatedError, match="was moved away"):
        obj.values()
    return "(moved away)" in repr(obj)


# What happens.


def test_a_value_without_a_name():
    count = ext.references(move(buffer()))
    values = ext.taken_out(move(buffer()))[1]
    assert (count, values) == (1, [1, 2, 3])


def test_a_local_variable():
    x = buffer()
    address = x.address()
    y = ext.doubled(move(x))
    assert is_empty(x)
    assert (y.values(), y.address()) == ([2, 4, 6], address)
    assert y is not x


g = None


def test_a_global_variable():
    global g
    g = buffer()
    address = g.address()
    assert ext.doubled(move(g)).address() == address
    assert is_empty(g)
    g = None


@pytest.mark.skipif(FREE_THREADED, reason="other threads may assign a shared variable while references are counted")
def test_a_variable_of_a_closure():
    x = buffer()

    def inner():
        return ext.taken_out(move(x))

    assert inner()[1] == [1, 2, 3]
    assert is_empty(x)


def test_a_parameter():
    def inner(x):
        address = x.address()
        return ext.taken_out(move(x))[0] == address

    # (In an assertion pytest would have a name for the value.)
    same = inner(buffer())
    assert same


def test_the_value_is_taken_out():
    x = buffer()
    address = x.address()
    assert ext.taken_out(move(x)) == (address, [1, 2, 3])
    assert is_empty(x)


def test_without_move_it_is_copied_or_refused():
    x = buffer()
    y = ext.doubled(x)
    assert y is not x
    assert (x.values(), y.values()) == ([1, 2, 3], [2, 4, 6])
    with pytest.raises(ValueError, match=r"taken_out\(\) argument 'buffer': others refer to this .*pairbond.move"):
        ext.taken_out(x)
    assert x.values() == [1, 2, 3]


def test_an_object_with_references():
    x = ext.Tree(ext.Tree(), ext.Tree())
    y = ext.grown(move(x))
    assert y.size() == 4
    with pytest.raises(pairbond.InvalidatedError):
        x.size()
    assert ext.grown(y) is None
    del x, y
    with nothing_stays():
        y = ext.Tree(ext.Tree())
        assert ext.grown(move(y)).size() == 3
        del y


def test_children_stay_themselves():
    child = ext.Tree()
    x = ext.Tree(child)
    y = ext.grown(move(x))
    assert y.size() == 3
    assert ext.grown(move(child)) is None
    assert child.size() == 1


def test_every_kind_of_parameter():
    x = buffer()
    assert ext.references_of_any(move(x)) == 1
    assert is_empty(x)
    assert ext.references(buffer=move(buffer())) == 1
    assert ext.taker()(move(buffer())) == [1, 2, 3]
    assert ext.hand_on(ext.taker(), move(buffer())) == [1, 2, 3]
    rows = ext.Shelf().new_row()
    assert ext.numbers_of(move(rows)) == [1, 2]
    with pytest.raises(pairbond.InvalidatedError):
        len(rows)
    with pytest.raises(TypeError, match="numbers_of"):
        ext.numbers_of(move(pairbond.List(["text"])))
    with pytest.raises(TypeError, match=r"expected pairbond_testext.Buffer, got .*Moved"):
        ext.lend_and_take(move(buffer()), buffer())


def test_a_moved_object_in_any():
    holder = ext.Caller(print)
    x = buffer()
    holder.value = move(x)
    assert is_empty(x)
    assert holder.value.values() == [1, 2, 3]
    assert holder.value is holder.value


def test_python_receives_the_token():
    tokens = []
    ext.hand_on(tokens.append, move(buffer()))
    (token,) = tokens
    assert type(token) is pairbond.Moved
    tokens.clear()
    assert ext.references(token) == 1


def test_the_token():
    x = buffer()
    token = move(x)
    assert token.taken
    assert repr(token) == "<pairbond.Moved: a pairbond_testext.Buffer>"
    assert move(token) is token
    assert ext.references(token) == 1
    assert repr(token) == "<pairbond.Moved: gone>"
    with pytest.raises(pairbond.InvalidatedError, match="good once"):
        ext.references(token)
    assert move(move(buffer())).taken


def test_what_does_not_fit_stays():
    token = move(buffer())
    with pytest.raises(TypeError):
        ext.grown(token)
    assert ext.references(token) == 1
    token = move(ext.LongBuffer())
    with pytest.raises(TypeError):
        ext.taken_out(token)
    assert ext.references(token) == 1


def test_only_pairbond_objects():
    for other in (1, None, object(), [], ext.Buffer):
        with pytest.raises(TypeError, match="expected a pairbond object"):
            move(other)
    with pytest.raises(TypeError):
        move()
    x = ext.Buffer.__new__(ext.Buffer)
    with pytest.raises(RuntimeError, match="__init__"):
        move(x)
    with pytest.raises(TypeError):
        pairbond._pairbond._move()


def test_what_comes_in_the_place_of_an_empty_wrapper():
    """Its address is used again, by a wrapper that is merely not finished."""

    def emptied():
        x = buffer()
        ext.references(move(x))
        assert is_empty(x)
        return x

    empties = [emptied() for _ in range(1000)]
    places = {id(x) for x in empties}
    del empties
    news = [ext.Buffer.__new__(ext.Buffer) for _ in range(1000)]
    assert places & {id(new) for new in news} or FREE_THREADED
    for new in news:
        assert "(not initialised)" in repr(new)
        new.__init__(1, 2, 3)
        assert new.values() == [1, 2, 3]


def test_an_empty_wrapper():
    x = buffer()
    ext.references(move(x))
    assert is_empty(x)
    assert isinstance(x, ext.Buffer)
    assert hash(x) == object.__hash__(x)
    for use in (ext.Buffer.address, ext.references, move, ext.Buffer.__init__, ext.taken_out):
        with pytest.raises(pairbond.InvalidatedError, match="was moved away"):
            use(x)
    x.note = 1
    assert weakref.ref(x)() is x
    gc.collect()
    pairbond.trim()
    pairbond.stats()
    assert is_empty(x)


def test_a_dropped_token_drops_its_object():
    gc.collect()
    with nothing_stays():
        x = buffer()
        token = move(x)
        del token
        assert is_empty(x)
        del x


def test_the_object_gets_a_new_self():
    seen = []

    def look(it):
        seen.append(it)
        assert it.values() == [1, 2, 3]
        return it

    x = buffer()
    result, alone = ext.lend_and_look(move(x), look)
    assert result is seen[0]
    assert result is not x
    assert not alone, "Python can reach it"
    assert is_empty(x)
    # The callback's caller's object is the callback's: not by value, then.
    y = buffer()
    result, alone = ext.lend_and_look(y, look)
    assert result is y
    assert not alone


def test_statistics():
    gc.collect()
    before = pairbond.stats()["types"].get("pairbond_testext.Buffer", {"objects": 0, "wrappers": 0})
    x = buffer()
    token = move(x)
    now = pairbond.stats()["types"]["pairbond_testext.Buffer"]
    assert now["objects"] == before["objects"] + 1
    assert now["wrappers"] == before["wrappers"]
    del token
    now = pairbond.stats()["types"].get("pairbond_testext.Buffer", {"objects": 0})
    assert now["objects"] == before["objects"]


# Who shares.


def shares(x):
    """That nothing was taken."""
    assert x.values() == [1, 2, 3]
    return True


def test_two_names():
    x = buffer()
    y = x
    token = move(x)
    assert not token.taken
    assert shares(x)
    assert ext.references(token) == 1
    assert ext.doubled(move(y)).values() == [2, 4, 6]
    assert shares(y)


def test_what_lies_elsewhere():
    class Owner:
        def __init__(self):
            self.buffer = buffer()

    owner, items, table = Owner(), [buffer()], {"x": buffer()}
    assert not move(owner.buffer).taken
    assert not move(items[0]).taken
    assert not move(table["x"]).taken
    assert shares(owner.buffer)
    assert shares(items[0])
    assert move(items.pop()).taken


def test_native_code_refers_to_it():
    x = buffer()
    caller = ext.Caller(print)
    caller.value = x
    assert not move(x).taken
    assert caller.value is x
    caller.value = None
    assert move(x).taken


def test_native_weak_references():
    x = buffer()
    x.watch()
    assert not move(x).taken
    assert ext.watched() is x
    assert shares(x)


def test_who_could_be_missed():
    class Sub(ext.Buffer):
        pass

    class Dying(ext.Buffer):
        def __del__(self):
            assert shares(self)

    x = Sub(1, 2, 3)
    assert not move(x).taken
    assert type(x) is Sub
    x = Dying(1, 2, 3)
    assert not move(x).taken
    x = buffer()
    x.note = "mine"
    assert not move(x).taken
    assert x.note == "mine"
    x = buffer()
    weak = weakref.ref(x)
    assert not move(x).taken
    assert weak() is x
    del weak
    assert move(x).taken


def test_other_native_types_keep_theirs():
    x = ext.LongBuffer()
    token = move(x)
    assert token.taken
    y = ext.doubled(token)
    assert type(y) is ext.LongBuffer


# Hostile.


def intact(result):
    """Not within an assertion: pytest would have names for the values in between."""
    before, after = result
    assert before == after == 6


def tree():
    """Something that a collector knows, so that it is found without a reference: somebody asked for its attributes."""
    gc.collect()
    it = ext.Tree(*[ext.Tree() for _ in range(5)])
    vars(it)
    return it


def found():
    (tree,) = (it for it in gc.get_objects() if type(it) is ext.Tree and it.size() == 6)
    return tree


def test_during_a_method_of_its_own():
    x = buffer()
    tokens = []
    intact(x.during(lambda: tokens.append(move(x))))
    assert not tokens[0].taken
    assert shares(x)


def test_during_a_method_of_a_value_without_a_name():
    """The method's caller has the only reference on its stack."""
    tokens = []

    def steal():
        tokens.append(move(found()))

    intact(tree().during(steal))
    assert not tokens[0].taken


def test_with_a_name_during_a_method_of_a_value_without_one():
    """A variable of `steal` is the only reference but the one on the stack of the method's caller."""
    tokens = []

    def steal():
        x = found()
        tokens.append(move(x))
        del x

    intact(tree().during(steal))
    assert not tokens[0].taken


def test_arguments_from_one_tuple():
    """The tuple's is the only reference, and lends to both."""
    tokens = []
    only = (tree(),)

    def steal():
        tokens.append(move(*only))

    arguments = (*only, steal)
    only = arguments[:1]
    intact(ext.Tree.during(*arguments))
    del arguments
    intact(functools.partial(ext.Tree.during, *only)(steal))
    partial = functools.partial(move, tree())
    intact(ext.Tree.during(*partial.args, lambda: tokens.append(partial())))
    assert not any(token.taken for token in tokens)
    assert len(tokens) == 3


def test_arguments_of_one_tuple_lent_twice():
    tokens = []
    only = (tree(), lambda: tokens.append(move(*only[:1])))
    intact(ext.Tree.during(*only))
    lent = (lambda: tokens.append(ext.Tree.while_reading(*pair)),)
    pair = (tree(), map(move, iter([])))
    intact(ext.Tree.during(pair[0], *lent))
    assert not tokens[0].taken
    assert tokens[1] == (6, 0)


def test_while_an_iterable_is_read_in_the_same_frame():
    """`map` calls `move` from no frame: the frame that called the method is the one that has `x`."""
    x = tree()
    tokens = []
    read = x.while_reading(map(tokens.append, map(move, (found() for _ in [0]))))
    assert not tokens[0].taken
    assert read == (6, 1)
    assert x.size() == 6


def test_while_an_iterable_is_read_and_the_frame_looked_at():
    tokens = []

    def run():
        x = tree()

        def items():
            frame = sys._getframe(1)
            tokens.append(move(frame.f_locals["x"]))
            yield 0

        return x.while_reading(items())

    assert run() == (6, 1)
    assert not tokens[0].taken


def test_the_second_half_alone():
    """Variables that are made up do not stand for references."""
    tokens = []

    def steal():
        obj = found()
        for name in ("x", "y", "obj"):
            sys._getframe().f_locals[name] = obj
            locals()[name] = obj
        tokens.append(pairbond._pairbond._move())

    intact(tree().during(steal))
    assert not tokens[0].taken


def test_the_second_half_without_a_variable():
    def without_a_variable():
        locals()["obj"] = found()
        with pytest.raises(TypeError, match="variables"):
            pairbond._pairbond._move()

    intact(tree().during(without_a_variable))


def test_the_second_half_in_a_module():
    namespace = {"found": found, "_move": pairbond._pairbond._move}

    def in_a_module():
        with pytest.raises(TypeError, match="variables"):
            exec("obj = found()\n_move()", namespace)
        del namespace["obj"]

    intact(tree().during(in_a_module))


def test_the_second_half_in_a_class():
    def in_a_class():
        obj = None

        class Class:
            locals()["obj"] = found()
            also = tuple(obj for _ in [0])
            with pytest.raises(TypeError):
                pairbond._pairbond._move()

        assert Class.also == (None,)

    intact(tree().during(in_a_class))


def test_a_caller_with_variables_that_are_made_up():
    tokens = []

    def steal():
        x = found()
        locals()["other"] = x
        sys._getframe().f_locals["another"] = x
        tokens.append(move(x))

    intact(tree().during(steal))
    assert not tokens[0].taken


def test_an_override_moves_its_self():
    tokens = []

    class Thief(ext.Buffer):
        def size(self):
            tokens.append(move(self))
            return 0

    x = Thief(1, 2, 3)
    measured = [x.measured(), Thief(1, 2, 3).measured()]
    assert measured == [(6, 0, 6), (6, 0, 6)]
    assert not any(token.taken for token in tokens)


def test_in_a_finalizer_of_a_collection():
    """What the collection has found out must stay true."""
    tokens = []

    class Thief:
        def __del__(self):
            it = self.__dict__.pop("buffer")
            tokens.append(move(it))

    thief = Thief()
    thief.buffer = buffer()
    thief.me = thief
    del thief
    gc.collect()
    assert not tokens[0].taken
    thief = Thief()
    thief.buffer = buffer()
    del thief
    assert tokens[1].taken


def test_while_the_object_dies():
    taken = []

    class Thief(ext.Buffer):
        def __del__(self):
            taken.append(move(self).taken)

    Thief(1)
    gc.collect()
    assert taken == [False]


def test_a_call_with_both():
    x = buffer()

    try:
        both = ext.lend_and_take(x, move(x))
    except pairbond.InvalidatedError:
        assert is_empty(x)
    else:
        assert both == ([1, 2, 3], 2)
        assert shares(x)


def test_a_frame_that_is_looked_at():
    """Before 3.13 looking at a frame leaves references behind."""
    x = buffer()
    sys._getframe().f_locals
    locals()
    y = ext.doubled(move(x))
    assert y.values() == [2, 4, 6]
    for _ in range(3):
        x = buffer()
        ext.references(move(x))


def test_other_threads_use_it():
    """A method that lets other threads run borrows the object while they move it."""
    x = buffer()
    tokens, results = [], []
    thread = threading.Thread(target=lambda: results.append(x.sleep(200)))
    thread.start()
    while not thread.is_alive():
        pass
    for _ in range(1000):
        token = move(x)
        assert not token.taken
        tokens.append(token)
    thread.join()
    intact(results[0])


def test_threads_move_what_others_look_at():
    """Each object is moved once, or never; who uses it meanwhile sees all of it, or that it is gone."""
    rounds = 300
    taken, refused, seen = [0], [0], [0]

    for _ in range(rounds // 10):
        objects = [ext.Buffer(1, 2, 3) for _ in range(10)]

        def mover(objects=objects):
            for at in range(len(objects)):
                it, objects[at] = objects[at], None
                token = move(it)
                if token.taken:
                    taken[0] += 1
                    assert ext.taken_out(token)[1] == [1, 2, 3]
                else:
                    refused[0] += 1

        def user(objects=objects):
            for _ in range(3):
                for it in list(objects):
                    if it is not None:
                        try:
                            assert it.values() == [1, 2, 3]
                            seen[0] += 1
                        except pairbond.InvalidatedError:
                            pass

        at_once(3, lambda i, work=(mover, user, user): work[i]())
    assert taken[0] + refused[0] == rounds
    assert taken[0] or refused[0]


def test_collections_go_on_meanwhile():
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [gc.collect() for _ in iter(stop.is_set, True)])
    thread.start()
    try:
        for _ in range(300):
            x = ext.Tree(ext.Tree())
            assert move(x).taken in (True, False)
    finally:
        stop.set()
        thread.join()
