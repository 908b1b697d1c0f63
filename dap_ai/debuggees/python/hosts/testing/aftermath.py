"""Decides whether a teardown failed only because its test's call failed; then the call's answer explains both failures.

A teardown's failure gets its own answer if the call had nothing left to do (its last statement is the failed check), or
if the same teardown also failed after a call that passed.
"""

from __future__ import annotations

import ast
import linecache
import os
from typing import TYPE_CHECKING, Any

from dap_ai.debuggees.python.hosts.answer_process import named
from dap_ai.system.texts import code

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.testing.failure_findings import Claims, FailureFinding, FrameRow

_DEMANDS = ("AssertionError", "Failed", "FailTest")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Aftermath:
    """Keeps the findings of failed calls until the tests' teardowns."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._failed: dict[str, FailureFinding] = {}
        self._by_itself: set[tuple[Any, ...]] = set()
        """Exception types and lines at which teardowns failed after calls that passed."""

    def note(self, found: FailureFinding) -> None:
        """Records the finding of a failed call."""
        if found["when"] == "call":
            self._failed[found["nodeid"]] = found

    def teardown_fields(self, found: FailureFinding) -> dict[str, Any]:
        """Returns a teardown's finding that refers to the failed call; empty if the teardown needs its own answer."""
        if found["when"] != "teardown":
            return {}
        call = self._failed.pop(found["nodeid"], None)
        stopped, kind = found["stopped"], found["exception"]["type"]
        place = (kind, stopped["file"], stopped["line"])
        if call is None:
            self._by_itself.add(place)
            return {}
        undone = _is_undone(call)
        if place in self._by_itself or not (call.get("claims", {}).get("verified") or undone):
            return {}
        why = "which kept the test from doing the rest" if undone else "and does not fail with the fix of that"
        text = named(
            f"{code(kind)} at {self._at(stopped)} comes after the failure of the call at {self._at(_in_test(call))}, "
            f"{why}: see its answer."
        )
        claims: Claims = {"root_cause": "none", "verified": False, "recommended": False, "guess": False}
        return {"answer": text, "text": text, "suspects": [], "claims": claims, "diff": "", "complete": True}

    def _at(self, row: FrameRow) -> str:
        file: str = row["file"]
        inside = file.startswith(self._root + os.sep)
        shown = file[len(self._root) + 1 :] if inside else file
        return code(f"{shown}:{row['line']}")


def _in_test(call: FailureFinding) -> FrameRow:
    """Returns the outermost frame of the user's code."""
    return (call["frames"] or [call["stopped"]])[-1]


def _is_undone(call: FailureFinding) -> bool:
    """Whether statements of the test after the failing line did not run; true if unknown."""
    row = _in_test(call)
    if call["exception"]["type"] not in _DEMANDS:
        return True
    try:
        tree = ast.parse("".join(linecache.getlines(row["file"])))
    except (SyntaxError, ValueError):
        return True
    functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    around = [n for n in functions if _holds(n, row["line"])]
    return not around or not _is_last(around[-1].body, row["line"])


def _is_last(body: list[ast.stmt], line: int) -> bool:
    """Whether the statement at this line is the last one to run in its block."""
    last = body[-1]
    if not _holds(last, line) or isinstance(last, _LOOPS):
        return False
    blocks: list[list[ast.stmt]] = [getattr(last, name, []) for name in ("body", "orelse", "finalbody")]
    inner = next((block for block in blocks if block and any(_holds(each, line) for each in block)), None)
    if inner is None:
        return not any(blocks) or line < blocks[0][0].lineno
    return _is_last(inner, line) and not (isinstance(last, ast.Try) and inner is last.body and last.orelse)


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
