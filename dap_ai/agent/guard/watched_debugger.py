"""A Debugger wrapper that reports every read to the user."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.agent.guard.pass_through import PassingSession
from dap_ai.protocol.contracts.debugger import Action, ActionResult, Consent, Debugger, Sink
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.question import HistoryItem
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult, Statements
from dap_ai.protocol.wire.ask_messages import ToolStep
from dap_ai.protocol.wire.caught_messages import Caught
from dap_ai.system.texts import counted


class Watched(PassingSession):
    """Debugger wrapper that reports each call with its duration to the sink, and counts calls and snapshots."""

    def __init__(self, debugger: Debugger, sink: Sink) -> None:
        super().__init__(debugger)
        self._debugger = debugger
        self._sink = sink
        self._quiet = False
        self.calls = 0
        self.snapshots = 0

    @contextlib.contextmanager
    def quietly(self) -> Generator[None]:
        """Suppresses reports in a `with` block whose calls belong to one reported step. Snapshots are still counted."""
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = False

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """Evaluates in a snapshot and reports the outcome. Runs of a modified program are only counted."""
        began = time.monotonic()
        result = await self._debugger.snapshot(query)
        self.snapshots += 1
        if query.is_trial:
            self.calls += not self._quiet  # one of many trials, which are reported as a sum
            return result
        what = "the tests beside it" if query.beside else query.expression or _statements(query.statements)
        self._report("snapshot", f"snapshot {what}", _came_of(result), began, snapshot=True)
        return result

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a DAP request and reports how many rows the response has."""
        began = time.monotonic()
        body = await self._debugger.request(command, arguments)
        count = next((len(v) for v in body.values() if isinstance(v, list)), 0)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] JSON
        self._report(command, f"{command}", _some(count, "row"), began)
        return body

    async def inspect(self, query: Query) -> Inspection:
        """Inspects frames and reports how many variables were read."""
        began = time.monotonic()
        found = await self._debugger.inspect(query)
        expressions = sum(len(frame.expressions) for frame in query.frames)
        bound = sum(len(f.arguments) + len(f.locals) for f in found.frames)
        call = ", ".join(filter(None, [_some(len(query.frames), "frame"), _some(expressions, "expression")]))
        self._report("inspect", f"inspect {call}", _some(bound, "variable"), began)
        return found

    async def act(self, action: Action, frame_id: int = 0) -> ActionResult:
        """Performs an action on the program and reports the outcome."""
        began = time.monotonic()
        done = await self._debugger.act(action, frame_id)
        what = type(action).__name__
        self._report("act", f"act {what}", f"stopped: {done.stop.reason}" if done.stop else done.result, began)
        return done

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """Asks the user for consent to an action."""
        return await self._debugger.approve(kind, action, reason, now)

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """Returns the end of the program's output."""
        return self._debugger.output_tail()

    def caught(self) -> Caught | None:
        """Returns the exception that the program caught, or None."""
        return self._debugger.caught()

    def history(self) -> Sequence[HistoryItem]:
        """Returns the history of the session."""
        return self._debugger.history()

    def _report(self, name: str, call: str, result: str, began: float, *, snapshot: bool = False) -> None:
        if self._quiet:
            return
        self.calls += 1
        seconds = round(time.monotonic() - began, 4)
        shown = f"{call}{f' -> {result}' if result else ''} ({1000 * seconds:.0f} ms)"
        self._sink.emit("tool", shown, ToolStep(name, call, result, seconds, snapshot))


def _came_of(result: SnapshotResult) -> str:
    """Describes how a snapshot ended. If the result is unknown, gives only the reason."""
    if result.unknown and result.beside is None:
        return f"not known: {result.unknown}"
    return result.error or result.status


def _statements(wanted: Statements | None) -> str:
    if wanted is None:
        return "nothing"
    name, last = Path(wanted.file).name, wanted.line + max(0, wanted.source.rstrip().count("\n"))
    if wanted.fresh:
        return f"{name} afresh"
    return f"{name}:{wanted.line}{f'-{last}' if last > wanted.line else ''} again"


def _some(count: int, what: str) -> str:
    return counted(count, what) if count else ""
