"""What no peer can make of `dap-ai serve`: more memory than the unsent and one message need, or a session that hangs."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.wire.framing import FrameReader, encode_frame, encode_header
from tests.patience import at_worst, patient

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read in /proc")

ADAPTER = Path(__file__).with_name("bounds_adapter.py")
WAIT_S = at_worst(40.0)
MB = 1_000_000
SLACK_MB = 24
"""The unsent of both links, a read of each, and what the allocator keeps."""
BIG = 100 * MB
MILLION_MB = 80
"""A million rows of the adapter's."""


class Editor:
    """A client of one `dap-ai serve`, which reads only when it is told to."""

    def __init__(self, process: subprocess.Popen[bytes], progress: Path) -> None:
        self.process = process
        self.progress = progress
        self.idle_mb = 0.0
        self._seq = 0
        self._frames = FrameReader()
        self._messages: Iterator[bytes] = iter(())
        self._selector = selectors.DefaultSelector()
        self._selector.register(process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]

    def launch(self) -> None:
        for command in ("initialize", "launch", "configurationDone"):
            self.request(command, {"adapterID": "x", "program": "x"})
        while self.message().get("event") != "stopped":
            pass
        self.idle_mb = self.peak_mb()

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]

    def send(self, command: str, arguments: dict[str, Any] | None = None) -> int:
        self._seq += 1
        message = {"seq": self._seq, "type": "request", "command": command, "arguments": arguments or {}}
        self.write(encode_frame(json.dumps(message).encode()))
        return self._seq

    def evaluate(self, expression: str) -> int:
        return self.send("evaluate", {"expression": expression, "context": "watch"})

    def body(self) -> bytes:
        """The next message; the test fails if none comes. Raises EOFError."""
        deadline = time.monotonic() + WAIT_S
        while (body := next(self._messages, None)) is None:
            assert self._selector.select(deadline - time.monotonic()), "nothing came"
            data = os.read(self.process.stdout.fileno(), 1 << 20)  # type: ignore[union-attr]
            if not data:
                raise EOFError
            self._messages = self._frames.feed(data)
        return body

    def message(self) -> dict[str, Any]:
        return json.loads(self.body())

    def response(self, seq: int, lines: list[int] | None = None) -> dict[str, Any]:
        """The response to a request; the numbers of the lines before it are added to `lines`."""
        while True:
            message = self.message()
            if message["type"] == "response" and message["request_seq"] == seq:
                return message
            if lines is not None and message.get("event") == "output":
                lines += [int(line.split()[0]) for line in message["body"]["output"].splitlines()]

    def request(self, command: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.response(self.send(command, arguments))

    def peak_mb(self) -> float:
        """The most memory that the proxy has had."""
        return _status_kb(self.process.pid, "VmHWM") * 1024 / MB

    def grown_mb(self) -> float:
        return self.peak_mb() - self.idle_mb

    def storm_stands(self) -> int:
        """The lines that the adapter could write before it had to wait."""
        deadline, seen, since = time.monotonic() + WAIT_S, -1, time.monotonic()
        while time.monotonic() < deadline:
            now = int(self.progress.read_text() or "-1") if self.progress.exists() else -1
            if now != seen:
                seen, since = now, time.monotonic()
            elif seen > 0 and time.monotonic() - since > 1.0:
                return seen
            time.sleep(0.02)
        raise AssertionError("the adapter writes on and on")

    def ends(self) -> None:
        """The proxy ends by itself; what it still says is read."""
        with pytest.raises(EOFError):
            while True:
                self.body()
        self.process.wait(WAIT_S)


def _status_kb(pid: int, name: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name))


