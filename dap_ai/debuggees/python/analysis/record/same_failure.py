"""Compares the failure of a check that was rerun in a copy with the program's failure."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.record.failure_check import Failure, FailureCheck
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.contracts.snapshot_messages import SnapshotResult
from dap_ai.system.texts import code

_NO_THREADS = "can't start new thread"
_LONG = 400
_ADDED = re.compile(r"\s*assert ")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}|\b[0-9]{14,15}\b|\btmp[a-z0-9_]{8}\b")
"""Text that differs from run to run: an object's address in a repr or from `id()`, or a random `tempfile` name."""


class SameFailure:
    """Compares the failure of this stop with the failures of reruns."""

    def __init__(self, case: StopSnapshot, failure: Failure | None) -> None:
        self._case = case
        self._failure = failure

    def differs(self, check: FailureCheck, result: SnapshotResult) -> str:
        """Return how a rerun check's failure differs from the program's; an empty string if both are the same.

        If the copy refused an action, the result names the refused action, a possible reason for the difference.
        """
        how = self._differs(check, result)
        return f"what {check.words} does is not known: {result.unknown}" if how and result.unknown else how

    def _differs(self, check: FailureCheck, result: SnapshotResult) -> str:
        error, failure, raised = self._case.exception, self._failure, result.raised
        if result.status == "deadline":
            return f"{check.words} did not finish in time"
        if raised is None or error is None or failure is None:
            return f"{check.words} does not fail when it is run again"
        if raised.type != error.type:
            return f"{check.words} fails with {code(cut(result.error, 120))} when it is run again"
        demanded = isinstance(failure.statement, ast.Assert) and not check.whole
        if not any(_is_same(raised.message, then, demanded) for then in (error.message, *self._case.messages)):
            return f"{check.words} fails with another message when it is run again: {code(cut(result.error, 120))}"
        if self.is_elsewhere(result):
            return f"{check.words} fails at another line when it is run again"
        return "" if check.whole else self._moved_on(failure, raised.watched)

    def differs_from_own(self, check: FailureCheck, result: SnapshotResult) -> str:
        """Return why the failure of the caller's own check cannot be the program's failure; empty if it can be."""
        if result.unknown:
            return f"what {check.words} does is not known: {result.unknown}"
        if result.status == "deadline":
            return f"{check.words} did not finish in time"
        if result.raised is None:
            return f"{check.words} passes already, without the edit"
        error = self._case.exception
        if error and result.raised.type not in (error.type, "AssertionError"):
            told = f"{code(cut(result.error, 120))}, not with {code(error.type)}"
            return f"the state has changed: without the edit {check.words} fails with {told}"
        return ""

    def is_elsewhere(self, result: SnapshotResult) -> bool:
        """Whether the run fails in another statement, fails with another exception type, or does not fail."""
        error, failure, raised = self._case.exception, self._failure, result.raised
        if raised is None or error is None or failure is None or raised.type != error.type:
            return True
        first, last = failure.statement.lineno, last_line(failure.statement)
        return raised.file != failure.place.frame.path or not first <= raised.line <= last

    def _moved_on(self, failure: Failure, watched: Sequence[Value | None]) -> str:
        for name, now in zip(failure.watch, watched, strict=False):
            then = failure.place.value(name) if now else None
            if now and then and not (now.truncated or then.truncated) and is_data(then):
                texts = plain(then.text), plain(now.text)
                if texts[0] != texts[1]:
                    was = f"{code(name)} was {code(cut(then.text, 60))}"
                    return f"the state has changed: {was}, and is {code(cut(now.text, 60))} when it is run again"
        return ""


def plain(text: str) -> str:
    """Return the text without parts that differ from run to run: addresses and names of temporary files."""
    return _ADDRESS.sub("0x", text).strip()


def _is_same(now: str, then: str, demanded: bool) -> bool:
    """Whether two messages are equal; of long messages, only the beginnings are compared.

    `demanded`: whether the message is from an assertion. pytest appends the compared values to such a message, but not
    in a rerun of the statement alone.
    """
    now, then = (" ".join(plain(text).split()) for text in (now, then))
    length = min(len(now), len(then))
    if length >= _LONG:
        return now[:length] == then[:length]
    return now == then or (demanded and then.startswith(now) and _ADDED.match(then[len(now) :]) is not None)


def is_data(value: Value) -> bool:
    """Whether the value's text shows data, and not a function, class, module or iterator."""
    return value.kind not in ("function", "class", "module", "iterator")


def not_arrived(check: FailureCheck, result: SnapshotResult) -> str:
    """Return why a run did not reach this stop; an empty string if the run reached it."""
    found = result.followed or result.rewound
    if result.status.startswith("unavailable"):
        return result.reason
    if found and found.arrived:
        return ""
    if _NO_THREADS in result.error:
        return f"{check.words} starts a thread, and a copy has only one"
    if result.unknown:
        return f"whether {check.words} comes to this stop is not known: {result.unknown}"
    if result.status == "deadline" or (found and found.cut):
        return f"{check.words} did not come to this stop in time"
    if found and found.differs:
        return f"{check.words} does not come here with the same values when it is run again: {found.differs} then"
    if result.error:
        return (
            f"{check.words} ends with {code(cut(result.error, 120))} before it comes to this stop when it is run again"
        )
    return f"{check.words} does not come to this stop when it is run again"
