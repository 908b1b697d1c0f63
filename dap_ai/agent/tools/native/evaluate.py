"""`evaluate` in a native program: arithmetic on what the debug adapter reads."""

from __future__ import annotations

from dap_ai.agent.case.values import typed
from dap_ai.agent.tools.base import Bench, ToolResult, code
from dap_ai.agent.tools.evaluate import MAX_VALUE_CHARS, EvaluateTool, read_one
from dap_ai.agent.tools.native.refusing import refused
from dap_ai.protocol.contracts.tools import Evaluate

_ONLY_READ = "read from the stopped program; nothing was called in it, nothing was written"


class NativeEvaluate(EvaluateTool):
    """Its value is read; there are no copies, and nothing is called."""

    async def run(self, bench: Bench, arguments: Evaluate) -> ToolResult:
        """The value, or why there is none."""
        expression = arguments.expression
        if (refusal := refused(bench, expression, "evaluated")) is not None:
            return refusal
        fact = await read_one(bench, expression)
        if fact.value is not None:
            note = f" ({fact.value.note})" if fact.value.note else ""
            told = f"{code(expression)} is {code(typed(fact.value, MAX_VALUE_CHARS))}{note}."
            return ToolResult(told, fact, _ONLY_READ)
        if fact.error == "raised":
            return ToolResult(f"{code(expression)} has no value: {fact.text}.", fact, _ONLY_READ)
        reason = fact.text.removeprefix("refused: ") or "it is not known here"
        advice = " A native program is only read: nothing is called in it." if fact.error == "refused" else ""
        return ToolResult(f"{code(expression)} was not evaluated: {reason}.{advice}", fact, failed=True)
