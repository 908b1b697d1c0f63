"""A program that no debugger runs holds itself where it has failed, and is asked about."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.conftest import TESTS
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
PROGRAM = [sys.executable, str(TESTS / "debuggees" / "held.py")]
ASK = [sys.executable, "-m", "dap_ai", "ask", "--post-mortem"]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=patient(60.0), check=False, **options)


def answers(lines):
    events = [json.loads(line) for line in lines.splitlines()]
    return [event["answer"] for event in events if event["event"] == "askEnded"]


def test_an_exception_that_was_caught_is_answered_and_the_program_goes_on(tmp_path):
    (tmp_path / "click.py").write_text("raise SystemExit('a module of the working directory was imported')\n")
    done = run([*PROGRAM, "asks"], cwd=tmp_path)
    (answer,) = answers(done.stdout)
    assert "held.py:9" in answer and "`len(xs)` is `0`" in answer
    assert done.stderr.endswith("went on: 0\n")


def test_what_is_uncaught_is_printed_as_ever_and_then_answered():
    done = run([*PROGRAM, "uncaught"])
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert "`len(xs)` is `0`" in done.stdout
    assert done.returncode == 1


def test_breakpoint_asks_where_it_stands_and_the_program_goes_on():
    done = run([*PROGRAM, "prompts"], env=dict(os.environ, PYTHONBREAKPOINT="dap_ai.breakpoint"))
    assert "held.py" in done.stdout
    assert done.stdout.endswith("went on\n")


@pytest.fixture
def waiting(monkeypatch):
    """A held process, and its address."""
    with tempfile.TemporaryDirectory(prefix="dap") as folder:  # whose name leaves room for a socket's
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield from held()


def held():
    program = subprocess.Popen([*PROGRAM, "waits"], stderr=subprocess.PIPE, text=True)
    line = program.stderr.readline()
    yield program, re.search(r"--post-mortem '?(.*?\.sock)", line)[1]
    program.kill()
    program.wait()
    program.stderr.close()


def test_a_held_process_is_asked_from_elsewhere_until_it_is_let_go(waiting):
    program, address = waiting
    first = run([*ASK, address, "--json", "-q", "what is xs?"])
    second = run([*ASK, address, "--chat"], input="evaluate len(xs) + 1\ncontinue\n")
    assert "`xs`" in answers(first.stdout)[0]
    assert "`1`" in second.stdout
    assert program.wait(patient(10.0)) == 0
    assert not Path(address).exists()
    assert "no process is held" in run([*ASK, address]).stderr
