"""DAP's stack frames as the agent sees them: whose code each is, and what its function is called."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.case.stack import Frame
from dap_ai.agent.source.source import NATIVE_LANGUAGES, is_user_path, language_of
from dap_ai.debuggees.native.source.frames import clean_name, is_inlined, is_user_frame
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


def frames_of(rows: list[dict[str, Any]]) -> list[Frame]:
    """DAP's stack frames as ours."""
    if any("`" in _path(row) or language_of(_path(row)) in NATIVE_LANGUAGES for row in rows):  # lldb: `program`main`
        return _native_frames(rows)
    frames: list[Frame] = []
    for row in rows:
        path, reference = _path(row), int(_source_of(row).get("sourceReference") or 0)
        name = str(row.get("name", "?")).removesuffix(" (Current frame)")  # debugpy's mark at a user-unhandled stop
        user = (is_user_path(path) or bool(reference)) and not _is_subtle(row)
        frames.append(Frame(row["id"], name, path, row.get("line", 0), user, reference))
    return frames


def _native_frames(rows: list[dict[str, Any]]) -> list[Frame]:
    """What an adapter gives instead of a source that is not there is no source of the user's."""
    frames: list[Frame] = []
    for row, caller in zip(rows, [*rows[1:], {}], strict=True):
        told, path = str(row.get("name", "?")), _path(row)
        user = is_user_frame(told, path) and not _is_subtle(row)
        at = row.get("instructionPointerReference")
        shares = bool(at) and at == caller.get("instructionPointerReference") and told != caller.get("name")
        inlined = shares or is_inlined(told)
        frames.append(Frame(row["id"], clean_name(told), path, row.get("line", 0), user, inlined=inlined))
    return frames


def _source_of(row: dict[str, Any]) -> dict[str, Any]:
    return row.get("source") or {}


def _path(row: dict[str, Any]) -> str:
    source = _source_of(row)
    return str(source.get("path") or source.get("name") or "")


def _is_subtle(row: dict[str, Any]) -> bool:
    return "subtle" in (row.get("presentationHint"), _source_of(row).get("presentationHint"))
