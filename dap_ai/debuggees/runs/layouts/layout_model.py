"""The layout model: JMESPath expressions that locate a file's events and their fields. Layouts are stored as TOML.

Only the part of JMESPath that selects values is allowed, without functions and without construction of new values. The
length of an expression is limited. All expressions are compiled when a layout is parsed, to report errors at once.
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
from dap_ai.system.texts import code, cut

Means = Literal["task", "response", "call", "result", "note", "error", "end"]
"""Event kinds to which a layout can map a role."""
_MAKING = frozenset({"multi_select_list", "multi_select_dict", "function_expression", "expref"})
"""JMESPath expression types that construct new values. Deep nesting of such expressions exhausts memory."""
_TABLES = ("fields", "calls", "roles")
_MAX_EXPRESSION = 300
"""Maximum characters of an expression. The longest expressions written by hand have about 60."""


class BadLayout(ValueError):  # noqa: N818  the name states the fault
    """A layout is invalid. The message names the key and the reason."""


class Fields(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Expressions relative to an event that select its fields. Empty if the format lacks the field."""

    id: str = ""
    role: str = ""
    text: str = ""
    reasoning: str = ""
    time: str = ""
    agent: str = ""
    model: str = ""
    result: str = ""
    """Result of a call, in the same event as the call or in a separate event."""
    exit_code: str = ""
    call_id: str = ""
    """Id of the call to which a result event belongs."""
    notes: Sequence[str] = ()
    """Expressions for further texts of the event."""


class CallFields(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Expressions that select an event's calls and their fields. All except `each` are relative to a call."""

    each: str = ""
    """List of calls within the event. Empty if the event itself is the call."""
    id: str = ""
    tool: str = ""
    arguments: str = ""
    result: str = ""
    exit_code: str = ""


class Layout(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Mapping from a file's JSON to the events of a run."""

    name: str
    events: str
    """List of events, relative to the document or to a line of JSON Lines. `@` means that the line is the event."""
    kind: Literal["document", "lines"] = "document"
    task: str = ""
    """The agent's task, if recorded outside the events. Relative to the document or to a line."""
    notes: Sequence[str] = ()
    """Expressions for further texts outside the events."""
    fields: Fields = Fields()
    calls: CallFields = CallFields()
    roles: Mapping[str, Means] = {}
    """Event kind for each value of `fields.role`. Events with any other value become notes."""


def parse(text: str | bytes, path: Path = Path("layout")) -> Layout:
    """Parse a layout from TOML. Raises BadLayout if the layout is invalid."""
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
    """Return each non-empty expression of a layout with the expression's key."""
    found = [("events", layout.events), ("task", layout.task)]
    found += [("notes", note) for note in layout.notes] + [("fields.notes", note) for note in layout.fields.notes]
    for name, group in (("fields", layout.fields), ("calls", layout.calls)):
        values = msgspec.structs.asdict(group)
        found += [(f"{name}.{key}", value) for key, value in values.items() if isinstance(value, str)]
    return [(key, expression) for key, expression in found if expression]


def compiled(expression: str, key: str = "") -> Any:
    """Return the compiled JMESPath expression. Raises BadLayout if it is invalid."""
    try:
        return _compiled(expression)
    except (JMESPathError, ValueError, RecursionError) as error:
        told = cut(str(error).partition("\n")[0], toml_files.MAX_REASON_CHARS)
        raise BadLayout(f"{code(key or expression)}: is no expression of JMESPath: {told}") from error


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
        waiting += [child for child in node["children"] if isinstance(child, dict)]  # a slice has numbers as children
    return made


def search(expression: str, value: Any) -> Any:
    """Return the value that an expression selects, or None if the expression is empty or fails."""
    if not expression:
        return None
    try:
        return compiled(expression).search(value)
    except (JMESPathError, RecursionError, ArithmeticError, TypeError, ValueError):
        return None


def written(layout: Layout) -> str:
    """Return the layout as TOML that `parse` accepts."""
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
    """Return a string or a list of strings as TOML. TOML escapes as JSON does, except for the character DEL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"  # pyright: ignore[reportUnknownArgumentType]  texts
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
