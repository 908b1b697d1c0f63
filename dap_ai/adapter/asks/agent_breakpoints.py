"""Merges the agent's breakpoints with the client's breakpoints.

DAP's `setBreakpoints` replaces all breakpoints of a file. So dap_ai keeps the client's last request for each file, and
sends the backend the client's breakpoints in their order, then the agent's breakpoints on other lines. The client never
sees the agent's breakpoints: dap_ai removes them from responses and drops events about them. If the backend renumbers
the client's breakpoints, dap_ai translates the new ids to those the client knows. A file is identified by its exact
path.

dap_ai sends its own requests at once, not after the editor's, so that the last `setBreakpoints` sent is always the
newest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import BreakpointsOwner, SentBreakpoints
from dap_ai.adapter.state.session_options import Fields
from dap_ai.protocol.contracts.rewind_messages import Halt
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import (
    BreakpointBody,
    BreakpointEventBody,
    BreakpointsBody,
    HitBreakpoints,
    SetBreakpointsArguments,
    SourceBreakpoint,
)
from dap_ai.protocol.wire.envelope import Envelope

_NOBODY = 0
"""Token for requests that the agent does not wait for."""


class AgentBreakpoint(NamedTuple):
    """A breakpoint that the agent sets for a question. With `once`, it is removed at the next stop."""

    ask_id: str
    line: int
    condition: str = ""
    once: bool = False


class _File(msgspec.Struct):
    arguments: Fields
    """Arguments of the client's last `setBreakpoints` request, without the breakpoints."""
    own: list[msgspec.Raw] = []
    ids: list[int | None] = []
    """Breakpoint ids of `own` that the client knows."""
    agents: list[AgentBreakpoint] = []

    def lines(self) -> list[int]:
        """Return the lines of the client's breakpoints."""
        return [_read(raw).line for raw in self.own]

    def others(self) -> list[AgentBreakpoint]:
        """Return the agent's breakpoints on lines without a client's breakpoint, at most one per line."""
        first = {each.line: each for each in reversed(self.agents)}
        taken = self.lines()
        return [each for each in self.agents if each is first[each.line] and each.line not in taken]


