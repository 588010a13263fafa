"""Nodes of trees: selfs that stay as long as the tree, erasure, cycles through attributes, threads."""

import asyncio
import contextlib
import gc
import threading
import weakref

import pairbond
import pairbond_testext as ext
import pytest
from interpreters import KINDS, Interpreter, check
from pairbond_testext import Annotated, Paragraph, Quotation, Section

pytestmark = pytest.mark.usefixtures("no_leak")
TYPES = ("Section", "Paragraph", "Quotation", "Annotated")


def alive() -> int:
    types = pairbond.stats()["types"]
    return sum(types.get(f"pairbond_testext.{name}", {"objects": 0})["objects"] for name in TYPES)


@pytest.fixture(autouse=True)
def _all_is_freed():
    gc.collect()
    before = alive()
    yield
    for _ in range(3):
        gc.collect()
    assert alive() == before


def document(count=5):
    root, inner = Section("root"), Section("inner")
    root.add(inner)
    inner.fill(count)
    return root


def test_any_handle_keeps_the_whole_tree():
    paragraph = document().subsection(0).paragraph(3)
    gc.collect()
    assert paragraph.text == "3"
    assert paragraph.section().parent().title == "root"
    assert [p.text for p in paragraph.section().paragraphs()] == list("01234")


def test_what_a_getter_read_of_an_erased_node_is_not_given():
    """As when another thread erases it while the getter runs."""
    section = document(3).subsection(0)
    with pytest.raises(pairbond.InvalidatedError, match='Section "inner" was erased'):
        _ = section.paragraphs_after_erasing


def test_trees_without_selfs_below_the_root_are_freed_at_once():
    before = alive()
    root = Section("root")
    root.fill(100)
    assert alive() == before + 101
    del root
    assert alive() == before


class Chapter(Section):
    __slots__ = ("mark",)

    def weight(self):
        return len(self.title)


def test_names_choose_the_class_of_selfs():
    root = document()
    early = root.subsection(0)
    root.subdivide("first")
    for name in ("inner", "first", "second"):
        assert pairbond.class_for(Section, f'"{name}"')(Chapter) is Chapter
    root.subdivide("second")
    assert type(early) is Section, "a self keeps its class"
    assert root.subsection(0) is early
    for place, title in ((1, "first"), (2, "second")):
        chapter = root.subsection(place)
        assert type(chapter) is Chapter
        assert chapter.weight() == len(title)
        assert chapter.title == title
        chapter.mark = chapter.note = [chapter]
        kept = id(chapter)
        del chapter
        gc.collect()
        chapter = root.subsection(place)
        assert chapter.mark == chapter.note == [chapter]
        assert id(chapter) == kept
    root.subdivide("third")
    assert type(root.subsection(3)) is Section
    assert type(Section("first")) is Section, "what Python makes is of the class that it calls"


