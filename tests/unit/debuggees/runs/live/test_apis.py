from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api, answer, api_of, taken_apart
from tests.chat.others import message, message_events, response, response_events
from tests.chat.reply import Reply, completion, deltas

HEAD = {"id": "answer-1", "created": 7, "model": "m"}
REPLIES = (
    Reply("I look."),
    Reply(["I ", "", "läök 🐦"], calls=[("bash", {"command": "ls"})], reasoning="Hm."),
    Reply("", calls=[("bash", {"command": "a"}), ("edit", {"path": "x", "n": [1, 2]})], fragment_chars=3),
)


def body_of(api: Api, reply: Reply) -> bytes:
    """The stream of a reply."""
    if api == "chat":
        head: dict[str, Any] = {**HEAD, "object": "chat.completion.chunk"}
        rows = [{**head, "choices": [{"index": 0, "delta": row, "finish_reason": None}]} for row in deltas(reply, 0)]
        rows.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]})
        rows.append({**head, "choices": [], "usage": reply.usage})
        return b"".join(b"data: " + json.dumps(row).encode() + b"\n\n" for row in rows) + b"data: [DONE]\n\n"
    events = (response_events if api == "responses" else message_events)(reply, HEAD, 0)
    return b"".join(b"event: x\r\ndata: " + json.dumps(row).encode() + b"\r\n\r\n" for row in events)


def whole_of(api: Api, reply: Reply) -> Any:
    made = {"chat": completion, "responses": response, "messages": message}[api](reply, HEAD, 0)
    return json.loads(json.dumps(made))


def plain(value: Any) -> Any:
    """Without what only one of the two ways says: places within a stream, and nothing."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in ("index", "logprobs", "object") and item}
    return [plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
@pytest.mark.parametrize("reply", REPLIES)
def test_a_stream_is_put_together_to_what_comes_in_one_piece(api: Api, reply: Reply):
    assert plain(answer(api, body_of(api, reply), streamed=True)) == plain(whole_of(api, reply))


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
def test_a_stream_that_was_cut_off_is_put_together_as_far_as_it_came(api: Api):
    reply = Reply(["one ", "two ", "three"], calls=[("bash", {"command": "ls"})], fragment_chars=4)
    body = body_of(api, reply)
    cut = answer(api, body[: body.index(b"three")], streamed=True)
    assert "one two " in json.dumps(cut) and "three" not in json.dumps(cut)


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
@given(body=st.binary(max_size=200), pieces=st.lists(st.sampled_from([b"data: ", b"{}", b"\n\n", b'{"choices":[{"delta":1}]}', b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}', b'{"output_index":0,"delta":"x","type":"response.output_text.delta"}', b"[1]"])))  # fmt: skip
def test_no_stream_makes_it_fail(api: Api, body: bytes, pieces: Sequence[bytes]):
    for hostile in (body, b"".join(pieces)):
        assert isinstance(answer(api, hostile, streamed=True), dict)
        answer(api, hostile, streamed=False)


def test_instructions_are_the_first_message_in_every_interface():
    user = {"role": "user", "content": "Do."}
    system = {"role": "system", "content": "You fix."}
    bodies: Sequence[tuple[Api, dict[str, Any]]] = [
        ("chat", {"messages": [system, user]}),
        ("responses", {"instructions": "You fix.", "input": [user]}),
        ("responses", {"instructions": "You fix.", "input": "Do."}),
        ("messages", {"system": "You fix.", "messages": [user]}),
    ]
    for api, body in bodies:
        asked = taken_apart(api, json.dumps({**body, "model": "m", "tools": []}).encode())
        assert [json.loads(raw) for raw in asked.messages] == [system, user]
        assert (asked.settings, asked.tools) == ({"model": "m"}, b"")


def test_a_mark_for_the_cache_is_no_part_of_a_message():
    mark = {"cache_control": {"type": "ephemeral"}}
    told = [{"type": "text", "text": "Do.", **mark}]
    inner = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "r", **mark}]}
    rows = [{"role": "user", "content": told}, {"role": "user", "content": [inner]}]
    body = {"system": [{"type": "text", "text": "You fix.", **mark}], "messages": rows, "model": "m"}
    asked = taken_apart("messages", json.dumps(body).encode())
    assert b"cache_control" not in b"".join(asked.messages)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages": 7}', b"\xff"])
def test_what_is_no_request_is_a_value_error(body: bytes):
    with pytest.raises(ValueError, match=r"."):
        taken_apart("chat", body)


def test_an_interface_is_known_by_the_end_of_its_path():
    assert api_of("POST", "/openai/v1/chat/completions") == "chat"
    assert api_of("POST", "/v1/responses/") == "responses"
    assert api_of("POST", "/v1/messages") == "messages"
    assert api_of("GET", "/v1/responses") is None
    assert api_of("POST", "/v1/messages/count_tokens") is None
