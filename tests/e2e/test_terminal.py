"""`dap-ai ask` as a person and a script use it: the real debugpy, in a terminal and through pipes."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from dap_ai.cli import main
from dap_ai.commands.running import program_job
from tests.patience import at_worst, patient
from tests.processes import kill_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")

DAP_AI = [sys.executable, "-m", "dap_ai"]
LIMIT_S = at_worst(60.0)
NO_STOP, USAGE, FAILED, INTERRUPTED = 1, 2, 3, 130


@pytest.fixture
def program(tmp_path, monkeypatch):
    """`program(source)`: a Python file of that source in the working directory; gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(source, name="program.py"):
        (tmp_path / name).write_text(textwrap.dedent(source))
        return name

    return write


def ask(*arguments, stdin=b"", command="ask", cwd=None):
    return subprocess.run(
        [*DAP_AI, command, *arguments], input=stdin, capture_output=True, timeout=LIMIT_S, check=False, cwd=cwd
    )


def alone(*arguments, stdin=b""):
    return subprocess.run([sys.executable, *arguments], input=stdin, capture_output=True, timeout=LIMIT_S, check=False)


def lines_of(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def output_of(lines, category="stdout"):
    parts = [line for line in lines if line["event"] == "output" and line["category"] == category]
    return b"".join(base64.b64decode(part["base64"]) if "base64" in part else part["output"].encode() for part in parts)


class Screen:
    """A process on a terminal of its own, whose session it leads."""

    def __init__(self, command):
        self._near, far = os.openpty()
        self.text = b""
        self._process = subprocess.Popen(
            command,
            stdin=far,
            stdout=far,
            stderr=far,
            start_new_session=True,
            preexec_fn=lambda: _take_terminal(far),  # noqa: PLW1509  only the child can take it
        )
        os.close(far)

    @property
    def pid(self):
        return self._process.pid

    def type(self, text):
        os.write(self._near, text)

    def wait_for(self, text, count=1):
        """Reads until `text` was seen `count` times."""
        deadline = time.monotonic() + LIMIT_S
        while self.text.count(text) < count:
            assert self._read(deadline - time.monotonic()), (
                f"{text!r} never came:\n{self.text.decode(errors='replace')}"
            )

    def end(self):
        """Reads to the end; the exit code."""
        while self._read(LIMIT_S):
            pass
        return self._process.wait(LIMIT_S)

    def close(self):
        kill_tree(self.pid)
        self._process.wait()
        os.close(self._near)

    def _read(self, seconds):
        if not select.select([self._near], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self._near, 65536)
        except OSError:
            return False
        self.text += data
        return bool(data)


def _take_terminal(fd):
    import fcntl
    import termios

    fcntl.ioctl(fd, termios.TIOCSCTTY, 0)


@pytest.fixture
def screen():
    """`screen(*arguments)`: `dap-ai ask` with these on a terminal."""
    screens = []

    def start(*arguments, command=(*DAP_AI, "ask")):
        screens.append(Screen([*command, *arguments]))
        return screens[-1]

    yield start
    for one in screens:
        one.close()


CRASH = """
    def share(total, people):
        return total / people

    print("before")
    print(share(10, 0))
"""


# -- through pipes ------------------------------------------------------------------------------------------------------


def test_a_crash_is_answered_on_stdout_and_the_program_ends_as_it_would(program):
    done = ask(program(CRASH))
    assert done.returncode == 0
    assert done.stdout.startswith(b"before\n") or done.stdout.endswith(b"before\n")
    assert b"The divisor `people` is `0`" in done.stdout
    assert b"ZeroDivisionError: division by zero\n" in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


WHOLE = """
    import os, sys

    print(sys.argv[1:], os.environ["A"], os.path.basename(os.getcwd()), flush=True)
    sys.stdout.buffer.write(sys.stdin.buffer.read() * 3)
    sys.stderr.buffer.write(bytes(range(256)))
    sys.exit(7)
"""
INPUT = bytes(range(256)) * 999


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run to the end: what the program was given, and what came of it."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "sub").mkdir()
    (folder / "program.py").write_text(textwrap.dedent(WHOLE))
    before = ["-q", "why", "--env", "A=1=2", "--cwd", "sub"]
    after = ["a", "--exit-code", "program", "--verbose", "--", "--json"]
    return ask(*before, "program.py", *after, stdin=INPUT, cwd=folder)


def test_the_programs_exit_code_is_passed_on_if_wished(whole):
    assert whole.returncode == 7


def test_options_stand_on_both_sides_and_the_rest_is_the_programs(whole):
    assert whole.stdout.startswith(b"['a', '--verbose', '--json'] ")


def test_environment_and_working_directory_are_the_programs(whole):
    assert whole.stdout.partition(b"\n")[0].endswith(b" 1=2 sub")


def test_binary_output_and_input_pass_unchanged(whole):
    assert whole.stdout.partition(b"\n")[2] == INPUT * 3


def test_stderr_of_the_program_is_its_own(whole):
    assert bytes(range(256)) in whole.stderr


def test_a_program_that_does_not_stop_is_said_to_have_ended(program):
    done = ask(program("print('fine')"))
    assert done.returncode == NO_STOP
    assert done.stdout == b"fine\n"
    assert b"exit code 0" in done.stderr
    assert b"did not stop" in done.stderr


def test_a_breakpoint_with_a_condition_stops_once_there_and_each_stop_is_asked_about(program):
    name = program("for i in range(5):\n    total = i\nprint('end', total)\n")
    lines = lines_of(ask("--json", "--each-stop", "-b", f"{name}:2:i == 3", "-b", f"{name}:3", name))
    assert [line["event"] for line in lines if line["event"] in {"stopped", "askEnded"}] == ["stopped", "askEnded"] * 2
    assert [line["reason"] for line in lines if line["event"] == "stopped"] == ["breakpoint"] * 2
    assert output_of(lines) == b"end 4\n"


def test_then_quit_ends_the_program(program):
    done = ask("--then", "quit", "-b", "program.py:2", program("print(1, flush=True)\nprint(2, flush=True)\n"))
    assert done.returncode == 0
    assert b"2\n" not in done.stdout.replace(b"program.py:2\n", b"")


def test_json_lines_are_complete_and_nothing_else(program):
    done = ask("--json", "--exit-code", "program", program(CRASH))
    assert done.returncode == 1
    lines = lines_of(done)
    events = [line["event"] for line in lines]
    assert events[-1] == "exited"
    assert lines[-1]["exitCode"] == 1
    assert events.index("stopped") < events.index("askOutput") < events.index("askEnded")
    assert output_of(lines) == b"before\n"
    assert b"ZeroDivisionError" in output_of(lines, "stderr")
    ended = next(line for line in lines if line["event"] == "askEnded")
    said = "".join(line["output"] for line in lines if line["event"] == "askOutput" and line["category"] == "answer")
    assert ended["reason"] == "completed"
    assert ended["answer"].strip() == said.strip()


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """JSON lines of a program that writes much and dies by a signal."""
    folder = tmp_path_factory.mktemp("killed")
    writes = "import os, sys; sys.stdout.buffer.write(bytes(range(256)) * 2000); sys.stdout.flush()"
    (folder / "program.py").write_text(f"{writes}\nos.kill(os.getpid(), 11)\n")
    return ask("--json", "--exit-code", "program", "program.py", cwd=folder)


def test_binary_output_is_whole_in_json_lines(killed):
    assert output_of(lines_of(killed)) == bytes(range(256)) * 2000


def test_a_death_by_signal_is_named(killed):
    assert killed.returncode == 128 + 11
    assert lines_of(killed)[-2]["event"] == "exited"
    assert "SIGSEGV" in lines_of(killed)[-2]["text"]


@pytest.mark.parametrize("options", [[], ["-b", "program.py:6"]])
def test_a_forked_child_runs_on_without_the_debugger_and_both_outputs_are_kept(program, options):
    name = program(
        """
        import os
        pid = os.fork()
        if not pid:
            os.write(1, b"child\\n")
            one = [1]
            one[2]
        print("parent", os.waitpid(pid, 0)[1] >> 8)
        """
    )
    assert ask(*options, name).stdout == b"child\nparent 1\n"


def test_a_syntax_error_is_told_as_python_tells_it(program):
    name = program("def f(:\n    pass\n")
    lines = alone(str(Path(name).absolute())).stderr
    assert lines in ask(name).stderr


def test_a_condition_that_fails_is_said(program):
    name = program("for i in range(3):\n    print(i)\n")
    assert ask("-b", f"{name}:2:1/0", name).stderr.count(b"conditional breakpoint") == 1


def test_an_interpreter_that_is_none_is_an_error_in_one_line(program):
    done = ask("--python", shutil.which("ls"), program("print(1)"))
    assert done.returncode == FAILED
    assert b"import" not in done.stderr


def test_pytest_stops_at_a_test_that_fails_and_not_at_what_is_caught(program):
    caught = "    try:\n        {}['x']\n    except KeyError:\n        pass\n"
    program(f"def test_share():\n{caught}    assert 1 / 0\n", "test_share.py")
    done = ask("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_share.py")
    assert done.returncode == 0
    assert b"stopped: ZeroDivisionError" in done.stderr
    assert b"pytest --ask" in done.stderr


def test_a_doctest_that_raises_is_stopped_at(program):
    name = program('def first(xs):\n    """\n    >>> first([])\n    """\n    return xs[0]\n', "lists.py")
    done = ask("-m", "doctest", name)
    assert b"stopped: IndexError" in done.stderr


def test_an_error_that_a_test_runner_catches_is_stopped_at_if_wished(program):
    program("import unittest\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.fail()\n", "test_x.py")
    done = ask("--exception", "userUnhandled", "-m", "unittest", "test_x")
    assert done.returncode == 0


def test_another_interpreter_that_is_missing_is_an_error(program):
    done = ask("--python", "/nowhere/python", program("print(1)"))
    assert done.returncode == FAILED
    assert b"/nowhere/python" in done.stderr


def test_an_interpreter_that_ends_before_the_debugger_is_ready_is_an_error_soon(program, tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ncase "$*" in *--connect*) exit 3;; esac\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    impatient = f"import {program_job.__name__} as job, dap_ai.cli as cli; job._DEBUGGEE_START_S = 1.0; cli.main()"
    start = time.monotonic()
    done = alone("-c", impatient, "ask", "--python", str(python), program("print(1)"))
    assert done.returncode == FAILED
    assert b"before the debugger was ready" in done.stderr
    assert time.monotonic() - start + patient(program_job._DEBUGGEE_START_S) < patient(20)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.py"], "no file absent.py"),
        (["."], "directory"),
        ([], "PROGRAM"),
        (["--pid", "1", "program.py"], "--pid"),
        (["-b", "program.py:99", "program.py"], "no line 99"),
        (["--level", "everything", "program.py"], "observe"),
        (["--provider", "oracle", "program.py"], "offline"),
        (["--nonsense", "program.py"], "--nonsense"),
    ],
)
def test_a_usage_error_says_what_is_wrong(program, arguments, words):
    """In this process: that an error is one of the process too, the next test and those above show."""
    program("print(1)")
    done = CliRunner().invoke(main, ["ask", *arguments])
    assert done.exit_code == USAGE
    assert words in done.stderr
    assert done.stdout == ""


