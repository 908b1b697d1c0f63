"""What `Session.receive` is told and what it wants done: data, no behaviour.

An event is something that happened outside; an effect is something that must happen outside. Time is both:
`SetTimer` goes out, `TimerFired` comes back.
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
    """For a person: its program."""


# -- events ---------------------------------------------------------------------------------------------------------


class FromClient(NamedTuple):
    """A message body from the client."""

    body: bytes


class FromBackend(NamedTuple):
    """A message body from the debug adapter."""

    body: bytes


class AgentRequest(NamedTuple):
    """The agent wants to read: a DAP request for the backend. `token` comes back in ToAgent."""

    ask_id: str
    token: int
    epoch: int
    command: str
    arguments: dict[str, object]


class JobBegun(NamedTuple):
    """A snapshot of an ask is about to be made. `command` and `arguments`: the request that ends it."""

    ask_id: str
    token: str
    epoch: int
    command: str
    arguments: dict[str, object]


class JobEnded(NamedTuple):
    """Nobody waits for a snapshot any more; `alive`: it has not answered, and may run on."""

    token: str
    alive: bool


class ApprovalRequest(NamedTuple):
    """The agent wants the user's consent. `token` comes back in Settled or ToAgent; `reason` is a model's text."""

    ask_id: str
    token: int
    epoch: int
    kind: str
    action: Safe
    reason: Safe
    now: Safe = ""
    """What it is that would be changed; empty: nothing, or it cannot be read."""


class ActionRequest(NamedTuple):
    """The agent wants to act on the program. `token` comes back in Settled or ToAgent."""

    ask_id: str
    token: int
    epoch: int
    thread_id: int
    action: Action
    frame_id: int = 0
    """In which an expression is evaluated, or a variable set."""


class ModelRequest(NamedTuple):
    """The agent wants a reply of the model that the client lends.

    `token` comes back in Lent, for each piece, and at the end in Settled or ToAgent.
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
    """The agent is done; `error` says why there is no answer, `not_stopped` that nothing could be read."""

    ask_id: str
    answer: SafeAnswer
    error: Safe = ""
    not_stopped: bool = False


class LookedBack(NamedTuple):
    """What came of a LookBack: one of them; `why`: there is nothing, a sentence."""

    ask_id: str
    recalled: Recalled | None = None
    result: SnapshotResult | None = None
    why: Safe = ""


class Prepared(NamedTuple):
    """Launch or attach arguments are ready. `connected`: a backend at another address has taken over."""

    arguments: bytes = b"{}"
    error: str = ""
    connected: bool = False
    options: SessionOptions | None = None
    """The session's settings, if the launch arguments changed them."""
    adapter: tuple[str, int] | None = None
    """Host and port of the adapter, where the client of a child process knows only a listener of ours."""
    note: str = ""
    """A sentence for the user."""


class TimerFired(NamedTuple):
    """The timer `id` ran out."""

    id: str


class FromGuest(NamedTuple):
    """A message body from a client that has joined: see guests.py."""

    guest: str
    body: bytes


class GuestClosed(NamedTuple):
    """A joined client is gone."""

    guest: str


class ListenerReady(NamedTuple):
    """What Listen wanted is there, at `own_port` on loopback; 0: it could not be made."""

    host: str
    port: int
    own_port: int


class RelativesChanged(NamedTuple):
    """Which other sessions of the same tree are stopped now."""

    stopped: tuple[Relative, ...]
    need_adapter: bool = False
    """The adapter is this session's, and the program of another one runs or is stopped behind it."""


class FromRelative(NamedTuple):
    """What a related session says to this one, which has joined it."""

    session_id: str
    body: bytes


class RelativeClosed(NamedTuple):
    """A related session has ended."""

    session_id: str


class TokenGiven(NamedTuple):
    """The client gave the right token before its first message; the token itself is told to nobody."""


class ClientClosed(NamedTuple):
    """The client's stream ended."""


class BackendClosed(NamedTuple):
    """The backend's stream ended, or it could not be started; `why` for a person."""

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
    """Write a message body to a joined client."""

    guest: str
    body: bytes


class CloseGuest(NamedTuple):
    """Nothing more will be said to a joined client."""

    guest: str


class ToRelative(NamedTuple):
    """Say this to a related session, as a client that joins it."""

    session_id: str
    body: bytes


class Listen(NamedTuple):
    """Take in the clients of child sessions, in front of the adapter's own listener; ListenerReady comes back."""

    host: str
    port: int


class Expect(NamedTuple):
    """The client will launch or attach with this configuration (JSON), in another session: one of a child."""

    configuration: bytes


class ToAgent(NamedTuple):
    """The outcome of an AgentRequest: the response's body; or why there is none of whatever the agent wanted."""

    token: int
    body: bytes = b""
    error: RequestFailed | None = None


class Settled(NamedTuple):
    """The outcome of an ApprovalRequest, an ActionRequest or a ModelRequest."""

    token: int
    outcome: Consent | ActionResult | LentReply


class Lent(NamedTuple):
    """A piece of what a ModelRequest asked for."""

    token: int
    piece: LentPiece


class StartAsk(NamedTuple):
    """Start the agent on a question. `stop` is None if nothing is stopped."""

    ask: AcceptedAsk
    stop: StopEvent | None
    history: tuple[HistoryItem, ...]


class LookBack(NamedTuple):
    """Let the program run again in a copy; LookedBack comes back. `query` None: find out first what can be run."""

    ask: AcceptedAsk
    stop: StopEvent
    query: SnapshotQuery | None = None


class CancelAsk(NamedTuple):
    """Stop the agent's work on an ask; what it still says is ignored."""

    ask_id: str


class Prepare(NamedTuple):
    """Let the backend's recipe complete these launch or attach arguments; Prepared comes back."""

    command: str
    arguments: bytes
    own: bytes
    """Those that were meant for us, by name."""


class SetTimer(NamedTuple):
    """Start, or start again, the timer `id`."""

    id: str
    seconds: float


class CancelTimer(NamedTuple):
    """Forget the timer `id`."""

    id: str


class PauseTimer(NamedTuple):
    """Let the timer `id` stand still."""

    id: str


class ResumeTimer(NamedTuple):
    """Let a timer that stands still go on with what was left of it."""

    id: str


class EndBackend(NamedTuple):
    """End the backend's process tree now, but for a debuggee that is to live on: see Session.spares."""


class Close(NamedTuple):
    """Nothing more will be said to the client: flush and close."""


class Log(NamedTuple):
    """Something for the log: a peer's mistake, mostly."""

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