def test_many_names_and_threads_that_choose():
    names = [f"{'x' * (number % 40)}{number}" for number in range(600)]
    chosen = {name: type(f"Chapter{name}", (Section,), {}) for name in names[::2]}

    def choose(mine):
        for name in mine:
            pairbond.class_for(Section, f'"{name}"')(chosen[name])

    every = list(chosen)
    threads = [threading.Thread(target=choose, args=(every[begin::4],)) for begin in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    root = Section("root")
    for name in names:
        root.subdivide(name)
    for place, name in enumerate(names):
        assert type(root.subsection(place)) is chosen.get(name, Section), name
    pairbond.class_for(Section, f'"{names[0]}"')(Chapter)
    root.subdivide(names[0])
    assert type(root.subsection(len(names))) is Chapter, "the last choice counts"


def test_only_classes_made_in_python_can_be_chosen():
    for of, wrong in [(Section, Section), (Section, int), (Chapter, Marked), (int, bool), (Section, Paragraph)]:
        with pytest.raises(TypeError, match="no class made in Python"):
            pairbond.class_for(of, "x")(wrong)
    with pytest.raises(TypeError):
        pairbond.class_for(Section, 5)(Chapter)


class Marked(Section):
    __slots__ = ("mark",)


def test_selfs_stay_as_long_as_the_tree():
    root, inner = Marked("root"), Marked("inner")
    root.add(inner)
    inner.fill(1)
    inner.mark, inner.paragraph(0).note = 1, 2
    ids = id(inner), id(inner.paragraph(0))
    seen = weakref.WeakKeyDictionary({inner: "inner", inner.paragraph(0): "paragraph"})
    del inner
    gc.collect()
    inner = root.subsection(0)
    assert type(inner) is Marked
    assert (inner.mark, inner.paragraph(0).note) == (1, 2)
    assert (id(inner), id(inner.paragraph(0))) == ids
    assert seen[inner] == "inner"
    assert seen[inner.paragraph(0)] == "paragraph"
    assert inner.paragraph(0) is root.subsection(0).paragraph(0)
    paragraph = inner.paragraph(0)
    del root, inner
    gc.collect()
    assert len(seen) == 2
    assert paragraph.section().parent().subsection(0).mark == 1
    del paragraph
    gc.collect()
    assert not seen


def test_what_is_erased_says_so():
    root = document()
    inner = root.subsection(0)
    paragraph, note = inner.paragraph(1), inner.paragraph(2)
    note.extra = paragraph
    note.tag = "still there"
    inner.erase("the editor")
    assert root.subsection(0) is None
    uses = [
        lambda: paragraph.text,
        lambda: setattr(paragraph, "text", "x"),
        lambda: paragraph.section(),
        lambda: inner.title,
        lambda: inner.add(Section("x")),
        lambda: root.add(inner),
        lambda: root.write(paragraph),
        lambda: root.same_title(inner),
        lambda: inner.same_title(root),
        lambda: inner.erase(),
        lambda: note.extra,
    ]
    for use in uses:
        with pytest.raises(pairbond.InvalidatedError, match="was erased, by the editor"):
            use()
    # What Python has attached to a self is Python's; and a self can always be shown.
    assert note.tag == "still there"
    assert "Paragraph" in repr(paragraph)
    with pytest.raises(pairbond.InvalidatedError, match=r"pairbond_testext\.Paragraph"):
        paragraph.next()


def test_an_erased_node_is_refused_where_anything_is_taken():
    root = document()
    inner, other = root.subsection(0), root.subsection(0).paragraph(0)
    with pairbond.erasing("the editor"):
        inner.erase()
    for use in (lambda: setattr(root, "extra", inner), lambda: setattr(root, "extra", other)):
        with pytest.raises(pairbond.InvalidatedError, match="was erased, by the editor"):
            use()
    root.extra = [inner]
    # Containers take and give what they are told, so that it can be looked for in them and taken out.
    found = pairbond.List([root, inner, other])
    assert [pairbond.is_erased(node) for node in found] == [False, True, True]
    found.remove(inner)
    assert len(found) == 2
    assert other in found


def test_who_erases_is_named_in_a_scope():
    def erased_by(erase):
        root = document()
        inner = root.subsection(0)
        erase(inner)
        with pytest.raises(pairbond.InvalidatedError) as caught:
            inner.title
        text = str(caught.value)
        assert text.startswith('this pairbond_testext.Section "inner" was erased, by ')
        return text.split("by ")[1].split(":")[0]

    with pairbond.erasing("one"):
        with contextlib.suppress(ZeroDivisionError), pairbond.erasing("canonicalise"):
            assert erased_by(Section.erase) == "canonicalise"
            1 / 0
        assert erased_by(Section.erase) == "one"
        assert erased_by(lambda inner: inner.erase("two")) == "two"
        thread = threading.Thread(target=lambda: seen.append(erased_by(Section.erase)))
        seen = []
        thread.start()
        thread.join()
        assert seen == ["erase()"], "a scope is its thread's"
    assert erased_by(Section.erase) == "erase()"
    for wrong in (None, 3, b"x"):
        with pytest.raises(TypeError, match="must be str"):
            pairbond.erasing(wrong)


def test_whether_it_is_erased():
    root = document()
    inner = root.subsection(0)
    paragraph = inner.paragraph(0)
    assert not pairbond.is_erased(paragraph)
    assert "(erased)" not in repr(paragraph)
    inner.erase()
    assert pairbond.is_erased(paragraph)
    assert "(erased)" in repr(paragraph)
    assert not pairbond.is_erased(root)
    assert not pairbond.is_erased(pairbond.List())
    with pytest.raises(TypeError, match="expected a pairbond object, got int"):
        pairbond.is_erased(3)


def test_erased_memory_is_not_used_again_while_a_self_is_there():
    root = Section("root")
    olds = []
    for _ in range(1000):
        root.fill(1)
        olds.append(root.paragraph(0))
        olds[-1].erase()
    assert len({pairbond.native_id(old) for old in olds}) == 1000
    new = root.fill(1)
    for old in olds:
        with pytest.raises(pairbond.InvalidatedError):
            old.text
    assert new is None
    assert root.paragraph(0).text == "0"


def test_erasing_frees_at_once():
    before = alive()
    root = document(50)
    paragraphs = root.subsection(0).paragraphs()
    root.erase()
    del paragraphs
    assert alive() == before + 1
    del root
    assert alive() == before


def test_dead_trees_do_not_pile_up():
    # Two selfs for each tree: nothing that Python would collect for.
    most = 0
    for _ in range(60):
        root = document(5000)
        root.subsection(0).note = root
        del root
        most = max(most, alive())
    assert 100_000 < most < 150_000, "of 300,000"


@pytest.mark.parametrize("where", ["attribute", "field", "asleep"])
def test_cycles_through_a_tree_are_collected(where):
    before = alive()
    root = document()
    paragraph = root.subsection(0).paragraph(2)
    if where == "attribute":
        paragraph.back = [root]
    elif where == "field":
        paragraph.extra = [root, paragraph]
    else:
        # Only the native tree knows this one: nobody ever saw a self of it below.
        root.extra = [root]
    ended = weakref.ref(root)
    del root
    gc.collect()
    assert paragraph.section().parent() is ended()
    del paragraph
    gc.collect()
    assert ended() is None
    assert alive() == before


def test_what_is_detached_is_a_tree_of_its_own():
    root = document()
    inner = root.subsection(0)
    inner.mark = 1
    inner.detach()
    assert inner.parent() is None
    ended = weakref.ref(root)
    del root
    gc.collect()
    assert ended() is None
    assert inner.mark == 1
    other = Section("other")
    other.add(inner)
    with pytest.raises(ValueError, match="has a parent already"):
        other.add(inner)
    with pytest.raises(ValueError, match="no cycles"):
        inner.add(other)
    assert inner.parent() is other


def test_what_extends_a_node_is_one():
    root = Section("root")
    quotation = Quotation("to be", "Hamlet")
    root.write(quotation)
    assert root.paragraph(0) is quotation
    assert (quotation.source, quotation.section().title) == ("Hamlet", "root")
    root.erase()
    for name in ("source", "text"):
        with pytest.raises(pairbond.InvalidatedError):
            getattr(quotation, name)


def test_what_extends_a_node_has_lists_of_its_own():
    root, section, note = Annotated("root"), Section("section"), Quotation("text", "source")
    root.annotate(note)
    root.add(section)
    section.write(Paragraph("below"))
    assert [type(node).__name__ for node in pairbond.descendants(root)] == ["Section", "Paragraph", "Quotation"]
    assert root.notes() == [note]
    note.mark = "kept"
    del note
    gc.collect()
    assert root.notes()[0].mark == "kept"
    note = root.notes()[0]
    section.erase()
    assert not pairbond.is_erased(note)
    root.erase()
    with pytest.raises(pairbond.InvalidatedError):
        _ = note.text


def test_a_cycle_through_a_list_of_what_extends_a_node_is_collected():
    root, note = Annotated("root"), Quotation("text", "source")
    root.annotate(note)
    note.extra = root
    note.itself = note
    gone = weakref.ref(root), weakref.ref(note)
    del root
    gc.collect()
    assert gone[0]() is note.extra
    assert gone[0]().notes() == [note]
    del note
    gc.collect()
    assert [it() for it in gone] == [None, None]


def test_trim_gives_back_selfs_in_trees():
    pairbond.trim()  # those of other tests
    root = document()
    root.subsection(0).paragraphs()
    kept = root.subsection(0).paragraph(1)
    kept.note = 1
    before = alive()
    assert pairbond.trim() == 5, "four paragraphs and the section between"
    assert root.subsection(0).paragraph(1) is kept
    assert alive() == before
    assert [p.text for p in root.subsection(0).paragraphs()] == list("01234")


def test_threads_edit_and_read():
    root = Section("root")
    root.fill(50)
    barrier = threading.Barrier(4)
    seen = []

    def edit(number):
        barrier.wait()
        for step in range(300):
            paragraph = root.paragraph((step * 7 + number) % 50)
            if paragraph is not None:
                try:
                    paragraph.erase() if step % 3 else paragraph.detach()
                except pairbond.InvalidatedError:
                    seen.append("lost")
            root.fill(1)

    def read():
        barrier.wait()
        for step in range(300):
            for paragraph in root.paragraphs():
                try:
                    assert isinstance(paragraph.text, str)
                    assert paragraph.section() in (root, None)
                except pairbond.InvalidatedError:
                    seen.append("erased")
            if step % 100 == 0:
                gc.collect()

    threads = [threading.Thread(target=edit, args=(n,)) for n in range(2)]
    threads += [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(root.paragraphs()) >= 50
    assert Paragraph("x").section() is None


TREE_AT_THE_END = """
import sys
from pairbond_testext import Section

class Marked(Section):
    __slots__ = ("mark",)
    ended = []
    def __init__(self, title):
        super().__init__(title)
        self.mark = self.note = [self]
    def __del__(self, title=Section.title):
        self.ended.append(self.mark)

root, inner = Marked("root"), Marked("inner")
root.add(inner)
inner.fill(3)
inner.paragraph(0).note = root
erased = Marked("erased")
inner.add(erased)
erased.erase()
# Longer than the module's variables.
sys.kept = inner.paragraph(1), erased
"""


def test_subclasses_in_trees_when_the_interpreter_ends():
    check(TREE_AT_THE_END + 'print("fine")')


@pytest.mark.parametrize("kind", KINDS)
def test_subclasses_in_trees_when_a_subinterpreter_ends(kind):
    before = alive()
    with Interpreter(kind) as interpreter:
        interpreter.run(TREE_AT_THE_END)
    gc.collect()
    assert alive() == before


def test_members_of_the_option_tree():
    top, side, tip = (ext.Branch(name) for name in ("top", "side", "tip"))
    assert top.grow(side) is side
    assert side.grow(tip) is tip
    assert (top.parent, side.parent, tip.parent) == (None, top, side)
    leaves = [tip.bear("a"), top.bear("b")]
    assert (top.branches, top.leaves, tip.leaves) == ([side], leaves[1:], leaves[:1])
    # Branches are passed over.
    assert top.all_leaves() == leaves
    assert [leaf.parent for leaf in leaves] == [tip, top]
    assert top.grow(tip) is tip, "it was moved"
    assert (side.branches, top.length) == ([], 2)
    with pytest.raises(ValueError, match="no cycles"):
        tip.grow(top)
    assert tip.take_out() is tip
    assert (tip.parent, top.all_leaves()) == (None, leaves[1:])
    for name in ("detach", "descendants", "erase", "_tree_parent", "__tree_parent"):
        assert not hasattr(ext.Branch, name)
    leaves[1].erase()
    tip.cut()
    with pytest.raises(pairbond.InvalidatedError, match=r"erased, by erase\(\)"):
        _ = leaves[0].parent
    assert top.leaves == []
    assert "stands in" in ext.Branch.parent.__doc__
    assert "and returns it" in ext.Branch.take_out.__doc__


def test_a_receiver_that_is_an_owned_handle():
    branch = ext.Branch("top")
    branch.noted = "n"
    assert (branch.noted, branch.note) == ("n", "n")
    coroutine = branch.later()
    assert asyncio.run(coroutine) is branch
    with pytest.raises(TypeError, match="Branch"):
        ext.Branch.grow(3, branch)
    with pytest.raises(RuntimeError, match=r"__init__\(\) was not called"):
        ext.Branch.__new__(ext.Branch).grow(branch)
