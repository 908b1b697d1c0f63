"""Who answers is changed at a stop, in the middle of a conversation: by the program that holds `dap-ai serve`."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.transport.client import DapClient
from tests.chat.endpoint import MODEL, Endpoint
from tests.chat.reply import Reply
from tests.integration.test_serve import WAIT_S, connect, listening, stop_at_crash

pytestmark = pytest.mark.anyio
KEY = "sk-planted-secret"
OFFLINE = {"DAP_AI_PROVIDER": "offline", "DAP_AI_BASE_URL": None, "DAP_AI_MODEL": None, "OPENAI_API_KEY": None}
Start = Callable[..., "subprocess.Popen[bytes]"]


def tell(process: subprocess.Popen[bytes], **variables: str | None) -> str:
    """Says who answers; what dap-ai says to it."""
    assert process.stdin and process.stderr
    process.stdin.write(json.dumps({"answerer": variables}).encode() + b"\n")
    process.stdin.flush()
    while True:
        line = process.stderr.readline().decode()
        assert line, "it has ended"
        if "from now on" in line or "not changed" in line:
            return line.strip()


async def ask(client: DapClient, question: str, **more: Any) -> dict[str, Any]:
    await client.request("ask", {"question": question, **more}, WAIT_S)
    return (await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S))[1]


async def test_a_conversation_goes_on_with_another_and_back(start_dap_ai: Start, debuggee: Any):
    with Endpoint([Reply("It divides by 0."), Reply("As I said.")]) as endpoint:
        process, port = listening(start_dap_ai, "--until-eof")
        client = await connect(port)
        await stop_at_crash(client, debuggee("crash").path)
        first = await ask(client, "why?")
        assert first["usage"]["provider"] == "offline" and not endpoint.requests

        at = {
            "DAP_AI_PROVIDER": "openai",
            "DAP_AI_BASE_URL": endpoint.url,
            "DAP_AI_MODEL": MODEL,
            "OPENAI_API_KEY": KEY,
        }
        told = await asyncio.to_thread(tell, process, **at)
        assert f"{MODEL} at " in told and KEY not in told
        second = await ask(client, "is it so?", conversationId=first["conversationId"])
        assert second["answer"].startswith("It divides by 0.") and second["usage"]["provider"] == "openai"
        (seen,) = endpoint.requests
        said = str(seen.messages[-1]["content"])
        assert "Question: is it so?" in said and "has answered in this conversation: why?" in said
        assert "has moved on" not in said

        told = await asyncio.to_thread(tell, process, **OFFLINE)
        assert "nothing leaves this machine" in told
        third = await ask(client, "and now?", conversationId=first["conversationId"])
        assert third["usage"]["provider"] == "offline" and len(endpoint.requests) == 1
        await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
        await client.close()


async def test_a_key_that_is_refused_is_said_and_another_counts_at_once(start_dap_ai: Start, debuggee: Any):
    with Endpoint([Reply(status=401, error="bad key"), Reply("It divides by 0.")]) as endpoint:
        process, port = listening(start_dap_ai, "--until-eof")
        client = await connect(port)
        await stop_at_crash(client, debuggee("crash").path)
        at = {"DAP_AI_PROVIDER": "openai", "DAP_AI_BASE_URL": endpoint.url, "DAP_AI_MODEL": MODEL}
        await asyncio.to_thread(tell, process, **at, OPENAI_API_KEY="sk-wrong")
        refused = await ask(client, "why?")
        assert (refused["reason"], refused["trouble"]) == ("failed", "key")
        assert refused["usage"]["provider"] == "offline", "the answer names who really gave it"
        assert refused["answer"].count(refused["error"]) == 1
        await asyncio.to_thread(tell, process, **at, OPENAI_API_KEY=KEY)
        assert (await ask(client, "why?"))["answer"].startswith("It divides by 0.")
        await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
        await client.close()


async def test_without_a_key_a_held_proxy_starts_all_the_same_and_says_so_in_its_answer(
    start_dap_ai: Start, debuggee: Any, tmp_path: Path
):
    config = tmp_path / "config.toml"
    config.write_text('provider = "openai"\n')
    _, port = listening(start_dap_ai, "--until-eof", env={"DAP_AI_CONFIG": str(config)})
    client = await connect(port)
    await stop_at_crash(client, debuggee("crash").path)
    answer = await ask(client, "why?")
    assert answer["trouble"] == "key" and "There is no key for OpenAI" in answer["answer"]
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()


async def test_nothing_more_is_sent_to_who_was_left_while_an_answer_is_made(start_dap_ai: Start, debuggee: Any):
    call = Reply(calls=[("evaluate", {"expression": "1"})], hold="start")
    with Endpoint([call, Reply("It goes on.")]) as endpoint:
        process, port = listening(start_dap_ai, "--until-eof")
        client = await connect(port)
        await stop_at_crash(client, debuggee("crash").path)
        at = {
            "DAP_AI_PROVIDER": "openai",
            "DAP_AI_BASE_URL": endpoint.url,
            "DAP_AI_MODEL": MODEL,
            "OPENAI_API_KEY": KEY,
        }
        await asyncio.to_thread(tell, process, **at)
        asking = asyncio.ensure_future(ask(client, "why?"))
        await asyncio.to_thread(endpoint.wait, 1)
        await asyncio.to_thread(tell, process, **OFFLINE)
        endpoint.release()
        answer = await asking
        assert "Another model was chosen" in answer["error"] and len(endpoint.requests) == 1
        await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
        await client.close()
