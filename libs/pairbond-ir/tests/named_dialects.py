"""Dialects by their names, and settings of the process. Programs of test_named_dialects.py: each declares for itself.

named_dialects.py NAME FOLDER    runs one, which may write modules into an empty folder
"""

import gc
import pickle
import sys
import weakref
from pathlib import Path

import pairbond_ir as ir

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def raised(error, call, text=""):
    try:
        call()
    except error as caught:
        found = caught
    else:
        raise AssertionError(f"{error.__name__} was not raised")
    assert text in str(found), found


@program
def contexts_have_the_dialects(folder):
    context = ir.Context()
    assert not context.is_registered_operation("arith.not_existing")
    assert not any(map(context.is_registered_operation, ("none", "none.op", "no.ne.op")))
    assert context.is_registered_operation("cf.cond_br")
    add = context.dialects.arith.AddIOp
    assert repr(context.dialects.arith) == "<Dialect arith (class pairbond_ir.dialects._arith_ops_gen._Dialect)>"
    from pairbond_ir.dialects import arith, func

    assert add is arith.AddIOp
    assert context.d["func"] is context.dialects.func
    assert type(context.d.func) is func._Dialect
    assert context.get_dialect_descriptor("func").namespace == "func" == context.d.func.descriptor.namespace
    assert repr(context.d.func.descriptor) == "<DialectDescriptor func>"
    for name in ("none", "no.name", "__all__", "_making.x", ""):
        raised(IndexError, lambda name=name: context.dialects[name])
        raised(AttributeError, lambda name=name: getattr(context.d, name))
        raised(ValueError, lambda name=name: context.get_dialect_descriptor(name))
    raised(AttributeError, lambda: context.d.func.SubOp, "'SubOp'")
    with context, ir.Location.unknown():
        one = ir.Operation.create("t.one", results=[ir.F32Type.get()])
        assert context.dialects.arith.AddFOp(one, one).name == "arith.addf"


@program
def classes_are_in_the_modules_of_mlirs(folder):
    from pairbond_ir.dialects import (
        _arith_enum_gen,
        _arith_ops_gen,
        _cf_ops_gen,
        _func_ops_gen,
        _scf_ops_gen,
        arith,
        cf,
        func,
        scf,
    )

    for generated, module, names in (
        (_arith_ops_gen, arith, "AddIOp addi CmpFOp cmpf SelectOp select _Dialect"),
        (_arith_enum_gen, arith, "CmpIPredicate CmpFPredicate FastMathFlags IntegerOverflowFlags"),
        (_cf_ops_gen, cf, "AssertOp BranchOp CondBranchOp SwitchOp br cond_br switch _Dialect"),
        (_func_ops_gen, func, "ReturnOp return_ _Dialect"),
        (_scf_ops_gen, scf, "ConditionOp ParallelOp WhileOp YieldOp condition while_ yield_ _Dialect"),
    ):
        for name in names.split():
            assert getattr(generated, name) is getattr(module, name), name
            assert getattr(generated, name).__module__ == generated.__name__, name
    for extended in (arith.ConstantOp, func.FuncOp, func.CallOp, scf.ForOp, scf.IfOp):
        assert extended.__module__ == f"pairbond_ir.dialects.{extended.OPERATION_NAME.split('.')[0]}"


@program
def dialects_are_classes_of_one_instance(folder):
    from pairbond_ir.dialects._ods_common import _cext

    @_cext.register_dialect
    class _Dialect(ir.Dialect):
        DIALECT_NAMESPACE = "own"

    with ir.Context() as context, ir.Location.unknown():
        dialect = context.dialects.own
        assert type(dialect) is _Dialect
        assert repr(dialect).startswith("<Dialect own (class __main__.")

        @dialect.op
        class Thing(ir.OpView):
            pass

        raised(RuntimeError, lambda: _cext.register_operation(_Dialect)(Thing), "'own.thing' is already registered")
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            held, other, kept = Thing(), ir.Operation.create("own.other"), Thing()
        number = id(held)

        @_cext.register_operation(_Dialect, replace=True)
        class Better(Thing):
            is_better = True

        assert type(held) is type(kept) is Better
        assert held.is_better
        assert id(held) == number
        assert held is module.body.operations[0]
        assert type(other) is ir.OpView
        assert dialect.Better is Better
        held.note = 1
        assert type(ir.Operation.create("own.thing")) is Better
        assert context.dialects.own is dialect
    other_dialect = type("Other", (ir.Dialect,), {"DIALECT_NAMESPACE": "other"})
    raised(ValueError, lambda: _cext.register_operation(other_dialect), "'other' is not registered")


