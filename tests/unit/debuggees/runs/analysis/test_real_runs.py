"""The analysis of real runs, where this machine has them."""

from __future__ import annotations

import json
import time

import msgspec
import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.run_differences import compare
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import steps_of
from tests.patience import patient
from tests.unit.debuggees.runs.analysis.examples import CHANGES
from tests.unit.debuggees.runs.shared import real

LABELLED = [
    "mini-swe-agent/pydata__xarray-3305.traj.json",
    "mini-swe-agent/django__django-11790.traj.json",
    "swe-agent/pydicom-1458.traj",
    "harbor-atif/sqlite-db-truncate__kfqQYr3/agent/trajectory.json",
    "claude-code/build-cython-ext__anXGFcA.stream.jsonl",
    "openhands/ponyc-4595.output.jsonl",
    "terminal-bench/claude_code_coder--crack-7z-hash/sessions/agent.cast",
    "terminal-bench/claude_code_gpt5--processing-pipeline/sessions/agent.cast",
]


def labels_of(name):
    rows = map(json.loads, real("step_labels.jsonl").read_text(encoding="utf-8").splitlines())
    return next(row for row in rows if row["run"] == name)


@pytest.mark.parametrize("name", LABELLED)
def test_effects_are_those_of_a_careful_reader(name):
    labels, run = labels_of(name), open_run(real(name))
    said = [effect.kind for effect in analyse(run).effects]
    right = sum(one == other for one, other in zip(said, labels["effects"], strict=True))
    assert right / len(said) >= 0.9


@pytest.mark.parametrize("name", LABELLED)
def test_no_change_that_a_reader_saw_is_called_otherwise(name):
    labels, run = labels_of(name), open_run(real(name))
    said = zip(labels["effects"], analyse(run).effects, strict=True)
    assert [effect.step for label, effect in said if label == "change" and effect.kind != "change"] == []


def test_the_passing_and_the_failing_run_of_one_task_diverge_in_the_same_method():
    one = open_run(real("swe-agent", "fasterxml__jackson-databind-4219--deepseek-chat-v2.traj"))
    other = open_run(real("swe-agent", "fasterxml__jackson-databind-4219--doubao-pro-128k.traj"))
    found = compare(one, analyse(one), other, analyse(other))
    assert found is not None
    assert (found.step, found.other) == (6, 17)


def test_a_run_that_never_changed_the_work_is_told_as_such():
    run = open_run(real("swe-agent", "fasterxml__jackson-core-1142--doubao-pro-128k.traj"))
    assert "success-without-change" in {pattern.name for pattern in analyse(run).patterns}


def test_runs_that_were_solved_have_no_serious_pattern():
    quiet = {"refused", "same-call-again"}
    for name in ("matplotlib__matplotlib-26113", "pydata__xarray-3305"):
        run = open_run(real("mini-swe-agent", f"{name}.traj.json"))
        assert {pattern.name for pattern in analyse(run).patterns} <= quiet


def test_the_largest_run_is_analysed_in_time():
    run = open_run(real("mini-swe-agent", "sphinx-doc__sphinx-9229.traj.json"))
    four = msgspec.structs.replace(run, events=[*run.events])
    for turn in range(1, 4):
        shift = turn * run.steps
        four.events += [
            msgspec.structs.replace(e, index=len(four.events), step=e.step and e.step + shift) for e in run.events
        ]
    analyse(run)
    start = time.process_time()
    found = analyse(four)
    assert time.process_time() - start < patient(0.5)
    assert len(found.effects) == 4 * len(steps_of(run))


def test_the_examples_were_not_copied_from_the_labelled_runs():
    texts = {text for text, _ in CHANGES}
    for name in LABELLED[:3]:
        assert not texts & {
            event.text for event in open_run(real(name)).events if event.kind == "call" and len(event.text) > 30
        }
