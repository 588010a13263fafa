"""`python -m pairbond stubs`, and what editors, `help` and `inspect` find out."""

from __future__ import annotations

import ast
import collections
import inspect
import pydoc
import rlcompleter
import subprocess
import sys

import pairbond
import pairbond_testext as ext
import pytest
from pairbond.__main__ import main
from pairbond._stubs import stub
from pairbond._stubs.members import NotOurs
from pairbond._stubs.render import WIDTH, _doc
from pairbond._stubs.rust import annotation, parse

#: Rust type: what Rust takes, and what it gives.
TYPES = {
    "()": ("None", "None"),
    "&str": ("str", "str"),
    "& 'static str": ("str", "str"),
    "Option<&'a str>": ("str | None", "str | None"),
    "Option<Option<Str>>": ("str | None", "str | None"),
    "Cell<Option<Ref<Package>>>": ("Package | None", "Package | None"),
    "New<Package>": ("Package", "Package"),
    "Few<Ref<Package>>": ("Iterable[Package]", "list[Package]"),
    "Weak<Package>": ("Package | None", "Package | None"),
    "&[u8]": ("bytes | bytearray | memoryview", "bytes"),
    "[i64; 3]": ("Iterable[int]", "list[int]"),
    "Vec<(Ref<Package>, usize)>": ("Iterable[tuple[Package, int]]", "list[tuple[Package, int]]"),
    "HashMap<String, Vec<Option<f64>>>": ("Mapping[str, Iterable[float | None]]", "dict[str, list[float | None]]"),
    "std::collections::BTreeSet<i64>": ("Iterable[int]", "list[int]"),
    "HashSet<(i64, String)>": ("Iterable[tuple[int, str]]", "set[tuple[int, str]]"),
    "HashSet<Vec<i64>>": ("Iterable[Iterable[int]]", "list[list[int]]"),
    "List<List<i64>>": ("Iterable[pairbond.List[int]]", "pairbond.List[pairbond.List[int]]"),
    "::core::option::Option<::pairbond::__private::object::Ref<Package>>": ("Package | None", "Package | None"),
    "Array2<f64>": ("pairbond.Array | Any", "pairbond.Array"),
    "Vec<u8>": ("Iterable[int]", "bytes"),
    "Option<Vec<u8>>": ("Iterable[int] | None", "bytes | None"),
    "Map<Str, Vec<i32>>": ("Mapping[str, list[int]]", "pairbond.Map[str, list[int]]"),
    "Map<Any, Any>": ("Mapping[Any, Any]", "pairbond.Map[Any, Any]"),
    "Result<Ref<Self>, Error>": ("Self", "Self"),
    "std::result::Result<bool, std::io::Error>": ("bool", "bool"),
    "Borrow<'_, Package>": ("Package", "Package"),
    "PathBuf": ("str | os.PathLike[str]", "str"),
    "IntOrSlice": ("int | slice", "int | slice"),
    "Function": ("Callable[..., Any]", "Callable[..., Any]"),
    "DType": ("pairbond.DType | str", "pairbond.DType"),
    "Foreign": ("Any", "Any"),
    "std::time::Duration": ("datetime.timedelta", "datetime.timedelta"),
    "chrono::DateTime<chrono::Utc>": ("datetime.datetime", "datetime.datetime"),
    "Option<jiff::civil::Date>": ("datetime.date | None", "datetime.date | None"),
    "Vec<IpAddr>": (
        "Iterable[ipaddress.IPv4Address | ipaddress.IPv6Address]",
        "list[ipaddress.IPv4Address | ipaddress.IPv6Address]",
    ),
    "uuid::Uuid": ("uuid.UUID", "uuid.UUID"),
    "Decimal": ("decimal.Decimal | int", "decimal.Decimal"),
    "RangeInclusive<u8>": ("range", "range"),
    "NonZero<u8>": ("int", "int"),
    "NonZeroUsize": ("int", "int"),
    "Cow<'_, str>": ("str", "str"),
    "OsString": ("str | os.PathLike[str]", "str"),
    "Either<i64, Vec<String>>": ("int | Iterable[str]", "int | list[str]"),
    "IndexMap<String, u8>": ("Mapping[str, int]", "dict[str, int]"),
    "__Coroutine<Result<(), Error>>": ("Coroutine[Any, Any, None]", "Coroutine[Any, Any, None]"),
    "Unheard<Of>": ("Any", "Any"),
    "impl Fn(i64) -> bool": ("Any", "Any"),
    "Vec<": ("Any", "Any"),
    "": ("Any", "Any"),
}


