"""The `info` tool: describes a name of the program.

For a function or class: signature, docstring and source. For data: type and value.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

from dap_ai.agent.case.source_roots import UnreadableFileError
from dap_ai.agent.case.value_texts import cut, typed
from dap_ai.agent.source.source_file import FunctionNode, SourceFile, is_user_path
from dap_ai.agent.source.statements import last_line
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult, clip, refused
from dap_ai.agent.tools.tool_reads import NO_INSPECTOR, find, numbered, read
from dap_ai.protocol.contracts.inspection import CodeDefinition, ExpressionResult, Value
from dap_ai.protocol.contracts.tool_arguments import InfoArguments
from dap_ai.system.texts import code, fenced

Written = FunctionNode | ast.ClassDef

_MAX_LINES = 80
_MAX_DOC_CHARS = 1500
_MAX_VALUE_CHARS = 600
_MAX_METHODS = 40


class InfoTool(Tool[InfoArguments]):
    """Signature, docstring and (if it is yours) source of a function or class; type, value and fields of data."""

    description = (
        "What a name or dotted name is: signature, docstring, source of your code; of data its type and value."
    )
    arguments = InfoArguments
    level = "observe"
    main = "{symbol}"
    only = "python"
    instead = "It is about Python's objects: `type` and `definition` tell of the symbols of a native program."

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether the session has an inspector, which finds what a name is bound to."""
        return bench.debugger.can_inspect

    async def run(self, bench: ToolContext, arguments: InfoArguments) -> ToolResult:
        """Returns information about the symbol without running code of the program."""
        symbol = arguments.symbol.strip().removesuffix("()")
        if (refusal := refused(bench, symbol, "looked up")) is not None:
            return refusal
        fact, kind = await read(bench, [symbol, f"type({symbol})"], max_text=_MAX_VALUE_CHARS)
        value = fact.value
        if value is None:
            return _by_name(bench, symbol) or _not_read(symbol, fact)
        if value.kind == "class" and value.definition is None and (written := _by_name(bench, symbol)):
            return written  # a class without methods has no source location in memory
        if value.kind in ("function", "class"):
            return ToolResult(await _code(bench, symbol, value), value)
        if value.kind == "module":
            where = f" at {code(value.definition.file)}" if value.definition else " (built in)"
            return ToolResult(f"{code(symbol)} is {code(value.text)}{where}.", value)
        text = f"{code(symbol)} = {typed(value, _MAX_VALUE_CHARS)}"
        if value.fields:
            rows = [f".{f.name} = {cut(f.text, 120)} [{f.type}]" for f in value.fields]
            text += f"\n\n{fenced(chr(10).join(rows))}"
        return ToolResult(f"{text}\n\n{await _type(bench, kind.value)}" if kind.value else text, value)


async def _type(bench: ToolContext, kind: Value) -> str:
    """Describes the class of a value: a user's class with source, a library's class only by its place."""
    if kind.definition and is_user_path(kind.definition.file):
        return f"Its type:\n\n{await _code(bench, kind.text, kind)}"
    place = f" from {code(f'{kind.definition.file}:{kind.definition.line}')}" if kind.definition else ""
    return f"Its type: {code(kind.text)}{place}."


async def _code(bench: ToolContext, symbol: str, value: Value) -> str:
    """Describes a function or class, with its source if it can be read."""
    place = value.definition
    if place is None or not place.file:
        return f"{code(symbol)} is {code(value.text)}, written in C or without methods of its own: no source is known."
    try:
        source = await find(bench, place.file)
    except UnreadableFileError as error:
        return f"{code(symbol)} is {code(value.text)}, from {code(f'{place.file}:{place.line}')}. {error}."
    node = written_at(source, place, value.kind)
    if node is None:
        rows = numbered(source, place.line, min(len(source.lines), max(place.line, place.end_line), place.line + 20))
        return f"{_spot(bench, source, place.line)}:\n\n{fenced(rows, 'python')}"
    defaults = [f"{f.name} = {cut(f.text, 80)}" for f in value.fields or []] if value.kind == "function" else []
    now = f"\n\nDefaults now: {'; '.join(defaults)}." if defaults else ""
    return _symbol_info(bench, source, node) + now


def written_at(source: SourceFile, place: CodeDefinition, kind: str) -> Written | None:
    """Returns the AST of the function or class that an inspected definition describes, or None."""
    name = place.name.rpartition(".")[2]
    if kind != "class":
        return source.function_starting(place.line)
    holders = [c for c in source.classes if c.name == name and c.lineno - 20 <= place.line <= last_line(c)]
    return max(holders, key=lambda c: c.lineno, default=None)


def _symbol_info(bench: ToolContext, source: SourceFile, node: Written) -> str:
    head = f"{code(signature(source, node))} at {_spot(bench, source, node.lineno)}"
    doc = inspect.cleandoc(ast.get_docstring(node, clean=False) or "")
    told = f"\n\n{fenced(clip(doc, _MAX_DOC_CHARS))}" if doc else "\n\n(no docstring)"
    if not is_user_path(source.path):
        methods = list(_methods(node))
        return head + told + (f"\n\nMethods: {', '.join(methods[:_MAX_METHODS])}" if methods else "")
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    last = min(last_line(node), first + _MAX_LINES - 1)
    more = f"\n... {last_line(node) - last} more lines: `source`" if last < last_line(node) else ""
    return f"{head}\n\n{fenced(numbered(source, first, last) + more, 'python')}"


def signature(source: SourceFile, node: Written) -> str:
    """Formats a function's or class's signature: `def Account.withdraw(self, amount=1) -> int`, `class Order(Base)`."""
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in (*node.bases, *(k.value for k in node.keywords)))
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    owner = source.owners.get(node)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{word} {f'{owner.name}.' if owner else ''}{node.name}({ast.unparse(node.args)}){returns}"


def _methods(node: Written) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        names = [part.name for part in node.body if isinstance(part, FunctionNode) and part.name[:1] != "_"]
        yield from dict.fromkeys(names)


def _by_name(bench: ToolContext, symbol: str) -> ToolResult | None:
    """Describes the functions and classes called `symbol` in the files of the stack, or returns None."""
    owner, _, name = symbol.rpartition(".")
    found: list[str] = []
    for path in dict.fromkeys(place.frame.path for place in bench.case.places):
        source = bench.sources.read(path)
        for node in (*source.functions, *source.classes) if source else ():
            holder = source.owners.get(node) if source else None
            if source and node.name == name and (not owner or (holder and holder.name == owner)):
                found.append(_symbol_info(bench, source, node))
    return ToolResult("\n\n".join(found[:3])) if found else None


def _not_read(symbol: str, fact: ExpressionResult) -> ToolResult:
    reason = fact.text.removeprefix("refused: ") or "it is not bound here"
    refused_here = fact.error == "refused" and reason != NO_INSPECTOR
    advice = "`evaluate` reads it in a copy" if refused_here else "`search` finds where a text stands"
    return ToolResult(f"{code(symbol)} was not read: {reason}. {advice}.", fact, failed=True)


def _spot(bench: ToolContext, source: SourceFile, line: int) -> str:
    return code(f"{bench.short(source.path)}:{line}")


info = InfoTool()
