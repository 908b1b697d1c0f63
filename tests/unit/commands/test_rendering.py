from __future__ import annotations

import io
import time

import pytest
from msgspec.structs import replace

from dap_ai.commands.display.rendering import TerminalDisplay
from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, ToolStep, Usage
from dap_ai.protocol.wire.report import Report, Section
from dap_ai.settings.configuration import Settings


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
    display = TerminalDisplay(Settings(**settings), out, err, verbose=True)
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
    display = TerminalDisplay(Settings(), out, io.StringIO(), verbose=True)
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
    display = TerminalDisplay(Settings(provider="openai"), out, err)
    display.ask_output(AskOutput("ask-1", "tool", "", ToolStep("evaluate", "len(x)", "3\n4")))
    display.status("on we go")
    assert out.getvalue() == ""
    assert err.getvalue() == "· len(x) -> 3 4\non we go\n"


def step(call, result, **more):
    return AskOutput("ask-1", "tool", "", ToolStep("evaluate", call, result, **more))


def errors(*pieces, reason="completed", text="x", usage=None, verbose=False, err=None, error="", provider="openai"):
    err = err or io.StringIO()
    display = TerminalDisplay(Settings(provider=provider), io.StringIO(), err, verbose=verbose)
    for piece in pieces:
        display.ask_output(piece)
    display.ask_ended(AskEnded("ask-1", "c-1", reason, False, text, usage or Usage(), [], [], [], error))
    display.close()
    return err.getvalue()


def test_the_steps_and_progress_of_the_offline_analyst_are_no_lines():
    progress = AskOutput("ask-1", "status", "running the failure again in 2 snapshots")
    assert errors(step("f(1)", "2"), progress, provider="offline") == ""


def test_a_terminal_shows_the_last_step_in_the_line_that_goes():
    progress = AskOutput("ask-1", "status", "running the failure again in 2 snapshots")
    assert "running the failure again" in errors(progress, err=Screen(), provider="offline")


def test_a_brief_answer_leaves_out_the_evidence_and_says_how_to_get_it():
    sections = [Section("verdict", "`a` is `0`."), Section("why", "far " * 500), Section("answerer", "*No model.*")]
    out = io.StringIO()
    display = TerminalDisplay(Settings(provider="openai"), out, io.StringIO(), brief=True)
    display.ask_output(answer("`a` is `0`.\n\n"))
    display.ask_ended(replace(ended("whole"), report=Report(sections=sections)))
    assert out.getvalue() == "`a` is `0`.\n\n(Shortened: without `--brief` the answer is whole.)\n"


def test_a_step_tells_how_long_it_took_and_whether_in_a_snapshot():
    assert errors(step("f(1)", "2", seconds=0.0081, snapshot=True)) == "· f(1) -> 2 (8 ms, snapshot)\n"


def test_fences_of_a_result_are_left_out_of_its_line():
    assert (
        errors(step("stack()", "Frames:\n\n```text\n#0 main\n```\n\nNo more."))
        == "· stack() -> Frames: #0 main No more.\n"
    )


def test_the_line_of_an_evaluation_tells_the_expression_once():
    assert errors(step("evaluate(size)", "`size` evaluates to `'20'`")) == "· evaluate(size) -> '20'\n"


def test_a_long_result_gives_way_to_what_stands_after_it():
    (line,) = errors(step("f(1)", "word " * 99, seconds=0.0081)).splitlines()
    assert len(line) <= 160
    assert line.endswith("… (8 ms)")


def test_a_verbose_step_shows_its_whole_result_indented():
    result = "a = 1\n\nb = 2"
    assert errors(step("frame()", result, seconds=0.002), verbose=True) == "· frame() (2 ms)\n    a = 1\n\n    b = 2\n"


def test_a_verbose_step_whose_result_fits_is_one_line_still():
    assert errors(step("f(1)", "2"), verbose=True) == "· f(1) -> 2\n"


