"""Graphs of four libraries in other processes: a lock file, programs of a compiler, weights of a network, a document.

Each goes there, is looked at and changed there, and comes back: through multiprocessing and concurrent.futures, by
spawn and by forkserver, and through Dask and Ray on this machine.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy
import pairbond
import pytest
import work

METHODS = [it for it in ("spawn", "forkserver") if it in multiprocessing.get_all_start_methods()]
#: A megabyte of numbers.
COUNT = 125_000


@pytest.fixture(params=METHODS)
def context(request) -> multiprocessing.context.BaseContext:
    return multiprocessing.get_context(request.param)


def expected(kind: str) -> BaseException:
    """The error as it is here."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        work.fail(kind)
    return raised.value


def same_error(error: BaseException, kind: str) -> None:
    """Of one class, with the same words, notes and attributes."""
    here = expected(kind)
    assert type(error) is type(here)
    assert str(error) == str(here)
    notes = [note for note in getattr(error, "__notes__", []) if "Traceback" not in note]
    assert notes == getattr(here, "__notes__", [])
    if kind == "python":
        assert error.level == 3


KINDS = ("native", "erased", "python")


class TestMultiprocessing:
    def test_there_and_back(self, context) -> None:
        graph = work.all_of_it()
        with context.Pool(1) as pool:
            back, there = pool.apply_async(work.change, (graph,)).get(120)
        assert there != os.getpid()
        assert work.is_changed(back)
        assert work.is_whole(graph)
        assert not hasattr(graph[0]["app"], "seen"), "what was sent is not what came back"

    def test_through_a_queue(self, context) -> None:
        queue, answers = context.SimpleQueue(), context.SimpleQueue()
        process = context.Process(target=answer, args=(queue, answers))
        process.start()
        queue.put(work.all_of_it())
        assert work.is_changed(answers.get()[0])
        process.join(60)
        assert process.exitcode == 0

    @pytest.mark.parametrize("kind", KINDS)
    def test_errors(self, context, kind) -> None:
        with context.Pool(1) as pool, pytest.raises(Exception) as raised:  # noqa: PT011
            pool.apply_async(work.fail, (kind,)).get(120)
        same_error(raised.value, kind)


def answer(queue, answers) -> None:
    answers.put(work.change(queue.get()))


class TestConcurrentFutures:
    def test_there_and_back(self, context) -> None:
        with ProcessPoolExecutor(2, context) as pool:
            graphs = [work.all_of_it() for _ in range(4)]
            for back, there in pool.map(work.change, graphs, timeout=120):
                assert there != os.getpid()
                assert work.is_changed(back)

    @pytest.mark.parametrize("kind", KINDS)
    def test_errors(self, context, kind) -> None:
        with ProcessPoolExecutor(1, context) as pool:
            same_error(pool.submit(work.fail, kind).exception(120), kind)


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    distributed = pytest.importorskip("distributed", reason="distributed has no wheel for this interpreter")
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        distributed.LocalCluster(**workers, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


class TestDask:
    def test_there_and_back(self, client) -> None:
        back, there = client.submit(work.change, work.all_of_it(), pure=False).result(timeout=120)
        assert there != os.getpid()
        assert work.is_changed(back)

    def test_stays_there(self, client) -> None:
        """A future of one task is the argument of the next, on another worker."""
        first, second = client.scheduler_info()["workers"]
        graph = client.submit(work.all_of_it, workers=[first], pure=False)
        assert client.submit(work.is_whole, graph, workers=[second], pure=False).result(timeout=120)

    @pytest.mark.parametrize("kind", KINDS)
    def test_errors(self, client, kind) -> None:
        same_error(client.submit(work.fail, kind, pure=False).exception(timeout=120), kind)

    def test_arrays_go_out_of_band(self, client) -> None:
        from distributed.protocol import deserialize, serialize

        array = pairbond.Array(range(COUNT), dtype="float64")
        header, frames = serialize(array)
        there = {memoryview(it).nbytes: memoryview(it) for it in frames}
        assert 8 * COUNT in there
        assert sum(size for size in there if size != 8 * COUNT) < 4000
        # The very memory, on both sides.
        array[0] = 5
        assert there[8 * COUNT].cast("B").cast("d")[0] == 5
        assert deserialize(header, frames)[1] == array[1]
        assert client.submit(work.largest, array, pure=False).result(timeout=120) == (COUNT - 1, 8 * COUNT)


@pytest.fixture(scope="module")
def ray() -> Iterator[object]:
    ray = pytest.importorskip("ray", reason="ray has no wheel for this interpreter")
    # Workers find what this process finds; nothing is looked for on a network, and nothing reported.
    path = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    ray.init(num_cpus=1, include_dashboard=False, configure_logging=False, runtime_env={"env_vars": path})
    yield ray
    ray.shutdown()


@pytest.mark.filterwarnings("ignore")
class TestRay:
    def test_there_and_back(self, ray) -> None:
        back, there = ray.get(ray.remote(work.change).remote(work.all_of_it()), timeout=120)
        assert there != os.getpid()
        assert work.is_changed(back)

    @pytest.mark.parametrize("kind", KINDS)
    def test_errors(self, ray, kind) -> None:
        with pytest.raises(ray.exceptions.RayTaskError) as raised:
            ray.get(ray.remote(work.fail).remote(kind), timeout=120)
        same_error(raised.value.cause, kind)

    def test_arrays_go_out_of_band(self, ray) -> None:
        array = pairbond.Array(range(COUNT), dtype="float64")
        assert ray.get(ray.remote(work.largest).remote(array), timeout=120) == (COUNT - 1, 8 * COUNT)
        # What is read from the store of objects is its memory, which must not be written to.
        assert ray.get(ray.put(array)).readonly


class TestOutOfBand:
    def test_not_a_byte_is_copied(self) -> None:
        array = pairbond.Array(range(COUNT), dtype="float64")
        graph = {"one": array, "same": array}
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(graph, protocol=5, buffer_callback=buffers.append)
        assert len(data) < 4000
        assert [it.raw().nbytes for it in buffers] == [8 * COUNT]
        back = pickle.loads(data, buffers=buffers)
        assert back["one"] is back["same"]
        back["one"][0] = 7
        assert array[0] == 7
        assert numpy.shares_memory(numpy.asarray(array), numpy.asarray(back["one"]))

    def test_shared_memory_between_processes(self, context) -> None:
        """The buffers lie in shared memory, and the other process computes where they lie."""
        from multiprocessing.shared_memory import SharedMemory

        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(pairbond.Array(range(COUNT), dtype="float64"), protocol=5, buffer_callback=buffers.append)
        memory = SharedMemory(create=True, size=8 * COUNT)
        try:
            memory.buf[: 8 * COUNT] = buffers[0].raw()
            process = context.Process(target=double, args=(data, memory.name))
            process.start()
            process.join(60)
            assert process.exitcode == 0
            array = pickle.loads(data, buffers=[memory.buf[: 8 * COUNT]])
            assert (array[1], array[COUNT - 1]) == (2, 2 * (COUNT - 1))
            del array
        finally:
            import gc

            gc.collect()
            memory.close()
            memory.unlink()


def double(data: bytes, name: str) -> None:
    from multiprocessing.shared_memory import SharedMemory

    memory = SharedMemory(name=name)
    array = pickle.loads(data, buffers=[memory.buf[: 8 * COUNT]])
    numbers = numpy.asarray(array)
    numbers *= 2
    del numbers, array
    memory.close()
