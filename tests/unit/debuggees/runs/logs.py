"""Small artefacts that tests write, and what holds for every run that is read from one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import Event, Run


def lines(path: Path, values: Iterable[Any]) -> Path:
    """A file of JSON lines; a value that is a text stands there as it is."""
    texts = (value if isinstance(value, str) else json.dumps(value) for value in values)
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def document(path: Path, value: Any) -> Path:
    """A JSON file."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def opened(path: Path, format_: str) -> Run:
    """The run at `path`, which is of this format; every reference of it points to bytes that are there."""
    run = open_run(path)
    assert run.format == format_
    sound(run)
    return run


def sound(run: Run) -> None:
    """Fails where an index, a step or a reference of a run is wrong."""
    assert [event.index for event in run.events] == list(range(len(run.events)))
    calls = {event.step for event in run.events if event.kind == "call"}
    assert calls <= set(range(1, run.steps + 1))
    for event in run.events:
        assert resolve(run.root, event.ref)
        for more in event.more:
            assert resolve(run.root, more)
    for problem in run.problems:
        if problem.ref.path or Path(run.root).is_file():  # else it is about the folder as a whole
            resolve(run.root, problem.ref)


def kinds(run: Run) -> list[str]:
    """The kinds of a run's events, in order."""
    return [event.kind for event in run.events]


def only(run: Run, kind: str) -> list[Event]:
    """The events of one kind."""
    return [event for event in run.events if event.kind == kind]
