"""An agent that is recorded has the terminal to itself: it is one, Ctrl-C is its affair, and nothing is printed into it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.opening import open_run
from tests.e2e.test_terminal import Screen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")

AGENT = """
import os, signal, sys, termios
assert all(os.isatty(fd) for fd in (0, 1, 2)) and os.getpgrp() == os.tcgetpgrp(0)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print("READY", flush=True)
try:
    line = input()
    print("GOT", line, flush=True)
    input()
except KeyboardInterrupt:
    print("SAVED", flush=True)
    sys.exit(5)
"""


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    monkeypatch.chdir(tmp_path)
    opened: list[Any] = []

    def start(*command: str) -> Any:
        opened.append(
            Screen([sys.executable, "-m", "dap_ai", "record", "--out", "r", "--no-workspace", "--", *command])
        )
        return opened[0]

    yield start
    for each in opened:
        each.close()


def test_the_agent_has_the_terminal_its_input_and_ctrl_c(screen: Callable[..., Any], tmp_path: Path):
    terminal = screen(sys.executable, "-c", AGENT)
    terminal.wait_for(b"READY")
    terminal.type(b"hello\n")
    terminal.wait_for(b"GOT hello")
    before = terminal.text.index(b"READY")
    between = terminal.text[before : terminal.text.index(b"GOT hello")]
    assert b"dap-ai" not in between
    terminal.type(b"\x03")
    assert terminal.end() == 5
    assert b"SAVED" in terminal.text and b"Traceback" not in terminal.text
    assert open_run(tmp_path / "r").outcome.words == "exit code 5"


def test_an_agent_that_ctrl_c_kills_ends_the_command_as_in_a_shell(screen: Callable[..., Any]):
    terminal = screen("/bin/sh", "-c", "echo READY; exec sleep 1000")
    terminal.wait_for(b"READY")
    terminal.type(b"\x03")
    assert terminal.end() == 130
