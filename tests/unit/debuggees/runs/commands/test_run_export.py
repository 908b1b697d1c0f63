"""`dap-ai run export`: files that others read, secrets masked for people, nothing written into the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dap_ai.cli import main
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_model import Run
from tests.unit.debuggees.runs.hand_made import event, ordinary

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", "export", *map(str, arguments)])


def written(run: Run, path: Path) -> Path:
    path.write_bytes(exported(run, RunAnalysis())["run.json"])
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return written(ordinary(), tmp_path / "shop.json")


@pytest.fixture
def leaking(tmp_path: Path) -> Path:
    """The secret stands in a call, alone in a result before it, and in an argument."""
    arguments = {"command": f"export GITHUB_TOKEN={SECRET}", "env": {"GITHUB_TOKEN": SECRET}}
    events = [
        event(0, "result", f"{SECRET}\n", step=1),
        event(1, "call", f"export GITHUB_TOKEN={SECRET}", step=2, tool="bash", arguments=arguments),
    ]
    return written(Run("/r", "x", task=f"use {SECRET}", events=events), tmp_path / "leaking.json")


@pytest.mark.parametrize("target", ["html", "markdown"])
def test_what_people_read_is_masked(target: str, leaking: Path):
    told = run(leaking, "--to", target).stdout
    assert SECRET not in told and "secret:" in told
    assert SECRET in run(leaking, "--to", target, "--unmasked").stdout


@pytest.mark.parametrize("target", ["atif", "otel", "json"])
def test_what_programs_read_is_whole_unless_it_is_to_be_masked(target: str, leaking: Path):
    assert SECRET in run(leaking, "--to", target).stdout
    assert SECRET not in run(leaking, "--to", target, "--masked").stdout


def test_masking_leaves_what_is_no_secret(shop: Path):
    assert run(shop, "--to", "markdown").stdout == run(shop, "--to", "markdown", "--unmasked").stdout


def test_json_is_read_back_with_the_same_steps(shop: Path, tmp_path: Path):
    assert run(shop, "--to", "json", "-o", tmp_path / "again.json").exit_code == 0
    both = [json.loads(run(path, "--to", "json").stdout)["run"] for path in (shop, tmp_path / "again.json")]
    told = [[{**each, "ref": None} for each in found["events"]] for found in both]
    assert told[0] == told[1]


def test_a_folder_that_is_there_gets_a_file_of_the_formats_own_name(shop: Path, tmp_path: Path):
    (tmp_path / "out").mkdir()
    assert run(shop, "--to", "atif", "-o", tmp_path / "out").exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["trajectory.json"]


def test_nothing_is_written_into_a_run(shop: Path, tmp_path: Path):
    before = shop.read_bytes()
    result = run(shop, "--to", "json", "-o", shop)
    assert result.exit_code == 2 and "nothing is written" in result.stderr
    assert shop.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["shop.json"]


def test_a_file_that_cannot_be_written_is_one_message(shop: Path, tmp_path: Path):
    result = run(shop, "--to", "html", "-o", tmp_path / "none" / "run.html")
    assert result.exit_code == 2 and "cannot be written" in result.stderr and "Traceback" not in result.stderr


def test_a_new_file_is_the_users_own(shop: Path, tmp_path: Path):
    run(shop, "--to", "html", "-o", tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_mode & 0o077 == 0
