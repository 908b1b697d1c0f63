"""Starts an agent on the terminal that it is started on, and tells the gate; its arguments are FILE and the command.

FILE holds variables of the agent's environment as JSON. An editor may type a command line and its variables into a
shell, where every user of the machine can read them, and these hold the endpoint's token.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

_NOT_STARTED = 126


def main() -> None:
    """Its exit code is the agent's, as a shell has it."""
    file, *command = sys.argv[1:]
    os.environ.update(_taken(file))
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


def write(file: Path, variables: Mapping[str, str]) -> None:
    """The file for one start, for its user alone. Raises OSError."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        json.dump(dict(variables), opened)


def _taken(file: str) -> dict[str, str]:
    """What the file holds, which is then gone."""
    path = Path(file)
    try:
        variables: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
    except OSError as error:
        sys.exit(f"dap-ai: {file}: {error.strerror}: start the session again, a command line starts one agent only")
    return variables


def _leave(_number: int, _frame: FrameType | None) -> None:
    """Nothing."""


def _tell(said: dict[str, Any]) -> None:
    """Where the debugger is gone, nobody hears it."""
    request = urllib.request.Request(os.environ["DAP_AI_GATE"], json.dumps(said).encode())  # noqa: S310  ours
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with contextlib.suppress(OSError):
        opener.open(request, timeout=5).close()
