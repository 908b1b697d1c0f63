"""`dap-ai run diff` and `dap-ai run compare`: two steps, the workspace between them, two runs of one task."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dap_ai.cli import main
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.protocol.wire.visible import hidden_in
from tests.unit.debuggees.runs.hand_made import HOSTILE, event, hostile, ordinary


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


def written(run: Run, path: Path) -> Path:
    path.write_bytes(exported(run, RunAnalysis())["run.json"])
    return path


def with_the_edit(new: str) -> Run:
    """The ordinary run with another new text in its edit."""
    found = ordinary()
    edit = found.events[7]
    changed = msgspec.structs.replace(edit, arguments={**(edit.arguments or {}), "new_str": new})
    return msgspec.structs.replace(found, events=[*found.events[:7], changed, *found.events[8:]])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return written(ordinary(), tmp_path / "shop.json")


def test_two_steps_are_compared_part_by_part(shop: Path):
    result = run("diff", shop, 1, 2)
    assert result.exit_code == 1
    for wanted in ("call\n", "-cat shop.py", "+pytest -q", "result\n", "+1 failed in 0.1s"):
        assert wanted in result.stdout
    assert "response" not in result.stdout, "both are calls of one response"


def test_a_step_does_not_differ_from_itself(shop: Path):
    result = run("diff", shop, 2, 2)
    assert (result.exit_code, result.stdout) == (0, "")


def test_the_workspace_is_compared_from_the_start(shop: Path):
    result = run("diff", shop, 0, 4, "--workspace")
    assert result.exit_code == 1
    assert "shop.py  step 3" in result.stdout and "-return 1" in result.stdout and "+return 2" in result.stdout
    assert json.loads(run("diff", shop, 0, 4, "--workspace", "--json").stdout)["path"] == "shop.py"
    assert run("diff", shop, 0, 2, "--workspace").exit_code == 0


@pytest.mark.parametrize("numbers", [(1, 9), (9, 1), (0, 1)])
def test_a_step_that_is_not_there_is_an_error(shop: Path, numbers: tuple[int, int]):
    result = run("diff", shop, *numbers)
    assert result.exit_code == 2 and "has no step" in result.stderr


def test_runs_that_change_the_same_are_alike(shop: Path, tmp_path: Path):
    result = run("compare", shop, written(ordinary(), tmp_path / "b.json"))
    assert (result.exit_code, "all changes are alike" in result.stdout) == (0, True)


def test_the_first_change_that_differs_is_told_with_both_its_steps(shop: Path, tmp_path: Path):
    other = written(with_the_edit("return 3"), tmp_path / "b.json")
    result = run("compare", shop, other)
    assert result.exit_code == 1
    for wanted in ("first  failed  shop.json", "first: step 3, second: step 3", "-return 2", "+return 3"):
        assert wanted in result.stdout
    found = json.loads(run("compare", shop, other, "--json").stdout)
    assert (found["same_task"], found["differs"]["step"], found["outcomes"]) == (True, 3, ["failed", "failed"])


def test_runs_of_different_tasks_say_so(shop: Path, tmp_path: Path):
    other = Run("/r", "x", task="Another", events=[event(0, "response", "hello", step=1)])
    assert "different tasks" in run("compare", shop, written(other, tmp_path / "b.json")).stdout


def test_nothing_of_hostile_runs_acts_on_the_terminal(tmp_path: Path):
    one = written(hostile(), tmp_path / "a\x1b[2J.json")
    other = written(with_the_edit(HOSTILE), tmp_path / "b\n.json")
    assert hidden_in(run("compare", one, other).output) == []
    assert hidden_in(run("diff", other, 2, 3).output) == []
    assert hidden_in(run("diff", other, 0, 3, "--workspace").output) == []
