"""What an agent does to the program with the user's confirmation, on the real debugpy; and how the program goes on then."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.asks import slots
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.debugger import ActionResult
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.contracts.tool_arguments import ContinueTo, Execute, SetBreakpoint, SetVariable, Step
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from tests.integration.live import WAIT_S, Live, live
from tests.patience import patient

pytestmark = pytest.mark.anyio
Find = Callable[..., Any]
Script = Callable[[Any], Awaitable[Any]]


class ScriptedAgent:
    """An agent that does what the test wants; `result` is what came of it."""

    def __init__(self) -> None:
        self.script: Script = asyncio.sleep
        self.result: Any = None

    async def answer(self, ask: AcceptedAsk, debugger: Any, sink: Any) -> Answer:
        self.result = None
        try:
            self.result = await self.script(debugger)
        except RequestFailed as error:
            self.result = error
        return Answer(text="done", stale=not debugger.current)

    async def close(self) -> None:
        pass


class Acting:
    """A program at its first marked line, and an agent that acts."""

    def __init__(self, session: Live, agent: ScriptedAgent, thread_id: int) -> None:
        self.live = session
        self.thread_id = thread_id
        self._agent = agent

    async def begin(self, script: Script) -> str:
        """A question that the agent answers so; its askId."""
        self._agent.script = script
        return str((await self.live.request("ask", {"question": "?"}))["askId"])

    async def end(self) -> Any:
        """What came of it."""
        await self.live.event("askEnded")
        return self._agent.result

    async def use(self, script: Script) -> Any:
        await self.begin(script)
        return await self.end()

    async def act(self, action: Any, frame_id: int = 0) -> ActionResult:
        result = await self.use(lambda debugger: debugger.act(action, frame_id))
        assert isinstance(result, ActionResult), result
        return result

    async def frame_id(self) -> int:
        return await self.live.top_frame(self.thread_id)

    async def line(self) -> int:
        frames = (await self.live.request("stackTrace", {"threadId": self.thread_id}))["stackFrames"]
        return int(frames[0]["line"])

    async def run_on(self) -> str:
        """Lets the program go on; `stopped`, or what it printed."""
        await self.live.request("continue", {"threadId": self.thread_id})
        event = await self.live.event("stopped", "terminated")
        return "stopped" if event["event"] == "stopped" else self.live.output()

    def told(self, name: str) -> list[dict[str, Any]]:
        """Bodies of the events of this name that the client got."""
        return [message["body"] for message in self.live.to_client if message.get("event") == name]


@contextlib.asynccontextmanager
async def acting(
    program: Any, lines: tuple[int, ...], python: str = sys.executable, **initialize: Any
) -> AsyncIterator[Acting]:
    agent = ScriptedAgent()
    async with live(SessionOptions(level="mutate"), agent, **initialize) as session:
        await session.launch(program.path, lines=lines, python=python)
        stop = await session.stopped()
        yield Acting(session, agent, stop["threadId"])


@pytest.fixture
def steps(debuggee: Find) -> Any:
    return debuggee("steps")


@pytest.fixture
async def in_loop(steps: Any) -> AsyncIterator[Acting]:
    """Stopped once in the loop; the breakpoint is taken away, and the client knows `invalidated`."""
    async with acting(steps, (steps.lines["loop"],), supportsInvalidatedEvent=True) as it:
        await it.live.request("setBreakpoints", {"source": {"path": str(steps.path)}, "breakpoints": []})
        yield it


async def test_a_step_is_a_step_the_client_sees_it_and_what_is_read_is_of_the_new_stop(in_loop: Acting, steps: Any):
    async def script(debugger: Any) -> Any:
        before = debugger.stop.epoch
        done = await debugger.act(Step("stepIn"))
        stack = await debugger.request("stackTrace", {"threadId": debugger.stop.thread_id})
        return done.stop, debugger.current, debugger.stop.epoch > before, stack["stackFrames"][0]["name"]

    stop, *read = await in_loop.use(script)
    assert (stop.reason, stop.thread_id) == ("step", in_loop.thread_id)
    assert read == [True, True, "double"]
    assert await in_loop.line() == steps.lines["double"]
    assert len(in_loop.told("continued")) == 1
    assert [body["reason"] for body in in_loop.told("stopped")] == ["breakpoint", "step"]
    assert "total 20" in await in_loop.run_on()


async def test_the_program_goes_on_to_a_line_and_later_past_it(in_loop: Acting, steps: Any):
    done = await in_loop.act(ContinueTo(str(steps.path), steps.lines["double"]))

    assert done.stop is not None
    assert await in_loop.line() == steps.lines["double"]
    assert "total 20" in await in_loop.run_on()


async def test_a_program_that_ends_before_the_line_is_reached_has_ended(in_loop: Acting, steps: Any):
    await in_loop.act(SetVariable("total", "-1"), await in_loop.frame_id())
    assert (await in_loop.act(Step("continue"))).ended


async def test_a_breakpoint_of_the_agent_stops_the_program_while_its_question_lasts(in_loop: Acting, steps: Any):
    async def script(debugger: Any) -> Any:
        place = SetBreakpoint(str(steps.path), steps.lines["double"], "number == 3")
        told = (await debugger.act(place)).result
        stop = (await debugger.act(Step("continue"))).stop
        return told, stop.reason

    told, reason = await in_loop.use(script)

    assert told == f"set on line {steps.lines['double']}"
    assert reason == "breakpoint"
    in_frame = {"expression": "number", "frameId": await in_loop.frame_id(), "context": "hover"}
    assert (await in_loop.live.request("evaluate", in_frame))["result"] == "3"
    assert "total 20" in await in_loop.run_on()


async def test_the_users_breakpoints_hold_beside_the_agents(steps: Any):
    async with acting(steps, (steps.lines["loop"],)) as it:
        seen: list[dict[str, Any]] = []

        async def script(debugger: Any) -> Any:
            await debugger.act(SetBreakpoint(str(steps.path), steps.lines["double"]))
            both = [{"line": steps.lines["loop"]}, {"line": steps.lines["end"]}]
            source = {"path": str(steps.path)}
            seen.append(await it.live.request("setBreakpoints", {"source": source, "breakpoints": both}))
            return (await debugger.act(Step("continue"))).stop.reason

        assert await it.use(script) == "breakpoint"
        assert [each["line"] for each in seen[0]["breakpoints"]] == [steps.lines["loop"], steps.lines["end"]]
        assert await it.line() == steps.lines["double"]
        lines: list[int] = []
        while await it.run_on() == "stopped":
            lines.append(await it.line())
        assert lines == [*[steps.lines["loop"]] * 4, steps.lines["end"]]
        own = {each["id"] for each in seen[0]["breakpoints"]}
        first, at_agents, *later = [set(body.get("hitBreakpointIds", [])) for body in it.told("stopped")]
        assert first
        assert not at_agents
        assert all(hit and hit <= own for hit in later)


async def test_neither_a_file_that_is_not_there_nor_an_expression_that_raises_lets_the_program_go(in_loop: Acting):
    result = await in_loop.use(lambda debugger: debugger.act(ContinueTo("/no/such/file.py", 3)))

    assert isinstance(result, RequestFailed)
    assert "does not exist" in result.user_text
    frame_id = await in_loop.frame_id()
    result = await in_loop.use(lambda debugger: debugger.act(Execute("1/0"), frame_id))
    assert isinstance(result, RequestFailed)
    assert "ZeroDivisionError" in result.user_text
    assert in_loop.told("continued") == []
    assert "total 20" in await in_loop.run_on()


async def test_an_expression_changes_the_program_for_real_and_the_client_reads_anew(in_loop: Acting):
    frame_id = await in_loop.frame_id()
    done = await in_loop.act(Execute("(globals().__setitem__('double', lambda number: 100), 7)[1]"), frame_id)

    assert done.result == "7"
    assert in_loop.told("invalidated") == [{"areas": ["all"]}]
    assert "total 500" in await in_loop.run_on()


async def test_a_variable_and_an_item_are_set_for_real(in_loop: Acting):
    for number, expression in enumerate(("total", "globals()['unused']"), 1):
        done = await in_loop.act(SetVariable(expression, "1000"), await in_loop.frame_id())
        assert done.result == "1000"
        assert in_loop.told("invalidated") == [{"areas": ["all"]}] * number
    assert "total 1020" in await in_loop.run_on()


async def test_an_expression_that_never_ends_is_given_up_and_the_session_lives_on(
    steps: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(slots, "REQUEST_TIMEOUT_S", 1.0)
    async with acting(steps, (steps.lines["loop"],)) as it:
        frame_id = await it.frame_id()
        result = await it.use(lambda debugger: debugger.act(Execute("[None for _ in iter(int, 1)]"), frame_id))

        assert isinstance(result, RequestFailed)
        assert "may still be running" in result.user_text
        assert (await it.live.request("threads"))["threads"]
        assert (await it.live.request("stackTrace", {"threadId": it.thread_id}))["stackFrames"]
        await it.live.request("disconnect", {"terminateDebuggee": True})


async def test_the_program_of_any_python_can_be_acted_on(steps: Any, differing_python: Path):
    async with acting(steps, (steps.lines["loop"],), python=str(differing_python)) as it:
        await it.live.request("setBreakpoints", {"source": {"path": str(steps.path)}, "breakpoints": []})
        frame_id = await it.frame_id()

        async def script(debugger: Any) -> Any:
            await debugger.act(SetVariable("total", "1000"), frame_id)
            shown = await debugger.act(Execute("total + 1"), frame_id)
            there = await debugger.act(ContinueTo(str(steps.path), steps.lines["double"]))
            back = await debugger.act(Step("stepOut"))
            return shown.result, there.stop.reason, back.stop.reason

        assert await it.use(script) == ("1001", "breakpoint", "step")
        assert "total 1020" in await it.run_on()


async def test_consent_is_asked_for_and_given_and_the_users_own_step_ends_the_wait_for_it(in_loop: Acting):
    async def script(debugger: Any) -> Any:
        return await debugger.approve("step", "next", "to see more")

    await in_loop.begin(script)
    asked = await in_loop.live.event("askApproval")
    await in_loop.live.request("askApprove", {"approvalId": asked["approvalId"], "allow": True})

    assert (await in_loop.end()).how == "once"
    await in_loop.begin(script)
    await in_loop.live.event("askApproval")
    await in_loop.live.request("next", {"threadId": in_loop.thread_id})
    assert isinstance(await in_loop.end(), NotStopped)


async def test_a_question_whose_time_is_up_may_still_wait_for_consent(steps: Any):
    agent = ScriptedAgent()
    async with live(
        SessionOptions(level="mutate", ask_timeout_s=patient(1.0), approval_timeout_s=patient(2.0)), agent
    ) as session:
        await session.launch(steps.path, lines=(steps.line,))
        stop = await session.stopped()
        it = Acting(session, agent, stop["threadId"])
        consent = await it.use(lambda debugger: debugger.approve("step", "next", ""))
        assert (consent.allowed, consent.how) == (False, "timeout")


async def test_the_users_pause_wins_over_a_step_that_runs_on(debuggee: Find):
    program = debuggee("runs_on")
    async with acting(program, (program.line,)) as it:
        await it.live.request("setBreakpoints", {"source": {"path": str(program.path)}, "breakpoints": []})
        await it.begin(lambda debugger: debugger.act(Step("continue")))
        await it.live.event("continued")
        await it.live.request("pause", {"threadId": it.thread_id})
        paused = asyncio.ensure_future(it.live.stopped())
        assert isinstance(await it.end(), NotStopped)
        assert (await paused)["reason"] == "pause"


async def test_a_question_cancelled_in_the_middle_takes_its_breakpoints_along(in_loop: Acting, steps: Any):
    waits = asyncio.Event()

    async def script(debugger: Any) -> Any:
        await debugger.act(SetBreakpoint(str(steps.path), steps.lines["double"]))
        waits.set()
        await asyncio.Event().wait()

    ask_id = await in_loop.begin(script)
    await asyncio.wait_for(waits.wait(), WAIT_S)
    await in_loop.live.request("cancel", {"progressId": ask_id})

    assert "total 20" in await in_loop.run_on()
