"""A scan of many runs: a row each, gone on with, by any executor, from any storage."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fsspec
import msgspec
import pytest
from hypothesis import given, settings

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.scan.run_locations import runs_below
from dap_ai.debuggees.runs.scan.scan_results import JsonLinesResults, ResultsError, results_at
from dap_ai.debuggees.runs.scan.scan_rows import ScanRow, scan_row, unread
from dap_ai.debuggees.runs.scan.scan_work import row_at, rows_of
from dap_ai.system.extras import MissingExtraError
from tests.patience import patient
from tests.unit.debuggees.runs.hand_made import any_run, hostile, ordinary
from tests.unit.debuggees.runs.scan.deadly import DEADLY

ROOT = Path(__file__).parents[5]


def written(run: Run, path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(exported(run, RunAnalysis())["run.json"])
    return str(path)


def test_a_row_counts_what_the_run_holds():
    row = scan_row("shop", ordinary(), analyse(ordinary()))
    assert (row.steps, row.outcome, row.input_tokens, row.output_tokens, row.reason) == (4, "failed", 300, 70, "")
    counts = row.counts
    assert (counts.calls, counts.change, counts.verify, counts.checks, counts.failed_checks) == (3, 1, 1, 1, 1)
    assert [(stage.first, stage.last) for stage in row.stages][-1][1] == 4


@given(any_run())
@settings(max_examples=30)
def test_any_run_makes_a_row_that_is_read_back(run: Run):
    row = scan_row("x", run, analyse(run))
    kinds = (*("submit", "change", "install", "verify"), *("run", "explore", "message"))
    assert sum(getattr(row.counts, kind) for kind in kinds) == len({event.step for event in run.events} - {0})


def test_what_cannot_be_read_is_a_row_with_its_reason(tmp_path: Path):
    (tmp_path / "torn.json").write_text('{"dap_ai_run": 9}')
    row = row_at(str(tmp_path / "torn.json"))
    assert "version 9" in row.reason and row.steps == 0


def test_rows_of_a_scan_are_gone_on_with(tmp_path: Path):
    first = results_at(tmp_path / "rows.jsonl")
    first.add(unread("a", "why"))
    first.close()
    again = results_at(tmp_path / "rows.jsonl")
    assert again.done == {"a"}
    again.add(unread("b", "why"))
    again.close()
    assert results_at(tmp_path / "rows.jsonl").done == {"a", "b"}


def test_a_torn_last_line_is_cut_off_and_done_again(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    results = results_at(path)
    results.add(unread("a", "why"))
    results.close()
    path.write_bytes(path.read_bytes() + b'{"path": "b", "st')
    again = results_at(path)
    assert again.done == {"a"}
    again.add(unread("c", "why"))
    again.close()
    assert [json.loads(line)["path"] for line in path.read_text().splitlines()] == ["a", "c"]


@pytest.mark.parametrize("name", ["rows.csv", "rows"])
def test_another_kind_of_file_is_refused(name: str, tmp_path: Path):
    with pytest.raises(ResultsError, match=r"ends in \.jsonl or \.parquet"):
        results_at(tmp_path / name)


def test_a_file_that_is_none_of_a_scan_stays_as_it_is(tmp_path: Path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"name": "mine"}\n')
    with pytest.raises(ResultsError, match="line 1 is no row"):
        results_at(path)
    assert path.read_text() == '{"name": "mine"}\n'


def test_half_a_character_does_not_end_a_scan(tmp_path: Path):
    results = JsonLinesResults(tmp_path / "rows.jsonl")
    results.add(unread("a\ud800", "why"))
    results.close()
    assert json.loads((tmp_path / "rows.jsonl").read_text())["path"] == "a?"


def test_parquet_holds_the_same_rows_and_is_gone_on_with(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    path = tmp_path / "rows.parquet"
    rows = [
        scan_row("shop", ordinary(), analyse(ordinary())),
        unread("b", "why"),
        scan_row("h", hostile(), RunAnalysis()),
    ]
    for row in rows:
        results = results_at(path)
        results.add(row)
        results.close()
    found = [msgspec.convert(each, ScanRow) for each in parquet.read_table(path).to_pylist()]
    assert msgspec.json.encode(found) == msgspec.json.encode(rows)
    assert results_at(path).done == {"shop", "b", "h"}


def test_rows_of_a_parquet_scan_that_was_killed_are_not_lost(tmp_path: Path):
    pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    killed = results_at(tmp_path / "rows.parquet")
    killed.add(unread("a", "why"))
    again = results_at(tmp_path / "rows.parquet")
    assert again.done == {"a"}
    again.close()
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_without_pyarrow_parquet_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"dap-ai\[fleet\]"):
        results_at(tmp_path / "rows.parquet")


def test_any_executor_makes_the_rows(tmp_path: Path):
    places = [written(ordinary(), tmp_path / f"{number}.json") for number in range(20)]
    with ThreadPoolExecutor(2) as pool:
        rows = list(rows_of([*places, str(tmp_path / "none")], pool, 2))
    assert {row.path for row in rows if not row.reason} == set(places)
    assert [row.reason for row in rows if row.reason] == [f"{tmp_path / 'none'}: is not there"]


def test_a_run_that_ends_its_process_is_a_row_and_the_others_are_read(tmp_path: Path):
    places = [written(ordinary(), tmp_path / name) for name in ("a.json", f"{DEADLY}.json", "b.json", "c.json")]
    command = [sys.executable, "-m", "tests.unit.debuggees.runs.scan.deadly", *places]
    told = subprocess.run(command, capture_output=True, check=True, timeout=patient(60.0), cwd=ROOT).stdout
    rows = {Path(row["path"]).name: row for row in map(json.loads, told.splitlines())}
    assert {name for name, row in rows.items() if row["reason"]} == {f"{DEADLY}.json"}
    assert "process" in rows[f"{DEADLY}.json"]["reason"] and len(rows) == 4


def test_an_executor_that_fails_at_one_run_says_so():
    def broken(place: str) -> ScanRow:
        raise OSError("disk")

    with ThreadPoolExecutor(1) as pool:
        (row,) = rows_of(["a"], pool, 1, broken)
    assert row.reason == "OSError('disk')"


@pytest.fixture
def storage():
    """fsspec's own, in memory."""
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    yield memory
    memory.store.clear()


