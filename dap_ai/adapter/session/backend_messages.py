"""What the backend says: each response goes to who has asked, events and reverse requests to the client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dap_ai.adapter.asks import acting
from dap_ai.adapter.asks.acting import Acting
from dap_ai.adapter.asks.caught import CaughtExceptions
from dap_ai.adapter.session.about import About
from dap_ai.adapter.session.children import Children
from dap_ai.adapter.session.watching import Watching
from dap_ai.adapter.state import ours
from dap_ai.adapter.state.effects import Log
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.wire.envelope import Envelope

Answered = Callable[[Envelope, Any], None]
"""Takes a response, with who has asked for it."""


class BackendMessages:
    """`receive` takes one message of the backend. `owners`: by the type of who has asked, what takes the response."""

    def __init__(
        self,
        out: Outbox,
        watching: Watching,
        about: About,
        children: Children,
        *,
        acting: Acting,
        caught: CaughtExceptions,
        owners: Mapping[type, Answered],
    ) -> None:
        self._out = out
        self._watching = watching
        self._about = about
        self._children = children
        self._acting = acting
        self._caught = caught
        self._owners = owners

    def receive(self, message: Envelope) -> None:
        """Give it to whom it is for."""
        if message.kind == "response":
            self._on_response(message)
        elif ours.is_forged(message):
            self._drop(message)
        elif message.kind == "event":
            self._on_event(message)
        elif not self._children.takes(message):
            self._out.to_client(message)

    def _drop(self, message: Envelope) -> None:
        what = f"the {message.kind} {message.name}"
        self._out.do(Log(f"dropped: the debug adapter sent {what}, which is dap_ai's own"))
        if message.kind == "request":
            self._out.refuse_backend(message)

    def _on_event(self, message: Envelope) -> None:
        if self._watching.hides(message) or self._caught.takes(message):
            return
        self._caught.on_event(message)
        self._about.on_event(message)
        content = self._watching.event(message)
        if self._acting.marks(message):
            content = acting.tagged(message)
        is_read = self._acting.admits(message) and self._out.reads(message.name)
        if is_read and not self._children.takes(message):
            self._out.to_client(message, content)
        self._acting.on_event(message)

    def _on_response(self, message: Envelope) -> None:
        owner = self._out.seqs.owners.pop(message.request_seq, None)
        if owner is None:
            self._out.do(Log(f"skipped: a response of the backend to nothing: {message!r}"))
        else:
            self._owners[type(owner)](message, owner)
