"""Small extension modules, built in many ways, imported into one process in every order: shared, or refused at import.

`scripts/test_abi.py` runs this; by hand: `scripts/py scripts/test_abi.py -k alike`. What is promised is in docs/abi.md.

A *build* is a folder with one extension module, built from the crates beside this file. Each test imports some of
them in a process of its own, because what is registered stays. `NEXT` is made by the release after this one:
`--cfg pairbond_next_abi` gives its tables one entry more.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = Path(os.environ.get("PAIRBOND_ABI_TARGET") or ROOT / "target" / "abi")
CARGO = os.environ.get("CARGO", "cargo")
SUFFIX = f"cp{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"


@dataclass(frozen=True)
class Build:
    """How a crate of this folder is built."""

    name: str
    package: str
    profile: str = "dev"
    features: tuple[str, ...] = ()
    defaults: bool = True
    next_release: bool = False
    workspace: Path = HERE

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        return f"{self.name}.{self.stem}"

    @property
    def stem(self) -> str:
        return {"abi-native": "_pairbond"}.get(self.package, self.package.removeprefix("abi-"))


NATIVE, NATIVE_NEXT = Build("native", "abi-native"), Build("native_next", "abi-native", next_release=True)
DEBUG = Build("debug", "abi-ext")
RELEASE = Build("release", "abi-ext", profile="release")
SMALL = Build("small", "abi-ext", profile="small")
UNRELATED = Build("unrelated", "abi-ext", features=("unrelated-2",), defaults=False)
MORE = Build("more", "abi-ext", features=("more",))
NEXT = Build("next", "abi-ext", next_release=True)
SWAPPED = Build("swapped", "abi-ext", features=("swapped",))
FIRST = Build("first", "abi-v1")


def foreign(feature: str) -> Build:
    return Build(f"foreign_{feature}", "abi-foreign", features=(feature,))


@cache
def built(build: Build) -> Path:
    """Build it, and put the module into a folder of the build's name: the folder to put on sys.path."""
    target = TARGET / SUFFIX / ("next" if build.next_release else "this")
    command = [CARGO, "build", "--quiet", "--lib", f"--package={build.package}", f"--profile={build.profile}"]
    command += [f"--target-dir={target}", "--message-format=json-render-diagnostics"]
    command += [f"--features={','.join(build.features)}"] if build.features else []
    command += [] if build.defaults else ["--no-default-features"]
    env = {key: value for key, value in os.environ.items() if key not in ("PYO3_CONFIG_FILE", "PYO3_NO_PYTHON")}
    env |= {"PYO3_PYTHON": sys.executable, "PYO3_BUILD_EXTENSION_MODULE": "1", "CARGO_INCREMENTAL": "0"}
    if build.next_release:
        env["RUSTFLAGS"] = (env.get("RUSTFLAGS", "") + " --cfg pairbond_next_abi").strip()
    done = subprocess.run(command, cwd=build.workspace, env=env, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    artifacts = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    files = [
        name
        for artifact in artifacts
        if artifact["reason"] == "compiler-artifact" and "cdylib" in artifact["target"]["kind"]
        for name in artifact["filenames"]
        if artifact["target"]["name"] == build.stem and not name.endswith((".rlib", ".pdb", ".dll.lib"))
    ]
    site = TARGET / SUFFIX / "sites" / build.name
    package = site / ("pairbond" if build.stem == "_pairbond" else build.name)
    shutil.rmtree(site, ignore_errors=True)
    if build.stem == "_pairbond":
        shutil.copytree(
            ROOT / "python" / "pairbond", package, ignore=shutil.ignore_patterns("__pycache__", "_pairbond*.so")
        )
    else:
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
    shutil.copy2(files[0], package / f"{build.stem}.so")
    return site


def run(code: str, *builds: Build, native: Build | None = NATIVE, status: int = 0) -> str:
    """Run code in a process that can import the builds; its output."""
    sites = [built(build) for build in ((native,) if native else ()) + builds]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sites)), "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr[-4000:])
    return done.stdout


def imports(*builds: Build) -> str:
    """Lines that import the modules in this order, as `modules`."""
    lines = [f"import {build.module}" for build in builds]
    return "\n".join([*lines, f"modules = [{', '.join(build.module for build in builds)}]"]) + "\n"


