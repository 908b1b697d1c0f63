"""Handles events that the agent's process announces: records, stops and edits them like events in HTTP traffic."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.gate.gate import AgentGate, What
from dap_ai.debuggees.runs.live.gate.gate_contract import Announcement, GateVerdict
from dap_ai.debuggees.runs.live.gate.gate_edits import CannotEdit
from dap_ai.debuggees.runs.live.gate.gate_events import Speaker
from dap_ai.debuggees.runs.live.gate.orders import GateMessage, Order
from dap_ai.debuggees.runs.readers.json_shapes import table
from dap_ai.debuggees.runs.readers.recordings.message_pieces import MessagePiece
from dap_ai.debuggees.runs.run_model import Event
from dap_ai.system.texts import code

Keeping = Callable[[int], "asyncio.Future[Sequence[str] | None]"]
_GO = GateVerdict()
_KEEPING_S = 1.0
"""Maximum seconds that a query waits for the workspace to be saved."""


class Announcing:
    """Handles announced events of an agent.

    Not thread-safe: for the endpoint's event loop only. `numbers` yields query numbers.
    """

    def __init__(self, gate: AgentGate, numbers: itertools.count[int], keeping: Keeping | None = None) -> None:
        """Create a handler; `keeping` starts to save the workspace's state for a query."""
        self._gate, self._numbers, self._keeping = gate, numbers, keeping
        self._asked: dict[str, int] = {}
        """Number of the current query of each agent whose queries do not pass through the endpoint."""
        self.has_wire = False
        """Whether the endpoint has forwarded a query; announced queries then are duplicates."""
        self._made = itertools.count(1)

    async def __call__(self, said: Announcement) -> GateVerdict:
        """Process an announcement; return the verdict when the agent may continue."""
        gate = self._gate
        match said.kind:
            case "hello":
                gate.announces |= set(said.announces)
                gate.say(GateMessage(announces=list(said.announces)))
            case "started" | "ended":
                gate.say(GateMessage(pid=said.pid, exit_code=said.exit_code))
            case "python":
                gate.say(GateMessage(port=said.port))
            case "agent":
                gate.story.begun(said.agent, said.parent)
                gate.records.event({"note": f"agent {said.agent} begins", "at": time.time(), "parent": said.parent})
            case "note":
                gate.records.event({"note": said.text, "at": time.time()})
            case "call":
                return await self._call(said)
            case "result":
                return await self._result(said)
            case "query" if not self.has_wire:
                return await self._query(said)
            case "response" if not self.has_wire:
                return await self._response(said)
            case _:
                pass
        return _GO

    def _speaker(self, said: Announcement) -> Speaker:
        known = self._gate.story.caller(said.call_id) if said.call_id else None
        return known or self._gate.story.begun(said.agent, said.parent)

    # -- calls and results -------------------------------------------------------------------------------------------

    async def _call(self, said: Announcement) -> GateVerdict:
        speaker = self._speaker(said)
        given = _object(said.arguments)
        event = self._known(speaker, said)
        if event is None:
            call_id = said.call_id or f"hook-{next(self._made)}"
            text = said.text or (said.arguments if isinstance(said.arguments, str) else "")
            event = self._gate.story.call(speaker, MessagePiece("call", "", text, call_id, said.tool, given))
        elif given is not None:
            event.arguments = given
        row = {"called": event.call_id, "at": time.time(), "agent": speaker.name, "tool": event.tool}
        self._gate.records.event({**row, "arguments": said.arguments})

        def note(order: Order) -> None:
            shown = _given(tool=order.tool, arguments=order.arguments, text=order.text)
            self._edited("call", event, {"do": order.do, **shown})

        arguments: Any = event.text if said.arguments is None else said.arguments
        shown = {"tool": event.tool, "arguments": arguments}
        verdict = await self._judged(event, 0, lambda: shown, note, said.frames)
        return msgspec.structs.replace(verdict, call_id=event.call_id)

    @staticmethod
    def _known(speaker: Speaker, said: Announcement) -> Event | None:
        """Return an announcement's open call, found by id, else by tool and arguments, else as the tool's only call."""
        if said.call_id in speaker.open_calls:
            return speaker.open_calls[said.call_id]
        named = [call for call in speaker.open_calls.values() if call.tool == said.tool and not said.call_id]
        same = [call for call in named if call.arguments == said.arguments]
        found = same or (named if len(named) == 1 else [])
        return found[0] if found else None

    async def _result(self, said: Announcement) -> GateVerdict:
        speaker = self._speaker(said)
        call = self._known(speaker, said)
        call_id = call.call_id if call else said.call_id
        event = self._gate.story.result(call_id, said.text, said.status)
        if event is None:
            return _GO
        event.status = said.status if event.status == "unknown" else event.status
        event.exit_code = said.exit_code if said.exit_code is not None else event.exit_code
        row: dict[str, Any] = {"returned": call_id, "at": time.time(), "tool": event.tool, "status": said.status}
        row |= {} if said.exit_code is None else {"exit_code": said.exit_code}
        self._gate.records.event({**row, "text": said.text})

        def note(order: Order) -> None:
            self._edited("result", event, {"text": order.text})

        return await self._judged(event, 0, lambda: said.text, note)

    def _edited(self, what: str, event: Event, fields: Mapping[str, Any]) -> None:
        row = {"edited": 0, "at": time.time(), "what": what, "call_id": event.call_id}
        self._gate.records.event({**row, **fields})

    async def _judged(
        self,
        event: Event,
        number: int,
        value: Callable[[], Any],
        note: Callable[[Order], None] = lambda _: None,
        frames: Sequence[Any] = (),
    ) -> GateVerdict:
        """Wait until the agent may continue; return the verdict that the user's orders make.

        Calls `note` with each order.
        """
        verdict = _GO

        def carry(order: Order) -> None:
            nonlocal verdict
            verdict = _taken(verdict, order, event)
            note(order)

        await self._gate.passes(What(event, number, value, carry, frames=frames))
        return verdict

    # -- queries outside the endpoint --------------------------------------------------------------------------------

    async def _query(self, said: Announcement) -> GateVerdict:
        number = next(self._numbers)
        speaker = self._gate.story.begun(said.agent, said.parent)
        self._asked[speaker.name] = number
        body = msgspec.json.encode({"messages": list(said.messages)})
        who = {"agent": said.agent, "parent": said.parent} if said.agent else {}
        self._gate.records.announced({"query": number, "at": time.time(), "api": "chat", **who}, list(said.messages))
        await self._kept(number, speaker)
        _, results, query = self._gate.story.query(body, speaker)
        for result in results:
            await self._gate.passes(What(result, number, lambda result=result: result.text, _past))
        return await self._judged(query, number, lambda: {"messages": list(said.messages)})

    async def _kept(self, number: int, speaker: Speaker) -> None:
        """Wait until the workspace's state before the query is saved."""
        if self._keeping is None:
            return
        kept = self._keeping(number)
        await asyncio.wait([kept], timeout=None if self._gate.stops.wants_changes else _KEEPING_S)
        if kept.done() and (changed := kept.result()) is not None and self._gate.stops.wants_changes:
            change = self._gate.story.change(speaker, changed)
            await self._gate.passes(What(change, number, lambda: None, _past))

    async def _response(self, said: Announcement) -> GateVerdict:
        speaker = self._gate.story.begun(said.agent, said.parent)
        number = self._asked.pop(speaker.name, 0)
        calls = [{"id": each.call_id, "type": "function", "function": _function(each)} for each in said.calls]
        message = {"role": "assistant", "content": said.text, **({"tool_calls": calls} if calls else {})}
        value = {"choices": [{"index": 0, "message": message}]}
        row = {"response": number, "at": time.time(), "end": "whole", "status": 200, "value": value}
        self._gate.records.event(row)
        response = self._gate.story.answer(speaker, value, 200)[0]  # its calls are announced separately
        return await self._judged(response, number, lambda: said.text)


