"""What one Python self for each node of a library of C++ means: pugixml's documents, walked, edited and dropped.

demo.py LIBRARY FILE...    the library that was built from pugi.cpp, and files of XML
"""

import gc
import sys
import weakref

import pairbond

pugi = pairbond.load(sys.argv[1])
CHECKS = 0


def check(what: str, holds: bool) -> None:
    """Print a sentence that holds; end where one does not."""
    global CHECKS
    if not holds:
        sys.exit(f"  NOT SO: {what}")
    CHECKS += 1
    print(f"  {what}")


def raises(error: type[BaseException], act) -> bool:
    """Whether something raises an exception of a class, and not another."""
    try:
        act()
    except error as caught:
        print(f"    {type(caught).__name__}: {caught}")
        return True
    return False


def walk(node):
    """A node and all below it."""
    yield node
    for child in node:
        yield from walk(child)


def explore(path: str) -> None:
    document = pugi.load(path)
    nodes = list(walk(document.root))
    print(f"\n{path}: {len(nodes)} nodes")
    check("a second walk finds the same objects", all(a is b for a, b in zip(nodes, walk(document.root), strict=True)))
    check("an XPath as well", document.root.select("//*")[0] is document.root)
    first = next(node for node in nodes if node.name)
    child = next(iter(first))
    child.note = "seen"
    address, reference = id(child), weakref.ref(child)
    del nodes, first, child
    gc.collect()
    child = next(iter(document.root))
    check("a node keeps its attributes while Python does not", child.note == "seen" and id(child) == address)
    check("and its weak references", reference() is child)

    gone = weakref.ref(document)
    del document
    gc.collect()
    check("a document that is dropped under a held child stays", child.parent.document is gone())

    added = child.parent.append("added")
    added["by"] = "the demonstration"
    check("what is added is found", child.parent.select("added[@by]") == [added])
    child.document.remove(added)
    check("what was removed raises", added.is_removed and raises(pairbond.InvalidatedError, lambda it=added: it.name))
    check("and is shown as such", repr(added) == "<a node that was removed>")

    # A cycle through both heaps: the document, a node, the node's dict, a function, and back.
    child.back = child.document.walk = lambda node=child: node.document
    del child, added
    gc.collect()
    check("a cycle through C++ and Python is collected", gone() is None and not pairbond.live_objects())


def misuse() -> None:
    print("\nmisuse")
    document = pugi.Document("<a><b/></a>")
    check("a text that is no XML", raises(ValueError, lambda: pugi.Document("<a>")))
    check("a path that is no XPath", raises(ValueError, lambda: document.root.select("//[")))
    check("a name that is no attribute's", raises(KeyError, lambda: document.root["nothing"]))
    check("an argument of another type", raises(TypeError, lambda: document.remove(3)))
    check("a method of another class's objects", raises(TypeError, lambda: pugi.Node.select(document, "b")))
    check("an object that only the library makes", raises(TypeError, lambda: pugi.Node()))
    check("an attribute that cannot be set", raises(AttributeError, lambda: setattr(document.root, "parent", None)))


for file in sys.argv[2:]:
    explore(file)
misuse()
print(f"\n{CHECKS} checks hold")
