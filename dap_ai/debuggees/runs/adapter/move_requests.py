"""Handles requests that move a run, and sends the resulting events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.stopping.breakpoint_hits import filled
from dap_ai.debuggees.runs.adapter.stopping.cursor import Moved
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS, why
from dap_ai.debuggees.runs.event_titles import title

Body = Mapping[str, Any]
_MAX_TEXT_CHARS = 2_000


class MoveRequests:
    """Handlers of moves; `handlers` maps commands to them. The run is always stopped between two requests."""

    def __init__(self, opened: OpenRun, end: Callable[[], None]) -> None:
        self._opened = opened
        self._cursor = opened.cursor
        self._end = end
        self._threads: set[int] = set()
        self._reason = Moved("")
        self._waiting: Callable[[], Moved] | None = None
        """A move that needs more of the run than has been read; repeated when more of the run is read."""
        self.handlers: Mapping[str, Callable[[RequestArguments], Body | None]] = {
            "continue": self._continue,
            "next": self._next,
            "stepIn": self._step_in,
            "stepOut": self._step_out,
            "stepBack": self._step_back,
            "reverseContinue": self._reverse,
            "pause": self._pause,
            "gotoTargets": self._targets,
            "goto": self._goto,
            "exceptionInfo": self._why,
        }

    def start(self, stop_at: str | int) -> None:
        """Stop the run for the first time: at a step number, at "end", at the first "breakpoint", or at "entry"."""
        cursor = self._cursor
        if not self._opened.run.events:
            self._end()
        elif isinstance(stop_at, int):
            self._go(lambda: self._to_step(stop_at))
        elif stop_at == "end":
            self._go(self._to_end)
        elif stop_at == "breakpoint":
            self._go(lambda: cursor.go_on(self._opened.breakpoints.all))
        else:
            cursor.go_to(0)
            self._moved(Moved("entry", "the beginning of the run"))

    def _to_step(self, step: int) -> Moved:
        indices = self._opened.facts.steps.get(step)
        if indices is None and self._opened.rest:
            return Moved("end")
        self._cursor.go_to(indices[0] if indices else len(self._opened.run.events) - 1)
        return Moved("entry", f"step {step}" if indices else f"the end: there is no step {step}")

    def _to_end(self) -> Moved:
        if self._opened.rest:
            return Moved("end")
        self._cursor.go_to(len(self._opened.run.events) - 1)
        return Moved("entry", "the end of the run")

    # -- moves beyond what has been read -----------------------------------------------------------------------------

    def _go(self, move: Callable[[], Moved]) -> None:
        """Move. At the end of what has been read, wait for more of the run without notifying the client."""
        origin = self._cursor.index
        moved = move()
        if moved.reason != "end" or self._opened.rest is None:
            self._moved(moved)
            return
        self._cursor.index = origin
        self._waiting = move
        self._opened.read_on()

    def grown(self) -> None:
        """Continue a waiting move after more of the run was read."""
        if self._waiting is not None:
            self._go(self._waiting)

    def wait_no_longer(self, why: str) -> None:
        """Stop a waiting move at the last event read."""
        if self._waiting is not None:
            self._cursor.go_to(len(self._opened.run.events) - 1)
            self._moved(Moved("pause", why))

    def stands_at(self, index: int, why: str, hit: Sequence[int] = ()) -> None:
        """Stop at the event with that index; `hit` are the ids of exception filters that stop there."""
        self._cursor.go_to(index)
        self._moved(Moved("exception" if hit else "pause", why, list(hit)))

    # -- requests ----------------------------------------------------------------------------------------------------

    def _continue(self, arguments: RequestArguments) -> Body:
        self._thread(arguments)
        self._go(lambda: self._cursor.go_on(self._opened.breakpoints.all))
        return {"allThreadsContinued": True}

    def _next(self, arguments: RequestArguments) -> None:
        thread, stops = self._thread(arguments), self._opened.breakpoints.all
        agent = self._opened.threads.agent(thread)
        call = self._opened.threads.call(thread)
        if call and call.index <= self._cursor.index < (self._opened.facts.end_of(call.step) or 0):
            self._go(lambda: self._cursor.result_of(stops, call))
        else:
            self._go(lambda: self._cursor.step_over(stops, agent))

    def _step_in(self, arguments: RequestArguments) -> None:
        self._thread(arguments)
        self._go(lambda: self._cursor.step_in(self._opened.breakpoints.all))

    def _step_out(self, arguments: RequestArguments) -> None:
        agent = self._opened.threads.agent(self._thread(arguments))
        self._go(lambda: self._cursor.step_out(self._opened.breakpoints.all, agent))

    def _step_back(self, arguments: RequestArguments) -> None:
        self._thread(arguments)
        self._moved(self._cursor.back())

    def _reverse(self, arguments: RequestArguments) -> None:
        self._thread(arguments)
        self._moved(self._cursor.go_back(self._opened.breakpoints.all))

    def _pause(self, arguments: RequestArguments) -> None:
        if self._waiting is None:
            self._thread(arguments)
        self.wait_no_longer("so far the run is read")

    def _targets(self, arguments: RequestArguments) -> Body:
        path = arguments.within("source").text("path", "")
        line = arguments.number("line")
        index = self._opened.documents.event_at(path, line) if self._opened.run.events else None
        if index is None:
            return {"targets": []}
        event = self._opened.run.events[index]
        at = self._opened.documents.line_at(path, index)
        return {"targets": [{"id": index, "label": title(event), "line": at}]}

    def _goto(self, arguments: RequestArguments) -> None:
        self._thread(arguments)
        index = arguments.number("targetId")
        if index >= len(self._opened.run.events):
            raise RequestError(f"there is no target {index}: ask gotoTargets")
        self._moved(self._cursor.go_to(index))

    def _why(self, arguments: RequestArguments) -> Body:
        """Return the exception's description: from the exception filter that stopped, or an error's text."""
        del arguments
        event, facts = self._opened.current_event, self._opened.facts
        name = self._opened.breakpoints.filter_of(self._reason.hit)
        if not name and event.status != "error" and event.kind != "error":
            raise RequestError("the held event is no error, and no exception filter has stopped here")
        said = event.text if event.status == "error" or event.kind == "error" else title(event)
        description = (why(name, event, facts) if name else "") or said
        details = {"message": said[:_MAX_TEXT_CHARS], "typeName": event.tool or event.kind}
        return {
            "exceptionId": FILTERS[name].label if name else event.tool or event.kind,
            "description": description[:_MAX_TEXT_CHARS],
            "breakMode": "always",
            "details": details,
        }

    def _thread(self, arguments: RequestArguments) -> int:
        """Return the request's thread; without a thread, the current event's. Raises RequestError."""
        held = self._opened.current_event
        thread = arguments.number("threadId", self._opened.threads.of(held))
        self._opened.threads.agent(thread)
        return thread

    # -- messages ----------------------------------------------------------------------------------------------------

    def _moved(self, moved: Moved) -> None:
        opened, self._waiting = self._opened, None
        opened.references.clear()
        for event, text in moved.logged:
            opened.messages.logged(event, filled(text, event, opened.facts))
        opened.messages.passed(self._cursor.index)
        self._reason = moved
        event = self._cursor.event
        if event is None:
            self._end()
            return
        self._tell_threads()
        reason, description = "pause" if moved.reason == "end" else moved.reason, moved.description
        body: dict[str, Any] = {"reason": reason, "threadId": opened.threads.of(event), "allThreadsStopped": True}
        if name := opened.breakpoints.filter_of(moved.hit) if reason == "exception" else "":
            description = FILTERS[name].label
            body["text"] = why(name, event, opened.facts) or title(event)
        if description:
            body["description"] = description
        if moved.hit:
            body["hitBreakpointIds"] = moved.hit
        opened.emit("stopped", body)

    def _tell_threads(self) -> None:
        """Send `thread` events for agents and parallel calls that have started or ended."""
        now = set(self._opened.threads.at(self._cursor.index))
        for thread in sorted(now - self._threads):
            self._opened.emit("thread", {"reason": "started", "threadId": thread})
        for thread in sorted(self._threads - now):
            self._opened.emit("thread", {"reason": "exited", "threadId": thread})
        self._threads = now
