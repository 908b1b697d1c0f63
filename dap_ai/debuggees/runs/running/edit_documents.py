"""Makes editable documents of stopped events, and turns edits of a document or value into orders for the gate.

Does no I/O.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.adapter.request_arguments import RequestError
from dap_ai.debuggees.runs.live.gate.orders import AgentHold, Order
from dap_ai.system.texts import code

ENDINGS: Mapping[str, str] = {"query": ".json", "call": ".json", "response": ".md", "result": ".md"}
"""File extension of the document for each kind of editable event."""


def document(held: AgentHold) -> str | None:
    """Return the editable text of a stopped event; None if the event can't be edited."""
    if held.kind in ("query", "call"):
        if held.value is None:
            return None
        return json.dumps(held.value, indent=2, ensure_ascii=False) + "\n"
    return str(held.value) if held.kind in ENDINGS else None


def from_document(held: AgentHold, before: str, after: str) -> Order | None:
    """Return the order for an edited document; None if unchanged. Raises RequestError for an invalid document."""
    if after == before:
        return None
    if held.kind not in ("query", "call"):
        return from_text(held, after)
    try:
        value = json.loads(after)
    except ValueError as error:
        raise RequestError(
            f"the document of the held {held.kind} is no JSON any more, and nothing was sent: {error}"
        ) from error
    if not isinstance(value, dict):
        raise RequestError(f"the document of the held {held.kind} is no JSON object any more, and nothing was sent")
    return from_fields(held, cast("dict[str, Any]", value))


def from_text(held: AgentHold, text: str) -> Order | None:
    """Return the order for a new text; None if unchanged. Ignores a newline that the editor adds at the end."""
    old = str(held.value)
    if text == old or (text == f"{old}\n" and not old.endswith("\n")):
        return None
    return Order(held.ident, "edit", text=text)


def from_fields(held: AgentHold, fields: Mapping[str, Any]) -> Order | None:
    """Return the order for new fields of a query, or a call's new tool or arguments; None if nothing has changed.

    Raises RequestError.
    """
    old = cast("Mapping[str, Any]", held.value)
    changed = {key: value for key, value in fields.items() if key not in old or old[key] != value}
    if not changed:
        return None
    if held.kind == "query":
        return Order(held.ident, "edit", value=changed)
    if unknown := set(changed) - {"tool", "arguments"}:
        raise RequestError(f"a call has `tool` and `arguments`, and no {', '.join(sorted(unknown))}")
    if not isinstance(changed.get("tool", ""), str):
        raise RequestError("`tool` is to be a text")
    return Order(held.ident, "edit", **changed)


def from_expression(held: AgentHold, expression: str, given: str) -> tuple[Order | None, Any]:
    """Return (order, new value) for a value assigned to an expression; the order is None if the value is unchanged.

    Expressions are `text`, `tool`, `args`, `args.NAME`. `given` is a JSON literal, or plain text where a text is
    expected. Raises RequestError.
    """
    name, _, rest = expression.strip().partition(".")
    if held.kind in ("response", "result") and expression.strip() == "text":
        text = _text(given)
        return from_text(held, text), text
    if held.kind == "call" and name in ("tool", "args"):
        call = cast("dict[str, Any]", held.value)
        if name == "tool":
            return from_fields(held, {"tool": _text(given)}), _text(given)
        value = _json(given) if not rest else _like(_member(call["arguments"], rest), given)
        arguments = value if not rest else {**cast("dict[str, Any]", call["arguments"]), rest: value}
        return from_fields(held, {"arguments": arguments}), value
    if held.kind == "query":
        raise RequestError("a query is edited in its document: it opens with the held event's second frame")
    what = {"call": "`tool`, `args` and `args.NAME`"}.get(held.kind, "`text`")
    raise RequestError(f"of the held {held.kind} {what} can be edited, and no {code(expression)}")


def after_edit(held: AgentHold, order: Order) -> AgentHold:
    """Return the stopped event with an order applied."""
    value: Any = held.value
    if held.kind == "query" and order.value is not msgspec.UNSET:
        value = {**cast("dict[str, Any]", value), **cast("dict[str, Any]", order.value)}
    elif held.kind == "call":
        given = {"tool": order.tool, "arguments": order.arguments}
        value = {
            **cast("dict[str, Any]", value),
            **{key: each for key, each in given.items() if each is not msgspec.UNSET},
        }
    elif isinstance(order.text, str):
        value = order.text
    return msgspec.structs.replace(held, value=value)


def typed(argument: str) -> str:
    """Parse the text argument of a console command: a JSON string, or plain text."""
    return _text(argument)


def _member(arguments: Any, name: str) -> Any:
    if not isinstance(arguments, Mapping):
        raise RequestError("the arguments of this call are a text: `args` gives another")
    return cast("Mapping[str, Any]", arguments).get(name, "")


def _like(old: Any, given: str) -> Any:
    return _text(given) if isinstance(old, str) else _json(given)


def _text(given: str) -> str:
    if given.lstrip()[:1] != '"':
        return given
    try:
        value = json.loads(given)
    except ValueError:
        return given
    return value if isinstance(value, str) else given


def _json(given: str) -> Any:
    try:
        return json.loads(given)
    except ValueError as error:
        raise RequestError(f'a JSON literal is wanted, as "text", 12, true or {{"a": 1}}: {error}') from error
