"""Protocol between the gate and code in the agent's process (a hook, the shim): announcements and verdicts.

The agent's environment has DAP_AI_GATE, a loopback address with a secret in its path. An announcement is one POST of a
JSON object to it; the response is the verdict, a JSON object, with status 200:

    POST /SECRET/gate    {"kind": "call", "agent": "main", "tool": "bash", "arguments": {"command": "ls"},
                          "call_id": "c1"}
    200                  {"do": "go"}

The gate responds at once while the agent runs freely. While the agent is stopped, the gate responds when the user
decides, so announcers wait without a timeout. Each announcing thread or task uses its own keep-alive connection, so
that no other thread or task waits. If the connection fails, the verdict is `go`: an agent never ends because its
debugger did. The format is plain JSON and does not need msgspec.

Announcements by `kind`, in chronological order:

    hello     once per process, first: `announces` lists the kinds that this process will announce from now on, `pid`
              is its process id. If calls are announced, the gate stops at the announced call and not at the call in
              HTTP traffic; likewise for results. An endpoint that replaces another gets this list from its starter.
    agent     a sub-agent begins: `agent`, its `parent`, `call_id` of the call that started it, if known
    query     a model is about to be queried: `messages`, as the agent has them. Only for models that are queried
              outside the endpoint: once the endpoint has forwarded a query, announced queries and responses get
              `go` and are not recorded
    response  the model has answered: `text`, `calls` [{"tool", "arguments", "call_id"}, ...]
    call      a tool is about to run: `tool`, `arguments`, `call_id` if the framework has one
    result    the tool has run: `call_id`, `tool`, `text`, `status` ok or error
    note      a remark about the run: `text`
    python    a debug adapter of this process listens at `port`: debugpy's, if the user enabled it

Verdicts by `do`:

    go        continue unchanged
    edit      change the given fields: `tool`, `arguments` of a call; `text` of a result or response; `messages` of a
              query. An absent field is unchanged, an empty text is an edit
    answer    use `text` instead: as the result of a call, whose tool is not run; as the model's answer to a query,
              which is not sent
    stop      end the agent, because of `why`

The verdict on a call contains its `call_id`. A call announced without an id gets one here, and its result is announced
with that id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

Kind = Literal["hello", "agent", "query", "response", "call", "result", "note", "python", "started", "ended"]


class AnnouncedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call in an announced response."""

    tool: str = ""
    arguments: Any = None
    call_id: str = ""


class Announcement(msgspec.Struct, frozen=True, omit_defaults=True):
    """Announcement of one event to the gate. dap_ai's launcher sends the kinds `started` and `ended`."""

    kind: Kind
    agent: str = ""
    """Name of the agent. If empty, the agent that made the call `call_id`, else the main agent."""
    parent: str = ""
    tool: str = ""
    arguments: Any = None
    """An object, or for some tools a string."""
    text: str = ""
    call_id: str = ""
    """Id of the call. If empty, the gate finds the call by tool and arguments."""
    status: Literal["ok", "error", "unknown"] = "unknown"
    messages: Sequence[Any] = ()
    calls: Sequence[AnnouncedCall] = ()
    announces: Sequence[str] = ()
    pid: int = 0
    port: int = 0
    exit_code: int | None = None
    """Exit code of a shell command, with its result."""
    frames: Sequence[Mapping[str, Any]] = ()
    """Python stack of a call, innermost frame first: {"name", "path", "line"}."""


class GateVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The gate's answer to an announcement: what the agent does next."""

    do: Literal["go", "edit", "answer", "stop"] = "go"
    text: str | msgspec.UnsetType = msgspec.UNSET
    tool: str | msgspec.UnsetType = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    messages: Sequence[Any] | msgspec.UnsetType = msgspec.UNSET
    why: str = ""
    call_id: str = ""
    """Id of the announced call."""


def encoded(verdict: GateVerdict) -> bytes:
    """Encode a verdict as JSON that always contains `do`."""
    found = msgspec.to_builtins(verdict)
    return msgspec.json.encode({"do": verdict.do, **found})
