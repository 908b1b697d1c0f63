"""Converts chat messages found in traces to `ChatMessage`.

Supported are OpenAI's chat completions and responses, Anthropic's content blocks, the parts of OpenTelemetry's GenAI
conventions, OpenInference messages (after nesting their flat keys), and LangChain messages, plain or serialized.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.readers.content_blocks import readable, text_of
from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "developer": "system", "function": "tool"}
_TYPES = frozenset({"human", "ai", "system", "tool", "function", "AIMessageChunk"})
"""Values of a LangChain message's `type`, which names the message's role."""
_ITEMS = frozenset({"function_call", "function_call_output", "reasoning"})
"""Types of Responses API items that are messages without a role."""
_WRAPPERS = (
    "messages", "input_messages", "output_messages", "choices", "generations", "message", "output", "response", "input",
    "kwargs", "data",
)  # fmt: skip
"""Keys under which an object may contain messages, in order of precedence."""
_MAX_DEPTH = 12


class ChatCall(msgspec.Struct, frozen=True):
    """A tool call that a message requests. `arguments` are not parsed and mostly JSON text."""

    call_id: str
    tool: str
    arguments: Any = None


class ChatMessage(msgspec.Struct, frozen=True):
    """One chat message. If it is the result of a call, `answers` is the call's id, else None."""

    role: str
    text: str
    reasoning: str = ""
    calls: Sequence[ChatCall] = ()
    answers: str | None = None


def messages(value: Any, depth: int = 0) -> list[ChatMessage]:
    """Return all messages in a value, also those in JSON strings.

    A value without a message becomes one message with an empty role.
    """
    if value is None or value in ("", [], {}):
        return []
    if isinstance(value, str):
        return _of_text(value, depth)
    if isinstance(value, (list, tuple)):
        return _of_list(list(value), depth)  # pyright: ignore[reportUnknownArgumentType]  elements of any kind
    found = table(value)
    if depth >= _MAX_DEPTH or not found:
        return [ChatMessage("", readable(value))]
    if _is_message(found):
        return [_message(found)]
    for key in _WRAPPERS:
        if isinstance(found.get(key), (Mapping, list)) and (inner := messages(found[key], depth + 1)):
            return inner
    return [ChatMessage("", _only_text(found))]


def _of_text(value: str, depth: int) -> list[ChatMessage]:
    parsed = parsed_json(value)
    if parsed is None or depth >= _MAX_DEPTH:
        return [ChatMessage("", value)]
    inner = messages(parsed, depth + 1)
    return inner if any(said.role for said in inner) else [ChatMessage("", value)]


def _of_list(items: Sequence[Any], depth: int) -> list[ChatMessage]:
    if len(items) == 2 and isinstance(items[0], str) and isinstance(items[1], str) and items[0] in _ROLES.keys() | {
        "user", "assistant", "system", "tool",
    }:  # fmt: skip
        return [ChatMessage(_ROLES.get(items[0], items[0]), items[1])]
    if depth >= _MAX_DEPTH:
        return [ChatMessage("", readable(items))]
    return [said for item in items for said in messages(item, depth + 1)]


def parsed_json(value: str) -> Any:
    """Return the JSON object or list in a text, or None if the text is anything else."""
    return decoded(value) if value.lstrip()[:1] in ("{", "[") else None


def _is_message(found: Mapping[str, Any]) -> bool:
    if isinstance(found.get("role"), str) or isinstance(found.get("tool_calls"), list):
        return True
    kind = text_of(found.get("type"))
    return kind in _ITEMS or (kind in _TYPES and "content" in found)


