"""Whether a request is one that a strict endpoint of Chat Completions takes."""

from __future__ import annotations

from typing import Any

_FIELDS = {
    "frequency_penalty", "logprobs", "max_completion_tokens", "max_tokens", "messages", "metadata", "model", "n",
    "parallel_tool_calls", "presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format", "seed", "service_tier", "stop",
    "store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_p", "user", "verbosity",
}  # fmt: skip
_ROLES = {"system", "developer", "user", "assistant", "tool"}


def mistake_in(body: dict[str, Any]) -> str:
    """What is wrong with a request, in words; empty: nothing."""
    if unknown := set(body) - _FIELDS:
        return f"unknown fields {sorted(unknown)}"
    if not isinstance(body.get("model"), str) or not body.get("messages"):
        return "`model` and `messages` are needed"
    if "stream_options" in body and not body.get("stream"):
        return "`stream_options` only with `stream`"
    if "parallel_tool_calls" in body and not body.get("tools"):
        return "`parallel_tool_calls` only with `tools`"
    if "tools" in body and not body["tools"]:
        return "`tools` is empty"
    return next(filter(None, map(_in_tool, body.get("tools", ()))), "") or _in_messages(body["messages"])


def _in_tool(tool: dict[str, Any]) -> str:
    function = tool.get("function") or {}
    parameters = function.get("parameters") or {"type": "object"}
    if tool.get("type") != "function" or not function.get("name"):
        return f"a tool has no name: {tool}"
    if parameters.get("type") != "object":
        return f"the parameters of {function['name']} are no object"
    if missing := set(parameters.get("required", ())) - set(parameters.get("properties", {})):
        return f"{function['name']} requires what it does not declare: {sorted(missing)}"
    return ""


def _in_messages(messages: list[dict[str, Any]]) -> str:
    """Each call is answered, once, right after it; nothing else is."""
    called: list[str] = []
    for number, message in enumerate(messages):
        role = message.get("role")
        if role not in _ROLES:
            return f"messages[{number}] has the role {role!r}"
        if role == "tool":
            if message.get("tool_call_id") not in called:
                return f"messages[{number}] answers no call: {message.get('tool_call_id')!r}"
            called.remove(message["tool_call_id"])
        elif called:
            return f"messages[{number}] comes before the calls {called} are answered"
        if role == "assistant":
            called = [call["id"] for call in message.get("tool_calls") or ()]
            if message.get("tool_calls") is not None and not called:
                return f"messages[{number}] has empty tool_calls"
            if len(set(called)) < len(called):
                return f"messages[{number}] calls twice with one id"
        if not isinstance(message.get("content"), (str, list)) and not message.get("tool_calls"):
            return f"messages[{number}] has no content"
    return f"the calls {called} are not answered" if called else ""
