"""Exceptions raised in another process, parsed from the traceback text that this process has received.

A process pool (`multiprocessing`, `concurrent.futures`, joblib) attaches a worker's traceback text to the exception as
its cause. A cluster puts the text into the message.
"""

from __future__ import annotations

import re

from dap_ai.agent.source.source_file import is_user_path
from dap_ai.protocol.contracts.inspection import FrameFacts, Inspection
from dap_ai.protocol.wire.caught_messages import Caught, CaughtFrame

_FRAME = re.compile(r'^ *File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in (?P<name>.+)$', re.MULTILINE)
_RAISED = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$", re.MULTILINE)


def remote_exception(found: Inspection) -> tuple[Caught, list[FrameFacts]] | None:
    """Returns the first exception of the chain that another process raised, and the values that process sent.

    None if no frame of that process was in the user's code.
    """
    for error in found.exceptions:
        if error.traceback and (told := read_traceback(error.traceback, found.cwd)):
            return told, error.frames
    return None


def read_traceback(text: str, cwd: str) -> Caught | None:
    """Parses one traceback in the interpreter's format. None if it has no frame of the user's code."""
    rows = list(_FRAME.finditer(text))
    frames = [CaughtFrame(r["file"], int(r["line"]), r["name"].strip(), is_user_path(r["file"])) for r in rows]
    raised = _RAISED.search(text, rows[-1].end()) if rows else None
    if raised is None or not any(frame.user for frame in frames):
        return None
    return Caught(raised["type"], raised["message"] or "", frames, cwd=cwd)
