"""Serves DAP for a process paused at a failure: one client at a time, one request after another."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Messages are JSON: Any.

from __future__ import annotations

import linecache
import os
import sys
from typing import Any, Callable, Dict, List, Tuple

from ...inspector.stored.statics import text_of, type_name
from .dap_socket import DapSocket, Link, Message
from .evaluate_requests import Evaluating
from .post_mortem_stack import PostMortemStop, Thread
from .variable_requests import VariableRequests

_MAX_WORDS = 2000
_CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsExceptionInfoRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsEvaluateForHovers": True,
    "supportTerminateDebuggee": False,
    "exceptionBreakpointFilters": [],
}
_MOVES = ("next", "stepIn", "stepOut", "stepBack", "reverseContinue", "pause", "goto", "restartFrame")
HELD = "The program has failed already and is only held: it can be looked at, and let go on (continue)."

Answer = Tuple[Dict[str, Any], List[Tuple[str, Dict[str, Any]]]]
"""A response's body, and the events to send after the response."""


class RefusedError(Exception):
    """A request that cannot be served; the text gives the reason."""


class Server:
    """Serves DAP requests at one stop. `goes_on`: a client has continued the program or disconnected."""

    def __init__(self, stop: PostMortemStop, reason: str) -> None:
        self.stop = stop
        self._reason = reason
        self._looking = VariableRequests()
        self._fileless: List[str] = []
        """Names of code without a source file; a source reference is a 1-based index into this list."""
        self._evaluating = Evaluating(stop)
        self.has_served = self.goes_on = False

    def serve(self, link: Link, wanted: Callable[[], bool]) -> None:
        """Serves until the client leaves or continues the program, or `wanted()` is false; does not close the link."""
        try:
            self._serve(DapSocket(link), wanted)
        finally:
            self._evaluating.close()

    def _serve(self, messages: DapSocket, wanted: Callable[[], bool]) -> None:
        self.goes_on = left = False
        while not (left or self.goes_on) and wanted():
            request = messages.read(wanted)
            if request is None:
                return
            if request.get("type") == "request":
                left = request.get("command") == "disconnect"
                try:
                    self._respond(messages, request)
                except OSError:
                    return

    def _respond(self, messages: DapSocket, request: Message) -> None:
        command, arguments = str(request.get("command")), request.get("arguments")
        answer = {"request_seq": request.get("seq", 0), "command": command}
        try:
            body, events = self._answered(command, arguments if type(arguments) is dict else {})
        except RefusedError as error:
            wrong = {"id": 1, "format": "{why}", "variables": {"why": str(error)}, "showUser": False}
            messages.send("response", success=False, message=str(error), body={"error": wrong}, **answer)
            return
        messages.send("response", success=True, body=body, **answer)
        for name, event in events:
            messages.send("event", event=name, body=event)

    def _answered(self, command: str, arguments: Dict[str, Any]) -> Answer:
        events: List[Tuple[str, Dict[str, Any]]] = []
        if command in _MOVES:
            raise RefusedError(HELD)
        if command == "initialize":
            return _CAPABILITIES, events
        if command == "attach":
            return {}, [("initialized", {}), ("process", self._process())]
        if command == "configurationDone":
            self.has_served = True
            return {}, [("stopped", self._stopped())]
        if command == "continue":
            self.goes_on = True
            return {"allThreadsContinued": True}, [("terminated", {})]
        served = getattr(self, "_on_" + command.lower(), None)
        if served is None:
            raise RefusedError("a process that is held after a failure has no `%s`" % command)
        return served(arguments), events

    # -- requests, by name -------------------------------------------------------------------------------------------

    def _on_disconnect(self, _: Dict[str, Any]) -> Dict[str, Any]:
        return {}

    def _on_setbreakpoints(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        wanted = arguments.get("breakpoints") or []
        return {"breakpoints": [{"verified": False, "message": HELD} for _ in wanted]}

    _on_setfunctionbreakpoints = _on_setbreakpoints

    def _on_setexceptionbreakpoints(self, _: Dict[str, Any]) -> Dict[str, Any]:
        return {}

    def _on_threads(self, _: Dict[str, Any]) -> Dict[str, Any]:
        return {"threads": [{"id": thread.id, "name": thread.name} for thread in self.stop.threads.values()]}

    def _on_stacktrace(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        frames = self._thread(arguments).frames
        start = max(0, int(arguments.get("startFrame") or 0))
        page = frames[start : start + int(arguments["levels"]) if arguments.get("levels") else None]
        return {"stackFrames": [self._row(held) for held in page], "totalFrames": len(frames)}

    def _row(self, held: Any) -> Dict[str, Any]:
        row = _row(held)
        path = row["source"]["path"]
        if path.startswith("<") and linecache.getlines(path):  # an IPython cell without a file
            if path not in self._fileless:
                self._fileless.append(path)
            row["source"]["sourceReference"] = self._fileless.index(path) + 1
        return row

    def _on_source(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        wanted = arguments.get("sourceReference")
        if type(wanted) is not int or not 0 < wanted <= len(self._fileless):
            raise RefusedError("there is no such source")
        return {"content": "".join(linecache.getlines(self._fileless[wanted - 1]))}

    def _on_scopes(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        held = self._frame(arguments)
        return {"scopes": self._looking.scopes(held.frame, self.stop.exception_of(held))}

    def _on_variables(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        start, count = (int(arguments.get(name) or 0) for name in ("start", "count"))
        return {"variables": self._looking.variables(arguments.get("variablesReference"), start, count)}

    def _on_exceptioninfo(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        exc = self._thread(arguments).exc
        if exc is None:
            raise RefusedError("there is no exception here")
        kind, words = type_name(type(exc)), words_of(exc)
        details = {"message": words, "typeName": kind, "fullTypeName": kind}
        return {"exceptionId": kind, "description": words, "breakMode": "unhandled", "details": details}

    def _on_evaluate(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        expression, context = text_of(arguments.get("expression")), arguments.get("context")
        said = self._evaluating.at_injector(expression)
        if said is not None:
            return {"result": said, "variablesReference": 0}
        try:
            if self._evaluating.opens(expression):
                return {"result": str(self._evaluating.open(expression)), "variablesReference": 0}
            value = self._evaluating.in_frame(expression, self._frame(arguments), statements=context == "repl")
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            if self._evaluating.opens(expression):  # its own client reads only results
                return {"result": type(error).__name__ + ": " + words_of(error), "variablesReference": 0}
            raise RefusedError("%s: %s" % (type_name(type(error)), words_of(error))) from None
        shown = self._looking.shown(value)
        return {"result": "" if value is None and context == "repl" else shown.pop("value"), **shown}

    # -- the objects of requests -------------------------------------------------------------------------------------

    def _thread(self, arguments: Dict[str, Any]) -> Thread:
        thread = self.stop.threads.get(arguments.get("threadId"))  # type: ignore[arg-type]
        if thread is None:
            raise RefusedError("there is no such thread")
        return thread

    def _frame(self, arguments: Dict[str, Any]) -> Any:
        wanted = arguments.get("frameId")
        held = self.stop.frame(wanted) if wanted is not None else next(iter(self.stop.first.frames), None)
        if held is None:
            raise RefusedError("there is no such frame")
        return held

    def _process(self) -> Dict[str, Any]:
        return {"name": sys.argv[0] if sys.argv else "", "systemProcessId": os.getpid(), "startMethod": "attach"}

    def _stopped(self) -> Dict[str, Any]:
        first = self.stop.first
        body = {"reason": self._reason, "threadId": first.id, "allThreadsStopped": True}
        if first.exc is not None:
            kind = type_name(type(first.exc))
            body.update(text=kind, description=words_of(first.exc))
        return body


def words_of(exc: BaseException) -> str:
    """Returns the exception's `str()`. The exception's own `__str__` runs, as when Python prints a traceback."""
    try:
        return text_of(str(exc))[:_MAX_WORDS]
    except BaseException as error:
        return "no words: its __str__ raised " + type_name(type(error))


def _row(held: Any) -> Dict[str, Any]:
    path = text_of(held.frame.f_code.co_filename)
    name = os.path.basename(path)
    return {
        "id": held.id,
        "name": held.name,
        "line": held.line,
        "column": 1,
        "source": {"name": name, "path": path if path.startswith("<") else os.path.abspath(path)},
    }
