"""The `evaluate` tool: evaluates any expression in a snapshot; without snapshots, within the allow-list."""

from __future__ import annotations

import ast

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.text_tables import table_of
from dap_ai.agent.case.value_texts import typed
from dap_ai.agent.questions.asked_expressions import candidates
from dap_ai.agent.sanitize import parse_expression
from dap_ai.agent.tools.base import UNCHANGED, Tool, ToolContext, ToolResult, clip, refused
from dap_ai.agent.tools.tool_reads import read
from dap_ai.protocol.contracts.inspection import ExpressionResult, Value
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.contracts.tool_arguments import EvaluateToolArguments
from dap_ai.system.texts import code, fenced

MAX_VALUE_CHARS = 1200
BY_ALLOW_LIST = "evaluated under the allow-list, because"
_MAX_ITEMS = 60
_MAX_ROWS = 20
_MAX_PRINTED_CHARS = 1500
_MAX_EFFECTS = 12
_MAX_NAMED = 3


class EvaluateTool(Tool[EvaluateToolArguments]):
    """Value of an expression, evaluated in a snapshot; also its output and the effects that were blocked.

    Without snapshots, only expressions on the allow-list are evaluated. The program itself does not change.
    """

    description = "Evaluate an expression in the frame; Python: any, in a copy; C, C++, Rust: without calls."
    arguments = EvaluateToolArguments
    level = "observe"
    main = "{expression}"
    title = "Value of an expression"

    async def run(self, bench: ToolContext, arguments: EvaluateToolArguments) -> ToolResult:
        """Returns the value or the exception, the output, and the effects that were blocked."""
        expression = arguments.expression
        if (refusal := refused(bench, expression, "evaluated")) is not None:
            return refusal
        result, why = await bench.snapshot(
            SnapshotQuery(
                bench.frame_id, expression, max_text=MAX_VALUE_CHARS, max_items=_MAX_ITEMS, max_rows=_MAX_ROWS
            )
        )
        if result is not None:
            return ToolResult(evaluation_text(expression, result), result)
        return await _by_allow_list(bench, expression, why)


async def named_in(bench: ToolContext, question: str) -> list[ToolResult]:
    """Evaluates the expressions in a question that the inspector refuses to read. Raises NotStopped, RequestFailed.

    For a question that begins with `why`, returns only the results that have a value.
    """
    place = bench.focus
    if place is None or not bench.debugger.current:
        return []
    unread = [text for text in candidates(question, place.language) if _is_refused(place.present(text), text)]
    unread = [text for text in unread if not _is_prose(place, text)]
    unread = [text for text in unread if not bench.passes.ruled_out(evaluate, EvaluateToolArguments(text))]
    results = [await evaluate.run(bench, EvaluateToolArguments(text)) for text in unread[:_MAX_NAMED]]
    if question.strip().casefold().startswith("why"):
        return [result for result in results if not result.failed and getattr(result.data, "status", "ok") == "ok"]
    return results


def _is_refused(fact: ExpressionResult | None, text: str) -> bool:
    return fact.error == "refused" if fact else not text.isidentifier()


def _is_prose(place: FramePlace, text: str) -> bool:
    """Whether an expression is in fact part of a sentence, such as `off - by - one`."""
    node = parse_expression(text)
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    unread = place.present(text) is None and any(place.present(name) is None for name in names)
    return unread and isinstance(node, ast.BinOp | ast.Compare)


def evaluation_text(expression: str, result: SnapshotResult) -> str:
    """Describes the result of a snapshot as Markdown. If the result is unknown, gives only the reason."""
    if result.unknown:
        return f"{code(expression)} {outcome(result)} ({UNCHANGED})."
    value = result.value
    if value is not None and value.table is not None:
        parts = [f"{code(expression)} evaluates to {_as_table(value, f' ({UNCHANGED})')}"]
    else:
        parts = [f"{code(expression)} {outcome(result)} ({UNCHANGED})."]
    if result.printed:
        cut = ", the beginning" if result.printed_truncated else ""
        parts.append(f"It printed{cut}:\n\n{fenced(clip(result.printed.rstrip(), _MAX_PRINTED_CHARS))}")
    if result.effects:
        listed = "; ".join(code(effect) for effect in result.effects[:_MAX_EFFECTS])
        more = f"; ... {len(result.effects) - _MAX_EFFECTS} more" if len(result.effects) > _MAX_EFFECTS else ""
        parts.append(f"It tried to reach outside, and was blocked: {listed}{more}.")
    return "\n\n".join(parts)


def outcome(result: SnapshotResult) -> str:
    """Describes how an evaluation ended: `evaluates to 50`, `raises ValueError: ...`, `is not known: ...`."""
    if result.unknown:
        return f"is not known: {result.unknown}"
    if result.status == "raised":
        raised = result.raised if result.raised and result.raised.file else None
        spot = f" (at {code(f'{raised.file}:{raised.line}')})" if raised else ""
        return f"raises {code(result.error)}{spot}"
    if result.status == "deadline":
        return "did not finish in time, and was ended"
    shown = code(typed(result.value, MAX_VALUE_CHARS)) if result.value else "nothing that can be shown"
    return f"evaluates to {shown}"


def _as_table(value: Value, how: str) -> str:
    """Formats a value that is a table: `this DataFrame:` and its rows."""
    return f"this {code(value.type.rpartition('.')[2])}{how}:\n\n{fenced(table_of(value))}"


async def _by_allow_list(bench: ToolContext, expression: str, why: str) -> ToolResult:
    status = f"{BY_ALLOW_LIST} {why}"
    fact = await read_one(bench, expression)
    if fact.value is not None:
        shown = _as_table(fact.value, "") if fact.value.table else f"{code(typed(fact.value, MAX_VALUE_CHARS))}."
        return ToolResult(f"{code(expression)} is {shown}", fact, status)
    if fact.error == "raised":
        return ToolResult(f"{code(expression)} raises {code(fact.text)}.", fact, status)
    reason = fact.text.removeprefix("refused: ") or "it is not bound here"
    text = f"{code(expression)} was not evaluated: {reason}. (No snapshot can be made: {why}.)"
    return ToolResult(text, fact, status, failed=True)


async def read_one(bench: ToolContext, expression: str) -> ExpressionResult:
    """Reads the value of one expression with the inspector, or the reason why it cannot. Raises NotStopped."""
    limits = {"max_text": MAX_VALUE_CHARS, "max_items": _MAX_ITEMS, "max_rows": _MAX_ROWS}
    return (await read(bench, [expression], **limits))[0]


evaluate = EvaluateTool()
