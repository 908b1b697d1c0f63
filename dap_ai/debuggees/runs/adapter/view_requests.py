"""Handles `runView` and `runEvent`, for clients that show the run graphically next to the debug views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError

_MOST_EVENTS = 2_000
"""Maximum events per response; the client requests further events separately."""
_MOST_CHARS = 4_000
"""Maximum characters per text in a large run."""


class Showing:
    """Read-only handlers of view requests; `handlers` maps commands to them.

    `is_held` returns whether the event at an index can be edited now.
    """

    def __init__(self, opened: OpenRun, is_held: Callable[[int], bool] = lambda _: False) -> None:
        self._opened = opened
        self._is_held = is_held
        self.handlers: Mapping[str, Callable[[RequestArguments], Mapping[str, Any]]] = {
            "runView": self._view,
            "runEvent": self._event,
        }

    def _view(self, arguments: RequestArguments) -> Mapping[str, Any]:
        """Return `view`, a RunView of `count` events from `first` on, `isAnalysed`, and the position as `standing`."""
        from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis  # noqa: PLC0415  imported on use
        from dap_ai.debuggees.runs.export.view.build_view import bound_of, view_of  # noqa: PLC0415  imported on use

        facts, first = self._opened.facts, arguments.number("first", 0)
        count = min(arguments.number("count", _MOST_EVENTS), _MOST_EVENTS)
        is_analysed = facts.analysed.begin()
        view = view_of(
            facts.run,
            facts.analysed() if is_analysed else RunAnalysis(),
            known=facts.known,
            first=first,
            count=count,
            most_chars=_MOST_CHARS if facts.known or bound_of(facts.run) else None,
        )
        return {"view": msgspec.to_builtins(view), "isAnalysed": is_analysed, "standing": self._standing()}

    def _standing(self) -> Mapping[str, Any] | None:
        event = self._opened.cursor.event
        if event is None:
            return None
        thread = self._opened.threads.of(event)
        return {"index": event.index, "isHeld": self._is_held(event.index), "threadId": thread}

    def _event(self, arguments: RequestArguments) -> Mapping[str, Any]:
        """Return the whole event at `index`, and the path of its document; write the document if it does not exist."""
        from dap_ai.debuggees.runs.export.view.build_view import shown  # noqa: PLC0415  imported on use

        index, events = arguments.number("index"), self._opened.run.events
        if not 0 <= index < len(events):
            raise RequestError(f"there is no event {index}: the run has {len(events)}")
        document = self._opened.documents.of(events[index])
        return {"event": msgspec.to_builtins(shown(events[index])), "path": document["path"]}
