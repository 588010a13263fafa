"""Reading texts piece by piece: whatever stands where a piece ends, the result is that of the whole text."""

import io
import json
import os
import random
import threading
from pathlib import Path

import pairbond_ir as ir
import pytest

DATA = Path(__file__).with_name("data")
SIZES = [1, 7, 64, 4096]


class Pieces(io.RawIOBase):
    """A text that comes so many bytes at a time."""

    name = "-"

    def __init__(self, text: bytes | str, size: int):
        self.of = io.BytesIO(text.encode() if isinstance(text, str) else text)
        self.size = size

    def read(self, most=-1):
        assert most > 0
        return self.of.read(min(most, self.size))

    def seek(self, to, whence=io.SEEK_SET):
        return self.of.seek(to, whence)

    def tell(self):
        return self.of.tell()


class Pipe(Pieces):
    """The same, which comes once."""

    def tell(self):
        raise OSError("a pipe")

    seek = tell


def whole(text: str) -> str:
    """What comes out, be it a module or an error."""
    try:
        return ir.Module.parse(text, ir.Context()).get_asm(enable_debug_info=True)
    except ir.IRError as error:
        return str(error)


def in_pieces(text: str | bytes, size: int, kind: type[Pieces] = Pieces) -> str:
    try:
        return ir.Module.parse_file(kind(text, size), context=ir.Context()).get_asm(enable_debug_info=True)
    except ir.IRError as error:
        return str(error)


def filler(size: int) -> str:
    """Operations that nobody needs, and a comment."""
    return '"a.b"() {text = "é"} : () -> () // ∀x\n' * (size // 40)


MODULES = sorted((DATA / "modules").glob("*.mlir"))
# What is much longer than what is known ahead, with all sorts of borders in it.
LONG = [
    f'"a.b"() {{s = "{"é∀𝄞" * 700}"}} : () -> ()',
    '"a.b"() {s = "' + "\\22\\n\\\\é" * 900 + '"} : () -> ()',
    f'%{"a-b_c$" * 900} = "a.b"() : () -> i32\n"a.c"(%{"a-b_c$" * 900}) : (i32) -> ()',
    f'"a.{"b" * 5000}"() : () -> ()',
    f'"a.b"() {{{"k" * 5000} = @{"s" * 5000}::@"{"t é" * 900}"}} : () -> ()',
    f"// {'comment é ' * 900}\n" + '"a.b"() : () -> () // at the end',
    f'"a.b"{" " * 5000}() : ({" " * 3000}) -{">"} (tensor<4 {" " * 4000}x i32>)',
    f'"a.b"() {{v = #d.x<{"é [a, (b) ->] " * 700}>, w = #d<"{"]" * 4000}">}} : () -> !d<{"{x}" * 2000}>',
    f'"a.b"() {{v = dense<[{", ".join(map(str, range(3000)))}]> : tensor<3000xi32>}} : () -> ()',
    f'"a.b"() {{v = dense<"0x{"0A" * 4000}"> : tensor<4000xi8>}} : () -> ()',
    f'"a.b"() {{v = array<f64: {", ".join(f"{n}.5e-3" for n in range(2000))}>}} : () -> ()',
    "{-# dialect_resources: {builtin: {" + ", ".join(f'k{n}: "0x01000000{n:02}"' for n in range(99)) + "}} #-}",
    "#l = loc(unknown)\n" + filler(3000) + '"a.b"() : () -> () loc(#m)\n' + filler(5000) + '#m = loc("x")',
]
# What is wrong is far before the place where that is seen.
FAR = [
    '  "a.c"(%later) : (i32) -> ()\n' + filler(9000),
    '\t"a.c"(%later) : (i32) -> ()\n' + filler(9000) + '%later = "a.b"() : () -> i64',
    '"a.c"(%x, %later#3) : (i32, i32) -> ()\n' + filler(9000) + '%x, %later:2 = "a.b"() : () -> (i32, i32, i32)',
    filler(9000) + '"a.c"() : () -> () loc(#none)\n' + filler(9000),
    f'"a.f"() ({{\n  "é.b"()[^no] : () -> ()\n{filler(9000)}}}) : () -> ()',
    f'%a = "a.b"() : () -> i32\n  "a.f"(%a) ({{ // é\n{filler(9000)}}}) : (i64) -> ()',
    f'"a.f"() ({{\n "a.g"() ({{{filler(9000)}}}) : (i32) -> ()\n{filler(9000)}}}) : () -> ()',
    f'%0:2 = "a.f"() ({{\n "a.g"() ({{{filler(5000)}}}) : () -> ()\n{filler(9000)}}}) : () -> i32',
    f'%0 = "a.b"() : () -> i32 {" " * 5000}%0 = "a.f"() ({{{filler(9000)}}}) : () -> i32',
    f'"a.b"() {{v = [{"1, " * 3000}%x]}} : () -> ()',
    f'"a.b"() {{v = dense<[{"1, " * 3000}300]> : tensor<3001xi8>}} : () -> ()',
    f'"a.b"() {{v = #d.x<{"(é) " * 3000}]>}} : () -> ()',
    f'"a.b"() {{v = {"1" * 3000}}} : () -> ()',
    '"a.b"() {s = "' + "é" * 5000,
    f'"a.b"() {{s = "{"é" * 5000}\\x"}} : () -> ()',
]


@pytest.mark.large
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "text", [*LONG, *FAR], ids=[f"long{n}" for n in range(len(LONG))] + [f"far{n}" for n in range(len(FAR))]
)
def test_what_is_long_or_far_is_read_as_in_one_piece(text, size):
    expected = whole(text)
    assert ("error: " in expected) == (text in FAR)
    assert in_pieces(text, size) == expected
    # What comes once tells the place all the same.
    assert in_pieces(text, size, Pipe).partition("\n")[0] == expected.partition("\n")[0]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", MODULES, ids=lambda it: it.stem)