def _message(found: Mapping[str, Any]) -> ChatMessage:
    kind = text_of(found.get("type"))
    if kind == "function_call":
        wanted = ChatCall(text_of(found.get("call_id")), text_of(found.get("name")), found.get("arguments"))
        return ChatMessage("assistant", "", calls=[wanted])
    if kind == "function_call_output":
        return ChatMessage("tool", readable(found.get("output")), answers=text_of(found.get("call_id")))
    if kind == "reasoning":
        texts = [readable(part) for part in _texts(found.get("summary")) + _texts(found.get("content"))]
        return ChatMessage("assistant", "", "\n".join(texts))
    role = text_of(found.get("role")) or kind
    parts = _Parts()
    for key in ("reasoning_content", "reasoning", "content", "contents", "parts", "refusal"):
        parts.add(found.get(key), is_thought=key.startswith("reasoning"))
    parts.calls += _calls(found)
    answers = found.get("tool_call_id", parts.answers)
    return ChatMessage(
        _ROLES.get(role, role), "\n".join(parts.texts), "\n".join(parts.thoughts), parts.calls,
        answers if isinstance(answers, str) else None,
    )  # fmt: skip


class _Parts:
    """Collects the parts of one message's content."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[ChatCall] = []
        self.answers: str | None = None

    def add(self, content: Any, *, is_thought: bool = False) -> None:
        """Add a text, a content part, or a list of content parts."""
        if isinstance(content, str):
            (self.thoughts if is_thought else self.texts).append(content)
        elif isinstance(content, Mapping):
            self._part(table(content))
        else:
            for part in array(content):
                self.add(part)

    def _part(self, part: Mapping[str, Any]) -> None:
        inner = table(part.get("message_content")) or part
        kind = text_of(inner.get("type"))
        said = next((inner[key] for key in ("text", "content", "thinking") if isinstance(inner.get(key), str)), None)
        if kind in ("tool_call", "tool_use", "server_tool_call"):
            given = inner.get("arguments", inner.get("input"))
            self.calls.append(ChatCall(text_of(inner.get("id")), text_of(inner.get("name")), given))
        elif kind in ("tool_call_response", "tool_result", "server_tool_call_response"):
            self.answers = text_of(inner.get("id")) or text_of(inner.get("tool_use_id"))
            result = next((inner[key] for key in ("response", "result", "content") if key in inner), None)
            self.texts.append("\n".join(_texts(result)) if isinstance(result, list) else readable(result))
        elif kind in ("thinking", "reasoning"):
            self.thoughts.append(readable(said if said is not None else inner))
        else:
            self.texts.append(said if said is not None else readable(inner))


def _calls(found: Mapping[str, Any]) -> list[ChatCall]:
    """Return the calls under `tool_calls` or the older `function_call`.

    LangChain's `additional_kwargs` are searched too.
    """
    extra = table(found.get("additional_kwargs"))
    given = array(found.get("tool_calls")) or array(extra.get("tool_calls"))
    wanted: list[ChatCall] = []
    for call in map(table, given):
        inner = table(call.get("tool_call")) or call
        function = table(inner.get("function")) or inner
        arguments = function.get("arguments", function.get("args"))
        wanted.append(ChatCall(text_of(inner.get("id")), text_of(function.get("name")), arguments))
    older = table(found.get("function_call")) or table(extra.get("function_call"))
    if older and not wanted:
        wanted.append(ChatCall("", text_of(older.get("name")), older.get("arguments")))
    return wanted


def _texts(value: Any) -> list[str]:
    """Return the text of each part in a list of parts."""
    found: list[str] = []
    for part in array(value):
        inner = table(part)
        said = next((inner[key] for key in ("text", "content") if isinstance(inner.get(key), str)), None)
        found.append(said if said is not None else readable(part))
    return found


def _only_text(found: Mapping[str, Any]) -> str:
    """Return the only value of an object if it is a string, else the whole object as JSON."""
    values = list(found.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else readable(found)


def shown(said: ChatMessage) -> str:
    """Return a message as text for display in a query: `role: text`."""
    calls: Iterator[str] = (f"[calls {call.tool} {readable(call.arguments)}]" for call in said.calls)
    text = "\n".join(filter(None, (said.reasoning, said.text, *calls)))
    return f"{said.role}: {text}" if said.role else text