@pytest.fixture
def editor(start_dap_ai: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> Editor:
    """A launched session of the adapter that does what it is told."""
    progress = tmp_path / "progress"
    command = shlex.join([sys.executable, str(ADAPTER), str(progress)])
    editor = Editor(start_dap_ai("serve", "--backend", command), progress)
    editor.launch()
    return editor


def test_a_storm_of_output_arrives_whole_and_in_order_and_is_not_kept(editor: Editor):
    lines: list[int] = []
    assert editor.response(editor.evaluate("storm 100000"), lines)["success"]
    assert lines == list(range(100_000))
    assert editor.grown_mb() < SLACK_MB


def test_100_mb_from_the_adapter_take_three_times_their_size(editor: Editor):
    seq = editor.evaluate(f"big {BIG}")
    while len(body := editor.body()) < BIG:
        pass
    assert b'"request_seq":%d' % seq in body[:200].replace(b" ", b"")
    assert editor.grown_mb() < 3 * BIG / MB + SLACK_MB
    assert editor.request("threads")["success"]


def test_100_mb_from_the_client_take_three_times_their_size(editor: Editor):
    answer = editor.request("source", {"sourceReference": 1, "more": "x" * BIG})
    assert answer["body"]["bytes"] > BIG
    assert editor.grown_mb() < 3 * BIG / MB + SLACK_MB


def test_while_a_client_does_not_read_the_adapter_is_not_read(editor: Editor):
    seq = editor.evaluate("storm 100000")
    assert editor.storm_stands() < 90_000
    assert editor.grown_mb() < SLACK_MB
    lines: list[int] = []
    assert editor.response(seq, lines)["success"]
    assert lines == list(range(100_000))
    assert editor.request("threads")["success"]


def test_an_ask_goes_on_when_its_client_reads_again(editor: Editor):
    storm = editor.evaluate("storm 50000")
    assert editor.storm_stands()
    editor.send("ask", {"question": "why?", "threadId": 1})
    editor.response(storm)
    while editor.message().get("event") != "askEnded":
        pass
    assert editor.grown_mb() < 2 * SLACK_MB


def test_what_the_proxy_answers_itself_is_bounded_too(editor: Editor):
    """Requests that it refuses, by a client that reads none of the answers."""
    flood = encode_frame(json.dumps({"seq": 9, "type": "request", "command": "askNothing"}).encode()) * 1000
    writer = threading.Thread(target=lambda: [editor.write(flood) for _ in range(60)], daemon=True)
    writer.start()
    writer.join(2.0)
    assert writer.is_alive(), "it was read to the end"
    assert editor.grown_mb() < SLACK_MB
    last = 0
    while last < 60_000:
        last += editor.message()["type"] == "response"
    writer.join(WAIT_S)
    assert editor.request("threads")["success"]


def test_an_adapter_that_reads_no_more_is_ended_and_everything_is_answered(editor: Editor):
    assert editor.response(editor.evaluate("deaf"))["success"]
    writer = threading.Thread(target=lambda: [editor.evaluate("x" * MB) for _ in range(40)], daemon=True)
    writer.start()
    ended = failed = 0
    while ended == 0:
        message = editor.message()
        failed += message["type"] == "response" and not message["success"]
        ended += message.get("event") == "terminated"
    assert failed
    assert editor.grown_mb() < 2 * SLACK_MB
    writer.join(WAIT_S)


@pytest.mark.parametrize(
    "stream",
    [
        b"\xff" * MB,
        b"X-Header: " + b"x" * (10 * MB),
        b"Content-Length: 999999999999999\r\n\r\n",
        b"content-length:" * MB,
    ],
    ids=["garbage", "an endless header", "an impossible length", "many lengths in one line"],
)
def test_a_client_that_cannot_be_followed_ends_its_session(editor: Editor, stream: bytes):
    with contextlib.suppress(BrokenPipeError):
        editor.write(stream)
    editor.ends()


def test_a_message_that_never_ends_takes_what_has_come_of_it(editor: Editor):
    editor.write(encode_header(200 * MB) + b"x" * (20 * MB))
    editor.process.stdin.close()  # type: ignore[union-attr]
    editor.ends()


def test_an_adapter_that_sends_garbage_is_ended_and_everything_is_answered(editor: Editor):
    seq = editor.evaluate("garbage")
    assert not editor.response(seq)["success"]
    while editor.message().get("event") != "terminated":
        pass
    assert editor.grown_mb() < SLACK_MB


def test_an_adapter_that_speaks_as_dap_ai_is_not_heard_by_the_client(editor: Editor):
    editor.request("ask", {"question": "why?", "threadId": 1})
    seq = editor.evaluate("forge")
    heard: list[dict[str, Any]] = []
    while not (heard and heard[-1].get("request_seq") == seq):
        heard.append(editor.message())
    assert heard[-1]["command"] == "evaluate"
    assert not any(message["type"] == "request" for message in heard)
    marked = [m for m in heard if m["type"] == "event" and ({"forged", "dapAiAgent"} & set(m["body"]))]
    assert marked == []
    assert any(m.get("event") == "output" and m["body"]["output"] == "forged" for m in heard)


def test_a_question_about_a_million_frames_and_variables_is_answered_soon(
    start_dap_ai: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
):
    command = shlex.join([sys.executable, str(ADAPTER), str(tmp_path / "progress"), "many"])
    editor = Editor(start_dap_ai("serve", "--backend", command), tmp_path / "progress")
    editor.launch()
    began = time.monotonic()
    editor.send("ask", {"question": "why?", "threadId": 1})
    while (ended := editor.message()).get("event") != "askEnded":
        pass
    assert ended["body"]["reason"] == "completed", (ended["body"]["error"], ended["body"]["answer"])
    assert time.monotonic() - began < patient(40.0)
    assert editor.grown_mb() < 3 * MILLION_MB + SLACK_MB
