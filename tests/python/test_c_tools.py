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
from c_libraries import INCLUDE, ROOT, compiler

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


def test_the_example_in_c_does_what_it_says(tmp_path, monkeypatch):
    library = tmp_path / "counters.abi3.so"
    source = EXAMPLES / "c" / "counters.c"
    run(
        compiler(".c"),
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        f"-I{INCLUDE}",
        source,
        "-o",
        library,
    )
    counters = pairbond.load(library)
    comment = source.read_text().split("*/")[0]
    text = "\n".join(line.removeprefix(" *") for line in comment.splitlines())
    examples = doctest.DocTestParser().get_doctest(text, {}, "counters", None, 0)
    assert len(examples.examples) == 4
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed == 0
    with pytest.raises(ValueError, match="a counter counts upwards"):
        counters.Counter().add(-1)


def test_the_c_part_needs_no_exceptions_and_is_c_for_cpp_too(tmp_path):
    source = tmp_path / "use.cpp"
    source.write_text(
        "#include <pairbond/pairbond.h>\n"
        "static bool describe(pb_module *, pb_error **) { return true; }\n"
        'PB_LIBRARY(none, "", describe)\n'
    )
    flags = ["-std=c++17", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    run(compiler(".cpp"), *flags, f"-I{INCLUDE}", source)


@pytest.mark.parametrize("name", ["clang", "gcc"])
def test_other_compilers(name):
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
    found = program(name)
    run(found, "-std=c11", *flags, ROOT / "tests" / "c" / "shapes.c")
    run(found, "-x", "c++", "-std=c++20", *flags, ROOT / "tests" / "c" / "graphs.cpp")


def test_the_example_in_cpp(tmp_path):
    """pugixml, which nobody here wrote: every sentence of the demonstration holds."""
    cxx = compiler(".cpp")
    library = tmp_path / "pugi.abi3.so"
    source = EXAMPLES / "xml" / "pugi.cpp"
    probe = subprocess.run(
        [cxx, "-E", "-x", "c++", "-"], input="#include <pugixml.hpp>\n", capture_output=True, text=True
    )
    if probe.returncode:
        pytest.skip("needs pugixml with headers (libpugixml-dev)")
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{INCLUDE}"]
    run(cxx, *flags, source, "-lpugixml", "-o", library)
    picture = ROOT / "docs" / "pictures" / "graph.svg"
    output = run(sys.executable, EXAMPLES / "xml" / "demo.py", library, picture)
    assert "16 checks hold" in output, output
