"""MLIR's own bindings, for test_peers.py: reads texts as JSON and writes them as MLIR does.

mlir_peer.py write [--locations]    each text as MLIR writes it, or `!` and its error
mlir_peer.py canonicalize           each text as MLIR's canonicalize leaves it
mlir_peer.py run PROGRAM            what a program (affine_program, binding_scripts, …) prints for each seed
mlir_peer.py lower                  StableHLO of models by their names
mlir_peer.py judge                  of (kind, text) a line for each: as MLIR writes it, `!` and its error, or `?`
"""

import importlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))


def context(dialects):
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, stablehlo

    made = ir.Context()
    made.allow_unregistered_dialects = True
    if not dialects:
        return made
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    made.append_dialect_registry(registry)
    made.load_all_available_dialects()
    stablehlo.register_dialect(made)
    chlo.register_dialect(made)
    return made


def write(texts, locations, dialects):
    from jaxlib.mlir import ir

    made = context(dialects)
    for text in texts:
        try:
            module = ir.Module.parse(text, made)
        except ir.MLIRError as error:
            yield f"!{error}"
            continue
        yield module.operation.get_asm(print_generic_op_form=True, enable_debug_info=locations)


def judge(given):
    from jaxlib.mlir import ir

    contexts = {"module": context(dialects=True)}
    plain = context(dialects=False)
    for kind, text in given:
        made = contexts.get(kind, plain)
        source = text if kind == "module" else f'"test.op"() {{a = {text}}} : () -> ()'
        try:
            if kind == "type":
                written = str(ir.Type.parse(text, made))
            else:
                operation = ir.Module.parse(source, made).operation
                written = operation.get_asm(print_generic_op_form=True, use_local_scope=True).rstrip()
        except UnicodeDecodeError:
            written = "?"
        except (ir.MLIRError, ValueError) as error:
            written = f"!{error}"
        # At once: the next may end the process.
        print(json.dumps(written), flush=True)


def canonicalize(texts):
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    with context(dialects=True):
        for text in texts:
            module = ir.Module.parse(text)
            PassManager.parse("builtin.module(canonicalize)").run(module.operation)
            yield module.operation.get_asm(print_generic_op_form=True)


def run(program, seeds):
    from jaxlib.mlir import ir

    return [importlib.import_module(program).run(ir, seed) for seed in seeds]


def lower():
    import jax
    import jax.numpy as jnp

    def of(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    def transformer(x, weights):
        def norm(x):
            return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)

        query, key, value = jnp.split(norm(x) @ weights["in"], 3, axis=-1)
        seen = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), dtype=bool))
        scores = jnp.where(seen, query @ key.T / 8.0, -jnp.inf)
        x = x + jax.nn.softmax(scores, axis=-1) @ value @ weights["out"]
        return x + jax.nn.gelu(norm(x) @ weights["up"]) @ weights["down"]

    def resnet(x, kernels):
        for kernel in kernels:
            y = x
            for weights, scale, shift in kernel:
                y = jax.lax.conv_general_dilated(y, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
                mean, variance = y.mean((0, 1, 2)), y.var((0, 1, 2))
                y = jax.nn.relu((y - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift)
            x = x + y
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def lstm(xs, start, weights):
        def step(state, x):
            hidden, cell = state
            gates = jnp.concatenate([x, hidden]) @ weights
            forget, enter, leave, new = jnp.split(gates, 4)
            cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
            hidden = jax.nn.sigmoid(leave) * jnp.tanh(cell)
            return (hidden, cell), hidden

        return jax.lax.scan(step, start, xs)

    matrices = {"in": of(64, 192), "out": of(64, 64), "up": of(64, 256), "down": of(256, 64)}
    kernels = [[(of(3, 3, 16, 16), of(16), of(16))] * 2] * 2
    models = {
        "transformer block": (jax.value_and_grad(lambda *it: transformer(*it).sum(), 1), (of(32, 64), matrices)),
        "ResNet stage": (resnet, (of(4, 16, 16, 16), kernels)),
        "LSTM": (jax.value_and_grad(lambda *it: lstm(*it)[1].sum(), 2), (of(20, 8), (of(16), of(16)), of(24, 64))),
    }
    return {
        name: jax.jit(model).lower(*shapes).compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
        for name, (model, shapes) in models.items()
    }


def main():
    given = json.load(sys.stdin)
    if sys.argv[1] == "judge":
        return judge(given)
    made = {
        "lower": lower,
        "canonicalize": lambda: list(canonicalize(given)),
        "run": lambda: run(sys.argv[2], given),
        "write": lambda: list(write(given, "--locations" in sys.argv, "--dialects" in sys.argv)),
    }[sys.argv[1]]()
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
