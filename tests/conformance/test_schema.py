"""Every message that we send, to either side, fits DAP's own JSON schema (shipped in the debugpy wheel)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dap_ai.adapter.asks.ask_console import complete
from dap_ai.protocol.wire import envelope, errors
from dap_ai.protocol.wire.errors import ErrorEntry
from tests.conformance.schema import check, definition_of
from tests.integration.live import live


@pytest.mark.anyio
async def test_a_whole_session_conforms_in_both_directions(debuggee: Callable[..., Any]):
    async with live(supportsProgressReporting=True) as session:
        await session.launch(debuggee("crash").path)
        stop = await session.stopped()
        frame = await session.top_frame(stop["threadId"])
        await session.request("ask", {"question": "why?", "frameId": frame})
        await session.event("askEnded")
        await session.request("evaluate", {"expression": "??", "context": "repl"})
        await session.event("progressEnd")
        await session.request("completions", {"text": "??n", "column": 4})
        for command in ("readMemory", "runInTerminal", "ask"):
            await session.client.send(command, {"frameId": -1})
        await session.request("cancel", {"requestId": 1})
        await session.request("disconnect", {})
    assert {definition_of(m) for m in session.to_client} >= {"ProgressStartEvent", "ProgressEndEvent", "ErrorResponse"}
    for message in session.to_client + session.to_backend:
        check(message)


@pytest.mark.parametrize(
    "entry", [e for e in vars(errors).values() if isinstance(e, ErrorEntry)], ids=lambda e: e.message
)
def test_every_error_of_the_catalogue_conforms_and_fills_its_variables(entry: ErrorEntry):
    names = {part.split("}")[0] for part in entry.text.split("{")[1:]}
    message = json.loads(envelope.failure(1, 2, "ask", entry, dict.fromkeys(names, "x")))
    check(message)


def test_the_ids_of_the_catalogue_are_unique():
    ids = [e.id for e in vars(errors).values() if isinstance(e, ErrorEntry)]
    assert len(ids) == len(set(ids))


def test_completions_of_the_console_conform():
    items = complete("??", 3, "??")
    assert items
    check({"seq": 1, "type": "response", "request_seq": 1, "success": True, "command": "completions",
           "body": {"targets": items}})  # fmt: skip
