"""`dap-ai run show`, `tree`, `steps`, `stages`, `checks`, `changes`: what a user sees of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from hypothesis import given, settings

from dap_ai.cli import main
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.protocol.wire.visible import hidden_in
from tests.unit.debuggees.runs.hand_made import any_run, event, hostile, ordinary

COMMANDS = ("show", "tree", "steps", "stages", "checks", "changes")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


def written(run: Run, folder: Path, name: str = "shop.json") -> Path:
    path = folder / name
    path.write_bytes(exported(run, RunAnalysis())["run.json"])
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return written(ordinary(), tmp_path)


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_run_is_told_on_a_screen(shop: Path):
    told = run("show", shop).stdout
    for wanted in ("shop.json", "failed  reward 0", "Fix total().", "gpt-x", "4 steps", "$0.03", "shop.py"):
        assert wanted in told
    assert "1 check, 1 failed, the last at step 2 failed" in told
    assert len(told.splitlines()) < 24


def test_the_strip_has_a_letter_for_each_step(shop: Path):
    strip = run("stages", shop).stdout.splitlines()[0]
    assert len(strip) == 4 and strip.isupper()


def test_a_step_is_told_with_all_that_belongs_to_it_and_where_it_stands(shop: Path):
    told = run("show", shop, 2).stdout
    assert "step 2 of 4  verify" in told
    assert "I look first." in told and "hm" in told
    assert "pytest -q" in told and "1 failed in 0.1s" in told
    assert "result · bash · error · exit code 1  /run/events/4" in told
    assert "def total" not in told


def test_raw_is_the_bytes_of_the_file_itself(shop: Path):
    raw = run("show", shop, 2, "--raw").stdout_bytes
    call, result = raw.split(b"}\n{")
    assert call + b"}" in shop.read_bytes() and b"{" + result.rstrip(b"\n") in shop.read_bytes()
    assert (json.loads(call + b"}")["text"], json.loads(b"{" + result)["text"]) == ("pytest -q", "1 failed in 0.1s")


def test_raw_without_a_step_is_where_the_outcome_is_recorded(shop: Path):
    assert json.loads(run("show", shop, "--raw").stdout)["words"] == "reward 0"


def test_a_run_without_an_outcome_has_no_raw_one(tmp_path: Path):
    result = run("show", written(Run("/r", "x", events=ordinary().events), tmp_path), "--raw")
    assert result.exit_code == 2
    assert "records no outcome" in result.stderr


def test_every_step_has_a_line_and_an_object(shop: Path):
    lines = run("steps", shop).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["1", "explore"],
        ["2", "verify"],
        ["3", "change"],
        ["4", "message"],
    ]
    found = objects(run("steps", shop, "--json"))
    assert [each["step"] for each in found] == [1, 2, 3, 4]
    assert found[1]["events"][-1]["exit_code"] == 1


def test_a_change_is_told_as_a_diff(shop: Path):
    told = run("changes", shop).stdout
    assert "3  edit shop.py" in told and "-return 1" in told and "+return 2" in told
    assert "return" not in run("changes", shop, "--files").stdout
    assert (
        objects(run("changes", shop, "--json"))[0] | {"step": 3, "path": "shop.py"}
        == objects(run("changes", shop, "--json"))[0]
    )


def test_checks_are_told_with_how_they_ended(shop: Path):
    assert "2 failed" in run("checks", shop).stdout
    assert [each["step"] for each in objects(run("checks", shop, "--json"))] == [2]


def test_the_tree_says_which_step_left_another_state(shop: Path):
    lines = run("tree", shop).stdout.splitlines()
    assert [line[0] for line in lines] == ["│", "│", "◆", "│"]
    assert "shop.py" in lines[2]


def test_all_of_it_is_one_object(shop: Path):
    (found,) = objects(run("show", shop, "--json"))
    assert (found["steps"], found["outcome"], found["task"]) == (4, "failed", "Fix total().")
    assert found["problems"] == ["line 12 is no JSON"]
    assert {"stages", "tree", "checks", "effects"} <= found.keys()


@pytest.mark.parametrize("name", ["checks", "changes"])
def test_a_run_in_which_nothing_is_found_ends_with_1(name: str, tmp_path: Path):
    events = [event for event in ordinary().events if event.step in {0, 4}]
    assert run(name, written(Run("/r", "x", events=events), tmp_path)).exit_code == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_a_path_that_is_not_there_is_one_message_and_2(name: str, tmp_path: Path):
    result = run(name, tmp_path / "none")
    assert result.exit_code == 2
    assert "is not there" in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_what_no_reader_knows_says_what_was_looked_for_and_what_helps(name: str, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("not a run\n")
    result = run(name, tmp_path / "notes.txt")
    assert result.exit_code == 2
    assert "looked for" in result.stderr
    assert result.stderr.rstrip().endswith(f"dap-ai run layout {tmp_path / 'notes.txt'}")
    assert max(map(len, result.stderr.splitlines())) < 200


def test_a_folder_that_is_no_run_but_has_some_is_sent_to_the_list(shop: Path):
    result = run("show", shop.parent)
    assert result.exit_code == 2
    assert f"dap-ai run list {shop.parent}" in result.stderr


def test_a_step_that_is_not_there_is_named_with_those_that_are(shop: Path):
    result = run("show", shop, 9)
    assert result.exit_code == 2
    assert "has no step 9: it has steps 1 to 4" in result.stderr


def test_a_number_that_is_none_is_refused(shop: Path):
    assert "no number of a step" in run("show", shop, "zero").stderr


@pytest.mark.parametrize("arguments", [("show",), ("show", "--json"), ("tree",), ("steps",), ("steps", "--json")])
def test_nothing_in_a_hostile_run_acts_on_the_terminal(arguments: tuple[str, ...], tmp_path: Path):
    path = written(hostile(), tmp_path, "a\nb\x1b[2J.json")
    result = CliRunner().invoke(main, ["run", arguments[0], str(path), *arguments[1:]])
    assert result.exit_code == 0, result.output
    assert hidden_in(result.output) == []
    assert hidden_in(CliRunner().invoke(main, ["run", "show", str(path), "1"]).output) == []


def test_help_has_an_example(shop: Path):
    for name in COMMANDS:
        assert f"dap-ai run {name} RUN" in run(name, "--help").stdout or "dap-ai run show" in run(name, "--help").stdout


def completed(*words: object) -> list[tuple[str, str, str | None]]:
    found = ShellComplete(main, {}, "dap-ai", "_DAP_AI_COMPLETE").get_completions(
        list(map(str, words[:-1])), str(words[-1])
    )
    return [(item.value, item.type, item.help) for item in found]


def test_the_shell_completes_commands_paths_and_steps(shop: Path):
    assert [value for value, _, _ in completed("run", "s")] == ["show", "steps", "stages", "search", "scan"]
    assert [kind for _, kind, _ in completed("run", "show", "")] == ["file"]
    assert [(value, told) for value, _, told in completed("run", "show", shop, "")][1] == ("2", "bash: pytest -q")


def test_the_shell_completes_nothing_of_what_cannot_be_read(tmp_path: Path):
    assert completed("run", "show", tmp_path / "none", "") == []


def test_a_run_that_leaves_out_billions_of_numbers_is_told_in_no_time(tmp_path: Path):
    events = [event(0, "response", "a", step=1), event(1, "call", "ls", step=2**62, tool="bash")]
    path = written(Run("/r", "x", events=events), tmp_path)
    for command in (["show"], ["steps"], ["tree"], ["stages"], ["export", "--to", "html"], ["export", "--to", "otel"]):
        assert run(command[0], path, *command[1:]).exit_code == 0
    assert run("show", path, 2**62).exit_code == 0


@given(any_run())
@settings(max_examples=15)
def test_whatever_a_reader_gives_is_told_and_acts_on_nothing(tmp_path_factory: pytest.TempPathFactory, run_: Run):
    path = written(run_, tmp_path_factory.mktemp("run"))
    for command in (["show"], ["show", "--json"], ["steps"], ["tree"], ["changes"], ["stages"], ["checks"]):
        result = run(command[0], path, *command[1:])
        assert result.exit_code in {0, 1} and (result.exception is None or isinstance(result.exception, SystemExit))
        assert hidden_in(result.output) == []
