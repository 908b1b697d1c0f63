"""What the test endpoint answers, right or wrong, and how that looks in Chat Completions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Chunk = dict[str, Any]


@dataclass
class Reply:
    """One reply; the defaults are a plain, correct one. Every field can stand in a script file."""

    text: str | Sequence[str] = ""
    """Streamed at once, or in these pieces."""
    calls: Sequence[tuple[str, Any]] = ()
    """(tool, arguments); arguments that are a string are sent as they are, so they can be malformed. In Responses
    `space:tool` is a tool of a namespace."""
    reasoning: str = ""
    finish: str = ""
    """Empty: `tool_calls` with calls, else `stop`."""
    tokens: tuple[int, int, int] | None = (1000, 50, 0)
    """(input, output, cached) of the usage chunk; None: there is none, even if it was asked for."""
    piece_chars: int = 0
    """Cuts `text` into pieces of so many characters."""
    fragment_chars: int = 0
    """Cuts the arguments of calls into fragments of so many characters; fragments of several calls alternate."""
    slice_bytes: int = 0
    """Cuts the body into HTTP chunks of so many bytes, in the middle of events and characters."""
    comments: bool = False
    """A keep-alive comment before each event, as OpenRouter sends."""
    index: bool = True
    """False: calls come without an index, each whole, as some endpoints send them."""
    ids: bool = True
    """False: calls come without an id."""
    object_arguments: bool = False
    """Arguments as an object instead of JSON text."""
    done: bool = True
    """False: the stream ends without `[DONE]`."""
    status: int = 200
    error: str = ""
    """The message of an error: with a status in the body, with status 200 in the stream, after the text."""
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """`Retry-After` and such."""
    delay_s: float = 0.0
    """Before the first byte."""
    pause_s: float = 0.0
    """Before each event."""
    hold: Literal["", "start", "head", "text"] = ""
    """Waits for `Endpoint.release` or the client's going: before the head, after it, or after the first event with
    text, reasoning or a call."""
    break_after: int | None = None
    """The connection is cut after so many events."""
    body: bytes | None = None
    """Sent as it is, instead of all that."""

    @property
    def pieces(self) -> list[str]:
        """The text as it is streamed."""
        if not isinstance(self.text, str):
            return list(self.text)
        step = self.piece_chars or len(self.text) or 1
        return [self.text[i : i + step] for i in range(0, len(self.text), step)]

    @property
    def finish_reason(self) -> str:
        """As it is sent."""
        return self.finish or ("tool_calls" if self.calls else "stop")

    @property
    def usage(self) -> dict[str, Any] | None:
        """As it is sent."""
        if self.tokens is None:
            return None
        taken, given, cached = self.tokens
        details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
        return {"prompt_tokens": taken, "completion_tokens": given, "total_tokens": taken + given, **details}


def reply_of(row: dict[str, Any]) -> Reply:
    """A reply of a script file. Raises TypeError at a field that there is not."""
    calls = [
        tuple(call) if isinstance(call, list) else (call["name"], call["arguments"]) for call in row.get("calls", ())
    ]
    tokens = tuple(row["tokens"]) if row.get("tokens") else row.get("tokens", Reply.tokens)
    return Reply(**{**row, "calls": calls, "tokens": tokens})


def error_body(message: str, code: str = "", kind: str = "invalid_request_error") -> dict[str, Any]:
    """The body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}


def deltas(reply: Reply, first_id: int) -> Iterator[dict[str, Any]]:
    """The deltas of a reply, in their order; `first_id` numbers its calls."""
    yield {"role": "assistant", "content": ""}
    if reply.reasoning:
        yield {"reasoning_content": reply.reasoning}
    for piece in reply.pieces:
        yield {"content": piece}
    for part in _fragments(reply, first_id):
        yield {"tool_calls": [part]}


def completion(reply: Reply, head: dict[str, Any], first_id: int) -> dict[str, Any]:
    """A reply without streaming."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(reply.pieces) or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [_call(reply, n, first_id) for n in range(len(reply.calls))]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": reply.usage}


def _call(reply: Reply, number: int, first_id: int) -> dict[str, Any]:
    name, arguments = reply.calls[number]
    written = arguments if isinstance(arguments, str) or reply.object_arguments else json.dumps(arguments)
    call = {"type": "function", "function": {"name": name, "arguments": written}}
    return {"id": f"call_{first_id + number}", **call} if reply.ids else call


def _fragments(reply: Reply, first_id: int) -> Iterator[dict[str, Any]]:
    calls = [_call(reply, number, first_id) for number in range(len(reply.calls))]
    if not reply.fragment_chars:
        yield from ({"index": number, **call} if reply.index else call for number, call in enumerate(calls))
        return
    queues: list[list[dict[str, Any]]] = []
    for number, call in enumerate(calls):
        written, step = call["function"]["arguments"], reply.fragment_chars
        head = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        rest = [{"function": {"arguments": written[i : i + step]}} for i in range(0, len(written), step)]
        queues.append([{"index": number, **part} for part in (head, *rest)])
    for row in itertools.zip_longest(*queues):
        yield from (part for part in row if part)
