"""Lists the tools that can be called at a stop, runs tool calls, and maps questions to tool calls."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, cast

import msgspec

from dap_ai.agent.case.source_roots import UnreadableFileError
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.kinds import kinds
from dap_ai.agent.questions.asked_expressions import leading
from dap_ai.agent.questions.history_questions import HistoryQuestion, as_called
from dap_ai.agent.tools.action_tools import continue_to, execute, set_breakpoint, set_variable, step
from dap_ai.agent.tools.base import HasForms, NoFrame, Tool, ToolContext, ToolResult
from dap_ai.agent.tools.definition import definition
from dap_ai.agent.tools.evaluate import evaluate
from dap_ai.agent.tools.info import info
from dap_ai.agent.tools.source_tools import search, source
from dap_ai.agent.tools.stack_tools import frame, stack, threads
from dap_ai.agent.tools.surroundings import environment, output
from dap_ai.agent.tools.tool_reads import find
from dap_ai.agent.tools.variables_tool import variables
from dap_ai.protocol.contracts.tool_arguments import TOOLS as ARGUMENTS
from dap_ai.protocol.contracts.tool_arguments import (
    EvaluateToolArguments,
    HistoryArguments,
    SliceArguments,
    ToolArguments,
    TraceArguments,
)
from dap_ai.protocol.wire.safe import put
from dap_ai.system.texts import code

_ALL: tuple[Tool[Any], ...] = (
    *(stack, frame, variables, evaluate, source, definition, info, search, threads, output, environment),
    *(step, continue_to, set_breakpoint, execute, set_variable),
)
_CORE: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
_ORDER = {name: number for number, name in enumerate(ARGUMENTS)}

_COMMANDS: Mapping[str, Callable[[str], ToolArguments]] = {
    **{kind.tool: kind for kind in (EvaluateToolArguments, TraceArguments, SliceArguments)},
    HistoryArguments.tool: lambda text: history_of(as_called(text)),
}
_COMMAND = re.compile(rf"({'|'.join(_COMMANDS)})\s+(\S.*)", re.DOTALL)
_HOW_DID = re.compile(r"how did\s+(?:`([^`]+)`|([\w.]+\(.*))", re.IGNORECASE | re.DOTALL)


def called_by(question: str) -> ToolArguments | None:
    """Returns the tool call for a question that begins with a tool's name, such as `trace f(3)`, or None."""
    found = _COMMAND.fullmatch(question.strip())
    return _COMMANDS[found[1]](found[2].strip().strip("`")) if found else None


def history_of(asked: HistoryQuestion) -> HistoryArguments:
    """Returns the `history` call for a parsed question."""
    return HistoryArguments(asked.expression, asked.when(asked.expression))


def traced_by(question: str) -> ToolArguments | None:
    """Returns the `trace` call for a question such as `how did f(3) ...`, or None."""
    if found := _HOW_DID.match(question.strip()):
        expression = found[1] or leading(found[2])
        return TraceArguments(expression) if found[1] or expression.endswith(")") else None
    return None


def tools_of(bench: ToolContext) -> Mapping[str, Tool[Any]]:
    """Returns all tools for the stopped program's debuggee kind, by name."""
    return _ordered({**_CORE, **bench.forms})


@cache
def every_tool() -> Mapping[str, Tool[Any]]:
    """Returns the tools of all debuggee kinds by name, in the order of `tool_arguments.TOOLS`."""
    of_kinds = {name: tool for kind in kinds() for name, tool in cast("HasForms", kind).forms().items()}
    return _ordered({**{name: tool for name, tool in of_kinds.items() if name in _ORDER}, **_CORE})


def _ordered(tools: Mapping[str, Tool[Any]]) -> Mapping[str, Tool[Any]]:
    return dict(sorted(tools.items(), key=lambda item: _ORDER.get(item[0], len(_ORDER))))


async def run(bench: ToolContext, call: ToolArguments, tools: Mapping[str, Tool[Any]] | None = None) -> ToolResult:
    """Runs a tool call if the gate allows the call. Raises NotStopped, RequestFailed."""
    tools = tools_of(bench) if tools is None else tools
    tool = tools.get(call.tool)
    other = tool or every_tool().get(call.tool)
    if other and not other.fits(bench):
        instead = other.instead or "Only native programs (C, C++, Rust) have that."
        return ToolResult(f"{code(call.tool)} is not for this program. {instead}", failed=True)
    if tool is None:
        return ToolResult(f"There is no tool {code(call.tool)} here; there are {', '.join(tools)}.", failed=True)
    tool = bench.form(tool)
    if not isinstance(call, tool.arguments):  # `search` of a run and of a program differ
        try:
            call = msgspec.convert(msgspec.to_builtins(call), tool.arguments)
        except msgspec.ValidationError:
            takes = ", ".join(field.encode_name for field in msgspec.structs.fields(tool.arguments))
            return ToolResult(f"Here {code(call.tool)} takes {takes or 'nothing'}.", failed=True)
    await _up_to_date(bench)
    if refusal := bench.passes.ruled_out(tool, call):
        return ToolResult(refusal, failed=True, refused=True)
    try:
        at = await bench.at(getattr(call, "frame", None))
        arguments = await _in_full(at, await tool.exact(at, call))
    except NoFrame as error:
        return ToolResult(str(error), failed=True)
    except UnreadableFileError as error:
        return ToolResult(f"{error}.", failed=True)
    if refusal := await bench.passes.refusal(tool, arguments, partial(tool.now, at, arguments)):
        return ToolResult(refusal, failed=True, refused=True)
    result = await tool.run(at, arguments)
    put(result, text=bench.mask(result.text), status=bench.mask(result.status))
    bench.case = result.case or bench.case
    return result


async def _up_to_date(bench: ToolContext) -> None:
    """Rereads the stop if the program has moved on since it was read.

    This happens after an action that failed before it could report the new stop.
    """
    stop = bench.debugger.stop
    if stop and stop.epoch != bench.case.stop.epoch:
        masks = bench.case.masks
        bench.case = await StopReader(bench.debugger, bench.sources, bench.level).read(stop)
        bench.case.masks = masks


async def _in_full(bench: ToolContext, arguments: ToolArguments) -> ToolArguments:
    """Returns the call with the full path of its file, if the user has a `deny` list.

    A file that may not be read keeps its name.
    """
    if bench.passes.policy.deny and isinstance(file := getattr(arguments, "file", None), str):
        with contextlib.suppress(UnreadableFileError):
            return msgspec.structs.replace(arguments, file=(await find(bench, file)).path)
    return arguments
