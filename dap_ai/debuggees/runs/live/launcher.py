"""Starts an agent on this terminal and notifies the gate. Usage: `launcher.py FILE COMMAND...`.

FILE holds environment variables for the agent as JSON. An editor may type a command line with its variables into a
shell, where every user of the machine can read them, and these variables contain the endpoint's token.
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
    """Run the agent and exit with its exit code, as a shell would."""
    file, *command = sys.argv[1:]
    os.environ.update(_taken(file))
    signal.signal(signal.SIGINT, _leave)  # the terminal sends it to the agent, too
    try:
        agent = subprocess.Popen(command)  # noqa: S603  the user's own command
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
    """Write the variables for one start to a new file that only its user can read. Raises OSError."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        json.dump(dict(variables), opened)


def _taken(file: str) -> dict[str, str]:
    """Read the agent's variables from the file, and delete the file."""
    path = Path(file)
    try:
        variables: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
    except OSError as error:
        sys.exit(f"dap-ai: {file}: {error.strerror}: start the session again, a command line starts one agent only")
    return variables


def _leave(_number: int, _frame: FrameType | None) -> None:
    """Ignore the signal."""


def _tell(said: dict[str, Any]) -> None:
    """Send a message to the gate; ignore failures, because the debugger may be gone."""
    request = urllib.request.Request(os.environ["DAP_AI_GATE"], json.dumps(said).encode())  # noqa: S310  our gate
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with contextlib.suppress(OSError):
        opener.open(request, timeout=5).close()
