"""Texts go from MLIR's own bindings to us and back without a change: random modules, and models that JAX lowers.

MLIR runs in a process of its own, on the interpreter that PAIRBOND_MLIR_PYTHON names (`make test-long ARGS=peers` makes
one with JAX), or on this one if it has JAX. Without either the tests are skipped.
"""

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import affine_program
import binding_printing
import binding_scripts
import elements_program
import pairbond_ir as ir
import pytest
from generated import module_text
from generated_flow import function_text

PYTHON = os.environ.get("PAIRBOND_MLIR_PYTHON") or (sys.executable if find_spec("jax") else None)
pytestmark = pytest.mark.skipif(PYTHON is None, reason="needs jax: make test-long ARGS=peers")
MLIR = Path(__file__).with_name("mlir_peer.py")
MODELS = ("transformer block", "ResNet stage", "LSTM")


def mlir(*arguments, given=()):
    """What MLIR makes of texts: each as it writes it, or an error that begins with `!`."""
    command = [str(PYTHON), str(MLIR), *arguments]
    run = subprocess.run(command, input=json.dumps(list(given)), capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def same(theirs, context):
    """Our text of what they wrote is theirs, and a module equal to it."""
    module = ir.Module.parse(theirs, context)
    assert str(module) == theirs
    assert module.verify()
    return module


def test_random_modules_there_and_back(context):
    texts = [module_text(random.Random(seed)) for seed in range(200)]
    ours = [ir.Module.parse(text, context) for text in texts]
    theirs = mlir("write", given=map(str, ours))
    for text, module, written in zip(texts, ours, theirs, strict=True):
        assert not written.startswith("!"), f"{written}\n{text}"
        assert str(module) == written
        assert same(written, context).structural_equal(module)


def test_random_modules_with_locations(context):
    texts = [module_text(random.Random(seed), locations=True) for seed in range(50)]
    ours = [ir.Module.parse(text, context) for text in texts]
    theirs = mlir("write", "--locations", given=[module.get_asm(enable_debug_info=True) for module in ours])
    for module, written in zip(ours, theirs, strict=True):
        assert not written.startswith("!"), f"{written}\n{module.get_asm(enable_debug_info=True)}"
        again = ir.Module.parse(written, context)
        assert again.get_asm(enable_debug_info=True) == module.get_asm(enable_debug_info=True)


def test_affine_programs_print_the_same():
    seeds = range(1000)
    theirs = mlir("run", "affine_program", given=seeds)

    def bare(texts):
        """A sum in a sum has parentheses where it would be read as something simpler without them; MLIR writes none."""
        return [it.replace("(", "").replace(")", "") for it in texts]

    for seed, wanted in zip(seeds, theirs, strict=True):
        assert bare(affine_program.run(ir, seed)) == bare(wanted), seed


def test_scripts_for_the_bindings_print_the_same():
    for program in (binding_scripts, binding_printing):
        seeds = range(len(program.SCRIPTS))
        theirs = mlir("run", program.__name__, given=seeds)
        for seed, wanted in zip(seeds, theirs, strict=True):
            assert program.run(ir, seed) == wanted, program.SCRIPTS[seed].__name__


@pytest.mark.skipif(find_spec("numpy") is None, reason="needs numpy")
def test_programs_of_elements_print_the_same():
    seeds = range(50)
    theirs = mlir("run", "elements_program", given=seeds)
    for seed, wanted in zip(seeds, theirs, strict=True):
        assert elements_program.run(ir, seed) == wanted, seed


def test_canonicalizing_control_flow(context):
    """The same comes out, or nearly always; and neither finds more in what the other made."""
    texts = [function_text(random.Random(seed)) for seed in range(400)]

    def canonical(text):
        module = ir.Module.parse(text, context)
        ir.PassManager.parse("builtin.module(canonicalize)").run(module)
        assert module.verify()
        return str(module)

    ours = [canonical(text) for text in texts]
    theirs = mlir("canonicalize", given=texts)
    again = mlir("canonicalize", given=ours)
    # A few of MLIR's patterns depend on what is looked at first, and on when it stops.
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) >= 370
    assert sum(a == b for a, b in zip(ours, again, strict=True)) >= 390
    assert sum(canonical(a) == b for a, b in zip(theirs, ours, strict=True)) >= 385


def test_models_that_jax_lowers(context):
    texts = mlir("lower")
    assert set(texts) == set(MODELS)
    for name, text in texts.items():
        module = same(text, context)
        assert text.count("\n") > 50, name
        ir.PassManager.parse("builtin.module(inline,func.func(canonicalize,cse),symbol-dce)").run(module)
        assert module.verify()
        (written,) = mlir("write", "--dialects", given=[str(module)])
        assert written == str(module), name
