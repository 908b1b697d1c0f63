"""The events that `Session.receive` takes and the effects that it returns. Both are data without behaviour.

An event is something that happened outside the session; an effect is something to do outside. Timers are both: the
effect `SetTimer` leads to the event `TimerFired`.
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
    """A related session: another session of the same process tree."""

    session_id: str
    name: str
    """The name of the related session's program, for display."""


# -- events ---------------------------------------------------------------------------------------------------------


class FromClient(NamedTuple):
    """Event: the client has sent this message body."""

    body: bytes


class FromBackend(NamedTuple):
    """Event: the debug adapter has sent this message body."""

    body: bytes


class AgentRequest(NamedTuple):
    """Event: the agent requests data from the backend by a DAP request. ToAgent returns `token`."""

    ask_id: str
    token: int
    epoch: int
    command: str
    arguments: dict[str, object]


class JobBegun(NamedTuple):
    """Event: a question is about to make a snapshot. `command` and `arguments` form the request that ends it."""

    ask_id: str
    token: str
    epoch: int
    command: str
    arguments: dict[str, object]


class JobEnded(NamedTuple):
    """Event: a snapshot is no longer awaited. `alive` is whether it has not answered and may still run."""

    token: str
    alive: bool


class ApprovalRequest(NamedTuple):
    """Event: the agent requests the user's consent to an action.

    `reason` is text written by a model. The effect that reports the outcome carries the same `token`.
    """

    ask_id: str
    token: int
    epoch: int
    kind: str
    action: Safe
    reason: Safe
    now: Safe = ""
    """The current value that the action would change. Empty if the action changes no value or it is unreadable."""


class ActionRequest(NamedTuple):
    """Event: the agent requests an action on the program.

    The effect that reports the outcome carries the same `token`.
    """

    ask_id: str
    token: int
    epoch: int
    thread_id: int
    action: Action
    frame_id: int = 0
    """The stack frame in which to evaluate an expression or set a variable."""


class ModelRequest(NamedTuple):
    """Event: the agent requests a reply of the language model that the client lends.

    The effects that pass on the reply (Lent) and report the outcome carry the same `token`.
    """

    ask_id: str
    token: int
    messages: list[SafeFields]
    tools: list[dict[str, Any]]


class AgentOutput(NamedTuple):
    """Event: the agent reports a piece of its answer, a step or a status."""

    ask_id: str
    category: Category
    output: Safe
    tool: SafeStep | None = None


class AgentEnded(NamedTuple):
    """Event: the agent has ended an ask. If the ask has no answer, `error` is the reason.

    `not_stopped` is whether the stop had already ended.
    """

    ask_id: str
    answer: SafeAnswer
    error: Safe = ""
    not_stopped: bool = False


class LookedBack(NamedTuple):
    """Event: the rerun that LookBack started has ended.

    If `recalled` and `result` are both missing, `why` is a sentence with the reason.
    """

    ask_id: str
    recalled: Recalled | None = None
    result: SnapshotResult | None = None
    why: Safe = ""


class Prepared(NamedTuple):
    """Event: the launch or attach arguments are ready. `connected` is whether the session now uses another backend."""

    arguments: bytes = b"{}"
    error: str = ""
    connected: bool = False
    options: SessionOptions | None = None
    """The session's settings, if the launch arguments have changed them."""
    adapter: tuple[str, int] | None = None
    """Host and port of a child process's adapter, if the client knows only our listener."""
    note: str = ""
    """A message to the user, in one sentence."""


class TimerFired(NamedTuple):
    """Event: the timer `id` has expired."""

    id: str


class FromGuest(NamedTuple):
    """Event: a guest (a client that has joined) has sent this message body."""

    guest: str
    body: bytes


class GuestClosed(NamedTuple):
    """Event: a guest has disconnected."""

    guest: str


class ListenerReady(NamedTuple):
    """Event: the listener that Listen requested is open at the loopback port `own_port`; 0 if that failed."""

    host: str
    port: int
    own_port: int


class RelativesChanged(NamedTuple):
    """Event: the set of stopped sessions in the same process tree has changed."""

    stopped: tuple[Relative, ...]
    need_adapter: bool = False
    """Whether another session's living program depends on the adapter that this session owns."""


class FromRelative(NamedTuple):
    """Event: a related session that this session has joined has sent this message body."""

    session_id: str
    body: bytes


class RelativeClosed(NamedTuple):
    """Event: a related session has ended."""

    session_id: str


class TokenGiven(NamedTuple):
    """Event: the client has sent the correct token before its first message. The token itself is not passed on."""


class ClientClosed(NamedTuple):
    """Event: the client's stream has ended."""


class BackendClosed(NamedTuple):
    """Event: the backend's stream has ended, or the backend could not be started. `why` is text for the user."""

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
    """Effect: write a message body to the client."""

    body: bytes


class ToBackend(NamedTuple):
    """Effect: write a message body to the backend."""

    body: bytes


class ToGuest(NamedTuple):
    """Effect: write a message body to a guest."""

    guest: str
    body: bytes


class CloseGuest(NamedTuple):
    """Effect: close a guest's connection after the last message to it."""

    guest: str


class ToRelative(NamedTuple):
    """Effect: write a message body to a related session, as one of its guests."""

    session_id: str
    body: bytes


class Listen(NamedTuple):
    """Effect: open a listener for clients of child sessions in front of the adapter's own. ListenerReady follows."""

    host: str
    port: int


class Expect(NamedTuple):
    """Effect: expect the launch or attach of a child session with this configuration (JSON)."""

    configuration: bytes


class ToAgent(NamedTuple):
    """Effect: give the agent a response's body for its AgentRequest, or the error of any of its requests."""

    token: int
    body: bytes = b""
    error: RequestFailed | None = None


class Settled(NamedTuple):
    """Effect: give the agent the outcome of its ApprovalRequest, ActionRequest or ModelRequest."""

    token: int
    outcome: Consent | ActionResult | LentReply


class Lent(NamedTuple):
    """Effect: give the agent a piece of the reply to its ModelRequest."""

    token: int
    piece: LentPiece


class StartAsk(NamedTuple):
    """Effect: start the agent on a question. `stop` is None if nothing is stopped."""

    ask: AcceptedAsk
    stop: StopEvent | None
    history: tuple[HistoryItem, ...]


class LookBack(NamedTuple):
    """Effect: rerun the program in a copy. If `query` is None, find out what can be rerun. LookedBack follows."""

    ask: AcceptedAsk
    stop: StopEvent
    query: SnapshotQuery | None = None


class CancelAsk(NamedTuple):
    """Effect: stop the agent's work on a question. Later output about that question is ignored."""

    ask_id: str


class Prepare(NamedTuple):
    """Effect: complete these launch or attach arguments by the backend's recipe. Prepared follows."""

    command: str
    arguments: bytes
    own: bytes
    """The launch or attach arguments for dap_ai, as a JSON object."""


class SetTimer(NamedTuple):
    """Effect: start or restart the timer `id`."""

    id: str
    seconds: float


class CancelTimer(NamedTuple):
    """Effect: cancel the timer `id`."""

    id: str


class PauseTimer(NamedTuple):
    """Effect: pause the timer `id`."""

    id: str


class ResumeTimer(NamedTuple):
    """Effect: resume a paused timer with its remaining time."""

    id: str


class EndBackend(NamedTuple):
    """Effect: end the backend's process tree now, except a program that must survive (see Session.spares)."""


class Close(NamedTuple):
    """Effect: send the client the remaining bytes and close its link."""


class Log(NamedTuple):
    """Effect: write a line to the log, usually about an invalid message."""

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
