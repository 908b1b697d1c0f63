"""Tracks values set in the debugger, so that no answer claims that the program computed them.

A client sets a variable by a reference, which is valid only within its stop. To find the variable's frame, expression
and earlier value, dap_ai keeps the responses that the client received at the stop, and searches them when the client
sets a value.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from dap_ai.adapter.state.assigned import assigned
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.contracts.question import ValueEdit
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import (
    EvaluateArguments,
    FrameId,
    ResultBody,
    ScopesArguments,
    ScopesBody,
    SetExpressionArguments,
    SetVariableArguments,
    VariableRow,
    VariablesArguments,
    VariablesBody,
)
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.system.texts import cut

T = TypeVar("T")

READ = frozenset({"scopes", "variables", "setVariable", "setExpression", "dataBreakpointInfo", "setDataBreakpoints"})
"""Requests whose arguments are kept until the adapter has answered. The arguments of `evaluate` are kept as well."""
_GLOBAL = re.compile(r"globals?\b|static", re.IGNORECASE)
_MAX_EDITS = 50
_MAX_TEXT = 200
_MAX_ANSWERS, _MAX_BYTES = 200, 1_000_000
"""Maximum number and bytes of responses kept per stop. A variable in an older response has no known earlier value."""


class EditableVariable(NamedTuple):
    """A variable of the program, with the value that a client last received."""

    frame_id: int
    path: str
    """The expression that names the variable."""
    value: str


@dataclass(eq=False)
class ValueEdits:
    """Records which values the client and the agent have set."""

    _state: DebuggeeState

    def __post_init__(self) -> None:
        self._epoch = 0
        self._frames: dict[int, FrameId] = {}
        self._answers: deque[tuple[str, bytes, Envelope, int]] = deque()
        """Responses to `scopes` and `variables`, each as (command, arguments, response, size in bytes)."""
        self._bytes = 0

    def on_frames(self, frames: Iterable[FrameId]) -> None:
        """Record stack frames that the client received."""
        self._renew()
        self._frames.update((frame.id, frame) for frame in frames)

    def on_response(self, message: Envelope, owner: ClientOwner) -> None:
        """Record a successful response that reads or sets values, for the session's own client."""
        self._renew()
        match owner.command:
            case "scopes" | "variables":
                self._keep(owner, message)
            case "setVariable" if arguments := _read(owner.arguments, SetVariableArguments):
                row = self.row(arguments.variables_reference, arguments.name)
                self._note(row, _result(message), by_user=True)
            case "setExpression" if arguments := _read(owner.arguments, SetExpressionArguments):
                self.on_set(arguments.frame_id or 0, arguments.expression, _result(message), by_user=True)
            case "evaluate" if arguments := _read(owner.arguments, EvaluateArguments):
                self.on_typed(arguments.frame_id or 0, arguments.expression, by_user=True)
            case _:
                pass

    def on_set(self, frame_id: int, expression: str, value: str, *, by_user: bool) -> None:
        """Record that a client or the agent has set an expression in a frame."""
        self._note(EditableVariable(frame_id, expression, self._before(frame_id, expression)), value, by_user=by_user)

    def on_typed(self, frame_id: int, text: str, *, by_user: bool) -> None:
        """Record what a statement or debugger command sets. A client or the agent has run it in a frame."""
        for name, value, statement in assigned(text):
            row = EditableVariable(frame_id, name, self._before(frame_id, name))
            self._note(row, value, cut(statement, _MAX_TEXT), by_user=by_user)

    def _note(self, row: EditableVariable, value: str, typed: str = "", *, by_user: bool) -> None:
        frame = self._frames.get(row.frame_id, FrameId(row.frame_id))
        spot = (frame.name, frame.path, frame.line, self._state.epoch)
        edit = ValueEdit(row.path, cut(value, _MAX_TEXT), cut(row.value, _MAX_TEXT), typed, *spot, by_user)
        same = next((e for e in self._state.edits if _is_same(e, edit)), None)
        if same is not None:
            self._state.edits.remove(same)
            edit = replace(edit, before=same.before)
        if edit.value and edit.value == edit.before:
            return  # set back to what it was before
        self._state.edits.append(edit)
        del self._state.edits[:-_MAX_EDITS]

    def _keep(self, owner: ClientOwner, message: Envelope) -> None:
        size = len(message.content)
        self._answers.append((owner.command, owner.arguments, message, size))
        self._bytes += size
        while self._bytes > _MAX_BYTES or len(self._answers) > _MAX_ANSWERS:
            self._bytes -= self._answers.popleft()[3]

    def _before(self, frame_id: int, expression: str) -> str:
        rows = [row for row in self._rows().values() if row.path == expression and frame_id in (row.frame_id, 0)]
        return rows[-1].value if rows else ""

    def row(self, reference: int, name: str) -> EditableVariable:
        """Return a variable as the client last received it.

        If the client has not received the variable, its name serves as its expression.
        """
        return self._rows().get((reference, name)) or EditableVariable(
            self._frames_of(self._scopes()).get(reference, 0), name, ""
        )

    def _rows(self) -> Mapping[tuple[int, str], EditableVariable]:
        """Map (reference, name) to each variable that the client received, in order of receipt."""
        frames = self._frames_of(self._scopes())
        rows: dict[tuple[int, str], EditableVariable] = {}
        for command, asked, message, _ in self._answers:
            arguments = _read(asked, VariablesArguments) if command == "variables" else None
            if arguments is None or arguments.variables_reference not in frames:
                continue
            reference = arguments.variables_reference
            for row in _variables(message):
                rows.pop((reference, row.name), None)
                rows[reference, row.name] = EditableVariable(
                    frames[reference], row.evaluate_name or row.name, row.value
                )
                if row.variables_reference:
                    frames[row.variables_reference] = frames[reference]
        return rows

    def _scopes(self) -> list[tuple[int, ScopesBody]]:
        found: list[tuple[int, ScopesBody]] = []
        for command, asked, message, _ in self._answers:
            if command == "scopes" and (arguments := _read(asked, ScopesArguments)):
                found.append((arguments.frame_id, _read(message.content, ScopesBody) or ScopesBody()))
        return found

    def function_of(self, frame_id: int) -> str:
        """Return the function name of a frame that the client received; empty if unknown."""
        return self._frames.get(frame_id, FrameId(frame_id)).name

    def is_global(self, reference: int) -> bool:
        """Whether this reference belongs to a scope of global or static variables."""
        scopes = (scope for _, body in self._scopes() for scope in body.scopes)
        return any(s.variables_reference == reference and _GLOBAL.match(s.name or s.presentation_hint) for s in scopes)

    def _frames_of(self, scopes: Iterable[tuple[int, ScopesBody]]) -> dict[int, int]:
        return {scope.variables_reference: frame_id for frame_id, body in scopes for scope in body.scopes}

    def _renew(self) -> None:
        """Drop responses of an earlier stop, because references and frame ids are valid within one stop only."""
        if self._epoch != self._state.epoch:
            self._epoch, self._bytes = self._state.epoch, 0
            self._frames.clear()
            self._answers.clear()


def _is_same(one: ValueEdit, other: ValueEdit) -> bool:
    places = [(e.epoch, e.function, e.file, e.line, e.name) for e in (one, other)]
    return places[0] == places[1]


def _variables(message: Envelope) -> list[VariableRow]:
    return (_read(message.content, VariablesBody) or VariablesBody()).variables


def _result(message: Envelope) -> str:
    read = _read(message.content, ResultBody) or ResultBody()
    return read.value or read.result


def _read(data: bytes, shape: type[T]) -> T | None:
    try:
        return envelope.decode(data or b"{}", shape)
    except RemoteProtocolError:
        return None
