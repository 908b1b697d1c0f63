"""Plan of a replay: sent to the endpoint's process as JSON and stored in the new recording's first line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

EVERY_S = 5.0
"""Seconds between keep-alive messages to a client whose request is paused. Most clients time out after minutes, some
after seconds."""
Then = Literal["tape", "live", "stop"]


class InsertedText(msgspec.Struct, frozen=True, tag="say"):
    """User text appended to what the agent sends with one query, and thus to each later query of that conversation."""

    query: int
    """Number of the query on the tape."""
    text: str


class EditedResult(msgspec.Struct, frozen=True, tag="result"):
    """Replacement for a call's result in what the model sees. The agent's own memory keeps the original."""

    call_id: str
    text: str


Edit = InsertedText | EditedResult


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Replay from the tape for queries numbered below `until`, and from the model after that."""

    tape: str
    """Folder of the recording."""
    until: int | None = None
    """First query that goes to the model; None: replay to the tape's end."""
    answers: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    """Answers that replace those on the tape, by query number."""
    edits: Sequence[Edit] = ()
    texts: Then = "tape"
    """Action at the first query whose texts differ from the tape's, in the same structure."""
    shape: Literal["live", "stop"] = "live"
    """Action if the tape cannot answer: different calls, more or fewer messages, or another question."""
    budget: int | None = None
    """Maximum number of queries that go to the model; None: unlimited."""
    restore: str = ""
    """Commit to which the workspace is reset when query `until` arrives."""
    paths: tuple[str, str] | None = None
    """(old, new) path of the workspace if they differ; replaced in texts."""
