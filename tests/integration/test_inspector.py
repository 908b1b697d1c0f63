from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.python.injection.inspector import Inspector
from dap_ai.protocol.contracts.inspection import FrameQuery, Inspection, Query
from tests.integration.inspector_client import Client, debugging
from tests.unit.debuggees.python.visiting import node

pytestmark = pytest.mark.anyio


async def stopped(client: Client) -> list[dict[str, Any]]:
    """The frames of the stopped thread, innermost first."""
    return await client.frames((await client.event("stopped"))["threadId"])


async def look(client: Client, frames: list[dict[str, Any]], *sources: str, **limits: Any) -> Inspection:
    nodes = [node(source) for source in sources]
    queries = [FrameQuery(frame_id=frame["id"], expressions=nodes) for frame in frames]
    return await Inspector().inspect(client.request, Query(frames=queries, **limits))


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Raised:
    """inspector_raises.py, stopped at its uncaught exception."""

    client: Client
    thread_id: int
    frames: list[dict[str, Any]]


@pytest.fixture(scope="module")
async def raised() -> AsyncIterator[Raised]:
    """One for all tests: looking at it changes nothing."""
    async with debugging("inspector_raises.py") as client:
        thread_id = (await client.event("stopped"))["threadId"]
        yield Raised(client, thread_id, await client.frames(thread_id))


async def test_an_uncaught_exception_is_read_after_unwinding(raised: Raised) -> None:
    inspection = await look(raised.client, raised.frames, "item", "order.prices[item]")

    by_line = {(frame.name, frame.line): frame for frame in inspection.frames}
    guilty = next(frame for (name, _), frame in by_line.items() if name == "price_of")
    assert guilty.unwound
    assert [(v.name, v.value.text) for v in guilty.arguments] == [
        ("order", "<Order name='first' prices={'price': 3, 'weight': 2}>"),
        ("item", "'prise'"),
    ]
    assert [fact.text or fact.value.text for fact in guilty.values if fact.text or fact.value] == [
        "'prise'",
        "KeyError: 'prise'",
    ]


async def test_the_chain_of_an_uncaught_exception_is_read(raised: Raised) -> None:
    inspection = await look(raised.client, raised.frames)

    assert [(each.type, each.message, each.relation) for each in inspection.exceptions] == [
        ("ValueError", "('no total for', 'first')", ""),
        ("KeyError", "'prise'", "cause"),
    ]


async def test_another_thread_is_seen_waiting(raised: Raised) -> None:
    inspection = await look(raised.client, raised.frames)

    waiter = next(thread for thread in inspection.threads if thread.name == "waiter")
    assert (waiter.waiting, waiter.frames[0].name) == ("Event.wait", "wait")


async def test_frames_of_a_thread_that_waits_in_c_code_are_read_too(raised: Raised) -> None:
    threads = (await raised.client.request("threads", {}))["threads"]
    waiter = next(thread["id"] for thread in threads if thread["name"] == "waiter")

    inspection = await look(raised.client, [*raised.frames[:1], *await raised.client.frames(waiter)])

    assert "wait" in [frame.name for frame in inspection.frames if not frame.error]


async def test_the_debuggers_own_threads_are_left_out(raised: Raised) -> None:
    inspection = await look(raised.client, raised.frames)

    assert sorted(thread.name for thread in inspection.threads) == ["MainThread", "waiter"]


async def test_a_raised_exception_is_read_where_it_is_raised() -> None:
    async with debugging("inspector_raises.py", filters=["raised"]) as client:
        frames = await stopped(client)

        inspection = await look(client, frames)

    assert (inspection.frames[0].name, inspection.frames[0].unwound) == ("price_of", False)
    assert inspection.exceptions[0].type == "KeyError"
    assert "__exception__" not in [variable.name for variable in inspection.frames[0].locals]


async def test_a_visit_costs_one_request_once_installed(raised: Raised) -> None:
    await look(raised.client, raised.frames)
    before = len(raised.client.sent)

    await look(raised.client, raised.frames)

    assert raised.client.sent[before:] == ["evaluate"]


async def test_an_unknown_frame_of_a_query_says_so(raised: Raised) -> None:
    inspection = await look(raised.client, [*raised.frames[:1], {"id": 987654}])

    assert "not of a stopped thread" in inspection.frames[1].error


async def test_a_program_that_counts_calls_prints_what_it_would_alone_whatever_the_level(
    debuggee: Callable[..., Any], differing_python: Path
) -> None:
    sources = [
        "touchy.total",
        "touchy == 1",
        "len(keyed)",
        "list(mapped)",
        "sum(produced)",
        "opened.read()",
        "f'{touchy}'",
    ]
    line = debuggee("inspector_counts").line
    async with debugging("inspector_counts.py", [line], python=[str(differing_python)]) as client:
        thread_id = (await client.event("stopped"))["threadId"]
        frames = await client.frames(thread_id)
        for level in ("observe", "compute", "observe", "compute"):
            inspection = await look(client, frames, *sources, level=level)
            assert inspection.frames[0].locals
        looked_at = await client.run_on(thread_id)

    assert looked_at == "(21, [1, 2, 3, 4], 'two\\n') []\n"
