"""Debug session for a live agent: takes DAP requests and the agent's events, returns messages. Does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dap_ai.debuggees.runs.adapter.background_analysis import Analysed, BackgroundAnalysis
from dap_ai.debuggees.runs.adapter.move_requests import MoveRequests
from dap_ai.debuggees.runs.adapter.open_run import Loaded, OpenRun, Write
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.run_session import Message, RunSession
from dap_ai.debuggees.runs.adapter.views.run_console import Bounded
from dap_ai.debuggees.runs.live.endpoint_messages import EndpointInput
from dap_ai.debuggees.runs.live.gate.orders import GateMessage
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.running.agent_holds import RUNS, Present
from dap_ai.debuggees.runs.running.edit_requests import EditRequests
from dap_ai.debuggees.runs.running.fork_command import Forking
from dap_ai.debuggees.runs.running.gate_breakpoints import late_hit, table_of
from dap_ai.debuggees.runs.running.happening import Happening
from dap_ai.debuggees.runs.running.live_launch import LiveLaunch, parse_launch
from dap_ai.debuggees.runs.running.live_moves import LiveMoving
from dap_ai.debuggees.runs.store import FORMAT

if TYPE_CHECKING:  # only for annotations
    from dap_ai.debuggees.runs.running.live_stage import LiveStage

KNOWN = "the run so far"
_SETTING = ("setFunctionBreakpoints", "setExceptionBreakpoints", "setDataBreakpoints")
"""Requests that set breakpoints. Not a set, because a client may send an unhashable `command`."""
_STANDING = ("stackTrace", "scopes", "variables")
"""Requests that need a stopped agent."""
_CAPABILITIES = ("supportsSetVariable", "supportsSetExpression", "supportsRestartFrame")


@dataclass
class _Live:
    """A running agent, and what the session needs for it."""

    wanted: LiveLaunch
    stage: LiveStage
    present: Present
    moving: LiveMoving


class LiveSession(RunSession):
    """Debug session for live and recorded runs: a launch with `command` starts an agent.

    `stage` creates the LiveStage, which runs the agent, and may raise RequestError.
    """

    def __init__(
        self,
        load: Callable[[str], Loaded],
        write: Write,
        bounded: Bounded = nullcontext,
        stage: Callable[[LiveLaunch], LiveStage] | None = None,
    ) -> None:
        super().__init__(load, write, bounded)
        self._make = stage
        self._live: _Live | None = None
        self._judged: set[tuple[int, int]] = set()
        self._starts_sessions = False

    def receive(self, message: Mapping[str, Any]) -> list[Message]:
        """Process a message like RunSession does, and also a failed response to `runInTerminal`."""
        kind = message.get("type"), message.get("command")
        if kind == ("response", "runInTerminal") and not message.get("success"):
            return self.happens(Happening(ended=1, words=f"the client started no terminal: {message.get('message')}"))
        told = super().receive(message)
        if message.get("command") in _SETTING:
            self._tell_table()
        return told

    # -- start and end -----------------------------------------------------------------------------------------------

    def _launch(self, arguments: RequestArguments) -> None:
        if not arguments.has("command") or self._make is None:
            return super()._launch(arguments)
        if self._opened is not None:
            raise RequestError("a run is open already: one session looks at one run")
        configuration = parse_launch(arguments)
        stage = self._make(configuration)
        self._path = stage.path
        run = stage.run()
        self._show_live(Loaded(run, BackgroundAnalysis(run), stage.path, known=KNOWN), configuration, stage)
        self._emit(
            "process", {"name": " ".join(configuration.command), "isLocalProcess": True, "startMethod": "launch"}
        )
        self._emit("capabilities", {"capabilities": dict.fromkeys(_CAPABILITIES, True)})
        self._emit("initialized", None)
        return None

    def _initialize(self, arguments: RequestArguments) -> Message:
        self._starts_sessions = arguments.fields.get("supportsStartDebuggingRequest") is True
        return super()._initialize(arguments)

    def _show(self, loaded: Loaded) -> tuple[OpenRun, MoveRequests]:
        opened, moving = super()._show(loaded)
        self._add_fork(opened)
        return opened, moving

    def _add_fork(self, opened: OpenRun) -> None:
        if opened.run.format == FORMAT:
            start = self._starts if self._starts_sessions else None
            opened.console.commands = {**opened.console.commands, **Forking(opened, start).commands}

    def _show_live(self, loaded: Loaded, configuration: LiveLaunch, stage: LiveStage) -> None:
        opened = OpenRun(
            loaded, self._write, self._emit, self._bounded, self._references, self._breakpoints, self.later, live=True
        )
        present = Present(opened, stage)
        moving = LiveMoving(opened, self._end, present, stop_all=configuration.stop_all)
        self._adopt(opened, moving)
        self._live = _Live(configuration, stage, present, moving)
        changing = EditRequests(opened, present)
        self._of_run = {**self._of_run, **changing.handlers}
        opened.console.commands = {**opened.console.commands, **changing.commands}
        self._add_fork(opened)

    def _begin(self, _: RequestArguments) -> None:
        if (live := self._live) is None:
            return super()._begin(_)
        if self._began:
            raise RequestError("the run has begun already")
        self._began = True
        self._tell_table()
        if live.wanted.stop_on_entry:
            live.present.pause()
            live.moving.is_entry = True
        if live.wanted.console == "internalConsole":
            return live.stage.begin()
        words, env, cwd = live.stage.in_terminal()
        kind = "external" if live.wanted.console == "externalTerminal" else "integrated"
        arguments_ = {"kind": kind, "title": words[-1], "cwd": cwd, "args": words, "env": env}
        self._out.append({"type": "request", "command": "runInTerminal", "arguments": arguments_})
        return None

    def _restart(self, arguments: RequestArguments) -> None:
        if self._live is not None:
            raise RequestError(
                "a live agent is not restarted: end it, and launch it again; `fork` runs it again from a step"
            )
        super()._restart(arguments)

    def _terminate(self, _: RequestArguments) -> None:
        if self._live is None:
            return super()._terminate(_)
        return self._live.stage.end_agent()

    def _disconnect(self, arguments: RequestArguments) -> None:
        if self._live is not None:
            if arguments.fields.get("terminateDebuggee") is False:
                self._live.stage.leave()
            else:
                self._live.stage.end_agent()
        super()._disconnect(arguments)

    def _handler(self, command: str) -> Callable[[RequestArguments], Mapping[str, Any] | None]:
        if self._live is not None and command in _STANDING and not self._live.present.holds:
            raise RequestError(RUNS)
        return super()._handler(command)

    def _is_editable(self, index: int) -> bool:
        return self._live is not None and any(at.index == index for at in self._live.present.holds.values())

    def _tell_table(self) -> None:
        if self._live is not None:
            self._live.stage.say(EndpointInput(table=table_of(self._breakpoints)))

    # -- happenings --------------------------------------------------------------------------------------------------

    def happens(self, happening: Happening) -> list[Message]:
        """Return the messages to the client about a happening."""
        self._out = []
        if self._live is not None and not self.over:
            self._happens(happening, self._live)
        after, self._out = self._out, []
        return after

    def _happens(self, happening: Happening, live: _Live) -> None:
        if happening.printed is not None:
            category, text = happening.printed
            self._emit("output", {"category": category, "output": text})
        if happening.run is not None:
            analysed = happening.analysed or BackgroundAnalysis(happening.run)
            self._know(live.present, happening.run, analysed, whole=happening.ended is not None)
        if happening.heard is not None:
            self._hear(live, happening.heard)
        self._log(happening.words)
        if happening.ended is not None:
            self._over(live, happening.ended)
        elif happening.run is not None and happening.heard is None:
            live.moving.runs()
            self._judge(live)

    def _log(self, words: str) -> None:
        if words:
            self._emit("output", {"category": "console", "output": f"{words}\n"})

    def _know(self, present: Present, run: Run, analysed: Analysed, *, whole: bool) -> None:
        opened = present.opened
        others = len(run.events) < len(opened.run.events) or any(
            before.ref != after.ref or before.kind != after.kind
            for before, after in zip(opened.run.events, run.events, strict=False)
        )
        opened.grow(run, analysed, "" if whole else KNOWN)
        if others:
            opened.documents.forget()
        if present.replaced():
            self._emit("invalidated", {"areas": ["all"]})

    def _hear(self, live: _Live, heard: GateMessage) -> None:
        if heard.left:
            live.present.leaves(heard.left)
        if heard.port:
            self._child(heard.port)
        self._log(heard.logged)
        if heard.edited is not None:
            if heard.edited.failed:
                text = f"the edit was not taken: {heard.edited.failed}\n"
                self._emit("output", {"category": "important", "output": text})
            self._emit("invalidated", {"areas": ["all"]})
        if heard.held is not None:
            live.moving.arrived(live.present.arrives(heard.held))

    def _child(self, port: int) -> None:
        """Ask the client to debug the agent's Python in a child session."""
        connect = {"host": "127.0.0.1", "port": port}
        self._starts({"name": "the agent's Python", "connect": connect, "justMyCode": False}, "attach")

    def _starts(self, configuration: Mapping[str, Any], request: str = "launch") -> None:
        """Ask the client to start another debug session."""
        arguments = {"request": request, "configuration": configuration}
        self._out.append({"type": "request", "command": "startDebugging", "arguments": arguments})

    def _judge(self, live: _Live) -> None:
        """Stop the agent at its next event if the analysis has found a hit of a breakpoint."""
        hit = late_hit(self._breakpoints, live.present.opened.facts, self._judged)
        if hit is not None:
            live.moving.late = hit
            live.present.pause()

    def _over(self, live: _Live, code: int) -> None:
        """Continue as the session of a recorded run, because the agent has ended; stop there if configured.

        Also stops at a breakpoint hit that the analysis finds only now, because no further event can report the hit.
        """
        opened, at = live.present.opened, live.wanted.hold_at_end
        late = live.moving.late or late_hit(self._breakpoints, opened.facts, self._judged)
        self._live = None
        self.exit_code = code
        opened.pins.clear()
        opened.messages.passed(len(opened.run.events) - 1)
        if late is None and at != "end" and (at != "failure" or code == 0):
            return self._end()
        moving = MoveRequests(opened, self._end)
        self._adopt(opened, moving)
        if late is not None:
            return moving.stands_at(late.at, late.says, [late.ident])
        return moving.stands_at(len(opened.run.events) - 1, f"the agent has ended: exit code {code}")
