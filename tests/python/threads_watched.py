"""Threads that do all that wrappers can, for ThreadSanitizer to watch: `make test-long ARGS=tsan-python` runs it.

    python threads_watched.py [STEPS [SCENE...]]

It asserts little outside of the libraries of C and C++, which compare every result: what counts is that nothing is
reported. A free-threaded CPython and extension modules that were
built for ThreadSanitizer are needed (scripts/build_python.sh 3.14t-tsan); elsewhere it runs, too, and finds crashes.
"""

import contextlib
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref

import pairbond
import pairbond_holders as holders
import pairbond_testext as ext

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
# What it means that another thread was there first.
LOST = (pairbond.InvalidatedError, KeyError, IndexError, ValueError, RuntimeError)


class Sub(holders.Node):
    """Has attributes, and is collected by CPython."""


class Shape(ext.Shape):
    def area(self, factor):
        return 2.0 * factor


class Finalized(holders.Node):
    def __del__(self):
        self.mark = None


def wrappers():
    """Made, linked, looked up through native fields, dropped."""
    shared = holders.Node(0)
    shared.next = holders.Node(1)
    kept = holders.Holder(Sub(2))

    def work(number, step):
        node = (holders.Node, Sub, Finalized)[step % 3](step)
        node.next = shared if step % 2 else holders.Node(step)
        shared.next = node
        other = shared.next
        if other is not None:
            other.value = step
            other.mark = [step]
        kept.get()
        if step % 7 == number:
            pairbond.trim()
        holders.Leaf(step)
        chain = holders.Node.chain(3)
        chain.next.next = None
        pairbond.is_dormant(shared)

    return work


def containers():
    items, table, elements = pairbond.List(range(8)), pairbond.Map(), pairbond.Set()
    fixed, frozen = pairbond.Tuple([1, "a", 2.5]), pairbond.FrozenMap({"a": 1, 2: "b"})

    def work(number, step):
        key = step % 13
        items.append(step)
        items[step % 8] = f"text {step}"
        table[key] = holders.Node(step)
        table[f"key {key}"] = step
        table.get((key + number) % 13)
        elements.add(key)
        elements.discard((key + 3) % 13)
        list(items)
        list(table.items())
        list(elements)
        fixed[step % 3], frozen.get("a"), frozen[2]
        if len(items) > 40:
            del items[8:]
        if step % 11 == 0:
            table.pop(key, None)
            table.copy()
            sorted(map(str, items[:5]))
            items.sort(key=str)
            repr(items)

    return work


def classes():
    """Classes are defined, extended, changed and dropped while others use theirs."""
    gone = []

    def work(number, step):
        if step % 10 == 0:

            @pairbond.object(f"watched.Made{number}")
            class Made:
                count: int = 0
                name: str = "n"
                me: "Made | None" = None

            class Below(Made):
                pass

            made = Below(step)
            made.me = made
            made.name = "other"
            gone.append(weakref.ref(Below))
        local = type("Local", (ext.Shape,), {"area": lambda self, factor: 3.0})
        assert ext.area_of(local(1.0)) == 3.0
        assert ext.area_of(Shape(1.0)) == 2.0
        if step % 5 == number:
            ext.area_elsewhere(Shape(1.0), 3)

    return work


def weak():
    shared = [holders.Node(0)]
    holder = holders.Holder(shared[0])

    def work(number, step):
        node = shared[0]
        seen = weakref.ref(node)
        holder.watch(node)
        shared[0] = holders.Node(step)
        del node
        seen()
        other = Sub(step)
        died = []
        watch = weakref.ref(other, died.append)
        del other
        assert watch() is None
        holders.is_watched_alive()

    return work


def trees():
    root, other = ext.Section("root"), ext.Section("other")
    for number in range(6):
        root.add(ext.Section(str(number)))
    root.fill(10)

    def work(number, step):
        source, target = (root, other) if step % 2 else (other, root)
        section = source.subsection(step % 3)
        if section is not None:
            section.detach()
            section.mark = step
            target.add(section)
        paragraph = root.paragraph(step % 10)
        if paragraph is not None and step % 4 == 0:
            paragraph.erase()
            root.fill(1)
        len(root.paragraphs())
        for found in root.sections():
            found.parent()

    return work


def graphs():
    first = Sub(1)
    first.next = holders.Node(2)
    first.value = pairbond.List([1, "a", first])
    data = pickle.dumps(first)

    def work(number, step):
        if step % 4:
            return
        copy.deepcopy(first)
        assert pickle.loads(data).next.number == 2
        pairbond.structural_equal(first, first)
        pairbond.to_json(pairbond.List([1, 2, step]))

    return work


