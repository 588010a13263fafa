"""Random modules as text: operations of unknown dialects with whatever attributes and types there are, and regions."""

from pathlib import Path

LINES = (Path(__file__).parent / "data" / "attributes.txt").read_text().splitlines()
PAIRS = [line.split("\t") for line in LINES if not line.startswith("loc(")]


def is_fit(text):
    """Not what is numbered or renamed where it is used, nor memory spaces that not every MLIR takes."""
    return (
        text != "!"
        and not any(it in text for it in ("distinct[", "resource<"))
        and not ("memref" in text and "#" in text)
    )


#: As MLIR writes them.
ATTRIBUTES = sorted({written for _, written in PAIRS if is_fit(written)})
TYPES = [
    "i1",
    "i32",
    "f32",
    "index",
    "tensor<4x?xf32>",
    "vector<[4]xi8>",
    "memref<2x3xf64>",
    "(i32) -> f32",
    "tuple<i1, none>",
]
TYPES += ["!my.type<a, b>", "complex<f32>", "tensor<*xbf16>"]


def module_text(random, locations=False):
    """Values are used in their block behind their definition, and in regions below."""
    lines = []
    count = 0

    def location():
        place = random.choice(['"a.mlir":1:2', '"x"', '"f"("b.mlir":3:4)', "unknown"])
        return f" loc({place})" if locations else ""

    def operation(values, depth):
        nonlocal count
        operands = random.choices(values, k=random.randrange(4)) if values else []
        results = [random.choice(TYPES) for _ in range(random.choice([0, 1, 1, 1, 2, 3]))]
        names = []
        if results:
            names = [f"%v{count}"] if len(results) == 1 else [f"%v{count}#{place}" for place in range(len(results))]
            head = f"%v{count}{f':{len(results)}' if len(results) > 1 else ''} = "
            count += 1
        else:
            head = ""
        keys = random.sample("abcdefgh", random.randrange(4))
        attributes = ", ".join(f"{key} = {random.choice(ATTRIBUTES)}" for key in sorted(keys))
        lines.append(f'{head}"t.op{random.randrange(9)}"({", ".join(name for name, _ in operands)})')
        regions = random.choice([0, 0, 0, 1, 2]) if depth < 3 else 0
        if regions:
            lines.append("(")
            for number in range(regions):
                lines.append(", {" if number else "{")
                block([*values], depth + 1)
                lines.append("}")
            lines.append(")")
        if attributes:
            lines.append(f"{{{attributes}}}")
        types = ", ".join(kind for _, kind in operands)
        lines.append(f": ({types}) -> ({', '.join(results)}){location()}\n")
        return list(zip(names, results, strict=True))

    def block(values, depth):
        nonlocal count
        if depth and random.random() < 0.5:
            arguments = [(f"%a{count + number}", random.choice(TYPES)) for number in range(random.randrange(3))]
            count += 3
            if arguments:
                lines.append(f"^bb({', '.join(f'{name}: {kind}' for name, kind in arguments)}):\n")
                values += arguments
        for _ in range(random.randrange(1, 6)):
            values += operation(values, depth)

    block([], 0)
    return "".join(lines)
