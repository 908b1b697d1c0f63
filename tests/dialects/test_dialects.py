"""Every feature through every editor's dialect: the real `dap-ai serve`, the real debugpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.state.client_info import DEFINED_EVENTS
from dap_ai.agent.report.wording import HAPPENED
from tests.dialects.dialect import Dialect
from tests.dialects.editor import Editor, Refused, Stop
from tests.dialects.editors import ALL, CURRENT, DAPE, VS_CODE
from tests.dialects.surroundings import TOKEN, Terminal, over_stdio, over_tcp

pytestmark = pytest.mark.anyio
Find = Callable[..., Any]
ANSWER = "What happened."
LAST_WORDS = "No language model was used"
"""They come when the answer has ended, and not before."""


def through(*dialects: Dialect) -> pytest.MarkDecorator:
    """The test runs once for each of them."""
    return pytest.mark.parametrize("dialect", [pytest.param(d, id=d.name) for d in dialects])


def own_events(editor: Editor) -> set[str]:
    """Events that dap_ai has invented."""
    return {m["event"] for m in editor.messages if m["type"] == "event" and m["event"].startswith("ask")}


async def at_exception(editor: Editor, debuggee: Find, **more: Any) -> Stop:
    """crash.py, stopped where it fails; an editor that sets filters late stops at a breakpoint first."""
    program = debuggee("crash")
    late = "exceptions" not in editor.dialect.configuration
    await editor.launch(program.path, (program.line,) if late else (), ("uncaught",), **more)
    stop = await editor.stop()
    if late:
        await editor.request("continue", {"threadId": stop.thread_id})
        stop = await editor.stop()
    assert stop.reason == "exception"
    return stop


@through(*CURRENT)
async def test_a_session_in_the_editors_terminal_from_launch_to_the_end_of_the_program(
    dialect: Dialect, debuggee: Find
):
    program = debuggee("steps")
    terminal = Terminal()
    async with over_stdio(dialect) as editor:
        editor.reverse["runInTerminal"] = terminal.run
        await editor.launch(program.path, (program.lines["double"],), console="integratedTerminal")
        stop = await editor.stop()
        assert (stop.reason, stop.line, stop.names["number"]) == ("breakpoint", program.lines["double"], "0")
        assert await editor.type("number + 41", stop.frame_id) == "41"
        await editor.request("next", {"threadId": stop.thread_id})
        stop = await editor.stop()
        assert (stop.reason, stop.line) == ("step", program.lines["double"] + 1)
        await editor.request("setBreakpoints", {"source": {"path": str(program.path)}, "breakpoints": []})
        await editor.request("continue", {"threadId": stop.thread_id})
        await editor.event("terminated")
        with pytest.raises(Refused, match="ended"):
            await editor.type("??")
        await editor.disconnect()
        assert b"total 20" in await terminal.printed()


@through(*ALL)
async def test_the_consoles_words_ask_follow_up_help_and_stop_and_are_completed(dialect: Dialect, debuggee: Find):
    async with over_tcp(dialect) as editor:
        stop = await at_exception(editor, debuggee, dapAiToken=TOKEN)
        await editor.type("??", stop.frame_id)
        await editor.shows(ANSWER)
        await editor.shows(LAST_WORDS)
        assert (await editor.read(stop.thread_id, stop.reason)).names["people"] == "0"
        completed = await editor.request("completions", {"text": "??st", "column": 5, "frameId": stop.frame_id})
        assert [item["label"] for item in completed["targets"]] == ["??stop"]
        completed = await editor.request("completions", {"text": "peop", "column": 5, "frameId": stop.frame_id})
        assert "people" in [item["label"] for item in completed["targets"]]
        assert "??stop" in await editor.type("??help", stop.frame_id)
        assert await editor.type("??stop", stop.frame_id) == "nothing is being answered"
        await editor.type("??why", stop.frame_id)
        assert await editor.type("??stop", stop.frame_id) == "cancelled"
        await editor.shows("[cancelled]")
        answered = len(editor.console)
        await editor.type("??new what is people?", stop.frame_id)
        await editor.until(lambda: "people" in editor.console[answered:].partition("\n")[2], "the new answer")
        assert own_events(editor) == set(), "no event of dap_ai's own goes to an editor that has not sent `ask`"
        await editor.request("continue", {"threadId": stop.thread_id})
        await editor.shows("ZeroDivisionError: division by zero")
        await editor.event("terminated")
        await editor.disconnect()


@through(VS_CODE, DAPE)
async def test_an_editor_that_can_send_ask_gets_its_events_and_can_cancel(dialect: Dialect, debuggee: Find):
    async with over_stdio(dialect) as editor:
        stop = await at_exception(editor, debuggee)
        asked = await editor.request("ask", {"question": "why?"})
        await editor.request("cancel", {"progressId": asked["askId"]})
        assert (await editor.event("askEnded"))["reason"] == "cancelled"
        if dialect.initialize.get("supportsProgressReporting"):
            assert (await editor.event("progressEnd"))["progressId"] == asked["askId"]
        await editor.request("cancel", {"requestId": editor.dialect.first_seq})
        assert (await editor.request("threads"))["threads"]
        asked = await editor.request("ask", {"question": "why?", "threadId": stop.thread_id, "frameId": stop.frame_id})
        ended = await editor.event("askEnded")
        assert (ended["askId"], ended["reason"]) == (asked["askId"], "completed")
        assert ANSWER in ended["answer"]
        if dialect.initialize.get("supportsProgressReporting"):
            assert (await editor.event("progressEnd"))["progressId"] == asked["askId"]
        await editor.disconnect()


@through(VS_CODE)
async def test_an_editor_that_crashes_leaves_nothing_behind(dialect: Dialect, debuggee: Find):
    async with over_stdio(dialect) as editor:
        stop = await at_exception(editor, debuggee)
        await editor.type("??", stop.frame_id)
        await editor.close()


@through(*(each for each in ALL if each.one_line))
async def test_a_status_line_ends_with_the_file_that_holds_the_answer(dialect: Dialect, debuggee: Find, tmp_path: Path):
    file = tmp_path / "answer.md"
    async with over_stdio(dialect, "--answer-file", str(file)) as editor:
        stop = await at_exception(editor, debuggee)
        await editor.type("??", stop.frame_id)
        if dialect.initialize["supportsProgressReporting"]:
            await editor.event("progressEnd")
        await editor.shows(str(file))
        assert editor.status.strip("· \n") == str(file)
        assert HAPPENED in file.read_text()
        assert {m["event"] for m in editor.messages if m["type"] == "event"} <= DEFINED_EVENTS
        await editor.disconnect()