@pytest.mark.parametrize("text", TYPES)
def test_types(text: str) -> None:
    classes = {"Package": "Package"}.get
    taken, given = TYPES[text]
    assert annotation(text, classes, taken=True, itself="Self") == taken
    assert annotation(text, classes, taken=False, itself="Self") == given


def test_a_class_is_nearer_than_a_container_of_that_name() -> None:
    assert annotation("List<i64>", {"List": "shapes.List"}.get, taken=False) == "shapes.List"
    assert annotation("List<i64>", {}.get, taken=False) == "pairbond.List[int]"


def test_parsing_ends() -> None:
    for text in (
        "<",
        ">",
        "((((",
        "[[[[",
        "a<b<c<d",
        "&&&",
        "::",
        "a::",
        "(,)",
        "[;]",
        "'a",
        "fn(a) -> b",
        "Ünïcode<é>",
    ):
        parse(text)


def text_of(module: object) -> str:
    return stub(module)  # type: ignore[arg-type]


def test_a_stub_says_what_the_module_has() -> None:
    tree = ast.parse(text_of(ext))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in classes if not name.startswith("_")}
    values = {node.target.id: ast.unparse(node.annotation) for node in tree.body if isinstance(node, ast.AnnAssign)}
    # Records are nothing when a program runs.
    values = {name: kind for name, kind in values.items() if not name.endswith("Like")}
    public -= {"Limit", "Config", "Flags", "Recased", "Outline", "Pack"}
    assert values == {"LIMIT": "int", "NAMES": "pairbond.List[str]", "inner": "ModuleType"}
    assert public | functions | values.keys() == {*ext.__all__}
    bases = {name: [ast.unparse(base) for base in classes[name].bases] for name in ("ParseError", "EndError")}
    assert bases == {"ParseError": ["ValueError"], "EndError": ["ParseError"]}
    for name, node in classes.items():
        if name not in public:  # a variant, which the class of its enum has
            continue
        # Nested overloads of a name would be a mistake; setters repeat it.
        members = [it.name for it in node.body if isinstance(it, ast.FunctionDef) and not it.decorator_list]
        assert len(members) == len({*members}), name
        for member in members:
            assert hasattr(getattr(ext, name), member), (name, member)


def test_a_stub_is_the_same_each_time() -> None:
    assert text_of(ext) == text_of(ext)


