"""Reader of dap_ai's own recordings (`dap-ai record`), even while they are being written.

`store.py` documents the line format. A recording in another version of the format raises CannotRead with both versions.
"""

from __future__ import annotations

from pathlib import Path

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.recordings.recording_reader import RecordingReader
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.store import FILE, FORMAT, VERSION


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is a recording of dap_ai, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind == "folder":
        if FILE not in seen.names:
            return 0.0, ""
        seen = glance(path / FILE)
    return (1.0, "says dap_ai_recording") if b'{"dap_ai_recording":' in seen.head[:40] else (0.0, "")


def read(path: Path) -> Run:
    """Read a recording of dap_ai. Raises CannotRead, also if the format version differs."""
    file, name = (path / FILE, FILE) if path.is_dir() else (path, "")
    reading = RecordingReader(path, name)
    version = reading.feed(file)
    if version != VERSION:
        raise CannotRead(f"{path}: is of version {version!r} of the format, not {VERSION}")
    return reading.finished()


reader = Reader(FORMAT, "a recording of `dap-ai record` (a folder with run.jsonl)", sniff, read)
