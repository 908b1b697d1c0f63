"""However `dap-ai` is ended while it searches, it is gone within a second, and nothing of the debuggee is left.

The analysis here never ends by itself, and looks at no flag: nothing that ends the process may wait for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.e2e.test_terminal import Screen
from tests.patience import patient
from tests.processes import running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

END_S = 1.0
"""From a cancel, a closed pipe or a dead client to the end of the process, on an idle machine."""
START_S = 30.0
INTERRUPTED = 130
ANALYSING = b"ANALYSING"
CRASH = "def share(total, people):\n    return total / people\n\n\nprint(share(10, 0))\n"
SEARCH = """
import sys
from dap_ai.system import thread_pool as threads
from dap_ai.debuggees.python.answer import failure_answers

def forever(*_):
    print("{mark}", file=sys.stderr, flush=True)
    while True:
        {look}

failure_answers.analyse = forever
from dap_ai.cli import main
main()
"""
NEVER, NOW_AND_THEN = (SEARCH.format(mark=ANALYSING.decode(), look=look) for look in ("pass", "threads.check()"))


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("crash.py").write_text(CRASH)
    return "crash.py"


class Searching:
    """`dap-ai ask` in the middle of its analysis; what it says on stderr is kept."""

    def __init__(self, *arguments, **where):
        command = [sys.executable, "-c", NEVER, "ask", "--provider", "offline", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **where
        )
        self.said = b""
        self._seen = threading.Event()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()
        assert self._seen.wait(patient(START_S)), self.said
        self.family = psutil.Process(self.process.pid).children(recursive=True)
        assert self.family

    def _read(self):
        for line in self.process.stderr:
            self.said += line
            if ANALYSING in line:
                self._seen.set()

    def signals(self, *numbers, pause_s=0.1):
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)
            time.sleep(pause_s)

    def has_ended(self):
        """Its exit code, if it ends within the limit with all that it has started."""
        code = ended(self.process, self.family)
        self._reading.join(patient(END_S))
        assert b"Aborted" not in self.said and b"dap_ai/commands" not in self.said  # no traceback of ours
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._reading.join()
        self.process.stdout.close()
        self.process.stderr.close()


def ended(process, family, limit_s=END_S):
    began = time.monotonic()
    try:
        code = process.wait(patient(limit_s))
    except subprocess.TimeoutExpired:
        pytest.fail(f"it runs {time.monotonic() - began:.1f} s after")
    assert not running(family)
    return code


def by_signal(number, times):
    """The exit codes of what a signal has ended. A later one may come when Python has given the handlers back."""
    return (128 + number,) if times == 1 else (128 + number, -number)


@pytest.fixture
def searching(program):
    """`searching(*arguments)`: an ask about the crashing program that never comes to its answer."""
    started = []

    def start(*arguments, **where):
        started.append(Searching(*arguments, program, **where))
        return started[-1]

    yield start
    for one in started:
        one.kill()


def test_ctrl_c_lets_the_program_go_on_and_both_end(searching):
    it = searching()
    it.signals(signal.SIGINT)
    assert it.has_ended() == INTERRUPTED
    assert b"ZeroDivisionError" in it.said


@pytest.mark.parametrize(("count", "pause_s"), [(2, 0.0), (12, 0.03)])
def test_ctrl_c_again_and_again_ends_it_the_same(searching, count, pause_s):
    it = searching()
    it.signals(*[signal.SIGINT] * count, pause_s=pause_s)
    assert it.has_ended() in by_signal(signal.SIGINT, count)


@pytest.mark.parametrize(("number", "times"), [(signal.SIGTERM, 1), (signal.SIGHUP, 3)])
def test_a_signal_ends_it(searching, number, times):
    it = searching()
    it.signals(*[number] * times)
    assert it.has_ended() in by_signal(number, times)


@pytest.mark.parametrize("arguments", [(), ("--json", "--chat")])
def test_it_ends_when_nobody_reads_what_it_says(searching, arguments):
    it = searching(*arguments)
    it.process.stdout.close()
    it.has_ended()


def test_it_ends_when_its_terminal_hangs_up(program):
    here = Screen([sys.executable, "-c", NEVER, "ask", "--provider", "offline", program])
    try:
        here.wait_for(ANALYSING)
        family = psutil.Process(here.pid).children(recursive=True)
        assert family
        hang_up(here)
        ended(here._process, family)
    finally:
        here.close()


def hang_up(here):
    """As a terminal's window does that is closed."""
    os.close(here._near)
    here._near = os.open(os.devnull, os.O_RDONLY)


