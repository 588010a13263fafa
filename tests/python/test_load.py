"""Libraries without any Python: `pairbond.load`. What is loaded stays, so each test does it in a process of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import interpreters
import pairbond
import pytest
from interpreters import check

SITE = Path(pairbond.__file__).parent.parent
LIBRARY = SITE / "libpairbond_testlib.so"
NAME = "pairbond_testext"

#: Starts a process: `path` is the library, `module` the loaded module.
LOADED = """
    import sys, gc, weakref, pairbond
    path = sys.argv[1]
    module = pairbond.load(path)
    """

#: What a binary registered by name cannot be registered again by another.
FORGET = "[pairbond.remove_function(name) for name in pairbond.function_names()]"


def loaded(code: str, *arguments: str) -> None:
    """Run code in a process that has loaded the library."""
    check(LOADED + code, str(LIBRARY), *arguments)


def refused(path: Path, *words: str, error: str = "ImportError", first: str = "") -> None:
    """Loading the file fails with these words; the process goes on and can still load the real library."""
    check(
        f"""
    import sys, pairbond
    {first}
    before = dict(sys.modules)
    try:
        pairbond.load(sys.argv[1])
    except {error} as error:
        assert type(error) is {error}, type(error)
        for word in sys.argv[3:]:
            assert word in str(error), (word, str(error))
        if isinstance(error, ImportError):
            assert error.path == sys.argv[1]
    else:
        raise AssertionError("it was loaded")
    assert dict(sys.modules) == before
    assert pairbond.load(sys.argv[2]).Package("a").name == "a"
    print("fine")
    """,
        str(path),
        str(LIBRARY),
        *words,
    )


@pytest.mark.large
def test_the_tests_of_the_extension_pass_with_the_library():
    """The same source as an extension module and as a library: the same classes and functions."""
    tests = [
        "calls",
        "classes",
        "conversions",
        "errors",
        "functions",
        "overrides",
        "redirects",
        "moves",
        "containers",
        "enums",
        "half_made",
        "records",
        "values",
    ]
    files = [str(Path(__file__).with_name(f"test_{name}.py")) for name in tests]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files]
    env = os.environ | {"PAIRBOND_LOAD": str(LIBRARY), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_conversions_are_those_of_the_extension():
    """Each with values of all kinds, called by Python and by Rust: the same result or the same error."""
    script = Path(__file__).with_name("conversions_table.py")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    tables = []
    for more in ({}, {"PAIRBOND_LOAD": str(LIBRARY)}):
        done = subprocess.run([sys.executable, script], env=env | more, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        tables.append(json.loads(done.stdout))
    extension, library = tables
    assert list(extension) == list(library)
    assert len(extension) > 150
    different = [
        (name, i, one, other)
        for name in extension
        for i, (one, other) in enumerate(zip(extension[name], library[name], strict=True))
        if one != other
    ]
    assert not different, different[:20]


def test_a_module_with_real_classes():
    loaded("""
    import inspect, pydoc, sys, types
    assert isinstance(module, types.ModuleType) and module.__name__ == "pairbond_testext"
    assert module.__doc__ == "Everything that the tests need." and module.__file__ == path
    assert sys.modules["pairbond_testext"] is module
    import pairbond_testext
    assert pairbond_testext is module and "Package" in module.__all__ and "Package" in dir(module)
    Package = module.Package
    assert isinstance(Package, type) and Package.__module__ == module.__name__
    p = Package("serde")
    assert type(p) is Package and isinstance(p, pairbond.Object)
    assert issubclass(module.Square, module.Shape)
    p.anything = 3
    seen = weakref.ref(p)
    assert seen() is p and vars(p) == {"anything": 3}
    assert isinstance(module.add3, types.BuiltinFunctionType) and module.add3.__module__ == module.__name__
    assert isinstance(module.Shape.area, types.MethodDescriptorType)
    assert isinstance(module.Vector.x, types.GetSetDescriptorType)
    assert str(inspect.signature(module.greet)) == "(name, greeting='Hello')"
    assert str(inspect.signature(module.Vector)) == "(x, y)"
    assert str(inspect.signature(module.Shape.area)) == "(self, /, factor)", inspect.signature(module.Shape.area)
    assert "Its area." in pydoc.render_doc(module.Shape) and "greet" in pydoc.render_doc(module)
    assert module.Vector.__match_args__ == ("x", "y")
    print("fine")
    """)


def test_stubs_say_what_those_of_the_extension_say():
    def stubs(module):
        command = [sys.executable, "-m", "pairbond", "stubs", str(module)]
        env = os.environ | {"PYTHONPATH": str(SITE)}
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)

    library, extension = stubs(LIBRARY), stubs(NAME)
    assert library.returncode == 0, library.stderr
    # Comparisons and operators that nobody wrote come with the slots of an extension's classes.
    ours, theirs = library.stdout.splitlines(), extension.stdout.splitlines()
    assert set(ours) <= set(theirs)
    assert all(line in ours or "__" in line for line in theirs)
    assert "class Package(pairbond.Object):" in ours
    missing = stubs(SITE / "missing.so")
    assert missing.returncode == 2
    assert "missing.so" in missing.stderr


def test_subclasses_and_overriding():
    loaded("""
    class Big(module.Shape):
        def __init__(self, name):
            super().__init__(3.0)
            self.name = name
        def area(self, factor):
            return super().area(factor) + 100
    big = Big("b")
    assert big.size == 3 and big.name == "b" and big.twice() == 206
    assert module.area_elsewhere(big, 1) == 103.0
    module.keep_shape(big)
    del big
    gc.collect()
    assert module.kept_area() == 103.0
    try:
        module.Shape.__init__(module.Square.__new__(module.Square), 1.0)
    except TypeError as error:
        assert "cannot make a pairbond_testext.Square" in str(error), error
    else:
        raise AssertionError
    shape = module.Shape(2)
    try:
        shape.__init__(3)
    except TypeError as error:
        assert "already" in str(error), error
    else:
        raise AssertionError
    assert shape.size == 2
    print("fine")
    """)


def test_the_same_file_is_the_same_module(tmp_path):
    link = tmp_path / "other_name.so"
    link.symlink_to(LIBRARY)
    loaded(
        """
    import os, pathlib
    assert pairbond.load(path) is module
    assert pairbond.load(pathlib.Path(path)) is module
    assert pairbond.load(os.path.relpath(path)) is module
    assert pairbond.load(sys.argv[2]) is module
    del sys.modules["pairbond_testext"]
    assert pairbond.load(path) is module and sys.modules["pairbond_testext"] is module
    print("fine")
    """,
        str(link),
    )


def test_another_module_of_that_name_stays(tmp_path):
    copy = tmp_path / "copy.so"
    copy.write_bytes(LIBRARY.read_bytes())
    check(
        """
    import sys, pairbond
    first = pairbond.load(sys.argv[1])
    FORGET
    try:
        pairbond.load(sys.argv[2])
    except ImportError as error:
        for word in ("another module of that name", sys.argv[1], "start a new process"):
            assert word in str(error), error
        assert error.name == "pairbond_testext" and error.path == sys.argv[2]
    else:
        raise AssertionError
    assert sys.modules["pairbond_testext"] is first
    print("fine")
    """.replace("FORGET", FORGET),
        str(LIBRARY),
        str(copy),
    )


def test_a_library_and_an_extension_share_their_types():
    """The extension was imported first: its classes are the ones of the types, whoever loads the library then."""
    loaded_after = """
    import sys, pairbond, pairbond_testext as extension
    del sys.modules["pairbond_testext"]
    FORGET
    module = pairbond.load(sys.argv[1])
    assert module is not extension and module.Package is extension.Package
    assert isinstance(module.package("a"), extension.Package)
    shape = extension.Shape(2.0)
    assert module.area_of(shape, 2.0) == 4.0 == extension.area_of(module.Shape(2.0), 2.0)
    print("fine")
    """
    check(loaded_after.replace("FORGET", FORGET), str(LIBRARY))


def test_what_is_no_file(tmp_path):
    refused(tmp_path / "missing.so", "No such file", str(tmp_path / "missing.so"), error="FileNotFoundError")
    refused(tmp_path, "directory", error="IsADirectoryError")
    # Opening a pipe waits for a writer.
    os.mkfifo(tmp_path / "pipe.so")
    refused(tmp_path / "pipe.so", "no regular file", error="OSError")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "is empty"),
        (b"import shapes\n", "is a text file"),
        (bytes(range(256)) * 9, "is not a shared library"),
        (b"!<arch>\n" + bytes(99), "is an archive"),
        (b"MZ" + bytes(99), "for Windows"),
        (b"\x7fELF", "is not whole"),
    ],
)
def test_what_is_no_library(tmp_path, content, word):
    path = tmp_path / "libwrong.so"
    path.write_bytes(content)
    refused(path, word, str(path))


def patched(tmp_path, name, change):
    content = bytearray(LIBRARY.read_bytes())
    change(content)
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_libraries_that_are_cut_off(tmp_path):
    whole = LIBRARY.read_bytes()
    path = tmp_path / "cut.so"
    for part in (40, 64, 500, len(whole) // 4, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:part])
        refused(path, "is not whole")


def test_another_machine_or_kind_of_file(tmp_path):
    refused(patched(tmp_path, "a.so", lambda it: it.__setitem__(18, 40)), "another kind of machine")
    refused(patched(tmp_path, "b.so", lambda it: it.__setitem__(4, 1)), "another kind of machine")
    refused(patched(tmp_path, "c.so", lambda it: it.__setitem__(16, 1)), "is an object file")
    refused(patched(tmp_path, "d.so", lambda it: it.__setitem__(16, 2)), "is a program")


def test_another_version_of_the_binary_interface(tmp_path):
    # The magic, then the head of the table: its size, the interface's version, and further on the shape of values.
    table = re.compile(rb"pairbond..\x00\x00\x01\x00\x00\x00", re.DOTALL)

    def change(offset, value):
        def patch(content):
            (found,) = table.finditer(content)
            content[found.start() + offset] = value

        return patch

    version = pairbond.__version__
    built = f"was built with pairbond {version}"
    upgrade = f"pip install --upgrade 'pairbond>={version}'"
    refused(patched(tmp_path, "libnewer.so", change(12, 7)), built, upgrade)
    refused(patched(tmp_path, "libolder.so", change(12, 0)), built, f"pip install 'pairbond=={version}'")
    refused(patched(tmp_path, "libsmall.so", change(8, 8)), built, "install a newer version of it")
    refused(patched(tmp_path, "libshape.so", change(48, 0)), built, "laid out otherwise")
    refused(patched(tmp_path, "libother.so", change(0, 0)), "is something else")


def test_a_shared_library_that_is_none_of_ours():
    with open("/proc/self/maps") as maps:
        libc = next(line.split()[-1] for line in maps if "libc.so" in line or "libc-" in line)
    refused(Path(libc), "is no pairbond library", "crate-type", "with the feature `plugin` and without `python`")


def test_an_extension_module():
    extension = next(SITE.glob("pairbond_testext*.so"))
    refused(extension, "is a Python extension module", "import pairbond_testext")


def test_a_type_of_another_layout(tmp_path):
    """Nothing of the library is seen, and what was there before goes on."""
    name = b"dependencies"
    source = LIBRARY.read_bytes()
    assert name in source
    other = tmp_path / "libother.so"
    other.write_bytes(source.replace(name, b"dependenciez"))
    check(
        """
    import sys, pairbond
    module = pairbond.load(sys.argv[1])
    FORGET
    try:
        pairbond.load(sys.argv[2])
    except ImportError as error:
        assert "already registered with another layout" in str(error) and "dependenciez" in str(error), error
    else:
        raise AssertionError
    assert sys.modules["pairbond_testext"] is module and module.Package("a").name == "a"
    print("fine")
    """.replace("FORGET", FORGET),
        str(LIBRARY),
        str(other),
    )


def test_wrong_arguments():
    for wrong in (None, 3, 1.5, object()):
        with pytest.raises(TypeError):
            pairbond.load(wrong)
    with pytest.raises(ValueError, match="null"):
        pairbond.load("a\0b")
    with pytest.raises(TypeError):
        pairbond._pairbond._open_library(None)
    assert [pairbond._pairbond._library_number(other) for other in (None, 3, sys, pairbond, json)] == [None] * 5
    for wrong in ((), (None,), (None, None), (1, sys)):
        with pytest.raises((TypeError, ValueError)):
            pairbond._pairbond._library_members(*wrong)


def test_cycles_through_loaded_classes_are_collected():
    loaded("""
    class Mine(module.Package):
        pass
    dead = []
    for kind in (module.Package, Mine):
        a, b = kind("a"), kind("b")
        a.other, b.other = b, a
        a.notes = [b]
        dead += [weakref.ref(a), weakref.ref(b)]
        lock = module.lock()
        a.lock = lock
        dead.append(weakref.ref(lock))
        del a, b, lock
    gc.collect()
    assert [it() for it in dead] == [None] * len(dead)
    assert pairbond.live_objects().get("pairbond_testext.Package", 0) == 0
    print("fine")
    """)


def test_objects_outlive_the_module():
    loaded("""
    shape = module.Shape(4.0)
    module.keep_shape(module.Shape(5.0))
    del sys.modules["pairbond_testext"]
    area = module.kept_area
    del module
    pairbond._load._MODULES.clear()
    gc.collect()
    assert shape.twice() == 8.0 and area() == 5.0
    again = pairbond.load(path)
    assert type(shape) is again.Shape
    print("fine")
    """)


def test_threads_load_at_once():
    check(
        """
    import sys, threading, pairbond
    barrier, found = threading.Barrier(8), []
    def load():
        barrier.wait()
        module = pairbond.load(sys.argv[1])
        found.append((module, module.Package, module.Package("a").name))
    threads = [threading.Thread(target=load) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 8 and len(set(found)) == 1
    print("fine")
    """,
        str(LIBRARY),
    )


@pytest.mark.parametrize("kind", interpreters.KINDS)
def test_each_interpreter_has_its_own_classes(kind):
    loaded(
        """
    from interpreters import Interpreter
    kind = sys.argv[2]
    for _ in range(2):
        with Interpreter(kind) as other:
            other.run(f'''
                import sys
                sys.path[:] = {sys.path!r}
                import pairbond
                module = pairbond.load({path!r})
                assert module is pairbond.load({path!r})
                assert id(module.Package) != {id(module.Package)}
                assert module.Package("a").name == "a" and module.Shape(2.0).twice() == 4.0
                class Mine(module.Shape):
                    def area(self, factor):
                        return 7.0
                assert Mine().twice() == 14.0
                try:
                    module.panic('no')
                except pairbond.PanicError:
                    pass
            ''')
    assert module.Shape(2.0).twice() == 4.0
    print("fine")
    """,
        kind,
    )


def test_a_panic_in_a_library_is_an_exception():
    loaded("""
    for function in (lambda: module.panic('no'), module.panic_in_detached):
        try:
            function()
        except pairbond.PanicError as error:
            assert "Rust panicked at" in str(error), error
        else:
            raise AssertionError
    try:
        module.unwind("no room")
    except MemoryError as error:
        assert str(error) == "no room"
    else:
        raise AssertionError
    assert module.add3(1, 2, 3) == 6
    print("fine")
    """)


def test_the_end_of_a_process_with_a_loaded_library():
    """Kept objects, subclasses and a thread that runs the library's code."""
    loaded("""
    import threading
    class Mine(module.Shape):
        def area(self, factor):
            return 1.0
    module.keep_shape(Mine(1.0))
    threading.Thread(target=module.sleep, args=(10.0, None), daemon=True).start()
    print("fine")
    """)


def test_iteration_and_classes_of_python_that_change_it():
    loaded(
        """
    class Inherits(module.Countdown):
        pass

    class Overrides(module.Countdown):
        def __next__(self):
            return super().__next__() * 10

    assert list(module.Countdown(3)) == list(Inherits(3)) == [3, 2, 1]
    assert list(Overrides(3)) == [30, 20, 10]
    counting = module.Countdown(1)
    assert next(counting) == 1 and next(counting, "over") == "over"
    for ended in (counting.__next__, lambda: module.Countdown.__next__(counting), lambda: next(counting)):
        try:
            ended()
        except StopIteration:
            pass
        else:
            raise AssertionError("it goes on")
    for failing in (module.Countdown(-1), Inherits(-1)):
        try:
            list(failing)
        except ValueError as error:
            assert str(error) == "below zero"
        else:
            raise AssertionError("it does not fail")
    native = module.Countdown.__next__
    left = iter([8, 9])
    module.Countdown.__next__ = lambda self: next(left)
    assert list(module.Countdown(1)) == [8, 9]
    module.Countdown.__next__ = native
    assert list(module.Countdown(2)) == list(Inherits(2)) == [2, 1]
    print("fine")
    """
    )
