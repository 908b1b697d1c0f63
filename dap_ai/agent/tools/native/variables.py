"""`variables` in a native program: the parts of a value as the debug adapter lists them."""

from __future__ import annotations

from dap_ai.agent.case.values import typed
from dap_ai.agent.tools.base import NO_FRAME, Bench, ToolResult, code
from dap_ai.agent.tools.native.children import page_of
from dap_ai.agent.tools.native.refusing import refused
from dap_ai.agent.tools.reading import read
from dap_ai.agent.tools.variables import (
    MAX_VALUE_CHARS,
    MAX_WHOLE_CHARS,
    VariablesTool,
    heading,
    names_page,
    paged,
)
from dap_ai.protocol.contracts.inspection import Value, Variable
from dap_ai.protocol.contracts.tools import Variables


class NativeVariables(VariablesTool):
    """Of a value that has no parts, the value."""

    async def run(self, bench: Bench, arguments: Variables) -> ToolResult:
        """The page, and how much there is."""
        if bench.focus is None:
            return NO_FRAME
        if not arguments.expression:
            return await names_page(bench, arguments)
        if refusal := refused(bench, arguments.expression, "read"):
            return refusal
        fact = (await read(bench, [arguments.expression], max_text=MAX_WHOLE_CHARS))[0]
        value = fact.value
        if value is None:
            reason = fact.text.removeprefix("refused: ") or "it is not known here"
            return ToolResult(f"{code(arguments.expression)} was not read: {reason}.", fact, failed=True)
        try:
            parts, total = await page_of(bench, arguments.expression, arguments.start, arguments.count)
        except LookupError:
            parts, total = [Variable(f".{f.name}", Value(f.text, f.type)) for f in value.fields or ()], 0
            parts = parts[arguments.start :]
            total = arguments.start + len(parts)
        if not parts and not arguments.start:
            return ToolResult(f"{code(arguments.expression)} = {typed(value, MAX_WHOLE_CHARS)}", value)
        rows = [f"{part.name} = {typed(part.value, MAX_VALUE_CHARS)}" for part in parts]
        return paged(heading(arguments, value, value.note), rows, arguments, total or value.length or 0)
