"""Another user of the machine reaches for the model's place: the endpoint of an agent that is recorded, held, replayed."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.protocol.wire.framing import encode_frame
from tests.chat.endpoint import Endpoint, Reply
from tests.integration import users
from tests.integration.listening import Listener, listeners
from tests.integration.live_agents import AGENTS, Session
from tests.integration.real_agents import CODEX, MODELS, TASK, program, surroundings
from tests.patience import at_worst
from tests.processes import command_line, end_tree

WAIT_S = at_worst(30.0)
QUIET_S = 0.5
INITIALIZE = encode_frame(b'{"seq": 1, "type": "request", "command": "initialize", "arguments": {}}').decode()
TINY = (AGENTS / "tiny.py").read_text(encoding="utf-8")
FAKE_CODEX = f"""\
#!{sys.executable}
import json, os, sys, urllib.request
url = json.loads(sys.argv[sys.argv.index("-c") + 1].partition("=")[2])
headers = {{"OpenAI-Project": os.environ["OPENAI_PROJECT"], "Content-Type": "application/json"}}
body = json.dumps({{"model": "scripted-model", "input": "Go.", "stream": False}}).encode()
urllib.request.urlopen(urllib.request.Request(url + "/responses", body, headers)).read()
"""
"""Says where its model is, and its token, as Codex does; the real one is used where it is set up."""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    users.need()
    with users.home_of_user({"tiny.py": TINY}) as folder:
        yield folder


@pytest.fixture(scope="module")
def stranger(home: Path) -> Iterator[users.Stranger]:
    with users.stranger_at_work() as other:
        yield other


@contextlib.contextmanager
def started(
    *command: str | Path, cwd: Path, env: dict[str, str], stdin: int = subprocess.DEVNULL
) -> Generator[subprocess.Popen[bytes]]:
    """A command, of which nothing is left."""
    pipes: dict[str, Any] = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(list(map(str, command)), cwd=cwd, env={**os.environ, **env}, **pipes)
    try:
        yield process
    finally:
        end_tree(process)


def dap_ai(*words: str | Path) -> list[str]:
    return users.as_user(sys.executable, "-m", "dap_ai", *words)


def agent(home: Path) -> list[str]:
    """The command of an agent; `env` can be found by a user who may not enter root's folders."""
    return ["env", sys.executable, str(home / "tiny.py"), "Go."]


