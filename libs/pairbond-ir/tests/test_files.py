"""Reading modules from files, and writing into them."""

import io
import signal
import sys
import types

import pairbond_ir as ir
import pytest

# An operation of a hundred kilobytes.
LARGE = '"test.large"() {{text = "{}"}} : () -> ()\n'.format("x" * 100_000)


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large.mlir"
    path.write_text(LARGE * 35)
    return path


def test_a_file_is_read_as_its_text_is(tmp_path, context):
    path = tmp_path / "small.mlir"
    path.write_text('%0 = "a.b"() {name = "é"} : () -> i32\n"a.c"(%0) : (i32) -> ()\n', encoding="utf-8")
    module = ir.Module.parse_file(path, context=context)
    assert str(module) == str(ir.Module.parse(path.read_text(encoding="utf-8"), context))
    with context:
        assert ir.Module.parse_file(str(path)).structural_equal(module)


def test_print_writes_where_it_is_told(tmp_path, context, capsys):
    module = ir.Module.parse('"a.b"() {name = "é"} : () -> ()', context)
    module.print()
    assert capsys.readouterr().out == str(module)
    text, data = io.StringIO(), io.BytesIO()
    module.print(file=text)
    module.print(file=data, binary=True)
    assert text.getvalue() == data.getvalue().decode() == str(module)
    module.print(file=tmp_path / "out.mlir", binary=True, enable_debug_info=True)
    assert (tmp_path / "out.mlir").read_text(encoding="utf-8") == module.get_asm(enable_debug_info=True)
    with pytest.raises(ir.IRError, match="only the generic form"):
        module.print(print_generic_op_form=False)
    assert capsys.readouterr().out == ""


def test_what_is_left_out_is_said(context):
    numbers = "dense<[1, 2, 3]> : tensor<3xi8>"
    text = f'"a.a"() ({{ "a.b"() {{n = {numbers}, s = dense<"x"> : tensor<4x!a.s>}} : () -> () }}) : () -> ()'
    op = ir.Module.parse(text, context).body.operations[0]
    assert op.get_asm(large_elements_limit=3) == str(op)
    short = op.get_asm(large_elements_limit=2)
    assert short == str(op).replace("dense<[1, 2, 3]>", "dense_resource<__elided__>")
    assert ir.Module.parse(short, context).body.operations[0].name == "a.a"
    assert op.get_asm(skip_regions=True) == '"a.a"() ({...}) : () -> ()'


def test_progress_is_told(large, context):
    told = []
    ir.Module.parse_file(large, progress=lambda done, total: told.append((done, total)), context=context)
    total = large.stat().st_size
    assert [all_ for _, all_ in told] == [total] * len(told)
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] <= total
    assert len(done) == 4  # each megabyte


def test_a_bar_is_shown_and_closed(large, context, monkeypatch):
    shown = []

    class Bar:
        def __init__(self, total, desc, **_):
            self.n = 0
            shown.append((total, desc))

        def update(self, more):
            self.n += more
            shown.append(self.n)

        def close(self):
            shown.append("closed")

    fake = types.ModuleType("tqdm")
    fake.tqdm = Bar
    fake.__spec__ = types.SimpleNamespace(name="tqdm")
    monkeypatch.setitem(sys.modules, "tqdm", fake)
    ir.Module.parse_file(large, progress=True, context=context)
    assert shown[0] == (large.stat().st_size, "large.mlir")
    assert shown[-1] == "closed"
    assert shown[-2] >= 3 << 20
    shown.clear()
    large.write_text(LARGE + "%")
    with pytest.raises(ir.IRError):
        ir.Module.parse_file(large, progress=True, context=context)
    assert shown[-1] == "closed"


def test_a_function_may_end_it(large, context):
    def stop(done, total):
        if done:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        ir.Module.parse_file(large, progress=stop, context=context)
    assert context.live == (0, 0)


