"""What a program did, recorded by `sys.settrace` in a process of its own: the truth that facts.py holds answers to.

    python _recorder.py FOLDER TEST RUNNER [EXPRESSION...]

Imports nothing of dap_ai, and shares no code with it. TEST is a program (.py) or a name for unittest, below FOLDER, or
for RUNNER: program, unittest, pytest, trial ("": by TEST). Prints JSON: how often each statement ran, which lines ran
before the failure was raised, what calls were given, returned and raised, the values that names had after each
line; the failure, the folder's frames above it, and what the expressions were in these when it was raised.
"""

from __future__ import annotations

import ast
import dis
import importlib
import inspect
import json
import os
import runpy
import sys
import tempfile
import threading
import unittest
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

MOST_VALUES, LONGEST, MOST_OF_A_MESSAGE, MOST_RAISED = 2000, 400, 100_000, 200
WAITS = ("RETURN_", "YIELD_", "RESUME", "SEND")
"""How the names of instructions begin at which a frame is left without an error."""
STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn")
GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
PLAIN = (int, float, str, bytes, bool, complex, type(None), list, tuple, dict, set, frozenset)
Trace = Any


class Recorder:
    """Of one run."""

    def __init__(self, folder: str, expressions: Iterable[str] = ()) -> None:
        self.folder = folder
        self.expressions = {each: compile(each, "<claim>", "eval") for each in expressions}
        self.statements: dict[str, dict[int, ast.stmt]] = {}
        self.ran: dict[tuple[str, int], int] = defaultdict(int)
        """By the first line of the statement."""
        self.imported: dict[tuple[str, int], int] = defaultdict(int)
        """How many of these as a module was imported."""
        self.importing = 0
        self.lines: dict[tuple[str, int], int] = {}
        """By line: how many others had run before its first run."""
        self.raised: list[tuple[BaseException, int, dict[str, list[str]], list[list[Any]]]] = []
        """Each exception, how many lines had run when it was raised, and the values of the expressions in its frames,
        with those frames. The exception is kept, so that no later one has its id."""
        self.standing: dict[FrameType, list[Any]] = {}
        """Where each frame stands: its statement, line and offset."""
        self.results: dict[str, set[str]] = defaultdict(set)
        """What calls returned, by the function's name; `<generator>` for a generator."""
        self.errors: dict[str, set[str]] = defaultdict(set)
        self.given: dict[tuple[str, str], set[str]] = defaultdict(set)
        """By function and parameter."""
        self.values: dict[tuple[str, int, str], set[str]] = defaultdict(set)

    def enter(self, frame: FrameType, _event: str, _argument: object) -> Trace:
        """A call."""
        file = frame.f_code.co_filename
        if not file.startswith(self.folder):
            return None
        if frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<module>":
            return self.peek
        is_import = frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__"
        self.importing += is_import
        at = self.standing.setdefault(frame, [None, 0, -1])  # a generator goes on where it stood
        name = frame.f_code.co_name
        own, *others = inspect.getargs(frame.f_code)
        for parameter in [*own, *others] if at[2] < 0 else ():
            if parameter in frame.f_locals:
                self.given[name, parameter].add(text(frame.f_locals[parameter]))

        def trace(frame: FrameType, event: str, argument: Any) -> Trace:
            if event == "line":
                self.look(frame, at[1])
                self.begin(file, frame, at)
            elif event == "return":
                self.importing -= is_import
                self.look(frame, at[1])
                self.leave(frame, argument, last)
            elif event == "exception":
                kind, given = argument[0].__name__, argument[1].args
                last[:] = [f"{kind}: {text(argument[1], str)}"]  # or by its arguments, where code of its own writes it
                last.append(f"{kind}: {text(given[0], str) if len(given) == 1 else text(given)}")
                if not any(known[0] is argument[1] for known in self.raised[-MOST_RAISED:]):
                    inner = argument[2] and argument[2].tb_next
                    self.raised.append((argument[1], len(self.lines), *self.standing_at(frame, inner)))
            return trace

        last: list[str] = []
        return trace

    def peek(self, frame: FrameType, event: str, _argument: object) -> Trace:
        """A lambda or a comprehension: only its values count."""
        if event in ("line", "return"):
            self.look(frame, frame.f_lineno)
        return self.peek

    def leave(self, frame: FrameType, value: object, last: list[str]) -> None:
        """A call ends or waits; `last`: the last exception that its frame saw."""
        name, ended = frame.f_code.co_name, dis.opname[frame.f_code.co_code[frame.f_lasti]]
        if frame.f_code.co_flags & GENERATORS:
            self.results[name].add("<generator>")
        elif ended.startswith("RETURN_"):
            self.results[name].add(text(value))
        if not ended.startswith(WAITS):
            self.errors[name].update(last)

    def standing_at(self, frame: FrameType | None, inner: Any) -> tuple[dict[str, list[str]], list[list[Any]]]:
        """The expressions' values in the folder's frames, and those frames, innermost first. `inner`: a traceback."""
        found: list[tuple[FrameType, int]] = []
        while inner is not None:
            found.insert(0, (inner.tb_frame, inner.tb_lineno))
            inner = inner.tb_next
        while frame is not None:
            found.append((frame, frame.f_lineno))
            frame = frame.f_back
        values: dict[str, list[str]] = defaultdict(list)
        rows: list[list[Any]] = []
        for each, line in found:
            if each.f_code.co_filename.startswith(self.folder):
                rows.append([each.f_code.co_filename, line, each.f_code.co_name])
                for expression, code in self.expressions.items():
                    values[expression] += evaluated(code, each)
        return values, rows

    def begin(self, file: str, frame: FrameType, at: list[Any]) -> None:
        """A line begins: of the statement that went on, or of another."""
        statement = self.of(file).get(frame.f_lineno)
        self.lines.setdefault((file, frame.f_lineno), len(self.lines))
        before, line, offset = at
        at[:] = [statement, frame.f_lineno, frame.f_lasti]
        if statement is None:
            return
        goes_on = before is statement and (line, offset) != (frame.f_lineno, frame.f_lasti)
        is_round = not isinstance(statement, ast.While) and before is not None and within(before, statement)
        if not (goes_on or (is_round and before is not statement)):
            self.ran[file, statement.lineno] += 1
            self.imported[file, statement.lineno] += bool(self.importing)

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

    def before(self, failure: BaseException | None) -> list[tuple[str, int]]:
        """The lines that ran before this was raised; all of them if no frame of the folder saw it."""
        had_run = next((each[1] for each in self.raised if each[0] is failure), len(self.lines))
        return [line for line, number in self.lines.items() if number < had_run]

    def look(self, frame: FrameType, line: int) -> None:
        """The values that its names have after a line."""
        for name, value in list(frame.f_locals.items()):
            known = self.values[frame.f_code.co_filename, line, name]
            if type(value) in PLAIN and len(known) < MOST_VALUES:
                known.add(text(value))


