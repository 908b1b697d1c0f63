"""The tools of this version, and which of them a question in words calls."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from dap_ai.agent.case.reader import Reader
from dap_ai.agent.case.roots import Refused
from dap_ai.agent.case.stack import Case, sub_expressions
from dap_ai.agent.questions.expressions import leading
from dap_ai.agent.questions.when import Asked, as_called, asked_when, is_so
from dap_ai.agent.tools.acting import continue_to, execute, set_breakpoint, set_variable, step
from dap_ai.agent.tools.base import Bench, NoFrame, Tool, ToolResult
from dap_ai.agent.tools.definition import definition
from dap_ai.agent.tools.evaluate import evaluate
from dap_ai.agent.tools.info import info
from dap_ai.agent.tools.reading import find
from dap_ai.agent.tools.source import search, source
from dap_ai.agent.tools.stack import frame, stack, threads
from dap_ai.agent.tools.surroundings import environment, output
from dap_ai.agent.tools.variables import variables
from dap_ai.debuggees.native.tools.code import code_
from dap_ai.debuggees.native.tools.disassemble import disassemble
from dap_ai.debuggees.native.tools.frames import frames
from dap_ai.debuggees.native.tools.memory import memory
from dap_ai.debuggees.native.tools.registers import registers
from dap_ai.debuggees.native.tools.type_of import type_
from dap_ai.debuggees.python.analysis.record.check import failure_of
from dap_ai.debuggees.python.tools.history import history
from dap_ai.debuggees.python.tools.slice import slice_
from dap_ai.debuggees.python.tools.trace import trace
from dap_ai.debuggees.python.tools.try_fix import try_fix
from dap_ai.protocol.contracts.tools import Arguments, Evaluate, History, Slice, Trace
from dap_ai.protocol.wire.safe import put

_ALL: tuple[Tool[Any], ...] = (
    *(stack, frame, variables, evaluate, source, code_, definition, type_, info, search, slice_, trace, history),
    *(try_fix, threads, output, environment),
    *(frames, registers, memory, disassemble),
    *(step, continue_to, set_breakpoint, execute, set_variable),
)
TOOLS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
"""By name, as `protocol.tools` lists them."""

_COMMANDS: Mapping[str, Callable[[str], Arguments]] = {
    **{kind.tool: kind for kind in (Evaluate, Trace, Slice)},
    History.tool: lambda text: _history(as_called(text)),
}
_COMMAND = re.compile(rf"({'|'.join(_COMMANDS)})\s+(\S.*)", re.DOTALL)
_HOW_DID = re.compile(r"how did\s+(?:`([^`]+)`|([\w.]+\(.*))", re.IGNORECASE | re.DOTALL)


def called_by(question: str) -> Arguments | None:
    """The tool that a question calls by beginning with its name, as in `trace f(3)`."""
    found = _COMMAND.fullmatch(question.strip())
    return _COMMANDS[found[1]](found[2].strip().strip("`")) if found else None


def followed_by(case: Case, question: str) -> Arguments | None:
    """`when did x become ...?` is a history, if a frame of the stop knows x."""
    asked = asked_when(question)
    if asked is None:
        return None
    if asked.expression:
        facts = [fact for place in case.callers if (fact := place.fact(asked.expression))]
        is_known = any(fact.value or fact.error == "refused" for fact in facts)
        return _history(asked) if is_known else None
    place, failure = case.focus, failure_of(case)
    if place is None:
        return None
    texts = [*(failure.watch if failure else ()), *map(ast.unparse, sub_expressions(place.evaluated)), *place.known]
    found = next((text for text in texts if (v := place.value(text)) and is_so(asked.condition, v)), "")
    return _history(asked._replace(expression=found)) if found else None


def _history(asked: Asked) -> History:
    return History(asked.expression, asked.when(asked.expression))


def traced_by(question: str) -> Arguments | None:
    """`how did f(3) ...` is a trace."""
    if found := _HOW_DID.match(question.strip()):
        expression = found[1] or leading(found[2])
        return Trace(expression) if found[1] or expression.endswith(")") else None
    return None


def tools_of(bench: Bench) -> Mapping[str, Tool[Any]]:
    """By name, all that can be called there, each as it is in this kind of program."""
    return {**TOOLS, **bench.forms}


async def run(bench: Bench, call: Arguments, tools: Mapping[str, Tool[Any]] | None = None) -> ToolResult:
    """What the tool gives, if the gate lets it. Raises NotStopped, RequestFailed."""
    tools = tools_of(bench) if tools is None else tools
    tool = tools.get(call.tool)
    if tool is None:
        return ToolResult(f"There is no tool `{call.tool}` here; there are {', '.join(tools)}.", failed=True)
    if not tool.fits(bench):
        instead = tool.instead or "Only native programs (C, C++, Rust) have that."
        return ToolResult(f"`{call.tool}` is not for this program. {instead}", failed=True)
    tool = bench.form(tool)
    if not isinstance(call, tool.arguments):  # `search` of a run, where it is of a program
        try:
            call = msgspec.convert(msgspec.to_builtins(call), tool.arguments)
        except msgspec.ValidationError:
            takes = ", ".join(field.encode_name for field in msgspec.structs.fields(tool.arguments))
            return ToolResult(f"Here `{call.tool}` takes {takes or 'nothing'}.", failed=True)
    await _up_to_date(bench)
    if refusal := bench.passes.ruled_out(tool, call):
        return ToolResult(refusal, failed=True, refused=True)
    try:
        at = await bench.at(getattr(call, "frame", None))
        arguments = await _in_full(at, await tool.exact(at, call))
    except NoFrame as error:
        return ToolResult(str(error), failed=True)
    except Refused as error:
        return ToolResult(f"{error}.", failed=True)
    if refusal := await bench.passes.refusal(tool, arguments, partial(tool.now, at, arguments)):
        return ToolResult(refusal, failed=True, refused=True)
    result = await tool.run(at, arguments)
    put(result, text=bench.mask(result.text), status=bench.mask(result.status))
    bench.case = result.case or bench.case
    return result


async def _up_to_date(bench: Bench) -> None:
    """Reads the stop anew where an action let the program go on and failed before it could tell where to."""
    stop = bench.debugger.stop
    if stop and stop.epoch != bench.case.stop.epoch:
        masks = bench.case.masks
        bench.case = await Reader(bench.debugger, bench.sources, bench.level).read(stop)
        bench.case.masks = masks


async def _in_full(bench: Bench, arguments: Arguments) -> Arguments:
    """With the whole path of the file, where the user's list may deny it; the tool itself says what it may not read."""
    if bench.passes.policy.deny and isinstance(file := getattr(arguments, "file", None), str):
        with contextlib.suppress(Refused):
            return msgspec.structs.replace(arguments, file=(await find(bench, file)).path)
    return arguments
