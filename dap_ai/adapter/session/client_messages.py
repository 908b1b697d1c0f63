"""What the session's own client says: by command to who serves it; what nobody does is forwarded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from dap_ai.adapter.asks.jobs import Jobs
from dap_ai.adapter.session.ending import Ending
from dap_ai.adapter.session.greeting import Greeting
from dap_ai.adapter.session.serving import Handler, Serving
from dap_ai.adapter.session.starting import Starting
from dap_ai.adapter.state.effects import Log
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.wire.envelope import Envelope


class ClientMessages:
    """`receive` takes one message of the client. `requests`: who serves which command; `forward`: all others."""

    def __init__(
        self,
        out: Outbox,
        requests: Mapping[str, Handler],
        forward: Handler,
        *,
        jobs: Jobs,
        starting: Starting,
        greeting: Greeting,
        ending: Ending,
        serving: Serving,
    ) -> None:
        self._out = out
        self._requests = requests
        self._forward = forward
        self._jobs = jobs
        self._starting = starting
        self._holders = (starting, greeting)
        self._ending = ending
        self._serving = serving

    def receive(self, message: Envelope) -> None:
        """Serve it, or hold it until it may be served."""
        if self._jobs.holding or (self._ending.ends_stop(message) and self._jobs.end_stop()):
            self._jobs.wait(partial(self.receive, message))
        elif any(holder.holds(message, partial(self.receive, message)) for holder in self._holders):
            return
        elif message.kind == "response":
            self._out.to_backend(message)
        elif message.kind == "event":
            self._on_event(message)
        elif self._starting.admits(message):
            self._serving.serve(message, self._requests.get(message.name, self._forward))

    def _on_event(self, message: Envelope) -> None:
        if self._starting.authorized:
            self._out.to_backend(message)
        else:
            self._out.do(Log("skipped: an event of a client that has not sent the token"))
