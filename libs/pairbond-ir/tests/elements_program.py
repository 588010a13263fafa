"""A program of elements and buffers that runs with either library: what it prints is compared. It needs numpy."""

from __future__ import annotations

import random
from typing import Any

CODES = "bhiqBHIQefd?"
TEXTS = [
    "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", "dense<7> : tensor<2x3xi64>", "dense<[1.0, 2.0]> : tensor<2xf16>",
    "dense<[true, false]> : tensor<2xi1>", "dense<true> : tensor<2xi1>", "dense<[1, 2]> : tensor<2xindex>",
    "dense<[1, 2]> : tensor<2xui8>", "dense<[1, -2]> : tensor<2xsi16>", "dense<[1, -2]> : vector<2xi8>",
    "dense<> : tensor<0xi8>", "dense<1> : tensor<i8>",
]  # fmt: skip


def run(ir: Any, seed: int) -> list[str]:
    import numpy

    rng = random.Random(seed)
    shown: list[Any] = []
    with ir.Context(), ir.Location.unknown():
        shape = [rng.randrange(1, 4) for _ in range(rng.randrange(3))]
        count = rng.choice([2, 100])
        values = numpy.array([rng.randrange(count) for _ in range(int(numpy.prod(shape)))]).reshape(shape)
        for code in CODES:
            given = values.astype(code)
            for made in (ir.DenseElementsAttr.get(given), ir.DenseElementsAttr.get(given, signless=False)):
                shown += [made, made.is_splat, len(made), numpy.array(ir.Attribute.parse(str(made))).tolist()]
        try:
            ir.DenseElementsAttr.get(numpy.array(["string"]))
        except ValueError as error:
            shown.append(error)
        wide = numpy.array([rng.randrange(256) for _ in range(16)], dtype=numpy.uint8)
        for kind in (ir.BF16Type.get(), ir.F32Type.get(), ir.IndexType.get(), ir.ComplexType.get(ir.F32Type.get())):
            size = {"bf16": 2, "f32": 4}.get(str(kind), 8)
            shown.append(ir.DenseElementsAttr.get(wide, type=kind, shape=[16 // size]))
        for text in TEXTS:
            found = ir.Attribute.parse(text)
            view = memoryview(found)
            shown += [view.format, view.shape, view.readonly, numpy.array(found).tolist(), type(found).__name__]
            if "f16" not in text:
                shown.append(list(found))
    return [str(it) for it in shown]
