"""Random functions with control flow, in the generic form."""

from __future__ import annotations

import random


class Function:
    """Blocks whose branches go anywhere. Values are used in their own block, those of the entry everywhere."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0
        self.kinds = [[] if number == 0 else ["i32"] * rng.choice([0, 0, 1, 2]) for number in range(rng.randint(2, 7))]
        self.everywhere = {"i32": ["%x", "%y"], "i1": ["%c", "%d"]}

    def text(self) -> str:
        blocks = "".join(self.block(number) for number in range(len(self.kinds)))
        kind = "(i32, i32, i1, i1) -> i32"
        return f'"func.func"() <{{function_type = {kind}, sym_name = "f"}}> ({{\n{blocks}}}) : () -> ()\n'

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def block(self, number: int) -> str:
        rng = self.rng
        arguments = [self.name() for _ in self.kinds[number]]
        known = {kind: [*values] for kind, values in self.everywhere.items()}
        known["i32"] += arguments
        if number == 0:
            lines = ["^bb0(%x: i32, %y: i32, %c: i1, %d: i1):"]
        else:
            shown = ", ".join(f"{it}: i32" for it in arguments)
            lines = [f"^bb{number}({shown}):" if shown else f"^bb{number}:"]
        for _ in range(rng.choice([0, 0, 1, 2])):
            lines.append(self.operation(known))
        if number == 0:
            self.everywhere = known
        return "\n  ".join([*lines, self.end(known)]) + "\n"

    def operation(self, known: dict[str, list[str]]) -> str:
        rng, made = self.rng, self.name()
        kind = rng.randrange(5)
        if kind == 0:
            known["i1"].append(made)
            return f'{made} = "arith.constant"() <{{value = {rng.choice(["true", "false"])}}}> : () -> i1'
        if kind == 1:
            known["i32"].append(made)
            return f'{made} = "arith.constant"() <{{value = {rng.randrange(3)} : i32}}> : () -> i32'
        if kind == 2:
            a, b = rng.choices(known["i32"], k=2)
            known["i32"].append(made)
            return f'{made} = "arith.muli"({a}, {b}) <{{overflowFlags = #arith.overflow<none>}}> : (i32, i32) -> i32'
        if kind == 3:
            known["i32"].append(made)
            return f'{made} = "my.read"() : () -> i32'
        what = rng.choice(["i1", "i32"])
        return f'"my.use"({rng.choice(known[what])}) : ({what}) -> ()'

    def edge(self, known: dict[str, list[str]]) -> tuple[int, list[str]]:
        target = self.rng.randrange(1, len(self.kinds))
        return target, self.rng.choices(known["i32"], k=len(self.kinds[target]))

    def end(self, known: dict[str, list[str]]) -> str:
        rng = self.rng
        kind = rng.randrange(8)
        if kind < 2:
            return f'"func.return"({rng.choice(known["i32"])}) : (i32) -> ()'
        if kind < 4:
            return branch("cf.br", None, [self.edge(known)], "")
        edges = [self.edge(known) for _ in range(2 if kind < 7 else 3)]
        sizes = [len(values) for _, values in edges]
        if kind < 7:
            own = f"operandSegmentSizes = array<i32: 1, {sizes[0]}, {sizes[1]}>"
            return branch("cf.cond_br", (rng.choice(known["i1"]), "i1"), edges, own)
        own = (
            f"case_operand_segments = array<i32: {sizes[1]}, {sizes[2]}>, case_values = dense<[0, 1]> : tensor<2xi32>, "
            f"operandSegmentSizes = array<i32: 1, {sizes[0]}, {sizes[1] + sizes[2]}>"
        )
        return branch("cf.switch", (rng.choice(known["i32"]), "i32"), edges, own)


def branch(name: str, flag: tuple[str, str] | None, edges: list[tuple[int, list[str]]], own: str) -> str:
    operands = [flag[0]] if flag else []
    kinds = [flag[1]] if flag else []
    for _, values in edges:
        operands += values
        kinds += ["i32"] * len(values)
    targets = ", ".join(f"^bb{target}" for target, _ in edges)
    own = f" <{{{own}}}>" if own else ""
    return f'"{name}"({", ".join(operands)})[{targets}]{own} : ({", ".join(kinds)}) -> ()'


def function_text(rng: random.Random) -> str:
    return Function(rng).text()
