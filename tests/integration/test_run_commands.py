"""`dap-ai run` as a process: pipes that close, a terminal with a pager, a scan that is interrupted, a real cluster."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.protocol.wire.visible import hidden_in
from tests.patience import at_worst, patient
from tests.processes import end_tree
from tests.unit.debuggees.runs.hand_made import hostile, ordinary

LONG_S = at_worst(120.0)
COUNT = 200
_COLOURS = re.compile(r"\x1b\[[0-9;]*m|\r")

Ran = Callable[..., subprocess.CompletedProcess[bytes]]


def written(run: Run, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(exported(run, RunAnalysis())["run.json"])
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two hundred runs, and one that is none of a version that is known."""
    top = tmp_path / "runs"
    for number in range(COUNT):
        written(ordinary(), top / f"{number:03}.json")
    (top / "torn.json").write_text('{"dap_ai_run": 7}')
    return top


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_pipe_that_is_closed_early_is_no_traceback(start_dap_ai: Callable[..., Any], folder: Path):
    process = start_dap_ai("run", "search", "total", folder, "--json")
    assert process.stdout.readline().startswith(b"{")
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    process.wait(LONG_S)


def test_raw_bytes_go_through_a_pipe_as_they_are(run_dap_ai: Ran, tmp_path: Path):
    path = written(hostile(), tmp_path / "hostile.json")
    raw = run_dap_ai("run", "show", path, "--raw").stdout
    assert raw.rstrip(b"\n") in path.read_bytes()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
@pytest.mark.parametrize("lines", [500, 5], ids=["it fits", "it is paged"])
def test_on_a_terminal_only_our_colours_act(lines: int, tmp_path: Path):
    """The pager is a program that marks what comes through it."""
    pager = tmp_path / "less"  # one that knows colours
    pager.write_text("#!/bin/sh\nsed 's/^/PAGED /'\n")
    pager.chmod(0o755)
    path = written(hostile(), tmp_path / "a\x1b[2J.json")
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "LINES": str(lines), "COLUMNS": "100", "PAGER": str(pager)}
    command = [sys.executable, "-m", "dap_ai", "run", "show", str(path), "1"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    told = everything_of(ours)
    process.wait(LONG_S)
    assert "\x1b[" in told, "colours are ours"
    assert hidden_in(_COLOURS.sub("", told)) == []
    assert ("PAGED " in told) == (lines == 5)


def everything_of(terminal: int) -> str:
    parts: list[bytes] = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(terminal)
    return b"".join(parts).decode()


def test_a_scan_has_a_row_for_each_run_and_goes_on_after_those_that_are_there(run_dap_ai: Ran, folder: Path):
    out = folder.parent / "rows.jsonl"
    first = run_dap_ai("run", "scan", folder, "--out", out, "--jobs", "2", timeout_s=LONG_S)
    assert first.returncode == 0, first.stderr
    found = {Path(row["path"]).name: row for row in rows(out)}
    assert len(found) == COUNT + 1
    assert "version 7" in found["torn.json"]["reason"] and found["000.json"]["counts"]["change"] == 1
    written(ordinary(), folder / "new.json")
    again = run_dap_ai("run", "scan", folder, "--out", out, "--json", timeout_s=LONG_S)
    assert json.loads(again.stdout) | {"scanned": 1, "known": COUNT + 1, "failed": 1} == json.loads(again.stdout)
    assert len(rows(out)) == COUNT + 2


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent another way there")
def test_ctrl_c_leaves_a_whole_file_that_the_same_command_goes_on_with(
    start_dap_ai: Callable[..., Any], run_dap_ai: Ran, folder: Path
):
    out = folder.parent / "rows.jsonl"
    events = b",".join(
        b'{"kind":"response","index":0,"ref":{},"step":%d,"text":"x"}' % step for step in range(1, 200_000)
    )
    large = [folder / f"zzz-{n:02}.json" for n in range(40)]  # each takes seconds: no machine is done before Ctrl-C
    large[0].write_bytes(b'{"dap_ai_run":1,"run":{"root":"","format":"","events":[%b]}}' % events)
    for path in large[1:]:
        path.hardlink_to(large[0])
    process = start_dap_ai("run", "scan", folder, "--out", out, "--jobs", "1")
    until(lambda: out.exists() and out.stat().st_size > 0)
    errors = interrupted(process)
    assert process.returncode == 130 and b"interrupted" in errors and b"Traceback" not in errors
    done = rows(out)
    assert 0 < len(done) < COUNT + 1 + len(large)
    for path in large:
        path.unlink()
    assert run_dap_ai("run", "scan", folder, "--out", out, timeout_s=LONG_S).returncode == 0
    assert rows(out)[: len(done)] == done
    paths = [row["path"] for row in rows(out)]
    assert len(set(paths)) == len(paths)
    assert sum("zzz-" not in path for path in paths) == COUNT + 1


def interrupted(process: subprocess.Popen[bytes]) -> bytes:
    """What it says on stderr at Ctrl-C, which is pressed again if it goes on."""
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=patient(5.0))[1]
    return process.communicate(timeout=LONG_S)[1]


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.005)


@pytest.fixture
def cluster() -> Iterator[subprocess.Popen[str]]:
    pytest.importorskip("distributed", reason="distributed is not installed")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.dask_cluster"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    yield process
    end_tree(process)


def test_a_real_dask_cluster_of_two_processes_scans(run_dap_ai: Ran, folder: Path, cluster: subprocess.Popen[str]):
    address = cluster.stdout.readline().strip()
    out = folder.parent / "rows.jsonl"
    result = run_dap_ai("run", "scan", folder, "--out", out, "--executor", f"dask={address}", timeout_s=LONG_S)
    assert result.returncode == 0, result.stderr
    assert len({row["path"] for row in rows(out)}) == COUNT + 1
    assert sum(bool(row["reason"]) for row in rows(out)) == 1
    counts, _ = cluster.communicate(timeout=LONG_S)
    assert len(json.loads(counts)) == 2 and sum(json.loads(counts)) >= COUNT + 1


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("dask=127.0.0.1:1", "no Dask scheduler answers"),
        ("cluster", "is no executor"),
        ("json:loads", "cannot be made"),
        ("builtins:dict", "returned no concurrent.futures.Executor"),
    ],
)
def test_an_executor_that_is_none_is_one_message(wanted: str, said: str, run_dap_ai: Ran, folder: Path):
    out = folder.parent / "rows.jsonl"
    result = run_dap_ai("run", "scan", folder / "000.json", "--out", out, "--executor", wanted, timeout_s=LONG_S)
    assert result.returncode == 2
    assert said in result.stderr.decode() and "Traceback" not in result.stderr.decode()


def test_any_executor_of_a_module_scans(run_dap_ai: Ran, folder: Path):
    out = folder.parent / "rows.jsonl"
    wanted = "concurrent.futures:ThreadPoolExecutor"
    assert run_dap_ai("run", "scan", folder, "--out", out, "--executor", wanted, timeout_s=LONG_S).returncode == 0
    assert len(rows(out)) == COUNT + 1
