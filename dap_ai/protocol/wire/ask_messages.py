"""Messages of `ask`, dap_ai's extension of DAP. The fields give the names on the wire; see docs/protocol.md."""

from __future__ import annotations

from typing import Any, Literal, NewType

import msgspec

from dap_ai.protocol.wire.caught_messages import Caught, Filter
from dap_ai.protocol.wire.value_path import PathNode

Level = Literal["observe", "compute", "mutate"]
"""observe: only read values. compute: also run code with no side effects, in a copy or by the allow-list. mutate:
also change the program, each time with the user's confirmation."""
LEVELS: tuple[Level, ...] = ("observe", "compute", "mutate")
"""Levels from the most to the least restricted."""

EndReason = Literal["completed", "cancelled", "notStopped", "limit", "failed"]
Category = Literal["answer", "tool", "status"]


class _Wire(msgspec.Struct, rename="camel", omit_defaults=True):
    pass


class EarlierTurn(_Wire):
    """A question from an ended session, and its answer."""

    question: str
    answer: str
    file: str = ""
    """Absolute path of the file in which the program was stopped; empty: unknown."""
    line: int = 0


class Earlier(_Wire):
    """A conversation from an ended session, as kept by the client."""

    turns: list[EarlierTurn] = []
    """Questions and answers, oldest first."""
    output: str = ""
    """The end of the program's output."""
    caught: Caught | None = None
    """An exception that did not stop the program: `traceback` of the event `askCaught`."""


class AskArguments(_Wire):
    """Arguments of the request `ask`. An empty `question` means "why did it stop here?"."""

    question: str = ""
    thread_id: int | None = None
    frame_id: int | None = None
    """A frame id from a stackTrace response of this stop."""
    conversation_id: str | None = None
    """Conversation of an earlier ask that this one continues."""
    ask_events: bool | None = None
    """False: send no ask events; only progress events, if the client supports them."""
    progress: bool | None = None
    """False: send no progress events even if the client supports them, because it shows the answer while it is made."""
    level: Level | None = None
    """Maximum level for this ask; can only lower the configured level."""
    providers: list[str] = []
    """Providers that the client can lend; unknown names are ignored. `editor`: the user's own model, see AskModel."""
    lent_model: str = ""
    """Name of the lent model, to show to a person."""
    context_only: bool = False
    """Return the first context as the answer, and send it to no model (`--show-context`)."""
    for_model: bool = False
    """Whether a model will read the answer: then all code run for it, even by the offline analyst, sees overwritten
    secrets."""
    offline: bool = False
    """Let only the offline analyst answer, even if a model is configured."""
    earlier: Earlier | None = None
    """An earlier conversation to continue, on a separate connection that has launched nothing."""


class AskOfferArguments(_Wire):
    """Arguments of the request `askOffer`: what the client lends to questions asked in its console."""

    providers: list[str] = []
    """Providers as in AskArguments; empty: none."""
    lent_model: str = ""


class AskCaught(_Wire, omit_defaults=False):
    """Body of the event `askCaught`, sent once a session: an exception that did not stop the program.

    Lines are 1-based.
    """

    type: str
    message: str
    file: str
    """File of the innermost frame in the user's code."""
    line: int
    function: str
    filter: Filter
    """The exception filter that would stop the program there."""
    ended: bool
    """Whether the program has ended: then ask about the exception as `caught` of an `earlier` conversation."""
    traceback: Caught
    """The exception and its complete traceback."""


class AskStopAtArguments(_Wire):
    """Arguments of the request `askStopAt`: set this exception filter in addition to the client's own."""

    filter: Filter


class AskToolArguments(_Wire):
    """Arguments of the request `askTool`: run one tool under the same policy and answer with its result."""

    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    """Arguments of the tool: see protocol/contracts/tool_arguments.py."""
    thread_id: int | None = None
    frame_id: int | None = None
    conversation_id: str | None = None
    ask_events: bool | None = None
    level: Level | None = None


class AskResponseBody(_Wire):
    """Body of the immediate response to `ask`; the answer follows as events."""

    ask_id: str
    """Id of this ask, and the `progressId` of its progress events."""
    conversation_id: str


class ToolStep(_Wire):
    """One step of the agent, shown to the user."""

    name: str
    call: str
    result: str = ""
    seconds: float = 0.0
    snapshot: bool = False


SafeStep = NewType("SafeStep", ToolStep)
"""A ToolStep without secrets, which may be shown."""


class AskOutput(_Wire):
    """Body of the event `askOutput`. `output` is append-only Markdown."""

    ask_id: str
    category: Category
    output: str
    tool: ToolStep | None = None


class AskApproval(_Wire):
    """Body of the event `askApproval`: the agent asks the user to confirm an action."""

    ask_id: str
    approval_id: str
    action: str
    """The action as code: `next`, `counter.value = 0`."""
    reason: str
    """The agent's reason, written by a model: show it as such."""
    kind: str
    """Kind of action that `remember` covers for the rest of this session."""
    timeout_s: float
    """Seconds after which no answer counts as a refusal."""
    now: str = ""
    """Current value that the action would replace."""


