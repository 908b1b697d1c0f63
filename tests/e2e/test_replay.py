"""`--log` and `dap-ai replay`: a session of the real debugpy, recorded and played again without it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.transport.byte_links import open_tcp
from dap_ai.transport.client import DapClient
from tests.patience import at_worst

LIMIT_S = at_worst(60.0)
DAP_AI = [sys.executable, "-m", "dap_ai"]
PROGRAM = """
    password = "hunter2-and-more"

    def connect(url, password):
        return url.split("@")[2]

    print("using", password, flush=True)
    connect("postgres://bob:s3cretpw99@db/x", password)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "wire.jsonl"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*DAP_AI, *map(str, arguments)], input=stdin, capture_output=True, timeout=LIMIT_S, check=False
    )


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return (done.stdout + done.stderr).decode()


def serve_once(file: Path) -> None:
    """A session that says little: initialize and disconnect."""
    requests = [
        {"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}},
        {"seq": 2, "type": "request", "command": "disconnect"},
    ]
    stdin = b"".join(encode_frame(json.dumps(request).encode()) for request in requests)
    done = run("serve", "--log", file, stdin=stdin)
    assert done.returncode == 0, said(done)


def altered(file: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    change(rows)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_run_and_its_answer_replay_the_same_and_hold_no_secret(file: Path, program: Path):
    run("ask", "--log", file, program)
    done = run("replay", file)
    assert done.returncode == 0, said(done)
    assert "all the same" in said(done)
    text = file.read_text()
    assert "askEnded" in text
    assert "hunter2-and-more" not in text
    assert "s3cretpw99" not in text


def test_the_file_is_added_to_and_one_session_can_be_chosen(file: Path):
    serve_once(file)
    serve_once(file)
    assert said(run("replay", file)).count("all the same") == 2
    only = said(run("replay", file, "--session", 2))
    assert only.startswith("session 2: ")
    assert only.count("\n") == 1
    missing = run("replay", file, "--session", 3)
    assert missing.returncode == 2
    assert "it has no session 3" in said(missing)


def test_with_v_the_conversation_is_printed(file: Path):
    serve_once(file)
    shown = said(run("replay", "-v", file))
    assert ">> fromclient request 1 initialize" not in shown
    assert '>> client request 1 initialize {"adapterID": "x"}' in shown
    assert '<< backend request 1 initialize {"adapterID": "x"}' in shown


def test_the_first_difference_is_shown_with_its_line(file: Path):
    serve_once(file)

    def change(rows: list[dict[str, Any]]) -> None:
        rows[2]["message"]["seq"] = 77

    altered(file, change)
    done = run("replay", file)
    assert done.returncode == 1
    assert "a difference, line 3 at message.seq:" in said(done)
    assert "expected  << backend request 77 initialize" in said(done)
    assert "got       << backend request 1 initialize" in said(done)


def test_a_log_whose_last_line_was_cut_off_is_played_up_to_there(file: Path):
    serve_once(file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-3]) + lines[-3][: len(lines[-3]) // 2])
    done = run("replay", file)
    assert done.returncode == 0, said(done)
    assert "the log ends before the session does" in said(done)


def test_what_cannot_be_replayed_is_said(file: Path, program: Path):
    assert "line 1 is not part of a wire log" in said(run("replay", program))
    serve_once(file)

    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["dap_ai"] = "9.9"
        rows[1]["event"] = "FromTheFuture"

    altered(file, change)
    done = run("replay", file)
    assert done.returncode == 2
    assert "line 2: this dap_ai knows no event 'FromTheFuture' (the log is of dap_ai 9.9, this is" in said(done)


def test_a_file_that_is_no_log_is_not_written_to(program: Path):
    before = program.read_text()
    done = run("serve", "--log", program)
    assert done.returncode == 2
    assert "it is not a wire log" in said(done)
    assert program.read_text() == before


@pytest.mark.anyio
async def test_a_proxy_that_is_killed_leaves_its_log(file: Path):
    process = subprocess.Popen(
        [*DAP_AI, "serve", "--listen", "127.0.0.1:0", "--no-token", "--log", str(file)], stderr=subprocess.PIPE
    )
    try:
        line = process.stderr.readline().decode()  # type: ignore[union-attr]
        client = DapClient(await open_tcp("127.0.0.1", int(line.rpartition(":")[2]), LIMIT_S))
        await client.initialize("debugpy")
        await _until(lambda: '"supportsAskRequest"' in file.read_text())
    finally:
        process.kill()
        process.communicate(timeout=LIMIT_S)
    await client.close()
    done = run("replay", file)
    assert done.returncode == 0, said(done)
    assert "the log ends before the session does" in said(done)


async def _until(holds: Callable[[], bool]) -> None:
    import asyncio

    for _ in range(int(LIMIT_S * 50)):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came")
