from __future__ import annotations

import json

import pytest

from dap_ai.debuggees.runs.opening import find_runs, open_run
from dap_ai.debuggees.runs.run_model import Event, Ref, Run
from tests.unit.debuggees.runs.accounting import account
from tests.unit.debuggees.runs.shared import FOLDER, SAMPLES

RUNS = [*find_runs(SAMPLES), *(find_runs(FOLDER) if FOLDER.is_dir() else ())]


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{name}-{path.name}") for path, name in RUNS])
def test_events_reach_nearly_all_text_of_the_artefacts_and_the_rest_is_named(path):
    told = account(open_run(path))
    assert told.share >= 0.99, told.rest[:5]
    assert sum(one.text_bytes for one in told.rest) == told.text_bytes - told.reached_bytes - told.copied_bytes


def run_of(root, *refs: Ref, names=("",)) -> Run:
    events = [Event(index, "note", ref) for index, ref in enumerate(refs)]
    return Run(str(root), "x", events=events, artefacts=list(names))


def test_what_no_event_points_to_is_named_at_its_highest_place(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(
        json.dumps({"said": "a long text", "lost": {"a": "one text", "b": ["another text"]}, "id": "c0ffee"})
    )
    told = account(run_of(file, Ref(pointer="/said")))
    assert (told.text_bytes, told.reached_bytes) == (31, 11)
    assert [(one.ref.pointer, one.text_bytes) for one in told.rest] == [("/lost", 20)]


def test_a_text_that_is_reached_elsewhere_is_a_copy_and_not_lost(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"said": "a long text", "again": "long text"}))
    told = account(run_of(file, Ref(pointer="/said")))
    assert (told.reached_bytes, told.copied_bytes, list(told.rest), told.share) == (11, 9, [], 1.0)


def test_a_reference_to_a_part_of_a_text_does_not_count_as_the_text(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"text": "a long text"}')
    assert account(run_of(file, Ref(pointer="/nothing"))).reached_bytes == 0


def test_lines_and_plain_files_have_places_of_their_own(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": "one text"}\n{"a": "two texts"}\n')
    (tmp_path / "b.txt").write_text("all of it\n")
    told = account(run_of(tmp_path, Ref("a.jsonl", (1, 1)), names=["a.jsonl", "b.txt", "gone.txt"]))
    assert {(one.ref.path, one.ref.lines, one.text_bytes) for one in told.rest} == {
        ("a.jsonl", (2, 2), 9),
        ("b.txt", None, 10),
    }


def test_a_run_without_text_has_lost_none(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    assert account(run_of(tmp_path / "a.json")).share == 1.0
