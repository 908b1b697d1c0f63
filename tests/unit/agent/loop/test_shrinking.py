"""Making a conversation shorter."""

from __future__ import annotations

from typing import Any

from dap_ai.agent.loop.conversation import shrink


def conversation(*tools: int) -> list[dict[str, Any]]:
    rows = [{"role": "system", "content": "s" * 9000}, {"role": "user", "content": "why?"}]
    return rows + [{"role": "tool", "tool_call_id": str(i), "content": "x" * n} for i, n in enumerate(tools)]


def test_older_results_are_cut_first_with_a_mark():
    messages = conversation(5000, 5000, 5000)
    assert shrink(messages)
    assert [len(m["content"]) < 500 for m in messages[2:]] == [True, False, False]
    assert "characters more" in messages[2]["content"]


def test_the_newest_are_cut_when_nothing_older_is_left():
    messages = conversation(20_000, 20_000)
    while shrink(messages):
        pass
    assert all(len(m["content"]) < 5000 for m in messages[2:])


def test_it_ends():
    messages = conversation(*[100_000] * 10)
    assert sum(1 for _ in iter(lambda: shrink(messages), False)) < 5


def test_the_rules_are_never_cut():
    messages = conversation(100_000)
    while shrink(messages):
        pass
    assert messages[0]["content"] == "s" * 9000


def test_ids_and_calls_stay_as_they_are():
    messages = conversation(5000, 10, 10)
    messages.insert(2, {"role": "assistant", "content": "", "tool_calls": [{"id": "0"}]})
    shrink(messages)
    assert messages[3]["tool_call_id"] == "0" and messages[2]["tool_calls"] == [{"id": "0"}]
