"""An error of dap_ai's own in a real session: it ends, says so, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import at_worst

LIMIT_S = at_worst(60.0)
FAILED = 3
_WITH_A_BUG = """
import sys
from dap_ai.adapter.session.session import Session
from dap_ai.cli import main

event, do = sys.argv.pop(1), Session.receive

def receive(self, told):
    if event.encode() in getattr(told, "body", b""):
        raise NameError(event)
    return do(self, told)

Session.receive = receive
main()
"""


@pytest.mark.parametrize("message", ["initialized", "configurationDone", "stackTrace"])
def test_an_error_of_ours_ends_ask_with_a_message_and_exit_code_3(message: str, tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("raise KeyError")
    command = [sys.executable, "-c", _WITH_A_BUG, f'"{message}"', "ask", "--provider", "offline", str(program)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == FAILED, done.stderr
    assert "dap_ai itself has failed (NameError at From" in done.stderr.splitlines()[-1]
