"""Passes a query through the gate: results and query before the model is called, answer and calls afterwards."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.gate import gate_edits
from dap_ai.debuggees.runs.live.gate.announcements import Announcing, Keeping
from dap_ai.debuggees.runs.live.gate.gate import AgentGate, Carry, What
from dap_ai.debuggees.runs.live.gate.gate_contract import Announcement, encoded
from dap_ai.debuggees.runs.live.gate.orders import Order
from dap_ai.debuggees.runs.live.wire.answer_prices import cost_usd
from dap_ai.debuggees.runs.live.wire.apis.message_edits import resulted, with_messages
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.live.wire.request_notes import Who
from dap_ai.debuggees.runs.readers.json_shapes import table, usage
from dap_ai.debuggees.runs.run_model import Event

Begin = Callable[[], None]
"""Callback that starts keep-alive messages to the client, because the agent has to wait."""


class GatedQuery:
    """A query that the gate may pause, edit or answer. `body` is the request that the model will get.

    Implements wire.query_visit.Visit.
    """

    def __init__(  # noqa: PLR0917  the parts of a query
        self, gate: AgentGate, number: int, api: Api, body: bytes, url: str = "", who: Who | None = None
    ) -> None:
        """Create a gated query.

        `url` is the model's address, which determines prices; `who` is the agent, if a hook named it.
        """
        self._gate, self.number, self._url = gate, number, url
        self.api: Api = api
        edited = gate.kept.applied(api, body)
        self.body: bytes = edited or body
        self.own: bytes | None = body if edited else None
        self.reply: Any = None
        """Answer used instead of the model's; None to call the model."""
        self.refused = ""
        """Why the query is rejected without an answer; empty unless it is rejected."""
        self.value: Any = None
        self.is_edited = False
        """Whether `value` differs from the model's answer."""
        self._speaker = None if who is None else gate.story.begun(who.name, who.parent)
        self._events: Sequence[Event] = ()

    @property
    def wants_changes(self) -> bool:
        """Whether `asked` needs the names of the files that changed in the workspace."""
        return self._gate.stops.wants_changes

    def wants_answer(self, status: int) -> bool:
        """Return whether the whole answer must arrive before the agent gets any part; depends on the HTTP status."""
        return self._gate.stops.wants_answers(failed=status >= 400)

    async def asked(self, begin: Begin, changed: Sequence[str] | None) -> None:
        """Pass the gate before the model is called. `changed` lists changed workspace files; None for no change."""
        gate = self._gate
        speaker, results, query = gate.story.query(self.body, self._speaker)
        self._speaker = speaker
        if changed is not None:
            change = gate.story.change(speaker, changed)
            await gate.passes(What(change, self.number, lambda: None, _nothing), begin)
        for result in results:
            await self._passes(result, partial(self._result, result), begin)
        await gate.passes(What(query, self.number, self._fields, self._query, self.api), begin)

    async def answered(self, begin: Begin, value: Any, status: int) -> bool:
        """Pass the gate with the whole answer, before the agent gets it; return whether to query the model again."""
        self.value, self._events = value, self._come(value, status)
        for event in self._events:
            if event.kind == "call" and ("call" in self._gate.announces or event.call_id not in self._open):
                continue
            carry = partial(self._call, event) if event.kind == "call" else self._response
            if await self._passes(event, carry, begin) == "again":
                self._again()
                return True
        return False

    def passed(self, value: Any, status: int) -> None:
        """Record an answer that is forwarded at once, without being held at the gate."""
        for event in self._come(value, status):
            self._gate.story.past(event)

    def _come(self, value: Any, status: int) -> list[Event]:
        story = self._gate.story
        row = table(value)
        cost = cost_usd(self._url, str(row.get("model") or ""), usage(row.get("usage"))) if self._url else None
        return story.answer(self._speaker or story.begun(""), value, status, cost)

    @property
    def _open(self) -> dict[str, Event]:
        return self._speaker.open_calls if self._speaker else {}

    def _again(self) -> None:
        for event in self._events:
            self._open.pop(event.call_id, None)
        self.is_edited = False
        self._gate.records.event({"again": self.number, "at": time.time()})

    # -- editable values ---------------------------------------------------------------------------------------------

    def _fields(self) -> Any:
        """Return the request's fields, or None if the request can't be parsed."""
        try:
            return msgspec.json.decode(self.body, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeError):
            return None

    async def _passes(self, event: Event, carry: Carry, begin: Begin) -> str:
        def shown() -> Any:
            if event.kind != "call":
                return event.text
            return {"tool": event.tool, "arguments": event.text if event.arguments is None else event.arguments}

        return await self._gate.passes(What(event, self.number, shown, carry, self.api), begin)

    # -- edits -------------------------------------------------------------------------------------------------------

    def _query(self, order: Order) -> None:
        if order.do == "answer":
            self.reply = gate_edits.in_the_models_place(self.api, self.body, str(order.text))
        elif order.do == "drop":
            self.refused = "this query was dropped in the debugger"
            self._record_edit("query", {"text": self.refused})
        elif order.do == "note":
            self._note(str(order.text))
        else:
            self.body = gate_edits.with_fields(self.body, order.value)
            self._record_edit("query", {}, self.body)

    def _note(self, text: str) -> None:
        self.body = self._gate.kept.say(self.api, self.body, text)
        self._record_edit("note", {"text": text}, self.body)

    def _result(self, result: Event, order: Order) -> None:
        if order.do == "note":
            return self._note(str(order.text))
        if order.do not in ("edit", "answer") or not isinstance(order.text, str):
            raise gate_edits.CannotEdit("a result can be edited: it has a text")
        self._gate.kept.results[result.call_id] = result.text = text = order.text
        told = with_messages(self.api, self.body, lambda messages: resulted(messages, result.call_id, text))
        self.body = told or self.body
        return self._record_edit("result", {"call_id": result.call_id, "text": text}, self.body)

    def _response(self, order: Order) -> None:
        if order.do == "edit" and order.value is not msgspec.UNSET:
            value = order.value
        elif order.do == "edit" and isinstance(order.text, str):
            value = gate_edits.with_text(self.api, self.value, order.text)
        elif order.do == "answer":
            value = gate_edits.in_the_models_place(self.api, self.body, str(order.text))
            self._open.clear()
        else:
            raise gate_edits.CannotEdit("a response can be edited, answered in the model's place, or asked for again")
        self._other(value)

    def _call(self, call: Event, order: Order) -> None:
        if order.do == "drop":
            self._open.pop(call.call_id, None)
            return self._other(gate_edits.without_call(self.api, self.value, call.call_id))
        if order.do != "edit":
            return self._response(order)
        value = gate_edits.with_call(self.value, call.call_id, order.tool, order.arguments)
        call.tool = order.tool if isinstance(order.tool, str) else call.tool
        if order.arguments is not msgspec.UNSET:
            call.arguments = table(order.arguments) or {"input": order.arguments}
        return self._other(value)

    def _other(self, value: Any) -> None:
        self.value, self.is_edited = value, True
        self._record_edit("response", {"value": value})

    def _record_edit(self, what: str, fields: dict[str, Any], body: bytes | None = None) -> None:
        row = {"edited": self.number, "at": time.time(), "what": what, **fields}
        self._gate.records.edited(row, self.api, body)


def _nothing(_: Order) -> None:
    raise gate_edits.CannotEdit("a change of the workspace is past: edit its files")


class GateService:
    """Serves queries and announcements at the gate.

    Not thread-safe: for the endpoint's event loop only. `numbers` yields query numbers.
    """

    def __init__(self, gate: AgentGate, numbers: itertools.count[int], keeping: Keeping | None = None) -> None:
        self._gate = gate
        self._announcing = Announcing(gate, numbers, keeping)

    def visit(self, number: int, api: Api, body: bytes, url: str = "", who: Who | None = None) -> GatedQuery:
        """Return the gated query for a request to the model."""
        self._announcing.has_wire = True
        return GatedQuery(self._gate, number, api, body, url, who)

    async def announced(self, body: bytes) -> tuple[int, bytes]:
        """Process an announcement from the agent's process; return (HTTP status, verdict).

        The status is 400 if the message matches no type of gate_contract.py.
        """
        try:
            said = msgspec.json.decode(body, type=Announcement)
        except (msgspec.MsgspecError, UnicodeError) as error:
            return 400, msgspec.json.encode({"do": "go", "why": f"not understood: {error}"})
        return 200, encoded(await self._announcing(said))
