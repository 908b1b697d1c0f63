"""Our own recordings: written while an agent runs, whole up to the last event whoever is killed, each text once.

A recording is a folder that only its user can read. In it, `run.jsonl` is appended to, a JSON object a line, and never
rewritten; beside it `workspace.git`, where the workspace was followed. What a line is, its first key says:

    {"dap_ai_recording": 1, "started": ISO 8601, "command": [...], "cwd": ..., "workspace": ...}
    {"part": HASH, "value": JSON}                          what later lines name by its hash
    {"node": N, "after": N, "part": HASH, "value": JSON}   a message of a conversation and the one before it (0: none);
                                                           no `value` where the part is known
    {"query": Q, "at": ..., "last": N, ...}                a request: its last message, so all of them; `own`, where it
                                                           was edited: the last one as the agent has sent it;
                                                           `agent`, `parent`, where a hook knows whose it is
    {"response": Q, "at": ..., "value": JSON, ...}         what came back; `taped`: from a tape, to that query of it
    {"change": C, "at": ..., "commit": SHA, "files": ...}  a commit of the workspace
    {"note": WORDS, "at": ...}     {"end": EXIT CODE or null, "at": ...}

Times are seconds since 1970. So a history that grows by two messages a query costs two lines a query, and the file of a
recording is complete at any time but for its last line. A part is always before the line that names it.
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
"""What runs of these recordings say they are."""
FILE = "run.jsonl"
WORKSPACE = "workspace.git"
VERSION = 1
_ONE_LINE = -1
"""For msgspec: no blank outside of texts."""


class Recording:
    """Appends to a recording, from any thread. What has been written survives the end of this process."""

    def __init__(self, folder: Path, head: Mapping[str, Any]) -> None:
        """A new recording in a folder that is empty or not there yet, or more of the one that is. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = folder / FILE
        self._parts: set[str] = set()
        self._nodes: dict[tuple[int, str], int] = {}
        self.queries = 0
        """The highest number that a query has."""
        known = self._read() if self.path.exists() else False
        self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._lock = threading.Lock()
        self._torn = known and not _ends_whole(self.path)
        if not known:
            self._write([_line({"dap_ai_recording": VERSION, **head})])

    def part(self, value: bytes) -> str:
        """Stores a JSON value, once, and gives its name. Raises OSError."""
        plain, name = named(value)
        with self._lock:
            if name not in self._parts:
                self._write([b'{"part":"%b","value":%b}\n' % (name.encode(), plain)])
                self._parts.add(name)
        return name

    def conversation(self, messages: Sequence[bytes]) -> int:
        """Stores messages in their order, each a JSON value; the number of the last, 0 where there is none.

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
        """Appends a line; its first key says what it is. Raises OSError."""
        with self._lock:
            self._write([_line(fields)])

    def close(self) -> None:
        """Nothing more is written."""
        with self._lock:
            os.close(self._fd)

    def _write(self, added: Sequence[bytes]) -> None:
        """A line that is cut off (no space is left) is ended before the next, so that only it is lost."""
        data = b"".join(added)
        if self._torn:
            data = b"\n" + data
        self._torn = bool(data)
        while data:
            data = data[os.write(self._fd, data) :]
        self._torn = False

    def _read(self) -> bool:
        """Finds what is stored already; whether there is anything."""
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
    """Whether a folder is there and holds anything, so that it can take no new recording."""
    try:
        return any(folder.iterdir())
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return False
        raise CannotRead(f"{folder}: {error.strerror}") from error


def named(value: bytes) -> tuple[bytes, str]:
    """The value in one line and the name of its content. Raises ValueError where it is no JSON."""
    try:
        plain = msgspec.json.format(value, indent=_ONE_LINE)
    except (msgspec.DecodeError, UnicodeDecodeError):  # as for half of a surrogate pair, which some agents send
        plain = json.dumps(json.loads(value.decode("utf-8", "replace")), separators=(",", ":")).encode()
    return plain, hashlib.blake2b(plain, digest_size=16).hexdigest()


def _line(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(fields) + b"\n"


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
