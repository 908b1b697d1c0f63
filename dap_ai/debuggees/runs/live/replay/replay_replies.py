"""Decides who answers each query of a replay: the recording (tape), an edit, or the model; reports differences."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from dap_ai.debuggees.runs.live.endpoint_plan import EditedResult, InsertedText, Plan
from dap_ai.debuggees.runs.live.replay.request_diff import RequestDifference, difference
from dap_ai.debuggees.runs.live.replay.tape import Tape, TapeAnswer, TapeQuery
from dap_ai.debuggees.runs.live.wire.apis.message_edits import insert_user_text, resulted, rewritten, with_messages
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api, ParsedRequest, taken_apart
from dap_ai.debuggees.runs.live.wire.apis.response_forms import in_form
from dap_ai.debuggees.runs.live.wire.query_visit import Decision, Sent
from dap_ai.debuggees.runs.readers.json_shapes import decoded
from dap_ai.debuggees.runs.store import named

_WEIGHTS = ("passing", "text", "shape")
Note = Callable[[Mapping[str, Any]], None]


class Replaying:
    """Decides who answers each query of one replay. Not thread-safe."""

    def __init__(self, plan: Plan, tape: Tape, note: Note, before: Tape | None = None) -> None:
        """Create a replay; `before` is the part that a killed endpoint has already recorded."""
        self._plan, self._tape, self._note = plan, tape, note
        self._used: set[int] = set(before.taken.values()) if before else set()
        self._asked_live = before.live if before else 0
        self._told: set[str] = (
            {str(row["divergence"]) for row in before.rows if "divergence" in row} if before else set()
        )
        self._live = self._asked_live > 0
        self._prefixes: list[tuple[Sequence[str], InsertedText]] = []

    def decide(self, number: int, api: Api, body: bytes) -> Decision:
        """Decide who answers the query `number`. Never raises: requests that can't be parsed go to the model."""
        try:
            asked = taken_apart(api, self._as_then(body))
        except ValueError:
            return self._to_the_model(number, api, body, None, None)
        names = [named(message)[1] for message in asked.messages]
        taped = self._match(api, names, asked)
        if taped is None:
            return self._beyond(number, api, body, names)
        self._used.add(taped.number)
        found = self._compared(taped, names, asked)
        if found:
            self._tell(number, taped.number, found)
        then = self._then(found)
        override = self._plan.answers.get(str(taped.number))
        if then == "tape" and (override is not None or not self._is_live(taped.number)):
            answer = self._tape.answers.get(taped.number) if override is None else TapeAnswer(200, override)
            if answer is not None:
                self._learn(number, taped, names)
                is_fork = override is not None and self._forked(number, "an edit answers, then the model")
                return self._answered(api, body, answer, taped.number, asked, is_fork=is_fork)
            if self._plan.shape == "stop":
                return self._stopped(body, "the recording has no answer to this query")
        if then == "stop":
            return self._stopped(body, "it leaves the tape")
        is_fork = self._forked(number, "the model answers") and then == "tape"
        return self._to_the_model(number, api, body, names, taped if then == "tape" else None, is_fork=is_fork)

    def _forked(self, number: int, words: str) -> bool:
        """Record that the replay leaves the tape at this query; return whether that is the first time."""
        if was := not self._live:
            self._note({"note": f"from query {number} on {words}", "at": time.time(), "fork": number})
        self._live = True
        return was

    def _is_live(self, number: int) -> bool:
        return self._plan.until is not None and number >= self._plan.until

    def _match(self, api: Api, names: Sequence[str], asked: ParsedRequest) -> TapeQuery | None:
        """Return the tape's equal query, else the next query of an agent with the same first message.

        Once the replay has left the tape, only an equal query matches. None without a match.
        """
        waiting = [each for each in self._tape.queries if each.number not in self._used and each.api == api]
        tools = named(asked.tools)[1] if asked.tools else ""
        same = (each for each in waiting if list(each.messages) == list(names) and each.tools == tools)
        if (found := next(same, None)) is not None:
            return found
        if self._live:
            return None
        alike = (each for each in waiting if each.messages[:1] == list(names[:1]) and each.tools == tools)
        return next(alike, None) or next(iter(waiting), None)

    def _compared(self, taped: TapeQuery, names: Sequence[str], asked: ParsedRequest) -> RequestDifference | None:
        tools = named(asked.tools)[1] if asked.tools else ""
        if list(taped.messages) == list(names) and taped.tools == tools:
            return None
        then = [_value(self._tape.message(name)) for name in taped.messages]
        now = [_value(message) for message in asked.messages]
        offered = _value(self._tape.message(taped.tools)), _value(asked.tools)
        return difference(then, now, offered)

    def _then(self, found: RequestDifference | None) -> Literal["tape", "live", "stop"]:
        if found is None or found.kind == "passing":
            return "tape"
        return self._plan.shape if found.kind == "shape" else self._plan.texts

    def _beyond(self, number: int, api: Api, body: bytes, names: Sequence[str]) -> Decision:
        """Decide about a query that the tape does not contain."""
        if not self._live:
            self._tell(number, None, RequestDifference("shape", "a query more than the tape has", "", ""))
            if self._plan.shape == "stop":
                return self._stopped(body, "the tape has ended")
        self._forked(number, "the model answers")
        return self._to_the_model(number, api, body, names, None)

    def _learn(self, number: int, taped: TapeQuery, names: Sequence[str]) -> None:
        """Apply the edits that insert user text at this query, to this query and all later ones of the conversation."""
        for place, edit in enumerate(self._plan.edits):
            if isinstance(edit, InsertedText) and edit.query == taped.number:
                self._prefixes.append((list(names), edit))
                words = f"words of the user's were added to query {number}: {edit.text}"
                self._note({"note": words, "at": time.time(), "edit": place, "query": number})

    def _to_the_model(
        self,
        number: int,
        api: Api,
        body: bytes,
        names: Sequence[str] | None,
        taped: TapeQuery | None,
        *,
        is_fork: bool = False,
    ) -> Decision:
        if self._plan.budget is not None and self._asked_live >= self._plan.budget:
            return self._stopped(body, f"its budget of {self._plan.budget} queries is used up")
        self._asked_live += 1
        if taped is not None and names is not None:
            self._learn(number, taped, names)
        edited = self._edited(api, body, names or ())
        return Decision(edited or body, body if edited else None, is_fork=is_fork)

    def _edited(self, api: Api, body: bytes, names: Sequence[str]) -> bytes | None:
        """Return the request with the edits that apply to it; None if no edit applies."""

        def edited(messages: list[Any]) -> list[Any]:
            beside = len(names) - len(messages)  # instructions outside the messages
            for prefix, edit in reversed(self._prefixes):
                if list(names[: len(prefix)]) == list(prefix):
                    messages = insert_user_text(api, messages, len(prefix) - beside, edit.text)
            for edit in self._plan.edits:
                if isinstance(edit, EditedResult):
                    messages = resulted(messages, edit.call_id, edit.text)
            return messages

        return with_messages(api, body, edited)

    def _answered(
        self, api: Api, body: bytes, answer: TapeAnswer, taped: int, asked: ParsedRequest, *, is_fork: bool = False
    ) -> Decision:
        value = answer.value
        if self._plan.paths:
            value = rewritten(value, *self._plan.paths)
        if answer.status >= 400:
            sent = Sent(answer.status, "application/json", msgspec.json.encode(value), taped)
        else:
            kind, wire = in_form(api, value, asked.settings)
            sent = Sent(answer.status, kind, wire, taped)
        return Decision(body, sent=sent, is_fork=is_fork)

    def _stopped(self, body: bytes, why: str) -> Decision:
        error = {"message": f"dap-ai: the replay ends here: {why}", "type": "dap_ai", "param": None, "code": None}
        self._note({"note": f"the replay was ended: {why}", "at": time.time(), "stopped": why})
        sent = Sent(400, "application/json", msgspec.json.encode({"type": "error", "error": error}), 0)
        return Decision(body, sent=sent, stop=why)

    def _tell(self, number: int, taped: int | None, found: RequestDifference) -> None:
        """Report the first difference, and the first of each higher weight; later differences follow from these."""
        if any(kind in self._told for kind in _WEIGHTS[_WEIGHTS.index(found.kind) :]):
            return
        self._told.add(found.kind)
        words = f"query {number} differs from the tape's: {found.words}"
        detail = {"divergence": found.kind, "query": number, "taped": taped, **found._asdict()}
        self._note({"note": words, "at": time.time(), **detail})

    def _as_then(self, body: bytes) -> bytes:
        """Return the request with the workspace's recorded path in place of the current one."""
        if not self._plan.paths:
            return body
        try:
            return msgspec.json.encode(rewritten(msgspec.json.decode(body), *reversed(self._plan.paths)))
        except (msgspec.DecodeError, UnicodeError):
            return body


def _value(data: bytes) -> Any:
    return decoded(data or b"null", hashlib.blake2b(data).hexdigest())