def within(inner: ast.stmt, outer: ast.stmt) -> bool:
    """Whether a statement stands in another one."""
    return outer.lineno <= inner.lineno <= (outer.end_lineno or outer.lineno)


def evaluated(code: CodeType, frame: FrameType) -> list[str]:
    """An expression's value in a frame, as a list of one: `<type>` for what has no literal; empty where it fails."""
    try:
        value = eval(code, frame.f_globals, frame.f_locals)  # noqa: S307  facts.py has chosen what calls nothing
    except Exception:  # noqa: BLE001  not in this frame
        return []
    return [text(value) if type(value) in PLAIN else f"<{type(value).__name__}>"]


def text(value: object, write: Callable[[object], str] = repr, longest: int = LONGEST) -> str:
    """A value as it is written."""
    try:
        return write(value)[:longest]
    except Exception:  # noqa: BLE001  a repr of the program's own
        return "?"


def by_program(folder: str, test: str) -> BaseException | None:
    """The exception that ended the first of its threads, else the one that ends the program."""
    ended: list[BaseException | None] = []
    threading.excepthook = lambda given: ended.append(given.exc_value)
    try:
        runpy.run_path(f"{folder}/{test}", run_name="__main__")
    except BaseException as error:  # noqa: BLE001  the failure that is asked about
        ended.append(error)
    return ended[0] if ended else None


