from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
import time

import pytest

from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.experiments.changes.fix_candidates import candidates, distinct
from dap_ai.system import thread_pool
from tests.patience import patient

WAIT_S = 10.0
HANGS = """
import asyncio, sys, time
from dap_ai.system import thread_pool as threads

async def main():
    hanging = asyncio.create_task(asyncio.to_thread(time.sleep, 600))
    await asyncio.sleep(0.05)
    hanging.cancel()
    return 7

sys.exit(threads.run(main()))
"""


def test_neither_the_loop_nor_the_process_waits_for_a_thread_that_hangs():
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", HANGS], timeout=patient(WAIT_S), capture_output=True)
    assert done.returncode == 7 and done.stderr == b""
    assert time.monotonic() - began < patient(WAIT_S)


def test_a_thread_gives_its_result_or_its_error_and_has_the_context_of_its_task():
    name = contextvars.ContextVar[str]("name")

    def work(number: int) -> str:
        thread_pool.check()
        if not number:
            raise ValueError("none")
        return f"{name.get()} {number}"

    async def main() -> str:
        name.set("task")
        with pytest.raises(ValueError, match="none"):
            await asyncio.to_thread(work, 0)
        return await asyncio.to_thread(work, 3)

    assert thread_pool.run(main()) == "task 3"


def test_a_thread_whose_task_was_cancelled_ends_at_its_next_look():
    ended, begun = threading.Event(), threading.Event()

    def work() -> None:
        try:
            while True:
                begun.set()
                thread_pool.check()
        finally:
            ended.set()

    async def main() -> bool:
        task = asyncio.create_task(asyncio.to_thread(work))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ended.wait(patient(WAIT_S))

    assert thread_pool.run(main())


def test_whoever_waits_with_a_limit_is_not_held_up_and_another_thread_goes_on():
    async def main() -> int:
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(asyncio.to_thread(time.sleep, 5), 0.01)
        return await asyncio.to_thread(lambda: thread_pool.check() or 3)

    assert thread_pool.run(main()) == 3


def test_many_threads_that_hang_keep_no_other_from_beginning():
    over = threading.Event()

    async def main() -> int:
        hanging = [asyncio.create_task(asyncio.to_thread(over.wait)) for _ in range(100)]
        found = await asyncio.wait_for(asyncio.to_thread(lambda: 3), patient(WAIT_S))
        over.set()
        await asyncio.gather(*hanging)
        return found

    assert thread_pool.run(main()) == 3


def test_the_search_for_fixes_looks_at_each_step_whether_it_is_wanted(monkeypatch: pytest.MonkeyPatch):
    def over() -> None:
        raise TimeoutError

    source = SourceFile("/p.py", "def f(a, b):\n    c = a + b\n    return c * 2\n")
    found = candidates(source, {2: 1.0, 3: 1.0})
    monkeypatch.setattr(thread_pool, "check", over)
    with pytest.raises(TimeoutError):
        candidates(SourceFile("/p.py", source.text), {2: 1.0, 3: 1.0})
    with pytest.raises(TimeoutError):
        list(distinct(found))


def test_what_no_task_awaits_is_always_wanted():
    thread_pool.check()
