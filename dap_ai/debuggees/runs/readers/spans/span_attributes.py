"""Attributes of OpenTelemetry spans in any notation.

The GenAI and OpenInference conventions define the attributes' meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.debuggees.runs.readers.content_blocks import number, readable, text_of, tokens
from dap_ai.debuggees.runs.readers.json_shapes import array, at, table
from dap_ai.debuggees.runs.readers.spans.chat_messages import parsed_json
from dap_ai.debuggees.runs.readers.spans.span import SpanKind
from dap_ai.debuggees.runs.run_model import TokenUsage

_MAX_PARTS = 20
"""Maximum number of parts of a dotted key. The longest real keys have nine."""
_MAX_DEPTH = 12
_MAX_DIGITS = 9
_KINDS: Mapping[str, SpanKind] = {
    "llm": "model", "generation": "model", "chat": "model", "text_completion": "model", "generate_content": "model",
    "completion": "model", "tool": "tool", "execute_tool": "tool", "agent": "agent", "invoke_agent": "agent",
    "ai.generateText.doGenerate": "model", "ai.streamText.doStream": "model", "ai.toolCall": "tool",
}  # fmt: skip
_KIND_KEYS = (
    "openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind", "langfuse.observation.type",
    "ai.operationId", "llm.request.type",
)  # fmt: skip
_INPUTS = {
    "model": (
        "llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages", "llm.prompts",
        "input.value", "traceloop.entity.input", "langfuse.observation.input",
    ),
    "tool": ("gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value", "traceloop.entity.input"),
    "": ("input.value", "gen_ai.input.messages", "traceloop.entity.input", "langfuse.observation.input"),
}  # fmt: skip
_OUTPUTS = {
    "model": (
        "llm.output_messages", "gen_ai.output.messages", "gen_ai.completion", "ai.response.text",
        "ai.response.toolCalls", "output.value", "traceloop.entity.output", "langfuse.observation.output",
    ),
    "tool": ("gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output"),
    "": ("output.value", "gen_ai.output.messages", "traceloop.entity.output", "langfuse.observation.output"),
}  # fmt: skip
_TOKENS_IN = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "ai.usage.promptTokens",
)
_TOKENS_CACHED = ("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read")
_TOKENS_OUT = (
    "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
    "ai.usage.completionTokens",
)  # fmt: skip


def plain(attributes: Any) -> dict[str, Any]:
    """Return attributes as a dict. OTLP records attributes as a list of keys and typed values."""
    if isinstance(attributes, Mapping):
        return dict(table(attributes))
    pairs = (table(pair) for pair in array(attributes))
    return {text_of(pair.get("key")): _value(pair.get("value")) for pair in pairs}


def _value(typed: Any, depth: int = 0) -> Any:
    """Return the plain value of an OTLP value like `{"stringValue": ...}`. OTLP writes 64-bit integers as strings."""
    held = table(typed)
    if depth > _MAX_DEPTH or len(held) != 1:
        return typed
    kind, value = next(iter(held.items()))
    if kind == "arrayValue":
        return [_value(one, depth + 1) for one in array(table(value).get("values"))]
    if kind == "kvlistValue":
        pairs = map(table, array(table(value).get("values")))
        return {text_of(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
    if kind == "intValue" and isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 20:
        return int(value)
    return value


def nested(value: Any, depth: int = 0) -> Any:
    """Return attributes with dotted keys turned into nested objects. Objects with numeric keys become lists."""
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, list):
        return [nested(one, depth + 1) for one in array(value)]
    if not isinstance(value, Mapping):
        return value
    tree: dict[str, Any] = {}
    for key, inner in table(value).items():
        _put(tree, str(key).split(".", _MAX_PARTS), nested(inner, depth + 1))
    return _listed(tree)


def _put(tree: dict[str, Any], parts: list[str], value: Any) -> None:
    """Store a value at its path in a tree.

    If a key is also a prefix of another key, its value is stored under an empty key.
    """
    for part in parts[:-1]:
        inner = tree.get(part)
        if not isinstance(inner, dict):
            tree[part] = {} if inner is None else {"": inner}
        tree = tree[part]
    held = tree.get(parts[-1])
    if not isinstance(held, dict):
        tree[parts[-1]] = value
    elif isinstance(value, dict):
        tree[parts[-1]] = {**table(held), **table(value)}
    else:
        tree[parts[-1]] = {**table(held), "": value}


def _listed(value: Any) -> Any:
    """Convert objects with numeric keys to lists, ordered by key."""
    if not isinstance(value, dict):
        return value
    inner = {key: _listed(one) for key, one in table(value).items()}
    if inner and all(key.isdecimal() and len(key) < _MAX_DIGITS for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


class Meaning:
    """Interprets the attributes of a span."""

    def __init__(self, flat: Mapping[str, Any]) -> None:
        self._flat = flat
        self._tree = nested(dict(flat))

    def get(self, key: str) -> Any:
        """Return the value of a key. If the key is a prefix of dotted keys, returns the object below it."""
        found = self._flat.get(key)
        return found if found is not None else at(self._tree, *key.split("."))

    def first(self, *keys: str) -> Any:
        """Return the first non-empty value of these keys, or None if all are empty."""
        return next((found for key in keys if (found := self.get(key)) not in (None, "", [], {})), None)

    @property
    def kind(self) -> SpanKind:
        """Kind of the span: the call of a model or tool, an agent, or something else."""
        for key in _KIND_KEYS:
            if said := text_of(self.get(key)):
                return _KINDS.get(said, _KINDS.get(said.lower(), "other"))
        return "other"

    def input(self, kind: SpanKind) -> Any:
        """Return the span's input.

        If a model's system instructions are recorded separately, they precede the input.
        """
        found = self.first(*_INPUTS.get(kind, _INPUTS[""]))
        instructions = self.get("gen_ai.system_instructions")
        if kind != "model" or not instructions:
            return found
        return [{"role": "system", "content": instructions}, found]

    def output(self, kind: SpanKind) -> Any:
        """Return the span's output.

        If a model's tool calls are recorded separately, they follow the output.
        """
        found = self.first(*_OUTPUTS.get(kind, _OUTPUTS[""]))
        if isinstance(found, str) and kind == "model" and (calls := self.get("ai.response.toolCalls")):
            return [{"role": "assistant", "content": found}, *_vercel_calls(calls)]
        return found

    @property
    def usage(self) -> TokenUsage | None:
        """Token usage and cost, or None if unknown."""
        cost = number(self.first("llm.cost.total", "gen_ai.usage.cost"))
        return tokens(self.first(*_TOKENS_IN), self.first(*_TOKENS_CACHED), self.first(*_TOKENS_OUT), cost)

    @property
    def model(self) -> str:
        """Name of the model; empty if unknown."""
        return text_of(self.first("llm.model_name", "gen_ai.response.model", "gen_ai.request.model", "ai.model.id"))

    def name_of(self, *keys: str) -> str:
        """Return the first non-empty value of these keys as text; empty if all are empty."""
        return readable(self.first(*keys))


def _vercel_calls(calls: Any) -> list[Any]:
    """Convert tool calls from the format of Vercel's AI SDK to a chat message."""
    found = map(table, array(parsed_json(calls) if isinstance(calls, str) else calls))
    keys = {"id": "toolCallId", "name": "toolName", "arguments": "args"}
    wanted = [{name: call.get(key) for name, key in keys.items()} for call in found]
    return [{"role": "assistant", "tool_calls": wanted}]
