"""Data about requests and responses that the endpoint passes to the recorder.

The data contains no headers, because headers hold keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

End = Literal["whole", "left", "broken", "unreached"]
"""How a response ended. `left`: the agent closed the connection early; `broken`: the model's server closed it early."""


class Who(NamedTuple):
    """Name of the querying agent, and name of its parent agent."""

    name: str
    parent: str


class RequestStart(NamedTuple):
    """Data of a request that is being forwarded. `at` is seconds since 1970."""

    number: int
    at: float
    method: str
    path: str
    """Path at the model's server, without a query string."""
    upstream: str
    """Name of the model's server."""
    body: bytes
    encoding: str
    """Content encoding of the body: `gzip`, ..."""
    own: bytes | None = None
    """The body that the agent sent, if the model gets another body."""
    who: Who | None = None
    """The querying agent, if a hook named it."""


class RequestEnd(NamedTuple):
    """Data of a response, or of the failure to get one."""

    number: int
    at: float
    end: End
    words: str = ""
    """Reason if `end` is not `whole`."""
    status: int = 0
    kind: str = ""
    """Content type of the answer."""
    encoding: str = ""
    request_id: str = ""
    """The model vendor's request id."""
    body: Sequence[bytes] = ()
    taped: int | None = None
    """Number of the recorded query that gave the answer; None if a model answered, 0 if neither did."""


class RecordingSummary(msgspec.Struct, omit_defaults=True):
    """Totals shown to the user at the end; sent in the endpoint's last line."""

    queries: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    """Cost of the model's answers; replayed answers cost nothing."""
    changes: int = 0
    """Number of workspace commits after the first."""
    notes: list[str] = []
    """Sentences about what could not be recorded."""
