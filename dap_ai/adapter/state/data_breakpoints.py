"""Tracks the variables of the client's data breakpoints, because an adapter reports a hit by an id or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from msgspec.structs import replace

from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.outbox import read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.adapter.state.value_edits import ValueEdits
from dap_ai.protocol.contracts.question import WatchedData
from dap_ai.protocol.wire.dap_messages import (
    BreakpointsBody,
    DataInfoArguments,
    DataInfoBody,
    HitBreakpoints,
    SetDataArguments,
    StoppedBody,
)
from dap_ai.protocol.wire.envelope import Envelope, decode_or

_WATCHPOINT = re.compile(r"watchpoint \d+\b")
"""Matches the stop description of a data breakpoint in lldb-dap before 20, which has the reason `breakpoint`."""


@dataclass(eq=False)
class DataBreakpoints:
    """Records the data breakpoints of the client, and which of them a stop has hit."""

    _state: DebuggeeState
    _edits: ValueEdits

    def __post_init__(self) -> None:
        self._known: dict[str, tuple[int, WatchedData]] = {}
        """Maps each `dataId` to (stop epoch of the client's request, variable)."""
        self._set: list[tuple[int | None, WatchedData]] = []
        """The active data breakpoints as (the adapter's id, variable)."""

    def on_response(self, message: Envelope, owner: ClientOwner) -> None:
        """Record data breakpoints from a successful response to the session's own client."""
        if owner.command == "dataBreakpointInfo":
            asked = decode_or(owner.arguments, DataInfoArguments, DataInfoArguments(""))
            data_id = read_or(message, DataInfoBody, DataInfoBody()).data_id
            if data_id and asked.name:
                self._known[data_id] = self._state.epoch, self._watched(asked)
        elif owner.command == "setDataBreakpoints":
            wanted = decode_or(owner.arguments, SetDataArguments, SetDataArguments()).breakpoints
            made = read_or(message, BreakpointsBody, BreakpointsBody()).breakpoints
            self._set = [
                (each.id, replace(self._as_known(one.data_id), access=one.access_type))
                for one, each in zip(wanted, made, strict=False)
                if each.verified and one.data_id in self._known
            ]

    def on_stopped(self, message: Envelope, stop: StoppedBody) -> None:
        """Record the data breakpoints that a stop has hit."""
        if stop.reason != "data breakpoint" and not _WATCHPOINT.match(stop.description):
            return
        hit = read_or(message, HitBreakpoints, HitBreakpoints()).hit_breakpoint_ids
        named = [watched for number, watched in self._set if number in hit]
        self._state.hit = named or [watched for _, watched in self._set]
        self._set = [(number, replace(watched, before="")) for number, watched in self._set]

    def _as_known(self, data_id: str) -> WatchedData:
        """Return the variable of a `dataId`. Omits a value from an earlier stop, which may have changed."""
        epoch, watched = self._known[data_id]
        return watched if epoch == self._state.epoch else replace(watched, before="")

    def _watched(self, asked: DataInfoArguments) -> WatchedData:
        """Return the variable that the client asks about: in a scope, of an object, or an expression in a frame."""
        reference = asked.variables_reference
        if not reference:
            return WatchedData(asked.name, self._edits.function_of(asked.frame_id or 0), "", "")
        row = self._edits.row(reference, asked.name)
        function = "" if self._edits.is_global(reference) else self._edits.function_of(row.frame_id)
        is_edited = any(edit.name == row.path for edit in self._state.edits)
        return WatchedData(row.path, function, "" if is_edited else row.value, "")
