"""Arguments and bodies of DAP messages, with only the fields that the proxy reads.

Source: https://microsoft.github.io/debug-adapter-protocol/specification. Unknown fields are ignored; a field of the
wrong type makes the whole struct unreadable, and the proxy then treats the message as "not of interest".
"""

from __future__ import annotations

from typing import Any

import msgspec


class _Read(msgspec.Struct, rename="camel"):
    pass


class InitializeArguments(_Read):
    """Arguments of initialize: the client's name and capabilities."""

    client_name: str = ""
    client_id: str = msgspec.field(default="", name="clientID")
    supports_progress_reporting: bool = False
    supports_invalidated_event: bool = False
    supports_ansi_styling: bool = msgspec.field(default=False, name="supportsANSIStyling")


class StartArguments(_Read):
    """Arguments of launch and attach that most adapters share: what is debugged."""

    program: str = ""
    module: str = ""
    name: str = ""
    process_id: int = 0


class ProcessBody(_Read):
    """Body of the event process."""

    name: str = ""
    system_process_id: int = 0


class DisconnectArguments(_Read):
    """Arguments of disconnect. None: DAP's default, which ends a launched debuggee but not an attached one."""

    terminate_debuggee: bool | None = None


class ThreadArguments(_Read):
    """Arguments of continue, next, stepIn, stepOut, stackTrace and others."""

    thread_id: int = 0
    single_thread: bool = False


class EvaluateArguments(_Read):
    """Arguments of evaluate."""

    expression: str = ""
    frame_id: int | None = None
    context: str = ""


class CompletionsArguments(_Read):
    """Arguments of completions."""

    text: str = ""
    column: int = 1


class CancelArguments(_Read):
    """Arguments of cancel."""

    request_id: int | None = None
    progress_id: str | None = None


class FrameId(_Read):
    """The fields of a stack frame that the proxy reads."""

    id: int
    name: str = ""
    line: int = 0
    source: Any = None
    """A DAP Source, unchecked."""

    @property
    def path(self) -> str:
        """Path of the source file; empty if the frame names none."""
        source: Any = self.source
        path = source.get("path") if isinstance(source, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return path if isinstance(path, str) else ""


class StackTraceBody(_Read):
    """Body of the response to stackTrace."""

    stack_frames: list[FrameId] = []


class EvaluateBody(_Read):
    """Body of the response to evaluate."""

    result: str = ""


class ResultBody(_Read):
    """Body of the responses to evaluate (`result`), setVariable and setExpression (`value`)."""

    result: str = ""
    value: str = ""


class SetVariableArguments(_Read):
    """Arguments of setVariable."""

    variables_reference: int
    name: str


class SetExpressionArguments(_Read):
    """Arguments of setExpression."""

    expression: str
    frame_id: int | None = None


class VariablesArguments(_Read):
    """Arguments of variables."""

    variables_reference: int


class VariableRow(_Read):
    """One variable in the response to variables."""

    name: str
    value: str = ""
    evaluate_name: str = ""
    variables_reference: int = 0


class VariablesBody(_Read):
    """Body of the response to variables."""

    variables: list[VariableRow] = []


class ScopesArguments(_Read):
    """Arguments of scopes."""

    frame_id: int


class DataInfoArguments(_Read):
    """Arguments of dataBreakpointInfo."""

    name: str
    variables_reference: int = 0
    frame_id: int | None = None


class DataInfoBody(_Read):
    """Body of the response to dataBreakpointInfo."""

    data_id: str | None = None


class DataBreakpoint(_Read):
    """A data breakpoint that a client sets."""

    data_id: str
    access_type: str = ""


class SetDataArguments(_Read):
    """Arguments of setDataBreakpoints, which replaces all of them."""

    breakpoints: list[DataBreakpoint] = []


class ScopeBody(_Read):
    """A scope of a frame."""

    variables_reference: int
    name: str = ""
    presentation_hint: str = ""


class ScopesBody(_Read):
    """Body of the response to scopes."""

    scopes: list[ScopeBody] = []


class ContinueBody(_Read):
    """Body of the response to continue. In DAP, without `allThreadsContinued` all threads run."""

    all_threads_continued: bool = True


class SourceBody(_Read):
    """Source file of a breakpoint."""

    path: str = ""


class SourceBreakpoint(_Read):
    """A breakpoint as a client requests it."""

    line: int = 0
    condition: str = ""
    hit_condition: str = ""
    log_message: str = ""


class SetBreakpointsArguments(_Read):
    """Arguments of setBreakpoints. `lines` is the older form of `breakpoints`."""

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
    """Body of the response to setBreakpoints."""

    breakpoints: list[BreakpointBody] = []


class BreakpointEventBody(_Read):
    """Body of the event breakpoint."""

    breakpoint: BreakpointBody = msgspec.field(default_factory=BreakpointBody)


class HitBreakpoints(_Read):
    """Body of the event stopped: only the breakpoints that were hit."""

    hit_breakpoint_ids: list[int] = []


class StoppedBody(_Read):
    """Body of the event stopped."""

    reason: str = ""
    description: str = ""
    text: str = ""
    thread_id: int = 0
    all_threads_stopped: bool = False


class ContinuedBody(_Read):
    """Body of the event continued. In DAP, without `allThreadsContinued` only `threadId` runs."""

    thread_id: int = 0
    all_threads_continued: bool = False


class OutputBody(_Read):
    """Body of the event output."""

    output: str = ""
    category: str = "console"
    dap_ai_agent: Any = None
    """Mark on dap_ai's own output, which no adapter sets."""


class ProgressStartBody(_Read):
    """Body of the event progressStart."""

    request_id: int | None = None


class CapabilitiesBody(_Read):
    """Body of the event capabilities."""

    capabilities: dict[str, msgspec.Raw] = {}


class ErrorText(_Read):
    """An error text: DAP's Message."""

    format: str = ""
    variables: dict[str, str] = {}


class ErrorBody(_Read):
    """Body of a failed response."""

    error: ErrorText | None = None

    def text(self) -> str:
        """Return the message with its variables filled in; empty if there is none."""
        if self.error is None:
            return ""
        text = self.error.format
        for name, value in self.error.variables.items():
            text = text.replace("{" + name + "}", value)
        return text
