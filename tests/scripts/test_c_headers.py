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


SOURCES = [*sorted((ROOT / "tests" / "c").iterdir()), ROOT / "examples" / "c" / "counters.c"]


def version(compiler):
    """What a compiler says of itself, its name aside: gcc and the c++ beside it say the same."""
    line = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    return line.partition(" ")[2]


@pytest.mark.parametrize("name", ["clang", "gcc"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda it: it.name)
def test_other_compilers(name, source):
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}", source]
    found = program(name)
    if source.suffix == ".c":
        return run(found, "-std=c11", "-fno-exceptions", *flags)
    standards = ["c++20"] if source.stem == "graphs" else []
    if version(found) != version(program(os.environ.get("CXX", "c++"))):
        standards.append("c++17")
    if not standards:
        pytest.skip(f"needs another compiler than c++: the tests of tests/python compile it with {name}")
    for standard in standards:
        run(found, "-x", "c++", f"-std={standard}", *flags)


def test_everything_that_the_header_declares_is_used_by_a_test():
    """Functions, in libraries of the tests or in what they include; kinds of fields, parameters and bindings."""
    header = (INCLUDE / "pairbond" / "pairbond.h").read_text(encoding="utf-8")
    libraries = "".join(it.read_text(encoding="utf-8") for it in (ROOT / "tests" / "c").iterdir())
    wrappers = "".join(it.read_text(encoding="utf-8") for it in (INCLUDE / "pairbond" / "detail").iterdir())
    functions = set(re.findall(r"^static inline [\w \*]*?\b(pb_\w+)\(", header, flags=re.MULTILINE))
    kinds = set(re.findall(r"^\s+(PB_(?:FIELD|TYPE|REST|CLASS|STATIC|KEYWORD)\w*) = ", header, flags=re.MULTILINE))
    kinds -= {"PB_TYPE_ERROR"}
    assert len(functions) > 140
    assert len(kinds) > 20
    # Parts of the functions that read arguments and make results.
    used = f"{libraries}{wrappers}pb_word pb_makes"
    assert [it for it in sorted(functions | kinds) if not re.search(rf"\b{it}\b", used)] == []


def test_members_that_would_race_do_not_compile(tmp_path):
    members = {
        "pb::Ref<Bad0> other;": "a reference that is a field is const",
        "pb::List<> other;": "a reference that is a field is const",
        "std::string other;": "this member cannot be a field",
    }
    source = tmp_path / "bad.cpp"
    text, body = "#include <pairbond/pairbond.hpp>\n", ""
    for number, member in enumerate(members):
        text += f"struct Bad{number} {{ {member} }};\n"
        body += f'pb::class_<Bad{number}>(m, "Bad{number}").field("other", &Bad{number}::other);\n'
    source.write_text(f"{text}PB_MODULE(bad, m) {{ {body} }}\n")
    command = [program(os.environ.get("CXX", "c++")), "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode != 0
    for number, words in enumerate(members.values()):
        assert re.search(rf"Bad{number}[^$]*?{words}", run.stderr), run.stderr


@pytest.mark.parametrize(
    "use",
    [
        'pb::class_<Bad>(m, "Bad");',
        'pb::Function::of("f", [bad = Bad()](const std::vector<pb::Any> &) { return pb::Any(); });',
        "pb::Observer observer([bad = Bad()](const pb_event &) {});",
    ],
    ids=["class", "function", "observer"],
)
def test_a_destructor_that_may_throw_does_not_compile(tmp_path, use):
    source = tmp_path / "bad.cpp"
    source.write_text(
        "#include <pairbond/pairbond.hpp>\n"
        "struct Bad { ~Bad() noexcept(false) { throw 1; } };\n"
        f"PB_MODULE(bad, m) {{ {use} }}\n"
    )
    command = [program(os.environ.get("CXX", "c++")), "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode != 0
    assert "no exception can leave a destructor" in run.stderr, run.stderr


def test_without_run_time_types(tmp_path):
    """Exceptions are told apart in another way."""
    source = ROOT / "tests" / "c" / "graphs.cpp"
    flags = ["-std=c++17", "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
    run(program(os.environ.get("CXX", "c++")), *flags, source)


def test_examples_of_the_documentation_compile(tmp_path):
    """All in one file, each in a namespace of its own."""
    source = tmp_path / "examples.cpp"
    text, number = "#include <pairbond/pairbond.hpp>\n", 0
    for page in ("README.md", "docs/how-to/c.md"):
        content = (ROOT / page).read_text(encoding="utf-8")
        blocks = re.findall(r"```cpp\n(.*?)```", content, flags=re.DOTALL)
        assert blocks, page
        for block in blocks:
            number += 1
            # Modules of one name have a symbol each.
            block = re.sub(r"PB_MODULE\((\w+),", rf"PB_MODULE(\g<1>{number},", block)
            text += f'namespace example{number} {{\n#line 1 "{page}, example {number}"\n{block}}}\n'
    source.write_text(text)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
    run(program(os.environ.get("CXX", "c++")), *flags, source)
