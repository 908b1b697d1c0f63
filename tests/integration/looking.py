"""The same program with and without questions: it stops at its marked lines, is looked at as for an answer, and goes on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from dap_ai.backends.debugpy.recipe import DebugpyBackend
from dap_ai.debuggees.python.injection.inspector import Inspector
from dap_ai.protocol.contracts.inspection import FrameQuery, Query
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from tests.conftest import marked_lines
from tests.integration.inspector_client import Client, debugging, snapshot
from tests.patience import at_worst
from tests.unit.debuggees.python.visiting import node

TIMEOUT_S = at_worst(30.0)


async def told(program: Path, python: Path, *, asked: bool, sources: tuple[str, ...] = ()) -> Any:
    """The JSON of the line `RESULT ...` that a program ends with.

    `asked`: at each stop its frames, the `sources`, threads and secrets are read, and a copy computes. Raises
    TimeoutError when it does not end.
    """
    return await asyncio.wait_for(_told(program, python, asked, sources), TIMEOUT_S)


async def _told(program: Path, python: Path, asked: bool, sources: tuple[str, ...]) -> Any:
    lines = list(marked_lines(program.read_text(encoding="utf-8")).values())
    async with debugging(str(program), lines, python=[str(python)], greeting=DebugpyBackend().greeting) as client:
        while True:
            event = await client.event("stopped", "terminated")
            if "threadId" not in event:
                break
            frames = await client.frames(event["threadId"])
            if asked:
                await look(client, frames, sources)
            await client.request("continue", {"threadId": event["threadId"]})
    line = next((line for line in client.output.splitlines() if line.startswith("RESULT ")), "")
    assert line, f"the program said no result: {client.output}"
    return json.loads(line.partition(" ")[2])


async def look(client: Client, frames: list[dict[str, Any]], sources: tuple[str, ...]) -> None:
    """Two visits, as an answer makes them, and a snapshot."""
    nodes = [node(source) for source in sources]
    queries = [FrameQuery(frame_id=frame["id"], expressions=nodes) for frame in frames]
    inspector = Inspector()
    for _ in range(2):
        inspection = await inspector.inspect(client.request, Query(frames=queries, secrets=True))
        assert not [frame.error for frame in inspection.frames if frame.error]
    result = await snapshot(client.request, SnapshotQuery(frames[0]["id"], "6 * 7"))
    assert result.value is not None, result
    assert result.value.text == "42"
