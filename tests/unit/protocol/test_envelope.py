"""Envelopes: what is not rewritten stays byte-exact; what is not DAP is said so."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.protocol.wire.envelope import Envelope, failure
from dap_ai.protocol.wire.errors import ErrorEntry, RemoteProtocolError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_a_restamped_message_keeps_its_body_byte_for_byte():
    body = (
        b'{"seq":5,"type":"response","request_seq":9,"success":true,"command":"x","body":{"b" : 1.50, "a":"\\u00e9"}}'
    )
    out = Envelope.parse(body).encode(seq=77, request_seq=3)
    assert b'{"b" : 1.50, "a":"\\u00e9"}' in out
    assert json.loads(out) == json.loads(body) | {"seq": 77, "request_seq": 3}


def test_unknown_top_level_keys_survive():
    body = b'{"sessionId":"s1","seq":1,"type":"event","event":"x","extra":[1, 2]}'
    out = json.loads(Envelope.parse(body).encode(seq=2))
    assert (out["sessionId"], out["extra"]) == ("s1", [1, 2])


def test_a_response_without_seq_is_read():
    message = Envelope.parse(b'{"type":"response","request_seq":0,"success":true,"command":"threads"}')
    assert (message.seq, message.request_seq, message.name) == (0, 0, "threads")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"seq":1}',
        b'{"type":"question"}',
        b'{"type":"request","seq":1}',
        b'{"type":"event","seq":1,"event":""}',
        b'{"type":"response","seq":1,"command":"x"}',
        b'{"type":"request","seq":"1","command":"x"}',
        b'{"type":"request","seq":1,"command":"x"',
        b'{"type":"request","seq":1,"command":"\xff"}',
        b'{"type":"request","seq":1,"command":"x","arguments":' + b"[" * 100_000,
    ],
)
def test_what_is_not_dap_is_said_so(body):
    with pytest.raises(RemoteProtocolError):
        Envelope.parse(body)


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else(body):
    with contextlib.suppress(RemoteProtocolError):
        Envelope.parse(body)


@given(json_values, st.integers(0, 2**53))
def test_any_arguments_pass_unchanged(arguments, seq):
    body = json.dumps({"seq": seq, "type": "request", "command": "x", "arguments": arguments}).encode()
    assert json.loads(Envelope.parse(body).encode(seq=1))["arguments"] == arguments


@pytest.mark.parametrize(
    ("command", "shown"), [("ask", False), ("askTool", False), ("evaluate", True), ("launch", True)]
)
def test_a_refusal_is_shown_by_the_editor_unless_its_sender_shows_answers_itself(command: str, shown: bool):
    refused = json.loads(failure(1, 2, command, ErrorEntry(9000, "notStopped", "The program runs."), {}))
    assert refused["body"]["error"] == {"id": 9000, "format": "The program runs.", "showUser": shown}
