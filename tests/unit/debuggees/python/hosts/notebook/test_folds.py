"""What `%fix` says where the answer proposes no change: what that very answer says."""

from __future__ import annotations

from dap_ai.agent.report.wording import ADVICE, CAUSE, HAPPENED
from dap_ai.debuggees.python.hosts.notebook.folds import advice_of

TRIED = "33 small fixes were tried in snapshots of the stopped program; 5 passed."


def test_the_advice_of_an_answer_is_its_whole_section_and_nothing_else():
    answer = (
        f"It failed.\n\n{CAUSE} Line 3.\n\n{ADVICE} Next steps:\n\n- Look.\n\n{TRIED}\n\n{HAPPENED} An error.\n\nMore."
    )
    assert advice_of(answer) == f"Next steps:\n\n- Look.\n\n{TRIED}"


def test_an_answer_without_advice_has_none():
    assert advice_of(f"It failed.\n\n{HAPPENED} An error.") == ""