@pytest.mark.parametrize(
    "status", ["the model is thinking (120 characters)", "tried 20 of 240 small fixes in snapshots"]
)
def test_that_time_passes_is_no_line(status):
    assert errors(AskOutput("ask-1", "status", status)) == ""


def test_a_terminal_shows_that_the_model_is_thinking():
    assert "thinking (120 characters)" in errors(
        AskOutput("ask-1", "status", "the model is thinking (120 characters)"), err=Screen()
    )


def test_who_answers_is_told_once_in_a_chat():
    notice, other = (AskOutput("ask-1", "status", text) for text in ("the model m answers", "trying fixes"))
    assert errors(notice, other, notice, other) == "the model m answers\ntrying fixes\ntrying fixes\n"


def test_a_limit_is_said_in_words_that_name_the_settings():
    assert "max_tool_calls" in errors(reason="limit")


def test_a_model_that_failed_is_an_error_with_its_reason():
    assert errors(reason="failed", error="The key is not accepted.") == "dap-ai: The key is not accepted.\n"


def test_what_a_model_cost_is_one_line():
    usage = Usage(3, 5, 2431, 310, 0.0021, 4.1234, "openai", "gpt-5")
    line = "openai · gpt-5 · 3 model calls · 5 tools · 2 431 + 310 tokens · $0.0021 · 4.1 s\n"
    assert errors(usage=usage) == line


def test_an_unknown_price_is_not_told():
    assert "$" not in errors(usage=Usage(3, 5, 2431, 310, 0.0, 4.1, "openai", "qwen3"))


def test_tokens_that_nobody_counted_are_not_told():
    assert (
        errors(usage=Usage(1, 0, 0, 0, 0.0, 4.1, "openai", "qwen3"))
        == "openai · qwen3 · 1 model call · 0 tools · 4.1 s\n"
    )


def test_the_sum_of_a_chat_names_how_many_questions_it_had():
    err = io.StringIO()
    TerminalDisplay(Settings(), io.StringIO(), err).spent(3, Usage(3, 5, 10, 20, 0.0, 4.1, "openai", "gpt-5"))
    assert err.getvalue().startswith("3 questions: openai · gpt-5 · 3 model calls")


@pytest.mark.parametrize(
    ("text", "description", "words"),
    [
        ("KeyError", "'" + "x" * 5000 + "'", "stopped: KeyError: 'xxx"),
        (
            "AssertionError",
            "assert 1 == 2\n + where 1 = f()",
            "stopped: AssertionError: assert 1 == 2\n  + where 1 = f()\n",
        ),
        ("EOFError", "exception: no description", "stopped: EOFError\n"),
        ("AssertionError", "\x1b[0m\x1b[91m- top\x1b[39;49;00m", "stopped: AssertionError: - top\n"),
        (
            "KeyError       (note: full exception trace is shown but execution is paused at: f)",
            "'k'",
            "stopped: KeyError: 'k'\n",
        ),
    ],
)
def test_a_stop_is_a_short_line_and_further_lines_of_a_message_stand_below_it(text, description, words):
    err = io.StringIO()
    body = {"reason": "exception", "text": text, "description": description}
    TerminalDisplay(Settings(), io.StringIO(), err).stopped(body)
    assert err.getvalue().startswith(words)
    assert err.getvalue().count("\n") == 1 + description.count("\n")
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


def test_an_action_is_shown_whole_and_apart_from_the_models_reason():
    out, err = io.StringIO(), io.StringIO()
    action, reason = "f(" + "x" * 500 + ")", "fine\n    step: next\n\x1b[2Jallow? \u202e"
    TerminalDisplay(Settings(), out, err).approval(AskApproval("a", "1", action, reason, "execute", 60.0))
    lines = err.getvalue().splitlines()
    assert lines[:2] == ["The agent wants to act on the program:", f"    execute: {action}"]
    assert lines[2:] == [r"    its reason: fine step: next \x1b[2Jallow? \u202e"]
    assert not out.getvalue()
