"""Debug session for a recorded run: takes DAP requests, returns responses and events. Uses no clock, socket or file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from dap_ai.debuggees.runs.adapter.breakpoint_requests import BreakpointRequests
from dap_ai.debuggees.runs.adapter.inspection_requests import InspectionRequests
from dap_ai.debuggees.runs.adapter.move_requests import MoveRequests
from dap_ai.debuggees.runs.adapter.open_run import Later, Loaded, OpenRun, Write
from dap_ai.debuggees.runs.adapter.read_only import READ_ONLY
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.run_growth import Growth, ReadProgress, goes_on, place_in
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import announced
from dap_ai.debuggees.runs.adapter.stopping.run_breakpoints import RunBreakpoints
from dap_ai.debuggees.runs.adapter.view_requests import Showing
from dap_ai.debuggees.runs.adapter.views.references import References
from dap_ai.debuggees.runs.adapter.views.run_console import Bounded
from dap_ai.system.texts import code, cut

__all__ = ["Loaded", "RequestError", "RunSession"]
Message = dict[str, Any]
Handler = Callable[[RequestArguments], "Mapping[str, Any] | None"]
_STOP_AT = ("entry", "end", "breakpoint")
_MAX_MESSAGE_CHARS = 80
_CAPABILITIES = (
    "supportsConfigurationDoneRequest", "supportsStepBack", "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints", "supportsLogPoints",
    "supportsExceptionFilterOptions", "supportsExceptionInfoRequest", "supportsEvaluateForHovers",
    "supportsGotoTargetsRequest", "supportsCompletionsRequest", "supportsLoadedSourcesRequest",
    "supportsBreakpointLocationsRequest", "supportsTerminateRequest", "supportsDataBreakpoints",
    "supportsClipboardContext", "supportsRestartRequest", "supportsCancelRequest", "supportsDelayedStackTraceLoading",
)  # fmt: skip


class RunSession:
    """Debug session for a recorded run.

    `load` opens the run at a path, and may raise RequestError. `write` writes a document and returns its path.
    """

    def __init__(self, load: Callable[[str], Loaded], write: Write, bounded: Bounded = nullcontext) -> None:
        self._load = load
        self._write = write
        self._bounded = bounded
        self._out: list[Message] = []
        self._references = References()
        self._breakpoints = RunBreakpoints()
        self._path = ""
        self._stop_at: str | int = "entry"
        self._against = ""
        self._opened: OpenRun | None = None
        self._moving: MoveRequests | None = None
        self._of_run: Mapping[str, Handler] = {}
        self._began = False
        self._ended = False
        self._progress = ReadProgress(self._emit)
        self.later: Later = lambda _: None
        """Callback for portions of the run read in the background; the server sets it to pass the portions to
        `grown`."""
        self.exit_code = 0
        """Exit code of the agent, if the agent ran in this session."""
        self.over = False
        """Whether the client has disconnected."""
        self._handlers: Mapping[str, Handler] = {
            "initialize": self._initialize,
            "launch": self._launch,
            "attach": self._launch,
            "configurationDone": self._begin,
            "restart": self._restart,
            "cancel": self._cancel,
            "terminate": self._terminate,
            "disconnect": self._disconnect,
        }

    @property
    def commands(self) -> list[str]:
        """All commands that the session accepts now."""
        return [*self._handlers, *self._of_run, *READ_ONLY]

    def receive(self, message: Mapping[str, Any]) -> list[Message]:
        """Process a message; return the response, followed by events in order, all without `seq`."""
        if message.get("type") != "request":
            return []
        self._out = []
        command, seq = message.get("command"), message.get("seq")
        name = command if isinstance(command, str) and command else "?"
        answer: Message = {"type": "response", "request_seq": seq if type(seq) is int else 0, "command": name}
        try:
            body = self._handler(name)(RequestArguments(message.get("arguments")))
            answer |= {"success": True, **({"body": body} if body is not None else {})}
        except (RequestError, ConditionError) as error:
            answer |= _failure(str(error))
        except Exception as error:  # noqa: BLE001  a bug fails the request, not the session
            answer |= _failure(f"an error of dap_ai's own: {type(error).__name__}: {error}")
        after, self._out = self._out, []
        return [answer, *after]

    def _handler(self, command: str) -> Handler:
        if handler := self._handlers.get(command) or self._of_run.get(command):
            return handler
        if command in READ_ONLY:
            raise RequestError(READ_ONLY[command])
        if command in _OF_RUN and self._opened is None:
            raise RequestError(f"no run is open yet: `launch` comes before {code(command)}")
        raise RequestError(f"a recorded run knows no '{command}'")

    # -- start and end -----------------------------------------------------------------------------------------------

    def _initialize(self, arguments: RequestArguments) -> Message:
        self._progress.is_shown = arguments.fields.get("supportsProgressReporting") is True
        return {**dict.fromkeys(_CAPABILITIES, True), "exceptionBreakpointFilters": announced()}

    def _launch(self, arguments: RequestArguments) -> None:
        if self._opened is not None:
            raise RequestError("a run is open already: one session looks at one run")
        path = arguments.text("run", "")
        if not path:
            raise RequestError("the launch configuration names no `run`: the path of a recorded run")
        self._stop_at = _stop_at(arguments.fields.get("stopAt"))
        self._against = arguments.text("against", "")
        self._open(path)
        self._emit("initialized", None)  # not earlier: the path of run.md is known only now

    def _open(self, path: str) -> None:
        loaded = self._load(path)._replace(path=path, against=self._against)
        self._path = path
        self._leave()
        opened, _ = self._show(loaded)
        self._emit("process", {"name": path, "isLocalProcess": True, "startMethod": "launch"})
        if opened.rest:
            opened.messages.grown(f"{loaded.known} are read: the rest follows while you look")
            opened.read_on()
        else:
            self._tell_whole(opened)

    def _show(self, loaded: Loaded) -> tuple[OpenRun, MoveRequests]:
        self._references.clear()
        opened = OpenRun(
            loaded, self._write, self._emit, self._bounded, self._references, self._breakpoints, self.later
        )
        moving = MoveRequests(opened, self._end)
        self._adopt(opened, moving)
        return opened, moving

    def _adopt(self, opened: OpenRun, moving: MoveRequests) -> None:
        """Use these objects for all later requests about a run."""
        self._opened, self._moving = opened, moving
        self._of_run = {
            **InspectionRequests(opened).handlers,
            **moving.handlers,
            **BreakpointRequests(opened).handlers,
            **Showing(opened, self._is_editable).handlers,
        }

    def _is_editable(self, index: int) -> bool:
        """Return whether an agent is stopped at an editable event with that index; False for a recorded run."""
        del index
        return False

    def _leave(self) -> None:
        """Stop reading the run that is open."""
        self._progress.end()
        if self._opened and self._opened.rest:
            self._opened.rest.end()

    # -- a run that is still being read ------------------------------------------------------------------------------

    def grown(self, growth: Growth) -> list[Message]:
        """Return the messages about a newly read portion; none if another run is open now."""
        self._out = []
        if self._opened and self._moving and self._opened.rest is growth.rest:
            self._progress.goes_on(growth)
            if growth.run or growth.failed:
                self._grow(growth, self._opened, self._moving)
        after, self._out = self._out, []
        return after

    def _grow(self, growth: Growth, opened: OpenRun, moving: MoveRequests) -> None:
        run, analysed = growth.run or opened.run, growth.analysed or opened.facts.analysed
        known = "" if growth.is_last else growth.words
        if goes_on(opened.run, run):
            opened.grow(run, analysed, known)
        else:
            opened, moving = self._reordered(opened, Loaded(run, analysed, rest=growth.rest, known=known))
        if growth.is_last:
            opened.messages.grown(growth.failed or f"the run is read: {len(run.events):,} events, {run.steps:,} steps")
            self._tell_whole(opened)
        moving.grown()

    def _reordered(self, before: OpenRun, loaded: Loaded) -> tuple[OpenRun, MoveRequests]:
        """Show the run again, stopped at the same event, because newly read parts have moved events."""
        held = before.cursor.event
        self._breakpoints.recount()
        rest = loaded.rest if loaded.known else None
        opened, moving = self._show(loaded._replace(path=self._path, against=self._against, rest=rest))
        if held is not None:
            index = place_in(loaded.run, held)
            opened.messages.is_past(index)
            moving.stands_at(index, "more of the run is read: this event has another place")
        elif self._began:
            moving.start(self._stop_at)
        return opened, moving

    def _cancel(self, arguments: RequestArguments) -> None:
        """Handle the request `cancel` of the reading progress: stop reading until a move needs more of the run."""
        if self._progress.is_named(arguments.text("progressId", "")):
            self._leave()
            if self._moving:
                self._moving.wait_no_longer("reading on was cancelled: so far the run is read")

    def _tell_whole(self, opened: OpenRun) -> None:
        opened.messages.problems()
        if not opened.facts.analysed.is_due:
            text = f"{opened.run.steps:,} steps: checks, patterns and changes are looked for once you say `analyse`\n"
            self._emit("output", {"category": "console", "output": text})

    def _begin(self, _: RequestArguments) -> None:
        if self._moving is None:
            raise RequestError("no run is open yet: `launch` comes before `configurationDone`")
        if self._began:
            raise RequestError("the run has begun already")
        self._began = True
        self._moving.start(self._stop_at)

    def _restart(self, arguments: RequestArguments) -> None:
        """Read the run again, because it may have grown, and stop where the launch would stop. Keeps breakpoints."""
        if self._opened is None or not self._began:
            raise RequestError("no run has begun yet: there is nothing to restart")
        given = arguments.within("arguments")
        self._stop_at = _stop_at(given.fields.get("stopAt"), self._stop_at)
        self._open(given.text("run", "") or self._path)
        self._ended = False
        if self._moving:
            self._moving.start(self._stop_at)

    def _terminate(self, _: RequestArguments) -> None:
        self._end()

    def _disconnect(self, arguments: RequestArguments) -> None:
        del arguments
        self._leave()
        self.over = True

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        if self._opened:
            self._opened.cursor.index = len(self._opened.run.events)
        self._emit("exited", {"exitCode": self.exit_code})
        self._emit("terminated", None)

    def _emit(self, name: str, body: Mapping[str, Any] | None) -> None:
        self._out.append({"type": "event", "event": name, **({"body": body} if body is not None else {})})


_OF_RUN = frozenset((
    "threads", "stackTrace", "scopes", "variables", "source", "loadedSources", "evaluate", "completions",
    "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "pause", "gotoTargets", "goto",
    "exceptionInfo", "setBreakpoints", "setFunctionBreakpoints", "setExceptionBreakpoints",
    "breakpointLocations", "dataBreakpointInfo", "setDataBreakpoints", "runView", "runEvent",
))  # fmt: skip
"""Requests that need an open run."""


def _stop_at(value: Any, default: str | int = "entry") -> str | int:
    """Return where the run first stops. Raises RequestError for an invalid value."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise RequestError(f"`stopAt` is to be a step's number, or one of {', '.join(_STOP_AT)}")
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, str) and value not in _STOP_AT:
        raise RequestError(f"`stopAt` is {value!r}, and has to be a step's number, or one of {', '.join(_STOP_AT)}")
    return value


def _failure(text: str) -> Message:
    short = cut(text, _MAX_MESSAGE_CHARS, "…")
    return {"success": False, "message": short, "body": {"error": {"id": 1, "format": _escaped(text)}}}


def _escaped(text: str) -> str:
    """Escape text so that DAP clients see no variables in braces."""
    return text.replace("{", "(").replace("}", ")")
