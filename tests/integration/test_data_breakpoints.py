"""The answer at a hit data breakpoint names the variable, its values, and the line that wrote it. Real lldb-dap."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.backends.lldb import LldbBackend
from dap_ai.settings.configuration import Settings
from tests.integration import native
from tests.integration.live import Live, live

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def watching(adapter: str, tmp_path: Path, *names: str) -> AsyncGenerator[tuple[Live, int]]:
    """A program stopped in its loop, without breakpoints but a data breakpoint for each name; its thread's id."""
    argv = native.need(adapter)
    source, loop = native.SOURCES / "watched.c", native.lines("watched")["loop"]
    program = native.build(source, tmp_path)
    async with live(agent=SessionAgent(Settings()), backend=LldbBackend(argv[0])) as session:
        await session.start("launch", {"program": str(program)}, {source: [loop]}, ())
        thread_id = (await session.stopped())["threadId"]
        found = await variables(session, thread_id)
        await watch(session, *((name, found[name]) for name in names))
        await session.request("setBreakpoints", {"source": {"path": str(source)}, "breakpoints": []})
        yield session, thread_id


async def variables(session: Live, thread_id: int) -> dict[str, int]:
    """The reference that lists each variable of the innermost frame; the client reads them all."""
    frame = await session.top_frame(thread_id)
    found: dict[str, int] = {}
    for scope in (await session.request("scopes", {"frameId": frame}))["scopes"][:2]:
        reference = scope["variablesReference"]
        rows = (await session.request("variables", {"variablesReference": reference}))["variables"]
        found |= {row["name"]: reference for row in rows}
    return found


async def watch(session: Live, *named: tuple[str, int]) -> None:
    breakpoints: list[dict[str, Any]] = []
    for name, reference in named:
        info = await session.request("dataBreakpointInfo", {"variablesReference": reference, "name": name})
        breakpoints.append({"dataId": info["dataId"], "accessType": "write"})
    await session.request("setDataBreakpoints", {"breakpoints": breakpoints})


async def first_line(session: Live, thread_id: int) -> str:
    await session.request("continue", {"threadId": thread_id})
    await session.stopped()
    await session.request("ask", {"question": ""})
    return (await session.event("askEnded"))["answer"].split("\n")[0]


@pytest.mark.parametrize("adapter", ["lldb-dap 19", "lldb-dap 23"])
async def test_the_first_line_names_the_variable_its_values_and_the_line(adapter: str, tmp_path: Path) -> None:
    async with watching(adapter, tmp_path, "limit") as (session, thread_id):
        first = await first_line(session, thread_id)
        second = await first_line(session, thread_id)

    writes = native.lines("watched")["writes"]
    prints = adapter != "lldb-dap 19"  # the old one neither prints the values nor disassembles backwards
    at = f"at `watched.c:{writes}`" if prints else f"just before `watched.c:{writes + 1}`"
    assert first == f"`limit` was written {at}, in `shrink`: it is `6`; it was `10`."
    assert second == f"`limit` was written {at}, in `shrink`: it is `2`{'; it was `6`' if prints else ''}."


async def test_where_the_adapter_does_not_name_the_hit_breakpoint_it_is_one_of_several(tmp_path: Path) -> None:
    async with watching("lldb-dap 19", tmp_path, "round", "limit") as (session, thread_id):
        told = await first_line(session, thread_id)

    assert told == "A data breakpoint was hit: one of `round`, `limit` was accessed."
