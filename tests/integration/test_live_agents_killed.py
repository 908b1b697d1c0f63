"""A live agent under the debugger, and who is killed meanwhile; several agents and calls at once; large prompts."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.debuggees.runs.opening import open_run
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import AGENTS, Session, session
from tests.integration.real_agents import MODELS, WRITE, program, surroundings
from tests.patience import patient
from tests.processes import command_line, runs

TINY = [sys.executable, str(AGENTS / "tiny.py"), "Make a file."]
PLAIN = [sys.executable, str(AGENTS / "plain.py")]
MANY = [sys.executable, str(AGENTS / "many.py")]
STEPS = (Reply("I look.", calls=[("bash", {"command": "echo one > a.txt"})]), Reply("Done."))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def below(live: Session, words: str) -> psutil.Process:
    """The process of a session whose command line has these words."""
    top = psutil.Process(live.process.pid)
    found = [each for each in top.children(recursive=True) if words in " ".join(command_line(each))]
    assert found, [command_line(each) for each in top.children(recursive=True)]
    return found[0]


def soon(holds: Any) -> None:
    end = time.monotonic() + patient(30.0)
    while not holds():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.05)


def ended(recording: Path) -> bool:
    with contextlib.suppress(OSError):
        return '{"end":' in (recording / "run.jsonl").read_text()
    return False


def test_the_agent_goes_on_where_its_debugger_is_killed(work: Path):
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["query", "call"])
        live.held()
        adapter = below(live, "dap_ai.debuggees.runs.__main__")
        live.process.kill()
        adapter.kill()
        soon(lambda: ended(work.parent / "recording"))
    assert (work / "a.txt").exists()
    run = open_run(work.parent / "recording")
    assert [event.text for event in run.events if event.kind == "response"] == ["I look.", "Done."]


def test_a_client_that_leaves_without_ending_the_agent_lets_it_go_on(work: Path):
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["query"])
        live.held()
        live.ask("disconnect", terminateDebuggee=False)
        soon(lambda: ended(work.parent / "recording"))
    assert (work / "a.txt").exists()


def test_a_client_that_leaves_ends_the_agent(work: Path):
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["query"])
        live.held()
        agent = below(live, "tiny.py")
        live.ask("disconnect")
        soon(lambda: not runs(agent))
        soon(lambda: ended(work.parent / "recording"))
    assert not (work / "a.txt").exists()


def test_the_recording_is_whole_where_the_agent_is_killed_while_it_is_held(work: Path):
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["call"])
        assert live.held() == "1 bash: echo one > a.txt"
        os.kill(below(live, "tiny.py").pid, signal.SIGKILL)
        assert live.over() == 128 + signal.SIGKILL
    run = open_run(work.parent / "recording")
    assert not run.problems and run.events[-1].kind == "end"
    assert not (work / "a.txt").exists()


def test_another_endpoint_takes_the_place_of_one_that_is_killed_and_holds_as_before(work: Path):
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(PLAIN, work, filters=["query"])
        live.held()
        below(live, "dap_ai.debuggees.runs.live").kill()
        assert live.held() == "query"  # the client has tried again
        live.go()
        live.held()
        live.go()
        assert live.over() == 3
    assert (work / "a.txt").exists()


def test_an_endpoint_that_takes_the_place_of_another_leaves_calls_to_the_hook_that_was_known_there(work: Path):
    python = str(program("smolagents", "python"))
    script = [Reply("", calls=[("shell", WRITE)]), Reply("", calls=[("final_answer", {"answer": "Done."})])]
    with Endpoint(script, models=MODELS) as model, session(surroundings(model.url, work.parent / "home")) as live:
        live.launch([python, str(AGENTS / "smol.py")], work, filters=["query"], functions=["tool:shell"])
        live.held()
        below(live, "dap_ai.debuggees.runs.live").kill()
        assert live.held() == "query"
        live.ask("setExceptionBreakpoints", filters=[])
        live.go()
        assert live.held().endswith(f"shell: {WRITE['command']}")
        live.go()
        assert live.event("stopped", "exited")["event"] == "exited"
    assert (work / "a.txt").exists()


def test_while_one_agent_is_held_the_other_goes_on(work: Path):
    def script(seen: Any) -> Reply:
        return Reply(f"I am {seen.messages[0]['content'][-2:-1]}.")

    with Endpoint([script, script]) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch([*MANY, "--agents", "2"], work, filters=[{"filterId": "response", "condition": "'0' in text"}])
        assert live.held().endswith("response: I am 0.")
        live.until(lambda m: m.get("event") == "output" and "1 I am 1." in m["body"]["output"])
        live.go()
        assert live.over() == 0


def test_two_hundred_calls_at_once(work: Path):
    calls = [("bash", {"command": f"echo {number}"}) for number in range(200)]
    with Endpoint([Reply("All.", calls=calls), Reply("Done.")]) as model:
        with session({"OPENAI_BASE_URL": model.url}) as live:
            live.launch(MANY, work, functions=["tool:bash if args.command == 'echo 150'"])
            assert live.held() == "151 bash: echo 150"
            live.ask("setExpression", expression="args.command", value='"echo changed"')
            live.go()
            assert live.over() == 0
        sent = [m["content"] for m in model.requests[-1].messages if m["role"] == "tool"]
    assert len(sent) == 200 and "changed\n" in sent and "150\n" not in sent


def test_a_prompt_of_two_megabytes_is_held_and_edited(work: Path):
    with Endpoint([Reply("Done.")]) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch([*MANY, "--chars", "2000000"], work, filters=["query"])
        live.held()
        document = live.document()
        text = document.read_text()
        assert len(text) > 2_000_000
        document.write_text(text.replace("You are agent 0.", "You are somebody."))
        live.go()
        assert live.over() == 0
        assert model.requests[0].messages[0]["content"] == "You are somebody."
        assert len(model.requests[0].messages[1]["content"]) == 2_000_000
