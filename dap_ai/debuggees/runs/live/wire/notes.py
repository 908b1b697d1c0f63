"""What the endpoint has seen of one request, for whoever records it. Headers are in none of it: they hold keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

End = Literal["whole", "left", "broken", "unreached"]
"""`left`: the agent closed the connection before the answer was complete; `broken`: the model's side did."""


class Who(NamedTuple):
    """An agent that asks, and its parent."""

    name: str
    parent: str


class Began(NamedTuple):
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


class Ended(NamedTuple):
    """The request has been answered, or never will be."""

    number: int
    at: float
    end: End
    words: str = ""
    """Why, where that is not `whole`."""
    first_at: float | None = None
    """When the answer's head came."""
    status: int = 0
    kind: str = ""
    """The answer's content type."""
    encoding: str = ""
    request_id: str = ""
    """The vendor's."""
    body: Sequence[bytes] = ()
    taped: int | None = None
    """The query of a tape that was answered so; 0: no model has, nor a tape."""


class Notes(Protocol):
    """Who is told. Returns at once and never raises."""

    def began(self, note: Began) -> None:
        """A request is passed on."""
        ...

    def ended(self, note: Ended) -> None:
        """It was answered."""
        ...
