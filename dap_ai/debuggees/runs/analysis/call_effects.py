"""Determines the effects of one tool call.

A shell's commands are parsed. The schemas in tools.toml describe the arguments of other tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.inline_code import calls, read_code
from dap_ai.debuggees.runs.analysis.command_lines.patches import writes_of_patch
from dap_ai.debuggees.runs.analysis.command_lines.shell_effects import CallEffects, read_shell, text_of_command
from dap_ai.debuggees.runs.analysis.rule_tables import ToolRule, tools
from dap_ai.debuggees.runs.run_model import Event

_SWE_EDIT = re.compile(r"edit\s+(\d+):(\d+)\s*\n(.*?)(?:\nend_of_edit\s*|\Z)", re.DOTALL)
_STRING = r"""(?:[rbf]?(?P<{0}q>\"\"\"|'''|\"|')(?P<{0}>.*?)(?<!\\)(?P={0}q))"""
_FIRST = re.compile(r"\(\s*" + _STRING.format("first"), re.DOTALL)
_MAX_CODE = 65_536
_MAX_SKILLS = 100
"""Maximum number of calls of the agent's own functions analysed per code cell."""


class Context(msgspec.Struct):
    """State left by earlier calls: the working directory and the open file."""

    cwd: str = ""
    opened: str = ""
    """Path of the file that is open in the agent's own editor (SWE-agent)."""


def read_call(call: Event, context: Context, *, swe_agent: bool = False) -> CallEffects:
    """Return the effects of `call`, without changing `context`."""
    name = call.tool.lower().rpartition("__")[2] if call.tool.startswith("mcp__") else call.tool.lower()
    table, arguments = tools(), call.arguments or {}
    if name in table.shells or (name not in table.tools and _is_text(call, arguments)):
        text = text_of_command(arguments, table.shells.get(name, ("command",)))
        return _shell(call.text if text is None else text, context, swe_agent=swe_agent)
    tool = table.tools.get(name)
    if swe_agent and call.text and not _has_fields(tool, arguments):
        return _shell(call.text, context, swe_agent=True)
    if tool is None:
        return CallEffects(kinds=["run"], programs=[call.tool], cwd=context.cwd, editor=True)
    return _by_schema(call.tool, tool, arguments, call.text, context)


def _is_text(call: Event, arguments: Mapping[str, Any]) -> bool:
    """Return whether an unknown tool is a shell, i.e. its arguments are only a command, a timeout and a description."""
    return bool(call.text) and set(arguments) <= {"command", "timeout", "description", "cmd", "keystrokes"}


def _has_fields(tool: ToolRule | None, arguments: Mapping[str, Any]) -> bool:
    return tool is not None and any(name != "command" for name in arguments)


def _shell(text: str, context: Context, *, swe_agent: bool) -> CallEffects:
    """Return the effects of a shell text or of one of SWE-agent's own commands."""
    first, _, rest = text.strip().partition(" ")
    first, newline, more = first.partition("\n")
    if swe_agent and first in tools().commands:
        return _swe(first, f"{newline}{more} {rest}".strip(), text.strip(), context)
    return read_shell(text, context.cwd)


def _swe(first: str, rest: str, text: str, context: Context) -> CallEffects:
    """Return the effects of a SWE-agent command: `open FILE [LINE]`, `edit A:B`, `create FILE`, ..."""
    tool = tools().commands[first]
    words = rest.split("\n", maxsplit=1)[0].split()
    operand = words[0].strip("'\"") if words else ""
    if tool == "edit_lines":
        return _swe_edit(text, context)
    if tool == "str_replace_editor":
        arguments: dict[str, Any] = {"command": operand, "path": words[1].strip("'\"") if len(words) > 1 else ""}
        return _by_schema(first, tools().tools[tool], arguments, "", context)
    keyword = {"open": "path", "create": "filename", "filemap": "path"}.get(tool, "")
    seen = _by_schema(first, tools().tools[tool], {keyword: operand} if keyword and operand else {}, "", context)
    if tool in {"goto", "scroll"} and context.opened:
        seen.reads.append(context.opened)
    return seen


def _swe_edit(text: str, context: Context) -> CallEffects:
    """Return the effects of SWE-agent's command `edit A:B`, which edits the open file."""
    seen = CallEffects(kinds=["change"], programs=["edit"], cwd=context.cwd, editor=True)
    found = _SWE_EDIT.match(text)
    lines = (int(found[1][:9]), int(found[2][:9])) if found else None
    if context.opened:
        seen.writes.append(FileWrite(context.opened, "edit", lines, None, found[3] if found else None))
    return seen


def _by_schema(name: str, tool: ToolRule, arguments: Mapping[str, Any], text: str, context: Context) -> CallEffects:
    """Return the effects of a call to a tool listed in tools.toml."""
    if tool.by:
        case = tool.cases.get(str(arguments.get(tool.by) or ""), "") or _guessed(tool, arguments)
        fields = tools().tools[case]
        tool = msgspec.structs.replace(fields, path=fields.path or tool.path) if case else tool
    seen = CallEffects(kinds=[tool.effect], programs=[name], cwd=context.cwd, editor=True)
    if tool.code:
        return _code(name, _first(arguments, tool.code) or text, context)
    path = _first(arguments, tool.path)
    path = paths.join(context.cwd, path) if path else ""
    if tool.effect == "change":
        opened = context.opened if name != "apply_patch" else ""
        seen.writes += _writes(tool, path or opened, arguments, text, context)
    elif path:
        seen.reads.append(path)
    return seen


def _guessed(tool: ToolRule, arguments: Mapping[str, Any]) -> str:
    """Return the editor command implied by the arguments. Some runs do not record the command's name."""
    if _text(arguments, tool.old) is not None:
        return tool.cases["str_replace"]
    if _text(arguments, tool.content) is not None or _text(arguments, "content") is not None:
        return tool.cases["create"]
    return tool.cases["view"]


def _writes(tool: ToolRule, path: str, arguments: Mapping[str, Any], text: str, context: Context) -> list[FileWrite]:
    if tool.patch:
        patch = _first(arguments, tool.patch) or text
        made = [msgspec.structs.replace(w, path=paths.join(context.cwd, w.path)) for w in writes_of_patch(patch)]
        return made or ([FileWrite(path, "edit")] if path else [])
    if not path:
        return []
    edits = arguments.get(tool.edits) if tool.edits else None
    if isinstance(edits, list):
        tables = cast("list[Any]", edits)
        made = [cast("dict[str, Any]", edit) for edit in tables if isinstance(edit, dict)]
        return [FileWrite(path, "edit", None, _text(edit, tool.old), _text(edit, tool.new)) for edit in made]
    content = _text(arguments, tool.content)
    old, new = _text(arguments, tool.old), _text(arguments, tool.new)
    if old is None and new is None and content is not None:
        lines = _lines(tool, arguments)
        return [FileWrite(path, "edit" if lines else "create", lines, None, content)]
    first = arguments.get(tool.first) if tool.first else None
    lines = (first, first) if isinstance(first, int) and not isinstance(first, bool) else None
    replaces = tool.how == "create" and content is None and new is not None
    return [FileWrite(path, "edit" if replaces else tool.how, lines, old, new)]


def _lines(tool: ToolRule, arguments: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the replaced line range, or None if the call replaces the whole file (lines 1 to -1 in OpenHands)."""
    first, last = arguments.get(tool.first), arguments.get(tool.last)
    if isinstance(first, int) and isinstance(last, int) and last >= first > 0 and last != -1:
        return first, last
    return None


def _code(name: str, code: str, context: Context) -> CallEffects:
    """Return the effects of Python code run by a tool.

    Calls of the agent's own functions come first, then the files that the code writes.
    """
    code = code[:_MAX_CODE]
    seen = CallEffects(programs=[name], cwd=context.cwd, code=code[:20_000], editor=True)
    places = [(name, at) for name, at in calls(code) if name in tools().skills][:_MAX_SKILLS]
    ends = [at for _, at in places[1:]] + [len(code)] * bool(places)
    skills = list(zip(places, ends, strict=True))
    for (called, start), end in skills:
        seen.programs.append(called)
        tool = tools().skills[called]
        arguments = _arguments_of(code[start:end], tool)
        made = _by_schema(called, tool, arguments, "", context)
        seen.kinds += made.kinds
        seen.reads += made.reads
        seen.writes += made.writes
    plain = read_code(code)
    seen.reads += [paths.join(context.cwd, path) for path in plain.reads]
    seen.writes += [msgspec.structs.replace(w, path=paths.join(context.cwd, w.path)) for w in plain.writes]
    if plain.writes or plain.changes:
        seen.kinds.append("change")
    elif not skills:
        seen.kinds.append("explore" if plain.probe else "run")
    return seen


def _arguments_of(part: str, tool: ToolRule) -> dict[str, Any]:
    """Return the literal arguments of the call at the start of `part`: the first and the known keyword arguments."""
    arguments: dict[str, Any] = {}
    if first := _FIRST.search(part):
        arguments[tool.path[0] if tool.path else "0"] = first["first"]
    for keyword in filter(None, (tool.old, tool.new, tool.content, tool.by, *tool.path[:1])):
        pattern = re.compile(rf"""['"]?\b{keyword}['"]?\s*[=:]\s*""" + _STRING.format("value"), re.DOTALL)
        if found := pattern.search(part):
            arguments[keyword] = found["value"]
    return arguments


def _first(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first text among the arguments `names`, or an empty string.

    For a list such as `["apply_patch", TEXT]`, returns the last item.
    """
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and isinstance(value[-1], str):
            return value[-1]
    return ""


def _text(arguments: Mapping[str, Any], name: str) -> str | None:
    value = arguments.get(name) if name else None
    return value if isinstance(value, str) else None