def refused(*builds: Build, native: Build = NATIVE, words: tuple[str, ...]) -> str:
    """The last of the builds cannot be imported, in words that have these; the others go on. The words."""
    *others, last = builds
    return run(
        imports(*others)
        + textwrap.dedent(f"""
        try:
            import {last.module}
        except ImportError as error:
            assert type(error) is ImportError, type(error)
            text = str(error)
            for word in {words!r}:
                assert word in text, (word, text)
        else:
            raise AssertionError("it was imported")
        import sys, gc
        assert {last.module!r} not in sys.modules
        for module in modules:
            if hasattr(module, "make_opaque"):
                assert module.look_at_opaque(module.make_opaque("still")) == "42 still"
        gc.collect()
        print(text)
        """),
        *builds,
        native=native,
    )


#: Every type of abi-shapes, made by each module and read by each.
SHARED = """
import gc, itertools, pairbond
for a, b in itertools.product(modules, repeat=2):
    known, other = a.make_known("one"), b.make_known("two")
    assert type(known) is type(other) is a.Known is b.Known
    a.set_next(known, other)
    first, second = a.look_at_known(known), b.look_at_known(known)
    assert "[1, 2, 3, 4]" in first and "[1, 2, 3, 4, 5]" in second and second.endswith(" 2"), (first, second)
    assert "two" in second and "label of one" in second and "(7, Some(0.5))" in second
    shape = a.make_shape(2.5)
    assert b.look_at_shape(shape) == "circle 2.5" and b.look_at_shape(a.Shape.Named("n")) == "n"
    assert isinstance(shape, b.Shape.Circle) and a.Color is b.Color
    assert b.other_color(a.Color.Red) is a.Color.Green and a.other_color(b.Color.Green) is a.Color.Red
    derived = a.make_derived(5)
    assert isinstance(derived, b.Base) and type(derived) is b.Derived
    assert b.look_at_base(derived) == 6 and a.look_at_base(derived) == 7 and b.look_at_derived(derived) == "7 derived"
    list, map = pairbond.List(), a.new_map()
    assert a.fill(list, map) and b.fill(list, map) and sum(list) == 380 and len(map) == 20
    def complain(text):
        raise ValueError(text)
    for module in (a, b):
        try:
            module.fail(complain)
        except ValueError as error:
            assert "longer than a word" in str(error)
        else:
            raise AssertionError
    del known, other, shape, derived, list, map
gc.collect()
"""

OPAQUE = """
for a, b in itertools.product(modules, repeat=2):
    opaque = a.make_opaque("some text")
    assert type(opaque) is b.Opaque and b.look_at_opaque(opaque) == "42 some text"
print("fine")
"""

SAME = [DEBUG, RELEASE, SMALL, UNRELATED, MORE]


def names(pair) -> str:
    return "-".join(build.name for build in pair)


@pytest.mark.parametrize("pair", [*itertools.permutations(SAME, 2)], ids=names)
def test_builds_of_one_source_share_everything(pair):
    """Debug, release, small, other versions and features of an unrelated crate; both import orders."""
    assert run(imports(*pair) + SHARED + OPAQUE, *pair) == "fine\n"


def test_all_builds_of_one_source_at_once():
    assert run(imports(*SAME) + SHARED + OPAQUE, *SAME) == "fine\n"


def test_two_crates_that_look_alike():
    """Safe code that read the other crate's `Box<Inner>` as its own: a segmentation fault."""
    other = foreign("opaque")
    words = ('"shapes.Opaque"', "`inner: Box<Inner>`", "abi-shapes 0.1.0", "abi-foreign 0.2.0", "another key")
    refused(DEBUG, other, words=words)
    refused(other, DEBUG, words=words)


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ("field", ('"shapes.Known"', "`name: String`", "`number: u64`")),
        ("enumeration", ('"shapes.Color"', "`Red: a variant`", "`Green: a variant`")),
        ("variants", ('"shapes.Shape"', "`Circle: (radius: f64)`", "`Circle: (radius: u64)`")),
        ("base", ('"shapes.Base"', "`id: Cell<u64>`", "`id: Cell<i64>`")),
        ("cell", ('"shapes.Base"', "`id: Cell<u64>`", "`id: Cell<Held>`")),
        ("container", ('"shapes.Known"', "`sizes: Cell<Vec<u64>>`", "`sizes: Cell<Vec<i64>>`")),
        ("object", ('"shapes.Opaque"', "`inner: Box<Inner>`", "`inner: Box<dyn Speak>`")),
    ],
)
def test_other_ways_in_which_types_differ(feature, words):
    both = ("abi-shapes 0.1.0", "abi-foreign 0.2.0")
    refused(DEBUG, foreign(feature), words=words + both)
    refused(foreign(feature), DEBUG, words=words + both)


