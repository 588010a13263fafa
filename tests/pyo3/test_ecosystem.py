"""Crates that stand on PyO3 work beside pairbond: numpy and pyo3-async-runtimes."""

from __future__ import annotations

import asyncio

import pymixed
import pytest

if not hasattr(pymixed, "scaled"):
    pytest.skip("the module was built without the crates numpy and pyo3-async-runtimes", allow_module_level=True)


def test_numpy() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed for this interpreter")
    node = pymixed.Node("abc")
    values, same = pymixed.scaled(node, numpy.array([1.0, 2.0]))
    assert same is node
    assert values.tolist() == [3.0, 6.0]


def test_async_runtimes() -> None:
    node = pymixed.Node("a")

    async def run() -> list[object]:
        return await asyncio.gather(*(pymixed.later(node) for _ in range(20)))

    assert all(it is node for it in asyncio.run(run()))
