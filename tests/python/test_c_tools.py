"""Building libraries of C and C++ with what the package brings: headers, CMake, pkg-config, and the examples."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pairbond
import pytest
from c_libraries import ROOT, build, compiler, source_of

pytestmark = pytest.mark.large

EXAMPLES = ROOT / "examples"


def folder(option):
    """What `python -m pairbond --include` and the like print."""
    command = [sys.executable, "-m", "pairbond", f"--{option}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return Path(run.stdout.strip())


def program(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def run(*command, **options):
    done = subprocess.run([str(it) for it in command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_folders():
    assert (folder("include") / "pairbond" / "pairbond.h").is_file()
    assert (folder("include") / "pairbond" / "pairbond.hpp").is_file()
    assert (folder("cmake-dir") / "pairbondConfig.cmake").is_file()
    assert (folder("pkgconfig-dir") / "pairbond.pc").is_file()


def test_all_say_the_version_of_the_package():
    version = pairbond.__version__
    assert f'PACKAGE_VERSION "{version}"' in (folder("cmake-dir") / "pairbondConfigVersion.cmake").read_text()
    assert f"Version: {version}\n" in (folder("pkgconfig-dir") / "pairbond.pc").read_text()
    assert f'PAIRBOND_VERSION "{version}"' in (folder("include") / "pairbond" / "pairbond.h").read_text()


def test_pkg_config():
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder("pkgconfig-dir"))}
    flags = run(program("pkg-config"), "--cflags", "pairbond", env=environment)
    (include,) = re.findall(r"-I(\S+)", flags)
    assert (Path(include) / "pairbond" / "pairbond.h").is_file()


def test_cmake(tmp_path):
    compiler(".cpp")
    cmake = program("cmake")
    source = tmp_path / "source"
    source.mkdir()
    (source / "tiny.cpp").write_text(
        '#include <pairbond/pairbond.hpp>\nPB_MODULE(tiny, m) { m.def("twice", [](int x) { return 2 * x; }); }\n'
    )
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(tiny LANGUAGES CXX)\n"
        f"find_package(pairbond {pairbond.__version__} CONFIG REQUIRED)\npairbond_add_module(tiny tiny.cpp)\n"
    )
    build = tmp_path / "build"
    run(cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={folder('cmake-dir')}")
    run(cmake, "--build", build)
    assert pairbond.load(build / "tiny.abi3.so").twice(4) == 8


def test_the_guide_does_what_it_says():
    """The first example of C++ is built, and the page's Python runs with it."""
    page = ROOT / "docs" / "how-to" / "c.md"
    first = re.search(r"^```cpp\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    library = build(source_of("guide.cpp", first[1]), name="guide/graphs")
    search = os.pathsep.join([str(library.parent), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": search}
    output = run(sys.executable, Path(__file__).with_name("docs_examples.py"), page, env=environment)
    assert output == "1 examples\n"


def test_the_example_in_c_does_what_it_says():
    source = EXAMPLES / "c" / "counters.c"
    counters = pairbond.load(build(source))
    comment = source.read_text().split("*/")[0]
    text = "\n".join(line.removeprefix(" *") for line in comment.splitlines())
    examples = doctest.DocTestParser().get_doctest(text, {}, "counters", None, 0)
    assert len(examples.examples) == 4
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed == 0
    with pytest.raises(ValueError, match="a counter counts upwards"):
        counters.Counter().add(-1)


def test_the_example_in_cpp():
    """pugixml, which nobody here wrote: every sentence of the demonstration holds."""
    include = "#include <pugixml.hpp>\n"
    probe = subprocess.run([compiler(".cpp"), "-E", "-x", "c++", "-"], input=include, capture_output=True, text=True)
    if probe.returncode:
        pytest.skip("needs pugixml with headers (libpugixml-dev)")
    library = build(EXAMPLES / "xml" / "pugi.cpp", libraries=["-lpugixml"])
    picture = ROOT / "docs" / "pictures" / "graph.svg"
    output = run(sys.executable, EXAMPLES / "xml" / "demo.py", library, picture)
    assert "16 checks hold" in output, output