def test_what_is_the_same_in_two_crates_is_shared():
    other = foreign("same")
    for order in ([DEBUG, other], [other, DEBUG]):
        run(imports(*order) + f"assert {DEBUG.module}.Base is {other.module}.Base", *order)


def test_types_of_signatures_are_refused_at_import():
    """A type that only a parameter mentions: a PanicError at the first call, once."""
    words = ('"shapes.Opaque"', "abi-shapes 0.1.0", "abi-foreign 0.2.0")
    refused(DEBUG, foreign("signature"), words=words)
    refused(foreign("signature"), DEBUG, words=words)


def test_features_of_the_crate_that_defines_a_type():
    """The same crate and version with a feature that changes what only the compiler knows."""
    words = ('"shapes.Opaque"', "`inner: Box<Inner>`", "abi-shapes 0.1.0", "different features")
    refused(DEBUG, SWAPPED, words=words)
    refused(SWAPPED, DEBUG, words=words)


def test_sources_that_changed_without_a_version(tmp_path_factory):
    """A module that was built before the crate was edited, beside one that was built after."""
    edited = TARGET / SUFFIX / "edited"
    shutil.rmtree(edited, ignore_errors=True)
    shutil.copytree(HERE, edited, ignore=shutil.ignore_patterns("__pycache__"))
    for manifest in edited.rglob("Cargo.toml"):
        text = manifest.read_text()
        manifest.write_text(
            text.replace('"../../../crates/', f'"{ROOT}/crates/').replace('"../../crates/', f'"{ROOT}/crates/')
        )
    source = edited / "shapes" / "src" / "lib.rs"
    text = source.read_text()
    changed = text.replace(
        "    pub number: u64,\n    pub text: String,\n}", "    pub text: String,\n    pub number: u64,\n}", 1
    )
    assert changed != text
    source.write_text(changed)
    other = Build("edited", "abi-ext", workspace=edited)
    words = ('"shapes.Opaque"', "`inner: Box<Inner>`", "different sources")
    try:
        refused(DEBUG, other, words=words)
        refused(other, DEBUG, words=words)
    finally:
        # Cargo names a crate by its folder within the workspace, so the copy's artifacts replaced
        # the original's. A newer source makes the next run rebuild them.
        (HERE / "shapes" / "src" / "lib.rs").touch()


def test_libraries_are_guarded_by_the_same_checks():
    """`pairbond.load` refuses what an import refuses, and the process goes on."""
    opaque = Build("library_opaque", "abi-foreign", features=("plugin", "opaque"), defaults=False)
    same = Build("library_same", "abi-foreign", features=("plugin", "same"), defaults=False)
    next_one = Build("library_next", "abi-foreign", features=("plugin", "same"), defaults=False, next_release=True)
    code = f"""
    import pairbond
    def path(name):
        import importlib
        return importlib.import_module(name).__path__[0] + "/foreign.so"
    def refused(name, *words):
        try:
            pairbond.load(path(name))
        except ImportError as error:
            assert type(error) is ImportError
            for word in words:
                assert word in str(error), (word, str(error))
        else:
            raise AssertionError("it was loaded")
    refused({opaque.name!r}, '"shapes.Opaque"', "`inner: Box<Inner>`", "abi-shapes 0.1.0", "abi-foreign 0.2.0")
    upgrade = "pip install --upgrade 'pairbond>=0.99.0'"
    refused({next_one.name!r}, "was built with pairbond 0.99.0", "pairbond 0.1.0", upgrade)
    assert pairbond.load(path({same.name!r})).Base is {DEBUG.module}.Base
    """
    run(imports(DEBUG) + SHARED + textwrap.dedent(code), DEBUG, opaque, same, next_one)
    older = f"import pairbond, {same.name} as it\nmodule = pairbond.load(it.__path__[0] + '/foreign.so')\n"
    older += f"assert module.Base is {DEBUG.module}.Base"
    run(imports(DEBUG) + older, DEBUG, same, native=NATIVE_NEXT)


