"""Every line that an answer names had run when the program failed, by a second run under another recorder."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "benchmarks"))
from _dap import DAP_AI
from facts import OF_LINES, asked, checked, ours, truth_of

NAMES = ("finally_function", "trial trial_static")
"""A cleanup in a function; a test that no copy can run again; a method with the same name as another class's."""


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
@pytest.mark.parametrize("name", NAMES)
def test_every_suspect_and_step_had_run_when_the_program_failed(name, tmp_path):
    (fault,) = ours(name, tmp_path)
    ended = asked(DAP_AI[0], fault)
    assert ended
    truth = truth_of(fault, ended)
    assert truth
    claims = [claim for claim in checked(ended, truth) if claim.kind in OF_LINES]
    assert {claim.kind for claim in claims} >= {"suspect", "step"}
    assert [claim.text for claim in claims if not claim.holds] == []
