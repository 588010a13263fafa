"""Graphs that travel to other processes and come back."""

import importlib.util
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pairbond
import pytest
import serial_graphs as graphs

HERE = Path(__file__).parent


@pytest.mark.parametrize("method", [m for m in ("spawn", "fork") if m in multiprocessing.get_all_start_methods()])
def test_multiprocessing(method, tmp_path):
    # In a process of its own: forking the one that runs the tests would take its threads and traces along.
    code = f"""
import multiprocessing, sys
import serial_graphs as graphs
if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(1) as pool:
        roots = pool.apply_async(graphs.change, (graphs.graph(),)).get(60)
        assert graphs.is_whole(roots) and roots[2].value == "seen"
        print("whole")
"""
    script = tmp_path / "travel.py"
    script.write_text(code)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, timeout=120)
    assert run.stdout.strip() == "whole", run.stderr


@pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the package distributed is not installed (no wheels here)"
)
def test_dask(tmp_path):
    # The root is a native list: of a plain one Dask serialises each element by itself, also of plain Python objects.
    code = """
import pairbond
import serial_graphs as graphs
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            roots = client.submit(graphs.change, pairbond.List(graphs.graph())).result(timeout=120)
            assert graphs.is_whole(roots) and roots[2].value == "seen"
            there = client.scatter(pairbond.List(graphs.graph()))
            assert client.submit(graphs.is_whole, there).result(timeout=120)
            print("whole")
"""
    script = tmp_path / "travel.py"
    script.write_text(code)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, timeout=120)
    assert run.stdout.strip().endswith("whole"), run.stderr


def test_graph_is_what_it_says():
    assert graphs.is_whole(graphs.graph())
    assert pairbond.structural_equal(graphs.graph()[1].next, graphs.change(graphs.graph())[1].next) is False