def natives():
    """Threads that Python does not know use and drop the same objects."""

    def work(number, step):
        holders.call_on_thread(len, ())
        holders.call_detached(len, ())
        holders.Holder(Sub(step)).drop_on_thread()
        ext.apply_later(lambda value: value, step)
        if step % 50 == 0:
            holders.drop_slowly([Sub(n) for n in range(20)], 0)

    return work


@pairbond.object("watched.Record")
class Record:
    number: int = 0
    size: float = 0.0
    name: str = "n"
    items: list[int] = pairbond.field(default_factory=list)
    other: "Record | None" = None
    anything: object = None


def fields():
    """Fields of a class made in Python, and attributes that a subclass has."""
    shared = Record()

    def work(number, step):
        shared.number = step
        shared.size = step / 2
        shared.name = f"name {step}"
        shared.other = Record(step, other=shared.other if step % 5 else None)
        shared.anything = [step]
        shared.items.append(step)
        if len(shared.items) > 20:
            shared.items = [step]
        shared.number, shared.size, shared.name, shared.other, shared.anything, list(shared.items)
        repr(Record(step)), Record(step) == Record(step), copy.copy(Record(step))

    return work


def changes():
    """A class that others use is changed, and its objects are called by native code."""

    class Changing(ext.Shape):
        pass

    class Below(Changing):
        pass

    shapes = [Changing(1.0), Below(1.0)]

    def work(number, step):
        if number == 0 and step % 3 == 0:
            Changing.area = lambda self, factor: 7.0
            if step % 2:
                del Changing.area
        assert ext.area_of(shapes[step % 2]) in (1.0, 7.0)
        if step % 10 == number:
            ext.area_elsewhere(shapes[step % 2], 2)
        shapes[step % 2].note = step

    return work


def observers():
    seen = []

    def work(number, step):
        if step % 20 == number:
            with pairbond.trace(seen.append):
                holders.Node(step)
        holders.Holder(holders.Node(step)).get()
        if step % 50 == number:
            pairbond.stats()
            pairbond.live_objects()
            pairbond.collector_stats()
            del seen[:]

    return work


def arrays():
    shared = pairbond.Array([1.0, 2.0, 3.0, 4.0])

    def work(number, step):
        ext.array_sum(shared)
        part = shared[1:3]
        memoryview(shared).release()
        ext.array_drop_elsewhere(pairbond.Array([float(step)]))
        part.tolist(), shared.shape, shared.dtype

    return work


def functions():
    def work(number, step):
        name = f"watched.{number}"
        pairbond.register_function(name, lambda value: value)
        assert ext.call_global(name, step) == step
        pairbond.remove_function(name)
        kept = pairbond.List([lambda: step, ext.native_function()])
        kept[0](), ext.keep_function(kept[0]), ext.drop_functions(step % 2 == 0)

    return work


def library(name):
    """A library of tests/c that was built for ThreadSanitizer, as the environment says."""
    return pairbond.load(os.path.join(os.environ["PAIRBOND_WATCHED_LIBRARIES"], f"{name}.abi3.so"))


def c():
    """Objects, trees, arrays and overridden methods of C."""
    shapes = library("shapes")

    class Heavy(shapes.Node):
        def heft(self, factor):
            return 7

    shared, heavy = shapes.Node("shared"), Heavy("heavy")
    roots = [shapes.Branch(str(number)) for number in range(2)]
    for number in range(12):
        roots[number % 2].append(shapes.Branch(f"b{number}"))

    def work(number, step):
        node = shapes.Node([step], step, origin=shared)
        shared.next, node.next = node, shared
        shared.weight = step
        shared.weight, shared.next, node.heavy
        assert shapes.heft_of(heavy, 1) == 7
        shapes.heft_of(node, 2)
        shapes.apply(lambda: shared.next)
        shapes.adder(step)(1, 2)
        assert shapes.upgrade(node) is node
        shapes.mean(shapes.ramp(5))
        branches = roots[step % 2].branches
        if branches:
            branch = branches[step % len(branches)]
            roots[number % 2].move(branch, branch)
            branch.extra = step
            branch.parent(), branch.index(), branch.next(), roots[0].below()
            if step % 50 == number:
                branch.erase("the scene")
                roots[0].append(shapes.Branch("new"))
        with contextlib.suppress(TypeError):
            shapes.make_point(3)

    return work


