"""Events that `Session.receive` takes and effects that it returns: data without behaviour.

An event is something that happened outside; an effect is something to do outside. Timers are both: the effect
`SetTimer` leads to the event `TimerFired`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.debugger import Action, ActionResult, Consent
from dap_ai.protocol.contracts.question import AcceptedAsk, HistoryItem, SafeAnswer, StopEvent
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.ask_messages import Category, SafeStep
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.lent_replies import LentPiece, LentReply
from dap_ai.protocol.wire.safe import Safe, SafeFields


class Relative(NamedTuple):
    """Another session of the same tree."""

    session_id: str
    name: str
    """The program's name, for display."""


# -- events ---------------------------------------------------------------------------------------------------------


class FromClient(NamedTuple):
    """A message body from the client."""

    body: bytes


class FromBackend(NamedTuple):
    """A message body from the debug adapter."""

    body: bytes


class AgentRequest(NamedTuple):
    """The agent requests a read: a DAP request for the backend. ToAgent returns `token`."""

    ask_id: str
    token: int
    epoch: int
    command: str
    arguments: dict[str, object]


class JobBegun(NamedTuple):
    """An ask is about to make a snapshot. `command` and `arguments`: the request that ends it."""

    ask_id: str
    token: str
    epoch: int
    command: str
    arguments: dict[str, object]


class JobEnded(NamedTuple):
    """A snapshot is no longer awaited; `alive`: it has not answered, and may still run."""

    token: str
    alive: bool


class ApprovalRequest(NamedTuple):
    """The agent requests the user's consent. `token` comes back with the outcome; a model wrote `reason`."""

    ask_id: str
    token: int
    epoch: int
    kind: str
    action: Safe
    reason: Safe
    now: Safe = ""
    """The current value of what would change; empty if nothing would, or it cannot be read."""


class ActionRequest(NamedTuple):
    """The agent requests an action on the program. Settled or ToAgent returns `token`."""

    ask_id: str
    token: int
    epoch: int
    thread_id: int
    action: Action
    frame_id: int = 0
    """The frame in which to evaluate an expression or set a variable."""


class ModelRequest(NamedTuple):
    """The agent requests a reply of the model that the client lends.

    Lent returns `token` with each piece, and Settled or ToAgent at the end.
    """

    ask_id: str
    token: int
    messages: list[SafeFields]
    tools: list[dict[str, Any]]


class AgentOutput(NamedTuple):
    """A piece of an answer, a step or a status."""

    ask_id: str
    category: Category
    output: Safe
    tool: SafeStep | None = None


class AgentEnded(NamedTuple):
    """The agent has ended an ask. `error`: why there is no answer; `not_stopped`: because nothing could be read."""

    ask_id: str
    answer: SafeAnswer
    error: Safe = ""
    not_stopped: bool = False


class LookedBack(NamedTuple):
    """The outcome of a LookBack: `recalled`, `result`, or in `why` a sentence about why there is neither."""

    ask_id: str
    recalled: Recalled | None = None
    result: SnapshotResult | None = None
    why: Safe = ""


class Prepared(NamedTuple):
    """Launch or attach arguments are ready. `connected`: the session switched to a backend at another address."""

    arguments: bytes = b"{}"
    error: str = ""
    connected: bool = False
    options: SessionOptions | None = None
    """The session's settings, if the launch arguments changed them."""
    adapter: tuple[str, int] | None = None
    """Host and port of the adapter, if the client of a child process only knows our listener."""
    note: str = ""
    """A message to the user, as one sentence."""


class TimerFired(NamedTuple):
    """The timer `id` has expired."""

    id: str


class FromGuest(NamedTuple):
    """A message body from a guest; see guests.py."""

    guest: str
    body: bytes


class GuestClosed(NamedTuple):
    """A guest has disconnected."""

    guest: str


class ListenerReady(NamedTuple):
    """The listener that Listen requested is open at `own_port` on loopback; 0 if it could not be opened."""

    host: str
    port: int
    own_port: int


class RelativesChanged(NamedTuple):
    """Which other sessions of the same tree are stopped now."""

    stopped: tuple[Relative, ...]
    need_adapter: bool = False
    """Whether this session owns the adapter, and another session's program is still alive behind it."""


