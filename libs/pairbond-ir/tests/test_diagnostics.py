"""Diagnostics: who hears of them, and that nobody keeps anybody alive."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import pairbond_ir as ir
import pytest


@pytest.fixture
def here():
    with ir.Context() as context, ir.Location.file("a.py", 3, 4) as location:
        yield context, location


def test_what_nobody_deals_with_is_written():
    code = """
import pairbond_ir as ir
with ir.Context() as context:
    ir.Location.unknown().emit_error("of no place")
    with context.attach_diagnostic_handler(lambda it: None):
        ir.Location.file("a.py", 3, 4).emit_error("of a place")
    with context.attach_diagnostic_handler(lambda it: True):
        ir.Location.unknown().emit_error("not written")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == 'error: of no place\nloc("a.py":3:4): error: of a place\n'


def test_a_diagnostic_stays_as_it_is(here):
    context, location = here
    seen = []
    with context.attach_diagnostic_handler(lambda it: seen.append(it) or True):
        location.emit_error("wrong")
    (it,) = seen
    assert (it.severity, it.location, it.message, it.notes) == (ir.DiagnosticSeverity.ERROR, location, "wrong", ())
    assert (str(it), repr(it)) == ("wrong", '<Diagnostic loc("a.py":3:4): error: wrong>')


def test_what_a_handler_raises_is_shown_and_the_next_one_hears_it(here, monkeypatch):
    context, location = here
    heard, shown = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: shown.append((it.exc_type, str(it.exc_value))))
    context.attach_diagnostic_handler(lambda it: heard.append(it.message) or True)
    with context.attach_diagnostic_handler(lambda it: {}["gone"]) as handler:
        location.emit_error("wrong")
        assert (handler.had_error, handler.attached, heard) == (True, True, ["wrong"])
        # An error that is told is still that error.
        context.emit_error_diagnostics = True
        with pytest.raises(ir.IRError) as caught:
            ir.Type.parse("what")
        assert heard == ["wrong", caught.value.message]
    assert shown == [(KeyError, "'gone'")] * 2


def test_without_a_hook_it_is_on_the_standard_error_stream(here, capfd, monkeypatch):
    context, location = here
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    with context.attach_diagnostic_handler(lambda it: 1 // 0):
        location.emit_error("wrong")
    shown = capfd.readouterr().err
    assert "DiagnosticHandler" in shown
    assert "ZeroDivisionError" in shown
    assert shown.endswith("error: wrong\n")


def test_what_ends_the_program_comes_out_of_a_handler(here):
    context, location = here

    def stop(it):
        raise KeyboardInterrupt

    with context.attach_diagnostic_handler(stop) as handler:
        with pytest.raises(KeyboardInterrupt):
            location.emit_error("wrong")
        assert handler.had_error


@pytest.mark.parametrize("dealt", [True, False, None, "yes", 1])
def test_only_true_ends_it(here, capfd, dealt):
    context, location = here
    context.attach_diagnostic_handler(lambda it: dealt)
    location.emit_error("wrong")
    assert (capfd.readouterr().err == "") == (dealt is True)


def test_a_handler_may_do_what_it_likes(here):
    context, location = here
    seen = []

    def handle(it):
        seen.append(it.message)
        if len(seen) < 100:
            context.attach_diagnostic_handler(handle)
            handlers.pop().detach()
            handlers.append(context.attach_diagnostic_handler(handle))
            it.location.emit_error(f"again {len(seen)}")
        return True

    handlers = [context.attach_diagnostic_handler(handle)]
    location.emit_error("wrong")
    assert seen == ["wrong", *(f"again {i}" for i in range(1, 100))]
    gc.collect()


def test_errors_are_told_where_that_is_asked_for(here):
    context, _ = here
    seen = []
    context.attach_diagnostic_handler(lambda it: seen.append(it) or True)
    outer = ir.Operation.create("builtin.module", regions=1)
    outer.regions[0].blocks.append(ir.IntegerType.get_signless(32))
    pipeline = ir.PassManager.parse("builtin.module(cse)")
    fails = ir.PassManager.parse("builtin.module()")
    fails.add(lambda op: op.verify())
    things = {
        "module": lambda: ir.Module.parse('"a.b"(%x) : (i32) -> ()'),
        "operation": lambda: ir.Operation.parse('"a.b"(%x) : (i32) -> ()'),
        "type": lambda: ir.Type.parse("what"),
        "attribute": lambda: ir.Attribute.parse("what"),
        "location": lambda: ir.Location.parse("loc(what)"),
        "verify": outer.verify,
        "pass": lambda: fails.run(outer),
    }
    for told in (False, True):
        context.emit_error_diagnostics = told
        for name, thing in things.items():
            seen.clear()
            with pytest.raises(ir.IRError) as caught:
                thing()
            if not told:
                assert not seen, name
                assert [it.message for it in caught.value.error_diagnostics] == [caught.value.message], name
                continue
            # What handlers were told is theirs, as with MLIR's bindings.
            assert caught.value.error_diagnostics == [], name
            (it,) = seen
            assert (it.message, it.severity) == (caught.value.message, ir.DiagnosticSeverity.ERROR), name
            if name == "verify":
                assert it.location is outer.location
            elif name in ("module", "operation"):
                assert str(it.location).endswith(":1:7)")
    context.emit_error_diagnostics = True
    seen.clear()
    pipeline.run(ir.Module.create().operation)
    with pytest.raises(TypeError):
        ir.Module.parse(1)
    assert not seen


def test_handlers_keep_nobody_alive():
    def made():
        context = ir.Context()
        handler = context.attach_diagnostic_handler(lambda it: context is None)
        return weakref.ref(context), weakref.ref(handler)

    refs = made()
    gc.collect()
    assert [ref() for ref in refs] == [None, None]
    # A handler that outlives its context hears of nothing.
    context = ir.Context()
    handler = context.attach_diagnostic_handler(print)
    assert handler.attached
    del context
    gc.collect()
    assert not handler.attached
    handler.detach()
    # And one that is detached is gone at once, with what it refers to.
    context = ir.Context()
    handler = context.attach_diagnostic_handler(print)
    gone = weakref.ref(handler)
    handler.detach()
    del handler
    assert gone() is None


def test_threads_attach_and_report(here):
    context, location = here
    heard = []
    context.attach_diagnostic_handler(lambda it: heard.append(it.message) or True)

    def work(number):
        for i in range(200):
            with context.attach_diagnostic_handler(lambda it: False):
                location.emit_error(f"{number} {i}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(heard) == sorted(f"{number} {i}" for number in range(4) for i in range(200))
