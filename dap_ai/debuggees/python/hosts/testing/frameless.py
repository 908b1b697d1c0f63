"""Describes a failure without a user frame in its traceback: only the test and the exception are known.

Twisted's trial keeps an exception separate from its traceback, and reports exceptions that were never raised in a
frame.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

from dap_ai.debuggees.python.hosts.answer_process import named

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.testing.failure_findings import Claims, ExceptionFields, FrameRow
    from dap_ai.protocol.wire.safe import Safe

_NATIVE = re.compile(
    r"NOTE: Incompatible Exception Representation, displaying natively:\s+(?:([\w.]+): )?(.*)", re.DOTALL
)
"""Matches pytest's replacement for an error that it cannot show, with that error's type and message."""
_MAX_CHARS = 160
_NO_FRAME = "More is not known: no frame of your code is left in its traceback."


class FailedPhase(NamedTuple):
    """The test phase or module collection that failed."""

    nodeid: str
    when: str
    location: Any
    """Pytest's location of the test: path, 0-based line, name."""

    @staticmethod
    def reported(report: Any) -> FailedPhase:
        """Returns the failed phase that a pytest report describes."""
        return FailedPhase(report.nodeid, getattr(report, "when", "collect"), report.location)


@contextlib.contextmanager
def traced(excinfo: Any) -> Generator[BaseException]:
    """Yields the exception of pytest's ExceptionInfo, with pytest's traceback attached if it has none."""
    exc: BaseException = excinfo.value
    if exc.__traceback__ is not None:
        yield exc
        return
    exc.__traceback__ = excinfo.tb
    try:
        yield exc
    finally:
        exc.__traceback__ = None


def frameless(exception: ExceptionFields, failing: FailedPhase, root: str) -> dict[str, Any]:
    """Returns the fields of a finding that has no frame, including the answer's text."""
    raised = _raised(exception)
    path: Safe = named(failing.location[0])
    line: Safe = named(str((failing.location[1] or 0) + 1))
    name: Safe = named(failing.location[2])
    begins: FrameRow = {"file": named(os.path.join(root, path)), "line": int(line), "function": name}  # noqa: PTH118
    first = raised["message"].partition("\n")[0]
    said: Safe = ": " + first if first else ""
    words: Safe = raised["type"] + said
    text: Safe = (
        "`" + words[:_MAX_CHARS] + "` in `" + name + "`, which begins at `" + path + ":" + line + "`.\n" + _NO_FRAME
    )
    claims: Claims = {"root_cause": "none", "verified": False, "recommended": False, "guess": False}
    return {
        "exception": raised,
        "stopped": begins,
        "frames": [],
        "suspects": [],
        "claims": claims,
        "diff": "",
        "answer": text,
        "text": text,
        "complete": True,
    }


def _raised(exception: ExceptionFields) -> ExceptionFields:
    """Returns the exception's type and message. For pytest's replacement, returns those of the original error."""
    message = exception["message"]
    found = _NATIVE.match(message)
    if found is None:
        return exception
    kind = named(found[1].rpartition(".")[2]) if found[1] else exception["type"]
    return {"type": kind, "message": message[found.start(2) :].strip(), "withheld": exception["withheld"]}
