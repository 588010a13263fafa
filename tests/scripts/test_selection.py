"""Which parts and interpreters a command line of `make test` chooses, and what it says that it leaves out."""

import pytest
import pythons
import selection
import suites


def interpreter(name, free_threaded=False, debug=False):
    version = (3, int(name.strip("td").split(".")[1]), 0)
    return pythons.Interpreter(name, f"/{name}/bin/python3", version, free_threaded, debug, f"/{name}", ".so")


DEFAULT = interpreter("3.11")
FOUND = [
    DEFAULT,
    interpreter("3.12"),
    interpreter("3.14t", free_threaded=True),
    interpreter("3.14d", debug=True),
]


def select(*arguments, found=FOUND):
    return selection.select(selection.parser("").parse_args(arguments), found, DEFAULT)


def jobs(*arguments, found=FOUND):
    return [str(job) for job in select(*arguments, found=found).jobs]


def made(*arguments):
    """The parts on interpreters; others look for what is installed."""
    jobs = [job for job in select(*arguments).jobs if job.interpreters]
    return [suites.part(one, DEFAULT, "") for job in jobs for one in job.apart()]


def test_make_test_runs_on_one_interpreter_and_names_the_rest():
    assert jobs() == ["core-free", "architecture", "rust", "python@3.11", "types", "scripts", "doc"]
    assert dict(select().left_out) == {
        "rust-large": "make test-all",
        "large@3.11": "make test-all",
        "python@3.14t,3.14d,3.12": "make test-all",
        "release@3.11": "make test-dist",
        "abi@3.11": "make test-dist",
        "pyo3@3.11,3.12,3.14t,3.14d": "make test-dist",
        "embedding@3.11,3.12,3.14t,3.14d": "make test-all",
        "packages@3.11": "make test-dist",
        "platforms": "make test-dist",
        "processes": "make test-dist",
        "docs": "make test-all",
        "candle": "make test-dist",
        "loom": "make test-all",
    }


def test_all_is_what_make_test_runs_and_the_rest():
    everywhere = {"python@3.11": "python@3.11,3.14t,3.14d,3.12"}
    assert jobs("--all") == [*(everywhere.get(name, name) for name in jobs()), "rust-large", *jobs("--rest")[3:]]
    assert jobs("--rest") == [name for name, why in select().left_out if why == "make test-all"]
    assert jobs("--dist") == [name for name, why in select().left_out if why == "make test-dist"]
    assert (
        jobs("--dist")
        == [name for name, _ in select("--all").left_out]
        == [name for name, _ in select("--rest").left_out]
    )
    assert not select("--dist").left_out
    assert jobs("--all", "--rest") == jobs("--rest")  # `make test-all ARGS=--rest`, as CI calls it


def test_some_are_tested_besides_the_default_one():
    def besides(*arguments):
        commands = [it.command for it in made(*arguments) if it.name.startswith("python@")]
        return ["--besides=3.11" in command for command in commands]

    assert besides("--rest") == [True] * 3
    assert besides("--all") == [True] * 4
    assert besides() == besides("python@3.12") == [False]
    assert besides("python@3.11,3.14t") == [False] * 2


def test_interpreters_are_tested_beside_each_other_and_other_parts():
    parts = made("--rest")
    alone = [it.name for it in parts if not it.shares]
    assert alone == ["large@3.11"]
    assert [it.name for it in parts[1:4]] == ["python@3.14t", "python@3.14d", "python@3.12"]
    # A single one has all processors.
    everything = [*parts, *made("--dist"), *made()]
    divided = {it.name: any(word.startswith("--workers") for word in it.command) for it in everything}
    assert {name for name, workers in divided.items() if workers} == {"large@3.11", "release@3.11", "python@3.11"}


def test_large_tests_are_left_to_a_part_of_their_own():
    def marks(*arguments, filter=""):
        parts = [
            suites.part(job, DEFAULT, filter) for job in select(*arguments).jobs if job.part in ("python", "large")
        ]
        return {it.name: it.command[it.command.index("-m") + 1] for it in parts if "-m" in it.command}

    assert marks() == {"python@3.11": "not (large or slow)"}
    assert marks("--rest") == marks("large") == {"large@3.11": "large or slow"}
    # Tested with the others, and named: with everything.
    assert marks("--all") == marks("python") == marks(filter="word") == {}