@pytest.mark.parametrize(
    "line",
    [
        "import pairbond",
        "class Square(Shape):",
        "def keyword_only(a: int, *, key: int, other: int = 5) -> tuple[int, int, int]: ...",
        "    def __add__(self, other: Vector, /) -> Vector: ...",
        "    def __eq__(self, other: object, /) -> bool: ...",
        "    __hash__: ClassVar[None]  # type: ignore[assignment]",
        "    @staticmethod",
        "    @classmethod",
        "    limit: ClassVar[int]",
        "@final",
        "class Light(enum.Enum):",
        "    Red = 1",
        "class _ExprNumber(Expr):",
        "    Number: TypeAlias = _ExprNumber",
        "def next_light(light: Light) -> Light: ...",
        "def path(value: str | os.PathLike[str]) -> str: ...",
        "class Config(TypedDict):",
        "    limits: list[Limit]",
        "class _ConfigKeys(TypedDict):",
        "    limits: NotRequired[Iterable[_LimitLike]]",
        "class _ConfigAttributes(Protocol):",
        "_ConfigLike: TypeAlias = _ConfigKeys | Config | _ConfigAttributes",
        "def configure(config: _ConfigLike) -> Config: ...",
        "def typed(value: Any) -> Any: ...",
        "def spaced(value: _SpacedLike) -> types.SimpleNamespace: ...",
        "_SpacedLike: TypeAlias = _SpacedKeys | _SpacedAttributes",
        "def with_flags(name: str, **flags: Unpack[_FlagsKeys]) -> tuple[str, bool, int, list[str]]: ...",
        "def hash_set(all: Iterable[int]) -> builtins.set[int]: ...",
        "class GridF64(pairbond.Object):",
        "    def at(self, x: int, y: int) -> float | None:",
        "    def at(self, x: int, y: int) -> str | None:",
        "    other: GridF64 | None",
        "def grid_of(text: GridText) -> GridF64: ...",
        "    def copied(self) -> Self:",
        "    note: str | None",
        "    seen: bool | None",
        "    def above(self) -> Noted | None: ...",
        "def noted_as_any(noted: Noted) -> list[Noted]: ...",
        "    def __setattr__(self, name: str, value: Any, /) -> None: ...",
        '    """Adds three numbers."""',
    ],
)
def test_lines_of_a_stub(line: str) -> None:
    found = text_of(ext).splitlines()
    assert line in found, "\n".join(it for it in found if it.strip().split("(")[0] == line.strip().split("(")[0])


@pytest.mark.parametrize("end", [".", '"'])
@pytest.mark.parametrize("length", range(WIDTH - 20, WIDTH - 5))
def test_documentation_of_one_line_has_its_quotes_there(length: int, end: str) -> None:
    """Formatters put them there: a stub that they change is not the one that is made again."""
    text = "many " + "x" * (length - 6) + end
    lines = _doc(text, "    ")
    assert len(lines) == 1 or (len(lines) > 2 and lines[-1] == '    """')
    assert all(len(line) <= WIDTH for line in lines)
    assert ast.literal_eval("\n".join(lines).strip()).split() == text.split()


def test_documentation_that_cannot_be_broken_is_one_line() -> None:
    assert _doc("x" * WIDTH, "    ") == ['    """' + "x" * WIDTH + '"""']


def test_a_class_of_another_module() -> None:
    """Its name is that of the module where users find it."""
    import pairbond_holders

    text = text_of(pairbond_holders)
    assert "def global_node() -> Node:" in text
    assert "pairbond_holders." not in text


def test_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stubs", "pairbond_testext"]) == 0
    assert capsys.readouterr().out == text_of(ext)


