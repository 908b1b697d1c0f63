"""Asking leaves no trace in the program: debuggees/purity.py counts every way of touching its objects."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

STDIN = b"a line\nanother\n"
Run = Callable[..., subprocess.CompletedProcess[bytes]]


def result_of(stdout: bytes) -> dict[str, Any]:
    """What the program says in the end: its counters, and what was left in its iterators, file and stdin."""
    line = next(line for line in stdout.splitlines() if line.startswith(b"RESULT "))
    return json.loads(line.partition(b" ")[2])


@pytest.mark.parametrize("level", ["observe", "compute"])
def test_a_program_ends_as_if_nobody_had_asked(level: str, run_dap_ai: Run, debuggee: Callable[..., Any]):
    program = debuggee("purity")
    stops = [word for line in program.lines.values() for word in ("-b", f"{program.path}:{line}")]
    undisturbed = subprocess.run([sys.executable, program.path], input=STDIN, capture_output=True, check=True)
    asked = run_dap_ai(
        "ask", "--python", sys.executable, "--level", level, *stops, "--each-stop", program.path, stdin=STDIN
    )
    assert result_of(asked.stdout) == result_of(undisturbed.stdout), asked.stderr.decode()
