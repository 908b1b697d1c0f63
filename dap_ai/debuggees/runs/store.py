"""dap_ai's recording format: written while an agent runs, readable up to the last event if the writer is killed.

A recording is a folder that only its user can read. `run.jsonl` holds one JSON object per line and is only appended
to. `workspace.git` exists if changes of the workspace were recorded. Equal messages are stored once. A line's first key
is its type:

    {"dap_ai_recording": 1, "started": ISO 8601, "command": [...], "cwd": ..., "workspace": ...}
    {"part": HASH, "value": JSON}                          a value that later lines refer to by its hash
    {"node": N, "after": N, "part": HASH, "value": JSON}   message N of a conversation; `after` is the number of the
                                                           message before it (0: none); no `value` if the part is
                                                           already stored
    {"query": Q, "at": ..., "last": N, ...}                a request; `last`: number of its last message; the earlier
                                                           ones follow from the `after` links; `own`: number of the
                                                           last message that the agent sent, if it was edited;
                                                           `agent`, `parent`: as a hook reported them, if known
    {"response": Q, "at": ..., "value": JSON, ...}         the response; `taped`: number of the query, in the
                                                           replayed recording, whose response was reused
    {"change": C, "at": ..., "commit": SHA, "files": ...}  a commit of the workspace
    {"note": WORDS, "at": ...}     {"end": EXIT CODE or null, "at": ...}

Times are seconds since 1970. If a history grows by two messages per query, only two message lines are added per
query. The file is complete at any time except for its last line. A part always precedes the lines that refer to it.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.debuggees.runs.run_files import CannotRead, lines

FORMAT = "dap-ai-recording"
"""Format name of runs that are read from these recordings."""
FILE = "run.jsonl"
WORKSPACE = "workspace.git"
VERSION = 1
_ONE_LINE = -1
"""`indent` value that makes msgspec write no whitespace outside strings."""


class Recording:
    """Writes a recording line by line; thread-safe. Written data survives the end of this process."""

    def __init__(self, folder: Path, head: Mapping[str, Any]) -> None:
        """Create a recording in an empty or missing folder, or continue the existing one. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = folder / FILE
        self._parts: set[str] = set()
        self._nodes: dict[tuple[int, str], int] = {}
        self.queries = 0
        """Highest query number so far."""
        known = self._read() if self.path.exists() else False
        self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._lock = threading.Lock()
        self._torn = known and not _ends_whole(self.path)
        if not known:
            self._write([_line({"dap_ai_recording": VERSION, **head})])

    def part(self, value: bytes) -> str:
        """Store a JSON value, at most once, and return its hash. Raises OSError."""
        plain, name = named(value)
        with self._lock:
            if name not in self._parts:
                self._write([b'{"part":"%b","value":%b}\n' % (name.encode(), plain)])
                self._parts.add(name)
        return name

    def conversation(self, messages: Sequence[bytes]) -> int:
        """Store messages in order, each a JSON value; return the number of the last message, 0 without messages.

        Raises OSError.
        """
        last, new = 0, list[bytes]()
        nodes, parts = dict[tuple[int, str], int](), set[str]()
        with self._lock:
            for message in messages:
                plain, name = named(message)
                number = self._nodes.get((last, name))
                if number is None:
                    number = len(self._nodes) + len(nodes) + 1
                    value = b"" if name in self._parts or name in parts else b',"value":' + plain
                    new.append(b'{"node":%d,"after":%d,"part":"%b"%b}\n' % (number, last, name.encode(), value))
                    nodes[last, name] = number
                    parts.add(name)
                last = number
            self._write(new)
            self._nodes |= nodes
            self._parts |= parts
        return last

    def event(self, fields: Mapping[str, Any]) -> None:
        """Append a JSON line, whose first key is the line's type. Raises OSError."""
        with self._lock:
            self._write([_line(fields)])

    def close(self) -> None:
        """Close the file. Nothing can be written afterwards."""
        with self._lock:
            os.close(self._fd)

    def _write(self, added: Sequence[bytes]) -> None:
        """Append lines. First end a line that an earlier error (disk full) cut off, so that only that line is lost."""
        data = b"".join(added)
        if self._torn:
            data = b"\n" + data
        self._torn = bool(data)
        while data:
            data = data[os.write(self._fd, data) :]
        self._torn = False

    def _read(self) -> bool:
        """Index the lines that are already stored; return whether the file contains anything."""
        for _, line in lines(self.path):
            try:
                row = msgspec.json.decode(line or b"null", type=_Known | None)
            except (msgspec.DecodeError, RecursionError):
                continue
            if row is None:
                continue
            if row.part:
                self._parts.add(row.part)
            if row.node:
                self._nodes[row.after, row.part] = row.node
            self.queries = max(self.queries, row.query)
        return self.path.stat().st_size > 0


class _Known(msgspec.Struct):
    part: str = ""
    node: int = 0
    after: int = 0
    query: int = 0


def started_in(folder: Path) -> bool:
    """Return whether a folder exists and isn't empty, so that it can't take a new recording."""
    try:
        return any(folder.iterdir())
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return False
        raise CannotRead(f"{folder}: {error.strerror}") from error


def named(value: bytes) -> tuple[bytes, str]:
    """Return JSON text reformatted to one line, and that line's hash. Raises ValueError if it is not JSON."""
    try:
        plain = msgspec.json.format(value, indent=_ONE_LINE)
    except (msgspec.DecodeError, UnicodeDecodeError):  # for example an unpaired surrogate, which some agents send
        plain = json.dumps(json.loads(value.decode("utf-8", "replace")), separators=(",", ":")).encode()
    return plain, hashlib.blake2b(plain, digest_size=16).hexdigest()


def _line(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(fields) + b"\n"


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