def test_the_command_writes_and_checks(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    to = ["--output", str(tmp_path)]
    assert main(["stubs", "pairbond_testext", *to, "--check"]) == 1
    assert "is stale" in capsys.readouterr().err
    assert main(["stubs", "pairbond_testext", "lockgraph._lockgraph", *to]) == 0
    assert (tmp_path / "lockgraph" / "_lockgraph.pyi").is_file()
    # Modules inside have files of their own.
    path = tmp_path / "pairbond_testext" / "__init__.pyi"
    text = text_of(ext).replace("inner: ModuleType", "from . import inner as inner")
    assert path.read_text(encoding="utf-8").splitlines()[-20:] == text.splitlines()[-20:]
    inner = path.with_name("inner") / "__init__.pyi"
    assert "from . import deeper as deeper\n" in inner.read_text(encoding="utf-8")
    assert "class Inner(pairbond.Object):" in inner.read_text(encoding="utf-8")
    assert (inner.with_name("deeper.pyi")).read_text(encoding="utf-8").endswith("\nVALUE: float\n")
    assert main(["stubs", "pairbond_testext", *to, "--check"]) == 0
    path.write_text(path.read_text(encoding="utf-8").replace("Adds three", "Adds two"), encoding="utf-8")
    capsys.readouterr()
    assert main(["stubs", "pairbond_testext", *to, "--check"]) == 1
    assert "+    " in capsys.readouterr().out
    assert "Adds two" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["stubs", "no_such_module"], "No module named 'no_such_module'"),
        (["stubs", "json"], "json is not an extension module made with pairbond"),
        (
            ["stubs", "lockgraph"],
            "lockgraph is not an extension module made with pairbond; but lockgraph._lockgraph is",
        ),
    ],
)
def test_the_command_refuses(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["stubs"], ["stubs", "json", "--check"], ["nothing"]])
def test_the_command_explains(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "pairbond", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage: python -m pairbond" in done.stderr


def test_not_ours_is_an_error() -> None:
    with pytest.raises(NotOurs):
        stub(sys)


def test_help_shows_documentation_and_signatures() -> None:
    text = pydoc.plain(pydoc.render_doc(ext.Package))
    assert "name: str" not in text  # signatures have names and defaults; types are the stub's
    assert "Package(" in text
    assert "Adds three numbers." in pydoc.plain(pydoc.render_doc(ext.add3))
    assert "collect()" in pydoc.plain(pydoc.render_doc(pairbond.collect))


def test_signatures() -> None:
    assert str(inspect.signature(ext.keyword_only)) == "(a, *, key, other=5)"
    for name in ext.__all__:
        found = getattr(ext, name)
        is_exception = isinstance(found, type) and issubclass(found, Exception)  # Python's have no signature either
        # Some cannot be made from Python.
        if callable(found) and not is_exception and name not in ("Lock", "Expr", "Leaf"):
            inspect.signature(found)


def test_members_that_python_invents() -> None:
    """CPython has one slot for `__setitem__` and `__delitem__`: a class shows both, whatever Rust defines."""
    tree = ast.parse(text_of(ext))
    table = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Table")
    names = {it.name for it in table.body if isinstance(it, ast.FunctionDef)}
    assert hasattr(ext.Table, "__delitem__")
    assert "__setitem__" in names
    assert "__delitem__" not in names


def test_completion_finds_fields_and_methods() -> None:
    vector = ext.Vector(1, 2)
    complete = rlcompleter.Completer({"vector": vector}).attr_matches("vector.")
    names = {it.removeprefix("vector.").rstrip("()") for it in complete}
    assert {name for name in vars(ext.Vector) if not name.startswith("_")} <= names
    assert "ext.add3(" in rlcompleter.Completer({"ext": ext}).attr_matches("ext.")


def test_attributes_that_users_may_set() -> None:
    assert "mark: str" not in stub(ext)
    try:
        pairbond.attributes(ext.Section, mark="str | None", seen=bool)
        assert pairbond.attributes(ext.Section, of=collections.Counter, either=int | None) is ext.Section
        lines = stub(ext).splitlines()
        begin = next(at for at, line in enumerate(lines) if line.startswith("class Section("))
        end = next(at for at, line in enumerate(lines[begin + 1 :], begin + 1) if line.startswith("class "))
        declared = ["mark: str | None", "seen: bool", "of: collections.Counter", "either: int | None"]
        assert [line.strip() for line in lines[begin:end] if line.strip() in declared] == declared
        assert "import collections" in lines
        with pytest.raises(TypeError, match=r"Section\.title is a member"):
            pairbond.attributes(ext.Section, title=str)
    finally:
        del ext.Section.__annotations__
    assert "mark: str" not in stub(ext)
    with pytest.raises(TypeError, match="expected a native class"):
        pairbond.attributes(int, mark=str)
    with pytest.raises(TypeError, match="take no attributes"):
        pairbond.attributes(pairbond.DType, mark=str)


def test_class_methods_that_python_added_are_class_methods() -> None:
    assert "made_of" not in stub(ext)
    try:
        ext.Section.made_of = classmethod(lambda cls, text: cls(text))  # type: ignore[attr-defined]
        lines = [line.strip() for line in stub(ext).splitlines()]
        at = lines.index("def made_of(cls, text: Any) -> Any: ...")
        assert lines[at - 1] == "@classmethod"
    finally:
        del ext.Section.made_of  # type: ignore[attr-defined]