def test_every_part_is_run_by_something():
    targets = [select(*target).jobs for target in (["--all"], ["--rest"], ["--dist"])]
    assert {job.part for jobs in targets for job in jobs} == set(selection.PARTS)


def test_there_may_be_no_further_interpreter():
    assert jobs("--rest", found=[DEFAULT]) == ["rust-large", "large@3.11", "loom", "embedding@3.11", "docs"]
    assert jobs("--dist", found=[DEFAULT])[:4] == ["packages@3.11", "release@3.11", "candle", "pyo3@3.11"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["rust", "python@3.14t"], ["rust", "python@3.14t"]),
        (["python"], ["python@3.11"]),
        (["python", "--all"], ["python@3.11,3.12,3.14t,3.14d"]),
        (["python@3.12,3.14t", "python@3.14d", "python@3.12"], ["python@3.12,3.14t,3.14d"]),
        (["loom", "rust"], ["loom", "rust"]),
    ],
)
def test_parts_that_are_named_run_and_no_others(arguments, expected):
    assert jobs(*arguments) == expected
    assert not select(*arguments).left_out


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("rusty", "no part 'rusty'"),
        ("rust@3.12", "does not run on an interpreter"),
        ("python@3.13", r"no interpreter '3\.13'"),
        ("python@", "no interpreter ''"),
    ],
)
def test_what_does_not_exist_is_an_error(wish, message):
    with pytest.raises(SystemExit, match=message):
        select(wish)


def test_a_filter_leaves_out_what_has_no_names_and_says_so():
    assert jobs("-k", "word") == ["rust", "python@3.11", "scripts", "doc"]
    assert {"core-free", "architecture", "types"} < {name for name, _ in select("-k", "word").left_out}
    assert jobs("-k", "a and not b") == ["rust", "python@3.11", "scripts"]
    assert ("doc", "cargo test takes one word after -k") in select("-k", "a and not b").left_out
    assert jobs("-k", "word", "rust", "types") == ["rust"]


def test_filters_of_nextest():
    binaries = ["tree", "loom_Custody"]
    assert selection.nextest("word", binaries) == "test(/(?i)word/)"
    assert selection.nextest("custody", binaries) == "(test(/(?i)custody/) or binary(/(?i)custody/))"
    assert selection.nextest("not (tree or b::c.d)", binaries) == (
        "not ( (test(/(?i)tree/) or binary(/(?i)tree/)) or test(/(?i)b::c\\.d/) )"
    )


def test_the_names_of_rust_tests_are_found():
    assert {"ui", "macros", "core", "loom_gate", "loom_custody"} <= set(suites.test_binaries())


@pytest.mark.parametrize("expression", ["a & b", "a, b", "'a'"])
def test_what_is_no_filter_is_an_error(expression):
    with pytest.raises(SystemExit, match="are expected"):
        selection.nextest(expression, [])


@pytest.mark.parametrize(
    ("expression", "arguments", "keeps"), [("", [], True), ("", ["--again"], False), ("word", ["-k", "word"], False)]
)
def test_what_passed_and_has_not_changed_is_left_out(expression, arguments, keeps):
    """Unless all is asked for, or some tests by name. The part `scripts` would make its environment."""
    options = selection.parser("").parse_args(arguments)
    chosen = (job for job in select(*arguments).jobs if job.part not in ("scripts", "architecture"))
    parts = {job.part: suites.part(job, DEFAULT, expression, not options.again) for job in chosen}
    assert all(("--keep" in parts[name].command) == keeps for name in ("rust", "python"))
    whole = {name for name, part in parts.items() if part.digest}
    assert whole == ({"core-free", "types", "doc"} if keeps else set())


def test_parts_take_turns_when_there_is_no_time_for_all():
    parts = [name.partition("@")[0] for name in jobs("--dist")]
    assert set(parts) == set(selection.MINUTES)
    turns = [jobs("--dist", "--minutes=10", f"--turn={turn}") for turn in range(len(parts))]
    for turn in turns:
        assert sum(selection.MINUTES[name.partition("@")[0]] for name in turn) <= 10
    assert {name.partition("@")[0] for turn in turns for name in turn} == set(parts)
    # All run if there is time for all, at any turn; none if there is none.
    assert sorted(jobs("--dist", "--minutes=60", "--turn=4")) == sorted(jobs("--dist"))
    assert jobs("--dist", "--minutes=-3", "--turn=4") == []
    assert dict(select("--dist", "--minutes=3", "--turn=2").left_out).keys() == set(jobs("--dist")) - {"candle"}
