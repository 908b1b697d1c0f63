"""A real HTTP server that speaks Chat Completions, Responses and Messages, streamed or not, as its script says.

In a test, in a thread and on a port of its own; `url` is what `base_url` or OPENAI_BASE_URL is set to:

    with Endpoint([Reply(calls=[("evaluate", {"expression": "total"})]), Reply("It is 3.")]) as endpoint:
        ...
        assert endpoint.requests[1].body["messages"][-1]["role"] == "tool"

Each request takes the next reply; a function of the request in its place makes one from what was asked. After the last
one, `endless` repeats it, else the request is refused (status 400). What is no valid Chat Completions request, as a
tool result that answers no call, is refused too. See reply.py for what can be scripted.

As a process, for benchmarks and other debuggers; the first line that it prints is the URL:

    python -m tests.chat.endpoint SCRIPT [--port N] [--requests FILE]

SCRIPT is JSON: a list of replies, `[{"text": "..."}, {"calls": [["stack", {}]]}]`, or an object with `replies` and
any of `endless`, `models`, `key`, `max_chars`. FILE gets a line for each request: `{"at": <Unix time>, "body": ...}`.
Ended by a signal.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chat.others import message, message_events, response, response_events
from tests.chat.protocol import mistake_in
from tests.chat.reply import Reply, completion, deltas, error_body, reply_of
from tests.patience import at_worst

__all__ = ["Endpoint", "Reply", "Seen"]

MODEL = "scripted-model"
_WAIT_S = at_worst(30.0)
_OTHERS = {"/v1/responses": (response, response_events), "/v1/messages": (message, message_events)}
"""Beside Chat Completions: a whole answer and its events."""


@dataclass
class Seen:
    """A request that came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.time)
    """Unix time."""
    ended: threading.Event = field(default_factory=threading.Event)
    """It was answered, or the client went away."""
    left: bool = False
    """The client closed the connection before the answer was complete."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Of the conversation."""
        return self.body["messages"]


Scripted = Reply | Callable[[Seen], Reply]


class Endpoint:
    """The server; a context manager. `requests` are those to a model, in order."""

    def __init__(
        self,
        replies: Sequence[Scripted] = (),
        *,
        endless: bool = False,
        models: Sequence[str] = (MODEL,),
        key: str = "",
        max_chars: int = 0,
        refused: Sequence[str] = (),
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        """`key`: no other is let in; `max_chars`: a longer conversation overflows; `refused`: fields it rejects."""
        self.replies = list(replies)
        self.requests: list[Seen] = []
        self.url = ""
        self.connections = 0
        """That were ever opened."""
        self._endless, self._models, self._key, self._max_chars = endless, list(models), key, max_chars
        self._refused, self._port, self._log = list(refused), port, log
        self._calls = 0
        self._arrived = threading.Condition()
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)

    def __enter__(self) -> Endpoint:  # noqa: PYI034  Self is of Python 3.11
        self._thread.start()
        assert self._started.wait(_WAIT_S), "the endpoint did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_WAIT_S)

    def wait(self, count: int, timeout_s: float = _WAIT_S) -> Seen:
        """Blocks until so many requests have come; the last of them. Raises AssertionError after the timeout."""
        with self._arrived:
            came = self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_s)
        assert came, f"{len(self.requests)} of {count} requests came in {timeout_s:g} s"
        return self.requests[count - 1]

    def release(self) -> None:
        """Lets go all replies that hold, now and later."""
        self._loop.call_soon_threadsafe(self._released.set)

    async def serve(self, announce: Callable[[str], None] = lambda _: None) -> None:
        """Serves until it is stopped or cancelled; `announce` is told the URL."""
        self._loop, self._stop, self._released = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, limit=2**24)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        announce(self.url)
        self._started.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: while a request is answered, the head of the next one is awaited, or the client's going."""
        following = asyncio.ensure_future(_read_head(reader))
        try:
            while head := await following:
                method, path, headers = head
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                following = asyncio.ensure_future(_read_head(reader))
                seen = Seen(path, headers, json.loads(body or b"{}"))
                answering = asyncio.ensure_future(self._answer(method, seen, writer))
                await asyncio.wait([answering, following], return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    seen.left = True
                    answering.cancel()
                try:
                    with contextlib.suppress(asyncio.CancelledError):
                        await answering
                except ConnectionError:  # the client went in the middle of a word
                    seen.left = True
                seen.ended.set()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            following.cancel()
            writer.close()

    async def _answer(self, method: str, seen: Seen, writer: asyncio.StreamWriter) -> None:
        if self._key and seen.headers.get("authorization") != f"Bearer {self._key}":
            return await _send(writer, 401, error_body("Incorrect API key provided.", "invalid_api_key"))
        if method == "GET" and seen.path == "/v1/models":
            rows = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in self._models]
            return await _send(writer, 200, {"object": "list", "data": rows})
        if method != "POST" or seen.path not in ("/v1/chat/completions", *_OTHERS):
            return await _send(writer, 404, error_body(f"Unknown request: {method} {seen.path}"))
        self._note(seen)
        status, message, code = self._refusal(seen)
        if status:
            return await _send(writer, status, error_body(message, code))
        reply = self._next(seen)
        if reply.hold == "start":
            await self._released.wait()
        await asyncio.sleep(reply.delay_s)
        if reply.body is None and reply.status != 200:
            return await _send(writer, reply.status, error_body(reply.error, reply.code), reply.headers)
        first_id, self._calls = self._calls, self._calls + len(reply.calls)
        head = {"id": f"chatcmpl-{len(self.requests)}", "created": int(seen.at), "model": seen.body["model"]}
        if reply.body is None and not seen.body.get("stream"):
            whole = _OTHERS[seen.path][0] if seen.path in _OTHERS else completion
            return await _send(writer, 200, whole(reply, head, first_id))
        return await self._stream(seen, reply, head, first_id, writer)

    def _note(self, seen: Seen) -> None:
        with self._arrived:
            self.requests.append(seen)
            self._arrived.notify_all()
        if self._log:
            with self._log.open("a") as file:
                file.write(json.dumps({"at": seen.at, "body": seen.body}) + "\n")

    def _refusal(self, seen: Seen) -> tuple[int, str, str]:
        """(status, message, code) of what is wrong with a request; status 0: nothing is."""
        if name := next((field for field in self._refused if field in seen.body), ""):
            return 400, f"Unrecognized request argument supplied: {name}", "unknown_parameter"
        if seen.path not in _OTHERS and (mistake := mistake_in(seen.body)):
            return 400, f"Invalid request: {mistake}", "invalid_value"
        if seen.body["model"] not in self._models:
            return (
                404,
                f"The model `{seen.body['model']}` does not exist or you do not have access to it.",
                "model_not_found",
            )
        size = len(json.dumps(seen.body.get("messages") or seen.body.get("input")))
        if self._max_chars and size > self._max_chars:
            message = f"This model's maximum context length is {self._max_chars} tokens, but the messages have {size}."
            return 400, message, "context_length_exceeded"
        return 0, "", ""

    def _next(self, seen: Seen) -> Reply:
        if not self.replies:
            return Reply(status=400, error="The script has no reply any more.")
        scripted = self.replies[0] if self._endless and len(self.replies) == 1 else self.replies.pop(0)
        return scripted if isinstance(scripted, Reply) else scripted(seen)

    async def _stream(
        self, seen: Seen, reply: Reply, head: dict[str, Any], first_id: int, writer: asyncio.StreamWriter
    ) -> None:
        stream = _Stream(writer, reply.slice_bytes)
        await stream.begin(reply.headers)
        if reply.hold == "head":
            await self._released.wait()
        for number, event in enumerate(_events(seen, reply, head, first_id)):
            if reply.break_after == number:
                writer.transport.abort()
                return
            await asyncio.sleep(reply.pause_s)
            await stream.send((b": OPENROUTER PROCESSING\n\n" if reply.comments else b"") + event)
            if reply.hold == "text" and number == 1:
                await self._released.wait()
        await stream.end()