def test_modules_are_read_as_in_one_piece(path, size):
    text = path.read_text(encoding="utf-8")
    assert in_pieces(text, size) == whole(text)


@pytest.mark.parametrize("size", SIZES)
def test_attributes_and_verdicts_are_read_as_in_one_piece(size):
    lines = (DATA / "attributes.txt").read_text(encoding="utf-8").splitlines()
    for text in lines[::5]:
        text = f'"a.b"() {{v = {text.partition(chr(9))[0]}}} : () -> ()'
        assert in_pieces(text, size) == whole(text)
    for part in (DATA / "verdicts.mlir").read_text(encoding="utf-8").split("// ----- ")[1::3]:
        assert in_pieces(part, size) == whole(part)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_wrong_is_said_as_of_one_piece(size):
    # Texts in which something was left out, doubled, or put elsewhere.
    dice = random.Random(size)
    wrong = 0
    for path in MODULES * 4:
        text = path.read_text(encoding="utf-8")
        start = dice.randrange(len(text))
        end = start + dice.choice([1, 1, 2, 9])
        spare = dice.choice(["", "", "é", '"', "%", "//", "\n", "(", "}", "->", text[start:end] * 2])
        text = text[:start] + spare + text[end:]
        wrong += "error: " in (expected := whole(text))
        assert in_pieces(text, size) == expected, f"of {path.name}: {start} to {end}, {spare!r}"
    assert wrong > len(MODULES)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_no_utf8_is_said_where_it_stands(size):
    text = filler(3000).encode()
    for bad in (b'"\xff', b'"\xc3', b'"\xe2\x88"', b'"\xed\xa0\x80"'):
        error = in_pieces(text + bad, size)
        assert error == f"Unable to parse module assembly:\nerror: -: error: byte {len(text) + 1} is not UTF-8"