def test_a_usage_error_is_a_line_too_in_json(program):
    program("print(1)")
    for arguments in (["absent.py"], ["program.py", "--level", "everything"]):
        done = ask("--json", *arguments)
        (line,) = lines_of(done)
        assert (done.returncode, line["event"]) == (USAGE, "error")


def test_sigterm_ends_the_program_with_us(program):
    name = program("import time\nprint('up', flush=True)\nwhile True:\n    time.sleep(0.05)\n")
    with subprocess.Popen([*DAP_AI, "ask", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT_S) == 128 + signal.SIGTERM


def test_serve_ended_by_a_signal_leaves_nothing_running():
    command = [*DAP_AI, "serve", "--listen", "127.0.0.1:0", "--no-token"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        port = int(process.stderr.readline().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(
                b'Content-Length: 67\r\n\r\n{"seq":1,"type":"request","command":"initialize","arguments":{}}   '
            )
            assert connection.recv(15) == b"Content-Length:"
            process.send_signal(signal.SIGTERM)
            assert process.wait(LIMIT_S) == 128 + signal.SIGTERM


BUSY = """
    import time
    end = time.monotonic() + 60
    while time.monotonic() < end:
        turns = sum(range(100))
"""


def test_attaching_answers_and_leaves_the_program_running(program):
    with subprocess.Popen([sys.executable, program(BUSY)]) as running:
        try:
            done = ask("--pid", str(running.pid))
            if done.returncode and b"gdb" in done.stderr:
                pytest.skip(done.stderr.decode())
            assert done.returncode == 0, done.stderr
            assert running.poll() is None
        finally:
            running.kill()


def test_a_program_in_which_no_thread_can_be_stopped_is_told_where_it_waits(program):
    name = program("import threading\nlock = threading.Lock()\nlock.acquire()\nprint(1, flush=True)\nlock.acquire()\n")
    with subprocess.Popen([sys.executable, name], stdout=subprocess.PIPE) as running:
        try:
            assert running.stdout.readline() == b"1\n"
            done = ask("--pid", str(running.pid))
            if done.returncode and b"gdb" in done.stderr:
                pytest.skip(done.stderr.decode())
            assert b"program.py:5" in done.stdout
            assert running.poll() is None
        finally:
            running.kill()


def test_what_cannot_be_attached_to_is_named():
    gone = CliRunner().invoke(main, ["ask", "--pid", "999999999"])
    assert (gone.exit_code, "no process" in gone.stderr) == (FAILED, True)
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        native = CliRunner().invoke(main, ["ask", "--backend", "debugpy", "--pid", str(sleeper.pid)])
        sleeper.kill()
    assert (native.exit_code, "debugs Python" in native.stderr) == (USAGE, True)


# -- on a terminal ------------------------------------------------------------------------------------------------------


def test_a_program_has_the_terminal_before_and_after_the_answer_in_the_modes_that_it_sets(program, screen):
    name = program(
        """
        import sys, termios
        first = input("first? ")
        modes = termios.tcgetattr(0)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(0, termios.TCSANOW, modes)
        mark = 1
        print("echo is", bool(termios.tcgetattr(0)[3] & termios.ECHO))
        print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty())
        second = input("second? ")
        print("got", first + second)
        """
    )
    here = screen("-b", f"{name}:7", name)
    here.wait_for(b"first? ")
    here.type(b"a\n")
    here.wait_for(b"second? ")
    here.type(b"b\n")
    here.wait_for(b"got ab")
    assert here.end() == 0
    assert b"echo is False" in here.text
    assert b"True True True" in here.text


def test_ctrl_c_while_the_program_runs_is_the_programs(program, screen):
    name = program(
        """
        import time
        try:
            print("up", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            print("caught it", flush=True)
        """
    )
    here = screen(name)
    here.wait_for(b"up")
    here.type(b"\x03")
    here.wait_for(b"caught it")
    assert here.end() == NO_STOP


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_ctrl_z_gives_the_shell_its_terminal_and_fg_goes_on(program, screen):
    name = program("import time\nprint('up', flush=True)\ntime.sleep(1)\nprint('on' + 'ward', input())\n")
    here = screen("--norc", "-i", command=("bash",))
    here.type(b"PS1='ready> '\n")
    here.wait_for(b"ready> ", 2)
    here.type(" ".join([*DAP_AI, "ask", name]).encode() + b"\n")
    here.wait_for(b"up\r\n")
    here.type(b"\x1a")
    here.wait_for(b"Stopped")
    here.type(b"echo shell $((40+2))\n")
    here.wait_for(b"shell 42")
    here.type(b"fg\n")
    here.type(b"typed\n")
    here.wait_for(b"onward typed")
    here.type(b"exit 3\n")
    assert here.end() == 3


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_in_the_background_the_shell_keeps_its_terminal(program, screen):
    name = program("import time\nprint('u' + 'p', flush=True)\ntime.sleep(0.5)\nprint('do' + 'ne', flush=True)\n")
    here = screen("--norc", "-i", command=("bash",))
    here.type(" ".join([*DAP_AI, "ask", name, "&"]).encode() + b"\n")
    here.wait_for(b"up\r\n")
    here.type(b"echo shell $((40+2))\n")
    here.wait_for(b"shell 42")
    here.wait_for(b"done\r\n")
    here.type(b"wait\nexit 3\n")
    assert here.end() == 3