class _Stream:
    """A body in HTTP's chunks."""

    def __init__(self, writer: asyncio.StreamWriter, slice_bytes: int) -> None:
        self._writer = writer
        self._slice = slice_bytes

    async def begin(self, headers: dict[str, str]) -> None:
        sent = {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked", **headers}
        self._writer.write(_head(200, sent))
        await self._writer.drain()

    async def send(self, data: bytes) -> None:
        step = self._slice or len(data)
        for i in range(0, len(data), step):
            piece = data[i : i + step]
            self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await self._writer.drain()
            if self._slice:
                await asyncio.sleep(0)

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()


def _events(seen: Seen, reply: Reply, head: dict[str, Any], first_id: int) -> list[bytes]:
    """The events of a streamed reply, ready to send."""
    if reply.body is not None:
        return [reply.body]
    if seen.path in _OTHERS:
        return [b"event: %b\n" % row["type"].encode() + _event(row) for row in _numbered(seen, reply, head, first_id)]
    head = {**head, "object": "chat.completion.chunk"}
    counted = bool((seen.body.get("stream_options") or {}).get("include_usage")) and reply.tokens is not None
    chunks = [{**head, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas(reply, first_id)]
    if reply.error:
        return [_event(chunk) for chunk in (*chunks, error_body(reply.error, reply.code, "server_error"))]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish_reason}]})
    if counted:
        chunks.append({**head, "choices": [], "usage": reply.usage})
    return [*(_event(chunk) for chunk in chunks), *([b"data: [DONE]\n\n"] if reply.done else [])]


def _numbered(seen: Seen, reply: Reply, head: dict[str, Any], first_id: int) -> list[dict[str, Any]]:
    rows = _OTHERS[seen.path][1](reply, head, first_id)
    return [{**row, "sequence_number": number} for number, row in enumerate(rows)]


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _send(writer: asyncio.StreamWriter, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
    data = json.dumps(body).encode()
    sent = {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}
    writer.write(_head(status, sent) + data)
    await writer.drain()


async def _read_head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]] | None:
    """Method, path without query, headers by lower-case name; None: the client has closed the connection."""
    try:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    method, path, _ = lines[0].split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return method, path.partition("?")[0], headers


def main() -> None:
    """Serves a script until a signal comes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--requests", type=Path)
    flags = parser.parse_args()
    script = json.loads(flags.script.read_text(encoding="utf-8"))
    script = {"replies": script} if isinstance(script, list) else script
    replies = [reply_of(row) for row in script.pop("replies")]
    endpoint = Endpoint(replies, port=flags.port, log=flags.requests, **script)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(endpoint.serve(lambda url: print(url, flush=True)))  # noqa: T201  who starts it reads it


if __name__ == "__main__":
    main()
