"""Calls of Codex (functions, free-form tools, shell) and their results, with the wrappers of tool output removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dap_ai.debuggees.runs.readers import content_blocks, json_shapes

_EXIT = re.compile(r"(?:^|\n)(?:Exit code: |Process exited with code )(-?\d{1,5})(?:\n|$)")
_HEAD_CHARS = 400
"""Number of characters at the start of an output that are searched for the exit code. Later text is the program's
output."""


def call_of(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the call in a response item as arguments of `Timeline.call`, or None if the item is not a call.

    For a shell, `text` is the command.
    """
    kind, tool = content_blocks.text_of(item.get("type")), content_blocks.text_of(item.get("name"))
    if kind == "function_call":
        arguments = parsed(item.get("arguments"))
        text = command_of(arguments)
    elif kind == "custom_tool_call":
        text = content_blocks.text_of(item.get("input"))
        arguments = {"input": text}
    elif kind in ("local_shell_call", "web_search_call", "tool_search_call"):
        tool = kind.removesuffix("_call")
        arguments = json_shapes.table(item.get("action")) or {"status": item.get("status")}
        text = command_of(arguments)
    else:
        return None
    call_id = content_blocks.text_of(item.get("call_id")) or content_blocks.text_of(item.get("id"))
    return {"tool": tool, "call_id": call_id, "arguments": arguments, "text": text}


def result_of(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the result in a response item as arguments of `Timeline.result`, or None if the item is not a result."""
    if not content_blocks.text_of(item.get("type")).endswith("_call_output"):
        return None
    output, code = item.get("output"), None
    wrapped = json_shapes.table(output) or (parsed(output) if content_blocks.text_of(output).startswith("{") else {})
    found = {"call_id": content_blocks.text_of(item.get("call_id"))}
    if "metadata" in wrapped and "output" in wrapped:
        text, code = content_blocks.readable(wrapped["output"]), json_shapes.at(wrapped, "metadata", "exit_code")
    elif isinstance(output, Mapping) and "content" in wrapped:
        success = wrapped.get("success")
        status = "ok" if success is True else "error" if success is False else "unknown"
        return {**found, "text": content_blocks.readable(wrapped["content"]), "status": status}
    elif isinstance(output, list):
        parts = (
            content_blocks.text_of(block.get("text")) or content_blocks.readable(block)
            for _, block in content_blocks.each(output, "")
        )
        text = "\n".join(parts)
    else:
        text = content_blocks.readable(output)
    said = _EXIT.search(text, 0, _HEAD_CHARS)
    code = code if isinstance(code, int) else int(said[1]) if said else None
    return {**found, "text": text, "status": json_shapes.status_of(code), "exit_code": code}


def parsed(value: Any) -> Mapping[str, Any]:
    """Parse call arguments from a JSON string. If the string is not a JSON object, returns `{"input": ...}`."""
    if isinstance(value, Mapping):
        return json_shapes.table(value)
    found = json_shapes.decoded(content_blocks.text_of(value), value)
    return json_shapes.table(found) if isinstance(found, dict) else {"input": found}


def command_of(arguments: Mapping[str, Any]) -> str:
    """Return the shell command in a call's arguments: `cmd`, or the words of `command` without `bash -lc`."""
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, str):
        return command
    words = [content_blocks.readable(word) for word in json_shapes.array(command)]
    return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
