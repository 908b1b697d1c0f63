"""In live sessions with every adapter: each message that dap_ai itself makes fits DAP's schema, in both directions."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.backends.discovery import discover
from dap_ai.transport.client import DapClient
from tests.conformance.schema import check
from tests.integration.live import Live
from tests.integration.subjects import NAMES, WAIT_S, start, subject, until_stopped

pytestmark = pytest.mark.anyio
Message = dict[str, Any]


def meant(message: Message) -> str:
    """A message without its numbers: the same on both sides of the proxy, if it was passed on."""
    return json.dumps({key: value for key, value in message.items() if key not in ("seq", "request_seq")})


def made_here(sent: Iterable[Message], received: Iterable[Message]) -> list[Message]:
    """What was sent to one side and had not come from the other."""
    passed = Counter(map(meant, received))
    made: list[Message] = []
    for message in sent:
        if passed[meant(message)]:
            passed[meant(message)] -= 1
        else:
            made.append(message)
    return made


async def converse(client: DapClient) -> None:
    """Asks in each way, and what adapters must not see; then stops."""
    thread = await until_stopped(client)
    stack = client.send("stackTrace", {"threadId": thread})
    for command, arguments in [
        ("ask", {"question": "why?"}),
        ("ask", {"question": 7}),
        ("askTool", {"name": "stack", "arguments": {}}),
        ("askNobody", {}),
        ("evaluate", {"expression": "??stop", "context": "repl"}),
        ("completions", {"text": "??n", "column": 4}),
        ("runInTerminal", {}),
        ("readMemory", {"memoryReference": "x", "count": -1}),
        ("cancel", {"requestId": 1}),
        ("pause", 3),
        ("launch", {}),
    ]:
        client.send(command, arguments)
    await asyncio.wait_for(stack, WAIT_S)
    await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S)


@pytest.mark.parametrize("name", NAMES)
async def test_what_we_say_in_a_live_session_conforms(name: str, tmp_path: Path):
    about = subject(name, tmp_path)
    session = Live(SessionOptions(ask_events=True))
    session.backend = discover("debugpy" if name == "debugpy" else " ".join(f"'{word}'" for word in about.argv))
    await session.open(supportsProgressReporting=True)
    try:
        crashes = about.crashes | ({"python": [sys.executable]} if name == "debugpy" else {})
        await start(session.client, crashes, about.filters)
        await converse(session.client)
        await session.client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    finally:
        await session.client.close()
    to_client = made_here(session.to_client, session.from_backend)
    to_backend = made_here(session.to_backend, session.from_client)
    assert len(to_client) > 5
    for message in to_client + to_backend:
        check(message)
