"""Arguments and bodies of DAP messages, with only the fields that the proxy reads.

Source: https://microsoft.github.io/debug-adapter-protocol/specification. Unknown fields are ignored. A field of the
wrong type makes the whole struct unreadable, and the proxy then ignores the message's content.
"""

from __future__ import annotations

from typing import Any

import msgspec


class _Read(msgspec.Struct, rename="camel"):
    pass


class InitializeArguments(_Read):
    """Arguments of the `initialize` request: the client's name and capabilities."""

    client_name: str = ""
    client_id: str = msgspec.field(default="", name="clientID")
    supports_progress_reporting: bool = False
    supports_invalidated_event: bool = False
    supports_ansi_styling: bool = msgspec.field(default=False, name="supportsANSIStyling")


class StartArguments(_Read):
    """Arguments of the `launch` and `attach` requests that most adapters share. They state which program to debug."""

    program: str = ""
    module: str = ""
    name: str = ""
    process_id: int = 0


class ProcessBody(_Read):
    """Body of the `process` event."""

    name: str = ""
    system_process_id: int = 0


class DisconnectArguments(_Read):
    """Arguments of the `disconnect` request.

    None means DAP's default, which ends a launched debuggee but not an attached one.
    """

    terminate_debuggee: bool | None = None


class ThreadArguments(_Read):
    """Arguments of requests for one thread, such as `continue`, `next`, `stepIn`, `stepOut` and `stackTrace`."""

    thread_id: int = 0
    single_thread: bool = False


class EvaluateArguments(_Read):
    """Arguments of the `evaluate` request."""

    expression: str = ""
    frame_id: int | None = None
    context: str = ""


class CompletionsArguments(_Read):
    """Arguments of the `completions` request."""

    text: str = ""
    column: int = 1


class CancelArguments(_Read):
    """Arguments of the `cancel` request."""

    request_id: int | None = None
    progress_id: str | None = None


class FrameId(_Read):
    """A stack frame, with only the fields that the proxy reads."""

    id: int
    name: str = ""
    line: int = 0
    source: Any = None
    """The frame's DAP Source object, unchecked."""

    @property
    def path(self) -> str:
        """Path of the frame's source file; empty if the frame has no path."""
        source: Any = self.source
        path = source.get("path") if isinstance(source, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return path if isinstance(path, str) else ""


class StackTraceBody(_Read):
    """Body of the response to `stackTrace`."""

    stack_frames: list[FrameId] = []


class EvaluateBody(_Read):
    """Body of the response to `evaluate`."""

    result: str = ""


class ResultBody(_Read):
    """Body of the response to `evaluate` (field `result`), `setVariable` or `setExpression` (field `value`)."""

    result: str = ""
    value: str = ""


class SetVariableArguments(_Read):
    """Arguments of the `setVariable` request."""

    variables_reference: int
    name: str


class SetExpressionArguments(_Read):
    """Arguments of the `setExpression` request."""

    expression: str
    frame_id: int | None = None


class VariablesArguments(_Read):
    """Arguments of the `variables` request."""

    variables_reference: int


class VariableRow(_Read):
    """One variable in the response to `variables`."""

    name: str
    value: str = ""
    evaluate_name: str = ""
    variables_reference: int = 0


class VariablesBody(_Read):
    """Body of the response to `variables`."""

    variables: list[VariableRow] = []


class ScopesArguments(_Read):
    """Arguments of the `scopes` request."""

    frame_id: int


class DataInfoArguments(_Read):
    """Arguments of the `dataBreakpointInfo` request."""

    name: str
    variables_reference: int = 0
    frame_id: int | None = None


class DataInfoBody(_Read):
    """Body of the response to `dataBreakpointInfo`."""

    data_id: str | None = None


class DataBreakpoint(_Read):
    """A data breakpoint that a client sets."""

    data_id: str
    access_type: str = ""


class SetDataArguments(_Read):
    """Arguments of the `setDataBreakpoints` request, which replaces all data breakpoints."""

    breakpoints: list[DataBreakpoint] = []


class ScopeBody(_Read):
    """A scope of a stack frame, such as its locals."""

    variables_reference: int
    name: str = ""
    presentation_hint: str = ""


class ScopesBody(_Read):
    """Body of the response to `scopes`."""

    scopes: list[ScopeBody] = []


class ContinueBody(_Read):
    """Body of the response to `continue`. If `allThreadsContinued` is absent, DAP assumes that all threads run."""

    all_threads_continued: bool = True


class SourceBody(_Read):
    """The source file of a breakpoint."""

    path: str = ""


class SourceBreakpoint(_Read):
    """A breakpoint as a client requests it."""

    line: int = 0
    condition: str = ""
    hit_condition: str = ""
    log_message: str = ""


class SetBreakpointsArguments(_Read):
    """Arguments of the `setBreakpoints` request. `lines` is an older form of `breakpoints`."""

    source: SourceBody = msgspec.field(default_factory=SourceBody)
    breakpoints: list[msgspec.Raw] | None = None
    lines: list[int] = []


class BreakpointBody(_Read):
    """A breakpoint as the adapter reports it."""

    id: int | None = None
    verified: bool = False
    message: str = ""
    line: int = 0
    source: SourceBody = msgspec.field(default_factory=SourceBody)


class BreakpointsBody(_Read):
    """Body of the response to `setBreakpoints`."""

    breakpoints: list[BreakpointBody] = []


class BreakpointEventBody(_Read):
    """Body of the `breakpoint` event."""

    breakpoint: BreakpointBody = msgspec.field(default_factory=BreakpointBody)


class HitBreakpoints(_Read):
    """Body of the `stopped` event, with only the ids of the breakpoints that were hit."""

    hit_breakpoint_ids: list[int] = []


class StoppedBody(_Read):
    """Body of the `stopped` event."""

    reason: str = ""
    description: str = ""
    text: str = ""
    thread_id: int = 0
    all_threads_stopped: bool = False


class ContinuedBody(_Read):
    """Body of the `continued` event. If `allThreadsContinued` is absent, DAP assumes that only `threadId` runs."""

    thread_id: int = 0
    all_threads_continued: bool = False


class OutputBody(_Read):
    """Body of the `output` event."""

    output: str = ""
    category: str = "console"
    dap_ai_agent: Any = None
    """Marks output that dap_ai itself produced. No debug adapter sets this field."""


class ProgressStartBody(_Read):
    """Body of the `progressStart` event."""

    request_id: int | None = None


class CapabilitiesBody(_Read):
    """Body of the `capabilities` event."""

    capabilities: dict[str, msgspec.Raw] = {}


class ErrorText(_Read):
    """The text of an error for a person: DAP's Message object."""

    format: str = ""
    variables: dict[str, str] = {}


class ErrorBody(_Read):
    """Body of a failed response."""

    error: ErrorText | None = None

    def text(self) -> str:
        """Return the error text with its variables filled in; empty if the body has no error."""
        if self.error is None:
            return ""
        text = self.error.format
        for name, value in self.error.variables.items():
            text = text.replace("{" + name + "}", value)
        return text
