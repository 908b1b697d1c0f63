"""Entry point of the process that serves the recording endpoint; reports ready once the workspace is saved.

Imports the remaining modules while the agent starts. The agent's first connections wait, because the process that
starts the endpoint already listens on the socket.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.endpoint_messages import Ready
from dap_ai.debuggees.runs.live.workspace.repository import CannotFollow
from dap_ai.debuggees.runs.live.workspace.workspace_follower import Following
from dap_ai.debuggees.runs.store import WORKSPACE, Recording


class _First(msgspec.Struct):
    """The fields of endpoint_messages.Begin that this process needs before it imports the rest."""

    folder: str
    head: Mapping[str, Any]
    workspace: str | None = None


def main() -> None:
    """Serve until stdin is closed. Ignores Ctrl-C, because a terminal's signals are meant for the agent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    line = sys.stdin.buffer.readline()  # no other line follows before `Ready` is sent
    begin = msgspec.json.decode(line, type=_First)
    recording = Recording(Path(begin.folder), begin.head)
    following, ready = _follow(begin)
    sys.stdout.buffer.write(msgspec.json.encode(ready) + b"\n")
    sys.stdout.buffer.flush()

    from dap_ai.debuggees.runs.live.endpoint_process import serve  # noqa: PLC0415  imported on use

    serve(line, recording, following, ready)


def _follow(begin: _First) -> tuple[Following | None, Ready]:
    """Save the workspace's initial state before the agent starts; return (follower or None, first reply)."""
    if begin.workspace is None:
        return None, Ready()
    try:
        found = Following(Path(begin.workspace), Path(begin.folder) / WORKSPACE)
    except CannotFollow as error:
        return None, Ready(trouble=str(error))
    return found, Ready()


if __name__ == "__main__":
    main()
