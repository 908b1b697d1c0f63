"""The short answer holds the cause, what proves it, and a fix only if that was verified."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.hosts.testing.short_answer import MAX_LINES, short

EFFECT = "`xs` is empty at `shop.py:9`."
RERUN = """\
**Run again.** In a copy of the process, the whole test fails the same way.

- `mean(xs=[])` raised `ZeroDivisionError: division by zero`
- `total(xs=[])` returned `0`"""
CAUSE = {
    "file": "/shop.py",
    "line": 3,
    "spot": "`shop.py:3`",
    "code": "xs = []",
    "reason": "sets `xs`",
    "certainty": "guess",
}
VALUES = [{"expression": "xs", "value": "[]"}, {"expression": "cart", "value": "<Cart items=[]> [shop.Cart]"}]
DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -3,1 +3,1 @@\n-xs = []\n+xs = [0]"


def told(*, verified=True, diff=DIFF, effect=EFFECT, cause=CAUSE, is_found_by_search=True):
    fix = {"file": "/shop.py", "diff": diff, "verified": verified, "result": "the whole test succeeds with it"}
    fix["isFoundBySearch"] = is_found_by_search
    report = {"effect": effect, "cause": cause, "sections": [{"kind": "rerun", "text": RERUN}]}
    return short({"answer": "", "fixes": [fix], "evidence": VALUES, "report": report})


def test_the_effect_comes_first_and_the_line_that_is_to_blame_below():
    first = [EFFECT, "A guess at the cause: `shop.py:3`: sets `xs`", "    3  xs = []"]
    assert told().splitlines()[:3] == first


def test_a_proved_cause_is_no_guess():
    assert "Root cause: `shop.py:3`: sets `xs`" in told(cause={**CAUSE, "certainty": "proved"}).splitlines()


def test_a_cause_at_the_line_of_the_effect_is_not_told_twice():
    lines = told(cause={**CAUSE, "spot": "`shop.py:9`", "line": 9}).splitlines()
    assert lines[:2] == [EFFECT, "    9  xs = []"]


def test_values_prove_it_but_objects_and_the_failure_itself_do_not():
    lines = told().splitlines()
    assert "- `xs` = `[]`" in lines
    assert "- `total(xs=[])` returned `0`" in lines
    assert not [line for line in lines if "cart" in line or "raised" in line]


def test_a_fix_that_was_found_by_trying_is_called_a_guess():
    assert "A guess that passes: the whole test succeeds with it." in told()
    assert "Verified: the whole test succeeds with it." in told(is_found_by_search=False)


def test_a_fix_that_was_not_verified_is_left_out():
    assert "+xs = [0]" not in told(verified=False)


@pytest.mark.parametrize("lines", [4, 40])
def test_it_is_never_longer_than_it_may_be(lines):
    text = told(diff=DIFF + "".join(f"\n+line {n}" for n in range(lines)))
    assert len(text.splitlines()) <= MAX_LINES
    assert ("--ask=full" in text) == (lines == 40)


def test_an_answer_without_a_report_is_its_first_line():
    answer = "`fact` never ends.\n\nmore\n"
    assert short({"answer": answer, "fixes": [], "evidence": []}) == "`fact` never ends."


@pytest.mark.parametrize(
    ("effect", "end"),
    [
        (
            f"Suspicious: {'; '.join(f'`shop.py:{line}` (sets `rows`)' for line in range(10, 30))}.",
            "(sets `rows`); ...",
        ),
        (f"`total` is {'wrong ' * 60}.", " wrong ..."),
        ("x" * 300, "xxx ..."),
    ],
)
def test_a_long_line_ends_with_a_whole_item_or_a_whole_word(effect: str, end: str):
    first = told(effect=effect).splitlines()[0]
    assert len(first) <= 200
    assert first.endswith(end)
