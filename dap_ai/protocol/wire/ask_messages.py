"""`ask`: what dap_ai adds to DAP. docs/protocol.md is the reference; the names on the wire are these fields."""

from __future__ import annotations

from typing import Any, Literal, NewType

import msgspec

from dap_ai.protocol.wire.caught_messages import Caught, Filter
from dap_ai.protocol.wire.value_path import PathNode

Level = Literal["observe", "compute", "mutate"]
"""observe: read what is there. compute: also what changes nothing: in a copy, or by the allow-list. mutate: also what
changes the program, each time with the user's confirmation."""
LEVELS: tuple[Level, ...] = ("observe", "compute", "mutate")
"""From the lowest to the highest."""

EndReason = Literal["completed", "cancelled", "notStopped", "limit", "failed"]
Category = Literal["answer", "tool", "status"]


class _Wire(msgspec.Struct, rename="camel", omit_defaults=True):
    pass


class EarlierTurn(_Wire):
    """A question of a session that has ended, and its answer."""

    question: str
    answer: str
    file: str = ""
    """Where the program stood then, absolute; empty: not known."""
    line: int = 0


class Earlier(_Wire):
    """A conversation whose session has ended, as the client has kept it."""

    turns: list[EarlierTurn] = []
    """Oldest first."""
    output: str = ""
    """The end of what the program wrote."""
    caught: Caught | None = None
    """An exception at which nothing stopped: `traceback` of the event `askCaught`."""


class AskArguments(_Wire):
    """Arguments of the request `ask`. `question` may be empty: "why did it stop here?"."""

    question: str = ""
    thread_id: int | None = None
    frame_id: int | None = None
    """From a stackTrace response of this stop."""
    conversation_id: str | None = None
    """Of an earlier ask whose follow-up this is."""
    ask_events: bool | None = None
    """False: no events at all for this ask; only progress, if announced."""
    progress: bool | None = None
    """False: no progress events, though the client shows them: it shows the answer as it is made."""
    level: Level | None = None
    """Lowers the configured level for this ask; never raises it."""
    providers: list[str] = []
    """What the client can lend; unknown names are ignored. `editor`: the user's own model, see AskModel."""
    lent_model: str = ""
    """What that model is called, for a person."""
    context_only: bool = False
    """Answer with the first context itself, and send it nowhere (`--show-context`)."""
    for_model: bool = False
    """A model reads the answer: what is run for it has overwritten secrets, also what the offline analyst runs."""
    offline: bool = False
    """Only the offline analyst answers: no model is asked, whoever else is set."""
    earlier: Earlier | None = None
    """The conversation goes on from this, its source and its output: on a connection of its own, before any launch."""


class AskOfferArguments(_Wire):
    """Arguments of the request `askOffer`: what the client lends to questions of its console."""

    providers: list[str] = []
    """As in AskArguments. Empty: nothing."""
    lent_model: str = ""


class AskCaught(_Wire, omit_defaults=False):
    """Body of the event `askCaught`: an exception at which nothing stopped, once a session. Lines are 1-based."""

    type: str
    message: str
    file: str
    """Of the innermost frame of the user's code."""
    line: int
    function: str
    filter: Filter
    """The exception filter with which the program would stop there."""
    ended: bool
    """The program has ended: it is asked about as `caught` of an `earlier` conversation."""
    traceback: Caught
    """The whole of it."""


class AskStopAtArguments(_Wire):
    """Arguments of the request `askStopAt`: this exception filter is set beside the client's own from now on."""

    filter: Filter


class AskToolArguments(_Wire):
    """Arguments of the request `askTool`: one tool under the same policy; its result is the answer."""

    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    """See protocol/contracts/tool_arguments.py."""
    thread_id: int | None = None
    frame_id: int | None = None
    conversation_id: str | None = None
    ask_events: bool | None = None
    level: Level | None = None


class AskResponseBody(_Wire):
    """Body of the response, sent at once; the answer follows as events."""

    ask_id: str
    """Doubles as the progressId."""
    conversation_id: str


class ToolStep(_Wire):
    """One step of the agent, so that a user sees what it did."""

    name: str
    call: str
    result: str = ""
    seconds: float = 0.0
    snapshot: bool = False


SafeStep = NewType("SafeStep", ToolStep)
"""One that may be shown."""


class AskOutput(_Wire):
    """Body of the event `askOutput`. `output` is append-only Markdown."""

    ask_id: str
    category: Category
    output: str
    tool: ToolStep | None = None


class AskApproval(_Wire):
    """Body of the event `askApproval`: the answer waits for the user's confirmation."""

    ask_id: str
    approval_id: str
    action: str
    """What would be done, as code: `next`, `counter.value = 0`."""
    reason: str
    """Why the agent wants it, in its own words: text of a model, to be shown as such."""
    kind: str
    """What `remember` covers: every action of this kind in this session."""
    timeout_s: float
    """Without an answer by then it is refused."""
    now: str = ""
    """The value that would be replaced, as it was read just now."""


