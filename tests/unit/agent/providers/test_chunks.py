"""Replies put together from odd chunks, as endpoints have been seen to send them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.agent.providers.chunks import Assembly


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"delta": delta, "finish_reason": finish}]}


def part(arguments: str, name: str = "", **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"function": function, **more}


def calls(*parts: dict[str, Any]) -> list[tuple[str, str]]:
    assembly = Assembly()
    for each in parts:
        assembly.take(chunk(tool_calls=[each]))
    return [(call.name, call.arguments) for call in assembly.reply().calls]


def test_two_calls_that_both_come_at_index_0_stay_two():
    both = calls(part("{}", "stack", index=0, id="a"), part("{}", "threads", index=0, id="b"))
    assert both == [("stack", "{}"), ("threads", "{}")]


def test_a_name_that_comes_with_every_fragment_is_taken_once():
    assert calls(part("{", "stack", index=0, id="a"), part("}", "stack", index=0, id="a")) == [("stack", "{}")]


def test_a_name_in_fragments_is_put_together():
    assert calls(part("", "try", index=0), part("{}", "_fix", index=0)) == [("try_fix", "{}")]


def test_fragments_without_an_index_belong_to_the_last_call():
    assert calls(part("{", "stack", id="a"), part("}")) == [("stack", "{}")]


def test_two_calls_with_one_id_get_two():
    assembly = Assembly()
    for index in (0, 1):
        assembly.take(chunk(tool_calls=[part("{}", "stack", index=index, id="same")]))
    assert len({call.id for call in assembly.reply().calls}) == 2


def test_content_as_a_list_of_parts_is_text():
    assembly = Assembly()
    assembly.take(chunk(content=[{"type": "text", "text": "It "}, {"type": "text", "text": "is."}]))
    assert assembly.reply().text == "It is."


@pytest.mark.parametrize(
    "odd",
    [None, 3, [], {"choices": None}, {"choices": [None]}, {"choices": [{"delta": None}]}, {"usage": 3},
     chunk(tool_calls=[None]), chunk(tool_calls=[{"function": None}]), chunk(content=3), {"usage": {"prompt_tokens": "9"}}],
)  # fmt: skip
def test_nothing_odd_breaks_it(odd: Any):
    assembly = Assembly()
    assembly.take(odd)
    assert assembly.reply().text == ""


@given(st.text(max_size=30), st.data())
def test_a_reply_begun_anew_shows_the_whole_text_once(text: str, data: st.DataObject):
    cut = data.draw(st.integers(0, len(text)))
    again = data.draw(st.integers(0, len(text)))
    assembly = Assembly(text[:cut])
    new = "".join(p.text for piece in (text[:again], text[again:]) for p in assembly.take(chunk(content=piece)))  # type: ignore[union-attr]
    assert text[:cut] + new == text and assembly.reply().text == text
