"""The onset of real runs, where this machine has them: what the benchmark measures stays as good as it is told."""

from __future__ import annotations

import json

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import Run
from tests.unit.debuggees.runs.shared import real


def labelled():
    """Each labelled run with its label."""
    for line in real("labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        path = real(label["run"])
        yield label, open_run(path.parents[1] if path.name == "agent.cast" else path)


def onset_of(run: Run):
    return analyse(run).finding.onset


def test_solved_runs_stay_quiet():
    told = [label["run"] for label, run in labelled() if label["solved"] and onset_of(run)]
    assert not told


def test_an_onset_that_the_run_itself_shows_is_found_within_a_step_in_half_of_the_runs():
    wanted = [pair for pair in labelled() if pair[0]["onset"] is not None and pair[0]["self_evident"] == "yes"]
    found = [(label, onset_of(run)) for label, run in wanted]
    near = [label["run"] for label, onset in found if onset and abs(onset.step - label["onset"]) <= 1]
    assert len(near) * 2 >= len(wanted)


def test_every_place_of_a_quote_has_bytes_in_the_runs_own_files():
    quotes = [(run, each) for _, run in labelled() if (onset := onset_of(run)) for each in onset.evidence]
    assert quotes
    assert all(resolve(run.root, each.ref) for run, each in quotes)
