from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from dap_ai.backends.debugpy import backend
from dap_ai.debuggees.python.injection.debugpy_snapshots import DebugpySnapshots
from dap_ai.debuggees.python.injection.inspector import MAGIC
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.load_limits import slack
from tests.conftest import marked_lines
from tests.integration.inspector_client import DEBUGGEES, Client, debugging, end, snapshot
from tests.patience import patient

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
ENDLESS = "[1 for _ in iter(int, 1) if False]"
JOB = "next(each for each in __import__('gc').get_objects() if type(each).__name__ == 'SnapshotJob' and each.memory)"
ANSWER = "__import__('struct').pack('=QQQ2s', 1, 2, 0, b'{}')"
CLAIMS_TO_BE_DONE = f"(__import__('ctypes').memmove({JOB}.memory, {ANSWER}, 26), {ENDLESS})"
NOT_UNDERSTOOD = "unavailable: the copy's answer was not understood"


class Stopped(NamedTuple):
    """A program that stands at its breakpoint."""

    client: Client
    thread_id: int
    frame_id: int
    process: psutil.Process

    async def evaluate(self, expression: str, deadline_s: float = 5.0) -> SnapshotResult:
        query = SnapshotQuery(self.frame_id, expression, deadline_s=deadline_s)
        return await snapshot(self.client.request, query)

    async def go_on(self) -> Stopped:
        """The same program at its next stop."""
        await self.client.request("continue", {"threadId": self.thread_id})
        thread_id = (await self.client.event("stopped"))["threadId"]
        return self._replace(thread_id=thread_id, frame_id=(await self.client.frames(thread_id))[0]["id"])

    async def finish(self) -> str:
        return await asyncio.wait_for(self.client.run_on(self.thread_id), patient(20))


@contextlib.asynccontextmanager
async def stopped(name: str, *lines: int, **launch: Any) -> AsyncIterator[Stopped]:
    """At the first of the lines that it comes to."""
    async with debugging(f"{name}.py", list(lines), **launch) as client:
        thread_id = (await client.event("stopped"))["threadId"]
        frame_id = (await client.frames(thread_id))[0]["id"]
        await client.request(*backend.greeting)
        arguments = {"expression": "__import__('os').getpid()", "context": "clipboard", "frameId": frame_id}
        pid = int((await client.request("evaluate", arguments))["result"])
        yield Stopped(client, thread_id, frame_id, psutil.Process(pid))


@pytest.fixture
def line(debuggee: Callable[..., Any]) -> Callable[[str], int]:
    return lambda name: debuggee(name).line


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def account() -> AsyncIterator[Stopped]:
    """One session for all tests whose copies leave it as it was."""
    async with an_account() as program:
        yield program


@pytest.fixture
async def own_account() -> AsyncIterator[Stopped]:
    """One for a test that does something to it."""
    async with an_account() as program:
        yield program


def an_account() -> contextlib.AbstractAsyncContextManager[Stopped]:
    (line,) = marked_lines((DEBUGGEES / "snapshot_account.py").read_text("utf-8")).values()
    return stopped("snapshot_account", line)


async def test_a_call_is_answered_and_its_effect_stays_in_the_copy(account: Stopped) -> None:
    result = await account.evaluate("acct.withdraw(50)")

    assert result.value is not None
    assert (result.status, result.value.text, result.printed) == ("ok", "50", "withdrew 50\n")


async def test_an_exception_is_a_result(account: Stopped) -> None:
    result = await account.evaluate("acct.withdraw(500)")

    assert (result.status, result.error) == ("raised", "ValueError: not enough money")


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd').read()",
        "open(__file__, 'w')",
        "__import__('socket').socket().connect(('127.0.0.1', 9))",
        "os.kill(os.getpid(), 9)",
        "os.kill(os.getppid(), 0)",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "__import__('subprocess').run(['true'])",
        "threading.Thread(target=print).start()",
        "os.remove(__file__)",
        "os.setpgid(0, 0)",
        "os.memfd_create('x')",
    ],
)
async def test_what_reaches_out_of_the_process_is_refused(account: Stopped, expression: str) -> None:
    result = await account.evaluate(expression)

    assert result.status == "raised", result


