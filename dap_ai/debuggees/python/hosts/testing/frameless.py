"""Describes a failure whose traceback has no user frame: only the test and the exception are known.

Twisted's trial keeps an exception apart from its traceback, and reports some that were never raised in a frame.
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
"""pytest's own error in place of one it cannot show; it contains that error's type and message."""
_MAX_CHARS = 160
_NO_FRAME = "More is not known: no frame of your code is left in its traceback."


class FailedPhase(NamedTuple):
    """What failed: a phase of a test, or the collection of a module."""

    nodeid: str
    when: str
    location: Any
    """pytest's location: path, 0-based line, name."""

    @staticmethod
    def reported(report: Any) -> FailedPhase:
        """Returns the phase of a pytest report."""
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
    """Returns fields of a finding as `failure_findings.where` and `answer_fields` do, and `text`."""
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
    """The type and message; those inside the text of an error that pytest cannot show."""
    message = exception["message"]
    found = _NATIVE.match(message)
    if found is None:
        return exception
    kind = named(found[1].rpartition(".")[2]) if found[1] else exception["type"]
    return {"type": kind, "message": message[found.start(2) :].strip(), "withheld": exception["withheld"]}
