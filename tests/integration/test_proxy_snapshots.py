"""Snapshots through the proxy, on the real debugpy: what an ask evaluates, and that nobody waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.adapter.io.ask_debugger import SWITCHED_OFF
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.tools.base import UNCHANGED
from dap_ai.agent.tools.evaluate import BY_ALLOW_LIST
from dap_ai.settings.configuration import Settings
from tests.integration.live import WAIT_S, Live, live
from tests.patience import patient

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
Find = Callable[..., Any]


class Session:
    """A program that stands at its breakpoint, and an agent that answers about it."""

    def __init__(self, live_session: Live, thread_id: int, pid: int) -> None:
        self.live = live_session
        self.thread_id = thread_id
        self.debuggee = psutil.Process(pid)
        self._ended: dict[str, dict[str, Any]] = {}
        self._news = asyncio.Event()
        live_session.client.on_event(self._on_event)

    async def begin(self, name: str, **arguments: Any) -> str:
        """A tool's askId; it runs."""
        body = await self.live.request("askTool", {"name": name, "arguments": arguments})
        return str(body["askId"])

    async def end_of(self, ask_id: str) -> dict[str, Any]:
        """Its askEnded."""
        while ask_id not in self._ended:
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), WAIT_S)
        return self._ended[ask_id]

    def _on_event(self, name: str, body: dict[str, Any]) -> None:
        if name == "askEnded":
            self._ended[body["askId"]] = body
            self._news.set()

    async def use(self, name: str, **arguments: Any) -> str:
        """What a tool answers."""
        return str((await self.end_of(await self.begin(name, **arguments)))["answer"])

    async def ask(self, question: str, **arguments: Any) -> dict[str, Any]:
        """The end of an answer."""
        return await self.end_of((await self.live.request("ask", {"question": question, **arguments}))["askId"])

    async def copy_is_there(self) -> None:
        """Returns once the debuggee has a child."""
        until = time.monotonic() + WAIT_S
        while not self.debuggee.children():
            assert time.monotonic() < until
            await asyncio.sleep(0.005)

    async def run_on(self) -> str:
        """Lets the program run to its end; what it printed."""
        await self.live.request("continue", {"threadId": self.thread_id})
        await self.live.event("terminated")
        return self.live.output()


@contextlib.asynccontextmanager
async def session(program: Any, options: SessionOptions | None = None) -> AsyncIterator[Session]:
    async with live(options, SessionAgent(Settings())) as it:
        await it.launch(program.path, lines=(program.line,))
        stop = await it.stopped()
        process = next(m["body"] for m in it.to_client if m.get("event") == "process")
        yield Session(it, stop["threadId"], process["systemProcessId"])


@pytest.fixture
async def account(debuggee: Find) -> AsyncIterator[Session]:
    async with session(debuggee("snapshot_account")) as it:
        yield it


@pytest.fixture
async def children(debuggee: Find) -> AsyncIterator[Session]:
    async with session(debuggee("snapshot_children")) as it:
        yield it


async def test_a_question_that_names_a_call_is_answered_in_a_snapshot(account: Session):
    answer = (await account.ask("what does acct.withdraw(50) return?"))["answer"]

    assert f"`acct.withdraw(50)` evaluates to `50` ({UNCHANGED})" in answer
    assert "withdrew 50" in answer
    assert (await account.run_on()).startswith("here\n100 ")


async def test_a_step_in_a_snapshot_is_reported_as_one(account: Session):
    await account.use("evaluate", expression="acct.withdraw(50)")

    steps = [m["body"]["tool"] for m in account.live.to_client if m.get("event") == "askOutput" if "tool" in m["body"]]
    assert [step["name"] for step in steps if step.get("snapshot")] == ["snapshot"]


async def test_a_trace_shows_the_lines_that_a_call_runs(account: Session):
    answer = await account.use("trace", expression="acct.withdraw(50)")

    assert "withdraw(" in answer
    assert "self.balance -= amount" in answer
    assert "did not run" in answer


async def test_a_slice_shows_where_a_value_was_made(account: Session):
    assert "acct = Account(100)" in await account.use("slice", expression="acct")


async def test_an_endless_expression_that_is_cancelled_leaves_no_process(children: Session):
    ask_id = await children.begin("trace", expression="forever()")
    await children.copy_is_there()

    await children.live.request("cancel", {"progressId": ask_id})

    assert (await children.end_of(ask_id))["reason"] == "cancelled"
    assert (await children.run_on()).splitlines() == ["children 0", "balance 100"]


async def test_a_resume_in_the_middle_ends_the_copy_before_the_next_line_runs(children: Session):
    ask_id = await children.begin("trace", expression="forever()")
    await children.copy_is_there()

    assert (await children.run_on()).splitlines() == ["children 0", "balance 100"]
    assert (await children.end_of(ask_id))["stale"] is True


async def test_a_resume_and_threads_wait_for_no_copy(children: Session):
    ask_id = await children.begin("trace", expression="forever()")
    await children.copy_is_there()

    await children.live.request("threads")
    assert children.debuggee.children()
    await children.live.request("next", {"threadId": children.thread_id})
    ended = await children.end_of(ask_id)
    assert (ended["reason"], ended["stale"]) == ("notStopped", True), "it ran to its own end"


async def test_five_asks_at_once_each_have_their_copy(children: Session):
    asks = [await children.begin("evaluate", expression=f"balance + {n}") for n in range(5)]

    answers = [(await children.end_of(ask))["answer"] for ask in asks]
    assert [f"evaluates to `{100 + n}`" in answer for n, answer in enumerate(answers)] == [True] * 5
    assert "children 0" in await children.run_on()


async def test_a_disconnect_in_the_middle_leaves_no_process(children: Session):
    await children.begin("trace", expression="forever()")
    await children.copy_is_there()
    processes = [children.debuggee, *children.debuggee.children()]

    await children.live.request("disconnect", {"terminateDebuggee": True})
    await children.live.client.close()

    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, patient(10))
    assert alive == []


async def test_where_snapshots_are_off_the_status_says_under_what_a_call_was_evaluated(debuggee: Find):
    async with session(debuggee("snapshot_account"), SessionOptions(snapshots=False)) as it:
        end = await it.ask("evaluate len(hooks)")
        statuses = [m["body"]["output"] for m in it.live.to_client if m.get("event") == "askOutput"]

    assert end["answer"] == "`len(hooks)` is `0`.\n"
    assert f"{BY_ALLOW_LIST} {SWITCHED_OFF}" in statuses


async def test_at_the_level_observe_no_copy_is_made(account: Session):
    end = await account.ask("evaluate acct.withdraw(50)", level="observe")

    assert "was not evaluated" in end["answer"]
    assert "at the level observe" in end["answer"]
    assert account.debuggee.children() == []
