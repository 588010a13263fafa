"""The example as its users see it. `cases.json` has texts and the trees that html5lib 1.1 makes of them."""

import gc
import json
import platform
import random
import re
import subprocess
import sys
import sysconfig
import threading
import weakref
from pathlib import Path

import dom
import pairbond
import pytest
from dom.__main__ import links

HERE = Path(__file__).resolve().parent
CASES = json.loads((HERE / "cases.json").read_text())
PAGE = """<!doctype html><title>Page</title><body>
<div id=top class="a b"><p class=note>one <a href="/two">two</a></p><p>three<br></p></div>
<ul><li>1<li class=a>2<li>3</ul><!-- end -->"""


@pytest.fixture
def page():
    return dom.parse(PAGE)


def lines(node, depth=0):
    """As the trees of `cases.json` are written."""
    for child in node.children:
        indent = "  " * depth
        special = {"#text": '"', "#comment": "#", "#doctype": "!"}.get(child.name)
        if special:
            yield indent + special + child.text
        else:
            yield indent + f"<{child.name}" + "".join(f' {k}="{v}"' for k, v in child.attrs.items()) + ">"
            yield from lines(child, depth + 1)


@pytest.mark.parametrize(("text", "tree"), CASES, ids=[repr(text) for text, _ in CASES])
def test_trees_are_those_of_the_standard(text, tree):
    assert list(lines(dom.parse(text))) == tree


@pytest.mark.parametrize("text", [text for text, _ in CASES if "<frameset" not in text and "\n\n" not in text])
def test_what_is_written_is_read_as_the_same(text):
    document = dom.parse(text)
    again = dom.parse(dom.tostring(document))
    # Elements in places where they must not be are written, and the parser moves them.
    if not re.search("<table|<form|<a|<nobr|<svg|<p|<b|<i", text):
        assert list(lines(again)) == list(lines(document))
    assert again.text.split() == document.text.split() or "<table" in text


def test_it_is_at_most_400_lines_of_rust():
    """As the project formats them, counted as `benches/trees.py` does: no blank line or comment."""
    files = sorted((HERE.parent / "src").glob("*.rs"))
    assert not list(HERE.parent.rglob("*rustfmt.toml"))
    code = [line for file in files for line in file.read_text().splitlines() if line.strip()]
    assert 300 < len([line for line in code if not line.strip().startswith("//")]) <= 400


def test_searching(page):
    assert page.select_one("#top > p.note a[href^='/t']")["href"] == "/two"
    assert [it.text for it in page.select("li")] == ["1", "2", "3"]
    assert [it.text for it in page.select("li", limit=2)] == ["1", "2"]
    assert page.select("li:nth-child(2)") == page.find_all("li", class_="a") == page.select("li.a")
    assert page.select("div:has(a), ul:has(a)") == [page.find("div")]
    assert page.select(":is(ul, div) > :not(li)") == page.find_all("p")
    assert page.select("li + li ~ li") == [page.find_all("li")[2]]
    assert page.select("br:empty, a:empty, title:root, html:root") == [page.find("html"), page.find("br")]
    assert page.find("ul").select(":scope > li:first-child") == [page.find("li")]
    assert page.find(id="top", class_="b") is page.find("div")
    assert page.find(href="/two").parent is page.find("p")
    assert page.find("p", class_="other") is None
    assert page.find_all("video") == []
    assert page.select_one("video") is None
    with pytest.raises(ValueError, match=re.escape('selector "p["')):
        page.select("p[")
    with pytest.raises(ValueError, match="hover"):
        page.select("p:hover")


def test_names_and_values_are_quoted_in_selectors():
    document = dom.parse("""<p title='a"]b\\'>x<p data-x=1>""")
    assert document.find("p", title='a"]b\\').text == "x"
    assert document.find("p", **{"data-x": "1"}) is document.find_all("p")[1]


def test_attributes(page):
    link = page.find("a")
    assert (link["href"], link.get("href"), link.get("x"), link.get("x", "y")) == ("/two", "/two", None, "y")
    link["href"], link["rel"] = "/three", "next"
    assert dict(link.attrs) == {"href": "/three", "rel": "next"}
    assert dom.tostring(link) == '<a href="/three" rel="next">two</a>'
    del link["href"]
    assert link.attrs == {"rel": "next"}
    for missing in (lambda: link["href"], lambda: link.__delitem__("href")):
        with pytest.raises(KeyError, match="href"):
            missing()
    with pytest.raises(TypeError):
        link.attrs["x"] = "y"  # what was read, not what is there


def test_editing(page):
    first, second = page.find_all("p")
    link = page.find("a")
    second.append(link)
    second.insert(0, "<&>")
    assert dom.tostring(second) == '<p>&lt;&amp;&gt;three<br><a href="/two">two</a></p>'
    new = dom.Node("b", {"id": "new", "class": "x y"})
    new.append("bold")
    assert link.replace_with(new) is link
    assert (link.parent, new.parent) == (None, second)
    second.insert(100, link)
    assert [it.name for it in second.children] == ["#text", "#text", "br", "b", "a"]
    first.text = "all"
    assert dom.tostring(first) == '<p class="note">all</p>'
    assert first.children[0].text == "all"
    first.children[0].text = "other"
    assert first.text == "other"
    assert first.extract() is first
    assert page.find_all("p") == [second]
    assert new.children[0].extract().parent is None


