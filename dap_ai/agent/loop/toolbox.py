"""The tools that a model may call: describes them to the model, checks and runs the calls, and fences the results.

1. A call never ends the question with an error. A mistake in the call, a refusal or an ended stop is a result that says
what to do.
2. An identical call within one epoch is answered from memory, unless its result changes by itself. A call that changes
the program clears the memory.
3. A long result is cut with a mark. Every result is fenced with markers that nothing in the program can know.
4. After MAX_REFUSED refusals in a row, the model gets no further tool in this question.
"""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.agent.guard.policy import plain
from dap_ai.agent.guard.watched_debugger import Watched
from dap_ai.agent.masking.spans import PLACEHOLDER
from dap_ai.agent.model_port import Schema, ToolCall
from dap_ai.agent.prompts import wording
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult, clip
from dap_ai.agent.tools.report_tool import ReportTool
from dap_ai.agent.tools.schemas import offered
from dap_ai.agent.tools.tool_table import run, tools_of
from dap_ai.protocol.contracts.debugger import Sink
from dap_ai.protocol.contracts.tool_arguments import TryFixArguments
from dap_ai.protocol.wire.ask_messages import ToolStep, Usage
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.texts import code

MAX_RESULT_CHARS = 8_000
MAX_REFUSED = 10
MAX_NAME_CHARS = 60
_MAX_SHOWN_CHARS = 2_000
_MAX_GLANCE_CHARS = 120
_MAX_ARGUMENT_CHARS = 100_000
_MAX_CALL_CHARS = 200
_FENCE = re.compile(r"^`{3,}.*$", re.MULTILINE)
_MASKED = (
    "{} stands for a secret: its value is masked, and nobody can unmask it. Use the name of a variable that holds it "
    "instead."
)
_NOTHING_MORE = "Its stop is over: nothing more can be read."
_NOTHING_STOPPED = "Nothing is stopped: there is no program to read. Answer from the conversation."


class Toolbox:
    """The tools that a model may call during one question.

    Without a `bench`, nothing is stopped and there are no tools.
    """

    def __init__(self, bench: ToolContext | None, sink: Sink, usage: Usage, report: ReportTool, marker: str) -> None:
        self._bench = bench
        self._sink = sink
        self._usage = usage
        self._report = report
        self._marker = marker
        self._tools: Mapping[str, Tool[Any]] = (
            {t.name: t for t in (*tools_of(bench).values(), report) if bench.is_offered(t)} if bench else {}
        )
        self._remembered: dict[tuple[str, str], str] = {}
        self.changes = 0
        """Number of calls that have changed the program. After each of them, identical calls may return other results.
        """
        self._refused = 0
        """Number of consecutive refused calls."""
        self._stale = wording("stale")
        policy = bench.passes.policy if bench else None
        self.schemas: Sequence[Schema] = offered(t for t in self._tools.values() if policy and policy.offers(t))

    @property
    def reported(self) -> bool:
        """Whether the model has called `report` without mistakes. Then a reply with text ends the question."""
        return self._report.accepted

    async def call(self, call: ToolCall) -> str:
        """Runs a tool call and returns its result, fenced as data.

        A refusal or a mistake returns an unfenced message.
        """
        self._usage.tool_calls += 1
        if self._bench is None:
            return _NOTHING_STOPPED
        if self._refused >= MAX_REFUSED:
            return wording("refused")
        tool = self._tools.get(call.name)
        if tool is None:
            names = [schema["function"]["name"] for schema in self.schemas]
            return self._refusal(call, _no_tool(call.name, names), time.monotonic())
        if call.name != "report" and (stands := PLACEHOLDER.search(call.arguments)):
            return self._refusal(call, _MASKED.format(code(stands[0])), time.monotonic())
        try:
            arguments = _decoded(call.arguments, tool.arguments)
        except msgspec.DecodeError as error:
            return self._refusal(call, _malformed(tool, error), time.monotonic())
        return await self._run(call, tool, arguments)

    async def _run(self, call: ToolCall, tool: Tool[Any], arguments: Any) -> str:
        assert self._bench is not None  # noqa: S101  `call` has seen it
        began = time.monotonic()
        key = (tool.name, msgspec.json.encode(arguments).decode())
        if key in self._remembered and self._bench.debugger.current:
            self._refused = 0
            return self._reply(call, "The same call returned, and still returns:\n" + self._remembered[key], began)
        copies = _copies(self._bench)
        try:
            result = await self._quietly(arguments)
        except NotStopped:
            stale, self._stale = self._stale, _NOTHING_MORE
            return self._reply(call, stale, began)
        except RequestFailed as error:
            return self._reply(call, f"It could not be read:\n{self._fenced(error.user_text)}", began)
        except Exception as error:  # noqa: BLE001  a bug in one tool; the others can still answer
            return self._reply(call, f"The tool failed:\n{self._fenced(repr(error))}\nTry another one.", began)
        if result.refused:
            return self._refusal(call, result.text, began)
        self._refused = 0
        if isinstance(arguments, TryFixArguments):
            self._report.tried(arguments, result)
        text = self._fenced("\n".join(filter(None, [result.text.strip(), result.status])))
        if result.changed:
            self.changes += 1
            self._remembered.clear()
            self._report.forget()
        elif tool.lasting and not result.failed:
            self._remembered[key] = text
        snapshot = _copies(self._bench) > copies
        self._tell(call, result.text, began, snapshot=snapshot)
        return text

    async def _quietly(self, arguments: Any) -> ToolResult:
        assert self._bench is not None  # noqa: S101  `call` has seen it
        if not isinstance(self._bench.debugger, Watched):
            return await run(self._bench, arguments, self._tools)
        with self._bench.debugger.quietly():
            return await run(self._bench, arguments, self._tools)

    def _fenced(self, text: str) -> str:
        return f"<{self._marker}>\n{clip(text, MAX_RESULT_CHARS)}\n</{self._marker}>"

    def _refusal(self, call: ToolCall, text: str, began: float) -> str:
        """Counts a refused call and returns its message. After MAX_REFUSED refusals in a row, removes all tools."""
        self._refused += 1
        if self._refused >= MAX_REFUSED:
            self.schemas = []
            text = f"{text}\n{wording('refused')}"
        return self._reply(call, text, began)

    def _reply(self, call: ToolCall, text: str, began: float) -> str:
        self._tell(call, text, began)
        return text

    def _tell(self, call: ToolCall, result: str, began: float, *, snapshot: bool = False) -> None:
        """Sends a tool step to the user: one line, with the result attached."""
        seconds = round(time.monotonic() - began, 4)
        name = plain(call.name, MAX_NAME_CHARS)
        shown = f"{name}({shown_arguments(call.arguments)})"
        first = plain(_FENCE.sub("", result), _MAX_GLANCE_CHARS)
        step = ToolStep(name, shown, clip(result.strip(), _MAX_SHOWN_CHARS), seconds, snapshot)
        self._sink.emit("tool", f"{shown} -> {first} ({1000 * seconds:.0f} ms)", step)


