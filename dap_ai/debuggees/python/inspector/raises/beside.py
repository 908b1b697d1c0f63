"""Makes an editor list a changed variable twice: with its current value and its value when the program failed."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pydevd's own modules: Any.

from __future__ import annotations

import sys
from typing import Any

from ..captures import CapturedFrame, moments_of
from ..earlier import MARK, changed


def show_beside() -> None:
    """Patches pydevd to list both values of a variable that differs; only plain data has an earlier value."""
    module: Any = sys.modules.get("_pydevd_bundle.pydevd_suspended_frames")
    kind: Any = getattr(module, "_FrameVariable", None)
    if kind is None or not hasattr(module, "_ObjectVariable"):
        return  # another version of debugpy
    plain = kind.get_children_variables

    def get_children_variables(self: Any, fmt: Any = None, scope: Any = None) -> Any:
        rows = plain(self, fmt=fmt, scope=scope)
        try:
            if getattr(scope, "scope", scope) in ("locals", None):
                made = _changed(self.frame)
                rows = [each for row in rows for each in (row, *_beside(module, self, row, made))]
        except Exception:
            pass  # the current values are shown anyway
        return rows

    kind.get_children_variables = get_children_variables


def _beside(module: Any, of: Any, row: Any, made: dict[str, Any]) -> list[Any]:
    if row.name not in made:
        return []
    copy, register = made[row.name], of._register_variable
    return [module._ObjectVariable(of.py_db, row.name + MARK, copy, register, False, None, frame=None)]


def _changed(frame: Any) -> dict[str, Any]:
    """Returns copies of the frame's earlier values, for the names whose value has changed."""
    moment = _moment_of(frame)
    return changed(frame, moment) if moment is not None else {}


def _moment_of(frame: Any) -> CapturedFrame | None:
    manager: Any = sys.modules["pydevd"].get_global_debugger().suspended_frames_manager  # type: ignore[attr-defined]
    for tracker in list(manager._thread_id_to_tracker.values()):
        for frames in list(tracker._thread_id_to_frames_list.values()):
            exc = frames.exc_desc
            if exc is None or not any(each is frame for each in frames):
                continue
            return next((moment for each, moment in moments_of(exc) if each is frame), None)
    return None
