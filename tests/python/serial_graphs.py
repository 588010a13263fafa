"""A graph that goes through other processes, and what these do with it."""

import pairbond
import pairbond_holders as holders


class Labelled(holders.Node):
    """A class made in Python."""


def graph():
    ring = holders.Node.ring(3)
    ring.value = pairbond.List([ring, ring.next, {"ring": ring}])
    own = Labelled(7)
    own.label, own.next = ["label"], ring
    ring.children.append(own)
    return [own, ring, ring.next]


def is_whole(roots):
    own, ring, after = roots
    return (
        type(own) is Labelled
        and own.label == ["label"]
        and own.next is ring
        and ring.children[0] is own
        and ring.next is after
        and after.next.next is ring
        and ring.value[0] is ring
        and ring.value[2]["ring"] is ring
    )


def change(roots):
    """What a worker does: looks, changes, and sends back."""
    assert is_whole(roots)
    roots[1].next.value = "seen"
    return roots
