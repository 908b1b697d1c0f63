"""A program run again under the tracer of the copies, in this very process: what a control run brings."""

from __future__ import annotations

import contextlib
import io

import msgspec

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.debuggees.python.analysis.record.check_plan import checks_of
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.executions import line_counts
from dap_ai.debuggees.python.snapshots.editing.sources import UserFiles
from dap_ai.debuggees.python.snapshots.runs.tracing import Tracer
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotResult

_LONG_S = 60.0


def run_again(case: StopSnapshot, *, with_steps: bool = False) -> Control:
    """The whole program once more, to its failure, traced."""
    check = checks_of(case)[-1]
    program = compile(check.source.text, check.source.path, "exec")
    tracer = Tracer(_LONG_S, UserFiles(), with_steps)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            tracer.run(lambda: exec(program, {"__name__": "__main__"}), program, lambda: None)  # noqa: S102  the test's own
        except Exception as error:  # noqa: BLE001  what the program fails with
            tracer.settle(error)
    trace = msgspec.convert(tracer.facts(), RunTrace)
    return Control(check, SnapshotResult("raised", trace=trace), "", line_counts(trace))
