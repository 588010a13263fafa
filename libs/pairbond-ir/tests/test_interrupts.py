"""Ctrl-C during one call of seconds: parsing, printing, copying, verifying. Nothing is half done."""

import contextlib
import io
import signal
import time

import pairbond
import pairbond_ir as ir
import pytest

pytestmark = [pytest.mark.large, pytest.mark.threads]


class Interrupted(Exception):
    pass


@contextlib.contextmanager
def interrupt(after):
    """A signal comes after so many seconds of processor time, whose handler raises. What else the machine does takes
    none of it."""

    def handler(number, frame):
        raise Interrupted

    before = signal.signal(signal.SIGPROF, handler)
    signal.setitimer(signal.ITIMER_PROF, after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def text(count):
    lines = [
        f'    %{number} = "arith.constant"() <{{value = {number} : i64}}> : () -> i64\n' for number in range(count)
    ]
    uses = [f'    "test.use"(%{number}) {{name = "{number}"}} : (i64) -> ()\n' for number in range(count)]
    body = "".join(line for pair in zip(lines, uses, strict=True) for line in pair)
    return f'"builtin.module"() ({{\n{body}}}) : () -> ()\n'


def late_or_never(call, *arguments):
    call(*arguments)
    time.sleep(10)


CALLS = {
    "parse": lambda module, source: ir.Module.parse(source),
    "parse_file": lambda module, source: ir.Module.parse_file(io.BytesIO(source.encode())),
    "str": lambda module, source: str(module),
    "get_asm": lambda module, source: module.operation.get_asm(enable_debug_info=True),
    "write": lambda module, source: module.operation.write(io.StringIO()),
    "clone": lambda module, source: module.operation.clone(),
    "verify": lambda module, source: module.operation.verify(),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that send signals")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_of_seconds_ends(context, call):
    with context:
        count = 2_000
        while True:
            source = text(count)
            module = ir.Module.parse(source)
            began = time.process_time()
            call(module, source)
            whole = time.process_time() - began
            if whole > 0.5 or count > 2_000_000:
                break
            count = int(count * min(max(0.7 / max(whole, 1e-9), 1.2), 20))
        expected = str(module)
        after = whole / 4
        began = time.process_time()
        with pytest.raises(Interrupted), interrupt(after):
            late_or_never(call, module, source)
        late = time.process_time() - began - after
        assert late < 0.2 or late < whole / 4, (late, whole)
        # It can be done again, and nothing has changed.
        call(module, source)
        assert str(module) == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that send signals")
def test_a_mapping_is_filled_in_the_end(context):
    with context:
        module = ir.Module.parse(text(20_000))
        began = time.process_time()
        mapping = pairbond.Map()
        module.operation.clone(mapping=mapping)
        whole = time.process_time() - began
        assert len(mapping) == 20_000
        mapping = pairbond.Map()
        with pytest.raises(Interrupted), interrupt(whole / 4):
            late_or_never(lambda: module.operation.clone(mapping=mapping))
        assert len(mapping) in (0, 20_000)