def shown_arguments(arguments: str) -> str:
    """Formats a call's arguments for the user: `cart.total(), frame=2`. Omits the argument `reason`."""
    try:
        values = _decoded(arguments, dict[str, Any])
    except msgspec.DecodeError:
        return plain(arguments[: 2 * _MAX_CALL_CHARS], _MAX_CALL_CHARS)
    values.pop("reason", "")
    parts = [
        _shown(v) if i == 0 and isinstance(v, str) else f"{k}={_shown(v)}" for i, (k, v) in enumerate(values.items())
    ]
    return plain(", ".join(part[: 2 * _MAX_CALL_CHARS] for part in parts), _MAX_CALL_CHARS)


def _decoded(arguments: str, kind: Any) -> Any:
    """Decodes the JSON arguments of a call.

    Raises DecodeError, also for arguments that are too long or nested too deeply.
    """
    if len(arguments) > _MAX_ARGUMENT_CHARS:
        raise msgspec.DecodeError(f"they have more than {_MAX_ARGUMENT_CHARS} characters")
    try:
        return msgspec.json.decode(arguments or "{}", type=kind)
    except (RecursionError, UnicodeEncodeError):
        raise msgspec.DecodeError("they are nested too deeply, or no text") from None


def _shown(value: Any) -> str:
    match value:
        case str():
            text = value
        case [{"file": _, "first": _}, *_]:
            text = ", ".join(f"{edit.get('file')}:{edit.get('first')}" for edit in value if isinstance(edit, dict))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        case [{}, *_]:
            text = str(len(value))  # pyright: ignore[reportUnknownArgumentType]
        case _:
            text = msgspec.json.encode(value).decode()
    return " ".join(text.split())


def _copies(bench: ToolContext) -> int:
    return bench.debugger.snapshots if isinstance(bench.debugger, Watched) else 0


def _no_tool(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name[:MAX_NAME_CHARS], names, 1)
    meant = f"; did you mean {code(close[0])}?" if close else "."
    return f"There is no tool {code(plain(name, MAX_NAME_CHARS))}{meant} The tools are: {', '.join(names)}."


def _malformed(tool: Tool[Any], error: msgspec.DecodeError) -> str:
    wanted = ", ".join(f"{f.encode_name}{'' if f.required else '?'}" for f in msgspec.structs.fields(tool.arguments))
    return (
        f"The arguments of {code(tool.name)} are invalid: {error}. It takes a JSON object with: {wanted or 'nothing'}."
    )
