"""Which variable each of the client's data breakpoints watches: the adapter reports a hit by an id at most."""

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
"""How lldb-dap before 20 describes such a stop, with the reason `breakpoint`."""


@dataclass(eq=False)
class DataBreakpoints:
    """Records in the debuggee's state which data breakpoint was hit."""

    _state: DebuggeeState
    _edits: ValueEdits

    def __post_init__(self) -> None:
        self._known: dict[str, tuple[int, WatchedData]] = {}
        """By `dataId`, with the stop epoch at which the client asked for it."""
        self._set: list[tuple[int | None, WatchedData]] = []
        """The data breakpoints that are set, with the adapter's id."""

    def on_response(self, message: Envelope, owner: ClientOwner) -> None:
        """A request of the session's own client has succeeded."""
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
        """The program has stopped."""
        if stop.reason != "data breakpoint" and not _WATCHPOINT.match(stop.description):
            return
        hit = read_or(message, HitBreakpoints, HitBreakpoints()).hit_breakpoint_ids
        named = [watched for number, watched in self._set if number in hit]
        self._state.hit = named or [watched for _, watched in self._set]
        self._set = [(number, replace(watched, before="")) for number, watched in self._set]

    def _as_known(self, data_id: str) -> WatchedData:
        """The variable, without a value seen at an earlier stop: that may have changed since."""
        epoch, watched = self._known[data_id]
        return watched if epoch == self._state.epoch else replace(watched, before="")

    def _watched(self, asked: DataInfoArguments) -> WatchedData:
        """The variable of a scope, the member of an object, or the expression of a frame that the client asks about."""
        reference = asked.variables_reference
        if not reference:
            return WatchedData(asked.name, self._edits.function_of(asked.frame_id or 0), "", "")
        row = self._edits.row(reference, asked.name)
        function = "" if self._edits.is_global(reference) else self._edits.function_of(row.frame_id)
        is_edited = any(edit.name == row.path for edit in self._state.edits)
        return WatchedData(row.path, function, "" if is_edited else row.value, "")
