"""The tool `trace`: reruns an expression in a copy and shows the lines that ran, folded for reading."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from dap_ai.agent.case.value_texts import CHARS_PER_TOKEN, cut, first_of
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.statements import header_expressions, last_line, own_statements
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult, refused
from dap_ai.agent.tools.evaluate import evaluation_text
from dap_ai.debuggees.python.analysis.record.executions import executions_at
from dap_ai.protocol.contracts.snapshot_messages import RunTrace as Recorded
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, TracedCall, TracedLine, ValueChanges
from dap_ai.protocol.contracts.tool_arguments import TraceArguments
from dap_ai.system.texts import code, fenced

DEADLINE_S = 30.0
MAX_TOKENS = 1500
_MAX_CODE_CHARS = 60
_MAX_CALLS = 14
_MAX_ALIKE = 3
"""Maximum consecutive calls of one function that are shown before the rest is folded."""
_MAX_VALUE_CHARS = 40


class TraceTool(Tool[TraceArguments]):
    """Every line of your files that an expression runs in a snapshot, with counts, the values set, and the calls."""

    description = "Run a call again in a copy: each line it ran, how often, the values it set."
    arguments = TraceArguments
    level = "compute"
    main = "{expression}"
    alternative = "read values with `variables` and `frame`"
    title = "Trace of a call"
    hint = "To see what a call really does."
    only = "python"
    instead = "It needs a copy of the program, and a native one is only read: see `source` and `evaluate`."

    async def run(self, bench: ToolContext, arguments: TraceArguments) -> ToolResult:
        """Returns the trace as text of at most MAX_TOKENS tokens."""
        expression = arguments.expression
        if (refusal := refused(bench, expression, "traced")) is not None:
            return refusal
        query = SnapshotQuery(bench.frame_id, expression, trace=True, deadline_s=DEADLINE_S)
        result, why = await bench.snapshot(query)
        if result is None:
            reason = f"it needs a snapshot, but {why}. Step through it in the debugger instead"
            return ToolResult(f"{code(expression)} was not traced: {reason}.", failed=True)
        head = evaluation_text(expression, result)
        if result.unknown:
            return ToolResult(head, result)
        if result.trace is None or not result.trace.lines:
            return ToolResult(f"{head}\n\nNo line of your own files ran.", result)
        return ToolResult(f"{head}\n\n{folded(bench, result.trace, MAX_TOKENS)}", result)


def folded(bench: ToolContext, trace: Recorded, max_tokens: int) -> str:
    """Renders the trace as Markdown within `max_tokens`: calls first, then each function's lines as they ran."""
    root = bench.case.inspection.cwd
    parts = [part for part in (_calls(trace.calls), *_functions(bench, trace, root)) if part]
    kept: list[str] = []
    left = max_tokens * CHARS_PER_TOKEN
    for part in parts:
        if kept and len(part) > left:
            break
        kept.append(
            part if len(part) <= left else fenced(part[: left - 40].strip("`\n").removeprefix("text\n") + "\n...")
        )
        left -= len(part)
    if len(kept) < len(parts):
        kept.append(f"... {len(parts) - len(kept)} more functions.")
    if trace.truncated:
        kept.append("The recording ended before the run did: what came later is not shown.")
    return "\n\n".join(kept)


def _calls(calls: list[TracedCall]) -> str:
    rows: list[str] = []
    for _, group in groupby(calls, key=lambda c: (c.depth, c.function, c.line)):
        alike = list(group)
        rows += [_call(call) for call in alike[:_MAX_ALIKE]]
        if len(alike) > _MAX_ALIKE:
            rows.append(f"{'  ' * alike[0].depth}... {len(alike) - _MAX_ALIKE} more calls of {alike[0].function}")
    return "**Calls.**\n\n" + fenced("\n".join(first_of(rows, _MAX_CALLS))) if rows else ""


def _call(call: TracedCall) -> str:
    arguments = ", ".join(cut(argument, _MAX_VALUE_CHARS) for argument in call.arguments)
    if call.raised:
        end = f"raises {cut(call.raised, 2 * _MAX_VALUE_CHARS)}"
    else:
        end = f"-> {cut(call.result, _MAX_VALUE_CHARS)}" if call.result else "did not return"
    return f"{'  ' * call.depth}{call.function}({arguments}) {end}"


def _functions(bench: ToolContext, trace: Recorded, root: str) -> Iterator[str]:
    by_function: dict[tuple[str, str], list[TracedLine]] = {}
    for line in trace.lines:
        by_function.setdefault((line.file, line.function), []).append(line)
    for (file, function), own in by_function.items():
        own.sort(key=lambda line: line.line)
        head = f"**{code(function)}** in {code(shorten(file, root))}"
        rows = [_row(bench, trace, line) for line in own]
        yield f"{head}{_not_run(bench, file, own)}\n\n{fenced(chr(10).join(rows))}"


def _row(bench: ToolContext, trace: Recorded, line: TracedLine) -> str:
    source = bench.sources.read(line.file)
    text = source.line(line.line).rstrip() if source else ""
    statement = source.statement_at(line.line) if source else None
    count = executions_at(trace, source, line) if statement is None or statement.lineno == line.line else 1
    notes = [f"x {count}"] if count > 1 else []
    notes += [_change(change) for change in line.changes]
    row = f"{line.line:>5}  {text[:_MAX_CODE_CHARS]}"
    return f"{row}   # {'; '.join(notes)}" if notes else row


def _change(change: ValueChanges) -> str:
    size = _MAX_VALUE_CHARS if len(change.texts) > 2 else 2 * _MAX_VALUE_CHARS
    texts = [cut(text, size) for text in change.texts]
    if change.count <= len(texts):
        return f"{change.name}: {', '.join(texts)}"
    numbers = [int(text) for text in texts if text.lstrip("-").isdecimal()]
    if len(numbers) == len(texts) and numbers[-1] - numbers[0] == change.count - 1:
        return f"{change.name} {numbers[0]}..{numbers[-1]}"
    if len(texts) == 1:
        return f"{change.name}: {texts[0]} ({change.count} times)"
    first = max(1, len(texts) - 2)
    return f"{change.name}: {', '.join(texts[:first])} ... {', '.join(texts[first:])} ({change.count} values)"


def _not_run(bench: ToolContext, file: str, ran: list[TracedLine]) -> str:
    """Returns the line numbers of the function that did not run, as text; empty if all ran."""
    source = bench.sources.read(file)
    function = source.function_at(ran[-1].line) if source else None
    if function is None:
        return ""
    seen = {line.line for line in ran}
    missed = [
        statement.lineno
        for statement in own_statements(function)
        if header_expressions(statement) and seen.isdisjoint(range(statement.lineno, last_line(statement) + 1))
    ]
    return f" (did not run: {_ranges(missed)})" if missed else ""


def _ranges(lines: list[int]) -> str:
    parts: list[list[int]] = []
    for line in sorted(set(lines)):
        if parts and line == parts[-1][-1] + 1:
            parts[-1].append(line)
        else:
            parts.append([line])
    return ", ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


trace = TraceTool()
