from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.layouts.layout_check import check, preview
from dap_ai.debuggees.runs.layouts.layout_model import parse, written
from dap_ai.debuggees.runs.layouts.layout_reader import read, texts_in
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.layouts.formats import LAYOUTS, cockpit, ledger, rounds
from tests.unit.debuggees.runs.logs import kinds, only, sound

INVENTED = [cockpit, ledger, rounds]


@pytest.mark.parametrize("invented", INVENTED)
def test_no_reader_knows_an_invented_format(invented, tmp_path):
    with pytest.raises(CannotRead, match="no recorded run that is known"):
        open_run(invented(tmp_path))


@pytest.mark.parametrize("invented", INVENTED)
def test_a_layout_that_fits_passes_its_check(invented, tmp_path):
    path = invented(tmp_path)
    layout = parse(LAYOUTS[invented])
    checked = check(layout, path)
    assert list(checked.faults) == []
    assert checked.reached >= 0.95
    assert checked.run
    sound(checked.run)


@pytest.mark.parametrize("invented", INVENTED)
def test_a_layout_is_the_same_once_written_and_parsed(invented):
    layout = parse(LAYOUTS[invented])
    assert parse(written(layout)) == layout


def test_events_with_tool_and_result_in_them_are_steps(tmp_path):
    path = cockpit(tmp_path)
    run = read(path, parse(LAYOUTS[cockpit])).run
    assert run.task.startswith("Please find out")
    assert [(step.call.tool if step.call else None) for step in steps_of(run)] == ["shell", "editor", "shell", None]
    third = steps_of(run)[2]
    assert third.call and third.call.text == "pytest -q && pytest -q" and third.call.arguments
    assert third.result and (third.result.text, third.result.exit_code, third.result.status) == ("1 failed", 1, "error")
    assert third.response and third.response.text.startswith("Now I run the test twice")
    assert (run.started, run.seconds) == ("2026-02-03T04:05:01+00:00", 4.0)


def test_calls_and_results_of_a_line_each_are_joined_by_id(tmp_path):
    path = ledger(tmp_path)
    run = read(path, parse(LAYOUTS[ledger])).run
    assert kinds(run) == ["task", "response", "call", "result", "call", "result", "response"]
    assert [(call.call_id, call.arguments) for call in only(run, "call")] == [
        ("c1", {"invoice": "2026-17"}),
        ("c2", {"invoice": "2026-18"}),
    ]
    assert [result.step for result in only(run, "result")] == [call.step for call in only(run, "call")]
    assert only(run, "result")[1].ref.lines == (6, 6)


def test_several_calls_of_one_event_are_a_step_each(tmp_path):
    path = rounds(tmp_path)
    run = read(path, parse(LAYOUTS[rounds])).run
    assert run.task.startswith("Make the program link again")
    assert [step.call.tool for step in steps_of(run) if step.call] == ["list", "read", "write", "build"]
    assert [result.text for result in only(run, "result")][1] == "int main(void) { return helper(); }"
    assert only(run, "call")[0].ref.pointer == "/sessions/0/rounds/0/actions/0"


def test_the_preview_shows_ten_steps_in_a_line_each(tmp_path):
    path = cockpit(tmp_path)
    run = read(path, parse(LAYOUTS[cockpit])).run
    shown = preview(run)
    assert len(shown) == 4
    assert shown[2].startswith("   3  Now I run") and shown[2].endswith("-> 1 failed (exit 1)")


def test_the_texts_of_a_file_are_found_with_their_places(tmp_path):
    texts, is_lines = texts_in(cockpit(tmp_path))
    assert not is_lines
    assert texts[0][0] == "flightlog.entries[].utterance" and texts[0][1] > 300
    texts, is_lines = texts_in(ledger(tmp_path))
    assert is_lines and texts[0][0] == "body.text"
