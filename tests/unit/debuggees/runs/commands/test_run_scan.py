"""`dap-ai run scan`: what it refuses, and what it says. That it scans is tests/integration/test_run_commands.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dap_ai.cli import main
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from tests.unit.debuggees.runs.hand_made import ordinary

THREADS = ("--executor", "concurrent.futures:ThreadPoolExecutor")


def scan(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", "scan", *map(str, arguments), *THREADS])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "shop.json"
    path.parent.mkdir()
    path.write_bytes(exported(ordinary(), RunAnalysis())["run.json"])
    return path.parent


def test_what_came_of_it_is_told_in_a_line_or_as_json(folder: Path, tmp_path: Path):
    out = tmp_path / "rows.jsonl"
    assert scan(folder, "--out", out).stdout == f"{out}: 1 run scanned of 1, 1 failed\n"
    told = json.loads(scan(folder, "--out", out, "--json").stdout)
    assert (told["found"], told["known"], told["interrupted"]) == (1, 1, False)


def test_a_run_that_is_named_twice_is_one_row(folder: Path, tmp_path: Path):
    scan(folder, folder / "shop.json", "--out", tmp_path / "rows.jsonl")
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 1


def test_a_folder_without_runs_ends_with_1(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    result = scan(tmp_path / "empty", "--out", tmp_path / "rows.jsonl")
    assert (result.exit_code, "no recorded run" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("out", "said"),
    [("rows.csv", "ends in .jsonl or .parquet"), ("none/rows.jsonl", "cannot be written"), ("runs", "is a directory")],
)
def test_a_file_that_cannot_be_had_is_one_message(out: str, said: str, folder: Path, tmp_path: Path):
    result = scan(folder, "--out", tmp_path / out)
    assert result.exit_code == 2 and said in result.stderr


def test_a_folder_that_is_not_there_is_one_message(tmp_path: Path):
    result = scan(tmp_path / "none", "--out", tmp_path / "rows.jsonl")
    assert result.exit_code == 2 and "is not there" in result.stderr
    assert not (tmp_path / "rows.jsonl").exists()


def test_rows_are_not_written_into_a_run(folder: Path):
    before = (folder / "shop.json").read_bytes()
    (folder / "rows.jsonl").symlink_to(folder / "shop.json")
    result = scan(folder / "shop.json", "--out", folder / "rows.jsonl")
    assert result.exit_code == 2 and "nothing is written" in result.stderr
    assert (folder / "shop.json").read_bytes() == before


@pytest.mark.parametrize(
    ("module", "arguments"), [("pyarrow", ["--out", "r.parquet"]), ("distributed", ["--out", "r.jsonl"])]
)
def test_what_is_not_installed_is_told_with_how_to_get_it(
    module: str, arguments: list[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    executor = ["--executor", "dask=127.0.0.1:1"] if module == "distributed" else []
    result = CliRunner().invoke(main, ["run", "scan", str(folder), *arguments, *executor])
    assert result.exit_code == 2 and "dap-ai[fleet]" in result.stderr
