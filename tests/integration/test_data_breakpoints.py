"""A data breakpoint that was hit is told: the variable, its values, and the line that has written it. Real lldb-dap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.answering import Agent
from dap_ai.backends.lldb import LldbBackend
from dap_ai.config import Settings
from tests.integration import native
from tests.integration.live import Live, live

pytestmark = pytest.mark.anyio


async def variables(session: Live, thread_id: int) -> dict[str, int]:
    """Which reference lists each variable of the innermost frame; the client reads them all."""
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
    argv = native.need(adapter)
    source, lines = native.SOURCES / "watched.c", native.lines("watched")
    program = native.build(source, tmp_path)
    async with live(agent=Agent(Settings()), backend=LldbBackend(argv[0])) as session:
        await session.start("launch", {"program": str(program)}, {source: [lines["loop"]]}, ())
        thread_id = (await session.stopped())["threadId"]
        found = await variables(session, thread_id)
        await watch(session, ("limit", found["limit"]))
        await session.request("setBreakpoints", {"source": {"path": str(source)}, "breakpoints": []})

        first = await first_line(session, thread_id)
        second = await first_line(session, thread_id)

        prints = adapter != "lldb-dap 19"  # the old one neither prints the values nor disassembles backwards
        at = f"at `watched.c:{lines['writes']}`" if prints else f"just before `watched.c:{lines['writes'] + 1}`"
        assert first == f"`limit` was written {at}, in `shrink`: it is `6`; it was `10`."
        assert second == f"`limit` was written {at}, in `shrink`: it is `2`{'; it was `6`' if prints else ''}."


async def test_of_several_of_which_the_adapter_names_none_it_is_one(tmp_path: Path) -> None:
    argv = native.need("lldb-dap 19")
    source, lines = native.SOURCES / "watched.c", native.lines("watched")
    program = native.build(source, tmp_path)
    async with live(agent=Agent(Settings()), backend=LldbBackend(argv[0])) as session:
        await session.start("launch", {"program": str(program)}, {source: [lines["loop"]]}, ())
        thread_id = (await session.stopped())["threadId"]
        found = await variables(session, thread_id)
        await watch(session, ("round", found["round"]), ("limit", found["limit"]))
        await session.request("setBreakpoints", {"source": {"path": str(source)}, "breakpoints": []})

        told = await first_line(session, thread_id)

        assert told == "A data breakpoint was hit: one of `round`, `limit` was accessed."
