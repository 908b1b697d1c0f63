"""The tools as a model has them: what it is told of them, its calls checked and run, their results fenced as data.

1. A call never fails the ask: a mistake in it, a refusal, a stop that is over are results that say what to do.
2. An identical call within one epoch is answered from memory, unless it asks for what changes by itself.
3. A result is cut with a mark, and stands between markers that nothing in the program can know.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.agent.model import Call, Schema
from dap_ai.agent.prompts import wording
from dap_ai.agent.tools.base import Bench, Tool, ToolResult, clip
from dap_ai.agent.tools.report import Report
from dap_ai.agent.tools.schemas import offered
from dap_ai.agent.tools.table import TOOLS, run
from dap_ai.agent.watched import Watched
from dap_ai.protocol.ask import ToolStep, Usage
from dap_ai.protocol.asking import ToolCall
from dap_ai.protocol.debugger import Sink
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.tools import TryFix

MAX_RESULT_CHARS = 8_000
_MAX_SHOWN_CHARS = 2_000
_MAX_CALL_CHARS = 200
_NEVER_REMEMBERED = frozenset({"output"})
_NOTHING_MORE = "Its stop is over: nothing more can be read."
_NOTHING_STOPPED = "Nothing is stopped: there is no program to read. Answer from the conversation."


class Toolbox:
    """See agent.agent.Toolbox. `bench` None: nothing is stopped, so no tool is offered."""

    def __init__(self, bench: Bench | None, sink: Sink, usage: Usage, report: Report, marker: str) -> None:
        self._bench = bench
        self._sink = sink
        self._usage = usage
        self._report = report
        self._marker = marker
        self._tools: Mapping[str, Tool[Any]] = (
            {t.name: t for t in (*TOOLS.values(), report) if t.is_offered(bench)} if bench else {}
        )
        self._remembered: dict[tuple[str, str], str] = {}
        self._stale = wording("stale")
        self.schemas: Sequence[Schema] = offered(self._tools.values())

    @property
    def reported(self) -> bool:
        """See agent.agent.Toolbox."""
        return self._report.accepted

    async def call(self, call: Call) -> str:
        """The result, fenced; a refusal or a mistake in plain words."""
        self._usage.tool_calls += 1
        if self._bench is None:
            return _NOTHING_STOPPED
        tool = self._tools.get(call.name)
        if tool is None:
            return self._told(call, _no_tool(call.name, list(self._tools)), time.monotonic())
        try:
            arguments = msgspec.json.decode(call.arguments or "{}", type=tool.arguments)
        except msgspec.DecodeError as error:
            return self._told(call, _malformed(tool, error), time.monotonic())
        return await self._run(call, tool, arguments)

    async def _run(self, call: Call, tool: Tool[Any], arguments: Any) -> str:
        assert self._bench is not None  # noqa: S101  `call` has seen it
        began = time.monotonic()
        key = (tool.name, msgspec.json.encode(arguments).decode())
        if key in self._remembered and self._bench.debugger.current:
            return self._told(call, "The same call gave, and gives:\n" + self._remembered[key], began)
        copies = _copies(self._bench)
        try:
            result = await self._quietly(tool, arguments)
        except NotStopped:
            stale, self._stale = self._stale, _NOTHING_MORE
            return self._told(call, stale, began)
        except RequestFailed as error:
            return self._told(call, f"It could not be read:\n{self._fenced(error.user_text)}", began)
        except Exception as error:  # noqa: BLE001  a mistake of ours in one tool: the others can still answer
            return self._told(call, f"The tool failed:\n{self._fenced(repr(error))}\nTry another one.", began)
        if isinstance(arguments, TryFix):
            self._report.tried(arguments, result)
        text = self._fenced("\n".join(filter(None, [result.text.strip(), result.status])))
        if tool.name not in _NEVER_REMEMBERED and not result.failed:
            self._remembered[key] = text
        snapshot = _copies(self._bench) > copies
        self._tell(call, result.text, began, snapshot=snapshot)
        return text

    async def _quietly(self, tool: Tool[Any], arguments: Any) -> ToolResult:
        assert self._bench is not None  # noqa: S101  `call` has seen it
        step = ToolCall(tool.name, arguments)
        if not isinstance(self._bench.debugger, Watched):
            return await run(self._bench, step, self._tools)
        with self._bench.debugger.quietly():
            return await run(self._bench, step, self._tools)

    def _fenced(self, text: str) -> str:
        return f"<{self._marker}>\n{clip(text, MAX_RESULT_CHARS)}\n</{self._marker}>"

    def _told(self, call: Call, text: str, began: float) -> str:
        self._tell(call, text, began)
        return text

    def _tell(self, call: Call, result: str, began: float, *, snapshot: bool = False) -> None:
        """A step for the user: one line, and with it the whole result."""
        seconds = round(time.monotonic() - began, 4)
        shown = f"{call.name}({shown_arguments(call.arguments)})"
        first = " ".join(result.split())[:120]
        step = ToolStep(call.name, shown, clip(result.strip(), _MAX_SHOWN_CHARS), seconds, snapshot)
        self._sink.emit("tool", f"{shown} -> {first} ({1000 * seconds:.0f} ms)", step)


def shown_arguments(arguments: str) -> str:
    """A call's arguments as a person reads them: `cart.total(), frame=2`."""
    try:
        values = msgspec.json.decode(arguments or "{}", type=dict[str, Any])
    except msgspec.DecodeError:
        return " ".join(arguments.split())[:_MAX_CALL_CHARS]
    parts = [
        _shown(v) if i == 0 and isinstance(v, str) else f"{k}={_shown(v)}" for i, (k, v) in enumerate(values.items())
    ]
    return ", ".join(parts)[:_MAX_CALL_CHARS]


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


def _copies(bench: Bench) -> int:
    return bench.debugger.snapshots if isinstance(bench.debugger, Watched) else 0


def _no_tool(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, 1)
    meant = f"; is `{close[0]}` meant?" if close else "."
    return f"There is no tool `{name[:60]}`{meant} The tools are: {', '.join(names)}."


def _malformed(tool: Tool[Any], error: msgspec.DecodeError) -> str:
    wanted = ", ".join(f"{f.encode_name}{'' if f.required else '?'}" for f in msgspec.structs.fields(tool.arguments))
    return f"The arguments of `{tool.name}` do not fit: {error}. It takes a JSON object with: {wanted or 'nothing'}."
