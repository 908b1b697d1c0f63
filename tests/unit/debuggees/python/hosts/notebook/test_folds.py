"""What a notebook folds below an answer, and what it shows of its advice."""

from __future__ import annotations

from dap_ai.debuggees.python.hosts.notebook.folds import advice_of, folded

VERDICT = {"kind": "verdict", "text": "It failed."}
CAUSE = {"kind": "cause", "text": "**Root cause.** Line 3."}
ADVICE = {"kind": "advice", "text": "**Recommendation.** Next steps:\n\n- Look."}
TRIED = {"kind": "effort", "text": "3 small fixes were tried; none passed."}
HAPPENED = {"kind": "happened", "text": "**What happened.** An error."}
WHY = {"kind": "why", "text": "**Why.** Line 2."}
NOTE = {"kind": "note", "text": "*No model.*"}


def test_the_evidence_is_folded_above_the_note():
    details = "<details><summary>What happened, why</summary>"
    parts = ["It failed.", CAUSE["text"], details, HAPPENED["text"], WHY["text"], "</details>", "*No model.*"]
    assert folded([VERDICT, CAUSE, HAPPENED, WHY, NOTE]) == "\n\n".join(parts)


def test_without_a_cause_the_evidence_is_the_answer():
    assert folded([VERDICT, HAPPENED]) == "It failed.\n\n**What happened.** An error."


def test_the_advice_of_an_answer_is_its_whole_section_and_nothing_else():
    assert advice_of([VERDICT, ADVICE, TRIED, HAPPENED]) == f"Next steps:\n\n- Look.\n\n{TRIED['text']}"


def test_an_answer_without_advice_has_none():
    assert advice_of([VERDICT, HAPPENED]) == ""