class Editor:
    """An editor at `dap-ai serve` whose question is being answered, and the program that it debugs."""

    def __init__(self, program, *arguments, script=NEVER):
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, "serve", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.socket = None
        if "--listen" in arguments:
            port = int(self.process.stderr.readline().rpartition(b":")[2])
            self.process.stderr.readline()
            self.socket = socket.create_connection(("127.0.0.1", port))
        self._in = self.socket.makefile("wb") if self.socket else self.process.stdin
        self._out = self.socket.makefile("rb") if self.socket else self.process.stdout
        self._seq = 0
        self.say("initialize", adapterID="x", clientID="test")
        self.say("launch", program=str(Path(program).absolute()), console="internalConsole", cwd=str(Path.cwd()))
        self.hear("initialized")
        self.say("setExceptionBreakpoints", filters=["uncaught"])
        self.say("configurationDone")
        self.pid = self.hear("process")["systemProcessId"]
        self.say("ask", question="why?", threadId=self.hear("stopped")["threadId"])
        while ANALYSING not in self.process.stderr.readline():
            pass
        self.family = psutil.Process(self.process.pid).children(recursive=True)
        assert self.pid in [process.pid for process in self.family]

    def say(self, command, **arguments):
        self._seq += 1
        body = json.dumps({"seq": self._seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._in.flush()

    def hear(self, event):
        while True:
            size = 0
            while (line := self._out.readline()) != b"\r\n":
                assert line
                size = int(line.partition(b":")[2])
            message = json.loads(self._out.read(size))
            if message.get("event") == event:
                return message.get("body")

    def part(self):
        """The client is dead."""
        for file in (self._in, self._out, self.socket):
            with contextlib.suppress(BrokenPipeError, AttributeError):
                file.close()

    def kill(self):
        self.part()
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                file.close()


@pytest.fixture
def editor(program, monkeypatch):
    started = []

    def start(*arguments, **options):
        started.append(Editor(program, *arguments, **options))
        return started[-1]

    yield start
    for one in started:
        one.kill()


def test_serve_ends_with_its_stdin(editor):
    it = editor()
    it._in.close()
    assert ended(it.process, it.family) == 0


def test_serve_ends_when_nobody_reads_its_stdout(editor):
    it = editor()
    it._out.close()
    assert ended(it.process, it.family) == 0


@pytest.mark.parametrize(
    ("listening", "number"), [((), signal.SIGINT), (("--listen", "127.0.0.1:0", "--no-token"), signal.SIGTERM)]
)
def test_serve_is_ended_by_a_signal_however_often_it_comes(editor, listening, number):
    it = editor(*listening)
    for _ in range(3):
        it.process.send_signal(number)
        time.sleep(0.05)
    assert ended(it.process, it.family) in by_signal(number, 3)


def test_serve_on_tcp_does_nothing_any_more_for_a_client_that_is_dead(editor):
    it = editor("--listen", "127.0.0.1:0", "--no-token", script=NOW_AND_THEN)
    server = psutil.Process(it.process.pid)
    it.part()
    until = time.monotonic() + patient(END_S)
    while running(it.family):
        assert time.monotonic() < until
        time.sleep(0.02)
    before = server.cpu_times().user
    time.sleep(0.3)
    assert server.cpu_times().user - before < 0.1
