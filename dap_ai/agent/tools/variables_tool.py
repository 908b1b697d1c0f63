"""The `variables` tool: pages of a frame's variables or of a value's parts, read without running code."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from dap_ai.agent.case.frame_rows import MAX_SCOPES, is_quiet, page_of, rows_of, variable_of
from dap_ai.agent.case.text_tables import table_of
from dap_ai.agent.case.value_texts import MISSING, cut, literal_in, show_result, timed, typed
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult, refused
from dap_ai.agent.tools.tool_reads import read, visit
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Value, Variable
from dap_ai.protocol.contracts.tool_arguments import VariablesToolArguments
from dap_ai.system.texts import code, fenced

MAX_VALUE_CHARS = 200
MAX_WHOLE_CHARS = 4000
_INDEXED = ("list", "tuple", "range", "ndarray")
_MORE = re.compile(r"(\d+) more fields")


class VariablesTool(Tool[VariablesToolArguments]):
    """Variables of the frame; or `count` items, keys or fields of a value, from index `start`."""

    description = "Items, keys or fields of a value, or without `expression` a frame's names; long ones page by page."
    arguments = VariablesToolArguments
    level = "observe"
    main = "{expression}"
    title = "Variables"

    async def run(self, bench: ToolContext, arguments: VariablesToolArguments) -> ToolResult:
        """Returns one page, and how many parts there are in total."""
        if bench.focus is None:
            return NO_FRAME
        if arguments.expression and (refusal := refused(bench, arguments.expression, "read")):
            return refusal
        if arguments.expression:  # without comments and line ends, to be embedded in larger expressions
            plain = ast.unparse(parse_expression(arguments.expression))
            arguments = msgspec.structs.replace(arguments, expression=plain)
        if not bench.debugger.can_inspect:
            return await listed_by_adapter(bench, arguments)
        if not arguments.expression:
            return await names_page(bench, arguments)
        return await _parts(bench, arguments)


async def names_page(bench: ToolContext, page: VariablesToolArguments) -> ToolResult:
    """Returns a page of the frame's arguments and locals. Raises NotStopped, RequestFailed."""
    wanted = FrameQuery(bench.frame_id)
    found = await visit(bench, [wanted], max_variables=page.start + page.count, max_text=MAX_VALUE_CHARS)
    facts = found.frames[0]
    if facts.error:
        return ToolResult(f"The frame could not be read: {facts.error}.", failed=True)
    rows = [f"{v.name} = {typed(v.value, MAX_VALUE_CHARS)}{timed(v.value)}" for v in (*facts.arguments, *facts.locals)]
    name = facts.name or (bench.focus.frame.name if bench.focus else "")
    return paged(f"Names in {code(name)}", rows[page.start :], page, len(rows) + facts.hidden_variables)