@pytest.fixture
def ctrl_c():
    """The signal raises, also in a process that was started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_it(large, context, ctrl_c):
    asked = []

    def interrupt(done, total):
        asked.append(done)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        ir.Module.parse_file(large, progress=interrupt, context=context)
    assert len(asked) == 1
    assert context.live == (0, 0)


def test_what_is_wrong_names_the_file(tmp_path, context):
    with pytest.raises(FileNotFoundError):
        ir.Module.parse_file(tmp_path / "none.mlir", context=context)
    path = tmp_path / "bad.mlir"
    path.write_bytes(b'"a.b"() {name = "\xff"} : () -> ()')
    with pytest.raises(ir.IRError, match=r"bad\.mlir.*byte 17 is not UTF-8"):
        ir.Module.parse_file(path, context=context)
    path.write_text('"a.b"( : () -> ()')
    with pytest.raises(ir.IRError, match=r'bad\.mlir":1:8: ') as caught:
        ir.Module.parse_file(path, context=context)
    assert (caught.value.line, caught.value.column) == (1, 8)


@pytest.mark.parametrize("locations", [False, True])
def test_what_is_written_is_the_text(tmp_path, context, locations):
    module = ir.Module.parse(LARGE * 25, context)
    text = module.get_asm(enable_debug_info=locations)
    path = tmp_path / "out.mlir"
    module.write(path, enable_debug_info=locations)
    assert path.read_text() == text
    words, octets = io.StringIO(), io.BytesIO()
    module.write(words, enable_debug_info=locations)
    module.write(octets, enable_debug_info=locations)
    assert words.getvalue() == text
    assert octets.getvalue() == text.encode()


def test_a_raw_file_that_takes_little_at_a_time_gets_all(context):
    class Reluctant(io.RawIOBase):
        got = b""

        def write(self, data):
            self.got += bytes(data[:100_000])
            return len(data[:100_000])

    module, raw = ir.Module.parse(LARGE * 25, context), Reluctant()
    module.write(raw)
    assert raw.got == str(module).encode()


def test_it_is_written_some_at_a_time_and_may_end(context):
    module = ir.Module.parse(LARGE * 35, context)
    pieces = []
    module.write(types.SimpleNamespace(write=lambda text: pieces.append(len(text))))
    assert len(pieces) == 4
    assert sum(pieces) == len(str(module))

    def full(text):
        pieces.append(len(text))
        raise OSError("no space left")

    pieces.clear()
    with pytest.raises(OSError, match="no space"):
        module.write(types.SimpleNamespace(write=full))
    assert len(pieces) == 1


def test_what_was_erased_is_not_written(context, tmp_path):
    module = ir.Module.parse('"a.b"() : () -> ()', context)
    op = module.body.operations[0]
    op.erase()
    with pytest.raises(ir.InvalidatedError):
        op.write(tmp_path / "out.mlir")


RESOURCES = """\
"builtin.module"() ({
  "a.b"() ({
    "a.d"() {v = dense_resource<k.z$> : tensor<1xi8>} : () -> ()
  }) {v = dense_resource<b> : tensor<1xi8>} : () -> ()
  "a.c"() {v = [dense_resource<"x y"> : tensor<1xi8>, dense_resource<b> : tensor<1xi8>]} : () -> ()
  "a.c"() {v = dense_resource<none> : tensor<1xi8>} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      k.z$: "0x1000000001",
      b: "0x01000000AB",
      "x y": "0x010000000203"
    }
  }
#-}
"""


def test_resources_are_read_and_written(context, tmp_path):
    module = ir.Module.parse(RESOURCES, context)
    assert str(module) == RESOURCES
    # Of a part, only the part.
    assert "{-#" not in str(module.body.operations[0])
    # Names are there once in a context, as with MLIR.
    again = str(ir.Module.parse(RESOURCES, context))
    for name in ("k.z$", "b", "x y"):
        assert again.count(f"{name}_1") == RESOURCES.count(name if name != "b" else "<b>") + (name == "b")
    assert str(ir.Module.parse(again, ir.Context())) == again
    module.write(tmp_path / "out.mlir")
    assert (tmp_path / "out.mlir").read_text() == RESOURCES


def test_resources_of_others_are_passed_over(context):
    text = '"a.b"() : () -> ()\n{-# external_resources: { tool: { pipeline: "abc", on: true, level: 3 } } #-}\n'
    assert "{-#" not in str(ir.Module.parse(text, context))
    assert "{-#" not in str(ir.Module.parse("{-# #-}", context))
    unused = '{-# dialect_resources: {builtin: {a: "0x0100000007"}} #-}'
    assert "{-#" not in str(ir.Module.parse(unused, context))
    # In a string it is text.
    inside = '"a.b"() {s = "{-# no section #-}"} : () -> ()'
    assert "no section" in str(ir.Module.parse(inside, context))


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [  # what MLIR says
        ('{-# dialect_resources: {nope: {a: "0x0100000007"}} #-}', 25, "dialect 'nope' is unknown"),
        ('{-# dialect_resources: {builtin: {a: "0x01"}} #-}', 38, "expected hex string blob for key 'a' to encode"),
        ("{-# foo: {} #-}", 5, "unknown key 'foo' in file metadata dictionary"),
        ("{-# dialect_resources: {builtin: {a: 1}} #-}", 38, "expected hex string blob for key 'a'"),
        ('{-# dialect_resources: {builtin: {a: "0x0100000007"}} ', 55, "expected ',' or '#-}'"),
        ('{-# dialect_resources: {builtin: {a: "0x0300000007"}} #-}', 38, "non-power-of-2 value: 3"),
        ('{-# dialect_resources: {builtin: {a: "0100000007"}} #-}', 38, "expected hex string blob for key 'a'"),
    ],
)
def test_what_is_wrong_with_resources(context, text, column, message):
    with pytest.raises(ir.IRError) as caught:
        ir.Module.parse(text, context)
    assert message in str(caught.value)
    assert caught.value.column == column
