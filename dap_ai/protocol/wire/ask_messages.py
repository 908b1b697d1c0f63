"""Messages of `ask`, dap_ai's extension of DAP, with the field names used on the wire (see docs/protocol.md)."""

from __future__ import annotations

from typing import Any, Literal, NewType

import msgspec

from dap_ai.protocol.wire.caught_messages import Caught, Filter
from dap_ai.protocol.wire.report import Report
from dap_ai.protocol.wire.value_path import PathNode

Level = Literal["observe", "compute", "mutate"]
"""What an answer may do. observe: only read values. compute: also run code without side effects, in a copy or if an
allow-list permits it. mutate: also change the program, each time with the user's confirmation."""
LEVELS: tuple[Level, ...] = ("observe", "compute", "mutate")
"""All levels, the most restricted first."""

EndReason = Literal["completed", "cancelled", "notStopped", "limit", "failed"]
Category = Literal["answer", "tool", "status"]


class _Wire(msgspec.Struct, rename="camel", omit_defaults=True):
    pass


class EarlierTurn(_Wire):
    """A question of an ended session, and its answer."""

    question: str
    answer: str
    file: str = ""
    """Absolute path of the file in which the program was stopped; empty if unknown."""
    line: int = 0


class Earlier(_Wire):
    """A conversation from an ended session that the client has kept."""

    turns: list[EarlierTurn] = []
    """Questions with their answers, oldest first."""
    output: str = ""
    """The end of the program's output."""
    caught: Caught | None = None
    """An exception that did not stop the program: the `traceback` field of the event `askCaught`."""


class AskArguments(_Wire):
    """Arguments of the request `ask`, which asks a question about the program.

    An empty `question` asks why it stopped here.
    """

    question: str = ""
    thread_id: int | None = None
    frame_id: int | None = None
    """A DAP frame id from a `stackTrace` response of this stop."""
    conversation_id: str | None = None
    """Id of the conversation that this question continues."""
    ask_events: bool | None = None
    """Whether to send ask events. If false, only progress events are sent, and only to a client that supports them."""
    progress: bool | None = None
    """Whether to send progress events. A client that shows the answer while it is made can set the field to false."""
    level: Level | None = None
    """Maximum level for this question. It can only lower the configured level."""
    providers: list[str] = []
    """Names of model providers that the client can lend. `editor` is the user's own model, see AskModel. Unknown names
    are ignored."""
    lent_model: str = ""
    """Name of the model that the client lends, to show to a person."""
    context_only: bool = False
    """Whether to return the first context as the answer and send it to no model (`--show-context`)."""
    for_model: bool = False
    """Whether a model will read the answer. All code run for the answer, even by the offline analyst, then sees
    overwritten secrets."""
    offline: bool = False
    """Whether only the offline analyst may answer, even if a model is configured."""
    earlier: Earlier | None = None
    """An earlier conversation to continue. The question must come on a separate connection that has launched
    nothing."""


class AskOfferArguments(_Wire):
    """Arguments of the request `askOffer`: the model providers that the client lends to questions in its console."""

    providers: list[str] = []
    """Names of model providers, as in AskArguments; an empty list withdraws the offer."""
    lent_model: str = ""


class AskCaught(_Wire, omit_defaults=False):
    """Body of the event `askCaught`, which reports an exception that did not stop the program. Sent once per session.

    Lines are 1-based.
    """

    type: str
    message: str
    file: str
    """File of the innermost traceback frame in the user's code."""
    line: int
    function: str
    filter: Filter
    """The exception filter that would stop the program at this exception."""
    ended: bool
    """Whether the program has ended. A question about the exception then goes into `caught` of an `earlier`
    conversation."""
    traceback: Caught
    """The exception and its complete traceback."""


class AskStopAtArguments(_Wire):
    """Arguments of the request `askStopAt`, which sets an exception filter in addition to the client's own filters."""

    filter: Filter


class AskToolArguments(_Wire):
    """Arguments of the request `askTool`, which runs one tool under the same policy as `ask` and returns its result."""

    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    """Arguments of the tool, as protocol/contracts/tool_arguments.py describes them."""
    thread_id: int | None = None
    frame_id: int | None = None
    conversation_id: str | None = None
    ask_events: bool | None = None
    level: Level | None = None


class AskResponseBody(_Wire):
    """Body of the immediate response to `ask`. The answer follows in events."""

    ask_id: str
    """Id of this question, also the `progressId` of its progress events."""
    conversation_id: str


class ToolStep(_Wire):
    """One tool call of the agent, shown to the user."""

    name: str
    call: str
    result: str = ""
    seconds: float = 0.0
    snapshot: bool = False


SafeStep = NewType("SafeStep", ToolStep)
"""A ToolStep whose secrets are masked, so that it may be shown."""


class AskOutput(_Wire):
    """Body of the event `askOutput`, which carries the next piece of an answer.

    The client appends `output`, Markdown text.
    """

    ask_id: str
    category: Category
    output: str
    tool: ToolStep | None = None


class AskApproval(_Wire):
    """Body of the event `askApproval`, with which the agent asks the user to confirm an action."""

    ask_id: str
    approval_id: str
    action: str
    """The action as code, such as `next` or `counter.value = 0`."""
    reason: str
    """The agent's reason. A model wrote the text, so the client must present it as such."""
    kind: str
    """Kind of action. `remember` applies the user's decision to all actions of this kind in the session."""
    timeout_s: float
    """Seconds to wait for the user's decision; then the action counts as refused."""
    now: str = ""
    """The current value that the action would replace."""


class AskApproveArguments(_Wire):
    """Arguments of the request `askApprove`, which allows or refuses an action that the agent wants to perform."""

    approval_id: str
    allow: bool
    remember: bool = False
    """Whether the decision holds for every action of this kind until the session ends."""