async def _parts(bench: ToolContext, page: VariablesToolArguments) -> ToolResult:
    end = page.start + page.count
    limits = {"max_fields": end, "max_items": max(12, end // 4 + 1), "max_text": MAX_WHOLE_CHARS}
    limits |= {"first_row": page.start, "max_rows": page.count}
    fact = (await read(bench, [page.expression], **limits))[0]
    value = fact.value
    if value is None:
        reason = fact.text.removeprefix("refused: ") or "it is not bound here"
        advice = ". `evaluate` reads it in a copy" if fact.error == "refused" else ""
        return ToolResult(f"{code(page.expression)} was not read: {reason}{advice}.", fact, failed=True)
    if value.kind in ("dataframe", "series"):
        return _table(value, page)
    if value.kind in _INDEXED and value.length is not None and not (value.kind == "tuple" and value.fields):
        return await _items(bench, value, page, [f"[{i}]" for i in range(page.start, min(end, value.length))])
    if value.kind == "set" and value.length is not None:
        return await _members(bench, value, page)
    if value.kind == "dict" and value.keys is not None:
        return await _entries(bench, value, page, value.keys[page.start : end])
    if value.fields:
        rows = [f".{f.name} = {cut(f.text, MAX_VALUE_CHARS)}{f' [{f.type}]' if f.type else ''}" for f in value.fields]
        hidden = int(found[1]) if (found := _MORE.search(value.note)) else 0
        note = "; ".join(part for part in value.note.split("; ") if part and not _MORE.search(part))
        return paged(heading(page, value, note), rows[page.start :], page, len(rows) + hidden)
    return ToolResult(f"{code(page.expression)} = {typed(value, MAX_WHOLE_CHARS)}", value)


async def _items(bench: ToolContext, value: Value, page: VariablesToolArguments, indices: list[str]) -> ToolResult:
    facts = await _read(bench, [f"({page.expression}){index}" for index in indices])
    return _facts(page, value, indices, facts)


async def _members(bench: ToolContext, value: Value, page: VariablesToolArguments) -> ToolResult:
    numbers = range(page.start, min(page.start + page.count, value.length or 0))
    facts = await _read(bench, [f"list({page.expression})[{n}]" for n in numbers])
    return _facts(page, value, ["-"] * len(numbers), facts)


async def _entries(bench: ToolContext, value: Value, page: VariablesToolArguments, keys: list[str]) -> ToolResult:
    texts = [f"({page.expression})[{key}]" if literal_in(key) is not MISSING else "" for key in keys]
    by_place = [f"list(({page.expression}).values())[{n}]" for n in range(page.start, page.start + len(keys))]
    facts = await _read(bench, [text or place for text, place in zip(texts, by_place, strict=True)])
    missed = [n for n, fact in enumerate(facts) if fact.value is None and texts[n]]  # a key that was cut
    for n, fact in zip(missed, await _read(bench, [by_place[n] for n in missed]), strict=True):
        facts[n] = fact
    return _facts(page, value, [f"[{cut(key, 100)}]" for key in keys], facts)


def _table(value: Value, page: VariablesToolArguments) -> ToolResult:
    """Formats one page of the rows of a series or data frame."""
    extent = " x ".join(map(str, value.shape or [])) or "unknown"
    head = f"{code(page.expression)}: {value.type}, {extent}, {value.dtype}"
    if value.keys:
        head += f"\n\nColumns: {', '.join(value.keys)}"
    return ToolResult(f"{head}\n\n{fenced(table_of(value))}" if value.table else head, value)


async def _read(bench: ToolContext, expressions: Sequence[str]) -> list[ExpressionResult]:
    return await read(bench, expressions, max_text=MAX_VALUE_CHARS) if expressions else []


async def listed_by_adapter(bench: ToolContext, page: VariablesToolArguments) -> ToolResult:
    """Lists variables or parts of a value with DAP requests, if there is no inspector."""
    try:
        rows = await (children_of(bench, parse_expression(page.expression)) if page.expression else names_of(bench))
    except (SyntaxRefused, LookupError) as error:
        return ToolResult(f"{code(page.expression)} was not read: {error}.", failed=True)
    texts = [f"{row.name} = {cut(row.value.text, MAX_VALUE_CHARS)} [{row.value.type}]" for row in rows]
    return paged(code(page.expression) if page.expression else "Names", texts[page.start :], page, len(texts))


def _facts(page: VariablesToolArguments, value: Value, names: list[str], facts: list[ExpressionResult]) -> ToolResult:
    rows = [f"{name} {_shown(fact)}" for name, fact in zip(names, facts, strict=True)]
    fields = [f"{f.name}={cut(f.text, 60)}" for f in value.fields or []]
    own = f"own attributes: {', '.join(fields)}" if fields else ""
    return paged(heading(page, value, "; ".join(filter(None, [value.note, own]))), rows, page, value.length or 0)


def _shown(fact: ExpressionResult) -> str:
    if fact.value is not None:
        return typed(fact.value, MAX_VALUE_CHARS)
    return f"({show_result(fact)}: {cut(fact.text.removeprefix('refused: '), 120)})"


def heading(page: VariablesToolArguments, value: Value, note: str) -> str:
    """Returns the heading above the parts of a value."""
    extent = f", shape {'x'.join(map(str, value.shape))} {value.dtype}" if value.shape is not None else ""
    return f"{code(page.expression)}: {value.type}{extent}" + (f" ({note})" if note else "")


def paged(head: str, rows: list[str], page: VariablesToolArguments, total: int) -> ToolResult:
    """Formats the rows of one page. `total` is the number of rows on all pages."""
    shown = rows[: page.count]
    if not shown:
        past = f" has {total} parts: `start` {page.start} is past the end." if page.start and total else " is empty."
        return ToolResult(head + past, failed=bool(page.start and total))
    left = total - page.start - len(shown)
    mark = [f"... {left} more (`start`: {page.start + len(shown)})"] if left > 0 else []
    return ToolResult(
        f"{head}, {page.start + 1} to {page.start + len(shown)} of {total}:\n\n" + fenced("\n".join(shown + mark))
    )


variables = VariablesTool()


async def names_of(bench: ToolContext) -> list[Variable]:
    """Returns the variables of the frame. Raises NotStopped, RequestFailed."""
    return [variable_of(row) for row in await _names(bench)]


async def children_of(bench: ToolContext, expression: ast.expr) -> list[Variable]:
    """Returns the parts of a value, or the value itself if it has no parts.

    `expression` is a name with attributes and subscripts, each looked up in the adapter's lists. Raises LookupError,
    NotStopped, RequestFailed.
    """
    rows, row = await _names(bench), dict[str, Any]()
    for step in _steps(expression):
        found = next((r for r in rows if str(r.get("name", "")) in step), None)
        if found is None:
            raise LookupError(f"the debug adapter lists no {step[0]} there")
        row = found
        rows = await _children(bench, int(row.get("variablesReference") or 0))
    return [variable_of(r) for r in rows or [row]]


def _steps(expression: ast.expr) -> list[tuple[str, ...]]:
    """Returns, for each step of an expression, the names under which an adapter may list it. Raises LookupError."""
    match expression:
        case ast.Name(id=name):
            return [(name,)]
        case ast.Attribute(value=value, attr=name):
            return [*_steps(value), (name, f".{name}")]
        case ast.Subscript(value=value, slice=index):
            text = ast.unparse(index)
            padded = [text.zfill(width) for width in range(2, 9)] if text.isdecimal() else []
            return [*_steps(value), (text, f"[{text}]", *padded)]
        case _:
            raise LookupError("without an inspector only names, attributes and subscripts are read")


async def _names(bench: ToolContext) -> list[dict[str, Any]]:
    scopes = rows_of(await bench.debugger.request("scopes", {"frameId": bench.frame_id}), "scopes")
    rows: list[dict[str, Any]] = []
    for scope in [scope for scope in scopes if not scope.get("expensive") and not is_quiet(scope)][:MAX_SCOPES]:
        rows += await _children(bench, int(scope.get("variablesReference") or 0))
    return rows


async def _children(bench: ToolContext, reference: int) -> list[dict[str, Any]]:
    if not reference:
        return []
    return rows_of(await bench.debugger.request("variables", page_of(reference)), "variables")
