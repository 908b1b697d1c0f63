"""A model that repeats itself, within a reply and from reply to reply."""

from __future__ import annotations

import asyncio

import pytest

from dap_ai.agent.loop.investigate import investigate
from dap_ai.agent.loop.repeating import RepetitionFilter, Rounds
from dap_ai.agent.model_port import ModelError, Piece, Reasoning, Reply, Text, ToolCall
from tests.unit.agent.loop.test_agent_loop import Replies, Tools, talk_with

DRAFT = "It is 3. **Recommendation.** Step on."
REPORT = [ToolCall("c1", "report", '{"evidence": []}')]
SENTENCE = "The cause is that the total was never added to the sum of the row. "


def stopped(talk):
    return asyncio.run(investigate(talk))


class Refusing(Tools):
    """A report is never accepted."""

    async def call(self, call: ToolCall) -> str:
        answer = await super().call(call)
        self.reported = False
        return answer


def refusing(*replies, **budget):
    talk = talk_with(Replies(*replies), **budget)
    talk.toolbox = Refusing(usage=talk.usage)
    return talk


def test_a_second_identical_reply_ends_it_with_what_was_found():
    talk = refusing(*[Reply(DRAFT, REPORT) for _ in range(12)])
    answer = stopped(talk)
    assert len(talk.model.asked) == 2
    assert answer.startswith(DRAFT) and answer.count(DRAFT) == 1
    assert answer.count("repeats itself") == 1
    assert answer == talk.sink.text("answer")
    assert [call.name for call in talk.toolbox.called] == ["report"]


def test_the_same_calls_are_the_same_however_their_arguments_are_laid_out():
    calls = [[ToolCall(f"c{n}", "report", text)] for n, text in enumerate(['{"a":1,"b":2}', '{ "b": 2, "a": 1 }'])]
    talk = refusing(Reply(DRAFT, calls[0]), Reply(f"{DRAFT}\n", calls[1]))
    assert "repeats itself" in stopped(talk)


def test_a_report_that_was_corrected_ends_as_ever_and_its_answer_is_not_said_twice():
    corrected = [ToolCall("c2", "report", '{"evidence": [1]}')]
    talk = talk_with(Replies(Reply(DRAFT, [ToolCall("c1", "stack", "{}")]), Reply(DRAFT, corrected)))
    answer = stopped(talk)
    assert answer == f"{DRAFT}\n\n" == talk.sink.text("answer")


def test_who_calls_the_same_again_has_to_answer_without_tools():
    look = Reply(calls=[ToolCall("c1", "evaluate", '{"expression": "a"}')])
    talk = talk_with(Replies(look, look, Reply("It is 3.")))
    answer = stopped(talk)
    assert answer == talk.sink.text("answer") and answer.endswith("It is 3.\n\n") and "repeats itself" in answer
    assert [tools for _, tools in talk.model.asked] == [1, 1, 0]
    assert len(talk.toolbox.called) == 1
    calls = [c["id"] for m in talk.messages for c in m.get("tool_calls", ())]
    assert calls == [m["tool_call_id"] for m in talk.messages if m["role"] == "tool"]


def test_who_has_nothing_to_say_without_tools_either_has_not_answered():
    look = Reply(calls=[ToolCall("c1", "evaluate", "{}")])
    with pytest.raises(ModelError, match="repeats itself"):
        stopped(talk_with(Replies(look, look, Reply())))


def test_the_same_step_again_goes_on_where_the_program_has_moved():
    class Stepping(Tools):
        async def call(self, call: ToolCall) -> str:
            self.changes += 1
            return await super().call(call)

    step = Reply(calls=[ToolCall("c1", "step", '{"how": "over"}')])
    talk = talk_with(Replies(step, step, step, Reply("It is 3.")))
    talk.toolbox = Stepping(usage=talk.usage)
    assert stopped(talk) == "It is 3.\n\n"
    assert len(talk.toolbox.called) == 3


def test_calls_that_alternate_are_not_the_same():
    looks = [Reply(calls=[ToolCall("c1", "evaluate", name)]) for name in ("a", "b", "a")]
    assert stopped(talk_with(Replies(*looks, Reply("It is 3.")))) == "It is 3.\n\n"


class Endless(Replies):
    """Says the same piece for ever, and counts how often."""

    def __init__(self, piece: Piece, *first: Piece) -> None:
        super().__init__()
        self.first, self.piece, self.said, self.closed = first, piece, 0, False

    async def stream(self, messages, tools):
        try:
            for piece in self.first:
                yield piece
            while True:
                self.said += 1
                yield self.piece
        finally:
            self.closed = True


@pytest.mark.parametrize("block", [SENTENCE, f"## Cause\n\n{SENTENCE * 9}\n\n- one\n- two\n\n", "no "])
def test_a_reply_that_says_the_same_for_ever_is_cut_off(block: str):
    model = Endless(Text(block), Text("It is 3.\n\n"))
    talk = talk_with(model)
    answer = stopped(talk)
    assert model.closed and model.said * len(block) < 8_000
    assert answer.startswith("It is 3.") and answer.count("repeats itself") == 1
    assert answer == talk.sink.text("answer")


def test_thoughts_without_end_are_cut_off_too_and_are_no_answer():
    model = Endless(Reasoning(SENTENCE))
    with pytest.raises(ModelError, match="repeats itself"):
        stopped(talk_with(model))
    assert model.closed


ROWS = "".join(f"| {n:>4} | {n * 7919 % 1000:>4} | 0.0000 | 0.0000 |\n" for n in range(400))
ZEROS = f"The buffer is {'0x00, ' * 256}and nothing else. "


@pytest.mark.parametrize("text", [ROWS, ZEROS * 2, f"{SENTENCE * 3}{ROWS}", "-" * 2000 + ROWS + "-" * 2000])
def test_a_long_table_and_a_row_of_zeros_are_no_repetition(text: str):
    rounds = Rounds()
    assert not any(rounds.take(text[at : at + 7]) for at in range(0, len(text), 7))


@pytest.mark.parametrize(
    ("before", "pieces", "shown"),
    [
        ("", ["It ", "is"], "It is"),
        ("It is 3.", ["It ", "is 3."], ""),
        ("It is 3.", ["It ", "is 4."], "It is 4."),
        ("It is 3.", ["It is 3.", " Or 4."], "It is 3. Or 4."),
        ("It is 3.", ["It"], "It"),
    ],
)
def test_only_the_very_words_of_the_reply_before_are_left_out(before: str, pieces: list[str], shown: str):
    held = RepetitionFilter(before)
    assert "".join([*map(held.take, pieces), held.end()]) == shown
