"""What the backend answers to the client, and to the requests that the proxy makes for itself."""

from __future__ import annotations

from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.session.ending import Ending
from dap_ai.adapter.session.starting import Starting
from dap_ai.adapter.session.unanswered import Unanswered
from dap_ai.adapter.session.watching import Watching
from dap_ai.adapter.state.options import Fields
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner, OwnOwner
from dap_ai.protocol.wire.envelope import Envelope


class Responses:
    """Each goes on to who has asked, once it is known what it means for the session."""

    def __init__(
        self,
        out: Outbox,
        reads: AgentReads,
        watching: Watching,
        unanswered: Unanswered,
        *,
        starting: Starting,
        ending: Ending,
    ) -> None:
        self._out = out
        self._reads = reads
        self._watching = watching
        self._unanswered = unanswered
        self._starting = starting
        self._ending = ending

    def to_client(self, message: Envelope, owner: ClientOwner) -> None:
        """A client has asked."""
        self._unanswered.on_answered(message.request_seq)
        parts = owner.command == "disconnect"
        if parts:
            self._ending.on_disconnected(by_us=False)
        elif owner.command == "initialize" and not message.success:
            self._out.client.initialize = b""  # it may try again
        self._out.pass_on(message, owner, self._watching.response(message, owner))
        self._reads.client_answered(owner.command)
        if parts:
            self._ending.on_disconnect_passed()

    def to_us(self, message: Envelope, owner: OwnOwner) -> None:
        """The proxy has."""
        if owner.command == "initialize":
            self._watching.learn(read_or(message, Fields, {}))
            self._starting.on_other_initialized()
        elif owner.command == "disconnect":
            self._ending.on_disconnected(by_us=True)
