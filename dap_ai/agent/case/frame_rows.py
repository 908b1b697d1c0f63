"""DAP's stack frames as the agent sees them: whose code each is, and what its function is called."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.case.stop_snapshot import StackFrame
from dap_ai.agent.source.parsed import grammar_of
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, is_user_path, language_of
from dap_ai.protocol.contracts.inspection import Value, Variable

MAX_SCOPES = 8
"""Of a frame that are read: more than any adapter has."""
MAX_ROWS = 1000
"""Of variables that an adapter is asked for at once; one that does not page lists all."""
_MAX_TEXT_CHARS = 10_000
QUIET_SCOPES = ("globals", "registers")
"""Scopes that hold no names of the frame's own; in lower case."""


def rows_of(body: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of an adapter's response: what of it are objects, whatever it sent."""
    rows: Any = body.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []  # pyright: ignore[reportUnknownVariableType]  JSON


def is_quiet(scope: dict[str, Any]) -> bool:
    """Whether a scope holds no names of the frame's own."""
    return str(scope.get("name", "")).lower() in QUIET_SCOPES


def page_of(reference: int) -> dict[str, int]:
    """Arguments of `variables`: the first MAX_ROWS."""
    return {"variablesReference": reference, "start": 0, "count": MAX_ROWS}


def variable_of(row: dict[str, Any]) -> Variable:
    """A variable, as far as it can be shown."""
    name, text, kind = (str(row.get(key) or "")[:_MAX_TEXT_CHARS] for key in ("name", "value", "type"))
    return Variable(name, Value(text=text, type=kind))


def frames_of(rows: list[dict[str, Any]]) -> list[StackFrame]:
    """DAP's stack frames as ours."""
    if any(
        "`" in path_of(row) or language_of(path_of(row)) in NATIVE_LANGUAGES for row in rows
    ):  # lldb: `program`main`
        return grammar_of("c").frames(rows)
    frames: list[StackFrame] = []
    for row in rows:
        path, reference = path_of(row), int(_source_of(row).get("sourceReference") or 0)
        name = str(row.get("name", "?")).removesuffix(" (Current frame)")  # debugpy's mark at a user-unhandled stop
        user = (is_user_path(path) or bool(reference)) and not is_subtle(row)
        frames.append(StackFrame(row["id"], name, path, row.get("line", 0), user, reference))
    return frames


def _source_of(row: dict[str, Any]) -> dict[str, Any]:
    return row.get("source") or {}


def path_of(row: dict[str, Any]) -> str:
    """The file of a stack frame; empty: it has none."""
    source = _source_of(row)
    return str(source.get("path") or source.get("name") or "")


def is_subtle(row: dict[str, Any]) -> bool:
    """Whether the adapter would rather not show the frame."""
    return "subtle" in (row.get("presentationHint"), _source_of(row).get("presentationHint"))
