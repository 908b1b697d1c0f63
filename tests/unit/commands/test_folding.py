"""What a terminal shows of an offline answer."""

from __future__ import annotations

from dap_ai.commands.display.folding import without_evidence
from dap_ai.protocol.wire.report import Report, Section

VERDICT = Section("verdict", "`a` is `None` at `x.py:3`.")
CAUSE = Section("cause", "**Root cause.** `x.py:1`: gives nothing.")
HAPPENED = Section("happened", "**What happened.** `TypeError` at `x.py:3`:\n\n- `a` = `None`")
WHY = Section("why", "**Why.** Back from the failing line:\n\n1. `x.py:1` sets `a`")
NOTE = Section("note", "*One frame could not be read.*")
ANSWERER = Section("answerer", "*No language model was used.*")


def test_the_evidence_of_a_cause_is_left_out_and_named_at_the_end():
    shown = without_evidence(Report(sections=[VERDICT, CAUSE, HAPPENED, WHY, NOTE, ANSWERER]))
    named = "More, by `-v`: what happened, why."
    assert shown == f"{VERDICT.text}\n\n{CAUSE.text}\n\n{NOTE.text}\n\n{named}\n"


def test_an_answer_without_a_cause_is_shown_whole():
    shown = without_evidence(Report(sections=[VERDICT, HAPPENED, NOTE]))
    assert shown == f"{VERDICT.text}\n\n{HAPPENED.text}\n\n{NOTE.text}\n"


def test_a_value_that_looks_like_a_heading_hides_nothing():
    forged = Section("verdict", "`key` is `'**What happened.**'`.\n**What happened.** nothing")
    assert forged.text in without_evidence(Report(sections=[forged, CAUSE]))


def test_a_verdict_is_bold_where_markdown_is_rendered():
    assert without_evidence(Report(sections=[VERDICT, NOTE]), strong=True).startswith(f"**{VERDICT.text}**\n")
