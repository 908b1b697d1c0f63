"""Handles requests that inspect a stopped run: threads, stacks, scopes, variables, documents, expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import FIELDS, ConditionError, parsed, value_of
from dap_ai.debuggees.runs.adapter.views.references import cut
from dap_ai.debuggees.runs.adapter.views.run_console import RunConsole
from dap_ai.debuggees.runs.adapter.views.run_scopes import scopes_of
from dap_ai.debuggees.runs.adapter.views.run_stack import FIRST_PROGRAM, program_frames
from dap_ai.debuggees.runs.event_titles import title
from dap_ai.debuggees.runs.run_model import Event
from dap_ai.protocol.wire.visible import visible

Body = Mapping[str, Any]
_MAX_TYPED = 20_000
_MOST = 100
_WORD = re.compile(r"[\w.]*\Z")
_WITH_STEPS = re.compile(r"\s*(?:show|diff|changes)\s+(?:\d+\s+)?(\d*)")


class InspectionRequests:
    """Handlers of inspection requests; `handlers` maps commands to them."""

    def __init__(self, opened: OpenRun) -> None:
        self._opened = opened
        self.handlers: Mapping[str, Callable[[RequestArguments], Body | None]] = {
            "threads": self._threads,
            "stackTrace": self._stack,
            "scopes": self._scopes,
            "variables": self._variables,
            "source": self._source,
            "loadedSources": lambda _: {"sources": opened.documents.all},
            "evaluate": self._evaluate,
            "completions": self._completions,
        }

    def _threads(self, _: RequestArguments) -> Body:
        found = self._opened.threads.at(self._opened.cursor.index)
        return {"threads": [{"id": ident, "name": name} for ident, name in found.items()]}

    def _stack(self, arguments: RequestArguments) -> Body:
        opened = self._opened
        thread, here = arguments.number("threadId"), opened.cursor.index
        event = (
            opened.threads.last_event(thread, min(here, opened.pins.get(thread, here))) if opened.cursor.event else None
        )
        frames = opened.stack.frames(event) if event else []
        if event and event.index == opened.pins.get(thread):
            frames += program_frames(opened.programs.get(thread, ()))
        start, levels = arguments.number("startFrame", 0), arguments.number("levels", 0)
        return {"stackFrames": frames[start : start + levels if levels else None], "totalFrames": len(frames)}

    def _scopes(self, arguments: RequestArguments) -> Body:
        ident = arguments.number("frameId")
        if ident >= FIRST_PROGRAM:
            return {"scopes": []}
        frame = self._opened.stack.frame(ident)
        return {"scopes": scopes_of(self._opened.references, self._opened.facts, frame)}

    def _variables(self, arguments: RequestArguments) -> Body:
        wanted = arguments.text("filter", "")
        start, count = arguments.number("start", 0), arguments.number("count", 0)
        reference = arguments.number("variablesReference")
        return {"variables": self._opened.references.variables(reference, wanted, start, count)}

    def _source(self, arguments: RequestArguments) -> Body:
        path = arguments.within("source").text("path", "")
        raise RequestError(f"the documents of a run are files: open {path or 'them'} by path")

    def _evaluate(self, arguments: RequestArguments) -> Body:
        text, context = arguments.text("expression"), arguments.text("context", "")
        if len(text) > _MAX_TYPED:
            raise RequestError(f"it is longer than {_MAX_TYPED} characters")
        event = self._event(arguments)
        if context in ("repl", "hover") and (answer := self._opened.console.command(text)) is not None:
            return {"result": answer, "variablesReference": 0}
        if event is None:
            raise RequestError("the run has no event here")
        value = value_of(parsed(text), event, self._opened.facts)
        if context in ("hover", "clipboard") or not isinstance(value, (str, dict, list)):
            return {"result": _shown(value), "variablesReference": 0}
        if context == "repl" and isinstance(value, str):
            return {"result": cut(_shown(value)) or "''", "variablesReference": 0}
        made = self._opened.references.variable("value", value)
        kept = ("type", "indexedVariables", "namedVariables", "variablesReference")
        return {"result": made["value"], **{key: made[key] for key in kept if key in made}}

    def _completions(self, arguments: RequestArguments) -> Body:
        text = arguments.text("text")[: max(0, arguments.number("column") - 1)][-_MAX_TYPED:]
        opened = self._opened
        return {"targets": completions(text, opened.console, opened.facts, self._event(arguments))}

    def _event(self, arguments: RequestArguments) -> Event | None:
        """Return the event of the request's frame; without a frame, the current event. Raises RequestError."""
        frame = arguments.number("frameId", 0)
        return self._opened.stack.frame(frame).event if frame else self._opened.cursor.event


def _shown(value: Any) -> str:
    return visible(value) if isinstance(value, str) else repr(value)


def completions(text: str, console: RunConsole, facts: RunFacts, event: Event | None) -> list[dict[str, Any]]:
    """Return DAP CompletionItems for the text before the caret; each item replaces the word at the caret."""
    return [item for item, _ in zip(_items(text, console, facts, event), range(_MOST), strict=False)]


def _items(text: str, console: RunConsole, facts: RunFacts, event: Event | None) -> Iterator[dict[str, Any]]:
    if steps := _WITH_STEPS.fullmatch(text):
        yield from _numbers(steps[1], facts)
        return
    word = _WORD.search(text)
    whole = word[0] if word else ""
    before, dot, last = whole.rpartition(".")
    if dot:
        yield from (_item(name, last, "field") for name in _keys(before, facts, event) if name.startswith(last))
        return
    if whole == text.strip():
        for name, command in console.commands.items():
            if name.startswith(whole):
                yield _item(name, whole, "function", command.tells)
    yield from (_item(name, whole, "field") for name in FIELDS if name.startswith(whole))


def _numbers(start: str, facts: RunFacts) -> Iterator[dict[str, Any]]:
    for step, indices in facts.steps.items():
        if str(step).startswith(start):
            yield _item(str(step), start, "value", title(facts.run.events[indices[0]]))


def _keys(path: str, facts: RunFacts, event: Event | None) -> Sequence[str]:
    """Return the completions after a dot: the keys of the path's value at the current event."""
    if event is None:
        return ()
    try:
        value = value_of(parsed(path), event, facts)
    except ConditionError:
        return ()
    names = list(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else []
    return [str(name) for name in names if str(name).isidentifier()]


def _item(label: str, typed: str, kind: str, detail: str = "") -> dict[str, Any]:
    more = {"detail": visible(detail)} if detail else {}
    return {"label": label, "length": len(typed), "type": kind} | more