@program
def functions_are_of_their_class_when_they_are_read(folder):
    assert not any(f"pairbond_ir.dialects.{name}" in sys.modules for name in ("func", "arith", "scf", "cf"))
    text = """
        "func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
        ^bb0(%0: i32):
          %1 = "arith.addi"(%0, %0) : (i32, i32) -> i32
          "func.return"(%1) : (i32) -> ()
        }) : () -> ()"""
    with ir.Context() as context:
        module = ir.Module.parse('"t.func"() : () -> ()')
        assert "pairbond_ir.dialects.func" not in sys.modules
        module = ir.Module.parse(text)
        assert "pairbond_ir.dialects.func" in sys.modules
        assert "pairbond_ir.dialects.arith" not in sys.modules
        (f,) = module.body.operations
        assert f.name.value == "f"
        assert f.type == ir.FunctionType.get([ir.IntegerType.get_signless(32)], [ir.IntegerType.get_signless(32)])
        assert f.entry_block.arguments[0] is f.arguments[0]
        assert type(pickle.loads(pickle.dumps(f.name))) is str
        assert str(module) == str(ir.Module.parse(str(module)))
        # What nobody may read that was not declared, any module of the package declares.
        context.allow_unregistered_dialects = False
        ir.Module.parse(text)
        assert "pairbond_ir.dialects.arith" in sys.modules
        assert "pairbond_ir.dialects.scf" not in sys.modules
        raised(ir.IRError, lambda: ir.Module.parse('"none.op"() : () -> ()'), "'none.op' is not declared")
        raised(ir.IRError, lambda: ir.Module.parse('"scf.none"() : () -> ()'), "'scf.none' is not declared")


@program
def functions_have_both_names(folder):
    from pairbond_ir.dialects import func

    with ir.Context() as context, ir.Location.unknown():
        text = '"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "private"}> ({}) : () -> ()'
        one, other = (ir.Module.parse(text) for _ in range(2))
        (f,), (g,) = one.body.operations, other.body.operations
        assert isinstance(f, func.FuncOp)
        assert f.name == f.operation.name == "func.func"
        assert f.name.value == "f"
        assert f.name == f.sym_name == f.name
        assert f.name != ir.StringAttr.get("func.func")
        assert f.name != "f"
        assert {f.name: 1}["func.func"] == 1
        one.body.append(g)
        renamed = ir.SymbolTable(one).insert(g)
        assert g.name == renamed
        assert g.name.value == renamed.value != "f"
        assert context.live[0] > 0


@program
def flags_have_a_default(folder):
    from pairbond_ir.dialects import arith

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
        with ir.InsertionPoint(module.body):
            i, x = arith.constant(i32, 1), arith.constant(f32, 1.0)
            all_flags = arith.IntegerOverflowFlags.nsw | arith.IntegerOverflowFlags.nuw
            some = arith.FastMathFlags.nnan | arith.FastMathFlags.ninf
            whole = ir.Attribute.parse("#arith.fastmath<fast>")
            made = [
                arith.addi(i, i), arith.subi(i, i, overflow_flags=all_flags), arith.muli(i, i, overflowFlags=2),
                arith.divsi(i, i), arith.addf(x, x), arith.mulf(x, x, fastmath=some), arith.negf(x, fastmath=whole),
                arith.cmpf(arith.CmpFPredicate.OEQ, x, x, fastmath=arith.FastMathFlags.fast),
                arith.trunci(ir.IntegerType.get_signless(8), i), arith.extsi(ir.IntegerType.get_signless(64), i),
            ]  # fmt: skip
        for wrong in (
            lambda: arith.divsi(i, i, fastmath=some),
            lambda: arith.cmpi(0, i, i, fastmath=some),
            lambda: arith.addi(i, i, fastmath=some),
            lambda: arith.negf(x, flags=some),
        ):
            raised(TypeError, wrong, "has no argument")
        attributes = [dict(it.owner.attributes) for it in made]
        found = [it.get("overflowFlags") or it.get("fastmath") for it in attributes]
        assert [str(it) for it in found] == [
            "#arith.overflow<none>", "#arith.overflow<nsw, nuw>", "#arith.overflow<nuw>", "None",
            "#arith.fastmath<none>", "#arith.fastmath<nnan,ninf>", "#arith.fastmath<fast>", "#arith.fastmath<fast>",
            "#arith.overflow<none>", "None",
        ], [str(it) for it in found]  # fmt: skip
        assert module.verify()


