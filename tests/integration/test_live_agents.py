"""A live agent under the debugger: held before and after each query and call, edited, stepped, looked back at."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from dap_ai.runs.opening import open_run
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import AGENTS, Session, session

PLAIN = [sys.executable, str(AGENTS / "plain.py")]
ALL = ("query", "response", "call", "result")
TWO_STEPS = (
    Reply("I look.", calls=[("bash", {"command": "echo one"})]),
    Reply("I write.", calls=[("bash", {"command": "echo two > a.txt"})]),
    Reply("Done."),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def model() -> Generator[Endpoint]:
    with Endpoint(TWO_STEPS) as endpoint:
        yield endpoint


@pytest.fixture
def live(model: Endpoint) -> Generator[Session]:
    with session({"OPENAI_BASE_URL": model.url}) as found:
        yield found


@pytest.mark.parametrize("flags", [(), ("--stream",)])
def test_an_agent_is_held_before_and_after_each_query_and_call(flags: Sequence[str], live: Session, work: Path):
    live.launch([*PLAIN, *flags], work, filters=ALL)
    held: list[str] = []
    for _ in range(10):
        held.append(live.held())
        live.go()
    assert live.over() == 3
    assert held == [
        "query", "1 response: I look.", "1 bash: echo one", "1 result ok, exit code 0: one",
        "query", "2 response: I write.", "2 bash: echo two > a.txt", "2 result ok, exit code 0",
        "query", "3 response: Done.",
    ]  # fmt: skip
    assert "Done." in live.printed()


APIS = {
    "chat": PLAIN,
    "responses": [sys.executable, str(AGENTS / "others.py"), "responses"],
    "messages": [sys.executable, str(AGENTS / "others.py"), "messages"],
}
EVERY = [(api, stream) for api in APIS for stream in (False, True)]


@pytest.fixture
def any_live(model: Endpoint) -> Generator[Session]:
    with session({"OPENAI_BASE_URL": model.url, "ANTHROPIC_BASE_URL": model.url.removesuffix("/v1")}) as found:
        yield found


@pytest.mark.parametrize(("api", "stream"), EVERY)
def test_what_is_held_is_edited_in_each_interface(
    api: str, stream: bool, any_live: Session, model: Endpoint, work: Path  # noqa: FBT001  a parameter of the test
):
    live = any_live
    live.launch([*APIS[api], *(["--stream"] if stream else []), "--timeout", "2"], work, filters=ALL, keepAlive=0.3)
    assert live.held() == "query"
    document = live.document()
    body = json.loads(document.read_text())
    place = "input" if api == "responses" else "messages"
    body[place][-1]["content"] = "Make another file."
    document.write_text(json.dumps(body))
    time.sleep(3)  # longer than the client waits
    live.go()
    assert live.held() == "1 response: I look."
    live.document().write_text("I look closely.")
    time.sleep(3)
    live.go()
    assert live.held() == "1 bash: echo one"
    live.ask("setExpression", expression="args.command", value='"echo changed; touch b.txt"')
    live.go()
    assert live.held() == "1 result ok, exit code 0: changed"
    live.ask("setExpression", expression="text", value='"<returncode>0</returncode> nothing"')
    live.go()
    assert live.held() == "query"
    live.go()
    assert live.held() == "2 response: I write."
    live.ask("setExceptionBreakpoints", filters=[])
    live.go()
    assert live.over() == 3
    sent = [json.dumps(seen.body) for seen in model.requests]
    assert "Make another file." in sent[0] and "Make a file." in sent[1]
    assert "I look closely." in sent[1] and "I look." not in sent[1]
    assert all("nothing" in each and "changed\\n" not in each for each in (sent[1], sent[2]))
    assert (work / "b.txt").exists()
    run = open_run(work.parent / "recording")
    assert not run.problems
    told = [event.text for event in run.events if event.kind == "note"]
    assert any("the model's own:" in text and "I look." in text for text in told)
    assert any("the agent's own memory keeps the original" in text and "changed" in text for text in told)