def cpp():
    """The same of C++."""
    graphs = library("graphs")

    class Half(graphs.Offer):
        def total(self, count):
            return super().total(count) // 2

    shared, half = graphs.Node("shared"), Half(8)
    graphs.keep_offer(half)
    roots = [graphs.Section(str(number)) for number in range(2)]
    for number in range(12):
        roots[number % 2].append(graphs.Chapter(f"c{number}"))

    def work(number, step):
        node = graphs.Node("a", 1.0, origin=shared)
        shared.next, node.next = node, shared
        shared.others.append(node)
        if len(shared.others) > 20:
            shared.others.clear()
        shared.next, shared.length
        assert graphs.total_of(half, 2) == 8
        graphs.label_of(half), graphs.apply(lambda x: x, 1.0), graphs.lengths({"a": [step]})
        graphs.total_of_kept()
        graphs.sum_of(pairbond.Array([1.0, 2.0]))
        sections = roots[step % 2].sections
        if sections:
            section = sections[step % len(sections)]
            roots[number % 2].move(section)
            section.extra = [section]
            section.parent, section.index, roots[0].titles(), roots[1].below()
            if step % 50 == number:
                section.erase()
                roots[0].append(graphs.Chapter("new"))
        with contextlib.suppress(OverflowError):
            graphs.fail(1)

    return work


def doubles(number):
    if number < 0:
        raise ValueError("negative")
    return 2 * number


def threads_of_cpp():
    """Threads of C++ below those of Python; the library compares every result."""
    threads = library("threads")
    turns = 20
    numbers = 2 * turns * (2 * turns - 1) // 2

    class Half(threads.Offer):
        def total(self, count):
            return super().total(count) // 2

    class Sub(threads.Node):
        pass

    half = Half(6)

    def work(number, step):
        if step % 60 != number:  # each takes long
            return
        assert threads.references(2, turns) == 0
        there, gone, left = threads.weak(2, turns)
        assert (gone, left) == (2 * turns, 0)
        assert there >= turns
        assert threads.functions(doubles, 2, turns) == 2 * numbers
        assert threads.errors(2, 3) == 6
        assert threads.containers(2, turns)[0] == numbers
        made, _, erased, left = threads.trees(2, turns)
        assert left <= made - erased
        assert threads.totals(half, 3, 2, turns) == 3 * turns * (turns - 1)
        assert threads.observers(2, 5) == 10
        if number == 0:
            assert threads.names(2, turns) == 7
        objects = [Sub(step) for _ in range(10)]
        for it in objects:
            it.itself = [it]
        references = [weakref.ref(it) for it in objects]
        items = pairbond.List([*objects, *(lambda: step for _ in range(10))])
        del objects, it
        assert threads.release(items, 2) == 20
        for _ in range(1000):
            gc.collect()  # does nothing while another thread collects
            if all(it() is None for it in references):
                break
            time.sleep(0.001)
        else:
            raise AssertionError("what was released is alive")

    return work


def threads_of_c():
    pthreads = library("pthreads")

    def work(number, step):
        if step % 60 == number:
            assert pthreads.run(doubles, 20) == 0

    return work


def race():
    """No scene of the others: `a_race_is_reported` plays it."""
    threads = library("threads")
    return lambda number, step: threads.race(2, 1000)


def a_race_is_reported():
    """That silence means something: a race in a library ends the process as ThreadSanitizer was told."""
    options = f"{os.environ.get('TSAN_OPTIONS', '')} exitcode=66 halt_on_error=1"
    run = subprocess.run(
        [sys.executable, __file__, "10", "race"],
        env=os.environ | {"TSAN_OPTIONS": options},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 66, run.stderr
    assert "data race" in run.stderr, run.stderr
    assert "threads.cpp" in run.stderr, run.stderr


def collector(stop):
    while not stop.is_set():
        gc.collect()
        pairbond.collect()
        pairbond.stats()


SCENES = [wrappers, containers, classes, weak, trees, graphs, natives, fields, changes, observers, arrays, functions]
LIBRARIES = "PAIRBOND_WATCHED_LIBRARIES" in os.environ
if LIBRARIES:
    SCENES += [c, cpp, threads_of_c, threads_of_cpp]
SCENES = {it.__name__: it for it in SCENES}


def play(scene, steps):
    work, failures, stop = scene(), [], threading.Event()
    barrier = threading.Barrier(4)

    def body(number):
        barrier.wait()
        try:
            for step in range(steps):
                with contextlib.suppress(*LOST):
                    work(number, step)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(4)]
    watcher = threading.Thread(target=collector, args=(stop,))
    for thread in [*threads, watcher]:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    watcher.join()
    if failures:
        raise failures[0]


def main():
    for name in sys.argv[2:] or SCENES:
        play(race if name == "race" else SCENES[name], STEPS)
        print(name, flush=True)
    if LIBRARIES and not sys.argv[2:]:
        a_race_is_reported()
        print("a race is reported", flush=True)


if __name__ == "__main__":
    main()
