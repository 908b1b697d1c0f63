"""`dap-ai record` around a real agent on the real `openai` package, before a scripted model."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import Run
from tests.chat.endpoint import Endpoint, Reply
from tests.patience import at_worst

AGENT = Path(__file__).parents[1] / "agents" / "plain.py"
KEY = "sk-planted-key-4711"
LONG_S = at_worst(120.0)
TWO_STEPS = (
    Reply("I look.", calls=[("bash", {"command": "ls"})]),
    Reply("I write.", calls=[("bash", {"command": "echo hello > a.txt"}), ("bash", {"command": "cat a.txt; exit 7"})]),
    Reply("Done."),
)

Ran = Callable[..., subprocess.CompletedProcess[bytes]]


def environment(endpoint: Endpoint) -> dict[str, str]:
    return {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": KEY}


def told(run: Run) -> list[tuple[str, str]]:
    """Each event as its kind and its text."""
    return [(event.kind, event.text.strip()) for event in run.events]


@pytest.mark.parametrize("flags", [(), ("--stream",)])
def test_a_run_is_recorded_with_its_queries_calls_and_results(flags: Sequence[str], tmp_path: Path, run_dap_ai: Ran):
    (tmp_path / "work").mkdir()
    with Endpoint(TWO_STEPS) as endpoint:
        options = ["--out", tmp_path / "r", "--no-workspace"]
        command: list[Any] = ["record", *options, "--", sys.executable, AGENT, *flags]
        ran = run_dap_ai(*command, cwd=tmp_path / "work", env=environment(endpoint), timeout_s=LONG_S)
    assert (ran.returncode, ran.stdout.split()) == (3, [b"Done."]), ran.stderr.decode()
    run = open_run(tmp_path / "r")
    assert told(run)[1:] == [
        ("note", "You fix."),
        ("task", "Make a file."),
        ("query", ""),
        ("response", "I look."),
        ("call", "ls"),
        ("result", "<returncode>0</returncode>"),
        ("query", ""),
        ("response", "I write."),
        ("call", "echo hello > a.txt"),
        ("call", "cat a.txt; exit 7"),
        ("result", "<returncode>0</returncode>"),
        ("result", "<returncode>7</returncode>\nhello"),
        ("query", ""),
        ("response", "Done."),
        ("end", "exit code 3"),
    ]
    assert (run.task, run.steps, run.outcome.verdict, run.problems) == ("Make a file.", 4, "unknown", [])
    results = [event for event in run.events if event.kind == "result"]
    assert [(event.status, event.exit_code, event.tool) for event in results[1:]] == [
        ("ok", 0, "bash"),
        ("error", 7, "bash"),
    ]
    used = [event.usage for event in run.events if event.kind == "response"]
    assert [(each and each.input_tokens, each and each.output_tokens) for each in used] == [(1000, 50)] * 3
    for event in run.events:
        assert resolve(run.root, event.ref)


def test_a_recording_is_its_users_alone_and_holds_no_key(tmp_path: Path, run_dap_ai: Ran):
    with Endpoint(TWO_STEPS, key=KEY) as endpoint:
        command = ["record", "--out", tmp_path / "r", "--", sys.executable, AGENT]
        ran = run_dap_ai(*command, cwd=tmp_path, env=environment(endpoint), timeout_s=LONG_S)
    assert ran.returncode == 3, ran.stderr.decode()
    files = [path for path in (tmp_path / "r").rglob("*") if path.is_file()]
    assert files and not any(stat.S_IMODE(path.stat().st_mode) & 0o077 for path in files)
    assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o700
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_an_error_of_the_model_reaches_the_agent_as_it_is_and_is_recorded(tmp_path: Path, run_dap_ai: Ran):
    refused = Reply(status=429, error="Slow down, please.", code="rate_limit", headers={"Retry-After": "0"})
    with Endpoint([refused, Reply("Done.")]) as endpoint:
        command = ["record", "--out", tmp_path / "r", "--", sys.executable, AGENT]
        ran = run_dap_ai(*command, cwd=tmp_path, env=environment(endpoint), timeout_s=LONG_S)
    assert ran.returncode == 3, ran.stderr.decode()
    run = open_run(tmp_path / "r")
    errors = [(event.agent, event.text) for event in run.events if event.kind == "error"]
    assert errors == [("main", "status 429: Slow down, please.")]
    assert len(run.agents) == 1


def test_a_command_that_is_not_there_ends_as_in_a_shell(tmp_path: Path, run_dap_ai: Ran):
    ran = run_dap_ai("record", "--out", tmp_path / "r", "--", "no-such-agent", cwd=tmp_path)
    assert ran.returncode == 127 and b"no-such-agent" in ran.stderr
    assert not (tmp_path / "r").exists()


def test_a_folder_with_something_in_it_takes_no_recording(tmp_path: Path, run_dap_ai: Ran):
    (tmp_path / "mine.txt").write_text("mine")
    ran = run_dap_ai("record", "--out", tmp_path, "--", sys.executable, "-c", "", cwd=tmp_path)
    assert ran.returncode == 2 and b"is not empty" in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_secret_of_a_prompt_stays_in_the_recording_and_leaves_it_masked(tmp_path: Path, run_dap_ai: Ran):
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    with Endpoint([Reply("Done.")]) as endpoint:
        command = ["record", "--out", tmp_path / "r", "--", sys.executable, AGENT, "--task", f"Use the token {secret}."]
        ran = run_dap_ai(*command, cwd=tmp_path, env=environment(endpoint), timeout_s=LONG_S)
    assert ran.returncode == 3, ran.stderr.decode()
    assert secret in open_run(tmp_path / "r").task
    exported = run_dap_ai("run", "export", tmp_path / "r", "--to", "html", "-o", tmp_path / "page.html", cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr.decode()
    page = (tmp_path / "page.html").read_text()
    assert "Use the token" in page and secret not in page
