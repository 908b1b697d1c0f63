"""The model that an editor lends: who answers, what it is told, and what becomes of its mistakes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.model_port import ModelError, Piece, Reasoning, Reply, Text, ToolCall
from dap_ai.agent.providers.editor_model import LENT, LENT_FAILED, NOT_ALLOWED, EditorModel
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.lent_replies import LentCall, LentPiece, LentReply
from dap_ai.settings.configuration import Settings, provider_of
from tests.chat.protocol import mistake_in
from tests.unit.agent.harness import Stopped, ask, fail

CRASH = "token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'\n\n\ndef share(total, people):\n    return total / people\n\n\nshare(10, 0)\n"
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
KEY = {"OPENAI_API_KEY": "sk-of-nobody"}
Script = list[LentPiece | LentReply | RequestFailed]


class Lender(Stopped):
    """A stopped program whose client lends a model: each reply takes the next script."""

    scripts: list[Script]
    seen: list[dict[str, Any]]

    async def lent_model(self, messages: Any, tools: Any):
        self.seen.append({"model": "m", "messages": list(messages), "tools": list(tools)})
        for piece in self.scripts.pop(0):
            if isinstance(piece, RequestFailed):
                raise piece
            yield piece


@pytest.fixture
def lender(tmp_path: Path) -> Callable[..., Lender]:
    def make(*scripts: Script) -> Lender:
        program = tmp_path / "crash.py"
        program.write_text(CRASH)
        failed = fail(program)
        made = Lender(failed.frames, failed.error, output=failed.output, program=failed.program)
        made.scripts, made.seen = list(scripts), []
        return made

    return make


def said(text: str) -> Script:
    return [LentPiece(text), LentReply()]


def pieces_of(*script: LentPiece | LentReply | RequestFailed, name: str = "GPT-5 mini") -> list[Piece]:
    lending = Lender([])
    lending.scripts, lending.seen = [list(script)], []

    async def collect() -> list[Piece]:
        return [piece async for piece in EditorModel(name, lending).stream([], [])]

    return asyncio.run(collect())


@pytest.mark.parametrize(
    ("settings", "environ", "offered", "who"),
    [
        ({}, {}, ["editor"], "editor"),
        ({}, KEY, ["editor"], "editor"),
        ({"base_url": "http://localhost:1/v1"}, {}, ["editor"], "editor"),
        ({}, KEY, [], "openai"),
        ({}, {}, ["telepathy"], "offline"),
        ({"provider": "offline"}, KEY, ["editor"], "offline"),
        ({"provider": "openai"}, KEY, ["editor"], "openai"),
        ({"provider": "editor"}, KEY, ["editor"], "editor"),
        ({"provider": "editor"}, KEY, [], "offline"),
        ({"replay": "x.jsonl"}, {}, ["editor"], "scripted"),
    ],
)
def test_a_lent_model_answers_unless_something_else_is_set(settings, environ, offered, who):
    assert provider_of(Settings(**settings), environ, offered) == who


def test_where_it_is_set_and_not_offered_no_endpoint_answers(lender):
    answer, _ = ask(lender(), "why?", SessionAgent(Settings(provider="editor"), KEY))
    assert answer.usage.provider == "offline"


def test_the_first_status_says_which_and_what_leaves_the_machine(lender):
    answer, heard = ask(lender(said("It divides by 0.")), "why?", providers=["editor"], lent_model="GPT-5 mini")
    statuses = [text for kind, text, _ in heard.items if kind == "status"]
    assert statuses[0].startswith(f"{LENT}: GPT-5 mini; the question, source and values")
    assert answer.text.startswith("It divides by 0.")
    assert (answer.usage.provider, answer.usage.model, answer.usage.model_calls) == ("editor", "GPT-5 mini", 1)


def test_a_name_is_one_short_line():
    model = EditorModel("GPT\n\n  5" + "x" * 500, Lender([]))
    assert model.name.startswith("GPT 5x") and len(model.name) == 80
    assert EditorModel("  ", Lender([])).notice.startswith(f"{LENT}: a model without a name;")


def test_it_is_told_what_any_endpoint_would_take_and_no_secret(lender):
    calls = (
        LentCall("c1", "evaluate", '{"expression": "people"}'),
        LentCall("c1", "frame", "{bro"),
        LentCall("", "stack", ""),
    )
    lending = lender([LentReply(calls)], said("`people` is 0."))
    ask(lending, f"why, {SECRET}?", providers=["editor"])
    assert [mistake_in(seen) for seen in lending.seen] == ["", ""]
    assert SECRET not in str(lending.seen)
    results = [m["content"] for m in lending.seen[1]["messages"] if m["role"] == "tool"]
    assert len(results) == 3 and "are invalid" in results[1]


def test_a_question_without_the_offer_is_answered_as_before(lender):
    lending = lender()
    agent = SessionAgent(Settings(), {})
    answer, _ = ask(lending, "why?", agent)
    assert answer.usage.provider == "offline" and not lending.seen


def test_another_question_may_go_to_another(lender):
    lending = lender(said("It divides by 0."), said("As I said."))
    agent = SessionAgent(Settings(), {})
    answers = [ask(lending, "why?", agent, providers=offer)[0] for offer in (["editor"], [], ["editor"])]
    assert [answer.usage.provider for answer in answers] == ["editor", "offline", "editor"]
    assert [m["role"] for m in lending.seen[1]["messages"]] == ["system", "user", "assistant", "user"]


def test_its_cost_is_its_users_own_affair(lender):
    reply = [LentPiece("It divides by 0."), LentReply(model="gpt-5", input_tokens=10**6, output_tokens=5)]
    answer, _ = ask(lender(reply), "why?", providers=["editor"])
    assert (answer.usage.cost_usd, answer.usage.input_tokens) == (0.0, 10**6)


def test_a_reply_is_put_together_from_its_pieces():
    calls = (LentCall("c1", "stack", "{}"), LentCall("c1", "frame", ""))
    *pieces, reply = pieces_of(
        LentPiece(reasoning="hm"), LentPiece("It "), LentPiece("is."), LentReply(calls, "", 5, 2)
    )
    assert pieces == [Reasoning("hm"), Text("It "), Text("is.")]
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish, reply.model, reply.input_tokens) == ("It is.", "tool_calls", "GPT-5 mini", 5)
    assert reply.calls[0] == ToolCall("c1", "stack", "{}") and reply.calls[1].id not in ("", "c1")


@pytest.mark.parametrize(
    ("code", "trouble", "words"),
    [
        ("noPermissions", "request", NOT_ALLOWED),
        ("notFound", "model", "choose another"),
        ("quota", "busy", "quota is used up"),
        ("blocked", "request", "does not answer this question"),
        ("overflow", "overflow", "too long"),
        ("silent", "network", "Said so."),
        ("of a later version", "request", "failed: Said so."),
    ],
)
def test_a_failure_is_told_in_words(code, trouble, words):
    with pytest.raises(ModelError) as caught:
        pieces_of(RequestFailed("askModel", code, "Said so."))
    assert caught.value.trouble == trouble and words in str(caught.value)
    assert str(caught.value).startswith(f"GPT-5 mini{LENT_FAILED}: Said so.")


def test_when_it_fails_the_offline_analyst_answers_and_says_so(lender):
    refused = RequestFailed("askModel", "noPermissions", "The user has said no.")
    answer, _ = ask(lender([LentPiece("I lo"), refused]), "why?", providers=["editor"], lent_model="GPT-5 mini")
    assert NOT_ALLOWED in answer.error
    assert f"**The model did not answer.** GPT-5 mini{LENT_FAILED}" in answer.text
    assert "ZeroDivisionError" in answer.text


def test_a_conversation_that_is_too_long_is_shortened_once(lender):
    overflow: Script = [RequestFailed("askModel", "overflow", "too many tokens")]
    lending = lender(overflow, said("It divides by 0."))
    answer, _ = ask(lending, "why? " + "and why? " * 2000, providers=["editor"])
    assert answer.text.startswith("It divides by 0.")
    sizes = [len(str(seen["messages"])) for seen in lending.seen]
    assert sizes[1] < sizes[0] and mistake_in(lending.seen[-1]) == ""
