"""An answer cut to a size: what matters most stays, in whole paragraphs and in its order."""

from __future__ import annotations

from dap_ai.agent.report.wording import ADVICE, AGAIN, CAUSE, HAPPENED, NO_MODEL, WHY
from dap_ai.commands.mcp.brief import MORE, brief, clipped

LEAD = "`low` is `6`."
CODE = f"{CAUSE} Line 15.\n\n```python\n15  a\n\n16  b\n```"
FIX = f"{ADVICE} Change it.\n\n```diff\n-a\n+b\n```"
VALUES = f"{HAPPENED} `AssertionError`.\n\n- `low` = `6`"
ORIGIN = f"{WHY} Back from it:\n\n1. here\n2. there"
RERUN = f"{AGAIN} It fails again.\n\nThe calls in it:\n\n- `f()` returned"
WHOLE = f"{LEAD}\n\n{CODE}\n\n{FIX}\n\n{VALUES}\n\n{ORIGIN}\n\n{RERUN}\n\n*{NO_MODEL}*"


def test_an_answer_that_fits_is_whole_but_for_the_word_on_the_model():
    assert brief(WHOLE, 5000) == WHOLE.replace(f"\n\n*{NO_MODEL}*", "")


def test_cause_advice_and_values_stay_before_origin_and_rerun():
    wanted = f"{LEAD}\n\n{CODE}\n\n{FIX}\n\n{VALUES}\n\n{MORE}"
    assert brief(WHOLE, len(wanted) + 4) == wanted


def test_no_heading_is_left_without_what_it_announces():
    for size in range(len(MORE) + 2, len(WHOLE)):
        shown = brief(WHOLE, size)
        assert len(shown.encode()) <= size
        assert ("The calls in it:" in shown) == ("- `f()` returned" in shown)
        assert ("Back from it:" in shown) == ("1. here\n2. there" in shown)
        assert shown.count("```") % 2 == 0


def test_an_answer_without_headings_begins_with_its_beginning():
    answer = "\n\n".join(f"paragraph {number}" for number in range(20))
    shown = brief(answer, 200)
    assert shown.startswith("paragraph 0\n\nparagraph 1")
    assert shown.endswith(MORE)


def test_one_paragraph_that_is_too_long_is_cut_in_a_whole_character():
    shown = brief("é" * 400, 300)
    assert len(shown.encode()) <= 300
    assert shown.startswith("éé")


def test_what_is_clipped_leaves_no_code_open():
    shown = clipped("```python\n" + "x = 1\n" * 100 + "```", 200)
    assert shown.count("```") == 2
    assert "shortened" in shown


def test_a_section_ends_where_a_paragraph_of_it_does_not_fit():
    answer = f"{LEAD}\n\n{HAPPENED} `AssertionError`.\n\n- `{'x' * 300}` = `6`\n\nso it failed\n\n{WHY} Line 3."
    shown = brief(answer, 200)
    assert "AssertionError" in shown and "Line 3." in shown
    assert "so it failed" not in shown


def test_what_is_beside_the_point_goes_first():
    missed = "Not understood: `task`. Here is why the program stopped:"
    answer = f"{missed}\n\n{LEAD}\n\n{CODE}\n\n{'3 small fixes were tried; none passed. ' * 3}\n\n{FIX}"
    wanted = f"{missed}\n\n{LEAD}\n\n{CODE}\n\n{FIX}\n\n{MORE}"
    assert brief(answer, len(wanted) + 4) == wanted