@program
def flags_keep_no_context(folder):
    from pairbond_ir.dialects import arith

    def flags_of(context):
        with context, ir.Location.unknown():
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                i = arith.constant(ir.IntegerType.get_signless(32), 1)
                return arith.addi(i, i).owner.attributes["overflowFlags"]

    context, other = ir.Context(), ir.Context()
    flags = flags_of(context)
    assert flags is ir.Attribute.parse("#arith.overflow<none>", context)
    assert flags_of(other).context is other
    gone = weakref.ref(context)
    del context, flags
    gc.collect()
    assert gone() is None


@program
def other_packages_have_dialects(folder):
    from pairbond_ir.dialects._ods_common import _cext

    package = folder / "more_dialects"
    package.mkdir()
    source = "import pairbond_ir as ir\nd = ir.Dialect('looked_for')\n@d.op\nclass Op(ir.OpView): pass\n"
    (package / "looked_for.py").write_text(source)
    (package / "broken.py").write_text("import there_is_no_such_module\n")
    sys.path.insert(0, str(folder))
    context, settings = ir.Context(), _cext.globals
    assert not settings._check_dialect_module_loaded("looked_for")
    settings.append_dialect_search_prefix("more_dialects")
    assert settings.dialect_search_modules == ["pairbond_ir.dialects", "more_dialects"]
    assert settings._check_dialect_module_loaded("looked_for")
    assert context.dialects.looked_for.Op.OPERATION_NAME == "looked_for.op"
    raised(ModuleNotFoundError, lambda: context.dialects.broken, "there_is_no_such_module")
    settings.dialect_search_modules = []
    assert not settings._check_dialect_module_loaded("cf")


@program
def a_class_takes_the_place_of_a_declared_one(folder):
    from pairbond_ir.dialects._ods_common import _cext

    toy = ir.Dialect("toy")

    @toy.op
    class End(ir.OpView):
        pass

    class Better(End):
        note = 7

    raised(RuntimeError, lambda: _cext.register_operation(toy)(Better), "'toy.end' is already registered")
    assert _cext.register_operation(toy, replace=True)(Better) is Better
    assert toy.Better is Better
    with ir.Context(), ir.Location.unknown():
        assert ir.Operation.create("toy.end").note == 7
    raised(TypeError, lambda: _cext.register_operation(toy)(ir.OpView), "derives from no declared class")


@program
def tracebacks_are_set_for_the_process(folder):
    from pairbond_ir.dialects import arith
    from pairbond_ir.dialects._ods_common import _cext

    settings, here = _cext.globals, Path(__file__).name
    module = folder / "helper.py"
    module.write_text("def call(f): return f()\n")
    sys.path.insert(0, str(folder))
    import helper

    def located():
        return str(ir.Operation.create("t.a").location)

    with ir.Context(), ir.Location.name("around"):
        assert (located(), settings.loc_tracebacks_enabled()) == ('loc("around")', False)
        settings.set_loc_tracebacks_enabled(True)
        settings.set_loc_tracebacks_enabled(True)
        assert settings.loc_tracebacks_enabled()
        assert here in located()
        assert located().count(here) > 1
        assert "helper.py" in helper.call(located)
        settings.register_traceback_file_exclusion(helper.__file__)
        assert "helper.py" not in helper.call(located)
        settings.register_traceback_file_inclusion(helper.__file__)
        assert "helper.py" in helper.call(located)
        assert "arith.py" not in str(arith.constant(ir.IndexType.get(), 1).owner.location)
        settings.register_traceback_file_inclusion(arith.__file__)
        assert "arith.py" in str(arith.constant(ir.IndexType.get(), 1).owner.location)
        settings.set_loc_tracebacks_frame_limit(1)
        assert settings.loc_tracebacks_frame_limit() == 1 == located().count(here)
        with ir.loc_tracebacks():
            settings.set_loc_tracebacks_frame_limit(0)
            assert located() == "loc(unknown)"
        assert located().count(here) == 1
        settings.set_loc_tracebacks_frame_limit(None)
        assert located().count(here) > 1
        given = ir.Location.name("given")
        for action, shown in ((1, here), (ir.OnExplicitAction.USE_EXPLICIT, '"given"')):
            settings.set_traceback_action_on_explicit_loc(action)
            assert shown in str(ir.Operation.create("t.a", loc=given).location)
        assert settings.traceback_action_on_explicit_loc() is ir.OnExplicitAction.USE_EXPLICIT
        settings.set_traceback_action_on_current_loc(ir.CurrentLocAction.NAMELOC_WRAP)
        assert settings.traceback_action_on_current_loc() is ir.CurrentLocAction.NAMELOC_WRAP
        assert located().startswith('loc("around"(callsite(')
        settings.set_loc_tracebacks_enabled(False)
        assert located() == 'loc("around")'


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](Path(sys.argv[2]))