def environment(home: Path, model: Endpoint) -> dict[str, str]:
    return {**users.environment(home), "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}


def address_of(process: subprocess.Popen[bytes], script: str) -> str:
    """Where the agent that runs this script finds its model, the token included."""

    family = psutil.Process(process.pid).children(recursive=True)
    agent = next(each for each in family if command_line(each)[1:2] == [script])
    return agent.environ()["OPENAI_BASE_URL"]


def adapter_of_the_agents_python() -> int:
    """The process of debugpy's adapter, which is nobody's child; of this user alone, since other tests run some too."""
    found = (each for each in psutil.process_iter() if "--for-server" in command_line(each))
    return next(each.pid for each in found if each.uids().real == users.USER)


def post(url: str, path: str) -> str:
    """An HTTP request by somebody who knows the address and its token."""
    body = '{"model": "scripted-model", "messages": [{"role": "user", "content": "I was never here."}]}'
    head = [f"POST /{url.split('/', 3)[3]}{path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, "Content-Type: application/json", "", body])


def nobody_takes_the_models_place(stranger: users.Stranger, found: set[Listener], *say: str) -> None:
    assert "tcp" in {listener.kind for listener in found}
    for listener in sorted(found):
        for text in say:
            attempt = stranger.attempt(listener.where, say=[text], wait_s=QUIET_S)
            assert attempt["closed"] and not attempt["heard"], (listener, attempt)


def test_another_user_is_neither_answered_nor_recorded_by_an_endpoint(home: Path, stranger: users.Stranger):
    with Endpoint([Reply("Done.", hold="start")]) as model:
        command = dap_ai("record", "--no-workspace", "--out", home / "r", "--", *agent(home))
        with started(*command, cwd=home, env=environment(home, model)) as process:
            model.wait(1, WAIT_S)
            url = address_of(process, str(home / "tiny.py"))
            found = listeners([process.pid])
            nobody_takes_the_models_place(stranger, found, post(url, "/chat/completions"), post(url, "/models"), "")
            model.release()
            out, _ = process.communicate(timeout=WAIT_S)
        assert out.strip() == b"Done."
        assert len(model.requests) == 1
    run = open_run(home / "r")
    assert (run.task, run.problems) == ("Go.", [])
    assert sum(event.kind == "query" for event in run.events) == 1


def test_another_user_reaches_neither_model_nor_gate_nor_python_of_an_agent_in_the_debugger(
    home: Path, stranger: users.Stranger
):
    (home / "live").mkdir()
    os.chown(home / "live", users.USER, users.USER)
    env = environment(home, Endpoint()) | {"DAP_AI_PROVIDER": "offline"}
    with Endpoint([Reply("I look.", calls=[("bash", {"command": "echo one"})]), Reply("Done.")]) as model:
        env["OPENAI_BASE_URL"] = model.url
        with started(*dap_ai("serve", "--backend", "agents"), cwd=home, env=env, stdin=subprocess.PIPE) as process:
            live = Session(process)
            live.launch(agent(home), home / "live", filters=["call"], workspace=False, python=True)
            live.reply(live.until(lambda m: m.get("command") == "startDebugging"), {})
            assert live.held() == "1 bash: echo one"
            url = address_of(process, str(home / "tiny.py"))
            gate = url.rsplit("/", 2)[0]
            say = (post(url, "/chat/completions"), post(gate, "/gate"), INITIALIZE, "")
            found = listeners([process.pid, adapter_of_the_agents_python()])
            assert "adapter" in {listener.program for listener in found}
            nobody_takes_the_models_place(stranger, found, *say)
            live.go()
            assert live.over() == 0
        assert len(model.requests) == 2


def test_root_may_record_an_agent_that_becomes_another_user(home: Path, tmp_path: Path):
    with Endpoint([Reply("Done.")]) as model:
        command = ["record", "--no-workspace", "--out", tmp_path / "r", "--"]
        env = environment(home, model)
        with started(
            sys.executable, "-m", "dap_ai", *command, *users.as_user(*agent(home)), cwd=home, env=env
        ) as process:
            out, error = process.communicate(timeout=WAIT_S)
    assert out.strip() == b"Done.", error.decode()


@pytest.mark.parametrize("is_real", [False, True], ids=["fake", "real"])
def test_no_token_stands_in_a_command_line(*, is_real: bool, tmp_path: Path):
    work = tmp_path / "work"
    work.mkdir()
    codex = program("codex", "codex") if is_real else tmp_path / "codex"
    if not is_real:
        codex.write_text(FAKE_CODEX, encoding="utf-8")
        codex.chmod(0o755)
    with Endpoint([Reply("Done.", hold="start")], models=MODELS) as model:
        env = surroundings(model.url, tmp_path / "home")
        command = ["record", "--no-workspace", "--out", tmp_path / "r", "--", codex, *CODEX, TASK]
        with started(sys.executable, "-m", "dap_ai", *command, cwd=work, env=env) as process:
            tree = _tree_of(process)
            model.wait(1, WAIT_S)
            found = [each for each in tree() if "OPENAI_PROJECT" in _environ(each)]
            assert found, "the agent got no token"
            token = _environ(found[0])["OPENAI_PROJECT"]
            lines = [shlex.join(command_line(each)) for each in tree()]
            model.release()
            _, error = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, error.decode()
    assert len(token) >= 20
    assert any("/addressed/v1" in line for line in lines)
    assert [line for line in lines if token in line] == []
    assert [name for seen in model.requests for name, value in seen.headers.items() if token in value] == []


def _tree_of(process: subprocess.Popen[bytes]) -> Any:
    top = psutil.Process(process.pid)
    return lambda: [top, *top.children(recursive=True)]


def _environ(process: psutil.Process) -> dict[str, str]:
    with contextlib.suppress(psutil.Error):
        return process.environ()
    return {}
