"""The headers for C and C++: with other compilers and standards, without exceptions, and what must not compile."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "python" / "pairbond" / "include"


def program(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def run(*command):
    done = subprocess.run([str(it) for it in command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_c_part_needs_no_exceptions_and_is_c_for_cpp_too(tmp_path):
    source = tmp_path / "use.cpp"
    source.write_text(
        "#include <pairbond/pairbond.h>\n"
        "static bool describe(pb_module *, pb_error **) { return true; }\n"
        'PB_LIBRARY(none, "", describe)\n'
    )
    flags = ["-std=c++17", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    run(program(os.environ.get("CXX", "c++")), *flags, f"-I{INCLUDE}", source)


@pytest.mark.parametrize("name", ["clang", "gcc"])
def test_other_compilers(name):
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
    found = program(name)
    run(found, "-std=c11", *flags, ROOT / "tests" / "c" / "shapes.c")
    run(found, "-x", "c++", "-std=c++20", *flags, ROOT / "tests" / "c" / "graphs.cpp")


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ("pb::Ref<Bad> other;", "a reference that is a field is const"),
        ("pb::List<> other;", "a reference that is a field is const"),
        ("std::string other;", "this member cannot be a field"),
    ],
)
def test_members_that_would_race_do_not_compile(tmp_path, member, words):
    source = tmp_path / "bad.cpp"
    source.write_text(
        f"#include <pairbond/pairbond.hpp>\nstruct Bad {{ {member} }};\n"
        'PB_MODULE(bad, m) { pb::class_<Bad>(m, "Bad").field("other", &Bad::other); }\n'
    )
    command = [program(os.environ.get("CXX", "c++")), "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode != 0
    assert words in run.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/c.md"])
def test_examples_of_the_documentation_compile(tmp_path, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```cpp\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    for number, block in enumerate(blocks):
        source = tmp_path / f"example{number}.cpp"
        source.write_text(block)
        flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
        run(program(os.environ.get("CXX", "c++")), *flags, source)