class FromRelative(NamedTuple):
    """A message body from a related session, which this session has joined."""

    session_id: str
    body: bytes


class RelativeClosed(NamedTuple):
    """A related session has ended."""

    session_id: str


class TokenGiven(NamedTuple):
    """The client sent the right token before its first message; the token itself is not passed on."""


class ClientClosed(NamedTuple):
    """The client's stream ended."""


class BackendClosed(NamedTuple):
    """The backend's stream ended, or it could not be started; `why` is text for the user."""

    why: str = ""
    started: bool = True


Event = (
    FromClient
    | FromBackend
    | AgentRequest
    | JobBegun
    | JobEnded
    | ApprovalRequest
    | ActionRequest
    | ModelRequest
    | AgentOutput
    | AgentEnded
    | LookedBack
    | Prepared
    | TimerFired
    | FromGuest
    | GuestClosed
    | ListenerReady
    | RelativesChanged
    | FromRelative
    | RelativeClosed
    | TokenGiven
    | ClientClosed
    | BackendClosed
)

# -- effects --------------------------------------------------------------------------------------------------------


class ToClient(NamedTuple):
    """Write a message body to the client."""

    body: bytes


class ToBackend(NamedTuple):
    """Write a message body to the backend."""

    body: bytes


class ToGuest(NamedTuple):
    """Write a message body to a guest."""

    guest: str
    body: bytes


class CloseGuest(NamedTuple):
    """Close the connection of a guest, after its last message."""

    guest: str


class ToRelative(NamedTuple):
    """Write a message body to a related session, as one of its guests."""

    session_id: str
    body: bytes


class Listen(NamedTuple):
    """Open a listener for clients of child sessions in front of the adapter's own; ListenerReady follows."""

    host: str
    port: int


class Expect(NamedTuple):
    """Expect a child session's launch or attach with this configuration (JSON)."""

    configuration: bytes


class ToAgent(NamedTuple):
    """The outcome of an AgentRequest (the response's body), or the error of any request of the agent."""

    token: int
    body: bytes = b""
    error: RequestFailed | None = None


class Settled(NamedTuple):
    """The outcome of an ApprovalRequest, an ActionRequest or a ModelRequest."""

    token: int
    outcome: Consent | ActionResult | LentReply


class Lent(NamedTuple):
    """A piece of the reply that a ModelRequest requested."""

    token: int
    piece: LentPiece


class StartAsk(NamedTuple):
    """Start the agent on a question. `stop` is None if nothing is stopped."""

    ask: AcceptedAsk
    stop: StopEvent | None
    history: tuple[HistoryItem, ...]


class LookBack(NamedTuple):
    """Rerun the program in a copy; LookedBack follows. `query` None: first find out what can be rerun."""

    ask: AcceptedAsk
    stop: StopEvent
    query: SnapshotQuery | None = None


class CancelAsk(NamedTuple):
    """Stop the agent's work on an ask; its further output is ignored."""

    ask_id: str


class Prepare(NamedTuple):
    """Complete these launch or attach arguments by the backend's recipe; Prepared follows."""

    command: str
    arguments: bytes
    own: bytes
    """The arguments meant for dap_ai, by name."""


class SetTimer(NamedTuple):
    """Start or restart the timer `id`."""

    id: str
    seconds: float


class CancelTimer(NamedTuple):
    """Cancel the timer `id`."""

    id: str


class PauseTimer(NamedTuple):
    """Pause the timer `id`."""

    id: str


class ResumeTimer(NamedTuple):
    """Resume a paused timer with the time it had left."""

    id: str


class EndBackend(NamedTuple):
    """End the backend's process tree now, except a debuggee that must survive; see Session.spares."""


class Close(NamedTuple):
    """Flush and close the client's link."""


class Log(NamedTuple):
    """Write a line to the log, mostly about a peer's mistake."""

    text: str


Effect = (
    ToClient
    | ToBackend
    | ToGuest
    | CloseGuest
    | ToRelative
    | Listen
    | Expect
    | ToAgent
    | Settled
    | Lent
    | StartAsk
    | LookBack
    | CancelAsk
    | Prepare
    | SetTimer
    | CancelTimer
    | PauseTimer
    | ResumeTimer
    | EndBackend
    | Close
    | Log
)
