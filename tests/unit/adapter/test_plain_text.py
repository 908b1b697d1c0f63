"""Markdown where none is rendered: its text without its marks, and code as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.adapter.asks.plain_text import PlainText, plain_line


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**Recommendation.** Test `tea.stock` for None.", "Recommendation. Test tea.stock for None."),
        ("**Use `x` here.** *Or* not.", "Use x here. Or not."),
        ("## What **happened** ##", "What happened"),
        ("`__init__` calls `**kwargs` and `` a`b ``", "__init__ calls **kwargs and a`b"),
        ("def f(*args, **kwargs): 2 ** 3, 2**3, a * b * c", "def f(*args, **kwargs): 2 ** 3, 2**3, a * b * c"),
        ("__init__ and my_long_name", "__init__ and my_long_name"),
        (r"\*not\* \`code\` \_x", "*not* `code` _x"),
        ("see [the docs](https://e.test/a) and [https://e.test](https://e.test)", "see the docs (https://e.test/a) and https://e.test"),
        ("| a | `b` |", "| a | b |"),
        ("- *one*", "- one"),
        ("* **two**", "* two"),
        ("half a \0 code ` and **half", "half a \\x00 code ` and **half"),
    ],
)  # fmt: skip
def test_marks_go_and_words_and_code_stay(markdown: str, text: str):
    assert PlainText().feed(f"{markdown}\n") == f"{text}\n"


def test_blocks_of_code_are_indented_whatever_they_hold():
    text = "Try:\n````diff\n-**x**\n```\n+`y`\n````\n~~~\n# no heading\n~~~\nDone **now**."
    plain = PlainText()
    assert plain.feed(text) + plain.finish() == "Try:\n    -**x**\n    ```\n    +`y`\n    # no heading\nDone now.\n"


def test_the_line_below_a_tables_head_goes():
    assert PlainText().feed("| a | b |\n|---|:-:|\n| 1 | 2 |\n") == "| a | b |\n| 1 | 2 |\n"


@given(st.text("*`_[]()\\ a\0|~", max_size=40))
def test_no_text_is_too_odd(text: str):
    assert "\0" not in plain_line(text)
