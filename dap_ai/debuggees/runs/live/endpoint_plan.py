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
    """User text appended to one query of the agent, and so to each later query of that conversation."""

    query: int
    """Number of the query in the replayed recording."""
    text: str


class EditedResult(msgspec.Struct, frozen=True, tag="result"):
    """Replacement for the result of a call in what the model gets. The agent's own memory keeps the original."""

    call_id: str
    text: str


Edit = InsertedText | EditedResult


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Plan of a replay of a recording (the tape).

    Queries numbered below `until` are answered from the tape, later queries by the model.
    """

    tape: str
    """Folder of the recording to replay."""
    until: int | None = None
    """Number of the first query that goes to the model; None to replay to the recording's end."""
    answers: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    """Answers that replace recorded answers, by query number."""
    edits: Sequence[Edit] = ()
    texts: Then = "tape"
    """What to do at the first query whose messages have the recorded structure but other strings."""
    shape: Literal["live", "stop"] = "live"
    """What to do if the recording has no answer: other calls, more or fewer messages, or another question."""
    budget: int | None = None
    """Maximum number of queries that go to the model; None for no limit."""
    restore: str = ""
    """Commit to which the workspace is reset when query `until` arrives."""
    paths: tuple[str, str] | None = None
    """(old, new) path of the workspace, if the paths differ; the old path is replaced in strings."""
