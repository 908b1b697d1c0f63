"""A program that was attached to: where in it the question belongs, and what can be said if no thread of it stops."""

from __future__ import annotations

import linecache
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dap_ai.protocol.wire.ask import AskEnded, Usage

Request = Callable[[str, Mapping[str, Any] | None], Awaitable[dict[str, Any]]]
"""Sends a request and gives the response's body. Raises RequestFailed."""

_NOT_STOPPABLE = (
    "No thread can be stopped: each of them waits outside of Python's code, for a lock, for input or in a sleep, "
    "so no value can be read. They wait here, the innermost call first:"
)


async def program_frame(request: Request, thread_id: int) -> int | None:
    """The frameId of the thread's innermost frame that is the program's own; None if there is none.

    A thread that waited when debugpy got in stops in the code by which it got in, above the program's frames.
    """
    frames: list[dict[str, Any]] = (await request("stackTrace", {"threadId": thread_id}))["stackFrames"]
    injected = len(frames) > 1 and frames[0]["name"] == "<module>" and _path(frames[0]) in ("", "<string>")
    return frames[1 if injected else 0]["id"] if frames else None


async def where_threads_wait(request: Request) -> AskEnded:
    """An answer made of the stacks alone, which can be read though nothing is stopped."""
    lines = [_NOT_STOPPABLE]
    for thread in (await request("threads", None))["threads"]:
        lines += ["", f"Thread `{thread['name']}`:", ""]
        frames = (await request("stackTrace", {"threadId": thread["id"]}))["stackFrames"]
        lines += [_frame(frame) for frame in frames] or ["- no Python code"]
    answer = "\n".join([*lines, ""])
    return AskEnded("", "", "notStopped", stale=False, answer=answer, usage=Usage(), evidence=[], suspects=[], fixes=[])


def _frame(frame: dict[str, Any]) -> str:
    path, line = _path(frame), frame["line"]
    source = linecache.getline(path, line).strip()
    return f"- `{path}:{line}` in `{frame['name']}`" + (f": `{source}`" if source else "")


def _path(frame: dict[str, Any]) -> str:
    source: dict[str, Any] = frame.get("source") or {}
    return source.get("path") or ""