def by_unittest(_folder: str, test: str) -> BaseException | None:
    failures: list[BaseException] = []
    base: Any = unittest.TextTestResult

    class Result(base):
        def addError(self, test: Any, err: Any) -> None:  # noqa: N802  unittest's name
            failures.append(err[1])
            base.addError(self, test, err)

        def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802  unittest's name
            failures.append(err[1])
            base.addFailure(self, test, err)

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802  unittest's name
            failures.extend([err[1]] if err else [])
            base.addSubTest(self, test, subtest, err)

    result: Any = Result
    suite = unittest.defaultTestLoader.loadTestsFromName(test)
    with Path(os.devnull).open("w", encoding="utf-8") as sink:
        unittest.TextTestRunner(stream=sink, resultclass=result).run(suite)
    return failures[0] if failures else None


def by_pytest(folder: str, test: str) -> BaseException | None:
    failures: list[BaseException] = []

    class Plugin:
        @staticmethod
        def pytest_runtest_makereport(call: Any) -> None:
            if call.excinfo is not None:
                failures.append(call.excinfo.value)

    pytest: Any = importlib.import_module("pytest")
    sink, sys.stdout = sys.stdout, Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    pytest.main(["-q", "-p", "no:cacheprovider", f"{folder}/{test}"], plugins=[Plugin()])
    sys.stdout = sink
    return failures[0] if failures else None


def by_trial(_folder: str, test: str) -> BaseException | None:
    failures: list[BaseException] = []
    reporter: Any = importlib.import_module("twisted.trial.reporter")
    runner: Any = importlib.import_module("twisted.trial.runner")

    base: Any = reporter.Reporter

    class Result(base):
        def addError(self, test: Any, error: Any) -> None:  # noqa: N802  trial's name
            failures.append(getattr(error, "value", None) or error[1])
            base.addError(self, test, error)

        def addFailure(self, test: Any, fail: Any) -> None:  # noqa: N802  trial's name
            failures.append(getattr(fail, "value", None) or fail[1])
            base.addFailure(self, test, fail)

    suite = runner.TestLoader().loadByName(test)
    with tempfile.TemporaryDirectory() as name, Path(os.devnull).open("w", encoding="utf-8") as sink:
        runner.TrialRunner(Result, stream=sink, workingDirectory=f"{name}/trial").run(suite)
    return failures[0] if failures else None


RUNNERS: dict[str, Callable[[str, str], BaseException | None]] = {
    "program": by_program,
    "unittest": by_unittest,
    "pytest": by_pytest,
    "trial": by_trial,
}


def main() -> None:
    """Runs it, and prints what was recorded."""
    folder, test, runner, *expressions = sys.argv[1:]
    run = RUNNERS[runner or ("program" if test.endswith(".py") else "unittest")]
    recorder = Recorder(folder + "/", expressions)
    sys.path.insert(0, folder)
    sys.argv[:] = [test]
    children: set[str] = set()
    sys.addaudithook(lambda event, _: children.add(event) if event in STARTS else None)
    threading.settrace(recorder.enter)
    sys.settrace(recorder.enter)
    failure = None
    try:
        failure = run(folder, test)
    except BaseException as error:  # noqa: BLE001  a runner that ends itself
        del error
    sys.settrace(None)
    at: tuple[Any, Any] = next((each[2:] for each in recorder.raised if each[0] is failure), ({}, []))
    told = {
        "failure": [type(failure).__name__, text(failure, str, MOST_OF_A_MESSAGE)],
        "at": at[0],
        "frames": at[1],
        "children": bool(children),
        "ran": [[*key, count, count - recorder.imported[key]] for key, count in recorder.ran.items()],
        "lines": sorted(recorder.lines),
        "before": sorted(recorder.before(failure)),
        "results": {name: sorted(found) for name, found in recorder.results.items()},
        "errors": {name: sorted(found) for name, found in recorder.errors.items()},
        "given": [[*key, sorted(found)] for key, found in recorder.given.items()],
        "values": [[*key, sorted(found)] for key, found in recorder.values.items() if found],
    }
    sys.__stdout__.write("\n" + json.dumps(told))  # pyright: ignore[reportOptionalMemberAccess]


if __name__ == "__main__":
    main()
