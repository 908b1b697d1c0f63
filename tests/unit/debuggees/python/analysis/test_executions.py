"""How often a statement ran is counted in runs of it, not in the line events of the interpreter."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.record.executions import executions
from dap_ai.debuggees.python.snapshots.editing.sources import UserFiles
from dap_ai.debuggees.python.snapshots.runs.tracing import Tracer
from dap_ai.protocol.contracts.snapshot_messages import RunTrace

PROGRAM = """
from contextlib import nullcontext


def combine(a,
            b):
    return a + b


def work(rows):
    found = []
    for n in rows:  # 1
        if n > 3:  # 5
            found.append(combine(  # 1
                n,
                len(str(n)),
            ))
    ordered = sorted(  # 1
        rows,
        key=lambda n: -n,
    )
    doubled = [  # 1
        combine(n, n)
        for n in ordered
        if n
    ]
    while (len(doubled)  # 4
           > 1):
        doubled.pop()  # 3
    with nullcontext(  # 1
        doubled,
    ) as held:
        held.clear()  # 1
    for n in range(2):  # 1
        try:
            combine(  # 2
                n,
                None,
            )
        except TypeError:
            continue
        finally:
            found.append(n)  # 2
    while True:
        found.pop(  # 3
            0,
        ) if found else rows.pop()
        if len(rows) < 2:
            break
        rows = rows[2:]  # 2
    return found  # 1


work([0, 1, 2, 3, 4])  # 1
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunTrace, SourceFile]:
    """The program, run under the tracer of the copies."""
    file: Path = tmp_path_factory.mktemp("executions") / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    program = compile(PROGRAM, str(file), "exec")
    tracer = Tracer(60.0, UserFiles(), with_steps=True)
    tracer.run(lambda: exec(program, {"__name__": "__main__"}), program, lambda: None)  # noqa: S102  the program above
    return msgspec.convert(tracer.facts(), RunTrace), SourceFile(str(file), PROGRAM)


MARKED = [(number, int(line.partition("# ")[2])) for number, line in enumerate(PROGRAM.splitlines(), 1) if "# " in line]


@pytest.mark.parametrize(("line", "count"), MARKED)
def test_a_statement_is_counted_once_for_each_run_of_it(
    traced: tuple[RunTrace, SourceFile], line: int, count: int
) -> None:
    """Whatever lines it has, and whatever functions stand in it."""
    trace, source = traced
    statement = source.statement_at(line)
    assert statement is not None
    assert executions(trace.lines, source, statement) == count