def test_what_cannot_stand_somewhere(page):
    body, div, text = page.find("body"), page.find("div"), page.find("a").children[0]
    before = dom.tostring(page)
    for parent, child in ((div, body), (div, div), (body, page), (body, dom.parse("")), (text, div)):
        with pytest.raises(ValueError, match=f"{re.escape(child.name)} cannot stand in {parent.name}"):
            parent.append(child)
    with pytest.raises(TypeError):
        div.append(3)
    with pytest.raises(ValueError, match="stands in no other"):
        page.replace_with("x")
    assert dom.tostring(page) == before


def test_each_node_is_one_object(page):
    link = page.find("a")
    link.note, seen = [link], weakref.WeakSet([link])
    del link
    gc.collect()
    assert page.select_one("a").note == [page.find("a")]
    assert set(seen) == {page.find("a")}
    assert page.find("a").parent.parent.children[0].children[1] is page.find("a")


def test_documents_are_freed():
    document = dom.parse(PAGE)
    document.find("a").note = document
    gone = weakref.ref(document), weakref.ref(document.find("a"))
    del document
    gc.collect()
    assert [it() for it in gone] == [None, None]


def test_erased_nodes_raise(page):
    div, link = page.find("div"), page.find("a")
    with pairbond.erasing("a test"):
        div.decompose()
    assert page.find("a") is None
    for use in (lambda: link["href"], lambda: div.children, lambda: page.append(link), lambda: dom.tostring(link)):
        with pytest.raises(pairbond.InvalidatedError, match="was erased, by a test"):
            use()
    assert "erased" in repr(link)
    assert pairbond.is_erased(link)


def test_a_walk_goes_on_while_the_document_is_edited(page):
    seen = []
    for node in pairbond.descendants(page):
        seen.append(node.name)
        if node.name == "div":
            node.decompose()
    assert "p" not in seen
    assert "li" in seen
    assert [it.name for it in pairbond.ancestors(page.find("li"))] == ["ul", "body", "html", "#document"]
    below = page.descendants()
    page.find("ul").decompose()
    assert [it.name for it in below if not pairbond.is_erased(it)][-2:] == ["#text", "#comment"]


def test_deep_documents():
    deep = 50_000
    document = dom.parse("<div>" * 300)  # the standard's algorithm looks at all open elements
    inner = at = dom.Node("div")
    for _ in range(deep - 1):
        outer = dom.Node("div")
        outer.append(inner)
        inner = outer
    document.find_all("div")[-1].append(inner)
    assert len(document.descendants()) == deep + 303
    assert dom.tostring(document).count("<div>") == deep + 300
    assert len(document.select("div:not(div > div)")) == 1
    document.find("div").decompose()
    with pytest.raises(pairbond.InvalidatedError):
        _ = at.name


class Model:
    """A node as plain Python."""

    def __init__(self, name, attrs=(), text=""):
        self.name, self.attrs, self.text = name, dict(attrs), text
        self.children, self.parent = [], None

    def detach(self):
        if self.parent:
            self.parent.children.remove(self)
            self.parent = None

    def put(self, place, child):
        child.detach()
        self.children.insert(place, child)
        child.parent = self

    def below(self):
        for child in self.children:
            yield child
            yield from child.below()

    def is_in(self, other):
        return self is other or (self.parent is not None and self.parent.is_in(other))

    def html(self):
        if self.name == "#text":
            return self.text
        attrs = "".join(f' {key}="{value}"' for key, value in self.attrs.items())
        return f"<{self.name}{attrs}>{''.join(it.html() for it in self.children)}</{self.name}>"


#: Selectors, and the same for models.
SELECTORS = {
    "b": lambda it: it.name == "b",
    ".x": lambda it: "x" in it.attrs.get("class", "").split(),
    "[id]": lambda it: "id" in it.attrs,
    "i > b": lambda it: it.name == "b" and it.parent.name == "i",
    "b:first-child": lambda it: it.name == "b" and elements(it.parent)[0] is it,
    "i b": lambda it: it.name == "b" and any(up.name == "i" for up in above(it)),
    "b + i": lambda it: it.name == "i" and [jt.name for jt in before(it)][-1:] == ["b"],
    "u:has(b)": lambda it: it.name == "u" and any(jt.name == "b" for jt in it.below()),
    "i:nth-of-type(2)": lambda it: it.name == "i" and [jt.name for jt in before(it)].count("i") == 1,
}


def elements(it):
    return [child for child in it.children if child.name != "#text"]


def before(it):
    return elements(it.parent)[: elements(it.parent).index(it)]


def above(it):
    while it := it.parent:
        yield it


