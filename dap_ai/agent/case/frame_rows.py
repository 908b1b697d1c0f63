"""Converts DAP's stack frames and variables, and decides which frames are the user's code."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.case.stop_snapshot import StackFrame
from dap_ai.agent.source.parsed import grammar_of
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, is_user_path, language_of
from dap_ai.protocol.contracts.inspection import Value, Variable

MAX_SCOPES = 8
"""Maximum scopes read per frame; no known adapter has more."""
MAX_ROWS = 1000
"""Maximum variables per request. An adapter without paging lists all variables."""
_MAX_TEXT_CHARS = 10_000
QUIET_SCOPES = ("globals", "registers")
"""Lower-case names of scopes that contain no local names of the frame."""


def rows_of(body: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Returns the JSON objects in list `name` of an adapter's response. Ignores malformed items."""
    rows: Any = body.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []  # pyright: ignore[reportUnknownVariableType]  JSON


def is_quiet(scope: dict[str, Any]) -> bool:
    """Whether a scope contains no local names of the frame."""
    return str(scope.get("name", "")).lower() in QUIET_SCOPES


def page_of(reference: int) -> dict[str, int]:
    """Returns the arguments of a `variables` request for the first MAX_ROWS variables."""
    return {"variablesReference": reference, "start": 0, "count": MAX_ROWS}


def variable_of(row: dict[str, Any]) -> Variable:
    """Converts a DAP variable. Cuts its name, value and type to 10,000 characters each."""
    name, text, kind = (str(row.get(key) or "")[:_MAX_TEXT_CHARS] for key in ("name", "value", "type"))
    return Variable(name, Value(text=text, type=kind))


def frames_of(rows: list[dict[str, Any]]) -> list[StackFrame]:
    """Converts DAP's stack frames to StackFrames."""
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
    """Returns the source path or name of a DAP stack frame; empty if the frame has no source."""
    source = _source_of(row)
    return str(source.get("path") or source.get("name") or "")


def is_subtle(row: dict[str, Any]) -> bool:
    """Whether the adapter marks the frame as `subtle`, which asks clients to hide it."""
    return "subtle" in (row.get("presentationHint"), _source_of(row).get("presentationHint"))
