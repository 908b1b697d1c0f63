"""Attaching by process id: the program prints nothing of it, goes on as it would have, and nothing stays queued in it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from dap_ai.backends.debugpy import attach
from dap_ai.backends.debugpy.attaching import queued
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.system import programs
from tests.conftest import ROOT
from tests.patience import at_worst
from tests.processes import end_tree

WAIT_S = at_worst(60.0)
WAITS = "import sys\nprint('up', flush=True)\nprint('got', sys.stdin.readline().strip(), flush=True)\n"
COMPUTES = (ROOT / "tests/debuggees/waits.py").read_text(encoding="utf-8")
NEWEST = [f"3.{minor}" for minor in (14, 15)]
LOCATE = programs.locate
PYTHONS = ["3.10", "3.13", *NEWEST]


def python_of(version):
    python = ROOT / f".venvs/py{version}/bin/python"
    if not python.exists():
        pytest.skip(f"no Python {version} here: python3 dev.py test prepares it")
    return python


class Program:
    """A running one; `ended` is what it printed, and its exit code."""

    def __init__(self, version: str, source: str, tmp_path: Path) -> None:
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._process = subprocess.Popen([python_of(version), path], **pipes, text=True)
        self.pid = self._process.pid
        self.first = self._process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_tree(self._process)

    def ended(self) -> tuple[str, str, int]:
        out, err = self._process.communicate("on\n", timeout=WAIT_S)
        return out, err, self._process.returncode


@pytest.fixture(autouse=True)
def _temporary(tmp_path_factory, monkeypatch):
    """No file of an attach is left, here or in the program's folders."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield
    assert [path.name for path in folder.glob("dap-ai-attach-*")] == []


def ask(program):
    return subprocess.run(
        [sys.executable, "-m", "dap_ai", "ask", "--pid", str(program.pid)],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("version", PYTHONS)
def test_a_waiting_program_prints_what_it_would_have_printed(version, tmp_path):
    with Program(version, WAITS, tmp_path) as program:
        done = ask(program)
        assert done.returncode == 0, done.stderr
        assert "`line = sys.stdin" in done.stdout or "program.py:3" in done.stdout
        assert ("so dap_ai attaches with gdb" in done.stderr) == (version in NEWEST)
        assert program.ended() == ("got on\n", "", 0)


@pytest.mark.parametrize("version", NEWEST)
def test_a_program_that_runs_python_code_is_entered_without_gdb_and_prints_nothing(version, tmp_path):
    with Program(version, COMPUTES, tmp_path) as program:
        done = ask(program)
        assert done.returncode == 0, done.stderr
        assert "gdb" not in done.stderr
        assert "stopped: pause" in done.stderr
        assert program.ended() == ("stopped\n", "", 0)


@pytest.mark.parametrize("version", NEWEST)
def test_without_gdb_a_blocked_main_thread_is_told_at_once_and_nothing_runs_in_it_later(version, tmp_path, monkeypatch):
    monkeypatch.setattr(
        attach.programs, "locate", lambda name, path=None: None if name == "gdb" else LOCATE(name, path)
    )
    with Program(version, WAITS, tmp_path) as program:
        began = time.monotonic()
        with pytest.raises(StartError) as caught:
            asyncio.run(attach.choose(program.pid))
        assert time.monotonic() - began < at_worst(5.0)
        assert "ran no Python code for a second" in str(caught.value)
        assert "needs gdb" in str(caught.value)
        assert program.ended() == ("got on\n", "", 0)


@pytest.mark.parametrize("version", NEWEST)
def test_a_script_that_cannot_leave_the_queue_does_nothing_and_removes_itself(version, tmp_path, monkeypatch):
    monkeypatch.setattr(
        queued.pending_call, "clear", lambda *_: False
    )  # as where another process may not be written to
    with Program(version, WAITS, tmp_path) as program:
        with pytest.raises(queued.NotEnteredError):
            asyncio.run(queued.enter(program.pid, str(python_of(version))))
        assert program.ended() == ("got on\n", "", 0)
