"""An answer cut to a size: what matters most stays, in whole paragraphs and in its order."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dap_ai.agent.report.wording import ADVICE, AGAIN, CAUSE, HAPPENED, NO_MODEL, WHY
from dap_ai.commands.display.brief import MORE, brief, clipped
from dap_ai.protocol.wire.ask_messages import AskEnded, Usage
from dap_ai.protocol.wire.report import Report, Section

LEAD = Section("verdict", "`low` is `6`.")
CODE = Section("cause", f"{CAUSE} Line 15.\n\n```python\n15  a\n\n16  b\n```")
FIX = Section("advice", f"{ADVICE} Change it.\n\n```diff\n-a\n+b\n```")
VALUES = Section("happened", f"{HAPPENED} `AssertionError`.\n\n- `low` = `6`")
ORIGIN = Section("why", f"{WHY} Back from it:\n\n1. here\n2. there")
RERUN = Section("rerun", f"{AGAIN} It fails again.\n\nThe calls in it:\n\n- `f()` returned")
NOTE = Section("answerer", f"*{NO_MODEL}*")
WHOLE = (LEAD, CODE, FIX, VALUES, ORIGIN, RERUN, NOTE)


def text_of(*sections: Section) -> str:
    return "\n\n".join(section.text for section in sections)


def shown(sections: Sequence[Section], limit: int) -> str:
    return brief(ended(text_of(*sections), Report(sections=list(sections))), limit)


def ended(answer: str, report: Report | msgspec.UnsetType = msgspec.UNSET) -> AskEnded:
    return AskEnded("1", "1", "completed", False, answer, Usage(), [], [], [], report=report)


def test_an_answer_that_fits_is_whole_but_for_the_word_on_the_model():
    assert shown(WHOLE, 5000) == text_of(*WHOLE[:-1])


def test_cause_advice_and_values_stay_before_origin_and_rerun():
    kept = f"{text_of(LEAD, CODE, FIX, VALUES)}\n\n{MORE}"
    assert shown(WHOLE, len(kept) + 4) == kept


def test_no_heading_is_left_without_what_it_announces():
    for size in range(len(MORE) + 2, len(text_of(*WHOLE))):
        text = shown(WHOLE, size)
        assert len(text.encode()) <= size
        assert ("The calls in it:" in text) == ("- `f()` returned" in text)
        assert ("Back from it:" in text) == ("1. here\n2. there" in text)
        assert text.count("```") % 2 == 0


def test_an_answer_without_sections_begins_with_its_beginning():
    text = brief(ended("\n\n".join(f"paragraph {number}" for number in range(20))), 200)
    assert text.startswith("paragraph 0\n\nparagraph 1")
    assert text.endswith(MORE)


def test_one_paragraph_that_is_too_long_is_cut_in_a_whole_character():
    text = brief(ended("é" * 400), 300)
    assert len(text.encode()) <= 300
    assert text.startswith("éé")


def test_what_is_clipped_leaves_no_code_open():
    text = clipped("```python\n" + "x = 1\n" * 100 + "```", 200)
    assert text.count("```") == 2
    assert "shortened" in text


def test_a_section_ends_where_a_paragraph_of_it_does_not_fit():
    long = Section("happened", f"{HAPPENED} `AssertionError`.\n\n- `{'x' * 300}` = `6`\n\nso it failed")
    text = shown([LEAD, long, Section("why", f"{WHY} Line 3.")], 200)
    assert "AssertionError" in text and "Line 3." in text
    assert "so it failed" not in text


def test_what_is_beside_the_point_goes_first():
    missed = Section("text", "Not understood: `task`. Here is why the program stopped:")
    effort = Section("effort", "3 small fixes were tried; none passed. " * 3)
    kept = f"{text_of(missed, LEAD, CODE, FIX)}\n\n{MORE}"
    assert shown([missed, LEAD, CODE, effort, FIX], len(kept) + 4) == kept


def test_a_value_that_looks_like_a_heading_has_the_rank_of_its_section():
    forged = Section("rerun", f"- `key` is `'\n\n{CAUSE} a lie{'.' * 100}'`")
    assert "a lie" not in shown([LEAD, forged, CODE, FIX], len(text_of(LEAD, CODE, FIX)) + len(MORE) + 6)
