"""Tools as they are in a recorded run: its own, and those of programs that its adapter reads for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.agent.tools.base import NO_FRAME, Bench, Tool, ToolResult, clip
from dap_ai.agent.tools.evaluate import EvaluateTool
from dap_ai.agent.tools.variables import VariablesTool, listed_by_adapter
from dap_ai.debuggees.runs.answer.tools import TOOLS
from dap_ai.protocol.contracts.tools import Evaluate, Variables
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.texts import code, fenced

_MAX_CHARS = 12_000


class RunEvaluate(EvaluateTool):
    """A field of the held event, or a command of the run's console: nothing is run."""

    async def run(self, bench: Bench, arguments: Evaluate) -> ToolResult:
        """What the adapter tells."""
        if bench.focus is None:
            return NO_FRAME
        wanted = {"expression": arguments.expression, "frameId": bench.frame_id, "context": "hover"}
        try:
            body = await bench.debugger.request("evaluate", wanted)
        except NotStopped:
            raise
        except RequestFailed as error:
            return ToolResult(f"{code(arguments.expression)} was not read: {error.user_text}.", failed=True)
        return ToolResult(fenced(clip(str(body.get("result", "")), _MAX_CHARS)))


class RunVariables(VariablesTool):
    """The fields of the held event."""

    async def run(self, bench: Bench, arguments: Variables) -> ToolResult:
        """As the adapter lists them."""
        return NO_FRAME if bench.focus is None else await listed_by_adapter(bench, arguments)


_ALL: tuple[Tool[Any], ...] = (RunEvaluate(), RunVariables(), *TOOLS)
FORMS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
"""By name."""