class AskApproveArguments(_Wire):
    """Arguments of the request `askApprove`."""

    approval_id: str
    allow: bool
    remember: bool = False
    """Apply the decision to every action of this kind until the session ends."""


class AskModel(_Wire):
    """Body of the event `askModel`: asks the client's model for one reply.

    The client answers with any number of `askModelDelta` requests and one `askModelEnd`.
    """

    request_id: str
    ask_id: str
    messages: list[dict[str, Any]]
    """The whole conversation in Chat Completions format, with secrets masked."""
    tools: list[dict[str, Any]] = []
    """Tools the model may call, in Chat Completions format; absent: text only."""


class AskModelDelta(_Wire):
    """Arguments of the request `askModelDelta`: a piece of the reply, sent as it is made."""

    request_id: str
    text: str = ""
    reasoning: str = ""
    """The model's reasoning: counted, never shown."""


class ModelCall(_Wire):
    """A tool call of the lent model."""

    name: str
    arguments: Any = ""
    """An object, or JSON text as the model wrote it. If the text is malformed, the model receives an error."""
    id: str = ""
    """The model's own id, returned as `tool_call_id`; empty: dap_ai makes one."""


class ModelUsage(_Wire):
    """Tokens of one reply, if the client knows them."""

    input_tokens: int = 0
    output_tokens: int = 0


ModelTrouble = Literal["noPermissions", "notFound", "blocked", "quota", "overflow", "cancelled", "failed"]


class ModelFailure(_Wire):
    """Why the lent model cannot answer."""

    code: str = "failed"
    """A ModelTrouble; any other value counts as `failed`."""
    message: str = ""
    """Message of the model's provider, to show to a person."""


class AskModelEnd(_Wire):
    """Arguments of the request `askModelEnd`: the reply is complete or failed. Its text was sent as deltas."""

    request_id: str
    calls: list[ModelCall] = []
    usage: ModelUsage | None = None
    model: str = ""
    """Name of the model, if known more precisely than in the ask."""
    error: ModelFailure | None = None


class AskModelBody(_Wire, omit_defaults=False):
    """Body of the responses to `askModelDelta` and `askModelEnd`."""

    active: bool
    """False: nobody is waiting for this reply, so the client may stop the model."""


class AskModelEnded(_Wire):
    """Body of the event `askModelEnded`: nobody is waiting for this reply. Not sent after `askModelEnd`."""

    request_id: str
    ask_id: str


class Usage(_Wire, omit_defaults=False):
    """Cost of an answer. Tokens and dollars are 0 without a model; `seconds` is elapsed time."""

    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    provider: str = ""
    model: str = ""


class Evidence(_Wire, omit_defaults=False):
    """A value that the answer cites. Lines are 1-based; `epoch` identifies the stop in which it was read."""

    expression: str
    value: str
    file: str
    line: int
    frame_id: int
    thread_id: int
    epoch: int
    confirmed: bool
    """Whether a second read in the same stop, after the answer was made, gave the same value."""


class Suspect(_Wire, omit_defaults=False):
    """A line that may contain the mistake; `score` is at most 1.0, the most suspicious. Lines are 1-based."""

    file: str
    line: int
    score: float
    reason: str


class Fix(_Wire, omit_defaults=False):
    """A proposed change, `verified` if a run in a snapshot passed with it."""

    file: str
    diff: str
    verified: bool = False
    check: str = ""
    result: str = ""


class Masked(_Wire, omit_defaults=False):
    """A secret masked in an answer or while it was made; never contains the secret itself."""

    placeholder: str
    """The text that replaces the secret everywhere in this session: `<secret:3f2a>`."""
    rule: str
    """Why the text counts as a secret: `name: password`, `known`, `your pattern`."""
    times: int


Trouble = Literal["key", "model", "overflow", "busy", "network", "request"]
"""Why a model cannot answer. `key`: the API key is missing or rejected. `model`: the model does not exist or cannot
call tools. `overflow`: the conversation is too long for it. `busy`, `network`: a later attempt may succeed.
`request`: anything else."""


class AskEnded(_Wire, omit_defaults=False):
    """Body of the event `askEnded`: the complete answer; a simple client needs only this."""

    ask_id: str
    conversation_id: str
    reason: EndReason
    stale: bool
    """Whether the program resumed while the answer was made, so that the answer is about an earlier stop."""
    answer: str
    usage: Usage
    evidence: list[Evidence]
    suspects: list[Suspect]
    fixes: list[Fix]
    error: str = ""
    """With `failed`: the reason, for a person. `answer` then follows it with what can be stated all the same."""
    trouble: Trouble | msgspec.UnsetType = msgspec.UNSET
    """With `failed`: the kind of problem a model has; absent if no model has one."""
    path: list[PathNode] | msgspec.UnsetType = msgspec.UNSET
    """Path from the value in question back to its origin, nearest first; absent if unknown."""
    gist: str | msgspec.UnsetType = msgspec.UNSET
    """The certain facts about a failure, in a few words; absent if there are none."""
    masked: list[Masked] = []
    """Secrets masked while the answer was made, most frequent first."""
