"""Envelopes: what is not rewritten stays byte-exact; what is not DAP is said so."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.protocol.wire.envelope import Envelope, decode, decode_or, event, failure, request, response
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


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        (request(3, "next"), {"type": "request", "command": "next"}),
        (request(3, "next", {"threadId": 1}), {"type": "request", "command": "next", "arguments": {"threadId": 1}}),
        (response(3, 2, "next"), {"type": "response", "request_seq": 2, "success": True, "command": "next"}),
        (
            response(3, 2, "next", {"allThreadsContinued": True}),
            {
                "type": "response",
                "request_seq": 2,
                "success": True,
                "command": "next",
                "body": {"allThreadsContinued": True},
            },
        ),
        (event(3, "exited"), {"type": "event", "event": "exited"}),
        (event(3, "exited", {"exitCode": 0}), {"type": "event", "event": "exited", "body": {"exitCode": 0}}),
    ],
)
def test_a_message_of_ours_has_what_dap_demands_and_no_empty_body(sent, fields):
    assert json.loads(sent) == {"seq": 3, **fields}


@pytest.mark.parametrize("padding", [0, 10_000])
def test_a_message_is_read_alike_small_and_large(padding):
    body = {"seq": 7, "type": "response", "request_seq": 5, "success": True, "command": "x", "body": "a" * padding}
    message = Envelope.parse(json.dumps(body).encode())
    assert (message.kind, message.name, message.seq, message.request_seq, message.success) == (
        "response",
        "x",
        7,
        5,
        True,
    )
    assert message.content == json.dumps(body["body"]).encode()


def test_what_a_message_leaves_out_has_its_default():
    message = Envelope.parse(b'{"type":"response","request_seq":2,"command":"x"}')
    assert (message.seq, message.success, message.content, message.beginning()) == (0, False, b"", b"{}")
    with pytest.raises(RemoteProtocolError):
        Envelope.parse(b'{"type":"response","request_seq":-1,"command":"x"}')


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b"\\ud800", "\ufffd"),
        (b"a\\udcffb", "a\ufffdb"),
        (b"\\ud83d\\ude00", "\U0001f600"),
        (b"\\ud83d\\ud83d\\ude00", "\ufffd\U0001f600"),
        (b"\\\\ud800 \\ud800", "\\ud800 \ufffd"),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_nothing_beside_it(sent: bytes, read: str):
    message = Envelope.parse(b'{"type":"event","event":"output","body":{"output":"\\udc80%s"}}' % sent)
    assert message.read(dict[str, str]) == {"output": f"\ufffd{read}"}


def test_an_empty_content_is_an_empty_object():
    message = Envelope.parse(b'{"type":"request","command":"x","arguments":null}')
    assert message.beginning() == b"{}"


def test_a_top_level_field_is_read_where_it_has_the_type_of_its_default():
    message = Envelope.parse(b'{"type":"event","event":"x","sessionId":"s1","n":[1]}')
    assert (message.field("sessionId", ""), message.field("n", ""), message.field("m", 4)) == ("s1", "", 4)


def test_arguments_are_read_by_their_shape_or_refused():
    message = Envelope.parse(b'{"type":"request","command":"x","arguments":{"a":1}}')
    assert message.read(dict[str, int]) == {"a": 1}
    assert Envelope.parse(b'{"type":"request","command":"x","arguments":null}').read(dict[str, int]) == {}
    with pytest.raises(RemoteProtocolError):
        message.read(list[int])


def test_json_that_does_not_fit_gives_the_default():
    assert decode(b"[1]", list[int]) == [1]
    assert decode_or(b"[1]", list[int], []) == [1]
    assert decode_or(b"{", list[int], [2]) == [2]


def test_a_command_and_a_content_are_replaced_where_they_are_given():
    message = Envelope.parse(b'{"seq":1,"type":"request","command":"x","arguments":{"a":1}}')
    assert json.loads(message.encode(seq=2, content=b'{"b":2}', command="y")) == {
        "seq": 2,
        "type": "request",
        "command": "y",
        "arguments": {"b": 2},
    }
