"""`dap-ai run list` and `dap-ai run search`: many runs at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from dap_ai.cli import main
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.commands.list import table_lines
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_model import Outcome, Run
from dap_ai.debuggees.runs.run_summary import row_of
from dap_ai.protocol.wire.visible import hidden_in
from tests.unit.debuggees.runs.hand_made import hostile, ordinary
from tests.unit.debuggees.runs.shared import FOLDER

KEYS = ["path", "format", "agent", "model", "task", "steps", "outcome", "cost_usd", "seconds", "problems"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


def written(run: Run, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(exported(run, RunAnalysis())["run.json"])
    return path


def rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cheap run that solved it, a dear one that did not, a torn one, and what is no run."""
    top = tmp_path / "results"
    cheap = msgspec.structs.replace(ordinary(), cost_usd=0.001, outcome=Outcome("solved"), task="Cheap\ntask")
    written(cheap, top / "a" / "cheap.json")
    written(ordinary(), top / "dear.json")
    (top / "torn.json").write_text('{"dap_ai_run": 2, "run": ')
    (top / "notes.txt").write_text("not a run")
    return top


def test_each_run_is_a_row_and_what_no_reader_knows_is_none(folder: Path):
    told = run("list", folder).stdout
    assert "a/cheap.json" in told and "dear.json" in told and "notes.txt" not in told
    assert "3 runs, 1 solved, 1 failed, 1 unknown" in told


def test_an_object_has_exactly_the_keys_that_are_promised(folder: Path):
    found = rows(run("list", folder, "--json"))
    assert [list(row) for row in found] == [KEYS] * 3
    by_name = {Path(row["path"]).name: row for row in found}
    assert by_name["cheap.json"]["task"] == "Cheap task"
    assert (by_name["dear.json"]["steps"], by_name["dear.json"]["problems"]) == (4, ["line 12 is no JSON"])


def test_a_run_that_a_reader_claims_and_cannot_read_is_a_row_with_its_problem(folder: Path):
    (torn,) = [row for row in rows(run("list", folder, "--json")) if row["path"].endswith("torn.json")]
    assert (torn["format"], torn["steps"], torn["outcome"]) == ("dap-ai-run", 0, "unknown")
    assert "version" in torn["problems"][0]
    assert "of version 2 of the format" in run("list", folder).stdout


def test_paths_are_told_as_they_were_named(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder.parent)
    assert [row["path"] for row in rows(run("list", "results", "--json"))] == [
        "results/dear.json",
        "results/torn.json",
        "results/a/cheap.json",
    ]


@pytest.mark.parametrize(("reverse", "first"), [((), "cheap.json"), (("--reverse",), "dear.json")])
def test_rows_are_sorted_by_a_column_and_what_is_not_recorded_comes_last(folder: Path, reverse: Any, first: str):
    found = rows(run("list", folder, "--json", "--sort", "cost_usd", *reverse))
    assert found[0]["path"].endswith(first) and found[-1]["path"].endswith("torn.json")


def test_one_run_is_a_list_of_one(folder: Path):
    assert [row["steps"] for row in rows(run("list", folder / "dear.json", "--json"))] == [4]


def test_a_folder_without_runs_says_so_and_ends_with_1(tmp_path: Path):
    result = run("list", tmp_path)
    assert (result.exit_code, "no recorded run" in result.stderr) == (1, True)
    assert (run("list", tmp_path, "--json").exit_code, run("list", tmp_path, "--json").stdout) == (1, "")


def test_a_column_that_is_none_is_refused_with_those_that_are(folder: Path):
    result = run("list", folder, "--sort", "price")
    assert result.exit_code == 2 and "cost_usd" in result.stderr


def test_names_and_texts_of_runs_stay_on_their_line_and_act_on_nothing(tmp_path: Path):
    written(hostile(), tmp_path / "a\nb\x1b[2J\u202e.json")
    result = run("list", tmp_path)
    assert hidden_in(result.output) == []
    assert "a\\nb\\x1b[2J\\u202e.json" in result.stdout
    assert hidden_in(run("list", tmp_path, "--json").output) == []
    assert len(rows(run("list", tmp_path, "--json"))) == 1


def test_search_names_the_run_the_step_and_the_line(folder: Path):
    (folder / "torn.json").unlink()
    result = run("search", "1 failed", folder)
    assert result.exit_code == 0
    assert f"{folder}/dear.json step 2 result: 1 failed in 0.1s" in result.stdout


def test_search_of_nothing_ends_with_1(folder: Path):
    assert run("search", "nobody wrote this", folder / "dear.json").exit_code == 1


def test_search_tells_a_run_that_it_cannot_read_and_goes_on(folder: Path):
    result = run("search", "pytest", folder)
    assert result.exit_code == 2 and "torn.json" in result.stderr and "dear.json" in result.stdout


def test_search_looks_only_into_events_of_the_kind_that_is_wanted(folder: Path):
    found = rows(run("search", "--json", "-i", "TOTAL", folder / "dear.json", "--in", "result"))
    assert [(row["step"], row["kind"], row["line"]) for row in found] == [(1, "result", "def total(): ...")]
    assert found[0]["ref"] == {"pointer": "/run/events/5"}


def test_search_finds_what_stands_only_in_an_argument(folder: Path):
    (found,) = rows(run("search", "--json", "return 2", folder / "dear.json"))
    assert (found["step"], found["kind"]) == (3, "call")


def test_a_pattern_that_is_none_is_refused(folder: Path):
    result = run("search", "(", folder)
    assert result.exit_code == 2 and "no regular expression" in result.stderr


def test_a_match_in_a_hostile_run_acts_on_nothing(tmp_path: Path):
    result = run("search", "img", written(hostile(), tmp_path / "hostile.json"))
    assert result.exit_code == 0 and hidden_in(result.output) == []


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no recorded runs at {FOLDER}")
def test_every_real_run_is_listed_and_none_is_unreadable():
    found = rows(run("list", FOLDER, "--json"))
    assert len(found) == 44
    assert all(row["steps"] for row in found)


@pytest.mark.parametrize("width", [80, 100, 132, 200])
def test_a_line_of_the_table_is_as_wide_as_the_terminal_at_most(folder: Path, width: int):
    long = "a-folder-with-a-long-name/" * 4
    rows = [
        msgspec.structs.replace(
            row_of(f"{folder}/{long}{number}.json", ordinary()), task="word " * 40, agent=f"a{number}"
        )
        for number in range(3)
    ]
    lines = list(table_lines(rows, width, folder))
    assert max(map(len, lines)) <= width
    assert all(f"{number}.json" in line for number, line in enumerate(lines[1:4])), "a path keeps its end"
    assert all("failed !1" in line and "9.5 s" in line for line in lines[1:4])


def test_into_a_pipe_no_path_is_cut(folder: Path):
    long = "x" * 400
    rows = [msgspec.structs.replace(row_of(f"{folder}/{long}.json", ordinary()))]
    assert f"{long}.json" in next(line for line in table_lines(rows, None, folder) if "xxx" in line)
