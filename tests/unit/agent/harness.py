"""A Debugger over a program that has just failed in this very process: its traceback, through the real inspector."""

from __future__ import annotations

import asyncio
import contextlib
import io
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.python.inspector import frame_inspector
from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer, HistoryItem, StopEvent
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.ask_messages import AskArguments, Category, ToolStep
from dap_ai.protocol.wire.caught_messages import Caught
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.report import Section
from dap_ai.settings.configuration import Settings

THREAD = 1
AT_OBSERVE = "at the level observe no code of the program is run, not even in a copy"
"""What the adapter says then."""


@dataclass
class Heard:
    """A sink that keeps everything."""

    items: list[tuple[Category, str, ToolStep | None]] = field(default_factory=list)

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        self.items.append((category, text, tool))

    def say(self, section: Section) -> None:
        if section.text:
            self.emit("answer", f"{section.text}\n\n")

    def text(self, category: Category) -> str:
        return "".join(text for kind, text, _ in self.items if kind == category)


@dataclass
class Stopped:
    """A Debugger over frames; innermost first, as (frame, line, offset of the last instruction)."""

    frames: list[tuple[Any, int, int | None]]
    error: BaseException | None = None
    reason: str = "exception"
    can_inspect: bool = True
    why_no_snapshot: str = "nothing is copied in this test"
    output: list[tuple[str, str]] = field(default_factory=list)
    did: list[HistoryItem] = field(default_factory=list)
    epoch: int = 1
    ends_after: int = 10**6
    """Calls after which the stop is over."""
    calls: list[str] = field(default_factory=list)
    variables: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    copy: Callable[[SnapshotQuery], SnapshotResult] | None = None
    """What a snapshot would do."""
    was_caught: Caught | None = None
    program: str = ""
    """The main program, as argv[0] has it."""

    @property
    def stop(self) -> StopEvent | None:
        return StopEvent(self.epoch, THREAD, None, self.reason) if self.frames else None

    @property
    def current(self) -> bool:
        return len(self.calls) < self.ends_after

    def _count(self, call: str) -> None:
        if not self.current:
            raise NotStopped(call)
        self.calls.append(call)

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._count(command)
        if command == "stackTrace":
            rows = [self._row(n, frame, line) for n, (frame, line, _) in enumerate(self.frames, 1)]
            return {"stackFrames": rows[arguments.get("startFrame", 0) :][: arguments["levels"]]}
        if command == "scopes":
            return {"scopes": [{"name": "Locals", "variablesReference": arguments["frameId"]}]}
        if command == "variables":
            frame = self.frames[arguments["variablesReference"] - 1][0]
            return {
                "variables": [
                    {"name": k, "value": repr(v), "type": type(v).__name__} for k, v in frame.f_locals.items()
                ]
            }
        if command == "exceptionInfo":
            return {"exceptionId": type(self.error).__name__, "description": str(self.error)}
        raise AssertionError(command)

    def _row(self, number: int, frame: Any, line: int) -> dict[str, Any]:
        return {"id": number, "name": frame.f_code.co_name, "line": line, "source": {"path": frame.f_code.co_filename}}

    async def inspect(self, query: Query) -> Inspection:
        self._count("inspect")
        rows = [(n, frame, line, offset) for n, (frame, line, offset) in enumerate(self.frames, 1)]
        plain = msgspec.json.decode(msgspec.json.encode(query))
        found = frame_inspector.inspect(rows, self.error if query.exception else None, plain)
        inspection = msgspec.convert(msgspec.json.decode(msgspec.json.encode(found)), Inspection)
        if self.program:
            inspection.argv, inspection.cwd = [self.program], str(Path(self.program).parent)
        return inspection

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        self._count("snapshot")
        if self.copy is None:
            raise RequestFailed("snapshot", "notSupported", "nothing is copied in this test")
        return self.copy(query)

    def output_tail(self) -> Sequence[tuple[str, str]]:
        return self.output

    def caught(self) -> Caught | None:
        return self.was_caught

    def history(self) -> Sequence[HistoryItem]:
        return self.did


def fail(program: Path) -> Stopped:
    """Runs a program to its uncaught exception."""
    path, output = list(sys.path), io.StringIO()
    modules = set(sys.modules)
    sys.path.insert(0, str(program.parent))
    try:
        with contextlib.redirect_stdout(output):
            runpy.run_path(str(program), run_name="__main__")
    except BaseException as error:  # noqa: BLE001  whatever a program fails with is what is asked about
        entries: list[tuple[Any, int, int | None]] = []
        entry = error.__traceback__
        while entry is not None and entry.tb_frame.f_code.co_filename != str(program):
            entry = entry.tb_next
        error.__traceback__ = entry
        while entry is not None:
            entries.append((entry.tb_frame, entry.tb_lineno, entry.tb_lasti))
            entry = entry.tb_next
        return Stopped(entries[::-1], error, output=[("stdout", output.getvalue())], program=str(program))
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(program.parent)):
                del sys.modules[name]
    raise AssertionError(f"{program} did not fail")


def ask(
    stopped: Stopped, question: str = "", agent: SessionAgent | None = None, **arguments: Any
) -> tuple[Answer, Heard]:
    """The answer to one question, and what the sink heard."""
    heard = Heard()
    if arguments.get("level") == "observe":
        stopped.why_no_snapshot = AT_OBSERVE
    agent = agent or SessionAgent(Settings())
    asked = AcceptedAsk("ask-1", "c1", AskArguments(question=question, **arguments))
    return asyncio.run(agent.answer(asked, stopped, heard)), heard


def case_of(stopped: Stopped) -> StopSnapshot:
    """What the agent reads of it."""
    assert stopped.stop is not None
    return asyncio.run(StopReader(stopped, Sources(), "compute").read(stopped.stop))


def context(stopped: Stopped, budget_tokens: int = 2000) -> str:
    return asyncio.run(
        SessionAgent(Settings(budget_tokens=budget_tokens)).context(AcceptedAsk("ask-1", "c1", AskArguments()), stopped)
    )
