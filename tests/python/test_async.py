"""`async fn` of Rust, awaited from asyncio, on tokio."""

from __future__ import annotations

import asyncio
import collections.abc
import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import pairbond_testext as ext
import pytest


def test_a_result_is_awaited():
    async def main():
        assert await ext.sleep_for(0.001, "done") == "done"
        assert await ext.at_once() == 3
        value = object()
        assert await ext.sleep_for(0, value) is value
        # No exception takes it apart.
        assert await ext.sleep_for(0, (1, 2)) == (1, 2)

    asyncio.run(main())


def test_it_is_a_coroutine():
    coroutine = ext.at_once(5)
    assert isinstance(coroutine, collections.abc.Coroutine)
    assert asyncio.iscoroutine(coroutine)
    assert (coroutine.__name__, coroutine.__qualname__) == ("at_once", "at_once")
    assert asyncio.run(coroutine) == 5
    with pytest.raises(RuntimeError, match="cannot reuse already awaited coroutine"):
        asyncio.run(coroutine)


def test_many_at_once():
    async def main():
        start = asyncio.get_running_loop().time()
        found = await asyncio.gather(*(ext.sleep_for(0.05, i) for i in range(200)))
        assert found == list(range(200))
        # One after the other they would take ten seconds.
        assert asyncio.get_running_loop().time() - start < 8

    asyncio.run(main())


def test_errors_are_raised():
    async def main():
        with pytest.raises(ValueError, match="less than zero"):
            await ext.at_once(-1)
        with pytest.raises(TypeError, match="expected an int"):
            ext.at_once("text")

        def fails():
            raise LookupError("mine")

        with pytest.raises(LookupError, match="mine"):
            await ext.call_later(fails)

    asyncio.run(main())


def test_panics_are_exceptions():
    async def main():
        coroutine = ext.panic_later()
        with pytest.raises(BaseException, match="in a future") as caught:
            await coroutine
        assert "Panic" in type(caught.value).__name__
        with pytest.raises(RuntimeError, match="cannot reuse"):
            await coroutine

    asyncio.run(main())


def test_a_future_that_wakes_itself():
    async def main():
        assert await ext.yield_times(100) == 100

    asyncio.run(main())


def test_tasks_are_cancelled():
    async def main():
        before = ext.futures_dropped()
        task = asyncio.create_task(ext.sleep_for(1000, None))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ext.futures_dropped() == before + 1
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await asyncio.wait_for(ext.sleep_for(1000, None), 0.01)
        assert ext.futures_dropped() == before + 2

    asyncio.run(main())


def test_close_and_throw():
    async def main():
        before = ext.futures_dropped()
        coroutine = ext.sleep_for(1000, None)
        coroutine.send(None)
        coroutine.close()
        coroutine.close()
        assert ext.futures_dropped() == before + 1
        with pytest.raises(RuntimeError, match="cannot reuse"):
            coroutine.send(None)
        coroutine = ext.sleep_for(1000, None)
        coroutine.send(None)
        with pytest.raises(KeyError, match="mine"):
            coroutine.throw(KeyError("mine"))
        with pytest.raises(KeyError):
            coroutine.throw(KeyError, "mine")
        assert ext.futures_dropped() == before + 2

    asyncio.run(main())


def test_a_future_dies_with_its_coroutine():
    async def main():
        before = ext.futures_dropped()
        coroutine = ext.sleep_for(1000, None)
        coroutine.send(None)
        del coroutine
        gc.collect()
        assert ext.futures_dropped() == before + 1

    asyncio.run(main())


def test_not_awaiting_warns():
    def forget():
        ext.at_once()
        gc.collect()

    with pytest.warns(RuntimeWarning, match="coroutine 'at_once' was never awaited"):
        forget()


def test_outside_of_a_loop():
    coroutine = ext.at_once()
    with pytest.raises(RuntimeError, match="no running event loop"):
        coroutine.send(None)
    coroutine.close()


def test_methods_keep_their_object():
    async def main():
        bell = ext.Bell()
        task = asyncio.create_task(bell.wait())
        await asyncio.sleep(0.01)
        bell.ring()
        assert await task == 1
        assert bell.heard == 1
        assert bell.wait.__name__ == "wait"

        alone = weakref.ref(bell)
        waiting = bell.wait()
        waiting.send(None)
        del bell, task
        gc.collect()
        assert alone() is not None
        alone().ring()
        waiting.close()
        del waiting
        gc.collect()
        assert alone() is None

        one, other = ext.Bell(), ext.Bell()
        task = asyncio.create_task(one.wait_for(other))
        await asyncio.sleep(0.01)
        other.ring()
        assert await task == 1
        assert other.heard == 1

    asyncio.run(main())


def test_a_future_that_is_polled_cannot_be_polled():
    async def main():
        def again():
            with pytest.raises(ValueError, match="already executing"):
                coroutine.send(None)
            with pytest.raises(ValueError, match="already executing"):
                coroutine.close()
            return "once"

        coroutine = ext.call_later(again)
        assert await coroutine == "once"

    asyncio.run(main())


def test_several_event_loops():
    found = []

    def run(number):
        async def main():
            return await asyncio.gather(*(ext.sleep_for(0.001 * (i % 5), (number, i)) for i in range(100)))

        found.append((number, asyncio.run(main())))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(number, [(number, i) for i in range(100)]) for number in range(4)]


def test_a_bell_in_another_loop():
    """What wakes a future may run in any thread."""
    bell, ready = ext.Bell(), threading.Event()

    def listen():
        async def main():
            task = asyncio.create_task(bell.wait())
            await asyncio.sleep(0)
            ready.set()
            return await task

        found.append(asyncio.run(main()))

    found = []
    thread = threading.Thread(target=listen)
    thread.start()
    ready.wait()
    bell.ring()
    thread.join()
    assert found == [1]


def run_apart(code):
    code = "import asyncio\nimport pairbond_testext as ext\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_the_end_while_futures_wait():
    out, err = run_apart("""
        async def main():
            global kept
            kept = [ext.sleep_for(0.02 * i, i) for i in range(50)]
            for it in kept:
                it.send(None)
            print(await ext.sleep_for(0.01, "ends"))

        asyncio.run(main())
    """)
    assert out == "ends"
    assert "rror" not in err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_a_runtime():
    out, _ = run_apart("""
        import os, sys, warnings
        warnings.simplefilter("ignore")
        print(asyncio.run(ext.sleep_for(0.001, "parent")), flush=True)
        child = os.fork()
        if child == 0:
            print(asyncio.run(ext.sleep_for(0.001, "child")), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(asyncio.run(ext.sleep_for(0.001, "again")))
    """)
    assert out.split() == ["parent", "child", "again"]


def test_signatures_in_stubs():
    from pairbond._stubs import stub

    text = stub(ext)
    assert "def at_once(value: int = 3) -> Coroutine[Any, Any, int]" in text
    assert "def wait(self) -> Coroutine[Any, Any, int]" in text
    assert "from collections.abc import Callable, Coroutine" in text
