"""Makes short JSON schemas for a model from the structs of the tools' arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from dap_ai.agent.model_port import Schema
from dap_ai.agent.tools.base import Tool


def offered(tools: Iterable[Tool[Any]]) -> list[Schema]:
    """Returns the schemas of these tools in the format of Chat Completions."""
    return [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": parameters(t)}}
        for t in tools
    ]


def parameters(tool: Tool[Any]) -> dict[str, Any]:
    """Returns a short JSON schema of a tool's arguments, without references."""
    schema = msgspec.json.schema(tool.arguments)
    return _short(schema, schema.get("$defs", {}))


def _short(node: Any, parts: Mapping[str, Any]) -> Any:
    if "$ref" in node:
        return _short(parts[node["$ref"].rpartition("/")[2]], parts)
    if "anyOf" in node:  # only `X | None` is used; an omitted field is None
        return _short(next(option for option in node["anyOf"] if option.get("type") != "null"), parts)
    if node.get("type") == "array":
        return {"type": "array", "items": _short(node["items"], parts)}
    if node.get("type") == "object":
        fields = {name: _short(field, parts) for name, field in node.get("properties", {}).items()}
        required = {"required": node["required"]} if node.get("required") else {}
        return {"type": "object", "properties": fields, **required}
    if "enum" in node:
        return {"type": "string", "enum": node["enum"]}
    return {"type": node["type"]}