@pytest.mark.parametrize("seed", range(20))
def test_random_edits_are_those_of_a_model(seed):
    chance = random.Random(seed)
    root, model = dom.Node("div"), Model("div")
    pairs, erased = [(root, model)], []
    happened = set()
    for _ in range(300):
        node, its = chance.choice(pairs)
        what = chance.choice(["new", "new", "text", "move", "extract", "erase", "attr", "replace"])
        happened.add(what)
        if what == "new" and its.name != "#text":
            name, key = chance.choice("biu"), chance.choice(["id", "class"])
            value, place = chance.choice(["x", "y x", "z"]), chance.randrange(len(its.children) + 1)
            pairs.append((dom.Node(name, {key: value}), Model(name, {key: value})))
            node.insert(place, pairs[-1][0])
            its.put(place, pairs[-1][1])
        elif what == "text" and its.name != "#text":
            node.append("t")
            its.put(len(its.children), Model("#text", text="t"))
            pairs.append((node.children[-1], its.children[-1]))
        elif what in ("move", "replace"):
            other, others = chance.choice(pairs)
            to, tos = (node, its) if what == "move" else (node.parent, its.parent)
            refused = tos is None or tos.is_in(others) or tos.name == "#text"
            if others is its or others is model:
                continue
            try:
                if what == "move":
                    to.append(other)
                else:
                    node.replace_with(other)
            except ValueError:
                assert refused
                happened.add("refused")
                continue
            assert not refused
            others.detach()
            place = len(tos.children) if what == "move" else tos.children.index(its)
            tos.put(place, others)
            if what == "replace":
                its.detach()
        elif what == "extract":
            node.extract()
            its.detach()
        elif what == "erase" and its.parent is not None:
            node.decompose()
            its.detach()
            gone = {id(its), *map(id, its.below())}
            erased += [pair[0] for pair in pairs if id(pair[1]) in gone]
            pairs = [pair for pair in pairs if id(pair[1]) not in gone]
        elif what == "attr":
            node["id"] = its.attrs["id"] = str(chance.randrange(9))
        top, tops = chance.choice(pairs)
        assert dom.tostring(top) == tops.html(), seed
        css, fits = chance.choice(list(SELECTORS.items()))
        of = {id(its): node for node, its in pairs}
        assert root.select(css) == [of[id(it)] for it in model.below() if it.name != "#text" and fits(it)], css
    assert {"refused", "erase", "replace", "extract"} <= happened
    assert all(pairbond.is_erased(it) for it in erased)
    of = {id(its): node for node, its in pairs}
    assert all(node.children == [of[id(child)] for child in its.children] for node, its in pairs)


def test_threads_edit_and_search_one_document():
    document = dom.parse("<div>" + "<p class=x><b>t</b></p>" * 200 + "</div>")
    div = document.find("div")
    counts, failures = {"erased": 0, "found": 0, "moved": 0, "seen erased": 0}, []
    start, lock = threading.Barrier(4), threading.Lock()

    def count(what):
        with lock:
            counts[what] += 1

    def run(seed):
        chance = random.Random(seed)
        start.wait()
        try:
            for _ in range(150):
                try:
                    found = document.select("p.x > b")
                    count("found")
                    one, other = chance.choice(found), chance.choice(document.find_all("p"))
                    if chance.random() < 0.2:
                        other.decompose()
                        count("erased")
                    elif chance.random() < 0.5:
                        div.append(other)
                        count("moved")
                    else:
                        one["id"] = str(seed)
                        div.append(dom.Node("p", {"class": "x"}))
                        div.children[-1].append(dom.Node("b"))
                except pairbond.InvalidatedError:
                    count("seen erased")
                except ValueError:
                    pass  # another thread put the node somewhere in between
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert counts["erased"]
    assert counts["found"]
    assert counts["moved"]
    below = document.descendants()
    assert len(set(map(id, below))) == len(below)
    assert all(child.parent is node for node in below for child in node.children)


def test_the_program():
    page = dom.parse("<a href=x>1</a><a href=y> 2 </a><a href=x>3</a><a>4</a>")
    assert list(links(page)) == [("x", "1"), ("y", "2")]
    assert page.find("a").seen


LEFT = """
import gc, dom

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def touch(text):
    return sum(1 for node in dom.parse(text).descendants() if node.name)

text = "<body>" + "<div class=c><p>one <a href=/two>two</a><b>three</b></div>" * {sections}
touch(text[:1000])
gc.collect()
before = resident()
nodes = touch(text)
gc.collect()
print(nodes, (resident() - before) / nodes)
"""


@pytest.mark.large
@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="needs glibc, whose allocator can be told to give memory back"
)
@pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")), reason="needs a GIL build: mimalloc keeps wrappers' memory"
)
def test_the_memory_of_a_dropped_document_goes_back_to_the_system():
    program = LEFT.format(sections=60_000)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    nodes, left = run.stdout.split()
    assert int(nodes) > 400_000
    assert float(left) < 20, run.stdout
