"""The endpoint's process: ready once the workspace's first state is kept, it imports the rest while the agent starts.

The agent's first connections wait meanwhile: whoever starts this process has the socket listen already.
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
    """What of talk.Begin is needed at once."""

    folder: str
    head: Mapping[str, Any]
    workspace: str | None = None


def main() -> None:
    """Ended by its stdin. A terminal's signals are the agent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    line = sys.stdin.buffer.readline()  # nothing follows it before `Ready` is said
    begin = msgspec.json.decode(line, type=_First)
    recording = Recording(Path(begin.folder), begin.head)
    following, ready = _follow(begin)
    sys.stdout.buffer.write(msgspec.json.encode(ready) + b"\n")
    sys.stdout.buffer.flush()

    from dap_ai.debuggees.runs.live.endpoint_process import serve  # noqa: PLC0415  see above

    serve(line, recording, following, ready)


def _follow(begin: _First) -> tuple[Following | None, Ready]:
    """The workspace's first state is kept before the agent starts."""
    if begin.workspace is None:
        return None, Ready()
    try:
        found = Following(Path(begin.workspace), Path(begin.folder) / WORKSPACE)
    except CannotFollow as error:
        return None, Ready(trouble=str(error))
    return found, Ready()


if __name__ == "__main__":
    main()
