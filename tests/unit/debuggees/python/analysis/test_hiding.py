"""Changes that only take a failure away are not tried."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.debuggees.python.analysis.experiments.hiding import hides
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate
from tests.unit.agent.harness import case_of, fail


@pytest.mark.parametrize(
    ("line", "new", "hidden"),
    [
        ('moves.append("n/a" - before)', 'moves.append("n/a")', True),
        ('moves.append("n/a" - before)', 'moves.append("n/a" + before)', False),
        ('moves.append(int("n/a") - before)', 'moves.append("n/a" - before)', True),
        ('moves.append(int("n/a") - before)', 'moves.append(float("n/a") - before)', False),
        ("moves.append(moves[before + 1])", "moves.append(moves[before])", False),
        ("moves.append(before / (before - 2))", "moves.append(before / before)", True),
        ("moves.append(before / (before - 2))", "moves.append(before / (before + 2))", False),
        ("moves.append(before / (before - 2))", "moves.append(before)", True),
        ("moves.append(before / (before - 2))", "pass", True),
        ("moves.append(before * None)", "moves.append(before * before)", True),
        ("moves.append(before * None)", "moves.append(before * 1)", False),
    ],
)
def test_what_leaves_out_the_operation_that_failed_is_not_tried(line, new, hidden, tmp_path: Path):
    program = tmp_path / "moves.py"
    program.write_text(f"moves = []\nbefore = 2\n{line}\n")
    analysis = analyse(case_of(fail(program)))
    assert analysis is not None
    source = analysis.diagnosis.place.source
    assert source is not None
    ast.parse(new)
    assert hides(Candidate(SourceEdit(source, 3, 3, [new]), "swap", 0.5, 1.0, 3), analysis) is hidden
