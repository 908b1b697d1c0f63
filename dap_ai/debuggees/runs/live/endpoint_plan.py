"""What is wanted of the endpoint, a replay above all: JSON for its process, and in the head of the new recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

EVERY_S = 5.0
"""So often a client whose request is held is told something: most wait for minutes by default, some for seconds."""
Then = Literal["tape", "live", "stop"]


class InsertedText(msgspec.Struct, frozen=True, tag="say"):
    """A user's words behind what the agent sends with one query, and so in each later one of that conversation."""

    query: int
    """Its number on the tape."""
    text: str


class EditedResult(msgspec.Struct, frozen=True, tag="result"):
    """What a call has brought, as the model is to see it. The agent's own memory keeps the original."""

    call_id: str
    text: str


Edit = InsertedText | EditedResult


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Answers come from the tape for queries numbered below `until`; then from the model."""

    tape: str
    """The recording's folder."""
    until: int | None = None
    """None: to its end."""
    answers: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    """Instead of what is on the tape: values by the query's number."""
    edits: Sequence[Edit] = ()
    texts: Then = "tape"
    """What is done at the first query that says something else than the tape's: other words in the same places."""
    shape: Literal["live", "stop"] = "live"
    """The same where the tape cannot answer: other calls, more or fewer messages, another question."""
    budget: int | None = None
    """So many queries may go to the model."""
    restore: str = ""
    """The commit that the workspace is set to when the query `until` comes."""
    paths: tuple[str, str] | None = None
    """The workspace's path of then and now, where they differ: one is written for the other."""
