"""The loop in which a model investigates, with a scripted model and tools that only answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from dap_ai.agent.loop.investigate import AskBudget, Talk, investigate
from dap_ai.agent.model_port import ModelError, Piece, Reasoning, Reply, Text, ToolCall
from dap_ai.protocol.wire.ask_messages import Usage
from tests.unit.agent.harness import Heard


class Replies:
    """A model that says these replies, or fails with these errors, one a request; it keeps what it was asked."""

    provider, name, notice = "test", "gpt-5-mini", ""

    def __init__(self, *replies: Reply | ModelError | list[Piece]) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[list[dict[str, Any]], int]] = []
        """The messages, and how many tools were offered."""

    def warm(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(self, messages: Sequence[dict[str, Any]], tools: Sequence[Any]):
        self.asked.append(([dict(m) for m in messages], len(tools)))
        reply = self.replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        if isinstance(reply, Reply):
            reply = [*([Text(reply.text)] if reply.text else []), reply]
        for piece in reply:
            yield piece


@dataclass
class Tools:
    """Tools that answer with what they were asked."""

    schemas: Sequence[Any] = ({"type": "function", "function": {"name": "evaluate"}},)
    reported: bool = False
    changes: int = 0
    called: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None

    async def call(self, call: ToolCall) -> str:
        self.called.append(call)
        assert self.usage
        self.usage.tool_calls += 1
        self.reported |= call.name == "report"
        return f"{call.name}: {call.arguments}"


@dataclass
class Kept:
    rows: list[dict[str, Any]] = field(default_factory=list)

    def keep(self, message: dict[str, Any], reply: Reply | None = None) -> None:
        self.rows.append(message)


def talk_with(model: Replies, **budget: Any) -> Talk:
    usage = Usage()
    first = [{"role": "system", "content": "rules"}, {"role": "user", "content": "why?"}]
    return Talk(model, first, Tools(usage=usage), AskBudget(**budget), Heard(), usage, Kept(), lambda message: message)


def answer(talk: Talk) -> str:
    return asyncio.run(investigate(talk))


LOOK, LOOK_AGAIN = (
    Reply(calls=[ToolCall("c1", "evaluate", f'{{"expression": "{name}"}}')], input_tokens=100, output_tokens=10)
    for name in "ab"
)


def test_results_go_back_in_the_order_of_their_calls():
    both = Reply("Look.", [ToolCall("c1", "evaluate", "1"), ToolCall("c2", "stack", "2")])
    model = Replies(both, Reply("It is 3."))
    assert answer(talk_with(model)) == "Look.\n\nIt is 3.\n\n"
    told = model.asked[1][0][-2:]
    assert [(m["tool_call_id"], m["content"]) for m in told] == [("c1", "evaluate: 1"), ("c2", "stack: 2")]


@pytest.mark.parametrize("said", ["Look.", "Look.\n", "Look.\n\n"])
def test_what_a_model_says_after_a_call_is_another_paragraph(said: str):
    talk = talk_with(Replies(Reply(said, LOOK.calls), Reply("It is 3.")))
    assert answer(talk) == "Look.\n\nIt is 3.\n\n"


def test_what_is_shown_is_the_answer():
    talk = talk_with(Replies(Reply("Look.\n", LOOK.calls), Reply("It is 3.")))
    assert answer(talk) == talk.sink.text("answer")


def test_calls_are_made_whatever_the_reason_to_finish_is():
    talk = talk_with(Replies(Reply(calls=LOOK.calls, finish="stop"), Reply("It is 3.")))
    answer(talk)
    assert [call.id for call in talk.toolbox.called] == ["c1"]


def test_an_answer_beside_an_accepted_report_ends_it():
    model = Replies(Reply("It is 3.", [ToolCall("c1", "report", "{}")]))
    assert answer(talk_with(model)) == "It is 3.\n\n"
    assert len(model.asked) == 1


def test_a_report_before_the_answer_does_not_end_it():
    model = Replies(Reply(calls=[ToolCall("c1", "report", "{}")]), Reply("It is 3."))
    assert answer(talk_with(model)) == "It is 3.\n\n"


def test_an_empty_reply_is_asked_again_once():
    model = Replies(Reply(), Reply("It is 3."))
    assert answer(talk_with(model)) == "It is 3.\n\n"
    assert "answered with nothing" in model.asked[1][0][-1]["content"]


def test_two_empty_replies_are_an_error():
    with pytest.raises(ModelError, match="answers with nothing"):
        answer(talk_with(Replies(Reply(), Reply())))


@pytest.mark.parametrize(
    ("budget", "limit"),
    [({"calls": 2}, "2 tool calls"), ({"tokens": 220}, "220 tokens"), ({"usd": 0.00009}, "9e-05 dollars")],
)
def test_a_budget_that_is_used_up_ends_it_with_an_answer_without_tools(budget: dict[str, Any], limit: str):
    model = Replies(LOOK, LOOK_AGAIN, Reply("So far: 3."))
    talk = talk_with(model, **budget)
    assert answer(talk) == "So far: 3.\n\n" and talk.limit == limit
    assert [tools for _, tools in model.asked] == [1, 1, 0]
    assert limit in model.asked[2][0][-1]["content"]


def test_the_time_that_is_used_up_ends_it_too():
    talk = talk_with(Replies(Reply("So far: 3.")), seconds=1e-9)
    assert answer(talk) == "So far: 3.\n\n" and talk.limit


def test_calls_of_the_last_answer_are_not_made():
    model = Replies(Reply("So far: 3.", LOOK.calls))
    talk = talk_with(model, seconds=1e-9)
    answer(talk)
    assert talk.toolbox.called == []


def test_no_call_is_left_unanswered_in_the_conversation_after_the_budget():
    talk = talk_with(Replies(Reply("So far: 3.", LOOK.calls)), seconds=1e-9)
    answer(talk)
    calls = [c["id"] for m in talk.messages for c in m.get("tool_calls", ())]
    assert calls == [m["tool_call_id"] for m in talk.messages if m["role"] == "tool"]


def test_a_budget_that_is_used_up_with_an_empty_reply_still_ends():
    talk = talk_with(Replies(Reply()), seconds=1e-9)
    assert answer(talk).strip()


def test_zero_is_without_limit():
    talk = talk_with(Replies(LOOK, LOOK_AGAIN, Reply("3")), calls=0, tokens=0, seconds=0, usd=0)
    assert answer(talk) == "3\n\n" and not talk.limit


def test_an_overflow_shortens_the_conversation_and_asks_once_more():
    model = Replies(ModelError("overflow", "too long"), Reply("It is 3."))
    talk = talk_with(model)
    talk.messages.append({"role": "user", "content": "x" * 20_000})
    assert answer(talk) == "It is 3.\n\n"
    assert len(model.asked[1][0][-1]["content"]) < 5000
    assert "shortened" in talk.sink.text("status")


def test_an_overflow_with_nothing_to_shorten_is_an_error():
    with pytest.raises(ModelError, match="too long"):
        answer(talk_with(Replies(ModelError("overflow", "too long"))))


def test_any_other_trouble_is_passed_on():
    with pytest.raises(ModelError, match="bad key"):
        answer(talk_with(Replies(ModelError("key", "bad key"))))


def test_usage_and_cost_are_the_sum_of_all_replies():
    talk = talk_with(Replies(LOOK, Reply("3", input_tokens=200, output_tokens=20, model="gpt-5-mini-2025-08-07")))
    answer(talk)
    usage = talk.usage
    assert (usage.model_calls, usage.tool_calls, usage.input_tokens, usage.output_tokens) == (2, 1, 300, 30)
    assert usage.cost_usd == pytest.approx((300 * 0.25 + 30 * 2) / 1e6)


def test_a_model_whose_name_was_not_known_is_named_by_its_reply():
    talk = talk_with(Replies(Reply("3", model="llama3.1")))
    answer(talk)
    assert talk.usage.model == "llama3.1"


def test_thinking_is_told_as_a_status_and_not_as_an_answer():
    talk = talk_with(Replies([Reasoning("hm" * 50), Text("3"), Reply("3")]))
    answer(talk)
    assert "thinking (100 characters)" in talk.sink.text("status") and talk.sink.text("answer") == "3\n\n"


def test_a_reply_that_is_cut_off_is_said_to_be():
    talk = talk_with(Replies(Reply("It i", finish="length")))
    answer(talk)
    assert "cut off" in talk.sink.text("status")


def test_everything_said_is_kept_in_the_record():
    talk = talk_with(Replies(LOOK, Reply("3")))
    answer(talk)
    assert [m["role"] for m in talk.record.rows] == ["assistant", "tool", "assistant"]


def test_calls_beyond_the_budget_within_one_reply_are_not_made():
    many = Reply(calls=[ToolCall(f"c{i}", "evaluate", "{}") for i in range(10)])
    talk = talk_with(Replies(many, Reply("So far: 3.")), calls=4)
    answer(talk)
    assert len(talk.toolbox.called) == 4
    assert [m["content"] for m in talk.messages if m["role"] == "tool"][4:] == [
        "Not run: the budget is used up (4 tool calls)."
    ] * 6


class LongResults(Tools):
    async def call(self, call: ToolCall) -> str:
        return await super().call(call) + "x" * 2_000


class Counted(Replies):
    """It calls three tools in each reply, as long as there are any; `counts`: it says what that costs."""

    def __init__(self, *, counts: bool) -> None:
        super().__init__()
        self.counts, self.spent = counts, 0

    async def stream(self, messages: Sequence[dict[str, Any]], tools: Sequence[Any]):
        size, number = len(json.dumps(list(messages))) // 4, len(self.asked)
        self.spent += size + 300
        calls = [ToolCall(f"c{number}{i}", "evaluate", f'"{number}.{i}"') for i in range(3)] if tools else []
        told = {"input_tokens": size, "output_tokens": 300} if self.counts else {}
        self.replies.append(Reply("" if tools else "It is 3.", calls, **told))
        async for piece in super().stream(messages, tools):
            yield piece


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("limit", [6_000, 9_000, 20_000, 40_000])
def test_a_budget_that_is_whole_holds_the_reply_that_ends_it_too(limit: int, counts: bool):
    model = Counted(counts=counts)
    talk = talk_with(model, whole=limit)
    talk.toolbox = LongResults(usage=talk.usage)
    assert answer(talk) == "It is 3.\n\n"
    assert limit / 4 < model.spent <= limit
    assert talk.limit.endswith("tokens")