class AskModel(_Wire):
    """Body of the event `askModel`, which asks the client's language model for one reply.

    The client sends any number of `askModelDelta` requests with pieces of the reply, then one `askModelEnd` request.
    """

    request_id: str
    ask_id: str
    messages: list[dict[str, Any]]
    """The whole conversation in Chat Completions format. Its secrets are masked."""
    tools: list[dict[str, Any]] = []
    """Tools that the model may call, in Chat Completions format; absent if the model must reply with text only."""


class AskModelDelta(_Wire):
    """Arguments of the request `askModelDelta`: a piece of the model's reply, sent while the model writes."""

    request_id: str
    text: str = ""
    reasoning: str = ""
    """A piece of the model's reasoning. dap_ai counts the text and never shows it."""


class ModelCall(_Wire):
    """A tool call that the lent model makes."""

    name: str
    arguments: Any = ""
    """A JSON object, or JSON text as the model wrote it. If the text is malformed, the model receives an error."""
    id: str = ""
    """The model's own id of the call, returned as `tool_call_id`. If empty, dap_ai makes an id."""


class ModelUsage(_Wire):
    """Numbers of tokens that one reply used, if the client knows them."""

    input_tokens: int = 0
    output_tokens: int = 0


ModelTrouble = Literal["noPermissions", "notFound", "blocked", "quota", "overflow", "cancelled", "failed"]


class ModelFailure(_Wire):
    """Reason why the lent model cannot answer."""

    code: str = "failed"
    """Kind of failure, a ModelTrouble. Any other value counts as `failed`."""
    message: str = ""
    """The model provider's message, to show to a person."""


class AskModelEnd(_Wire):
    """Arguments of the request `askModelEnd`: the model's reply is complete, or it failed.

    The reply's text was sent before, in `askModelDelta` requests.
    """

    request_id: str
    calls: list[ModelCall] = []
    usage: ModelUsage | None = None
    model: str = ""
    """Name of the model, if the client knows a more precise name than the question gave."""
    error: ModelFailure | None = None


class AskModelBody(_Wire, omit_defaults=False):
    """Body of the responses to `askModelDelta` and `askModelEnd`."""

    active: bool
    """Whether dap_ai still waits for this reply. If false, the client may stop the model."""


class AskModelEnded(_Wire):
    """Body of the event `askModelEnded`: dap_ai no longer waits for this reply. Not sent after `askModelEnd`."""

    request_id: str
    ask_id: str


class Usage(_Wire, omit_defaults=False):
    """Cost of an answer. Without a model, tokens and dollars are 0. `seconds` is elapsed time."""

    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    provider: str = ""
    model: str = ""


class Evidence(_Wire, omit_defaults=False):
    """A value that the answer cites. Lines are 1-based.

    `epoch` is the number of the stop in which the value was read.
    """

    expression: str
    value: str
    file: str
    line: int
    frame_id: int
    thread_id: int
    epoch: int
    confirmed: bool
    """Whether the expression had the same value when dap_ai read it again in the same stop, after making the answer."""


class Suspect(_Wire, omit_defaults=False):
    """A line that may contain the mistake. The most suspicious lines have the highest `score`, at most 1.0.

    Lines are 1-based.
    """

    file: str
    line: int
    score: float
    reason: str


class Fix(_Wire, omit_defaults=False):
    """A proposed change of the source. `verified` means that a run in a snapshot passed with the change."""

    file: str
    diff: str
    verified: bool = False
    check: str = ""
    result: str = ""
    is_found_by_search: bool | msgspec.UnsetType = msgspec.UNSET
    """True if small changes were tried until one passed, and no rule explains why this change is right."""


class Masked(_Wire, omit_defaults=False):
    """A secret that was masked in an answer or while the answer was made.

    The struct never contains the secret itself.
    """

    placeholder: str
    """The text that replaces the secret everywhere in this session, such as `<secret:3f2a>`."""
    rule: str
    """Reason why the text counts as a secret, such as `name: password`, `known` or `your pattern`."""
    times: int


Trouble = Literal["key", "model", "overflow", "busy", "network", "request"]
"""Reason why a model cannot answer. `key`: the API key is missing or rejected. `model`: the model does not exist or
cannot call tools. `overflow`: the conversation is too long for the model. `busy`, `network`: a later attempt may
succeed. `request`: any other reason."""


class AskEnded(_Wire, omit_defaults=False):
    """Body of the event `askEnded`, which contains the complete answer. A simple client needs only this event."""

    ask_id: str
    conversation_id: str
    reason: EndReason
    stale: bool
    """Whether the program resumed while the answer was made. The answer is then about an earlier stop."""
    answer: str
    usage: Usage
    evidence: list[Evidence]
    suspects: list[Suspect]
    fixes: list[Fix]
    error: str = ""
    """If `reason` is `failed`: why, for a person. `answer` then holds this reason and what dap_ai can state
    nevertheless."""
    trouble: Trouble | msgspec.UnsetType = msgspec.UNSET
    """If `reason` is `failed`: the model's kind of problem; absent if no model caused the failure."""
    path: list[PathNode] | msgspec.UnsetType = msgspec.UNSET
    """Path from the value in question back to its origin, nearest first; absent if unknown."""
    gist: str | msgspec.UnsetType = msgspec.UNSET
    """What is certain about a failure, in a few words; absent if nothing is certain."""
    masked: list[Masked] = []
    """Secrets masked while the answer was made, most frequent first."""
    report: Report | msgspec.UnsetType = msgspec.UNSET
    """The answer in parts; absent if there is no answer."""
