"""The tools of this version, and which of them a question in words calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dap_ai.agent.analyst.questions import leading
from dap_ai.agent.tools.base import Bench, NoFrame, Tool, ToolResult
from dap_ai.agent.tools.definition import definition
from dap_ai.agent.tools.evaluate import evaluate
from dap_ai.agent.tools.info import info
from dap_ai.agent.tools.slice import slice_
from dap_ai.agent.tools.source import search, source
from dap_ai.agent.tools.stack import frame, stack, threads
from dap_ai.agent.tools.surroundings import environment, output
from dap_ai.agent.tools.trace import trace
from dap_ai.agent.tools.try_fix import try_fix
from dap_ai.agent.tools.variables import variables
from dap_ai.protocol.asking import ToolCall
from dap_ai.protocol.tools import Evaluate, Slice, Trace

_ALL: tuple[Tool[Any], ...] = (
    *(stack, frame, variables, evaluate, source, definition, info, search, slice_, trace, try_fix),
    *(threads, output, environment),
)
TOOLS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
"""By name, as `protocol.tools` lists them."""

_COMMAND = re.compile(r"(evaluate|trace|slice)\s+(\S.*)", re.DOTALL)
_HOW_DID = re.compile(r"how did\s+(?:`([^`]+)`|([\w.]+\(.*))", re.IGNORECASE | re.DOTALL)
_OF_COMMAND = {"evaluate": Evaluate, "trace": Trace, "slice": Slice}


def called_by(question: str) -> ToolCall | None:
    """The tool that a question calls by beginning with its name, as in `trace f(3)`."""
    found = _COMMAND.fullmatch(question.strip())
    return ToolCall(found[1], _OF_COMMAND[found[1]](found[2].strip().strip("`"))) if found else None


def traced_by(question: str) -> ToolCall | None:
    """`how did f(3) ...` is a trace."""
    if found := _HOW_DID.match(question.strip()):
        expression = found[1] or leading(found[2])
        return ToolCall("trace", Trace(expression)) if found[1] or expression.endswith(")") else None
    return None


async def run(bench: Bench, call: ToolCall, tools: Mapping[str, Tool[Any]] = TOOLS) -> ToolResult:
    """What the tool gives. Raises NotStopped, RequestFailed."""
    tool = tools.get(call.name)
    if tool is None:
        return ToolResult(f"There is no tool `{call.name}` here; there are {', '.join(tools)}.", failed=True)
    try:
        return await tool.run(await bench.at(getattr(call.arguments, "frame", None)), call.arguments)
    except NoFrame as error:
        return ToolResult(str(error), failed=True)
