"""The agent's breakpoints beside the client's.

DAP's setBreakpoints replaces all breakpoints of a file. So the client's last request for each file is remembered, and
the backend gets the client's breakpoints, in their order, then the agent's on other lines. The client never sees the
agent's: its response is cut to its own, events about the others are left out, and where the backend numbers the
client's breakpoints anew, ids are translated back. Files are the same if their paths are, letter by letter.

Our own requests are sent at once, not behind the editor's: the last set on the wire is always the newest.
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
"""A token that no agent waits for."""


class AgentBreakpoint(NamedTuple):
    """One that an ask has set; with `once`, until the next stop, whatever it is."""

    ask_id: str
    line: int
    condition: str = ""
    once: bool = False


class _File(msgspec.Struct):
    arguments: Fields
    """Of the client's last request, but for the breakpoints."""
    own: list[msgspec.Raw] = []
    ids: list[int | None] = []
    """Of `own`, as the client knows them."""
    agents: list[AgentBreakpoint] = []

    def lines(self) -> list[int]:
        """Of the client's breakpoints."""
        return [_read(raw).line for raw in self.own]

    def others(self) -> list[AgentBreakpoint]:
        """The agent's, one a line, on lines without a breakpoint of the client."""
        first = {each.line: each for each in reversed(self.agents)}
        taken = self.lines()
        return [each for each in self.agents if each is first[each.line] and each.line not in taken]


class BreakpointMerger:
    """What is set in each file, by path."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._files: dict[str, _File] = {}
        self._told: dict[int, int | None] = {}
        """The backend's ids, each with the client's; None: one of the agent's. Those of earlier sets may come late."""

    # -- the client's ------------------------------------------------------------------------------------------------

    def of_client(self, message: Envelope) -> tuple[bytes | None, SentBreakpoints | None]:
        """The client's setBreakpoints: its new arguments if they change, and what is in them."""
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
        """The client's setBreakpoints has succeeded: the body that it may see, if that is another."""
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
        """Where the client's own stop the program: a condition counts, the number of a hit does not."""
        for path, file in self._files.items():
            for own in map(_read, file.own):
                if not own.log_message:
                    yield Halt(path, own.line, own.condition)

    # -- the agent's -------------------------------------------------------------------------------------------------

    def users(self, path: str, line: int) -> str:
        """What the client has set on this line, in words; empty: nothing."""
        file = self._files.get(path)
        own = next((each for each in map(_read, file.own) if each.line == line), None) if file else None
        if own is None:
            return ""
        if own.log_message:
            return "a logpoint of the user, which does not stop"
        condition = own.condition or own.hit_condition
        return f"a breakpoint of the user, with the condition {condition}" if condition else "a breakpoint of the user"

    def add(self, path: str, wanted: AgentBreakpoint, token: int) -> None:
        """Set one, instead of an earlier one of this ask on its line; the response is for `token`."""
        source = {"source": msgspec.Raw(envelope.encode({"path": path}))}
        file = self._files.setdefault(path, _File(source))
        file.agents = [each for each in file.agents if (each.ask_id, each.line) != (wanted.ask_id, wanted.line)]
        file.agents.append(wanted)
        index = len(file.own) + [each.line for each in file.others()].index(wanted.line)
        self._send(path, file, token, index)

    def on_response(self, message: Envelope, owner: BreakpointsOwner) -> BreakpointBody | None:
        """A set of ours was answered: what became of the one that was added; None: it was not set."""
        set_now = read_or(message, BreakpointsBody, BreakpointsBody()).breakpoints
        file = self._files.get(owner.sent.file)
        if file is not None and message.success:
            self._learn(file, set_now, owner.sent.own)
        return set_now[owner.added] if 0 <= owner.added < len(set_now) else None

    def drop(self, unwanted: Callable[[AgentBreakpoint], bool]) -> None:
        """Take some of the agent's away."""
        for path, file in self._files.items():
            kept = [each for each in file.agents if not unwanted(each)]
            if len(kept) < len(file.agents):
                file.agents = kept
                self._send(path, file)

    def forget_agents(self) -> None:
        """The program has ended: there is nothing to take away."""
        for file in self._files.values():
            file.agents.clear()

    def clear(self) -> None:
        """Another program: the client will say what it wants set there."""
        self._files.clear()
        self._told.clear()

    def _send(self, path: str, file: _File, token: int = _NOBODY, index: int = -1) -> None:
        owner = BreakpointsOwner(token, SentBreakpoints(path, len(file.own)), index)
        self._out.ask_backend("setBreakpoints", msgspec.Raw(_content(file)), owner)

    # -- events ------------------------------------------------------------------------------------------------------

    def hides(self, message: Envelope) -> bool:
        """Whether this event is about a breakpoint of the agent."""
        if message.name != "breakpoint":
            return False
        about = read_or(message, BreakpointEventBody, BreakpointEventBody()).breakpoint
        if about.id is None:
            return False
        if about.id in self._told:
            return self._told[about.id] is None
        # Set just now: whose it is will be known with the response.
        file = self._files.get(about.source.path)
        return file is not None and bool(file.agents)

    def translated(self, message: Envelope) -> bytes | None:
        """The event's body with the ids that the client knows, if they are others."""
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
        """The backend has numbered a file's breakpoints anew: `own` of the client's, then the agent's."""
        ids = [*file.ids[:own], *[None] * len(set_now)]
        self._told |= {each.id: told for each, told in zip(set_now, ids, strict=False) if each.id is not None}


def _content(file: _File) -> bytes:
    added = [{"line": each.line} | ({"condition": each.condition} if each.condition else {}) for each in file.others()]
    return envelope.encode(file.arguments | {"breakpoints": [*file.own, *added]})


def _read(wanted: msgspec.Raw) -> SourceBreakpoint:
    return envelope.decode_or(bytes(wanted), SourceBreakpoint, SourceBreakpoint())
