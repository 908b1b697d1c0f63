"""A layout: JMESPath expressions that say where the events of a file are and which of their fields is what; as TOML.

What is allowed of JMESPath only selects from a value: it cannot call, write, loop, or make new values. Expressions are
short, and compiled when a layout is made, so that a wrong one is told at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError

from dap_ai.settings import toml_files
from dap_ai.system.texts import cut

Means = Literal["task", "response", "call", "result", "note", "error", "end"]
"""What the value of a role may mean: a kind of event."""
_MAKING = frozenset({"multi_select_list", "multi_select_dict", "function_expression", "expref"})
"""Parts of an expression that make new values: doubled often enough, they fill the memory."""
_TABLES = ("fields", "calls", "roles")
_MAX_EXPRESSION = 300
"""Characters; the longest that a person writes has about 60."""


class BadLayout(ValueError):  # noqa: N818  what it is about
    """A layout that cannot be used; the text names the key and what is wrong."""


class Fields(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Expressions relative to an event; "" where the format has no such field."""

    id: str = ""
    role: str = ""
    text: str = ""
    reasoning: str = ""
    time: str = ""
    agent: str = ""
    model: str = ""
    result: str = ""
    """The result, where it stands in the event that made the call, or in one of its own."""
    exit_code: str = ""
    call_id: str = ""
    """Of an event that is a result: the id of its call."""
    notes: Sequence[str] = ()
    """Further texts."""


class CallFields(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where the calls of an event are; the other expressions are relative to a call."""

    each: str = ""
    """The list of calls within the event; "" where the event itself is the call."""
    id: str = ""
    tool: str = ""
    arguments: str = ""
    result: str = ""
    exit_code: str = ""


class Layout(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a file means."""

    name: str
    events: str
    """The list of events, from the whole document, or from the value of a line (`@`: the line is the event)."""
    kind: Literal["document", "lines"] = "document"
    task: str = ""
    """What the agent was asked to do, where that stands beside the events. Of the whole document, or the first line."""
    notes: Sequence[str] = ()
    """Further texts beside the events."""
    fields: Fields = Fields()
    calls: CallFields = CallFields()
    roles: Mapping[str, Means] = {}
    """What each value of `fields.role` means; any other is a note."""


def parse(text: str | bytes, path: Path = Path("layout")) -> Layout:
    """A layout from TOML. Raises BadLayout."""
    try:
        table = toml_files.parse(text.encode() if isinstance(text, str) else text, path)
        layout = msgspec.convert(table, Layout)
    except (toml_files.BadFile, msgspec.ValidationError, UnicodeEncodeError) as error:
        raise BadLayout(str(error)) from error
    for key, expression in _expressions(layout):
        compiled(expression, key)
    if not layout.events:
        raise BadLayout("`events` is missing: the expression that finds the events")
    return layout


def _expressions(layout: Layout) -> list[tuple[str, str]]:
    """Every expression of a layout, with its key."""
    found = [("events", layout.events), ("task", layout.task)]
    found += [("notes", note) for note in layout.notes] + [("fields.notes", note) for note in layout.fields.notes]
    for name, group in (("fields", layout.fields), ("calls", layout.calls)):
        values = msgspec.structs.asdict(group)
        found += [(f"{name}.{key}", value) for key, value in values.items() if isinstance(value, str)]
    return [(key, expression) for key, expression in found if expression]


def compiled(expression: str, key: str = "") -> Any:
    """An expression, ready for `search`. Raises BadLayout."""
    try:
        return _compiled(expression)
    except (JMESPathError, ValueError, RecursionError) as error:
        told = cut(str(error).partition("\n")[0], toml_files.MAX_REASON_CHARS)
        raise BadLayout(f"`{key or expression}`: is no expression of JMESPath: {told}") from error


@lru_cache(maxsize=512)
def _compiled(expression: str) -> Any:
    if len(expression) > _MAX_EXPRESSION:
        raise ValueError(f"has more than {_MAX_EXPRESSION} characters")
    made: Any = jmespath.compile(expression)  # pyright: ignore[reportUnknownMemberType]  no types of its own
    waiting: list[Mapping[str, Any]] = [made.parsed]
    while waiting:
        node = waiting.pop()
        kind: str = node["type"]
        if kind in _MAKING:
            raise ValueError(f"makes a new value ({kind.replace('_', ' ')}): a layout only selects")
        waiting += [child for child in node["children"] if isinstance(child, dict)]  # a slice has numbers there
    return made


def search(expression: str, value: Any) -> Any:
    """What an expression finds in a value; None for an empty expression, and where a function of it fails."""
    if not expression:
        return None
    try:
        return compiled(expression).search(value)
    except (JMESPathError, RecursionError, ArithmeticError, TypeError, ValueError):
        return None


def written(layout: Layout) -> str:
    """The layout as TOML, as `parse` reads it."""
    values: dict[str, Any] = msgspec.to_builtins(layout)
    tables: dict[str, dict[str, Any]] = {name: values.pop(name) for name in _TABLES if name in values}
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    for name, inner in tables.items():
        lines += ["", f"[{name}]", *(f"{_key(key)} = {_toml(value)}" for key, value in inner.items())]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    is_bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if is_bare else _toml(key)


def _toml(value: Any) -> str:
    """A text, or a list of texts: TOML escapes as JSON does, but for DEL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"  # pyright: ignore[reportUnknownArgumentType]  texts
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
