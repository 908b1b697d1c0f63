"""What is announced at the gate by whoever is in the agent's process (a hook, the shim), and the verdict on it.

The agent's environment has DAP_AI_GATE, an address on loopback with a secret in its path. An announcement is one POST
of a JSON object to it; the answer is the verdict, a JSON object, with status 200:

    POST /SECRET/gate    {"kind": "call", "agent": "main", "tool": "bash", "arguments": {"command": "ls"},
                          "call_id": "c1"}
    200                  {"do": "go"}

The answer comes at once while the agent runs free, and whenever the user says so while it is held: whoever announces
waits without a limit of time, one connection (kept open) for each thread or task that announces, so that only that one
waits. Where the connection fails, the verdict is `go`: an agent never ends because its debugger did. Nothing needs
msgspec: plain JSON.

What is announced (`kind`), in the order of happening:

    hello     once a process, first: `announces` names the kinds that this process will announce from now on, `pid` is
              its own. Where calls are announced, the gate holds before a tool there and not on the wire; results too.
              An endpoint that takes another's place knows it from who starts it.
    agent     a sub-agent begins: `agent`, its `parent`, `call_id` of the call that started it, where that is known
    query     a model is about to be asked: `messages`, as the agent has them. Only of models that are not asked over
              the wire: once a query has come by the wire, announced queries and responses are answered by `go` and
              not recorded
    response  it has answered: `text`, `calls` [{"tool", "arguments", "call_id"}, ...]
    call      a tool is about to run: `tool`, `arguments`, `call_id` where the framework has one
    result    it has run: `call_id`, `tool`, `text`, `status` ok or error
    note      words about the run: `text`
    python    a debug adapter of this very process listens at `port`: debugpy's, where the user wants it

What comes back (`do`):

    go        as it is
    edit      with what is given: of a call `tool`, `arguments`; of a result and a response `text`; of a query
              `messages`. A field that is absent is unchanged, an empty text is an edit
    answer    `text` in the place of what would be done: of a call its result, and the tool is not run; of a query the
              model's answer, and no model is asked
    stop      the agent is to end: `why`

The verdict on a call has the `call_id` that the call is known by: one that was announced without gets it here, and its
result is announced with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

Kind = Literal["hello", "agent", "query", "response", "call", "result", "note", "python", "started", "ended"]


class AnnouncedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that a response makes."""

    tool: str = ""
    arguments: Any = None
    call_id: str = ""


class Announcement(msgspec.Struct, frozen=True, omit_defaults=True):
    """One announcement. `started` and `ended` are those of our own launcher in a terminal: `pid`, `exit_code`."""

    kind: Kind
    agent: str = ""
    """Empty: the one that is known by the call's id, else the main one."""
    parent: str = ""
    tool: str = ""
    arguments: Any = None
    """An object; of some tools a text."""
    text: str = ""
    call_id: str = ""
    """Empty: the call is the one with that tool and those arguments."""
    status: Literal["ok", "error", "unknown"] = "unknown"
    messages: Sequence[Any] = ()
    calls: Sequence[AnnouncedCall] = ()
    announces: Sequence[str] = ()
    pid: int = 0
    port: int = 0
    exit_code: int | None = None
    """Of a result: that of the command which the call was."""
    frames: Sequence[Mapping[str, Any]] = ()
    """The Python stack of a call, innermost first, where it is wanted: {"name", "path", "line"}."""


class GateVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What becomes of it."""

    do: Literal["go", "edit", "answer", "stop"] = "go"
    text: str | msgspec.UnsetType = msgspec.UNSET
    tool: str | msgspec.UnsetType = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    messages: Sequence[Any] | msgspec.UnsetType = msgspec.UNSET
    why: str = ""
    call_id: str = ""
    """Of a call: what it is known by."""


def encoded(verdict: GateVerdict) -> bytes:
    """As it is sent; `do` is always there."""
    found = msgspec.to_builtins(verdict)
    return msgspec.json.encode({"do": verdict.do, **found})
