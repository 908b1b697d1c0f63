"""Starts an agent on the terminal that it is started on, and tells the gate; its arguments are the command."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from types import FrameType
from typing import Any

_NOT_STARTED = 126


def main() -> None:
    """Its exit code is the agent's, as a shell has it."""
    command = sys.argv[1:]
    signal.signal(signal.SIGINT, _leave)  # the terminal has told the agent, too
    try:
        agent = subprocess.Popen(command)  # noqa: S603  it is what the user wants
    except OSError as error:
        sys.stderr.write(f"dap-ai: {command[0]}: cannot be started: {error.strerror}\n")
        _tell({"kind": "ended", "exit_code": _NOT_STARTED})
        sys.exit(_NOT_STARTED)
    _tell({"kind": "started", "pid": agent.pid})
    code = agent.wait()
    code = code if code >= 0 else 128 - code
    _tell({"kind": "ended", "pid": agent.pid, "exit_code": code})
    sys.exit(code)


def _leave(_number: int, _frame: FrameType | None) -> None:
    """Nothing."""


def _tell(said: dict[str, Any]) -> None:
    """Where the debugger is gone, nobody hears it."""
    request = urllib.request.Request(os.environ["DAP_AI_GATE"], json.dumps(said).encode())  # noqa: S310  ours
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with contextlib.suppress(OSError):
        opener.open(request, timeout=5).close()
