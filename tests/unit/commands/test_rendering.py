from __future__ import annotations

import io
import time

import pytest

from dap_ai.commands.rendering import TerminalDisplay
from dap_ai.config import Settings
from dap_ai.protocol.ask import AskEnded, AskOutput, ToolStep, Usage


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")


def answer(text):
    return AskOutput("ask-1", "answer", text)


def ended(text="", reason="completed"):
    return AskEnded("ask-1", "c-1", reason, False, text, Usage(provider="offline"), [], [], [])


def shown(out, err, pieces, **settings):
    display = TerminalDisplay(Settings(**settings), out, err)
    for piece in pieces:
        display.ask_output(answer(piece))
    display.ask_ended(ended("".join(pieces)))
    display.close()
    return out.getvalue()


def test_a_pipe_gets_the_markdown_as_it_came():
    assert shown(io.StringIO(), io.StringIO(), ["# Why\n\n`x` is ", "**3**.\n"]) == "# Why\n\n`x` is **3**.\n"


def test_a_terminal_gets_rendered_blocks():
    text = shown(Screen(), io.StringIO(), ["# Why\n\n`x` is ", "**3**.\n"])
    assert "**" not in text
    assert "Why" in text


def test_a_block_is_printed_once_and_never_taken_back():
    out = Screen()
    display = TerminalDisplay(Settings(), out, io.StringIO())
    display.ask_output(answer("One.\n\nTw"))
    first = out.getvalue()
    assert "One." in first
    display.ask_output(answer("o.\n\n"))
    assert out.getvalue().startswith(first)
    assert out.getvalue().count("One.") == 1
    assert out.getvalue().count("Two.") == 1


def test_no_color_is_honoured(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = shown(Screen(), io.StringIO(), ["```python\nx = 1\n```\n"])
    assert "\x1b[3" not in text
    assert "x = 1" in text


def test_markdown_can_be_switched_off_on_a_terminal():
    assert shown(Screen(), io.StringIO(), ["**3**\n"], markdown=False) == "**3**\n"


def test_control_characters_of_the_program_never_reach_the_terminal():
    assert "\x1b]0;" not in shown(Screen(), io.StringIO(), ["value \x1b]0;title\x07\n"], markdown=False)


def test_an_answer_that_was_not_streamed_is_shown_at_its_end():
    out = io.StringIO()
    display = TerminalDisplay(Settings(), out, io.StringIO())
    display.ask_ended(ended("All of it."))
    assert out.getvalue() == "All of it.\n"


def test_status_and_steps_go_to_stderr_one_line_each():
    out, err = io.StringIO(), io.StringIO()
    display = TerminalDisplay(Settings(), out, err)
    display.ask_output(AskOutput("ask-1", "tool", "", ToolStep("evaluate", "len(x)", "3\n4")))
    display.status("on we go")
    assert out.getvalue() == ""
    assert err.getvalue() == "· len(x) -> 3 4\non we go\n"


@pytest.mark.parametrize(
    ("text", "description", "words"),
    [
        ("KeyError", "'" + "x" * 5000 + "'", "stopped: KeyError: 'xxx"),
        ("AssertionError", "assert 1 == 2\n + where 1 = f()", "stopped: AssertionError: assert 1 == 2 + where 1 = f()"),
        ("EOFError", "exception: no description", "stopped: EOFError\n"),
        (
            "KeyError       (note: full exception trace is shown but execution is paused at: f)",
            "'k'",
            "stopped: KeyError: 'k'\n",
        ),
    ],
)
def test_a_stop_is_one_short_line(text, description, words):
    err = io.StringIO()
    body = {"reason": "exception", "text": text, "description": description}
    TerminalDisplay(Settings(), io.StringIO(), err).stopped(body)
    assert err.getvalue().startswith(words)
    assert err.getvalue().count("\n") == 1
    assert len(err.getvalue()) < 200


def test_a_line_that_the_program_has_begun_is_left_first():
    err = Screen()
    TerminalDisplay(Settings(), io.StringIO(), err).exited(0, "the program ended")
    assert err.getvalue().startswith(" " * 60 + "\r")


def test_a_narrow_terminal_folds_text(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    text = shown(Screen(), io.StringIO(), ["word " * 20 + "\n\n"])
    assert max(len(line) for line in text.splitlines()) <= 20


def test_a_reason_other_than_completed_is_said():
    err = io.StringIO()
    TerminalDisplay(Settings(), io.StringIO(), err).ask_ended(ended("x", "cancelled"))
    assert "cancelled" in err.getvalue()


def test_an_answer_costs_linear_time():
    def seconds(count):
        start = time.perf_counter()
        shown(Screen(), io.StringIO(), ["A line of text.\n\n"] * count)
        return time.perf_counter() - start

    seconds(10)
    assert seconds(400) < 20 * seconds(100)
