"""The short answer holds the cause, what proves it, and a fix only if that was verified."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.hosts.testing.short_answer import MAX_LINES, short

ANSWER = """\
`xs` is empty at `shop.py:9`; a guess at the cause: `shop.py:3` (sets `xs`).

**Root cause (a guess).** `shop.py:3`: sets `xs`.

```python
3  xs = []
```

**Recommendation.** A guess, found by trying small changes: check that it does what you intend.

**What happened.** `ZeroDivisionError: division by zero` at `shop.py:9`, in `mean`:

- `xs` = `[]`
- `cart` = `<Cart items=[]> [shop.Cart]`

**Run again.** In a copy of the process, the whole test fails the same way.

- `mean(xs=[])` raised `ZeroDivisionError: division by zero`
- `total(xs=[])` returned `0`
"""
DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -3,1 +3,1 @@\n-xs = []\n+xs = [0]"


def told(*, verified=True, diff=DIFF, answer=ANSWER):
    fix = {"file": "/shop.py", "diff": diff, "verified": verified, "result": "the whole test succeeds with it"}
    return short({"answer": answer, "fixes": [fix]})


def test_the_verdict_comes_first_and_the_line_that_is_to_blame_below():
    first = ["`xs` is empty at `shop.py:9`.", "A guess at the cause: `shop.py:3` (sets `xs`)."]
    assert told().splitlines()[:3] == [*first, "    3  xs = []"]


def test_values_prove_it_but_objects_and_the_failure_itself_do_not():
    lines = told().splitlines()
    assert "- `xs` = `[]`" in lines
    assert "- `total(xs=[])` returned `0`" in lines
    assert not [line for line in lines if "cart" in line or "raised" in line]


def test_a_cause_that_the_verdict_does_not_name_is_told():
    answer = ANSWER.replace("; a guess at the cause: `shop.py:3` (sets `xs`)", "")
    assert "Root cause (a guess): `shop.py:3`: sets `xs`." in told(answer=answer)


def test_why_it_is_the_guess_is_told_where_the_verdict_has_no_room_for_that():
    answer = ANSWER.replace(" (sets `xs`).", ".")
    assert "A guess at the cause: `shop.py:3`: sets `xs`." in told(answer=answer).splitlines()


def test_a_fix_that_was_found_by_trying_is_called_a_guess():
    assert "A guess that passes: the whole test succeeds with it." in told()
    guess = "A guess, found by trying small changes: check that it does what you intend."
    ruled = ANSWER.replace(guess, "Change line 3.")
    assert "Verified: the whole test succeeds with it." in told(answer=ruled)


def test_a_fix_that_was_not_verified_is_left_out():
    assert "+xs = [0]" not in told(verified=False)


@pytest.mark.parametrize("lines", [4, 40])
def test_it_is_never_longer_than_it_may_be(lines):
    text = told(diff=DIFF + "".join(f"\n+line {n}" for n in range(lines)))
    assert len(text.splitlines()) <= MAX_LINES
    assert ("--ask=full" in text) == (lines == 40)


def test_an_answer_without_headings_is_its_first_line():
    assert short({"answer": "`fact` never ends.\n\nmore\n", "fixes": []}) == "`fact` never ends."


@pytest.mark.parametrize(
    ("verdict", "end"),
    [
        (
            f"Suspicious: {'; '.join(f'`shop.py:{line}` (sets `rows`)' for line in range(10, 30))}.",
            "(sets `rows`); ...",
        ),
        (f"`total` is {'wrong ' * 60}.", " wrong ..."),
        ("x" * 300, "xxx ..."),
    ],
)
def test_a_long_line_ends_with_a_whole_item_or_a_whole_word(verdict: str, end: str):
    first = told(answer=f"{verdict}\n\n{ANSWER}").splitlines()[0]
    assert len(first) <= 200
    assert first.endswith(end)
