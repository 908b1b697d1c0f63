"""`dap-ai record` while somebody is killed: the endpoint, the recorder, the agent."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.store import FILE
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.test_record import AGENT, environment
from tests.patience import at_worst
from tests.processes import command_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

LONG_S = at_worst(60.0)
SCRIPT = (
    Reply("I write.", calls=[("bash", {"command": "echo hello > a.txt"})]),
    Reply("Never seen.", hold="start"),
    Reply("Done."),
)
Start = Callable[..., subprocess.Popen[bytes]]


class Parked:
    """A recorded agent that waits for the answer to its second query."""

    def __init__(self, model: Endpoint, folder: Path, start: Start) -> None:
        self.model, self.folder = model, folder / "r"
        work = folder / "work"
        work.mkdir()
        command: list[Any] = ["record", "--out", self.folder, "--", sys.executable, AGENT]
        self.recorder = start(*command, cwd=work, env=environment(model))
        model.wait(2, LONG_S)
        _wait_for(self.folder / FILE, b'"change":1', b'"query":2')
        family = psutil.Process(self.recorder.pid).children()
        self.agent = next(each for each in family if str(AGENT) in command_line(each))
        self.endpoint = next(each for each in family if "dap_ai.debuggees.runs.live." in " ".join(command_line(each)))


def _wait_for(file: Path, *words: bytes) -> None:
    """Until they are written: the recorder is off the agent's path, and so behind it."""
    deadline = time.monotonic() + LONG_S
    while not all(word in file.read_bytes() for word in words):
        assert time.monotonic() < deadline, file.read_text()
        time.sleep(0.02)


@pytest.fixture
def parked(tmp_path: Path, start_dap_ai: Start) -> Iterator[Parked]:
    with Endpoint(SCRIPT) as model:
        yield Parked(model, tmp_path, start_dap_ai)


def texts(folder: Path, *kinds: str) -> list[str]:
    return [event.text for event in open_run(folder).events if event.kind in kinds]


def test_a_recording_is_read_while_it_is_written(parked: Parked):
    run = open_run(parked.folder)
    assert [event.kind for event in run.events][-5:] == ["response", "call", "result", "change", "query"]
    assert (run.problems, run.outcome.words) == ([], "")
    parked.model.release()
    assert parked.recorder.wait(LONG_S) == 3


def test_a_killed_endpoint_is_replaced_and_the_agents_package_tries_again(parked: Parked):
    parked.endpoint.kill()
    parked.model.wait(3, LONG_S)
    out, err = parked.recorder.communicate(timeout=LONG_S)
    assert (parked.recorder.returncode, out.split()) == (3, [b"Done."]), err.decode()
    assert texts(parked.folder, "response", "end") == ["I write.", "Done.", "exit code 3"]
    assert texts(parked.folder, "change") == ["A a.txt"]


def test_the_agent_goes_on_when_the_recorder_is_killed_and_is_recorded_to_its_end(parked: Parked):
    parked.recorder.kill()
    parked.model.release()
    assert parked.recorder.stdout and parked.recorder.stdout.read().split() == [b"Never", b"seen."]
    _, alive = psutil.wait_procs([parked.endpoint, parked.agent], LONG_S)
    assert alive == []
    assert texts(parked.folder, "response", "end") == ["I write.", "Never seen.", "the agent's end was not seen"]


def test_a_killed_agent_leaves_a_recording_that_is_whole(parked: Parked):
    parked.agent.kill()
    assert parked.recorder.wait(LONG_S) == 128 + signal.SIGKILL
    told = texts(parked.folder, "response", "result", "error", "end")
    assert told[0] == "I write." and told[2:] == ["the agent closed the connection", "exit code 137"]
    assert texts(parked.folder, "change") == ["A a.txt"]


def test_a_killed_endpoint_and_recorder_leave_what_was_recorded(parked: Parked):
    parked.recorder.kill()
    parked.endpoint.kill()
    parked.agent.kill()
    psutil.wait_procs([parked.endpoint, parked.agent], LONG_S)
    run = open_run(parked.folder)
    assert [event.kind for event in run.events][-5:] == ["response", "call", "result", "change", "query"]
    assert run.problems == []


def test_an_end_that_is_asked_for_reaches_the_agent(parked: Parked):
    parked.recorder.send_signal(signal.SIGTERM)
    assert parked.recorder.wait(LONG_S) == 128 + signal.SIGTERM
    assert texts(parked.folder, "end") == ["exit code 143"]