def test_runs_at_a_url_are_found_read_and_deleted_after(
    storage: fsspec.AbstractFileSystem, tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    data = exported(ordinary(), RunAnalysis())["run.json"]
    for name, content in {"a/shop.json": data, "b.json": data, "notes.txt": b"not a run"}.items():
        storage.pipe_file(f"/runs/{name}", content)
    places = list(runs_below("memory://runs"))
    assert places == ["memory://runs/b.json", "memory://runs/a/shop.json"]
    assert [row_at(place).steps for place in places] == [4, 4]
    assert list(tmp_path.iterdir()) == []


def test_one_run_at_a_url_is_found(storage: fsspec.AbstractFileSystem):
    storage.pipe_file("/one.json", exported(ordinary(), RunAnalysis())["run.json"])
    assert list(runs_below("memory://one.json")) == ["memory://one.json"]


@pytest.mark.parametrize("url", ["memory://none", "nosuch://x", "memory://"])
def test_a_url_that_cannot_be_read_says_why(url: str, storage: fsspec.AbstractFileSystem):
    with pytest.raises(CannotRead, match=url.partition(":")[0]):
        list(runs_below(url))


def test_a_name_in_a_storage_cannot_lead_out_of_the_folder_that_it_is_fetched_to(storage: fsspec.AbstractFileSystem):
    storage.store["/runs/../../evil.json"] = fsspec.implementations.memory.MemoryFile(storage, "/x", b"{}")
    with pytest.raises(CannotRead, match="no name of a file"):
        list(runs_below("memory://runs"))
