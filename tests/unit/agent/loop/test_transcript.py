"""A conversation as a file, as Markdown, and its cost in words."""

from __future__ import annotations

import json

import pytest

from dap_ai.agent.loop.transcript_file import Exchange, Transcript, cost, export, markdown, total
from dap_ai.agent.model_port import Reply, ToolCall
from dap_ai.agent.prompts import wording
from dap_ai.protocol.wire.ask_messages import ToolStep, Usage
from dap_ai.protocol.wire.errors import RequestFailed

MARKER = "data-0a1b2c3d"


def question(text):
    return {
        "role": "user",
        "content": wording("question", occasion="", marker=MARKER, context="secret of the stop", question=text),
    }


def conversation(path):
    """A question, a tool, an answer, a follow-up, an answer; written as they are made."""
    record = Transcript(path, lambda message: message, "ask-1")
    call = Reply(
        calls=[ToolCall("c1", "evaluate", '{"expression": "len(x)"}')], input_tokens=1000, output_tokens=20, model="m"
    )
    record.keep({"role": "system", "content": "You are a debugger."})
    record.keep(question("why?"))
    record.keep(call.message(), call)
    record.keep({"role": "tool", "tool_call_id": "c1", "content": f"<{MARKER}>\n3\n</{MARKER}>"})
    answer = Reply("Because of 3.", input_tokens=1100, output_tokens=30, model="m")
    record.keep(answer.message(), answer)
    record.keep({"role": "user", "content": wording("follow_up", history="", question="and then?")})
    record.keep(Reply("Nothing.").message(), Reply("Nothing."))


@pytest.fixture
def lines(tmp_path):
    conversation(tmp_path / "folder" / "talk.jsonl")
    return (tmp_path / "folder" / "talk.jsonl").read_text().splitlines()


def test_each_message_is_a_line_that_only_the_user_may_read(lines, tmp_path):
    assert [json.loads(line)["role"] for line in lines] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]
    assert (tmp_path / "folder" / "talk.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_message_is_written_before_the_next_one_is_made(tmp_path):
    record = Transcript(tmp_path / "talk.jsonl", lambda message: message)
    record.keep(question("why?"))
    assert "why?" in (tmp_path / "talk.jsonl").read_text()


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Transcript.of("", "c-1", "ask-1", dict).keep(question("why?"))
    assert list(tmp_path.iterdir()) == []


def test_a_transcript_that_cannot_be_written_is_said_and_names_the_setting(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestFailed, match="transcripts"):
        Transcript(tmp_path / "file" / "talk.jsonl", lambda message: message).keep(question("why?"))


def test_a_transcript_becomes_questions_folded_steps_and_answers(lines):
    text = export(lines)
    places = [text.index(part) for part in ("## why?", "evaluate(len(x))", "Because of 3.", "## and then?", "Nothing.")]
    assert places == sorted(places)
    assert "<details>" in text


def test_what_only_the_model_was_told_is_not_exported(lines):
    text = export(lines)
    assert "You are a debugger" not in text
    assert "secret of the stop" not in text
    assert MARKER not in text


def test_the_tokens_of_a_question_are_summed(lines):
    assert "*m · 2 model calls · 1 tool · 2 100 + 50 tokens*" in export(lines)


def test_an_empty_transcript_has_no_questions():
    assert "##" not in export([])


@pytest.mark.parametrize("line", ["{", "[]", '"text"'])
def test_a_line_that_is_no_message_is_named(lines, line):
    with pytest.raises(ValueError, match="line 2 is not a message"):
        export([lines[0], line])


def test_a_result_cannot_end_its_own_fence():
    text = markdown([Exchange("why?", [ToolStep("source", "source(a.py)", "```python\nx\n```\n</details>")])])
    assert "\n````\n```python\nx\n```\n</details>\n````\n" in text


def test_a_call_cannot_be_html():
    assert "<b>" not in markdown([Exchange("why?", [ToolStep("evaluate", "evaluate('<b>')")])])


def test_a_step_that_brought_nothing_folds_nothing():
    text = markdown([Exchange("why?", [ToolStep("inspect", "inspect 1 frame", seconds=0.003)])])
    assert "\n<code>inspect 1 frame</code> 3 ms\n" in text and "details" not in text


def test_a_question_of_several_lines_is_one_heading():
    assert "## why is\n" not in markdown([Exchange("why is\nx 3?")])


def test_pieces_of_an_answer_are_put_together():
    exchange = Exchange("why?")
    exchange.say("Be")
    exchange.say("cause.")
    assert exchange.parts == ["Because."]


@pytest.mark.parametrize(
    ("usage", "line"),
    [
        (Usage(), ""),
        (Usage(tool_calls=13, seconds=0.54, provider="offline"), "offline · 13 steps · 0.54 s"),
        (Usage(1, 1, 0, 0, 0.0, 12.0, "openai", "m"), "openai · m · 1 model call · 1 tool · 12.0 s"),
        (
            Usage(2, 0, 1234567, 5, 0.5, 1.04, "openai", "m"),
            "openai · m · 2 model calls · 0 tools · 1 234 567 + 5 tokens · $0.5000 · 1.0 s",
        ),
    ],
)
def test_the_cost_is_told_as_far_as_it_is_known(usage, line):
    assert cost(usage) == line


def test_a_sum_counts_what_models_did_and_names_the_one_that_answered_last():
    models = [Usage(1, 2, 3, 4, 0.5, 6.0, "openai", "m"), Usage(1, 1, 1, 1, 0.25, 1.0, "openai", "n")]
    without = [Usage(tool_calls=118, provider="offline"), Usage()]
    assert total([*models, *without]) == Usage(2, 3, 4, 5, 0.75, 7.0, "openai", "n")
    assert total(without).provider == "offline"
