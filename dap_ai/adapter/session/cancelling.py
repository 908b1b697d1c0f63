"""`cancel`: of an ask it is ours; of anything else it goes to a backend that announced it, under the backend's name."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from dap_ai.adapter.session.forwarding import Forwarding
from dap_ai.adapter.state.gate import Gate
from dap_ai.adapter.state.options import Fields
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.messages import CancelArguments


class Cancelling:
    """A cancel that nobody can follow succeeds and changes nothing: the cancelled request still answers itself."""

    def __init__(self, out: Outbox, cancel_of: Callable[[Envelope], bool], forwarding: Forwarding, gate: Gate) -> None:
        """`cancel_of`: whether the request names an ask; then it is cancelled."""
        self._out = out
        self._cancel_of = cancel_of
        self._forwarding = forwarding
        self._gate = gate

    def on_request(self, message: Envelope) -> None:
        """The client's request `cancel`."""
        arguments = read_or(message, CancelArguments, CancelArguments())
        can_cancel = not self._forwarding.backend_dead and self._gate.capabilities.get("supportsCancelRequest")
        if self._cancel_of(message) or not can_cancel:
            self._out.respond(message)
        elif arguments.request_id is None and _is_the_backends(arguments.progress_id):
            self._forwarding.send(message, ClientOwner(message.seq, "cancel"))
        elif arguments.request_id is None:
            self._out.respond(message)  # gdb reads nothing more after a cancel that names nothing
        elif (backend_seq := self._out.seqs.backend_seq_of(arguments.request_id)) is None:
            self._out.respond(message)  # answered already
        else:
            content = envelope.encode(message.read(Fields) | {"requestId": msgspec.Raw(b"%d" % backend_seq)})
            self._forwarding.send(message, ClientOwner(message.seq, "cancel"), content)


def _is_the_backends(progress_id: str | None) -> bool:
    return bool(progress_id) and not progress_id.startswith("dap-ai-")
