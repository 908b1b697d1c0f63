"""`dap-ai debug --join` beside an editor: it looks and asks, and the editor alone moves the program."""

from __future__ import annotations

import asyncio
import contextlib
import sys

import pytest

from tests.e2e.test_join import PROGRAM, WAIT_S, anyio_backend, editor, place
from tests.e2e.test_terminal import DAP_AI

__all__ = ["anyio_backend", "editor", "place"]
pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")]

LINES = "bt\np total\np share(4, 2)\nl\nn\n!total = 3\nb 5\nwhy\n"


async def test_a_guest_looks_and_asks_and_the_editors_stop_is_as_it_was(editor):
    ed = await editor(PROGRAM, 2)
    stop = await ed.event("stopped")
    frames = (await ed.request("stackTrace", threadId=stop["threadId"]))["stackFrames"]
    scope = (await ed.request("scopes", frameId=frames[0]["id"]))["scopes"][0]["variablesReference"]
    before = len(ed.events)

    process = await asyncio.create_subprocess_exec(
        *DAP_AI, "debug", "--join", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(LINES.encode()), WAIT_S)
    text = out.decode()

    assert process.returncode == 0
    assert "shares.py:2 in share" in text
    assert "(dap-ai) p total\n10\n" in text
    assert "(dap-ai) p share(4, 2)\n2.0\n" in text
    assert text.count("The editor controls the program") >= 3
    assert "Stopped at `shares.py:2`" in text or "shares.py:2" in text.partition("(dap-ai) why")[2]
    assert not {"continued", "stopped"} & set(ed.events[before:])
    assert (await ed.request("variables", variablesReference=scope))["variables"]


@contextlib.asynccontextmanager
async def guest():
    """A prompt of a guest's on pipes: what writes a line, and what waits until a text has come."""
    process = await asyncio.create_subprocess_exec(
        *DAP_AI, "debug", "--join", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    seen = b""

    async def until(wanted, count=1):
        nonlocal seen
        while seen.count(wanted) < count:
            piece = await asyncio.wait_for(process.stdout.read(4096), WAIT_S)
            assert piece, seen.decode()
            seen += piece

    try:
        yield process.stdin.write, until
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), WAIT_S) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        print(seen.decode())  # noqa: T201  where it fails


async def test_a_guest_sees_that_the_editor_has_moved_the_program(editor):
    ed = await editor(PROGRAM, 2)
    stop = await ed.event("stopped")
    async with guest() as (write, until):
        write(b"p people\n")
        await until(b"\n5\n")
        await ed.request("continue", threadId=stop["threadId"])
        await until(b"shares.py:2 in share\n->    2", 2)
        write(b"p people\n")
        await until(b"\n0\n")
