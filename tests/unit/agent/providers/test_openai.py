"""The provider `openai` against a real HTTP server that behaves well and badly (tests/chat)."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Sequence
from typing import Any

import pytest

from dap_ai.agent.model_port import ModelError, Piece, Reasoning, Reply, Text, ToolCall
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.chunks import ANEW
from dap_ai.agent.providers.endpoint_errors import NO_QUOTA
from dap_ai.agent.providers.openai import DEFAULT_MODEL, OpenAIModel, provider
from dap_ai.settings.configuration import Settings
from tests.chat import endpoint as chat
from tests.chat.endpoint import MODEL, Endpoint
from tests.patience import patient

KEY = "sk-proj-planted-0123456789"
ASKED: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "why?"}]
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "evaluate", "description": "d", "parameters": {"type": "object"}}}
]


async def converse(model: OpenAIModel, messages: Sequence[dict[str, Any]] = ASKED, tools: Any = TOOLS) -> list[Piece]:
    try:
        return [piece async for piece in model.stream(messages, tools)]
    finally:
        await model.close()


def ask(endpoint: Endpoint, model: str = MODEL, **more: Any) -> list[Piece]:
    return asyncio.run(converse(OpenAIModel(model, endpoint.url, KEY, first_pause_s=0.01), **more))


def reply_of(pieces: list[Piece]) -> Reply:
    assert isinstance(pieces[-1], Reply)
    return pieces[-1]


def shown(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Text))


def trouble(replies: Sequence[chat.Reply], model: str = MODEL, **endpoint: Any) -> ModelError:
    with Endpoint(replies, **endpoint) as at, pytest.raises(ModelError) as caught:
        ask(at, model)
    assert KEY not in str(caught.value)
    return caught.value


def test_text_comes_in_the_pieces_it_was_sent_in():
    with Endpoint([chat.Reply(["It ", "is ", "3."])]) as endpoint:
        pieces = ask(endpoint)
    assert [p.text for p in pieces if isinstance(p, Text)] == ["It ", "is ", "3."]
    assert reply_of(pieces) == Reply("It is 3.", [], "stop", 1000, 50, 0, MODEL)


def test_several_calls_are_put_together_from_their_fragments():
    calls = [("evaluate", {"expression": "a['ä']"}), ("evaluate", {"expression": "b" * 50})]
    with Endpoint([chat.Reply("Let me look.", calls=calls, fragment_chars=3)]) as endpoint:
        reply = reply_of(ask(endpoint))
    assert [(c.name, json.loads(c.arguments)) for c in reply.calls] == calls
    assert reply.finish == "tool_calls"


@pytest.mark.parametrize("odd", [{"index": False}, {"ids": False}, {"index": False, "ids": False}, {"finish": "stop"}])
def test_calls_without_index_id_or_their_finish_reason_are_honoured(odd: dict[str, Any]):
    calls = [("evaluate", {"expression": "a"}), ("evaluate", {"expression": "b"})]
    with Endpoint([chat.Reply(calls=calls, **odd)]) as endpoint:
        reply = reply_of(ask(endpoint))
    assert [json.loads(c.arguments)["expression"] for c in reply.calls] == ["a", "b"]
    assert len({c.id for c in reply.calls} - {""}) == 2


def test_arguments_may_come_as_an_object():
    with Endpoint([chat.Reply(calls=[("evaluate", {"expression": "a"})], object_arguments=True)]) as endpoint:
        assert json.loads(reply_of(ask(endpoint)).calls[0].arguments) == {"expression": "a"}


def test_non_ascii_survives_any_cut_of_the_stream():
    text = "Zwölf Boxkämpfer — 検査 🙂"
    with Endpoint([chat.Reply(text, slice_bytes=1, comments=True)]) as endpoint:
        assert shown(ask(endpoint)) == text


def test_reasoning_is_told_apart_from_the_answer():
    with Endpoint([chat.Reply("3", reasoning="hmm")]) as endpoint:
        pieces = ask(endpoint)
    assert [p.text for p in pieces if isinstance(p, Reasoning)] == ["hmm"] and shown(pieces) == "3"


def test_tokens_are_counted_with_the_cached_ones_apart():
    with Endpoint([chat.Reply("3", tokens=(900, 20, 800))]) as endpoint:
        reply = reply_of(ask(endpoint))
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (900, 20, 800)


def test_without_a_usage_chunk_no_tokens_are_made_up():
    with Endpoint([chat.Reply("3", tokens=None)]) as endpoint:
        assert reply_of(ask(endpoint)).input_tokens == 0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_fails_for_a_while_is_tried_again(status: int):
    with Endpoint([chat.Reply(status=status, error="later"), chat.Reply("3")]) as endpoint:
        assert shown(ask(endpoint)) == "3"
        assert len(endpoint.requests) == 2


def test_retry_after_is_waited_for():
    with Endpoint([chat.Reply(status=429, error="slow", headers={"Retry-After": "0.4"}), chat.Reply("3")]) as endpoint:
        began = time.monotonic()
        ask(endpoint)
        assert time.monotonic() - began >= 0.4


def test_a_wait_that_is_too_long_ends_the_ask_at_once():
    error = trouble([chat.Reply(status=429, error="slow", headers={"Retry-After": "3600"})])
    assert error.trouble == "busy" and "try again later" in str(error)


def test_a_quota_that_is_used_up_is_not_tried_again():
    with Endpoint([chat.Reply(status=429, error="You exceeded your current quota", code="insufficient_quota")]) as at:
        with pytest.raises(ModelError, match=NO_QUOTA):
            ask(at)
        assert len(at.requests) == 1


def test_after_four_tries_it_says_what_the_endpoint_said():
    error = trouble([chat.Reply(status=500, error="the machine is on fire")] * 4)
    assert error.trouble == "busy" and "on fire" in str(error)


def test_a_broken_stream_is_begun_anew_without_repeating_what_was_shown():
    broken = chat.Reply(["It ", "is ", "3."], break_after=3)
    with Endpoint([broken, chat.Reply(["It i", "s 3", "."])]) as endpoint:
        pieces = ask(endpoint)
    assert shown(pieces) == "It is 3." == reply_of(pieces).text


def test_a_stream_that_begins_anew_with_other_words_says_so():
    with Endpoint([chat.Reply(["It ", "is ", "3."], break_after=3), chat.Reply("The sum.")]) as endpoint:
        pieces = ask(endpoint)
    assert shown(pieces) == f"It is {ANEW}The sum." and reply_of(pieces).text == "The sum."


def test_a_call_of_a_broken_stream_is_not_made():
    broken = chat.Reply(calls=[("evaluate", {"expression": "a" * 40})], fragment_chars=4, break_after=5)
    with Endpoint([broken, chat.Reply(calls=[("evaluate", {"expression": "b"})])]) as endpoint:
        assert [json.loads(c.arguments) for c in reply_of(ask(endpoint)).calls] == [{"expression": "b"}]


def test_an_error_in_the_stream_is_tried_again():
    with Endpoint([chat.Reply("It", error="overloaded"), chat.Reply("It is 3.")]) as endpoint:
        assert shown(ask(endpoint)) == "It is 3."


def test_a_stream_that_ends_after_its_reason_is_whole():
    with Endpoint([chat.Reply("3", done=False)]) as endpoint:
        assert shown(ask(endpoint)) == "3"
        assert len(endpoint.requests) == 1


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"data: {not json\n\n", b"data: \xff\xfe\n\n", b""])
def test_what_is_no_stream_of_chat_completions_is_said_to_be_none(body: bytes):
    error = trouble([chat.Reply(body=body)] * 4)
    assert error.trouble == "network"


def test_a_bad_key_is_named_without_showing_it():
    error = trouble([], key="another")
    assert error.trouble == "key" and "OPENAI_API_KEY" in str(error)
    assert re.match(r"http://\S+ does not accept the key", str(error)) and "\n" not in str(error)


def test_a_key_that_the_endpoint_repeats_is_taken_out():
    error = trouble([chat.Reply(status=401, error=f"bad key {KEY}")])
    assert "<the key>" in str(error)


def test_an_unknown_model_is_named():
    error = trouble([], model="gpt-99")
    assert error.trouble == "model" and "`gpt-99`" in str(error) and "--model" in str(error)


def test_a_conversation_that_is_too_long_is_an_overflow():
    assert trouble([chat.Reply("3")], max_chars=20).trouble == "overflow"


def test_an_endpoint_without_chat_completions_asks_for_another_url():
    with Endpoint([]) as endpoint, pytest.raises(ModelError, match="most end in /v1"):
        asyncio.run(converse(OpenAIModel(MODEL, endpoint.url + "/wrong", KEY)))


def test_nobody_listening_on_this_machine_asks_whether_it_runs():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match=r"is it running\?"):
        asyncio.run(converse(OpenAIModel(MODEL, url, "")))


@pytest.mark.parametrize("field", ["stream_options", "parallel_tool_calls"])
def test_a_field_that_the_endpoint_rejects_is_left_out_from_then_on(field: str):
    async def twice(endpoint: Endpoint) -> None:
        model = OpenAIModel(MODEL, endpoint.url, KEY)
        for _ in range(2):
            assert [p async for p in model.stream(ASKED, TOOLS)]
        await model.close()

    with Endpoint([chat.Reply("1"), chat.Reply("2")], refused=[field]) as endpoint:
        asyncio.run(twice(endpoint))
        assert [field in seen.body for seen in endpoint.requests] == [True, False, False]


def test_a_model_that_takes_tools_only_without_reasoning_gets_them_so():
    rejection = chat.Reply(
        status=400,
        error="Function tools with reasoning_effort are not supported for gpt-x in /v1/chat/completions. "
        "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    )
    with Endpoint([rejection, chat.Reply("3")]) as endpoint:
        assert shown(ask(endpoint)) == "3"
        assert endpoint.requests[1].body["reasoning_effort"] == "none"


def test_a_model_that_cannot_call_tools_is_said_to():
    error = trouble([chat.Reply(status=400, error="library/gemma:2b does not support tools")])
    assert error.trouble == "model" and "cannot call tools" in str(error)


def test_malformed_arguments_are_sent_back_as_json():
    call = Reply(calls=[ToolCall("c1", "evaluate", '{"expression": ')]).message()
    told = [*ASKED, call, {"role": "tool", "tool_call_id": "c1", "content": "no JSON"}]
    with Endpoint([chat.Reply("3")]) as endpoint:
        ask(endpoint, messages=told)
        sent = endpoint.requests[0].messages[2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"malformed": '{"expression": '}
    assert call["tool_calls"][0]["function"]["arguments"] == '{"expression": '


def test_the_only_model_of_an_endpoint_is_taken():
    with Endpoint([chat.Reply("3")], models=["llama", "nomic-embed-text"]) as endpoint:
        assert shown(ask(endpoint, model="")) == "3"
        assert endpoint.requests[0].body["model"] == "llama"


def test_several_models_are_listed():
    error = trouble([], model="", models=["llama", "qwen"])
    assert "llama, qwen" in str(error) and "--model" in str(error)


@pytest.mark.parametrize("hold", ["start", "head", "text"])
def test_cancelled_it_lets_go_of_its_connection(hold: Any):
    async def cancel(endpoint: Endpoint) -> None:
        model = OpenAIModel(MODEL, endpoint.url, KEY)
        task = asyncio.ensure_future(_drain(model))
        seen = await asyncio.to_thread(endpoint.wait, 1)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(seen.ended.wait, patient(5))
        assert seen.left
        await model.close()

    async def _drain(model: OpenAIModel) -> None:
        async for _ in model.stream(ASKED, TOOLS):
            pass

    with Endpoint([chat.Reply("It is 3.", hold=hold)]) as endpoint:
        asyncio.run(cancel(endpoint))


def test_the_connection_is_kept_between_replies():
    async def thrice(endpoint: Endpoint) -> None:
        model = OpenAIModel(MODEL, endpoint.url, KEY)
        for _ in range(3):
            assert [p async for p in model.stream(ASKED, TOOLS)]
        await model.close()

    with Endpoint([chat.Reply("3")], endless=True) as endpoint:
        asyncio.run(thrice(endpoint))
        assert endpoint.connections == 1


def test_openai_has_a_default_model_and_wants_a_key():
    assert provider(Settings(), {"OPENAI_API_KEY": KEY}).name == DEFAULT_MODEL
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        provider(Settings(provider="openai"), {})


def test_another_endpoint_wants_neither():
    model = provider(Settings(base_url="http://localhost:11434/v1"), {})
    assert model.name == "" and "the model at http://localhost:11434/v1" in model.notice


def test_a_password_in_the_url_is_not_shown():
    notice = provider(Settings(base_url="https://me:hunter2@host/v1?key=x", model="m"), {}).notice
    assert "hunter2" not in notice and "key=x" not in notice and "https://host/v1" in notice


def test_a_url_without_http_is_refused():
    with pytest.raises(ProviderError, match="http://"):
        provider(Settings(base_url="localhost:11434"), {})