async def test_an_attempt_to_reach_out_is_told(account: Stopped) -> None:
    result = await account.evaluate("os.remove('/nowhere')")

    assert result.effects == ["os.remove '/nowhere' -1"]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("os.getpid() == pid", "True"),
        ("[thread.is_alive() for thread in threading.enumerate()]", "[True, True]"),
        ("threading.current_thread().native_id == threading.get_native_id()", "True"),
        ("random.random()", "0.6229016948897019"),
        ("hooks + received", "[]"),
        ("[amount + acct.balance for amount in numbers]", "[101, 102, 103]"),
        ("(lambda: acct.balance)()", "100"),
        ("sys.gettrace() or sys.getprofile()", "None"),
    ],
)
async def test_the_copy_tells_what_the_debuggee_would(account: Stopped, expression: str, text: str) -> None:
    result = await account.evaluate(expression)

    assert result.value is not None, result
    assert result.value.text == text


@pytest.mark.parametrize("expression", [ENDLESS, "forever()", "(lambda: forever())()"])
async def test_what_does_not_end_is_ended_and_nobody_waits_for_it(account: Stopped, expression: str) -> None:
    job = asyncio.ensure_future(account.evaluate(expression, deadline_s=0.6))
    slowest_s = 0.0
    while not job.done():
        started, before = time.monotonic(), slack()
        await account.client.request("threads", {})
        slowest_s = max(slowest_s, (time.monotonic() - started) / max(before, slack()))  # of an idle machine
        await asyncio.sleep(0.02)

    assert ((await job).status, slowest_s < 1) == ("deadline", True)


async def test_memory_is_bounded(account: Stopped) -> None:
    result = await account.evaluate("[0] * 10**9")

    assert result.error == "MemoryError"


async def test_a_crash_of_the_copy_is_told(account: Stopped) -> None:
    result = await account.evaluate("__import__('ctypes').string_at(0)")

    assert result.status == "unavailable: the expression ended its process, by signal 11"


async def test_a_copy_whose_question_is_cancelled_is_ended(account: Stopped) -> None:
    job = asyncio.ensure_future(account.evaluate(ENDLESS, deadline_s=20))
    await asyncio.sleep(0.3)

    job.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await job

    assert account.process.children() == []


@pytest.mark.parametrize(("expression", "status"), [("1", "ok"), (CLAIMS_TO_BE_DONE, NOT_UNDERSTOOD)])
async def test_a_copy_that_has_answered_is_gone_once_its_end_was_asked_for(
    account: Stopped, expression: str, status: str
) -> None:
    snapshots, tokens = DebugpySnapshots(), list[str]()
    query = SnapshotQuery(account.frame_id, expression, deadline_s=20)
    result = await asyncio.wait_for(snapshots.run(account.client.request, query, tokens.append), patient(10))

    await end(account.client.request, snapshots.kill_request(tokens[0], account.frame_id))

    assert (result.status, account.process.children()) == (status, [])


