"""A program run again under the tracer of the copies, in this very process: what a control run brings."""

from __future__ import annotations

import contextlib
import io

import msgspec

from dap_ai.agent.case.stack import Case
from dap_ai.debuggees.python.analysis.record.checks import checks_of
from dap_ai.debuggees.python.analysis.record.executions import line_counts
from dap_ai.debuggees.python.analysis.record.runs import Control
from dap_ai.debuggees.python.snapshots.editing.sources import Files
from dap_ai.debuggees.python.snapshots.runs.tracing import Tracer
from dap_ai.protocol.contracts.snapshot import SnapshotResult, Trace

_LONG_S = 60.0


def run_again(case: Case, *, with_steps: bool = False) -> Control:
    """The whole program once more, to its failure, traced."""
    check = checks_of(case)[-1]
    program = compile(check.source.text, check.source.path, "exec")
    tracer = Tracer(_LONG_S, Files(), with_steps)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            tracer.run(lambda: exec(program, {"__name__": "__main__"}), program, lambda: None)  # noqa: S102  the test's own
        except Exception as error:  # noqa: BLE001  what the program fails with
            tracer.settle(error)
    trace = msgspec.convert(tracer.facts(), Trace)
    return Control(check, SnapshotResult("raised", trace=trace), "", line_counts(trace))
