"""Calls of Codex and their results: functions, free-form tools, the shell, and what their outputs are wrapped in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from dap_ai.debuggees.runs.model import Status
from dap_ai.debuggees.runs.readers import blocks, shapes

_EXIT = re.compile(r"(?:^|\n)(?:Exit code: |Process exited with code )(-?\d{1,5})(?:\n|$)")
_HEAD_CHARS = 400
"""The exit code stands at the start of an output; further down it would be the program's own words."""


class Call(msgspec.Struct, frozen=True):
    """One call; `text` is the command where the tool is a shell."""

    tool: str
    call_id: str
    arguments: Mapping[str, Any]
    text: str = ""


class Result(msgspec.Struct, frozen=True):
    """One result."""

    call_id: str
    text: str
    status: Status = "unknown"
    exit_code: int | None = None


def call_of(item: Mapping[str, Any]) -> Call | None:
    """The call that a response item is; None: it is none."""
    kind = blocks.text_of(item.get("type"))
    call_id = blocks.text_of(item.get("call_id")) or blocks.text_of(item.get("id"))
    name = blocks.text_of(item.get("name"))
    if kind == "function_call":
        arguments = parsed(item.get("arguments"))
        return Call(name, call_id, arguments, command_of(arguments))
    if kind == "custom_tool_call":
        given = blocks.text_of(item.get("input"))
        return Call(name, call_id, {"input": given}, given)
    if kind in ("local_shell_call", "web_search_call", "tool_search_call"):
        arguments = shapes.table(item.get("action")) or {"status": item.get("status")}
        return Call(kind.removesuffix("_call"), call_id, arguments, command_of(arguments))
    return None


def result_of(item: Mapping[str, Any]) -> Result | None:
    """The result that a response item is; None: it is none."""
    if not blocks.text_of(item.get("type")).endswith("_call_output"):
        return None
    call_id = blocks.text_of(item.get("call_id"))
    output = item.get("output")
    wrapped = shapes.table(output) or (parsed(output) if blocks.text_of(output).startswith("{") else {})
    if "metadata" in wrapped and "output" in wrapped:
        code = shapes.table(wrapped["metadata"]).get("exit_code")
        return _result(call_id, blocks.readable(wrapped["output"]), code)
    if isinstance(output, Mapping) and "content" in wrapped:
        success = wrapped.get("success")
        status: Status = "ok" if success is True else "error" if success is False else "unknown"
        return Result(call_id, blocks.readable(wrapped["content"]), status)
    if isinstance(output, list):
        texts = (blocks.text_of(block.get("text")) or blocks.readable(block) for _, block in blocks.each(output, ""))
        return _result(call_id, "\n".join(texts), None)
    return _result(call_id, blocks.readable(output), None)


def _result(call_id: str, text: str, code: Any) -> Result:
    found = _EXIT.search(text, 0, _HEAD_CHARS)
    exit_code = code if isinstance(code, int) else int(found[1]) if found else None
    status: Status = "unknown" if exit_code is None else "ok" if exit_code == 0 else "error"
    return Result(call_id, text, status, exit_code)


def parsed(value: Any) -> Mapping[str, Any]:
    """Arguments, which are JSON within a text; where they are none, the text as it is."""
    if isinstance(value, Mapping):
        return shapes.table(value)
    found = shapes.decoded(blocks.text_of(value), value)
    return shapes.table(found) if isinstance(found, dict) else {"input": found}


def command_of(arguments: Mapping[str, Any]) -> str:
    """The command of a shell's arguments: `cmd`, or the words of `command`, without `bash -lc`."""
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, str):
        return command
    words = [blocks.readable(word) for word in shapes.array(command)]
    return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
