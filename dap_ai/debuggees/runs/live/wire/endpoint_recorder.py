"""Writes the endpoint's traffic into a recording, in a separate thread that does not delay the agent."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.wire.answer_prices import cost_usd
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api, answer, api_of, taken_apart
from dap_ai.debuggees.runs.live.wire.http import uncompressed
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary, RequestEnd, RequestStart
from dap_ai.debuggees.runs.live.wire.routes import Upstream
from dap_ai.debuggees.runs.readers.json_shapes import table, usage
from dap_ai.debuggees.runs.run_model import TokenUsage
from dap_ai.debuggees.runs.store import Recording

_MAX_UNREAD = 64 * 1024
"""Maximum characters stored of an answer that can't be parsed; a parsed answer is stored whole."""


class EndpointRecorder:
    """Queues notes about requests and responses for the recording. Methods return at once and never raise."""

    def __init__(self, recording: Recording, upstreams: Mapping[str, Upstream]) -> None:
        self.totals = RecordingSummary()
        self.lost = ""
        """First error that prevented recording; empty without an error."""
        self._recording, self._upstreams = recording, upstreams
        self._apis: dict[int, tuple[Api, str]] = {}
        """(API, upstream name) of each query, kept because a query may have several responses."""
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def began(self, note: RequestStart) -> None:
        """Queue the record of a request."""
        self._queue.put(lambda: self._query(note))

    def ended(self, note: RequestEnd) -> None:
        """Queue the record of a response."""
        self._queue.put(lambda: self._response(note))

    def event(self, fields: Mapping[str, Any]) -> None:
        """Queue a recording line of any type."""
        self._queue.put(lambda: self._recording.event(fields))

    def edited(self, fields: Mapping[str, Any], api: Api, body: bytes | None) -> None:
        """Queue a line about an edit of the user, with the messages of an edited body."""
        self._queue.put(lambda: self._recording.event({**fields, **({"last": self._own(api, body)} if body else {})}))

    def announced(self, fields: Mapping[str, Any], messages: list[Any]) -> None:
        """Queue the record of an announced query, which did not pass through the endpoint."""

        def write() -> None:
            self.totals.queries += 1
            last = self._recording.conversation([msgspec.json.encode(message) for message in messages])
            self._recording.event({**fields, "last": last, "messages": len(messages), "settings": {}})

        self._queue.put(write)

    def after(self, do: Callable[[], None]) -> None:
        """Call `do` in the recorder's thread once all earlier records are written."""
        self._queue.put(do)

    def close(self) -> None:
        """Wait until all queued records are written, and stop the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        cost_usd("", "any", TokenUsage(1, 0, 1))  # imports the price table before the first line is queued
        while (write := self._queue.get()) is not None:
            self._do(write)

    def _do(self, write: Callable[[], None]) -> None:
        try:
            write()
        except Exception as error:  # noqa: BLE001  the agent and the rest of the recording go on
            self.lost = self.lost or f"{type(error).__name__}: {error}"

    def _query(self, note: RequestStart) -> None:
        head = {"query": note.number, "at": note.at}
        place = {"to": note.upstream, "path": note.path}
        api = api_of(note.method, note.path)
        if api is None:
            self._recording.event({**head, **place, "method": note.method, "bytes": len(note.body)})
            return
        self._apis[note.number] = api, note.upstream
        self.totals.queries += 1
        try:
            asked = taken_apart(api, uncompressed(note.body, note.encoding))
            last = self._recording.conversation(asked.messages)
            tools = {"tools": self._recording.part(asked.tools)} if asked.tools else {}
        except ValueError as error:
            unread = note.body[:_MAX_UNREAD].decode("utf-8", "replace")
            self._recording.event({**head, "api": api, **place, "unread": str(error), "body": unread})
            return
        row = {**head, "api": api, **place, "last": last, "messages": len(asked.messages), **tools}
        own = {"own": self._own(api, note.own)} if note.own else {}
        own |= {"agent": note.who.name, "parent": note.who.parent} if note.who else {}
        self._recording.event({**row, **own, "settings": asked.settings})

    def _own(self, api: Api, body: bytes) -> int:
        return self._recording.conversation(taken_apart(api, body).messages)

    def _response(self, note: RequestEnd) -> None:
        api, upstream = self._apis.get(note.number, (None, ""))
        row: dict[str, Any] = {"response": note.number, "at": note.at, "end": note.end, "status": note.status}
        row |= {"words": note.words} if note.words else {}
        row |= {"request_id": note.request_id} if note.request_id else {}
        row |= {"taped": note.taped} if note.taped is not None else {}
        if api is not None:
            streamed = note.kind.startswith("text/event-stream")
            row |= {"streamed": True} if streamed else {}
            try:
                value = answer(api, uncompressed(b"".join(note.body), note.encoding), streamed=streamed)
            except ValueError as error:
                value = f"[{error}]"
            row |= self._counted(value, upstream, note)
            row["value"] = value[:_MAX_UNREAD] if isinstance(value, str) else value
        self._recording.event(row)

    def _counted(self, value: Any, upstream: str, note: RequestEnd) -> Mapping[str, Any]:
        used = usage(table(value).get("usage"))
        cost = cost_usd(self._upstreams[upstream].url, str(table(value).get("model") or ""), used)
        if note.taped is None:
            totals = self.totals
            totals.failed += note.end != "whole" or note.status >= 400
            totals.input_tokens += (used and used.input_tokens) or 0
            totals.output_tokens += (used and used.output_tokens) or 0
            totals.cost_usd += cost or 0.0
        return {} if cost is None else {"cost_usd": cost}
