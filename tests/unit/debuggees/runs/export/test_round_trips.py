"""What is exported for programs is read back with the same steps: numbers, tools, commands, results, outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export import atif, own_json
from dap_ai.debuggees.runs.opening import find_runs, open_run
from dap_ai.debuggees.runs.run_model import Run, steps_of
from tests.unit.debuggees.runs.hand_made import any_run, hostile, ordinary, with_sub_agents
from tests.unit.debuggees.runs.shared import FOLDER

Files = dict[str, bytes]
EXPORTS: dict[str, Callable[[Run], Files]] = {
    "atif": atif.exported,
    "json": lambda run: own_json.exported(run, RunAnalysis()),
}


def again(export: str, run: Run, folder: Path) -> Run:
    path = folder / f"{export}.json"
    path.write_bytes(next(iter(EXPORTS[export](run).values())))
    return open_run(path)


def told(run: Run) -> Iterator[Any]:
    for step in steps_of(run):
        call, result, response = step.call, step.result, step.response
        did = (call.tool, call.text) if call else response.text if response else ""
        yield step.number, (call or response or result).agent, did, result.text if result else None


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("run", [ordinary(), with_sub_agents()], ids=["ordinary", "with sub-agents"])
def test_a_run_is_read_back_with_the_same_steps(export: str, run: Run, tmp_path: Path):
    found = again(export, run, tmp_path)
    assert list(told(found)) == list(told(run))
    assert found.task == run.task
    assert (found.outcome.verdict, found.outcome.words) == (run.outcome.verdict, run.outcome.words)


@pytest.mark.parametrize("export", EXPORTS)
def test_agents_keep_their_parents_and_models(export: str, tmp_path: Path):
    found = again(export, with_sub_agents(), tmp_path).agents
    assert [(agent.name, agent.parent, agent.model) for agent in found] == [
        ("main", "", ""),
        ("reviewer", "main", ""),
        ("tester", "reviewer", "small-model"),
    ]


@pytest.mark.parametrize("export", EXPORTS)
def test_hostile_texts_come_back_as_they_were(export: str, tmp_path: Path):
    assert again(export, hostile(), tmp_path).task == hostile().task


@given(any_run())
@settings(max_examples=40)
def test_our_json_holds_whatever_a_reader_gives(tmp_path_factory: pytest.TempPathFactory, run: Run):
    found = again("json", run, tmp_path_factory.mktemp("run"))
    assert found.steps == run.steps
    assert [(event.kind, event.step, event.exit_code) for event in found.events] == [
        (event.kind, event.step, event.exit_code) for event in run.events
    ]
    assert found.problems == []


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no recorded runs at {FOLDER}")
def test_every_real_run_is_read_back_with_the_same_steps(export: str, tmp_path: Path):
    runs = [open_run(path) for path, _ in find_runs(FOLDER)]
    assert len(runs) == 44
    assert [run.root for run in runs if list(told(again(export, run, tmp_path))) != list(told(run))] == []
