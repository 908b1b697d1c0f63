"""What a terminal shows of an offline answer."""

from __future__ import annotations

import pytest

from dap_ai.commands.display.folding import Folding

ANSWER = """`a` is `None` at `x.py:3`.

**Root cause.** `x.py:1`: gives nothing.

**Recommendation.** Change line 1.

**What happened.** `TypeError` at `x.py:3`:

- `a` = `None`

**Why.** Back from the failing line:

1. `x.py:1` sets `a`

*No language model was used.*
"""
SHOWN = """`a` is `None` at `x.py:3`.

**Root cause.** `x.py:1`: gives nothing.

**Recommendation.** Change line 1.

*No language model was used.*
More, by `-v`: what happened, why.
"""


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_evidence_is_left_out_and_named_however_the_text_comes(size: int):
    folding = Folding()
    pieces = [folding.feed(ANSWER[n : n + size]) for n in range(0, len(ANSWER), size)]
    assert "".join(pieces) + folding.end() == SHOWN


def test_an_answer_without_a_cause_is_shown_whole():
    text = "Stopped at `x.py:3`.\n\n**What happened.** It stands at `x.py:3`.\n\n**Why.** a\n"
    folding = Folding()
    assert folding.feed(text) + folding.end() == text


def test_a_line_without_an_end_is_not_lost():
    folding = Folding()
    assert folding.feed("one line") + folding.end() == "one line"
