"""An agent that was instrumented for AgentStepper, with only its import changed; its model is on no wire."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.stepper import AgentStepper
from tests.integration.live_agents import AGENTS, session

AGENT = AGENTS / "stepped.py"
Ran = Callable[..., subprocess.CompletedProcess[bytes]]


def history(printed: str) -> list[str]:
    return ast.literal_eval(next(row for row in printed.splitlines() if row.startswith("HISTORY "))[8:])


def test_it_is_recorded_with_its_queries_calls_and_changes(tmp_path: Path, run_dap_ai: Ran):
    (tmp_path / "work").mkdir()
    command = ["record", "--out", tmp_path / "r", "--", sys.executable, AGENT]
    ran = run_dap_ai(*command, cwd=tmp_path / "work")
    assert ran.returncode == 0, ran.stderr.decode()
    assert "3 queries" in ran.stderr.decode()
    assert history(ran.stdout.decode())[-1] == "hello\n"
    run = open_run(tmp_path / "r")
    assert run.problems == []
    told = [(event.kind, event.text) for event in run.events if event.kind in ("task", "response", "change")]
    assert told == [
        ("task", "Write hello into a.txt."), ("response", "write"), ("change", "A a.txt"),
        ("response", "read"), ("response", "done"),
    ]  # fmt: skip
    calls = [event.arguments for event in run.events if event.kind == "call"]
    assert calls == [{"command": "echo hello > a.txt"}, {"command": "cat a.txt"}]
    results = [json.loads(event.text)["out"] for event in run.events if event.kind == "result"]
    assert results == ["", "hello\n"]
    notes = [event.text for event in run.events if event.kind == "note"]
    assert "commit: a step" in notes and "over" in notes


def test_each_of_its_functions_holds_and_gives_back_what_was_edited(tmp_path: Path):
    work = tmp_path / "work"
    work.mkdir()
    with session({}) as live:
        live.launch([sys.executable, str(AGENT)], work, filters=["query", "response", "call", "result"])
        assert live.held() == "query"
        live.go()
        assert live.held() == "1 response: write"
        live.ask("setExpression", expression="text", value='"read"')
        live.go()
        assert live.held() == "1 bash: cat a.txt"
        live.ask("setExpression", expression="args.command", value='"echo other"')
        live.go()
        assert "other" in live.held()
        live.ask("setExpression", expression="text", value=json.dumps(json.dumps({"out": "edited", "code": 0})))
        live.go()
        assert live.held() == "query"
        body = json.loads(live.document().read_text())
        body["messages"].append({"role": "user", "content": "stop here"})
        live.document().write_text(json.dumps(body))
        live.go()
        assert live.held() == "2 response: done"
        live.go()
        assert live.over() == 0
        assert history(live.printed()) == ["Write hello into a.txt.", "read", "edited"]
    assert not (work / "a.txt").exists()


def test_without_a_debugger_each_function_gives_back_what_it_was_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("DAP_AI_GATE", raising=False)
    with AgentStepper("a", "localhost", 8765, "workspace") as debugger:
        assert debugger.begin_llm_query_breakpoint("p") == "p"
        assert debugger.end_llm_query_breakpoint({"content": "r"}) == {"content": "r"}
        assert debugger.begin_tool_invocation_breakpoint("ls", {"a": 1}) == ("ls", {"a": 1})
        assert debugger.end_tool_invocation_breakpoint("") == ""
        assert debugger.commit_agent_changes() is False
        debugger.post_debug_message("m")
    assert "nobody debugs this agent" in capsys.readouterr().err


def test_an_end_without_its_beginning_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DAP_AI_GATE", raising=False)
    debugger = AgentStepper(program_name="a", address="localhost", port=1, agent_workspace_path=None)
    debugger.begin_llm_query_breakpoint("p")
    with pytest.raises(RuntimeError, match="call that has not begun"):
        debugger.end_tool_invocation_breakpoint("r")
