"""Records of what the endpoint saw of a request, for the recorder.

They contain no headers, because headers hold keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

End = Literal["whole", "left", "broken", "unreached"]
"""`left`: the agent closed the connection before the answer was complete; `broken`: the model's side did."""


class Who(NamedTuple):
    """Name of the querying agent, and of its parent."""

    name: str
    parent: str


class RequestStart(NamedTuple):
    """A request has arrived and is being forwarded. `at` is seconds since 1970."""

    number: int
    at: float
    method: str
    path: str
    """Path at the upstream, without a query string."""
    upstream: str
    """Name of the upstream."""
    body: bytes
    encoding: str
    """Content encoding of the body: `gzip`, ..."""
    own: bytes | None = None
    """The body that the agent sent, if the model gets another."""
    who: Who | None = None
    """The querying agent, if a hook named it."""


class RequestEnd(NamedTuple):
    """A request was answered, or never will be."""

    number: int
    at: float
    end: End
    words: str = ""
    """Why `end` is not `whole`."""
    status: int = 0
    kind: str = ""
    """Content type of the answer."""
    encoding: str = ""
    request_id: str = ""
    """The vendor's request id."""
    body: Sequence[bytes] = ()
    taped: int | None = None
    """Query of the tape that gave the answer; 0 if neither a model nor a tape gave it; None for a model's."""


class RecordingSummary(msgspec.Struct, omit_defaults=True):
    """Totals shown to the user at the end; sent in the endpoint's last line."""

    queries: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    """Cost without answers from a tape, which are not paid again."""
    changes: int = 0
    """Number of workspace commits after the first."""
    notes: list[str] = []
    """Sentences about what could not be recorded."""