def test_an_older_extension_with_a_newer_pairbond():
    assert run(imports(DEBUG, RELEASE) + SHARED + OPAQUE, DEBUG, RELEASE, native=NATIVE_NEXT) == "fine\n"


def test_a_newer_extension_with_an_older_pairbond():
    """It calls a function that the runtime in the process does not have: a crash on import, once."""
    words = ("ext was built with pairbond 0.99.0", "pairbond 0.1.0", "pip install --upgrade 'pairbond>=0.99.0'")
    refused(NEXT, words=words)
    refused(DEBUG, NEXT, words=words)
    # What was there before goes on, and what comes after.
    code = imports(DEBUG) + f"try:\n    import {NEXT.module}\nexcept ImportError:\n    pass\n" + imports(DEBUG, RELEASE)
    assert run(code + SHARED + OPAQUE, DEBUG, NEXT, RELEASE) == "fine\n"


def test_both_with_the_newer_pairbond():
    for order in ([DEBUG, NEXT], [NEXT, DEBUG]):
        code = imports(*order) + SHARED + f"assert {NEXT.module}.next() == 4711 and {DEBUG.module}.next() == 0"
        run(code, *order, native=NATIVE_NEXT)


#: An object of the first version of the interface, made and read by both.
OLD_AND_NEW = """
import gc
old, new = first.v1, {newest}
a, b = old.make(7), new.make_v1(8)
assert type(a) is type(b) is new.V1
assert (old.read(a), old.read(b), new.look_at_v1(a), new.look_at_v1(b)) == (7, 8, 7, 8)
a.attribute = b
assert old.count() == (2, 2)
del a, b
gc.collect()
assert old.count() == (0, 0), old.count()
for first_size, size in old.sizes():
    assert first_size <= size, old.sizes()
print("fine")
"""


@pytest.mark.parametrize("native", [NATIVE, NATIVE_NEXT], ids=lambda native: native.name)
def test_the_first_version_beside_the_newest(native):
    """abi-v1 is written against the declarations of version 1, and has nothing else of pairbond."""
    newest = [DEBUG, RELEASE] + ([NEXT] if native is NATIVE_NEXT else [])
    for new in newest:
        for order in ([FIRST, new], [new, FIRST]):
            code = imports(*order) + OLD_AND_NEW.format(newest=new.module)
            assert run(code, *order, native=native) == "fine\n"


def test_the_first_version_alone():
    """Its objects have the class that is there: pairbond.Object."""
    code = """
    import pairbond
    x = first.v1.make(3)
    assert type(x) is pairbond.Object and first.v1.read(x) == 3
    """
    run(imports(FIRST) + textwrap.dedent(code), FIRST)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc is known to give blocks again at once")
def test_an_allocator_of_its_own():
    """Memory that is shared would be given back to another allocator than it came from."""
    own, counting = Build("own", "abi-heap"), Build("counting", "abi-heap", features=("counting",))
    refused(DEBUG, own, words=("heap has an allocator of its own", "#[global_allocator]"))
    # One that passes everything on is none.
    run(imports(counting, DEBUG) + "import pairbond\nassert counting.heap.fill(pairbond.List()) == 20", counting, DEBUG)


def test_pairbond_is_not_installed():
    out = run(
        f"""
        try:
            import {DEBUG.module}
        except ModuleNotFoundError as error:
            assert type(error) is ModuleNotFoundError and error.name == "pairbond", (type(error), error.name)
            assert isinstance(error.__cause__, ModuleNotFoundError)
            print(error)
        """,
        DEBUG,
        native=None,
    )
    assert out == "ext needs pairbond, which is not installed: pip install 'pairbond>=0.1.0'\n"


def test_what_importing_pairbond_raises_is_what_is_raised(tmp_path):
    package = tmp_path / "pairbond"
    package.mkdir()
    (package / "__init__.py").write_text("raise LookupError('a broken installation')")
    code = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        try:
            import {DEBUG.module}
        except LookupError as error:
            print(error)
        """
    assert run(code, DEBUG, native=None) == "a broken installation\n"
