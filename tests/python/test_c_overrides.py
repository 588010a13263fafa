"""Methods of C and C++ that classes made in Python override."""

import gc
import threading

import pytest


def test_c_asks_the_class_first(shapes):
    class Plain(shapes.Node):
        pass

    class Heavy(shapes.Node):
        def heft(self, factor):
            return 100 + super().heft(factor)

    for _ in range(3):
        assert shapes.heft_of(shapes.Node("a", 3), 2) == -6
        assert shapes.heft_of(Plain("a", 3), 2) == -6
        assert shapes.heft_of(shapes.Leaf(1.0), 2) == -14
        assert shapes.heft_of(Heavy("a", 3), 2) == 106
        assert shapes.Node("a", 3).heft(2) == 6


def test_also_when_only_c_has_the_object(shapes):
    class Heavy(shapes.Node):
        def heft(self, factor):
            return self.extra

    node = Heavy("a")
    node.extra = 7
    holder = shapes.Node("b", origin=node)
    del node
    gc.collect()
    assert shapes.heft_of(holder.origin, 1) == 7


def test_what_is_assigned_to_the_class_counts(shapes):
    node = shapes.Node("a", 3)
    other = shapes.Leaf(1.0)
    native = shapes.Node.heft
    assert shapes.heft_of(node, 1) == -3
    shapes.Node.heft = lambda self, factor: self.weight + factor
    try:
        assert shapes.heft_of(node, 1) == 4
        assert shapes.heft_of(other, 1) == 8
        # Another change does not make it forget this one.
        shapes.Node.unrelated = 1
        assert shapes.heft_of(node, 1) == 4
        assert shapes.heft_of(shapes.Node("b", 1), 1) == 2
    finally:
        shapes.Node.heft = native
        del shapes.Node.unrelated
    assert shapes.heft_of(node, 1) == -3
    assert shapes.heft_of(other, 1) == -7


def test_a_class_that_changes(shapes):
    class Sub(shapes.Node):
        pass

    node = Sub("a", 3)
    assert shapes.heft_of(node, 1) == -3
    Sub.heft = lambda self, factor: 5
    assert shapes.heft_of(node, 1) == 5
    del Sub.heft
    assert shapes.heft_of(node, 1) == -3
    Sub.heft = shapes.Node.heft
    assert shapes.heft_of(node, 1) == -3


def test_an_exception_of_an_override_passes_as_it_is(shapes, graphs):
    raised = LookupError("mine")

    class Fails(shapes.Node):
        def heft(self, factor):
            raise raised

    class Offer(graphs.Offer):
        def total(self, count):
            raise raised

    for call in (lambda: shapes.heft_of(Fails("a"), 1), lambda: graphs.total_of(Offer(1), 2)):
        with pytest.raises(LookupError) as caught:
            call()
        assert caught.value is raised


def test_cpp_asks_the_class_first(graphs):
    class Half(graphs.Offer):
        def total(self, count):
            return super().total(count) // 2

        def label(self, prefix, other):
            assert other is self
            return f"{prefix}half"

        def sell(self):
            self.sold = True

    for _ in range(3):
        plain, half = graphs.Offer(30), Half(30)
        assert (graphs.total_of(plain, 2), graphs.total_of(half, 2)) == (60, 30)
        assert (plain.total(2), half.total(2)) == (60, 30)
        assert (graphs.label_of(plain), graphs.label_of(half)) == ("<30+", "<half")
        graphs.sell(plain)
        graphs.sell(half)
        assert (plain.price, half.price, half.sold) == (0, 30, True)


def test_a_result_of_another_type_is_an_error(graphs):
    class Wrong(graphs.Offer):
        def total(self, count):
            return "much"

    with pytest.raises(TypeError, match=r"the result of total\(\) of a subclass: expected int, got str"):
        graphs.total_of(Wrong(1), 1)


def test_from_other_threads_and_while_only_cpp_has_it(graphs):
    class Thirds(graphs.Offer):
        def total(self, count):
            return self.part * count

    offer = Thirds(1)
    offer.part = 3
    graphs.keep_offer(offer)
    del offer
    gc.collect()
    results = []
    threads = [threading.Thread(target=lambda: results.append(graphs.total_of_kept())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [6] * 4
    assert graphs.keep_offer(None).part == 3
