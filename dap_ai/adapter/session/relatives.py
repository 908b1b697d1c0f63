"""Forwards a client's questions to another session of the same process tree, where a child process is stopped.

A program with child processes has one session for each process. If a client asks in a running session, and exactly one
other session is stopped, the question is about the stopped session. Its message goes there as a guest's message, and
the answer goes back to the client under seqs of this session. If several sessions are stopped, the error names them.
Messages that belong to a forwarded question (its approval, cancel, follow-ups, replies of the client's model) follow
that question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from dap_ai.adapter.asks import ask_console
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import FromRelative, Relative, ToClient, ToRelative
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import AskOutput
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RELATIVE_ENDED, SEVERAL_STOPPED
from dap_ai.protocol.wire.visible import visible

_TOLD = frozenset({"askOutput", "askApproval", "askModel", "askModelEnded", "askEnded", "output"})
_PROGRESS = frozenset({"progressStart", "progressUpdate", "progressEnd"})
"""Progress events of a related session, which are passed to our client."""


class _PendingRequest(NamedTuple):
    client_seq: int
    command: str


class _Ids(msgspec.Struct, rename="camel"):
    ask_id: str = ""
    conversation_id: str = ""
    approval_id: str = ""
    progress_id: str = ""
    request_id: Any = ""
    """A number in DAP's own `cancel`, but a string in dap_ai's messages."""


class Relatives:
    """The related sessions of a session. `stopped` lists those that are stopped now.

    `need_adapter` is whether another session's program still needs this adapter.
    """

    def __init__(self, out: Outbox, state: DebuggeeState) -> None:
        self.stopped: tuple[Relative, ...] = ()
        self.need_adapter = False
        self._out = out
        self._state = state
        self._joined: dict[str, int] = {}
        """The last seq sent to each related session that this session has joined."""
        self._pending: dict[tuple[str, int], _PendingRequest] = {}
        self._owners: dict[str, str] = {}
        """Maps the id of an ask, conversation or approval to the related session that issued the id."""
        self._console = ""
        """The related session that answers our console, or an empty string."""
        self._is_client_leaving = False

    def here_or_there(self, here: Callable[[Envelope], None], message: Envelope) -> None:
        """Forward a request about a related session; serve all other requests by calling `here`."""
        if not self.takes(message):
            here(message)

    def takes(self, message: Envelope) -> bool:
        """Whether this request concerns a related session. If so, the request has been forwarded or refused."""
        ids = read_or(message, _Ids, _Ids())
        for given in (ids.conversation_id, ids.approval_id, ids.progress_id, ids.request_id):
            if isinstance(given, str) and given in self._owners:
                return self._send(self._owners[given], message)
        return message.name in ("ask", "askTool") and not ids.conversation_id and self._is_elsewhere(message)

    def takes_console(self, message: Envelope, typed: ask_console.ConsoleInput, *, here: bool) -> bool:
        """Whether this `??` line concerns a related session. If so, the line has been forwarded or refused.

        `here` is whether the line is about a question of this session.
        """
        if typed.command == "help" or here:
            return False
        if typed.command in ("stop", "allow", "deny"):
            return bool(self._console) and self._send(self._console, message)
        if self._is_elsewhere(message):
            if len(self.stopped) == 1:
                self._console = self.stopped[0].session_id
                self._out.tell([("output", {"category": "console", "output": f"· {_about(self.stopped[0])}\n"})])
            return True
        return False

    def on_message(self, event: FromRelative) -> None:
        """Pass a related session's response or event on to our client."""
        message = Envelope.parse(event.body)
        if message.kind == "response":
            self._on_response(event.session_id, message)
        elif message.kind == "event" and (message.name in _TOLD or message.name in _PROGRESS):
            self._learn(event.session_id, message)
            if self._out.reads(message.name):
                self._out.do(ToClient(message.encode(seq=self._out.seqs.next_to_client())))

    def closed(self, session_id: str) -> None:
        """Fail the requests that wait for a related session which has ended."""
        self._joined.pop(session_id, None)
        if self._console == session_id:
            self._console = ""
        self._owners = {given: owner for given, owner in self._owners.items() if owner != session_id}
        self._fail([key for key in self._pending if key[0] == session_id])

    def leave(self) -> None:
        """Fail all requests that wait for related sessions, because our client leaves."""
        self._is_client_leaving = True
        self._fail(list(self._pending))

    def _fail(self, keys: list[tuple[str, int]]) -> None:
        for key in keys:
            self._out.fail_owner(self._owner(self._pending.pop(key)), RELATIVE_ENDED)

    def _is_elsewhere(self, message: Envelope) -> bool:
        if self._is_client_leaving or self._state.stopped or not self.stopped:
            return False
        if len(self.stopped) == 1:
            return self._send(self.stopped[0].session_id, message)
        names = ", ".join(f"{each.name} [{each.session_id}]" for each in self.stopped)
        self._out.fail(message, SEVERAL_STOPPED, names=names)
        return True

    def _send(self, session_id: str, message: Envelope) -> bool:
        if session_id not in self._joined:
            self._joined[session_id] = 1
            hello = envelope.request(1, "initialize", msgspec.Raw(self._out.client.initialize or b"{}"))
            self._out.do(ToRelative(session_id, hello))
        self._joined[session_id] += 1
        seq = self._joined[session_id]
        self._out.do(ToRelative(session_id, message.encode(seq=seq)))
        self._pending[session_id, seq] = _PendingRequest(message.seq, message.name)
        return True

    def _on_response(self, session_id: str, message: Envelope) -> None:
        wanted = self._pending.pop((session_id, message.request_seq), None)
        if wanted is None:
            return
        self._learn(session_id, message)
        self._out.pass_on(message, self._owner(wanted))
        ask_id = read_or(message, _Ids, _Ids()).ask_id
        about = next((_about(each) for each in self.stopped if each.session_id == session_id), "")
        if message.success and ask_id and about:
            self._out.tell([("askOutput", AskOutput(ask_id, "status", about))])

    def _learn(self, session_id: str, message: Envelope) -> None:
        ids = read_or(message, _Ids, _Ids())
        for given in (ids.ask_id, ids.conversation_id, ids.approval_id, ids.request_id):
            if given and isinstance(given, str):
                self._owners[given] = session_id

    def _owner(self, wanted: _PendingRequest) -> ClientOwner:
        return ClientOwner(wanted.client_seq, wanted.command)


def _about(relative: Relative) -> str:
    return f"about {visible(relative.name)}, which is stopped in session {relative.session_id}"
