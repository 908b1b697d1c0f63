"""Finds the frames of a stop in pydevd. In a process paused without debugpy, post_mortem_stack replaces this module."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import sys
import types
from typing import Any

from .scopes import shown_by_pydevd
from .thread_facts import current_frames

folder = ""
"""The folder that paths are relative to; if empty, the current directory."""


def located(frame_ids: list[int]) -> tuple[list[Any], Any]:
    """Returns (frame id, frame, line, offset of the last instruction) of these frames, and the stop's exception."""
    wanted = {_pydevd_id(frame_id): frame_id for frame_id in frame_ids}
    manager: Any = sys.modules["pydevd"].get_global_debugger().suspended_frames_manager
    found: list[Any] = []
    exc = None
    for tracker in list(manager._thread_id_to_tracker.values()):
        for frames_list in list(tracker._thread_id_to_frames_list.values()):
            mine = [(wanted[key], *rest) for key, *rest in _with_chained(frames_list) if key in wanted]
            found.extend(mine)
            if mine and exc is None:
                exc = frames_list.exc_desc
                exc = _shown_exception(frames_list) if exc is None else exc
    seen = {entry[0] for entry in found}
    found.extend(_blocked({key: frame_id for key, frame_id in wanted.items() if frame_id not in seen}))
    return found, exc


def _blocked(wanted: dict[int, int]) -> list[Any]:
    """Returns the frames of threads that could not be suspended because they wait in C code."""
    found: list[Any] = []
    stacks = list(current_frames().values()) if wanted else []
    while stacks:
        frame: Any = stacks.pop()
        while frame is not None:
            if id(frame) in wanted:
                found.append((wanted[id(frame)], frame, frame.f_lineno, frame.f_lasti))
            frame = frame.f_back
    return found


def _pydevd_id(frame_id: int) -> int:
    """Returns pydevd's key for a frame id of the protocol, the frame's `id()`."""
    schema: Any = sys.modules.get("_pydevd_bundle._debug_adapter.pydevd_base_schema")
    return schema.BaseSchema._dap_id_to_obj_id.get(frame_id, frame_id)


def _shown_exception(frames_list: Any) -> Any:
    """Returns the exception in pydevd's variable `__exception__` at a stop at a raise, or None."""
    for frame in list(frames_list)[:1]:
        shown = shown_by_pydevd(frame).get("__exception__")
        if type(shown) is tuple and len(shown) == 3:
            return shown[1]
    return None


def _with_chained(frames_list: Any) -> list[Any]:
    """Returns (pydevd's id, frame, line, offset of the last instruction), also for frames of causes and contexts."""
    found: list[Any] = []
    while frames_list is not None and len(found) < 10_000:
        offsets = _offsets(frames_list.trace_obj)
        lines = frames_list.frame_id_to_lineno
        for position, shown in enumerate(frames_list):
            frame = shown if type(shown) is types.FrameType else shown._base_frame  # a chained exception's frame
            offset = offsets.get(id(frame))
            if offset is None and position:
                offset = frame.f_lasti  # a caller is at its call; the top frame is only known to be at a line
            found.append((id(shown), frame, lines.get(id(shown), shown.f_lineno), offset))
        frames_list = getattr(frames_list, "chained_frames_list", None)
    return found


def _offsets(entry: Any) -> dict[int, int]:
    """Returns the last instruction's offset of each frame in a traceback, by the frame's id."""
    offsets: dict[int, int] = {}
    while entry is not None:
        offsets[id(entry.tb_frame)] = entry.tb_lasti
        entry = entry.tb_next
    return offsets
