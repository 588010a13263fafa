"""Writes attributes.txt and verdicts.mlir again, as MLIR's own bindings have it: `pip install jaxlib`, and run this.

A line of attributes.txt is a text, a tab, and how MLIR writes what it reads there; `!` where it refuses to read it.
Each part of verdicts.mlir begins with its name; the line after that says what MLIR's verifier thinks of it.
"""

import os
from pathlib import Path

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

HERE = Path(__file__).parent


def written(context: ir.Context, text: str) -> str:
    """Through an operation, since the bindings cannot give every attribute out."""
    is_location = text.startswith("loc(")
    source = f'"test.op"() : () -> () {text}' if is_location else f'"test.op"() {{a = {text}}} : () -> ()'
    try:
        op = ir.Module.parse(source, context).body.operations[0]
    except ir.MLIRError:
        return "!"
    if is_location:
        return str(op.location)
    try:
        return str(op.attributes["a"])
    except (RuntimeError, TypeError) as error:  # no class for it: the message has the text
        return str(error).split("(Attribute(", 1)[1].removesuffix("))")


def verdict(context: ir.Context, text: str) -> str:
    """Reading verifies, too."""
    try:
        ir.Module.parse(text, context).operation.verify()
    except ir.MLIRError as error:
        return f"// error: {error.error_diagnostics[0].message.splitlines()[0]}"
    return "// right"


def survived(context: ir.Context, text: str) -> str:
    """The same in a process of its own: some verifiers crash."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, verdict(context, text).encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said or "// error: MLIR crashes"


def verdicts(file: Path) -> None:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    parts = []
    for part in file.read_text().split("// ----- ")[1:]:
        name, *lines = part.splitlines()
        text = "\n".join(line for line in lines if not line.startswith("// "))
        parts.append(f"// ----- {name}\n{survived(context, text)}\n{text}\n")
    file.write_text("".join(parts))


def main() -> None:
    verdicts(HERE / "verdicts.mlir")
    context = ir.Context()
    context.allow_unregistered_dialects = True
    file = HERE / "attributes.txt"
    texts = [line.split("\t")[0] for line in file.read_text().splitlines()]
    file.write_text("".join(f"{text}\t{written(context, text)}\n" for text in texts))


if __name__ == "__main__":
    main()