class BreakpointMerger:
    """The client's and the agent's breakpoints, by path of the file."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._files: dict[str, _File] = {}
        self._told: dict[int, int | None] = {}
        """Maps the backend's breakpoint ids to the client's ids; None for the agent's. Keeps ids for late events."""

    # -- the client's ------------------------------------------------------------------------------------------------

    def of_client(self, message: Envelope) -> tuple[bytes | None, SentBreakpoints | None]:
        """Record the client's `setBreakpoints` request.

        Return (new arguments or None if unchanged, breakpoints sent).
        """
        request = read_or(message, SetBreakpointsArguments, SetBreakpointsArguments())
        path = request.source.path
        if not path:
            return None, None
        arguments = message.read(Fields)
        for name in ("breakpoints", "lines"):
            arguments.pop(name, None)
        own = request.breakpoints
        if own is None:
            own = [msgspec.Raw(envelope.encode({"line": line})) for line in request.lines]
        file = self._files.setdefault(path, _File(arguments))
        file.arguments, file.own = arguments, own
        return (_content(file) if file.others() else None), SentBreakpoints(path, len(own))

    def on_client_response(self, message: Envelope, sent: SentBreakpoints) -> bytes | None:
        """Process the response to the client's `setBreakpoints`. Return its new body, or None if it is unchanged."""
        file = self._files.get(sent.file)
        set_now = read_or(message, BreakpointsBody, BreakpointsBody()).breakpoints
        if file is not None:
            file.ids = [each.id for each in set_now[: sent.own]]
            self._learn(file, set_now, sent.own)
        if len(set_now) <= sent.own:
            return None
        body = message.read(Fields)
        entries = envelope.decode(bytes(body["breakpoints"]), list[msgspec.Raw])
        return envelope.encode(body | {"breakpoints": entries[: sent.own]})

    def halts(self) -> Iterator[Halt]:
        """Yield the positions and conditions of the client's breakpoints. Ignores hit counts and skips logpoints."""
        for path, file in self._files.items():
            for own in map(_read, file.own):
                if not own.log_message:
                    yield Halt(path, own.line, own.condition)

    # -- the agent's -------------------------------------------------------------------------------------------------

    def users(self, path: str, line: int) -> str:
        """Describe the client's breakpoint on this line. Return an empty string if the line has no such breakpoint."""
        file = self._files.get(path)
        own = next((each for each in map(_read, file.own) if each.line == line), None) if file else None
        if own is None:
            return ""
        if own.log_message:
            return "a logpoint of the user, which does not stop"
        condition = own.condition or own.hit_condition
        return f"a breakpoint of the user, with the condition {condition}" if condition else "a breakpoint of the user"

    def add(self, path: str, wanted: AgentBreakpoint, token: int) -> None:
        """Set an agent's breakpoint, replacing an earlier breakpoint of this question on this line.

        The backend's response answers the agent's request `token`.
        """
        source = {"source": msgspec.Raw(envelope.encode({"path": path}))}
        file = self._files.setdefault(path, _File(source))
        file.agents = [each for each in file.agents if (each.ask_id, each.line) != (wanted.ask_id, wanted.line)]
        file.agents.append(wanted)
        index = len(file.own) + [each.line for each in file.others()].index(wanted.line)
        self._send(path, file, token, index)

    def on_response(self, message: Envelope, owner: BreakpointsOwner) -> BreakpointBody | None:
        """Process the response to dap_ai's `setBreakpoints`. Return the added breakpoint, or None if it was not set."""
        set_now = read_or(message, BreakpointsBody, BreakpointsBody()).breakpoints
        file = self._files.get(owner.sent.file)
        if file is not None and message.success:
            self._learn(file, set_now, owner.sent.own)
        return set_now[owner.added] if 0 <= owner.added < len(set_now) else None

    def drop(self, unwanted: Callable[[AgentBreakpoint], bool]) -> None:
        """Remove the agent's breakpoints for which `unwanted` returns True."""
        for path, file in self._files.items():
            kept = [each for each in file.agents if not unwanted(each)]
            if len(kept) < len(file.agents):
                file.agents = kept
                self._send(path, file)

    def forget_agents(self) -> None:
        """Forget the agent's breakpoints, because the end of the program has removed them."""
        for file in self._files.values():
            file.agents.clear()

    def clear(self) -> None:
        """Forget all breakpoints, because the client sets its breakpoints again for a new program."""
        self._files.clear()
        self._told.clear()

    def _send(self, path: str, file: _File, token: int = _NOBODY, index: int = -1) -> None:
        owner = BreakpointsOwner(token, SentBreakpoints(path, len(file.own)), index)
        self._out.ask_backend("setBreakpoints", msgspec.Raw(_content(file)), owner)

    # -- events ------------------------------------------------------------------------------------------------------

    def hides(self, message: Envelope) -> bool:
        """Whether this event concerns a breakpoint of the agent, which the client must not see."""
        if message.name != "breakpoint":
            return False
        about = read_or(message, BreakpointEventBody, BreakpointEventBody()).breakpoint
        if about.id is None:
            return False
        if about.id in self._told:
            return self._told[about.id] is None
        # Just set: the response will tell whose it is.
        file = self._files.get(about.source.path)
        return file is not None and bool(file.agents)

    def translated(self, message: Envelope) -> bytes | None:
        """Return the event's body with the client's breakpoint ids, or None if the body stays unchanged."""
        if message.name == "stopped":
            hit = read_or(message, HitBreakpoints, HitBreakpoints()).hit_breakpoint_ids
            own = [known for each in hit if (known := self._told.get(each, each)) is not None]
            return None if own == hit else envelope.encode(message.read(Fields) | {"hitBreakpointIds": own})
        if message.name == "breakpoint":
            about = read_or(message, BreakpointEventBody, BreakpointEventBody()).breakpoint.id
            if about is not None and self._told.get(about, about) != about:
                body = message.read(Fields)
                inner = envelope.decode(bytes(body["breakpoint"]), Fields)
                inner["id"] = msgspec.Raw(envelope.encode(self._told[about]))
                return envelope.encode(body | {"breakpoint": inner})
        return None

    def _learn(self, file: _File, set_now: list[BreakpointBody], own: int) -> None:
        """Record the backend's ids of a file's breakpoints. The first `own` breakpoints are the client's."""
        ids = [*file.ids[:own], *[None] * len(set_now)]
        self._told |= {each.id: told for each, told in zip(set_now, ids, strict=False) if each.id is not None}


def _content(file: _File) -> bytes:
    added = [{"line": each.line} | ({"condition": each.condition} if each.condition else {}) for each in file.others()]
    return envelope.encode(file.arguments | {"breakpoints": [*file.own, *added]})


def _read(wanted: msgspec.Raw) -> SourceBreakpoint:
    return envelope.decode_or(bytes(wanted), SourceBreakpoint, SourceBreakpoint())
