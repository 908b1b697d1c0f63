"""What the endpoint has seen of one request, for whoever records it. Headers are in none of it: they hold keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

End = Literal["whole", "left", "broken", "unreached"]
"""`left`: the agent closed the connection before the answer was complete; `broken`: the model's side did."""


class Who(NamedTuple):
    """An agent that asks, and its parent."""

    name: str
    parent: str


class RequestStart(NamedTuple):
    """A request has come and is passed on. `at`: seconds since 1970."""

    number: int
    at: float
    method: str
    path: str
    """As the upstream knows it, without a query."""
    upstream: str
    """Its name."""
    body: bytes
    encoding: str
    """Of the body: `gzip`, ..."""
    own: bytes | None = None
    """The body as the agent has sent it, where the model is to see another."""
    who: Who | None = None
    """Whose query it is, where a hook in the agent's process says so."""


class RequestEnd(NamedTuple):
    """The request has been answered, or never will be."""

    number: int
    at: float
    end: End
    words: str = ""
    """Why, where that is not `whole`."""
    status: int = 0
    kind: str = ""
    """The answer's content type."""
    encoding: str = ""
    request_id: str = ""
    """The vendor's."""
    body: Sequence[bytes] = ()
    taped: int | None = None
    """The query of a tape that was answered so; 0: no model has, nor a tape."""


class RecordingSummary(msgspec.Struct, omit_defaults=True):
    """What the user is told at the end; the endpoint's last line."""

    queries: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    """Without what was answered from a tape: nobody is paid for it again."""
    changes: int = 0
    """Commits of the workspace after the first."""
    notes: list[str] = []
    """What could not be recorded, in words."""
