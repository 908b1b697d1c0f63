"""Runs a program traced, in a process of its own, and prints how it failed as JSON; null if it passed.

python -I _probe.py PROGRAM EXPRESSION
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

Line = tuple[str, int]
Tracer = Callable[[FrameType, str, Any], Any]


def tracer(folder: str, clock: dict[Line, int]) -> Tracer:
    """A trace function that numbers each line of the folder's files by its latest execution."""

    def on_line(frame: FrameType, event: str, _: Any) -> Tracer:
        if event == "line":
            place = (frame.f_code.co_filename, frame.f_lineno)
            clock[place] = clock["", 0] = clock["", 0] + 1
        return on_line

    def on_call(frame: FrameType, _event: str, _: Any) -> Tracer | None:
        return on_line if frame.f_code.co_filename.startswith(folder) else None

    return on_call


def evaluated(expression: str, frame: FrameType) -> str | None:
    """The repr of the expression in a frame; None if there is none, or if it fails."""
    if not expression:
        return None
    try:
        return repr(eval(expression, frame.f_globals, frame.f_locals))  # noqa: S307  our own text
    except Exception:  # noqa: BLE001  any failure means that it proves nothing
        return None


def failure(main: Path, expression: str, clock: dict[Line, int]) -> dict[str, Any] | None:
    """The program's failure; None if it passes."""
    folder = str(main.parent)
    sys.path.insert(0, folder)
    sys.settrace(tracer(folder, clock))
    try:
        runpy.run_path(str(main), run_name="__main__")
    except BaseException as error:  # noqa: BLE001  however it ended
        sys.settrace(None)
        frames = [one for one in traceback.walk_tb(error.__traceback__) if one[0].f_code.co_filename.startswith(folder)]
        innermost, line = frames[-1]
        return {
            "error": type(error).__name__,
            "stops_at": f"{Path(innermost.f_code.co_filename).name}:{line}",
            "value": evaluated(expression, innermost),
            "stack": [(Path(frame.f_code.co_filename).name, at) for frame, at in reversed(frames)],
            "first_line": innermost.f_code.co_firstlineno,
        }
    finally:
        sys.settrace(None)
    return None


def main() -> None:
    """Prints the failure and what was executed, the latest line first."""
    sys.dont_write_bytecode = True
    clock: dict[Line, int] = {("", 0): 0}
    with contextlib.redirect_stdout(io.StringIO()):
        failed = failure(Path(sys.argv[1]), sys.argv[2], clock)
    if failed:
        del clock["", 0]
        latest = sorted(clock, key=lambda place: -clock[place])
        failed["executed"] = [(Path(file).name, line) for file, line in latest]
    print(json.dumps(failed))


if __name__ == "__main__":
    main()
