"""Handles requests that set breakpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments
from dap_ai.debuggees.runs.adapter.stopping.watches import info
from dap_ai.debuggees.runs.adapter.views.run_document import RUN_FILE

Body = Mapping[str, Any]
ONLY_RUN = f"a run stops at lines of {RUN_FILE} and of its events' documents, or by function breakpoints: tool:bash"
_MOST_LOCATIONS = 10_000


class BreakpointRequests:
    """Handlers of breakpoint requests; `handlers` maps commands to them."""

    def __init__(self, opened: OpenRun) -> None:
        self._opened = opened
        self.handlers: Mapping[str, Callable[[RequestArguments], Body | None]] = {
            "setBreakpoints": self._lines,
            "setFunctionBreakpoints": self._functions,
            "setExceptionBreakpoints": self._filters,
            "breakpointLocations": self._locations,
            "dataBreakpointInfo": self._info,
            "setDataBreakpoints": self._data,
        }

    def _lines(self, arguments: RequestArguments) -> Body:
        path = arguments.within("source").text("path", "")
        asked = arguments.rows("breakpoints") or [RequestArguments({"line": line}) for line in _numbers(arguments)]
        documents = self._opened.documents
        if not self._opened.run.events or documents.event_at(path, 1) is None:
            return {"breakpoints": [{"verified": False, "message": ONLY_RUN} for _ in asked]}

        def at(line: int) -> tuple[int, int]:
            index = documents.event_at(path, line) or 0
            return index, documents.line_at(path, index)

        return {"breakpoints": self._opened.breakpoints.set_lines(path, asked, at)}

    def _functions(self, arguments: RequestArguments) -> Body:
        return {"breakpoints": self._opened.breakpoints.set_functions(arguments.rows("breakpoints"))}

    def _filters(self, arguments: RequestArguments) -> Body:
        plain = [RequestArguments({"filterId": name}) for name in arguments.texts("filters")]
        asked = [*plain, *arguments.rows("filterOptions")]
        due = self._opened.facts.analysed.is_due
        return {"breakpoints": self._opened.breakpoints.set_filters(asked, analysed=due)}

    def _locations(self, arguments: RequestArguments) -> Body:
        """Return the lines of `run.md` that have events, or line 1 of an event's document."""
        path = arguments.within("source").text("path", "")
        first = arguments.number("line")
        last = arguments.number("endLine", first)
        if not self._opened.run.events or self._opened.documents.event_at(path, 1) is None:
            return {"breakpoints": []}
        known = self._opened.documents.lines(path)
        found = range(max(first, known.start), min(last + 1, known.stop))[:_MOST_LOCATIONS]
        return {"breakpoints": [{"line": line} for line in found]}

    def _info(self, arguments: RequestArguments) -> Body:
        """Describe the data breakpoint of a variable or a name: a file's path, `system`, `plan`, `plan:ITEM`."""
        name, reference = arguments.text("name"), arguments.number("variablesReference", 0)
        kind = self._opened.references.rows(reference).watched if reference else ""
        if kind is None and name != "system prompt":
            return {"dataId": None, "description": "watched are files under Workspace change, Plan, the system prompt"}
        return info(f"{kind or ''}{name}", self._opened.facts)

    def _data(self, arguments: RequestArguments) -> Body:
        due = self._opened.facts.analysed.is_due
        return {"breakpoints": self._opened.breakpoints.set_data(arguments.rows("breakpoints"), analysed=due)}


def _numbers(arguments: RequestArguments) -> Sequence[Any]:
    """Return the argument `lines`, an old form of breakpoints without conditions."""
    found = arguments.fields.get("lines")
    return cast("list[Any]", found) if isinstance(found, list) else ()