class AskApproveArguments(_Wire):
    """Arguments of the request `askApprove`."""

    approval_id: str
    allow: bool
    remember: bool = False
    """The same for every action of this kind, until the session ends."""


class AskModel(_Wire):
    """Body of the event `askModel`: the client lends its model for one reply.

    Answered by `askModelDelta`, any number of times, and `askModelEnd`, once.
    """

    request_id: str
    ask_id: str
    messages: list[dict[str, Any]]
    """As in Chat Completions: the whole conversation, secrets masked."""
    tools: list[dict[str, Any]] = []
    """As in Chat Completions: what the model may call. Absent: it may only talk."""


class AskModelDelta(_Wire):
    """Arguments of the request `askModelDelta`: a piece of the reply, as it comes."""

    request_id: str
    text: str = ""
    reasoning: str = ""
    """What the model thinks before it answers: counted, never shown."""


class ModelCall(_Wire):
    """A tool that the lent model calls."""

    name: str
    arguments: Any = ""
    """An object; or JSON text as the model wrote it, even if it is malformed: the model is told."""
    id: str = ""
    """The model's own; it comes back as `tool_call_id`. Empty: one is made."""


class ModelUsage(_Wire):
    """Tokens of one reply, where the client can tell."""

    input_tokens: int = 0
    output_tokens: int = 0


ModelTrouble = Literal["noPermissions", "notFound", "blocked", "quota", "overflow", "cancelled", "failed"]


class ModelFailure(_Wire):
    """Why the lent model does not answer."""

    code: str = "failed"
    """A ModelTrouble; any other word is taken for `failed`."""
    message: str = ""
    """For a person, as the model's provider says it."""


class AskModelEnd(_Wire):
    """Arguments of the request `askModelEnd`: the reply is complete, or failed. Its text came in deltas."""

    request_id: str
    calls: list[ModelCall] = []
    usage: ModelUsage | None = None
    model: str = ""
    """Which model it was, if it is known better than with the ask."""
    error: ModelFailure | None = None


class AskModelBody(_Wire, omit_defaults=False):
    """Body of the responses to `askModelDelta` and `askModelEnd`."""

    active: bool
    """False: nobody waits for this reply any more, and the client may stop the model."""


class AskModelEnded(_Wire):
    """Body of the event `askModelEnded`: nobody waits for this reply any more. Not sent after `askModelEnd`."""

    request_id: str
    ask_id: str


class Usage(_Wire, omit_defaults=False):
    """What an answer cost. Tokens and dollars are 0 without a model; `seconds` is wall time."""

    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    provider: str = ""
    model: str = ""


class Evidence(_Wire, omit_defaults=False):
    """A value that the answer cites. Lines are 1-based; `epoch` is the stop it was read in."""

    expression: str
    value: str
    file: str
    line: int
    frame_id: int
    thread_id: int
    epoch: int
    confirmed: bool
    """It was read again in the same stop, after the answer was made, and is the same."""


class Suspect(_Wire, omit_defaults=False):
    """A line that may hold the mistake; `score` falls from 1.0. Lines are 1-based."""

    file: str
    line: int
    score: float
    reason: str


class Fix(_Wire, omit_defaults=False):
    """A proposed change; `verified` only after a run in a snapshot."""

    file: str
    diff: str
    verified: bool = False
    check: str = ""
    result: str = ""


class Masked(_Wire, omit_defaults=False):
    """What was masked in an answer and on the way to it; never the secret itself."""

    placeholder: str
    """What stands for it wherever it appears in this session: `<secret:3f2a>`."""
    rule: str
    """Why it is taken for a secret: `name: password`, `known`, `your pattern`."""
    times: int


Trouble = Literal["key", "model", "overflow", "busy", "network", "request"]
"""Why a model cannot answer.

`key`: it wants one, or another one. `model`: there is none of that name, or it cannot call tools. `overflow`: the
conversation is too long for it. `busy`, `network`: it may answer later. `request`: anything else.
"""


class AskEnded(_Wire, omit_defaults=False):
    """Body of the event `askEnded`: the whole answer again; a plain client needs only this."""

    ask_id: str
    conversation_id: str
    reason: EndReason
    stale: bool
    """The program went on while the answer was made: it speaks of a stop that is over."""
    answer: str
    usage: Usage
    evidence: list[Evidence]
    suspects: list[Suspect]
    fixes: list[Fix]
    error: str = ""
    """With `failed`: why, for a person; `answer` is then what can be said all the same, after this."""
    trouble: Trouble | msgspec.UnsetType = msgspec.UNSET
    """With `failed`: what kind of trouble a model has; absent where none has any."""
    path: list[PathNode] | msgspec.UnsetType = msgspec.UNSET
    """From the value in question back to where it was born, nearest first; absent where it is not known."""
    gist: str | msgspec.UnsetType = msgspec.UNSET
    """What is certain of a failure, in a few words; absent where nothing is."""
    masked: list[Masked] = []
    """What was masked while the answer was made, most often first."""
