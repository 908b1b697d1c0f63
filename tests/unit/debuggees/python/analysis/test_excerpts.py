"""Which lines the first context quotes, of a program of which a reader cannot be shown everything."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dap_ai.adapter.io.ask_debugger import SWITCHED_OFF
from dap_ai.agent.case.debuggee_kind import kind_of
from dap_ai.debuggees.python import kind as kinds_python
from dap_ai.debuggees.python.analysis.claims.excerpts import LEAST, excerpt
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.debuggees.python.analysis.record.reruns import demand_again
from dap_ai.protocol.contracts.snapshot_messages import (
    RaisedException,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    TracedCall,
    TracedLine,
)
from tests.unit.agent.harness import Stopped, case_of, fail

OTHERS = "".join(f"def other_{n}(x):\n    y = x + {n}\n    return y * {n}\n\n" for n in range(60))
CHOOSE = """def lowest(xs):
    return globals()["ch" + "oose"](xs)


def choose(xs):
    best = max(xs)
    return best
"""
SHELF = OTHERS + CHOOSE
MAIN = """import shelf

prices = [3, 1, 2]
cheapest = shelf.lowest(prices)
assert cheapest == 1
"""


@pytest.fixture
def shop(tmp_path: Path) -> Stopped:
    (tmp_path / "shelf.py").write_text(SHELF)
    program = tmp_path / "shop.py"
    program.write_text(MAIN)
    stopped = fail(program)
    stopped.why_no_snapshot = ""
    stopped.copy = lambda query: failing(stopped, query)
    return stopped


def failing(stopped: Stopped, query: SnapshotQuery) -> SnapshotResult:
    """What a copy brings that runs lines 4 and 5 again: `choose` is found by nobody who only reads."""
    library = str(Path(stopped.program).with_name("shelf.py"))
    line = SHELF.splitlines().index("    best = max(xs)") + 1
    lines = [TracedLine(stopped.program, 4, "<module>", last=1), TracedLine(library, line, "choose", last=2)]
    trace = RunTrace(
        [*lines, TracedLine(library, line + 1, "choose", last=3)], [TracedCall("choose", library, line - 1)]
    )
    raised = RaisedException("AssertionError", "", stopped.program, 5, "<module>", [None] * len(query.watch))
    return SnapshotResult("raised", error="AssertionError", raised=raised, trace=trace)


def quoted(stopped: Stopped, *, traced: bool) -> list[str]:
    """The lines of shelf.py that are quoted."""
    case = case_of(stopped)
    analysis = analyse(case)
    assert analysis is not None
    control = asyncio.run(demand_again(stopped, case)) if traced else None
    return [SHELF.splitlines()[n - 1] for path, n in excerpt(case, analysis, control) if path.endswith("shelf.py")]


def test_what_ran_last_before_a_failed_demand_is_quoted_from_whatever_file(shop: Stopped):
    assert "    best = max(xs)" in quoted(shop, traced=True)


def test_without_running_it_again_nobody_finds_that_line(shop: Stopped):
    assert "    best = max(xs)" not in quoted(shop, traced=False)


def test_at_most_a_quarter_of_the_program_is_quoted(shop: Stopped):
    case = case_of(shop)
    analysis = analyse(case)
    assert analysis is not None
    control = asyncio.run(demand_again(shop, case_of(shop)))
    written = sum(1 for line in (SHELF + MAIN).splitlines() if line.strip())
    assert written // 4 > LEAST
    assert len(excerpt(case, analysis, control)) <= written / 4


def context_of(stopped: Stopped):
    case = case_of(stopped)
    return kind_of(case).first_context(case, stopped, 2000)


def test_the_context_names_the_function_with_its_parameters(shop: Stopped):
    text = asyncio.run(context_of(shop))
    assert "called: choose(xs)" in text


def test_a_context_does_not_wait_for_a_run_that_takes_long_and_ends_its_copy(
    shop: Stopped, monkeypatch: pytest.MonkeyPatch
):
    begun, ended = list[SnapshotQuery](), list[SnapshotQuery]()

    async def without_end(query: SnapshotQuery) -> SnapshotResult:
        begun.append(query)
        try:
            return await asyncio.Future[SnapshotResult]()
        finally:
            ended.append(query)

    monkeypatch.setattr(shop, "snapshot", without_end)
    monkeypatch.setattr(kinds_python, "_IN_TIME_S", 0.01)
    text = asyncio.run(context_of(shop))
    assert "AssertionError" in text
    assert begun == ended != []


def test_a_program_that_may_not_be_copied_is_not_run_again(shop: Stopped):
    shop.why_no_snapshot = SWITCHED_OFF
    asyncio.run(context_of(shop))
    assert "snapshot" not in shop.calls


def test_what_a_frame_has_not_come_to_is_quoted_last(tmp_path: Path):
    def wide(name: str) -> str:
        return "".join(f"    xs.count({n})  # {name}\n" for n in range(60))

    program = tmp_path / "later.py"
    program.write_text(
        f"def run(xs):\n{wide('before')}    first = xs[9]\n{wide('after')}    return first\n\n\nrun([1])\n"
    )
    case = case_of(fail(program))
    analysis = analyse(case)
    assert analysis is not None
    lines = program.read_text().splitlines()
    assert not [n for _, n in excerpt(case, analysis, None) if "after" in lines[n - 1]]


def test_a_docstring_of_a_function_in_reach_is_not_quoted(tmp_path: Path):
    program = tmp_path / "told.py"
    library = 'def told(x):\n    """Tells x."""\n    return x\n\n\n'
    program.write_text(f"{library}{OTHERS}assert told(1) == 2\n")
    case = case_of(fail(program))
    analysis = analyse(case)
    assert analysis is not None
    assert (str(program), 2) not in excerpt(case, analysis, None)
