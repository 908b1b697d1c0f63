"""A debug session over a recorded run: a DAP request in, responses and events out. No clock, no socket, no file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from dap_ai.backends.agents.breakpoints import ONLY_RUN, Breakpoints
from dap_ai.backends.agents.conditions import ConditionError, parsed, value_of
from dap_ai.backends.agents.console import Console
from dap_ai.backends.agents.cursor import Cursor, Moved
from dap_ai.backends.agents.scopes import References, messages_before, scopes_of
from dap_ai.backends.agents.stops import DEFAULT_FILTERS, LABELS, filled
from dap_ai.backends.agents.titles import (
    HEAD_LINES,
    RUN_FILE,
    document,
    document_name,
    index_of,
    line_of,
    run_document,
    title,
)
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.model import Event, Run

Message = dict[str, Any]
_MAX_PASSED = 200
"""Events of one move that are told one by one."""
_FRAMES_PER_EVENT = 4


class Refused(Exception):  # noqa: N818  a request that cannot be served is no error of ours
    """A request cannot be served; the text says why."""


class Loaded(NamedTuple):
    """A run, and what analysis sees in it."""

    run: Run
    analysis: Analysis


class RunSession:
    """`load` opens the run at a path and raises Refused; `write` makes a document of the run and tells its path."""

    def __init__(self, load: Callable[[str], Loaded], write: Callable[[str, str], str]) -> None:
        self._load = load
        self._write = write
        self._out: list[Message] = []
        self._references = References()
        self._breakpoints = Breakpoints()
        self._documents: dict[str, str] = {}
        """Paths by name."""
        self._stop_at: str | int = "entry"
        self._passed = 0
        """Events that were told."""
        self._loaded: Loaded | None = None
        self._cursor: Cursor | None = None
        self._ended = False
        self.over = False
        """The client has said good-bye."""

    def receive(self, message: Mapping[str, Any]) -> list[Message]:
        """What one message is answered with, in order; the one who sends numbers them."""
        self._out = []
        if message.get("type") != "request":
            return []
        command, given = str(message.get("command")), message.get("arguments")
        arguments: Mapping[str, Any] = cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {}
        handler = getattr(self, f"_on_{command}", None)
        answer: Message = {"type": "response", "request_seq": message.get("seq"), "command": command}
        try:
            body = (handler or _unknown(command))(arguments)
            answer |= {"success": True, **({"body": body} if body is not None else {})}
        except (Refused, ConditionError) as error:
            answer |= _failure(str(error))
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError) as error:
            answer |= _failure(f"its arguments are not as DAP has them: {type(error).__name__}: {error}")
        after, self._out = self._out, []
        return [answer, *after]

    # -- the session -------------------------------------------------------------------------------------------------

    def _on_initialize(self, _: Mapping[str, Any]) -> Message:
        return {
            "supportsConfigurationDoneRequest": True,
            "supportsStepBack": True,
            "supportsFunctionBreakpoints": True,
            "supportsConditionalBreakpoints": True,
            "supportsHitConditionalBreakpoints": True,
            "supportsLogPoints": True,
            "supportsExceptionFilterOptions": True,
            "supportsExceptionInfoRequest": True,
            "supportsEvaluateForHovers": True,
            "supportsGotoTargetsRequest": True,
            "supportsCompletionsRequest": True,
            "supportsLoadedSourcesRequest": True,
            "supportsBreakpointLocationsRequest": True,
            "supportsTerminateRequest": True,
            "exceptionBreakpointFilters": [
                {"filter": name, "label": label, "default": name in DEFAULT_FILTERS, "supportsCondition": True}
                for name, label in LABELS.items()
            ],
        }

    def _on_launch(self, arguments: Mapping[str, Any]) -> None:
        path = arguments.get("run")
        if not isinstance(path, str) or not path:
            raise Refused("the launch configuration names no `run`: the path of a recorded run")
        self._loaded = loaded = self._load(path)
        self._cursor = Cursor(loaded.run)
        self._stop_at = arguments.get("stopAt", "entry")
        self._console = Console(loaded.run, loaded.analysis)
        self._documents[RUN_FILE] = self._write(RUN_FILE, run_document(loaded.run))
        self._event("process", {"name": path, "isLocalProcess": True, "startMethod": "launch"})
        for problem in loaded.run.problems[:_MAX_PASSED]:
            self._event("output", {"category": "console", "output": f"problem: {problem.text}\n"})
        self._event("initialized")  # not before: what a filter stops at, and the path of run.md, only the run tells

    def _on_attach(self, arguments: Mapping[str, Any]) -> None:
        self._on_launch(arguments)

    def _on_configurationDone(self, _: Mapping[str, Any]) -> None:  # noqa: N802  DAP's name
        run, cursor = self._run, self._at
        if not run.events:
            self._end()
        elif isinstance(self._stop_at, int):
            index = next((e.index for e in run.events if e.step == self._stop_at), len(run.events) - 1)
            self._held_at(cursor, index, f"held at step {self._stop_at}")
        elif self._stop_at == "end":
            self._held_at(cursor, len(run.events) - 1, "the end of the run")
        else:
            cursor.go_to(0)
            self._moved(Moved("entry", "the beginning of the run"))

    def _held_at(self, cursor: Cursor, index: int, why: str) -> None:
        cursor.go_to(index)
        self._moved(Moved("entry", why))

    def _on_disconnect(self, _: Mapping[str, Any]) -> None:
        self.over = True

    def _on_terminate(self, _: Mapping[str, Any]) -> None:
        self._end()

    # -- where it stands ---------------------------------------------------------------------------------------------

    def _on_threads(self, _: Mapping[str, Any]) -> Message:
        agents = self._loaded.run.agents if self._loaded else ()
        named_ = [f"{a.name} ({a.model})" if a.model else a.name for a in agents] or ["agent"]
        return {"threads": [{"id": n, "name": name} for n, name in enumerate(named_, 1)]}

    def _on_stackTrace(self, arguments: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        event = self._event_of_thread(int(arguments.get("threadId") or 1))
        if event is None:
            return {"stackFrames": [], "totalFrames": 0}
        frames = self._frames(event)
        start, levels = int(arguments.get("startFrame") or 0), int(arguments.get("levels") or 0)
        return {"stackFrames": frames[start : start + levels if levels else None], "totalFrames": len(frames)}

    def _on_scopes(self, arguments: Mapping[str, Any]) -> Message:
        event = self._event_of_frame(int(arguments.get("frameId") or 0))
        run, analysis = self._run, self._analysis
        scopes = scopes_of(self._references, run, analysis, event)
        heard = messages_before(run, event)
        rows = self._references
        reference = rows.add(lambda: [rows.variable(f"[{n}] {e.kind}", e.text) for n, e in enumerate(heard)])
        messages: Message = {"name": "Messages", "variablesReference": reference, "expensive": True}
        return {"scopes": [*scopes, messages | {"indexedVariables": len(heard)}]}

    def _on_variables(self, arguments: Mapping[str, Any]) -> Message:
        reference = int(arguments.get("variablesReference") or 0)
        start, count = int(arguments.get("start") or 0), int(arguments.get("count") or 0)
        return {"variables": self._references.variables(reference, start, count)}

    def _on_source(self, _: Mapping[str, Any]) -> Message:
        raise Refused("the documents of a run are files: open them by their path")

    def _on_loadedSources(self, _: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        return {"sources": [{"name": name, "path": path} for name, path in self._documents.items()]}

    def _on_exceptionInfo(self, _: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        event = self._held
        if event.status != "error" and event.kind != "error":
            raise Refused("the held event is no error")
        return {"exceptionId": event.tool or event.kind, "description": event.text[:2000], "breakMode": "always"}

    # -- moving ------------------------------------------------------------------------------------------------------

    def _on_continue(self, _: Mapping[str, Any]) -> Message:
        self._moved(self._at.go_on(self._breakpoints.all))
        return {"allThreadsContinued": True}

    def _on_next(self, _: Mapping[str, Any]) -> None:
        self._moved(self._at.step(self._breakpoints.all, "next"))

    def _on_stepIn(self, _: Mapping[str, Any]) -> None:  # noqa: N802  DAP's name
        self._moved(self._at.step(self._breakpoints.all, "stepIn"))

    def _on_stepOut(self, _: Mapping[str, Any]) -> None:  # noqa: N802  DAP's name
        self._moved(self._at.step(self._breakpoints.all, "stepOut"))

    def _on_stepBack(self, _: Mapping[str, Any]) -> None:  # noqa: N802  DAP's name
        self._moved(self._at.back())

    def _on_reverseContinue(self, _: Mapping[str, Any]) -> None:  # noqa: N802  DAP's name
        self._moved(self._at.go_back(self._breakpoints.all))

    def _on_pause(self, _: Mapping[str, Any]) -> None:
        """A recorded run stands still whenever it is asked."""

    def _on_gotoTargets(self, arguments: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        line = int(arguments.get("line") or 1)
        index = min(index_of(line), len(self._run.events) - 1)
        return {"targets": [{"id": index, "label": title(self._run.events[index]), "line": line_of(index)}]}

    def _on_goto(self, arguments: Mapping[str, Any]) -> None:
        self._moved(self._at.go_to(int(arguments.get("targetId") or 0)))

    # -- breakpoints -------------------------------------------------------------------------------------------------

    def _on_setBreakpoints(self, arguments: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        source: Mapping[str, Any] = arguments.get("source") or {}
        asked: Sequence[Mapping[str, Any]] = arguments.get("breakpoints") or ()
        if str(source.get("path") or "") != self._documents.get(RUN_FILE):
            return {"breakpoints": [{"verified": False, "message": ONLY_RUN} for _ in asked]}
        return {"breakpoints": self._breakpoints.set_lines(asked, len(self._run.events))}

    def _on_setFunctionBreakpoints(self, arguments: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        return {"breakpoints": self._breakpoints.set_functions(arguments.get("breakpoints") or ())}

    def _on_setExceptionBreakpoints(self, arguments: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        wanted = [{"filterId": name} for name in arguments.get("filters") or ()]
        asked = [*wanted, *(arguments.get("filterOptions") or ())]
        return {"breakpoints": self._breakpoints.set_filters(asked, self._analysis)}

    def _on_breakpointLocations(self, arguments: Mapping[str, Any]) -> Message:  # noqa: N802  DAP's name
        first = int(arguments.get("line") or 1)
        last = int(arguments.get("endLine") or first)
        end = line_of(len(self._run.events) - 1)
        return {"breakpoints": [{"line": n} for n in range(max(first, HEAD_LINES + 1), min(last, end) + 1)]}

    # -- the console -------------------------------------------------------------------------------------------------

    def _on_evaluate(self, arguments: Mapping[str, Any]) -> Message:
        text = str(arguments.get("expression") or "")
        frame = arguments.get("frameId")
        event = self._event_of_frame(int(frame)) if frame else self._at.event
        if arguments.get("context") in ("repl", "hover"):
            return {"result": self._console.answer(text, event), "variablesReference": 0}
        if event is None:
            raise Refused("the run has no event here")
        made = self._references.variable("", value_of(parsed(text), event))
        return {"result": made["value"], "variablesReference": made["variablesReference"]}

    def _on_completions(self, arguments: Mapping[str, Any]) -> Message:
        text = str(arguments.get("text") or "")[: max(0, int(arguments.get("column") or 1) - 1)]
        return {"targets": [{"label": name, "length": _word(text)} for name in self._console.completions(text)]}

    # -- what the rest rests on --------------------------------------------------------------------------------------

    @property
    def _run(self) -> Run:
        if self._loaded is None:
            raise Refused("no run is open yet: `launch` comes first")
        return self._loaded.run

    @property
    def _analysis(self) -> Analysis:
        return self._loaded.analysis if self._loaded else Analysis()

    @property
    def _at(self) -> Cursor:
        if self._cursor is None:
            raise Refused("no run is open yet: `launch` comes first")
        return self._cursor

    @property
    def _held(self) -> Event:
        if (event := self._at.event) is None:
            raise Refused("the run has ended")
        return event

    def _thread_of(self, event: Event) -> int:
        names = [agent.name for agent in self._run.agents]
        return names.index(event.agent) + 1 if event.agent in names else 1

    def _event_of_thread(self, thread: int) -> Event | None:
        """The held event, or what the agent did last before it."""
        held = self._at.event
        if held is None or self._thread_of(held) == thread:
            return held
        past = self._run.events[: self._at.index]
        return next((event for event in reversed(past) if self._thread_of(event) == thread), None)

    def _event_of_frame(self, frame: int) -> Event:
        index = (frame - 1) // _FRAMES_PER_EVENT
        if frame < 1 or index >= len(self._run.events):
            raise Refused(f"there is no frame {frame}")
        return self._run.events[index]

    def _frames(self, event: Event) -> list[Message]:
        """The event in `run.md`, its cycle with the event's own document, the parent agent's call, the run."""
        ident, run = event.index * _FRAMES_PER_EVENT + 1, self._run
        frames = [self._frame(ident, title(event), RUN_FILE, line_of(event.index))]
        if event.cycle:
            name = self._written(event)
            frames.append(self._frame(ident + 1, f"cycle {event.cycle} of {event.agent}", name, 1))
        parent = next((agent.parent for agent in run.agents if agent.name == event.agent), "")
        if parent:
            past = run.events[: event.index]
            call = next((e for e in reversed(past) if e.agent == parent and e.kind == "call"), None)
            if call:
                frames.append(self._frame(ident + 2, f"{parent}: {title(call)}", RUN_FILE, line_of(call.index)))
        frames.append(self._frame(ident + 3, run.task.split("\n", 1)[0][:120] or "run", RUN_FILE, 1))
        return frames

    def _frame(self, ident: int, name: str, file: str, line: int) -> Message:
        return {
            "id": ident,
            "name": name,
            "line": line,
            "column": 1,
            "source": {"name": file, "path": self._documents[file]},
        }

    def _written(self, event: Event) -> str:
        name = document_name(event)
        if name not in self._documents:
            self._documents[name] = self._write(name, document(event))
            self._event("loadedSource", {"reason": "new", "source": {"name": name, "path": self._documents[name]}})
        return name

    def _moved(self, moved: Moved) -> None:
        self._references.clear()
        for event, text in moved.logged:
            self._say(event, filled(text, event))
        self._tell_passed()
        event = self._at.event
        if event is None:
            self._end()
            return
        reason = "pause" if moved.reason == "end" else moved.reason
        body: Message = {"reason": reason, "threadId": self._thread_of(event), "allThreadsStopped": True}
        if moved.description:
            body["description"] = moved.description
        if reason == "exception":
            body["text"] = title(event)
        if moved.hit:
            body["hitBreakpointIds"] = moved.hit
        self._event("stopped", body)

    def _tell_passed(self) -> None:
        """The events that the cursor has come past, a line each; what was told once is not told again."""
        end = min(self._at.index + 1, len(self._run.events))
        passed = self._run.events[self._passed : end]
        if len(passed) > _MAX_PASSED:
            self._event("output", {"category": "console", "output": f"{len(passed) - _MAX_PASSED} events\n"})
        for event in passed[-_MAX_PASSED:]:
            self._say(event, title(event))
        self._passed = max(self._passed, end)

    def _say(self, event: Event, text: str) -> None:
        source = {"name": RUN_FILE, "path": self._documents[RUN_FILE]}
        line = line_of(event.index)
        self._event("output", {"category": "console", "output": f"{text}\n", "source": source, "line": line})

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._event("exited", {"exitCode": 0})
            self._event("terminated")

    def _event(self, name: str, body: Message | None = None) -> None:
        self._out.append({"type": "event", "event": name, **({"body": body} if body is not None else {})})


def _failure(text: str) -> Message:
    return {"success": False, "message": text[:80], "body": {"error": {"id": 1, "format": _escaped(text)}}}


def _unknown(command: str) -> Callable[[Mapping[str, Any]], Message | None]:
    def refuse(_: Mapping[str, Any]) -> None:
        raise Refused(f"a recorded run knows no '{command}'")

    return refuse


def _word(text: str) -> int:
    return len(re.split(r"[^\w.]", text)[-1])


def _escaped(text: str) -> str:
    """A format of DAP in which nothing is a variable."""
    return text.replace("{", "(").replace("}", ")")
