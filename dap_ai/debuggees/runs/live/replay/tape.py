"""Reads a recording for a replay (the tape): its queries in order, message by message, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table, whole, words
from dap_ai.debuggees.runs.run_files import CannotRead, lines
from dap_ai.debuggees.runs.store import FILE, WORKSPACE


class CannotReplay(Exception):  # noqa: N818  named for what is wrong with a run
    """The run can't be replayed; the message says why and what to do."""


class TapeQuery(NamedTuple):
    """One query of the recording."""

    number: int
    api: Api
    messages: Sequence[str]
    """Hashes of the query's messages, as the agent sent them."""
    tools: str
    """Hash of the offered tools; empty without tools."""
    settings: Mapping[str, Any]
    edited: bool
    """Whether the model received another request than the agent sent."""


class TapeAnswer(NamedTuple):
    """The recorded response to a query."""

    status: int
    value: Any
    """The answer in non-streamed form."""


class Tape:
    """Read-only view of a recording, for a replay."""

    def __init__(self, folder: Path) -> None:
        """Read the recording in a folder. Raises CannotReplay if it isn't a readable recording of `dap-ai record`."""
        self.folder = folder.absolute()
        self.head: Mapping[str, Any] = {}
        self.queries: list[TapeQuery] = []
        self.answers: dict[int, TapeAnswer] = {}
        """Answers by query number. Queries without a complete answer are missing."""
        self.taken: dict[int, int] = {}
        """In a recording of a replay: number of the replayed recording's query that answered each query."""
        self.live: int = 0
        """Number of queries answered by a model."""
        self.rows: list[Mapping[str, Any]] = []
        """Lines other than queries, responses and messages."""
        self._parts: dict[str, bytes] = {}
        self._nodes: dict[int, tuple[int, str]] = {}
        self._commits: list[tuple[int | None, str]] = []
        try:
            self._read()
        except (CannotRead, OSError) as error:
            raise CannotReplay(f"{folder}: cannot be read: {error}") from error
        if "dap_ai_recording" not in self.head:
            raise CannotReplay(f"{folder} is no recording of `dap-ai record`")

    def message(self, name: str) -> bytes:
        """Return a message's JSON; empty for an unknown name."""
        return self._parts.get(name, b"")

    def query(self, number: int) -> TapeQuery | None:
        """Return the query with that number, or None if unknown."""
        return next((each for each in self.queries if each.number == number), None)

    @property
    def command(self) -> list[str]:
        """The recorded command."""
        return [words(each) for each in array(self.head.get("command"))]

    @property
    def workspace(self) -> str:
        """The recorded workspace directory; empty without a workspace."""
        return words(self.head.get("workspace"))

    @property
    def repository(self) -> Path | None:
        """Repository of the workspace's states; None if the states were not saved or no longer exist."""
        found = self.folder / WORKSPACE
        return found if self._commits and (found / "HEAD").exists() else None

    def commit_before(self, query: int) -> str:
        """Return the commit of the workspace before a query; empty if unknown."""
        found = [sha for asked, sha in self._commits if asked is not None and asked <= query]
        return found[-1] if found else ""

    @property
    def first_commit(self) -> str:
        """The commit of the workspace before the run; empty if unknown."""
        return self._commits[0][1] if self._commits else ""

    @property
    def last_commit(self) -> str:
        """The commit of the workspace after the run; empty if unknown."""
        return self._commits[-1][1] if self._commits else ""

    def _read(self) -> None:
        for _, line in lines(self.folder / FILE):
            if row := table(decoded(line or b"null")):
                self._take(next(iter(row)), row)

    def _take(self, kind: str, row: Mapping[str, Any]) -> None:
        if kind == "dap_ai_recording":
            self.head = row
        elif kind in ("part", "node"):
            self._store(row)
        elif kind == "query":
            self._query(row)
        elif kind == "response":
            self._response(row)
        else:
            self.rows.append(row)
            if kind == "workspace":
                self._commits.append((0, words(row.get("commit"))))
            elif kind == "change":
                self._commits.append((whole(row.get("query")), words(row.get("commit"))))

    def _store(self, row: Mapping[str, Any]) -> None:
        part = words(row.get("part"))
        if "value" in row:
            self._parts.setdefault(part, msgspec.json.encode(row["value"]))
        if (node := whole(row.get("node"))) is not None:
            self._nodes[node] = (whole(row.get("after")) or 0, part)

    def _query(self, row: Mapping[str, Any]) -> None:
        last = whole(row.get("own", row.get("last")))
        if last is None:
            return
        names = list[str]()
        while last in self._nodes:
            last, name = self._nodes[last]
            names.append(name)
        api: Any = row.get("api")
        asked = TapeQuery(whole(row["query"]) or 0, api, names[::-1], words(row.get("tools")), {}, "own" in row)
        self.queries.append(asked._replace(settings=table(row.get("settings"))))

    def _response(self, row: Mapping[str, Any]) -> None:
        number, value = whole(row["response"]) or 0, row.get("value")
        if (taken := whole(row.get("taped"))) is not None:
            self.taken[number] = taken
        elif value is not None:
            self.live += 1
        if row.get("end") == "whole" and isinstance(value, dict):
            self.answers[number] = TapeAnswer(whole(row.get("status")) or 200, value)
