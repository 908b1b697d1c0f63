"""A client lends its model through the real proxy, before the real debugpy."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.asks import lent_model
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.agent.providers.editor_model import LENT, NOT_ALLOWED
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.chat.protocol import mistake_in
from tests.integration.live import WAIT_S, Live, live

pytestmark = pytest.mark.anyio

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
PROGRAM = f"token = '{SECRET}'\n\n\ndef share(total, people):\n    return total / people\n\n\nshare(10, 0)\n"
ANSWER = "It divides by `people`, which is 0."
KEY = {"OPENAI_API_KEY": "sk-of-nobody"}
Reply = Sequence[dict[str, Any]] | None
"""The deltas and, with `end`, the end; None: nothing is said."""


def says(text: str) -> Reply:
    return [{"text": text[:5]}, {"text": text[5:]}, {"end": {}}]


def calls(*named: tuple[str, Any]) -> Reply:
    return [{"end": {"calls": [{"id": f"c{n}", "name": n_, "arguments": a} for n, (n_, a) in enumerate(named)]}}]


class Lending:
    """A client that lends a model, which says what its script says."""

    def __init__(self, session: Live, replies: Sequence[Reply]) -> None:
        self.live = session
        self.replies = list(replies)
        self.asked: list[dict[str, Any]] = []
        self.stopped: list[str] = []
        self.ended: dict[str, dict[str, Any]] = {}
        self.statuses: list[str] = []
        self.responses: list[asyncio.Future[Any]] = []
        self.news = asyncio.Event()
        session.client.on_event(self._on_event)

    def _on_event(self, name: str, body: dict[str, Any]) -> None:
        match name:
            case "askModel":
                self.asked.append(body)
                self.say(body["requestId"], self.replies.pop(0))
            case "askModelEnded":
                self.stopped.append(body["requestId"])
            case "askEnded":
                self.ended[body["askId"]] = body
            case "askOutput" if body["category"] == "status":
                self.statuses.append(body["output"])
        self.news.set()

    def say(self, request_id: str, reply: Reply) -> None:
        for piece in reply or ():
            of = {"requestId": request_id}
            if "end" in piece:
                self.responses.append(self.live.client.send("askModelEnd", of | piece["end"]))
            else:
                self.responses.append(self.live.client.send("askModelDelta", of | piece))

    async def until(self, holds: Any) -> None:
        async def look() -> None:
            while not holds():
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(look(), WAIT_S)

    async def begin(self, question: str = "why?", **more: Any) -> str:
        given = {"question": question, "providers": ["editor"], "lentModel": "GPT-5 mini", **more}
        return (await self.live.request("ask", given))["askId"]

    async def end(self, ask_id: str) -> dict[str, Any]:
        await self.until(lambda: ask_id in self.ended)
        return self.ended[ask_id]

    async def ask(self, question: str = "why?", **more: Any) -> dict[str, Any]:
        return await self.end(await self.begin(question, **more))


@contextlib.asynccontextmanager
async def lend(
    tmp_path: Path, *replies: Reply, environ: dict[str, str] | None = None, options: SessionOptions | None = None,
    **settings: Any,
) -> AsyncIterator[Lending]:  # fmt: skip
    program = tmp_path / "crash.py"
    program.write_text(PROGRAM)
    agent = SessionAgent(Settings(**settings), environ or {})
    async with live(options or SessionOptions(ask_timeout_s=WAIT_S), agent=agent) as session:
        await session.launch(program)
        await session.stopped()
        yield Lending(session, replies)


async def test_the_lent_model_investigates_and_answers(tmp_path: Path):
    looks = calls(("variables", {"expression": "people"}), ("frame", "{bro"), ("telepathy", {}))
    async with lend(tmp_path, looks, says(ANSWER), environ=KEY) as it:
        end = await it.ask()
        assert end["reason"] == "completed" and end["answer"].startswith(ANSWER)
        assert (end["usage"]["provider"], end["usage"]["model"]) == ("editor", "GPT-5 mini")
        assert it.statuses[0].startswith(f"{LENT}: GPT-5 mini;")
        assert [mistake_in({"model": "m", **_chat(asked)}) for asked in it.asked] == ["", ""]
        results = [m["content"] for m in it.asked[1]["messages"] if m["role"] == "tool"]
        assert len(results) == 3 and "are invalid" in results[1]
        assert all(message.success for message in await asyncio.gather(*it.responses))
        assert it.stopped == []


async def test_no_secret_of_the_program_reaches_it(tmp_path: Path):
    looks = calls(("source", {"file": "crash.py"}), ("variables", {"expression": "token"}), ("search", {"text": "ghp"}))
    async with lend(tmp_path, looks, says(ANSWER)) as it:
        await it.ask(f"is it {SECRET}?")
        assert len(it.asked) == 2
        assert SECRET not in json.dumps(it.asked)


async def test_a_follow_up_goes_on_with_the_conversation(tmp_path: Path):
    async with lend(tmp_path, says(ANSWER), says("As I said.")) as it:
        first = await it.ask()
        second = await it.ask("and now?", conversationId=first["conversationId"])
        assert second["answer"].startswith("As I said.")
        assert ANSWER in json.dumps(it.asked[1]["messages"])


async def test_cancelled_it_is_told_to_stop_and_what_comes_late_is_no_mistake(tmp_path: Path):
    async with lend(tmp_path, [{"text": "It "}], says(ANSWER)) as it:
        ask_id = await it.begin()
        await it.until(lambda: it.asked and it.responses)
        await it.live.request("cancel", {"progressId": ask_id})
        assert (await it.end(ask_id))["reason"] == "cancelled"
        request_id = it.asked[0]["requestId"]
        await it.until(lambda: it.stopped == [request_id])
        it.say(request_id, says(ANSWER))
        late = [await response for response in it.responses[1:]]
        assert [(message.success, json.loads(message.content)) for message in late] == [(True, {"active": False})] * 3
        assert (await it.ask())["answer"].startswith(ANSWER)


async def test_refused_by_its_user_the_analyst_answers_and_says_why(tmp_path: Path):
    no = {"error": {"code": "noPermissions", "message": "The user has said no"}}
    async with lend(tmp_path, [{"end": no}]) as it:
        end = await it.ask()
        assert end["reason"] == "failed" and NOT_ALLOWED in end["error"]
        assert "ZeroDivisionError" in end["answer"]
        assert len(it.asked) == 1


async def test_a_client_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lent_model, "SILENCE_S", 0.2)
    async with lend(tmp_path, None) as it:
        end = await it.ask()
        assert end["reason"] == "failed" and "it says nothing" in end["error"]
        assert it.stopped == [it.asked[0]["requestId"]]


async def test_a_setting_comes_first(tmp_path: Path):
    async with lend(tmp_path, provider="offline", environ=KEY) as it:
        end = await it.ask()
        assert end["usage"]["provider"] == "offline" and it.asked == []


async def test_a_client_that_does_not_offer_it_is_not_asked(tmp_path: Path):
    async with lend(tmp_path) as it:
        end = await it.ask(providers=[])
        assert end["usage"]["provider"] == "offline" and it.asked == []


async def test_a_client_that_dies_while_its_model_is_asked_leaves_nothing_behind(tmp_path: Path):
    async with lend(tmp_path, None) as it:
        await it.begin()
        await it.until(lambda: it.asked)
    assert not any("failed" in line for line in it.live.logged)


def _chat(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: asked[name] for name in ("messages", "tools") if name in asked}
