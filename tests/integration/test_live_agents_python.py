"""One tree of sessions: a live agent, and its own Python below it, under debugpy."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import AGENTS, Session, session

TINY = AGENTS / "tiny.py"
STEPS = (Reply("I look.", calls=[("bash", {"command": "echo one"})]), Reply("Done."))
OFFLINE = {"DAP_AI_PROVIDER": "offline"}


class Connection:
    """What a session speaks through, in the place of a process."""

    def __init__(self, address: dict[str, Any]) -> None:
        self.socket = socket.create_connection((address["host"], address["port"]))
        self.stdin = self.stdout = self.socket.makefile("rwb")


def test_from_a_stop_before_a_tool_into_the_python_frames_that_run_it(tmp_path: Path):
    (tmp_path / "work").mkdir()
    line = next(n for n, text in enumerate(TINY.read_text().splitlines(), 1) if "subprocess.run" in text)
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url, **OFFLINE}) as live:
        live.launch([sys.executable, str(TINY), "Go."], tmp_path / "work", filters=["call"], python=True)
        asked = live.until(lambda m: m.get("command") == "startDebugging")
        live.reply(asked, {})
        configuration = asked["arguments"]["configuration"]
        assert live.held() == "1 bash: echo one"
        connection = Connection(configuration["connect"])
        child = Session(connection)  # type: ignore[arg-type]
        child.ask("initialize", adapterID="agents", pathFormat="path")
        child.post("attach", **configuration)
        child.event("initialized")
        child.ask("setBreakpoints", source={"path": str(TINY)}, breakpoints=[{"line": line}])
        child.ask("configurationDone")
        live.go()
        child.stop = child.event("stopped")
        assert [frame["name"] for frame in child.frames()] == ["main", "<module>"]
        child.ask("ask", question="what is command?", threadId=child.stop["threadId"])
        assert "echo one" in child.event("askEnded")["answer"]
        child.go()
        assert live.over() == 0
        connection.socket.close()


def test_an_agent_whose_hook_tells_its_stack_shows_it_below_the_call(tmp_path: Path):
    (tmp_path / "work").mkdir()
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import json, os, urllib.request\n"
        "said = {'kind': 'call', 'tool': 'add', 'arguments': {'a': 1}, 'call_id': 'c1',\n"
        "        'frames': [{'name': 'act', 'path': __file__, 'line': 7}]}\n"
        "request = urllib.request.Request(os.environ['DAP_AI_GATE'], json.dumps(said).encode())\n"
        "print(urllib.request.urlopen(request).read().decode(), flush=True)\n"
    )
    with session({}) as live:
        live.launch([sys.executable, str(agent)], tmp_path / "work", filters=["call"])
        assert live.held().startswith("1 add")
        frames = live.frames()
        assert (frames[-1]["name"], frames[-1]["line"], frames[-1]["presentationHint"]) == ("act", 7, "subtle")
        assert live.ask("scopes", frameId=frames[-1]["id"]) == {"scopes": []}
        live.ask("setExpression", expression="args.a", value="2")
        live.go()
        assert live.over() == 0
    verdict = next(json.loads(text) for text in live.printed().splitlines() if text.startswith("{"))
    assert verdict == {"do": "edit", "arguments": {"a": 2}, "call_id": "c1"}


def test_an_agent_on_the_clients_terminal_is_held_and_its_end_is_told(tmp_path: Path):
    (tmp_path / "work").mkdir()
    with Endpoint(STEPS) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        command = [sys.executable, str(TINY), "Go."]
        live.launch(command, tmp_path / "work", filters=["call"], console="integratedTerminal")
        asked = live.until(lambda m: m.get("command") == "runInTerminal")
        wanted = asked["arguments"]
        environ = {**os.environ, "OPENAI_API_KEY": "k", **{k: v for k, v in wanted["env"].items() if v is not None}}
        terminal = subprocess.Popen(wanted["args"], cwd=wanted["cwd"], env=environ, stdout=subprocess.PIPE)
        live.reply(asked, {"shellProcessId": terminal.pid})
        assert live.held() == "1 bash: echo one"
        live.go()
        assert live.over() == 0
        assert terminal.communicate(timeout=30)[0].strip() == b"Done."


def test_a_terminal_that_no_client_starts_ends_the_session_in_words(tmp_path: Path):
    (tmp_path / "work").mkdir()
    with session({}) as live:
        live.launch([sys.executable, "-c", ""], tmp_path / "work", console="externalTerminal")
        asked = live.until(lambda m: m.get("command") == "runInTerminal")
        live.refuse(asked, "no terminal here")
        live.event("terminated")
        assert "no terminal here" in live.printed("console")
