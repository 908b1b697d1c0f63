"""DAP's own JSON schema, as the debugpy wheel ships it: to check messages against, and to make messages from."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import referencing
from hypothesis import strategies as st

_WHEEL = Path(importlib.util.find_spec("debugpy").submodule_search_locations[0])  # type: ignore[union-attr,index]
SCHEMA = json.loads(
    (_WHEEL / "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json").read_text(encoding="utf-8")
)
DEFINITIONS: dict[str, Any] = SCHEMA["definitions"]
REGISTRY = referencing.Registry().with_resource(
    "dap", referencing.Resource.from_contents(SCHEMA, referencing.jsonschema.DRAFT4)
)
_ABSTRACT = {"ProtocolMessage", "Request", "Response", "Event", "ErrorResponse"}

Strategy = st.SearchStrategy[Any]


def definition_of(message: dict[str, Any]) -> str:
    """The schema's name for a message; the plain kind for what DAP does not define."""
    kind = message["type"].capitalize()
    name = message.get("event") or message["command"]
    specific = name[0].upper() + name[1:] + kind
    if kind == "Response" and not message["success"]:
        specific = "ErrorResponse"
    return specific if specific in DEFINITIONS else kind


def check(message: dict[str, Any]) -> None:
    """Raises ValidationError."""
    schema = {"$ref": f"dap#/definitions/{definition_of(message)}"}
    jsonschema.Draft4Validator(schema, registry=REGISTRY).validate(message)


def names(kind: str) -> list[str]:
    """Definitions of all messages of one kind: "Request", "Response" or "Event"."""
    return sorted(name for name in DEFINITIONS if name.endswith(kind) and name not in _ABSTRACT)


# -- making messages ------------------------------------------------------------------------------------------------

_INTEGERS = st.integers(-(2**31), 2**31) | st.sampled_from([0, 2**53, 123456789012345678901])
_NUMBERS = _INTEGERS | st.floats(allow_nan=False, allow_infinity=False)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_ANY = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXT, inner, max_size=2),
    max_leaves=4,
)
_PLAIN: dict[str, Strategy] = {
    "string": _TEXT,
    "integer": _INTEGERS,
    "number": _NUMBERS,
    "boolean": st.booleans(),
    "null": st.none(),
}
_DEPTH = 3
"""Of references that are followed where nothing requires them: an ExceptionDetails holds others."""


def values(schema: dict[str, Any], depth: int = 0) -> Strategy:
    """Whatever fits a part of the schema."""
    if "$ref" in schema:
        return values(DEFINITIONS[schema["$ref"].rpartition("/")[2]], depth + 1)
    if "allOf" in schema:
        return _objects([_resolved(part) for part in schema["allOf"]], depth)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "oneOf" in schema:
        return st.one_of([values(each, depth) for each in schema["oneOf"]])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return st.one_of([values(schema | {"type": kind}, depth) for kind in kinds])
    if kinds == "array":
        return st.lists(values(schema.get("items", {}), depth), max_size=2) if depth <= _DEPTH else st.just([])
    if kinds == "object":
        return _objects([schema], depth)
    return _PLAIN.get(kinds, _ANY)


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    return DEFINITIONS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _objects(parts: list[dict[str, Any]], depth: int) -> Strategy:
    """Objects with the properties of all parts: a later one says more precisely what an earlier one has said."""
    flat = [_resolved(inner) for part in parts for inner in part.get("allOf", [part])]
    properties: dict[str, Any] = {}
    for part in flat:
        properties |= part.get("properties", {})
    required = {name for part in flat for name in part.get("required", ())}
    if not properties:
        additional = next((part["additionalProperties"] for part in flat if part.get("additionalProperties")), {})
        return st.dictionaries(_TEXT, values(additional if isinstance(additional, dict) else {}, depth), max_size=2)
    must = {name: values(properties[name], depth) for name in properties if name in required}
    optional = [name for name in properties if name not in required] if depth <= _DEPTH else []
    return st.fixed_dictionaries(must, optional={name: values(properties[name], depth) for name in optional})


@cache
def messages(name: str) -> Strategy:
    """Valid messages of one definition; a response is a successful one."""
    made = values(DEFINITIONS[name])
    fixed: dict[str, Any] = {"success": True} if name.endswith("Response") else {}
    return made.map(lambda message: message | fixed)
