"""Writes attributes.txt again, as MLIR's own bindings have it: `pip install jaxlib`, and run this.

A line of attributes.txt is a text, a tab, and how MLIR writes what it reads there; `!` where it refuses to read it.
"""

from pathlib import Path

from jaxlib.mlir import ir

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


def main() -> None:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    file = HERE / "attributes.txt"
    texts = [line.split("\t")[0] for line in file.read_text().splitlines()]
    file.write_text("".join(f"{text}\t{written(context, text)}\n" for text in texts))


if __name__ == "__main__":
    main()
