"""A program with a child process, through the dialects of editors that take child sessions, and past those that do not."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.dialects.dialect import Dialect
from tests.dialects.editor import WAIT_S, Editor
from tests.dialects.editors import CURRENT, HELIX, NVIM_DAP
from tests.dialects.surroundings import over_stdio

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="no fork there"),
]
Find = Callable[..., Any]
ADOPTING = [each for each in CURRENT if each.initialize.get("supportsStartDebuggingRequest")]


class Child:
    """What `startDebugging` has told the editor to start."""

    def __init__(self, editor: Editor) -> None:
        self._wanted: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._editor = editor
        editor.reverse["startDebugging"] = self._on_request

    async def _on_request(self, arguments: dict[str, Any]) -> None:
        self._wanted.set_result(arguments)

    async def configuration(self) -> dict[str, Any]:
        """Of the child's session, with its `request`."""
        wanted = await asyncio.wait_for(self._wanted, WAIT_S)
        return {**wanted["configuration"], "request": wanted["request"]}


@contextlib.asynccontextmanager
async def connected(dialect: Dialect, configuration: dict[str, Any]) -> AsyncIterator[Editor]:
    """As VS Code does with debugpy's children: straight to the address that it was told."""
    address = configuration["connect"]
    editor = Editor(dialect, *await asyncio.open_connection(address["host"], address["port"]))
    try:
        yield editor
    finally:
        await editor.close()


@contextlib.asynccontextmanager
async def started_again(dialect: Dialect, _configuration: dict[str, Any]) -> AsyncIterator[Editor]:
    """As nvim-dap does where the adapter is a command: a second `dap-ai serve`, which attaches to the address."""
    async with over_stdio(dialect) as editor:
        yield editor


@pytest.mark.parametrize(
    ("dialect", "way"),
    [pytest.param(each, connected, id=str(each)) for each in ADOPTING]
    + [pytest.param(NVIM_DAP, started_again, id="nvim-dap again")],
)
async def test_a_child_stops_and_answers_in_its_own_session_and_in_its_parents_console(
    dialect: Dialect, way: Any, debuggee: Find
):
    program = debuggee("forks")
    line = program.lines["child"]
    async with over_stdio(dialect) as editor:
        child = Child(editor)
        await editor.launch(program.path, (line,), subProcess=True)
        configuration = await child.configuration()
        async with way(dialect, configuration) as second:
            await second.start(configuration, program.path, (line,), ())
            stop = await second.stop()
            assert (stop.line, stop.names["number"]) == (line, "21")
            if way is connected:  # another `dap-ai serve` is another family
                await editor.type("??what is number")
                await editor.shows("number is 21 at")
            await second.type("??what is number", stop.frame_id)
            await second.shows("number is 21 at")
            await second.request("continue", {"threadId": stop.thread_id})
            await editor.shows("parent 3")
            await editor.event("terminated")
            await editor.disconnect()


async def test_an_editor_that_takes_no_child_sessions_runs_the_program_without_them(debuggee: Find):
    program = debuggee("forks")
    async with over_stdio(HELIX) as editor:
        await editor.launch(program.path, (program.lines["parent"],), subProcess=False)
        stop = await editor.stop()
        assert stop.names["code"] == "3"
        await editor.disconnect()