def test_texts_come_from_files_of_words_and_of_pipes(tmp_path, context):
    text = filler(300_000)
    expected = whole(text)

    def read(file):
        module = ir.Module.parse_file(file, context=context)
        name = json.dumps(module.location.filename)
        return module.get_asm(enable_debug_info=True).replace(name, '"-"')

    path = tmp_path / "some.mlir"
    path.write_text(text, encoding="utf-8")
    with path.open(encoding="utf-8") as words, path.open("rb") as octets:
        assert read(words) == expected
        octets.seek(0)
        assert read(octets) == expected
        assert not octets.closed
    assert read(io.StringIO(text)) == expected
    # From where it stands.
    behind = io.BytesIO(b"nonsense\n" + text.encode())
    behind.readline()
    assert read(behind) == expected


def test_a_pipe_is_waited_for(context):
    reading, writing = os.pipe()

    def write():
        with open(writing, "wb") as pipe:
            for _ in range(30):
                pipe.write(filler(5000).encode())
                pipe.flush()

    thread = threading.Thread(target=write)
    thread.start()
    with open(reading, "rb") as pipe:
        told = []
        module = ir.Module.parse_file(pipe, progress=lambda *it: told.append(it), context=context)
    thread.join()
    assert len(module.body.operations) == 30 * (5000 // 40)
    assert told[0] == (0, None)


def test_what_reading_raises_comes_out(context):
    class Broken(Pieces):
        def read(self, most=-1):
            if self.of.tell() > 200_000:
                raise ConnectionError("gone")
            return super().read(most)

    with pytest.raises(ConnectionError, match="gone"):
        ir.Module.parse_file(Broken(filler(900_000), 4096), context=context)
    assert context.live == (0, 0)
    with pytest.raises(TypeError):
        ir.Module.parse_file(5.5, context=context)

    class Never(Pieces):
        def read(self, most=-1):
            return None

    with pytest.raises(BlockingIOError):
        ir.Module.parse_file(Never("", 1), context=context)


def test_a_file_that_is_cut_off_meanwhile_ends_there(tmp_path, context):
    path = tmp_path / "some.mlir"
    path.write_text(filler(4_000_000), encoding="utf-8")

    def cut(done, total):
        if done:
            with path.open("r+b") as file:
                file.truncate(1 << 20)

    with pytest.raises(ir.IRError, match=r'error: ".*some\.mlir":\d+:\d+: '):
        ir.Module.parse_file(path, progress=cut, context=context)


@pytest.mark.large
def test_memory_holds_a_piece_of_the_text(context):
    """Forty megabytes, of which the module is little. More is asked for at once when more is held."""

    class Long(io.RawIOBase):
        left = 40
        largest = 0

        def read(self, most=-1):
            self.largest = max(self.largest, most)
            self.left -= 1
            return b"" if self.left < 0 else b'"a.b"() : () -> () // ' + b"x" * (1 << 20) + b"\n"

    long = Long()
    module = ir.Module.parse_file(long, context=context)
    assert len(module.body.operations) == 40
    assert long.largest < 8 << 20


@pytest.mark.large
@pytest.mark.parametrize("comment", ["// long " + "x" * 300_000 + "\n", "// many\n\n" * 40_000, " \n\t" * 100_000])
def test_long_comments(comment):
    """They go, and what stands around them does not: results and errors are those of the same text in memory."""
    value = f'%a = "my.make"() {{x = dense<[1, {comment} 2]> : tensor<2xi32>}} : {comment} () -> i32\n'
    good = f'{comment}{value}{comment}"my.use"(%a) : (i32) -> () {comment} loc({comment} "b")\n{comment}'
    wrong = [good.replace("(%a)", "(%b)"), good.replace("i32\n", "i64\n"), good + "?", value.replace("2]", "2.0]")]
    wrong.append(f'"my.op"() ({{ {comment} "my.end"() : () -> () {comment} }}) {comment} : () -> (i32, {comment} ?)')
    for text in [good, *wrong]:
        assert in_pieces(text, 4096) == whole(text)
        assert (text == good) is not whole(text).startswith("Unable")
        assert in_pieces(text, 100_000, Pipe) == whole(text)
