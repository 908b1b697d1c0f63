"""Any request in any state, and anything that is no request, to the real adapter of recorded runs: it answers and lives."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.own_json import exported
from dap_ai.debuggees.runs.run_model import Run
from tests.conformance import schema
from tests.conftest import TESTS
from tests.fuzz.budget import TIMEOUT_S, dice, seeds
from tests.fuzz.live_session import STATES, LiveSession
from tests.fuzz.requests import Known, draw
from tests.integration.subjects import Subject

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(TIMEOUT_S)]
RUN = TESTS / "unit/debuggees/runs/samples/mini-swe-agent/v1.traj.json"
POKES = 14
ALONE = 300
"""Requests to the adapter alone, in one process."""
OWN = [
    ("evaluate", {"expression": "search (a+)+$", "context": "repl"}),
    ("evaluate", {"expression": "show 1", "context": "repl"}),
    ("evaluate", {"expression": "diff 1 2", "context": "repl"}),
    ("evaluate", {"expression": "args." * 300, "context": "watch"}),
    ("evaluate", {"expression": "(" * 5000, "context": "watch"}),
    ("completions", {"text": "args.", "column": 6}),
    (
        "setFunctionBreakpoints",
        {"breakpoints": [{"name": "tool:*", "condition": "len(text) > 3", "hitCondition": "% 2"}]},
    ),
    ("setExceptionBreakpoints", {"filters": ["pattern"], "filterOptions": [{"filterId": "budget", "condition": "x"}]}),
    ("dataBreakpointInfo", {"name": "src"}),
    ("setDataBreakpoints", {"breakpoints": [{"dataId": "file:*", "accessType": "readWrite"}]}),
    ("gotoTargets", {"source": {"path": "run.md"}, "line": 4}),
    ("goto", {"threadId": 1, "targetId": 3}),
    ("restart", {"arguments": {"run": str(RUN)}}),
    ("stackTrace", {"threadId": 10**9 + 4}),
    ("launch", {"run": str(RUN)}),
    ("configurationDone", {}),
]
BODIES = [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"{}", b'{"type": 3}', b'{"type": "request"}',
          b'{"type": "request", "command": {}, "seq": "x"}', b'{"seq": 1e400}', b"[" * 9000]  # fmt: skip


@pytest.fixture
def about(tmp_path: Path) -> Subject:
    empty = tmp_path / "empty.json"
    empty.write_bytes(exported(Run("/run", "made"), RunAnalysis())["run.json"])
    held = {"run": str(RUN), "stopAt": "breakpoint"}
    return Subject("agents", ["agents"], held | {"program": "x"}, {"run": str(RUN)}, {"run": str(empty)}, ["result"])


async def test_no_request_in_no_state_wedges_it_behind_the_proxy(about: Subject):
    for seed in seeds(len(STATES)):
        rnd = dice(seed)
        session = await LiveSession.open(about)
        session.log.append(f"seed {seed}: {STATES[seed % len(STATES)]}")
        try:
            await session.go_to(STATES[seed % len(STATES)])
            for _ in range(POKES):
                await session.poke(*draw(rnd, session.known))
            await session.leave()
        finally:
            await session.close()


class Alone:
    """The adapter's process without the proxy, one request at a time; each of its messages is held against DAP's schema."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dap_ai.debuggees.runs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(TIMEOUT_S)
        self._process.stdout.close()

    def raw(self, body: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def ask(self, seq: int, command: str, arguments: Any) -> dict[str, Any]:
        """The response."""
        self.raw(json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode())
        for message in self._messages():
            schema.check(message)
            if message["type"] == "response" and message["request_seq"] == seq:
                return message
        raise AssertionError(f"it ended at {command} {arguments}")

    def ended(self) -> int:
        return self._process.wait(TIMEOUT_S)

    def _messages(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout
        while header := self._process.stdout.readline():
            self._process.stdout.readline()
            yield json.loads(self._process.stdout.read(int(header.split(b":")[1])))


def wanted(rnd: random.Random) -> tuple[str, Any]:
    """One request: of those that it knows, or of those that it does not."""
    if rnd.random() < 0.5:
        return rnd.choice(OWN)
    return draw(rnd, Known(1, rnd.randrange(60), rnd.randrange(80), str(RUN), rnd.randrange(40)))


def test_it_answers_each_request_once_whatever_comes_before_and_between():
    for seed in seeds(1):
        rnd = dice(seed)
        with Alone() as adapter:
            for number in range(1, ALONE):
                command, arguments = wanted(rnd)
                if command in ("disconnect", "terminate"):
                    continue
                answer = adapter.ask(number, command, arguments)
                assert "an error of dap_ai's own" not in str(answer.get("message")), (seed, command, arguments, answer)
                if rnd.random() < 0.1:
                    adapter.raw(rnd.choice(BODIES[1:]))
            assert adapter.ask(ALONE, "disconnect", {})["success"]
            assert adapter.ended() == 0


def test_a_message_that_is_none_is_passed_over():
    with Alone() as adapter:
        for body in BODIES[1:]:
            adapter.raw(body)
        assert adapter.ask(77, "initialize", {"adapterID": "x"})["success"]


def test_a_stream_without_lengths_ends_it_well():
    with Alone() as adapter:
        adapter.raw(b"")
        assert adapter.ended() == 0
