"""Forwards questions to another session of the same tree: one about a stopped child is answered there.

A program with child processes has one session for each. A client that asks in a running session, while exactly one
other is stopped, means the stopped one: its message goes there as a guest's, and the answer goes back to the client
under seqs of this session. If several are stopped, the error names them. Messages that belong to a forwarded ask (its
approval, cancel, follow-ups, replies of the client's model) follow it.
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
"""Events of a relative that are passed to our client; it learns of the debuggee in that session itself."""


class _PendingRequest(NamedTuple):
    client_seq: int
    command: str


class _Ids(msgspec.Struct, rename="camel"):
    ask_id: str = ""
    conversation_id: str = ""
    approval_id: str = ""
    progress_id: str = ""
    request_id: Any = ""
    """In DAP's own `cancel`, `requestId` is a number."""


class Relatives:
    """A session's related sessions. `stopped`: those stopped now; `need_adapter`: see effects.RelativesChanged."""

    def __init__(self, out: Outbox, state: DebuggeeState) -> None:
        self.stopped: tuple[Relative, ...] = ()
        self.need_adapter = False
        self._out = out
        self._state = state
        self._joined: dict[str, int] = {}
        """The last seq sent to each relative that was joined."""
        self._pending: dict[tuple[str, int], _PendingRequest] = {}
        self._owners: dict[str, str] = {}
        """The relative that issued each id of an ask, conversation or approval."""
        self._console = ""
        """The relative that answers our console, or ""."""
        self._is_client_leaving = False

    def here_or_there(self, here: Callable[[Envelope], None], message: Envelope) -> None:
        """Serve a request here, unless it is about another session of the tree."""
        if not self.takes(message):
            here(message)

    def takes(self, message: Envelope) -> bool:
        """Whether this request is for a relative; if so, it has been forwarded or refused."""
        ids = read_or(message, _Ids, _Ids())
        for given in (ids.conversation_id, ids.approval_id, ids.progress_id, ids.request_id):
            if isinstance(given, str) and given in self._owners:
                return self._send(self._owners[given], message)
        return message.name in ("ask", "askTool") and not ids.conversation_id and self._is_elsewhere(message)

    def takes_console(self, message: Envelope, typed: ask_console.ConsoleInput, *, here: bool) -> bool:
        """Whether this `??` line is for a relative; if so, it has been forwarded or refused.

        `here`: the line is about an ask of this session.
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
        """Pass a message of a relative on to our client."""
        message = Envelope.parse(event.body)
        if message.kind == "response":
            self._on_response(event.session_id, message)
        elif message.kind == "event" and (message.name in _TOLD or message.name in _PROGRESS):
            self._learn(event.session_id, message)
            if self._out.reads(message.name):
                self._out.do(ToClient(message.encode(seq=self._out.seqs.next_to_client())))

    def closed(self, session_id: str) -> None:
        """Fail the requests that wait for a relative that has ended."""
        self._joined.pop(session_id, None)
        if self._console == session_id:
            self._console = ""
        self._owners = {given: owner for given, owner in self._owners.items() if owner != session_id}
        self._fail([key for key in self._pending if key[0] == session_id])

    def leave(self) -> None:
        """Fail all requests that wait for relatives, because our client leaves."""
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
