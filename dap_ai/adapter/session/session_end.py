"""Ends a session after the client disconnects or disappears, or the backend dies. Answers every pending request.

The client's end waits for the snapshots (snapshot_jobs.py). A backend that does not answer `disconnect` is ended. If
the program has ended but child sessions still need its backend, the backend gets no `disconnect`, because debugpy would
end all of them.

    spares     a program that was attached to survives, a launched program is ended, unless
               `disconnect {terminateDebuggee}` requests otherwise. Decided once: some adapters send `terminated`
               when they detach from a living program
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dap_ai.adapter.asks.ask_service import AskService
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.asks.snapshot_jobs import Jobs
from dap_ai.adapter.session.forwarding import Forwarding
from dap_ai.adapter.session.relatives import Relatives
from dap_ai.adapter.session.session_start import Greeting, Starting
from dap_ai.adapter.state.debuggee import RESUMING, DebuggeeState, Phase
from dap_ai.adapter.state.effects import CancelTimer, Close, EndBackend, SetTimer, ToBackend
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner, SwallowedOwner
from dap_ai.protocol.wire.dap_messages import DisconnectArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BACKEND_DIED, BACKEND_FAILED
from dap_ai.protocol.wire.visible import visible

DISCONNECT_S = 2.0
"""Seconds to wait for the backend's answer to `disconnect` before dap_ai ends the backend's process tree."""
DISCONNECT = "session.disconnect"
PART = "session.part"
_PARTING = frozenset({"disconnect", "terminate"})


@dataclass(eq=False)
class Ending:
    """Handles the client's end, the backend's end, and the session's end."""

    _out: Outbox
    _state: DebuggeeState
    _desk: AskService
    _forwarding: Forwarding
    _jobs: Jobs
    _reads: AgentReads
    _starting: Starting
    _greeting: Greeting
    _relatives: Relatives
    _parting: bool = field(default=False, init=False)
    _disconnected: bool = field(default=False, init=False)
    _client_gone: bool = field(default=False, init=False)
    _spares: str = field(default="", init=False)

    @property
    def spares(self) -> str:
        """The request that started a program which survives the session ("launch", "attach").

        Empty if the program ends with the session.
        """
        return self._spares if self._parting else self._spares_if(ends=None)

    @property
    def _is_backend_gone(self) -> bool:
        """Whether the backend has died, or was never started because no message was sent to it."""
        return bool(self._forwarding.backend_dead) or not self._out.seqs.has_sent_to_backend

    @property
    def _hears_no_end(self) -> bool:
        """Whether the backend gets no `disconnect` although the client leaves."""
        is_left_to_others = self._state.phase is Phase.ENDED and self._relatives.need_adapter
        return self._is_backend_gone or is_left_to_others

    def ends_stop(self, message: Envelope) -> bool:
        """Whether forwarding this message would resume or end the program.

        If the message ends the session, this method ends all questions.
        """
        if message.kind != "request" or not self._jobs.are_alive:
            return False
        if message.name in _PARTING:
            self._desk.end_all("cancelled")
        elif message.name not in RESUMING:
            return False
        return self._forwarding.may_go(message)

    def on_disconnect(self, message: Envelope) -> None:
        """Serve a `disconnect` request of the client."""
        self._desk.end_all("cancelled")
        self._starting.on_parting()
        self._greeting.on_over()
        self._part(ends=read_or(message, DisconnectArguments, DisconnectArguments()).terminate_debuggee)
        if self._hears_no_end:
            self._reads.backend_died()
            self.answer_all("")
            self._out.respond(message)
            self._out.do(EndBackend(), Close())
            return
        self._out.do(SetTimer(DISCONNECT, DISCONNECT_S))
        self._reads.client_asked()
        seq = self._out.seqs.next_to_backend(ClientOwner(message.seq, "disconnect"))
        self._out.do(ToBackend(message.encode(seq=seq)))

    def on_client_closed(self) -> None:
        """Send the backend `disconnect` for a client that is gone, then end the backend."""
        if self._client_gone:
            return
        self._desk.end_all("cancelled")
        if self._jobs.end_stop():
            self._jobs.wait(self.on_client_closed)
            return
        self._client_gone = True
        self._starting.on_parting()
        self._greeting.on_over()
        is_first = not self._parting
        self._part(ends=None)
        if self._hears_no_end or self._disconnected:
            self._out.do(EndBackend(), Close())
        elif is_first:  # else the client has sent `disconnect`
            self._out.ask_backend("disconnect", {"terminateDebuggee": self._starting.command == "launch"})
            self._out.do(SetTimer(PART, DISCONNECT_S))

    def on_disconnected(self, *, by_us: bool) -> None:
        """Handle the backend's answer to `disconnect`. `by_us`: dap_ai sent that request for a client that is gone."""
        self._disconnected = True
        if by_us:
            self._out.do(CancelTimer(PART), EndBackend(), Close())
        else:
            self._out.do(CancelTimer(DISCONNECT))
            self._answer_left()

    def on_disconnect_passed(self) -> None:
        """If the client is gone, close the session after the answer to its `disconnect`."""
        if self._client_gone:
            self._out.do(EndBackend(), Close())

    def on_timer(self, timer_id: str) -> None:
        """End a backend that has not answered in time."""
        self._out.do(EndBackend())
        if timer_id == PART:
            self._out.do(Close())

    def on_backend_closed(self, why: str, *, started: bool) -> None:
        """Answer all pending requests after the backend has ended, and send the client `terminated` once."""
        if self._forwarding.backend_dead:
            return
        self._forwarding.backend_dead = dead = f": {why}" if why else " and says nothing more"
        self._reads.backend_died()
        # A client that reads a new thread, say, may ask while the session ends: that fails, and the user knows the
        # reason.
        self._forwarding.is_end_told = self._parting or self._state.terminated
        self.answer_all("" if started else why or "it could not be started")
        self._starting.on_backend_died(dead)
        self._greeting.on_over()
        self._state.on_ended()
        self._desk.end_all("failed", f"The debug adapter has ended{dead}.")
        self._out.do(CancelTimer(DISCONNECT), CancelTimer(PART))
        if self._parting:
            self._out.do(EndBackend(), Close())
        elif not self._state.terminated and started:
            self._state.terminated = True
            self._forwarding.is_end_told = True
            text = f"The debug adapter has ended{dead}. So has this debug session.\n"
            self._out.tell([("output", {"category": "important", "output": visible(text)}), ("terminated", {})])

    def _part(self, *, ends: bool | None) -> None:
        """Begin the session's end. `ends` is whether the client wants the program ended; None if unspecified."""
        if ends or not self._parting:
            self._spares = self._spares_if(ends=ends)
        self._parting = True

    def _spares_if(self, *, ends: bool | None) -> str:
        command = self._starting.command
        if ends is None:
            ends = command == "launch"
        return "" if ends or self._state.phase is Phase.ENDED else command

    def _answer_left(self) -> None:
        """Answer requests that debugpy leaves pending, such as a `launch` without `configurationDone`.

        Drops late answers of the backend to these requests.
        """
        for seq, owner in list(self._out.seqs.owners.items()):
            if isinstance(owner, ClientOwner):
                self._out.seqs.owners[seq] = SwallowedOwner(owner.command)
                self._answer(owner, "")

    def answer_all(self, why_failed: str) -> None:
        """Answer every request that waits for the backend, which has died or failed for the reason `why_failed`."""
        self._jobs.forget()
        for owner in self._out.seqs.drain():
            if isinstance(owner, ClientOwner):
                self._answer(owner, why_failed)

    def _answer(self, owner: ClientOwner, why_failed: str) -> None:
        self._reads.client_answered(owner.command)
        if owner.command == "disconnect":
            self._out.respond_owner(owner)
        elif why_failed:
            self._out.fail_owner(owner, BACKEND_FAILED, why=why_failed)
        else:
            why = self._forwarding.backend_dead or ": the session was disconnected"
            is_told = self._parting or self._forwarding.is_end_told
            self._out.fail_owner(owner, BACKEND_DIED.known() if is_told else BACKEND_DIED, why=why)
