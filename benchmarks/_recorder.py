"""What a program did, recorded by `sys.settrace` in a process of its own: the truth that facts.py holds answers to.

    python _recorder.py FOLDER TEST

Imports nothing of dap_ai, and shares no code with it. TEST is a program (.py) or a name for unittest, below FOLDER.
Prints JSON: how often each statement ran, the results of each function, the values that names had after each line.
"""

from __future__ import annotations

import ast
import json
import runpy
import sys
import threading
import unittest
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

MOST_VALUES, LONGEST = 2000, 400
PLAIN = (int, float, str, bytes, bool, complex, type(None), list, tuple, dict, set, frozenset)
Trace = Any


class Recorder:
    """Of one run."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.statements: dict[str, dict[int, ast.stmt]] = {}
        self.ran: dict[tuple[str, int], int] = defaultdict(int)
        """By the first line of the statement."""
        self.lines: set[tuple[str, int]] = set()
        self.standing: dict[FrameType, list[Any]] = {}
        """Where each frame stands: its statement, line and offset."""
        self.results: dict[str, set[str]] = defaultdict(set)
        self.values: dict[tuple[str, int, str], set[str]] = defaultdict(set)

    def enter(self, frame: FrameType, _event: str, _argument: object) -> Trace:
        """A call."""
        file = frame.f_code.co_filename
        if not file.startswith(self.folder) or frame.f_code.co_name.startswith("<") is not (
            frame.f_code.co_name == "<module>"
        ):
            return None
        at = self.standing.setdefault(frame, [None, 0, -1])  # a generator goes on where it stood

        def trace(frame: FrameType, event: str, argument: object) -> Trace:
            if event == "line":
                self.look(frame, at[1])
                self.begin(file, frame, at)
            elif event == "return":
                self.look(frame, at[1])
                self.results[frame.f_code.co_name].add(text(argument))
            return trace

        return trace

    def begin(self, file: str, frame: FrameType, at: list[Any]) -> None:
        """A line begins: of the statement that went on, or of another."""
        statement = self.of(file).get(frame.f_lineno)
        self.lines.add((file, frame.f_lineno))
        before, line, offset = at
        at[:] = [statement, frame.f_lineno, frame.f_lasti]
        if statement is None:
            return
        goes_on = before is statement and (line, offset) != (frame.f_lineno, frame.f_lasti)
        is_round = not isinstance(statement, ast.While) and before is not None and within(before, statement)
        if not (goes_on or (is_round and before is not statement)):
            self.ran[file, statement.lineno] += 1

    def of(self, file: str) -> dict[int, ast.stmt]:
        """The innermost statement of each line; of a compound one its header."""
        if file not in self.statements:
            found: dict[int, ast.stmt] = {}
            tree = ast.parse(Path(file).read_text(encoding="utf-8"))
            for node in ast.walk(tree):  # outer ones come first
                if isinstance(node, ast.stmt):
                    body = getattr(node, "body", None)
                    last = max(node.lineno, body[0].lineno - 1) if body else (node.end_lineno or node.lineno)
                    found.update(dict.fromkeys(range(node.lineno, last + 1), node))
            self.statements[file] = found
        return self.statements[file]

    def look(self, frame: FrameType, line: int) -> None:
        """The values that its names have after a line."""
        for name, value in list(frame.f_locals.items()):
            known = self.values[frame.f_code.co_filename, line, name]
            if type(value) in PLAIN and len(known) < MOST_VALUES:
                known.add(text(value))


def within(inner: ast.stmt, outer: ast.stmt) -> bool:
    """Whether a statement stands in another one."""
    return outer.lineno <= inner.lineno <= (outer.end_lineno or outer.lineno)


def text(value: object) -> str:
    """A value as it is written."""
    try:
        return repr(value)[:LONGEST]
    except Exception:  # noqa: BLE001  a repr of the program's own
        return "?"


def main() -> None:
    """Runs it, and prints what was recorded."""
    folder, test = sys.argv[1:]
    recorder = Recorder(folder + "/")
    sys.path.insert(0, folder)
    sys.argv[:] = [test]
    threading.settrace(recorder.enter)
    sys.settrace(recorder.enter)
    try:
        if test.endswith(".py"):
            runpy.run_path(f"{folder}/{test}", run_name="__main__")
        else:
            suite = unittest.defaultTestLoader.loadTestsFromName(test)
            with Path("/dev/null").open("w", encoding="utf-8") as sink:
                unittest.TextTestRunner(stream=sink).run(suite)
    except BaseException as error:  # noqa: BLE001  the failure that is asked about
        del error
    sys.settrace(None)
    told = {
        "ran": [[file, line, count] for (file, line), count in recorder.ran.items()],
        "lines": sorted(recorder.lines),
        "results": {name: sorted(found) for name, found in recorder.results.items()},
        "values": [[*key, sorted(found)] for key, found in recorder.values.items() if found],
    }
    sys.__stdout__.write("\n" + json.dumps(told))  # pyright: ignore[reportOptionalMemberAccess]


if __name__ == "__main__":
    main()
