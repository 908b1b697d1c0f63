"""The tool `type`, which shows the type of a variable, or a type by its name: its members and its definition."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import msgspec

from dap_ai.agent.case.debuggee_kind import kind_of
from dap_ai.agent.case.source_roots import is_library, roots_of
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.language.declared import defined_in, last_part
from dap_ai.agent.language.language_messages import LanguageServerError, SourceLine
from dap_ai.agent.language.recipes import family_of
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult, clip
from dap_ai.agent.tools.definition import shown_at
from dap_ai.agent.tools.definition_lookup import SymbolQuery, by_name, server_of, why_not
from dap_ai.agent.tools.symbols import columns_of, symbol_of, type_name
from dap_ai.agent.tools.tool_reads import read
from dap_ai.debuggees.native.source.languages import function_at
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.contracts.tool_arguments import TypeArguments
from dap_ai.system.texts import code, fenced

_MAX_VALUE_CHARS = 400
_MAX_FIELD_CHARS = 120
_MAX_ABOUT_CHARS = 600
_MAX_LOOKED = 60
"""Maximum number of lines before the current one that are searched for a name."""
_MAX_SHOWN = 2


class TypeTool(Tool[TypeArguments]):
    """The type, value and members of a variable or member (`order->next`), or the source of a type by its name."""

    description = "The type of a variable or member of the frame, or a type by its name: its members, and its source."
    arguments = TypeArguments
    level = "observe"
    main = "{symbol}"
    only = "native"
    instead = "`info` tells the type of a value, and shows a class."

    async def run(self, bench: ToolContext, arguments: TypeArguments) -> ToolResult:
        """Show what the debugger, the source and the language server know about the symbol.

        Raises NotStopped or RequestFailed.
        """
        symbol = arguments.symbol.strip().rstrip(";")
        value = (await read(bench, [symbol], max_text=_MAX_VALUE_CHARS))[0].value if bench.focus else None
        asked = _asked(bench, symbol)
        about, spots = await _by_server(bench, asked, is_variable=value is not None) if asked else ("", [])
        if value and not value.type and (declared := _declared(asked, about)):
            value = msgspec.structs.replace(value, type=declared)
        named = type_name(value.type) if value else type_name(symbol)
        if not spots and named:
            language = bench.focus.language if bench.focus else "c"
            spots = await asyncio.to_thread(by_name, bench, named, language)
        if value is None and not spots and not about:
            text = f"{code(symbol)} is no variable of this frame, and no type of that name is in the program's files"
            return ToolResult(f"{text}: `search` finds where a text stands.", failed=True)
        said = _of_value(symbol, value) if value else _brief(about, is_shown=bool(spots))
        parts = [said, _source(bench, spots)]
        return ToolResult("\n\n".join(filter(None, parts)), value)


def _of_value(symbol: str, value: Value) -> str:
    kind = f"of type {code(value.type)}" if value.type else "of a type that the debugger does not tell"
    text = f"{code(symbol)} is {kind}: {cut(value.text, _MAX_VALUE_CHARS)}"
    rows = [f".{f.name}: {f.type} = {cut(f.text, _MAX_FIELD_CHARS)}" for f in value.fields or []]
    return f"{text}\n\n{fenced(chr(10).join(rows))}" if rows else text


def _brief(about: str, *, is_shown: bool) -> str:
    """Return the language server's text if it contains more than the source shown; else an empty string.

    Such a text may state a type's size, a comment or a macro's expansion.
    """
    lines = [line for line in about.splitlines() if line.strip() and not (is_shown and line.endswith("{}"))]
    return fenced("\n".join(lines)) if len(lines) > is_shown else ""


def _declared(asked: SymbolQuery | None, about: str) -> str:
    """Return the variable's type, from the language server or else from its declaration; empty if both lack it."""
    if told := re.search(r"^Type: (.+)$", about, re.MULTILINE):
        return told[1]
    if asked is None or asked.symbol != last_part(asked.symbol):
        return ""
    name = re.escape(asked.symbol)
    pattern = re.compile(
        rf"^\s*(?:.*[(,]\s*)?((?:const\s+)?(?:struct\s+)?[A-Za-z_][\w:]*(?:<.*>)?[\s*&]+){name}\s*[=;,)\[{{]"
    )
    own = function_at(asked.source, asked.line)
    for line in range(asked.line, (own.first if own else 1) - 1, -1):
        found = pattern.match(asked.source.line(line))
        if found and found[1].split()[0] not in ("return", "else", "case", "delete", "goto"):
            return found[1].strip()
    return ""


def _source(bench: ToolContext, spots: list[SourceLine]) -> str:
    kind = kind_of(bench.case)
    folders = [str(Path(real).parent) for s in spots if is_library(real := os.path.realpath(s.path), kind)]
    roots = roots_of(bench.case, folders)
    return "\n\n".join(f"Defined at {shown_at(bench, roots, spot)}" for spot in spots[:_MAX_SHOWN])


def _asked(bench: ToolContext, symbol: str) -> SymbolQuery | None:
    """Find the symbol in the frame's function, nearest to the current line. If it is not there, find it in the file."""
    place, name = bench.focus, symbol_of(symbol)
    if place is None or place.source is None or not name:
        return None
    own = function_at(place.source, place.frame.line)
    first, last = (own.first, own.last) if own else (max(1, place.frame.line - _MAX_LOOKED), place.frame.line)
    for line in sorted(range(first, last + 1), key=lambda n: abs(n - place.frame.line)):
        if columns := columns_of(place.source.line(line), name):
            return SymbolQuery(place.source, line, name, columns)
    lines = defined_in(place.source, name)
    return next(
        (SymbolQuery(place.source, n, name, c) for n in lines if (c := columns_of(place.source.line(n), name))), None
    )


async def _by_server(bench: ToolContext, asked: SymbolQuery, *, is_variable: bool) -> tuple[str, list[SourceLine]]:
    """Return the language server's text about the symbol, and the definition of its type; empty without a server."""
    family = family_of(asked.source.language)
    if family is None or bench.language is None or why_not(bench, family):
        return "", []
    try:
        server = await server_of(bench, bench.language, family, asked.source.path)
        for position in asked.positions():
            about = await server.about(position)
            spots = await server.types(position) if is_variable else await server.definitions(position)
            if about or spots:
                return clip(about.strip(), _MAX_ABOUT_CHARS), spots
    except LanguageServerError:
        return "", []
    return "", []


type_ = TypeTool()