async def test_a_copy_that_nobody_asks_for_ends_itself(own_account: Stopped) -> None:
    begun = False

    async def only_begin(command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        nonlocal begun
        if begun:
            raise RequestFailed(command, "the proxy has ended")
        body = await own_account.client.request(command, arguments)
        begun = ".turn(" in arguments["expression"] and body["result"].strip("'").startswith(MAGIC)
        return body

    with pytest.raises(RequestFailed):
        await DebugpySnapshots().run(only_begin, SnapshotQuery(own_account.frame_id, ENDLESS, deadline_s=0.5))

    (child,) = own_account.process.children()
    began = time.monotonic()
    while child.status() != psutil.STATUS_ZOMBIE and time.monotonic() - began < patient(5):
        await asyncio.sleep(0.05)
    assert child.status() == psutil.STATUS_ZOMBIE


async def test_several_at_once_get_each_its_own_answer(account: Stopped) -> None:
    snapshots, request, frame = DebugpySnapshots(), account.client.request, account.frame_id
    wanted = [*map(str, range(5)), "1 / 0", "os.getcwd(", ENDLESS]
    queries = [SnapshotQuery(frame, text, deadline_s=0.4 if text == ENDLESS else 5.0) for text in wanted]
    tasks = [asyncio.ensure_future(snapshots.run(request, query)) for query in queries[:7]]
    given_up = asyncio.ensure_future(snapshots.run(request, queries[7]))
    elsewhere = asyncio.ensure_future(snapshots.run(request, SnapshotQuery(frame + 1000, "1")))

    found = await asyncio.gather(*tasks)
    given_up.cancel()
    lost = await asyncio.gather(elsewhere, given_up, return_exceptions=True)

    assert [result.value.text for result in found[:5] if result.value] == ["0", "1", "2", "3", "4"]
    assert [result.error.partition(":")[0] for result in found[5:]] == ["ZeroDivisionError", "SyntaxError"]
    assert isinstance(lost[1], asyncio.CancelledError)
    assert isinstance(lost[0], RequestFailed) or lost[0].status.startswith("unavailable")
    assert (await account.evaluate("7")).status == "ok"


async def test_the_program_has_noticed_none_of_its_copies(account: Stopped) -> None:
    assert await account.finish() == "here\n100 0.6229016948897019 [1, 2, 3] [] []\n"


async def test_nothing_is_left_in_a_busy_debuggee_whose_copies_cannot_fork(
    line: Callable[[str], int], differing_python: Path
) -> None:
    python = [str(differing_python)]
    async with stopped("snapshot_robust", line("snapshot_robust"), python=python) as program:
        descriptors = program.process.num_fds()
        for _ in range(8):
            result = await program.evaluate("(shared.__setitem__(0, 9), here, text.name)")
            assert result.status == "ok", result
        endless = await asyncio.gather(*[program.evaluate(ENDLESS, deadline_s=0.4) for _ in range(5)])

        fork = await program.evaluate("os.fork()")  # a lost thread holds what handlers of a fork want

        assert (fork.error, fork.effects) == ("PermissionError: [Errno 1] a snapshot makes no process", ["os.fork"])
        assert {result.status for result in endless} == {"deadline"}
        assert (program.process.children(), program.process.num_fds()) == ([], descriptors)
        assert await program.finish() == "[] [] 1 True\n"


async def test_a_matrix_product_does_not_wait_for_threads_that_were_not_copied(line: Callable[[str], int]) -> None:
    pytest.importorskip("numpy")
    async with stopped("snapshot_numpy", line("snapshot_numpy")) as program:
        result = await program.evaluate("bool(numpy.allclose(a @ a, product))")

    assert result.value is not None, result
    assert result.value.text == "True"


IMPORTING = """
import _imp, threading
taken, go_on = threading.Event(), threading.Event()
def hold():
    _imp.acquire_lock(); taken.set(); go_on.wait(20); _imp.release_lock()
threading.Thread(target=hold, daemon=True).start(); taken.wait()
"""
NO_PROCESSES = """
import os, resource
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)); os.setgid(65534); os.setuid(65534)
"""


@pytest.mark.parametrize(
    ("statements", "status"),
    [
        (IMPORTING, "unavailable: busy: another thread is importing a module"),
        pytest.param(
            NO_PROCESSES,
            "unavailable: no more processes are allowed (RLIMIT_NPROC)",
            marks=pytest.mark.skipif(psutil.Process().uids().real != 0, reason="needs root, to become another user"),
        ),
    ],
)
async def test_where_no_copy_can_be_made_the_reason_is_told(own_account: Stopped, statements: str, status: str) -> None:
    assert (await own_account.evaluate("acct.balance")).status == "ok"
    expression = f"__import__('builtins').exec({statements!r}, {{}})"
    arguments = {"expression": expression, "context": "hover", "frameId": own_account.frame_id}
    await own_account.client.request("evaluate", arguments)

    assert (await own_account.evaluate("acct.balance")).status == status


async def test_nobody_waits_for_an_import_of_another_thread_when_the_first_copy_is_made(own_account: Stopped) -> None:
    expression = f"__import__('builtins').exec({IMPORTING!r}, {{}})"
    arguments = {"expression": expression, "context": "hover", "frameId": own_account.frame_id}
    await own_account.client.request("evaluate", arguments)

    assert (await own_account.evaluate("1")).status == "unavailable: busy: another thread is importing a module"