def _taken(verdict: GateVerdict, order: Order, event: Event) -> GateVerdict:
    """Return the verdict with one more order applied. Raises CannotEdit."""
    if event.kind == "result":
        if not isinstance(order.text, str):
            raise CannotEdit("a result can be edited: it has a text")
        return msgspec.structs.replace(verdict, do="edit", text=order.text)
    if order.do in ("answer", "drop"):
        return GateVerdict(
            "answer", text="(dropped)" if order.do == "drop" and order.text is msgspec.UNSET else order.text
        )
    if order.do != "edit":
        raise CannotEdit(f"{code(order.do)} is nothing that can be done here")
    messages = table(order.value).get("messages", msgspec.UNSET)
    given = _given(text=order.text, tool=order.tool, arguments=order.arguments, messages=messages)
    return msgspec.structs.replace(verdict, do="edit", **given)


def _given(**fields: Any) -> dict[str, Any]:
    """Return the fields that are set."""
    return {key: value for key, value in fields.items() if value is not msgspec.UNSET}


def _object(arguments: Any) -> Mapping[str, Any] | None:
    return table(arguments) if isinstance(arguments, dict) else None


def _function(call: Any) -> dict[str, Any]:
    return {"name": call.tool, "arguments": msgspec.json.encode(call.arguments).decode()}


def _past(_: Order) -> None:
    raise CannotEdit("it is past: edit the query, or the files")
