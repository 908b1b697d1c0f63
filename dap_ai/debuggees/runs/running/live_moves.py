"""Handles moves of a live run: through its past while an agent is stopped, forward by letting the agent continue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dap_ai.debuggees.runs.adapter.move_requests import Body, MoveRequests
from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.stopping.cursor import Moved
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS, why
from dap_ai.debuggees.runs.event_titles import title
from dap_ai.debuggees.runs.live.gate.orders import Until
from dap_ai.debuggees.runs.running.agent_holds import RUNS, At, Present
from dap_ai.debuggees.runs.running.gate_breakpoints import AnalysisHit

_PRESENT = "the present: what comes next has not happened yet"


class LiveMoving(MoveRequests):
    """Handlers of moves in a live run: like MoveRequests, but a move past the stopped event lets the agent continue."""

    def __init__(self, opened: OpenRun, end: Callable[[], None], present: Present, *, stop_all: bool) -> None:
        super().__init__(opened, end)
        self._present, self._stop_all = present, stop_all
        self.is_entry = False
        """Whether the next pause is the stop on entry."""
        self.late: AnalysisHit | None = None
        """The breakpoint hit of the analysis that the next pause reports."""
        self.handlers: Mapping[str, Callable[[RequestArguments], Body | None]] = {
            **self.handlers,
            "continue": self._go_on,
            "next": lambda arguments: self._on(arguments, "cycle"),
            "stepIn": lambda arguments: self._on(arguments, "event"),
            "stepOut": lambda arguments: self._on(arguments, "out"),
            "pause": self._hold,
            "restartFrame": self._again,
            "stepBack": lambda arguments: self._past(arguments, self._step_back),
            "reverseContinue": lambda arguments: self._past(arguments, self._reverse),
            "goto": lambda arguments: self._past(arguments, self._goto),
        }

    def arrived(self, at: At) -> None:
        """Tell the client that an agent has stopped."""
        reason, name, hit = at.held.reason, at.held.filter, list(at.held.hit)
        text = ""
        if reason == "pause" and self.late is not None:
            name, text = self.late.filter, self.late.says
            reason, hit, self.late = "exception", [self.late.ident], None
        elif reason == "pause" and self.is_entry:
            reason = "entry"
        self.is_entry = False
        self._cursor.go_to(at.index)
        self._opened.references.clear()
        self._opened.messages.passed(at.index)
        self._reason = Moved(reason, "", hit)
        self._tell_threads()
        event = self._opened.run.events[at.index]
        everyone = self._stop_all or len(self._opened.threads.at(at.index)) <= len(self._present.holds)
        body: dict[str, Any] = {"reason": reason, "threadId": at.thread, "allThreadsStopped": everyone}
        if name in FILTERS:
            body |= {
                "description": FILTERS[name].label,
                "text": text or why(name, event, self._opened.facts) or title(event),
            }
        if hit:
            body["hitBreakpointIds"] = hit
        self._opened.emit("stopped", body)

    def runs(self) -> None:
        """Move to the newest event while the agent runs."""
        if not self._present.holds:
            last = len(self._opened.run.events) - 1
            self._cursor.go_to(last)
            self._opened.messages.passed(last)
            self._tell_threads()

    def _go_on(self, arguments: RequestArguments) -> Body:
        self._on(arguments, "")
        return {"allThreadsContinued": not self._present.holds}

    def _on(self, arguments: RequestArguments, until: Until) -> None:
        at = self._present.of(self._thread(arguments))
        if self._cursor.index < at.index:
            return self._forward(at, until)
        self._present.release(at, until)
        others = [each.index for each in self._present.holds.values()]
        self._cursor.go_to(max(others, default=len(self._opened.run.events) - 1))
        return None

    def _forward(self, at: At, until: Until) -> None:
        """Move forward in the past, up to the event at which the agent is stopped."""
        cursor, stops = self._cursor, self._opened.breakpoints.all
        agent = self._opened.run.events[at.index].agent
        moves: Mapping[Until, Callable[[], Moved]] = {
            "": lambda: cursor.go_on(stops),
            "event": lambda: cursor.step_in(stops),
            "cycle": lambda: cursor.step_over(stops, agent),
            "out": lambda: cursor.step_out(stops, agent),
        }
        moved = moves[until]()
        if moved.reason == "end" or cursor.index >= at.index:
            cursor.go_to(at.index)
            moved = Moved(moved.reason if moved.reason != "end" else "step", _PRESENT, moved.hit, moved.logged)
        self._moved(moved)

    def _past(self, arguments: RequestArguments, move: Callable[[RequestArguments], None]) -> None:
        if not self._present.holds:
            raise RequestError(f"{RUNS}; then its past can be looked at")
        move(arguments)

    def _hold(self, arguments: RequestArguments) -> None:
        del arguments
        self._present.pause()

    def _again(self, arguments: RequestArguments) -> None:
        frame = self._opened.stack.frame(arguments.number("frameId"))
        at = self._present.at(frame.event.index)
        if at.held.kind not in ("response", "call") or not at.held.query:
            raise RequestError(
                "the model is asked again only while its answer is held: after that the agent knows the answer"
            )
        self._present.release(at, "", again=True)

    def _thread(self, arguments: RequestArguments) -> int:
        event = self._cursor.event
        thread = arguments.number("threadId", self._opened.threads.of(event) if event else 1)
        self._opened.threads.agent(thread)
        return thread
