"""Reader of `dap-ai run export --to json`. Runs keep their events and steps.

The original files of a run may be on another machine, so refs point into the exported file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import text_of
from dap_ai.debuggees.runs.readers.json_shapes import array, at, number, table
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Agent, Event, Outcome, Parent, Problem, Ref, Run

NAME = "dap-ai-run"
VERSION = 1
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is a run exported as JSON, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind != "document" or not isinstance(at(seen.value, "dap_ai_run"), int):
        return 0.0, ""
    return 1.0, "says dap_ai_run"


def read(path: Path) -> Run:
    """Read a run exported as JSON. Raises CannotRead, also if the format version differs."""
    value, problems = document(path)
    if at(value, "dap_ai_run") != VERSION:
        raise CannotRead(f"{path}: is of version {at(value, 'dap_ai_run')!r} of the format, not {VERSION}")
    said = table(at(value, "run"))
    texts = {name: text_of(said.get(name)) for name in ("format", "format_version", "task", "started", "workspace")}
    run = Run(str(path), NAME, artefacts=[""], outcome=Outcome())
    run.seconds, run.cost_usd = number(said.get("seconds")), number(said.get("cost_usd"))
    run.task, run.started, run.workspace = texts["task"], texts["started"], texts["workspace"]
    run.format_version = f"{texts['format']} {texts['format_version']}".strip()
    run.events = _events(array(said.get("events")), problems)
    problems += _recorded_problems(array(said.get("problems")))
    run.agents = _agents(said, run.events, problems)
    if "outcome" in said:
        run.outcome = _placed(said, "outcome", Outcome, problems) or Outcome(ref=Ref(pointer="/run/outcome"))
    run.parent = _placed(said, "parent", Parent, problems) if said.get("parent") else None
    run.problems = problems
    return run


def _events(rows: Sequence[Any], problems: list[Problem]) -> list[Event]:
    """Convert the rows to events, numbered in order. An invalid row becomes a problem."""
    events: list[Event] = []
    for index, row in enumerate(rows):
        ref = Ref(pointer=f"/run/events/{index}")
        fields: dict[str, Any] = {**table(row), "index": len(events), "ref": msgspec.to_builtins(ref), "more": []}
        event = _converted(fields, Event, ref, problems)
        if event is not None:
            events.append(event)
    return events


def _agents(said: Mapping[str, Any], events: Sequence[Event], problems: list[Problem]) -> list[Agent]:
    found: dict[str, Agent] = {}
    for index, row in enumerate(array(said.get("agents"))):
        agent = _converted(row, Agent, Ref(pointer=f"/run/agents/{index}"), problems)
        if agent is not None:
            found.setdefault(agent.name, agent)
    for event in events:
        found.setdefault(event.agent, Agent(event.agent))
    return list(found.values())


def _placed(said: Mapping[str, Any], name: str, kind: type[_Struct], problems: list[Problem]) -> _Struct | None:
    """Convert a field of the run that has a `ref`. The `ref` then points into the exported file."""
    ref = Ref(pointer=f"/run/{name}")
    return _converted({**table(said[name]), "ref": msgspec.to_builtins(ref)}, kind, ref, problems)


def _recorded_problems(rows: Sequence[Any]) -> list[Problem]:
    """Return the problems that the export recorded, with refs into the exported file."""
    return [
        Problem(Ref(pointer=f"/run/problems/{index}"), str(at(row, "text") or "")) for index, row in enumerate(rows)
    ]


def _converted(value: Any, kind: type[_Struct], ref: Ref, problems: list[Problem]) -> _Struct | None:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        problems.append(Problem(ref, f"is no {kind.__name__.lower()}: {error}"))
        return None


reader = Reader(NAME, "a file of `dap-ai run export --to json`", sniff, read)
