"""Sessions recorded with an adapter alone, played through the proxy from both ends: every byte that is not ours stays."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient
from tests import playing_adapter
from tests.integration.subjects import NAMES, Subject, start, subject, until_stopped
from tests.recording import WAIT_S, Player, Recording, parts, record, save

pytestmark = pytest.mark.anyio
OURS = [("supportsAskRequest", b"true"), ("supportsCancelRequest", b"true")]

VENDOR: Recording = [
    ("client", b'{"seq":900001,"type":"request","command":"initialize","arguments":{"adapterID":"x" , "z":1.50}}'),
    ("adapter", b'{"seq":0,"type":"event","event":"output","body":{"output":"early"}}'),
    ("adapter", (b'{"body":{"supportsCancelRequest": true,"x":[ 1 ]},"seq":1,"type":"response","request_seq":900001,'
                b'"success":true,"command":"initialize"}')),
    ("client", (b'{"command":"vendor/numbers","sessionId":"s-1","arguments":{"big":123456789012345678901234567890,'
               b'"exp":1E+2,"zero":-0,"long":0.1000,"deep":[[[[ {"k": null} ]]]]},"type":"request","seq":900007}')),
    ("adapter", (b'{"seq":0,"type":"response","request_seq":900007,"success":true,"command":"vendor/numbers",'
                b'"message":null,"body":{"twice":1,"twice":2,"escaped":"\\u00e9\\/\\ud83d\\ude00","raw":"\xc3\xa9"},"new":{}}')),
    ("adapter", b'{"type":"request","seq":77,"command":"startDebugging","arguments":{"request":"attach","c":1e400}}'),
    ("client", b'{"type":"response","seq":900008,"request_seq":77,"command":"startDebugging","success":false,"body": [ ]}'),
    ("client", b'{"type":"event","event":"vendor/ping","seq":900009,"body":"text"}'),
    ("adapter", b'{"event":"vendor/pong","body":null,"type":"event","seq":0}'),
]  # fmt: skip
"""What no adapter of this machine says, but some other may."""


def dialect() -> Callable[[bytes], bytes]:
    """Each message of the client in another spelling: spaces, key order, escapes, keys that DAP does not know."""
    turns = itertools.count()

    def spell(body: bytes) -> bytes:
        message = json.loads(body)
        match next(turns) % 3:
            case 0:
                return json.dumps(message, indent=1).encode()
            case 1:
                return json.dumps({"x-é": [1.50, -0.0, "é/"], **dict(reversed(message.items()))}).encode()
            case _:
                return json.dumps(message, ensure_ascii=False, separators=(" , ", " : ")).encode()

    return spell


async def conversation(client: DapClient, about: Subject) -> None:
    """A session as an editor has it at a crash."""
    await client.initialize("x")
    await start(client, about.crashes, about.filters)
    thread = await until_stopped(client)
    await client.request("threads", {}, WAIT_S)
    frames = (await client.request("stackTrace", {"threadId": thread, "levels": 20}, WAIT_S))["stackFrames"]
    for scope in (await client.request("scopes", {"frameId": frames[0]["id"]}, WAIT_S))["scopes"][:1]:
        await client.request("variables", {"variablesReference": scope["variablesReference"]}, WAIT_S)
    for expression in ("1 + 1", "nonsense("):
        with contextlib.suppress(RequestFailed):
            await client.request(
                "evaluate", {"expression": expression, "frameId": frames[0]["id"], "context": "watch"}, WAIT_S
            )
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)


async def play(recording: Recording, folder: Path) -> tuple[list[bytes], list[bytes]]:
    """What client and adapter hear when both play their half through `dap-ai serve`."""
    heard = folder / "heard.json"
    script = [sys.executable, playing_adapter.__file__, str(save(recording, folder / "recording.json")), str(heard)]
    quoted = " ".join(f"'{word}'" for word in script)
    serve = AdapterCommand([sys.executable, "-m", "dap_ai", "serve", "--backend", quoted], {})
    process = await AdapterProcess.start(serve, lambda _text: None)
    try:
        player = Player(process.link)
        await player.play(recording)
        process.link.close()
        await asyncio.wait_for(process.exited.wait(), WAIT_S)
    finally:
        await process.end()
    assert "Traceback" not in process.last_words
    return player.heard, [text.encode("latin-1") for _, text in json.loads(heard.read_text(encoding="utf-8"))]


def of(side: str, recording: Recording) -> list[bytes]:
    return [body for who, body in recording if who == side]


def compare(got: list[bytes], recorded: list[bytes]) -> None:
    """Message by message, but for what is ours: capabilities, and the launch arguments' spelling."""
    for came, said in itertools.zip_longest(got, recorded):
        assert came is not None and said is not None, (came, said)
        message = json.loads(said)
        if message.get("command") in ("initialize", "launch") and ("body" in message or message["command"] == "launch"):
            assert dict(_meant(came)) == dict(_meant(said))
        else:
            assert parts(came) == parts(said)


def _meant(body: bytes) -> list[tuple[str, Any]]:
    message = json.loads(body)
    for name, _ in OURS if isinstance(message.get("body"), dict) else ():
        message["body"][name] = True
    return [(name, value) for name, value in message.items() if name not in ("seq", "request_seq")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_recorded_session_passes_byte_for_byte_in_both_directions(name: str, tmp_path: Path):
    about = subject(name, tmp_path)
    recording = await record(about.command, lambda client: conversation(client, about), dialect())
    to_client, to_adapter = await play(recording, tmp_path)
    compare(to_client, of("adapter", recording))
    compare(to_adapter, of("client", recording))


async def test_what_only_a_vendor_says_passes_byte_for_byte(tmp_path: Path):
    to_client, to_adapter = await play(VENDOR, tmp_path)
    compare(to_client, of("adapter", VENDOR))
    compare(to_adapter, of("client", VENDOR)[: len(to_adapter)])
    assert len(to_adapter) >= len(of("client", VENDOR))


async def test_a_response_finds_its_asker_under_the_number_that_it_gave(tmp_path: Path):
    to_client, to_adapter = await play(VENDOR, tmp_path)
    answered = [json.loads(body)["request_seq"] for body in to_client if b'"response"' in body]
    assert answered == [900001, 900007]
    assert [json.loads(body)["request_seq"] for body in to_adapter if b'"response"' in body] == [77]


async def test_the_capabilities_keep_the_adapters_bytes_and_gain_ours(tmp_path: Path):
    to_client, _ = await play(VENDOR, tmp_path)
    body = dict(parts(to_client[1]))["body"]
    assert body == b'{"supportsCancelRequest":true,"x":[ 1 ],"supportsAskRequest":true}'
