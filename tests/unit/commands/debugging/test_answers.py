"""A tool's Markdown in a debugger's words."""

from __future__ import annotations

import pytest

from dap_ai.commands.debugging.tool_answers import ShownValue, is_elsewhere, plain, section, value
from dap_ai.system.texts import code

COPY = "(in a snapshot; the program was not changed)"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (f"`f(3)` evaluates to `4` {COPY}.\n", ShownValue("4")),
        ("`sum` is `0`.\n", ShownValue("0")),
        ("`n` is null (`null`).", ShownValue("null (null).")),
        (f"`x` raises `NameError: no x` {COPY}.", ShownValue("*** NameError: no x", failed=True)),
        (
            "`len(` was not evaluated: not an expression.",
            ShownValue("*** len( was not evaluated: not an expression.", failed=True),
        ),
        (
            f"`f()` evaluates to `None` {COPY}. It printed:\n\n```text\nhello\n```",
            ShownValue("None", "It printed:\n\nhello"),
        ),
    ],
)
def test_a_value_is_told_without_what_a_user_knows(answer, found):
    assert value(answer) == found


def test_marks_of_markdown_are_left_out():
    assert plain("**Calls.**\n\n```text\nf() -> `3`\n```\n") == "Calls.\n\nf() -> 3"


def test_a_section_is_found_by_its_title():
    answer = "Arguments:\n\n```text\nn = 2\n```\n\nLocals:\n\n```text\ni = 0\nj = 1\n```\n"
    assert section(answer, "Locals") == "i = 0\nj = 1"
    assert section(answer, "Globals") == ""


def test_a_tool_of_other_programs_is_told_from_an_answer():
    assert is_elsewhere("`type` is not for this program. `info` tells the type.")
    assert not is_elsewhere("`sum` is `0`.")


def test_a_value_with_backticks_is_shown_without_the_fence_around_it():
    assert (
        value(f"{code('x')} evaluates to {code(repr('a`b'))} (in a snapshot; the program was not changed).").text
        == "'a`b'"
    )
    assert plain(f"{code('a`b')} is **3**") == "a`b is 3"
