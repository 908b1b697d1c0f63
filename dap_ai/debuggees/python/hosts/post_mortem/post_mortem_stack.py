"""The threads and frames of a paused process: an exception's traceback with its causes, or a paused thread's stack."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Frames hold Any.

from __future__ import annotations

import threading
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from ...inspector.exceptions import group_members
from ...inspector.stored.statics import short_name, text_of

_base: Any = BaseException.__dict__
_MAX_CHAIN = 12
_PER_THREAD = 1 << 20
"""The number of frame ids per thread; the first thread's ids count from 1."""

Keep = Callable[[types.FrameType], bool]


class PostMortemFrame:
    """A frame of the paused process: `line` is 1-based, `at` is the offset of its last instruction."""

    __slots__ = ("at", "frame", "id", "line", "name")

    def __init__(self, frame: types.FrameType, line: int, at: int, name: str = "") -> None:
        self.frame, self.line, self.at = frame, line, at
        self.name = name or text_of(frame.f_code.co_name)
        self.id = 0


class Thread:
    """A DAP thread. It stands for the thread that failed, or for a member of its exception group."""

    def __init__(self, number: int, name: str, exc: Optional[BaseException], frames: List[PostMortemFrame]) -> None:
        self.id, self.name, self.exc, self.frames = number, name, exc, frames
        for index, held in enumerate(frames):
            held.id = (number - 1) * _PER_THREAD + index + 1


class PostMortemStop:
    """The threads of a paused process; the first thread is the one that failed or was paused."""

    folder = ""
    """The folder that paths are relative to; empty: the current directory."""

    def __init__(self, threads: List[Thread]) -> None:
        self.threads: Dict[int, Thread] = {thread.id: thread for thread in threads}
        self.first = threads[0]

    def frame(self, frame_id: Any) -> Optional[PostMortemFrame]:
        """Returns the frame with this id, or None."""
        thread = self.threads.get((frame_id - 1) // _PER_THREAD + 1) if type(frame_id) is int else None
        index = (frame_id - 1) % _PER_THREAD if thread else 0
        return thread.frames[index] if thread and index < len(thread.frames) else None

    def exception_of(self, held: PostMortemFrame) -> Optional[BaseException]:
        """Returns the exception of the thread that the frame belongs to, or None."""
        return self.threads[(held.id - 1) // _PER_THREAD + 1].exc

    def located(self, frame_ids: List[int]) -> Tuple[List[Any], Optional[BaseException]]:
        """Returns the frames with these ids, and the exception of their thread.

        Replaces inspector.stopped.located, which finds frames in pydevd.
        """
        known = [(frame_id, self.frame(frame_id)) for frame_id in frame_ids]
        found = [(frame_id, held.frame, held.line, held.at) for frame_id, held in known if held is not None]
        thread = self.threads.get((frame_ids[0] - 1) // _PER_THREAD + 1) if frame_ids else None
        return found, (thread or self.first).exc


def of_exception(exc: BaseException, keep: Keep, *, callers: bool) -> PostMortemStop:
    """Returns a stop with the frames of an exception's traceback and causes for which `keep` is true.

    `callers`: adds the frames that called the traceback's outermost frame. Each member of an exception group becomes a
    thread.
    """
    own = _base["__traceback__"].__get__(exc)
    frames = _entries(own, keep)
    if callers and own is not None:
        frames += _stack(own.tb_frame.f_back, keep)
    frames += _of_causes(exc, keep)
    threads = [Thread(1, _own_name(), exc, frames)]
    for number, member in enumerate(group_members(exc), 2):
        members = _entries(_base["__traceback__"].__get__(member), keep) + _of_causes(member, keep)
        threads.append(Thread(number, short_name(type(member)) + " %d of the group" % (number - 1), member, members))
    return PostMortemStop(threads)


def of_thread(frame: types.FrameType, keep: Keep) -> PostMortemStop:
    """Returns a stop at a frame of this thread and its callers, without an exception."""
    return PostMortemStop([Thread(1, _own_name(), None, _stack(frame, keep))])


def _own_name() -> str:
    """Returns this thread's name without `threading.current_thread`, which calls replaceable functions."""
    known = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
    return known.name if known else "a thread"


def _entries(entry: Any, keep: Keep, prefix: str = "") -> List[PostMortemFrame]:
    """Returns the frames of a traceback that `keep` accepts, innermost first."""
    frames: List[PostMortemFrame] = []
    while entry is not None:
        frame = entry.tb_frame
        if keep(frame):
            name = prefix + text_of(frame.f_code.co_name) if prefix else ""
            frames.append(PostMortemFrame(frame, entry.tb_lineno or frame.f_code.co_firstlineno, entry.tb_lasti, name))
        entry = entry.tb_next
    frames.reverse()
    return frames


def _stack(frame: Any, keep: Keep) -> List[PostMortemFrame]:
    frames: List[PostMortemFrame] = []
    while frame is not None:
        if keep(frame):
            frames.append(PostMortemFrame(frame, frame.f_lineno or frame.f_code.co_firstlineno, frame.f_lasti))
        frame = frame.f_back
    return frames


def _of_causes(exc: BaseException, keep: Keep) -> List[PostMortemFrame]:
    """Returns the frames of the exception's causes, named as debugpy names them."""
    frames: List[PostMortemFrame] = []
    seen = [exc]
    for _ in range(_MAX_CHAIN):
        cause, context = _base["__cause__"].__get__(exc), _base["__context__"].__get__(exc)
        before: Any = cause if cause is not None or _base["__suppress_context__"].__get__(exc) else context
        if before is None or any(before is known for known in seen):
            break
        exc = before
        seen.append(exc)
        prefix = "[Chained Exc: %s] " % short_name(type(exc))
        frames += _entries(_base["__traceback__"].__get__(exc), keep, prefix)
    return frames
