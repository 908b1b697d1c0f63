"""The breakpoints that a client has set, kind by kind: each request replaces those of its own kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_ai.backends.agents.conditions import ConditionError
from dap_ai.backends.agents.stops import Stop, filters, named, stop_from
from dap_ai.backends.agents.titles import RUN_FILE, index_of, line_of
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.model import Event

Answer = dict[str, Any]
ONLY_RUN = f"a run stops at lines of {RUN_FILE}, or by function breakpoints: tool:bash, llm, agent:NAME"


class Breakpoints:
    """What is asked is as in DAP's requests, and so are the answers, one for each, in order."""

    def __init__(self) -> None:
        self._stops: dict[str, list[Stop]] = {}
        self._idents = 0

    @property
    def all(self) -> list[Stop]:
        """Of all kinds."""
        return [stop for stops in self._stops.values() for stop in stops]

    def set_lines(self, asked: Sequence[Mapping[str, Any]], events: int) -> list[Answer]:
        """Of `run.md`, which has a line for each of the `events`."""
        made = self._stops["lines"] = []
        answers: list[Answer] = []
        for each in asked:
            index = min(index_of(int(each.get("line") or 1)), events - 1)
            answers.append(self._set(each, _at(index), "breakpoint", made) | {"line": line_of(index)})
        return answers

    def set_functions(self, asked: Sequence[Mapping[str, Any]]) -> list[Answer]:
        """By tool, agent or `llm`; with `log:` before the name it speaks and does not stop."""
        made = self._stops["functions"] = []
        answers: list[Answer] = []
        for each in asked:
            name = str(each.get("name") or "")
            bare = name.removeprefix("log:")
            more = {"logMessage": bare} if bare != name else {}
            try:
                answers.append(self._set({**each, **more}, named(bare), "function breakpoint", made))
            except ConditionError as error:
                answers.append({"verified": False, "message": str(error)})
        return answers

    def set_filters(self, asked: Sequence[Mapping[str, Any]], analysis: Analysis) -> list[Answer]:
        """Exception filters, by `filterId`."""
        made = self._stops["filters"] = []
        known = filters(analysis)
        answers: list[Answer] = []
        for each in asked:
            label, matches = known.get(str(each.get("filterId")), ("", None))
            if matches is None:
                answers.append({"verified": False, "message": f"there is no filter {each.get('filterId')}"})
                continue
            answers.append(self._set(each, matches, "exception", made, label))
        return answers

    def _set(
        self, asked: Mapping[str, Any], matches: Callable[[Event], bool], reason: str, made: list[Stop], text: str = ""
    ) -> Answer:
        self._idents += 1
        try:
            stop = stop_from(self._idents, asked, matches, reason)
        except ConditionError as error:
            return {"id": self._idents, "verified": False, "message": str(error)}
        stop.text = text
        made.append(stop)
        return {"id": self._idents, "verified": True}


def _at(index: int) -> Callable[[Event], bool]:
    return lambda event: event.index == index
