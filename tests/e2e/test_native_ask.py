"""`dap-ai ask` for native programs as a person and a script use it, with each debugger that is here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from dap_ai.cli import main
from tests.e2e.test_terminal import DAP_AI, FAILED, LIMIT_S, NO_STOP, USAGE, Screen, lines_of, output_of
from tests.integration.native import build, core_of, need, need_attach
from tests.processes import command_line, end_tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="native debuggers are tried on Linux")

ADAPTERS = ["lldb-dap 23", "lldb-dap 19", "gdb"]
BEST = "lldb-dap 23"
of_each_kind = pytest.mark.parametrize("adapter", [BEST, "gdb"])
"""One of each backend: an old lldb-dap is used as a new one is, and differs in what it says at a stop."""
KILLED_BY_SIGSEGV = 128 + signal.SIGSEGV

READS = """
#include <stdio.h>
int length(const char *text) { return text[0]; }
int main(int argc, char **argv) {
    char line[80];
    int n = 0;
    while (fgets(line, sizeof line, stdin)) { n++; printf("line %d: %s", n, line); fflush(stdout); }
    return length(argc > 1 ? argv[1] : NULL) == 'x' ? 3 : 4;
}
"""
LOOPS = """
#include <stdio.h>

int ticks;
void tick(void) {
    ticks++; /* no call: lldb-dap 19 does not always find the way out of the C library */
    for (volatile int i = 0; i < 100000; i++) {}
}
int main(void) {
    puts("looping");
    fflush(stdout);
    for (;;) tick();
}
"""
PRINTS = """
#include <stdio.h>
int main(void) {
    int *nowhere = NULL;
    for (int i = 0; i < 3000; i++) printf("row %d\\n", i);
    fflush(stdout);
    return *nowhere;
}
"""
TALKS = """
#include <stdio.h>
int main(void) {
    char name[40];
    int *nowhere = NULL;
    printf("name? ");
    fflush(stdout);
    if (!fgets(name, sizeof name, stdin)) return 5;
    printf("hello %s", name);
    fflush(stdout);
    return *nowhere;
}
"""


@pytest.fixture(params=ADAPTERS)
def adapter(request):
    return request.param


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def command(adapter, *arguments):
    """The command line that uses this debugger, and its environment."""
    program = Path(need(adapter)[0])
    backend = "gdb" if adapter == "gdb" else "lldb" if program.name == "lldb-dap" else str(program)
    env = os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    return [*DAP_AI, "ask", "--backend", backend, *arguments], env


def ask(adapter, *arguments, stdin=b""):
    argv, env = command(adapter, *arguments)
    return subprocess.run(argv, env=env, input=stdin, capture_output=True, timeout=LIMIT_S, check=False)


@pytest.fixture
def screen():
    """`screen(adapter, *arguments)`: `dap-ai ask` on a terminal."""
    screens = []

    def start(adapter, *arguments):
        argv, env = command(adapter, *arguments)
        screens.append(Screen(["env", f"PATH={env['PATH']}", *argv]))
        return screens[-1]

    yield start
    for one in screens:
        one.close()


def test_a_crash_is_answered_and_the_program_reads_our_input(tmp_path, adapter):
    build(READS, tmp_path, "reads")
    done = ask(adapter, "--exit-code", "program", "./reads", stdin=b"one\ntwo\n")
    assert done.stdout.startswith(b"line 1: one\nline 2: two\n")
    assert b"length" in done.stdout
    assert b"killed by SIGSEGV" in done.stderr
    assert done.returncode == KILLED_BY_SIGSEGV


@of_each_kind
def test_a_program_that_ends_by_itself_keeps_its_exit_code(tmp_path, adapter):
    build(READS, tmp_path, "reads")
    done = ask(adapter, "--exit-code", "program", "./reads", "x y")
    assert b"The program did not stop" in done.stderr
    assert done.returncode == 3


def test_a_run_without_a_stop_ends_with_1(tmp_path):
    build(READS, tmp_path, "reads")
    assert ask(BEST, "./reads", "x").returncode == NO_STOP


def test_no_line_of_a_storm_of_output_is_lost(tmp_path, adapter):
    """Where the answer comes among its last ones is for the adapter's threads to say; gdb lets lines overtake others.

    gdb 18 holds back what a program prints while it answers a request, and sends it beside what is printed next.
    """
    build(PRINTS, tmp_path, "prints")
    done = ask(adapter, "./prints")
    shown = [int(row[4:]) for row in done.stdout.splitlines() if re.fullmatch(rb"row \d+", row)]
    assert (sorted(shown) if adapter == "gdb" else shown) == list(range(3000))
    assert b"nowhere" in done.stdout
    assert done.returncode == 0


def test_a_line_without_an_end_does_not_run_into_the_answer(tmp_path):
    build(TALKS, tmp_path, "talks")
    done = ask(BEST, "./talks", stdin=b"Ada")
    assert done.stdout.startswith(b"name? hello Ada\n")


@of_each_kind
def test_a_breakpoint_stops_the_program(tmp_path, adapter):
    build(READS, tmp_path, "reads")
    done = ask(adapter, "-b", "reads.c:8", "--then", "quit", "--show-context", "./reads", "x", stdin=b"one\n")
    assert b"breakpoint" in done.stderr
    assert b"ended, as you asked" in done.stderr


@of_each_kind
def test_a_reader_of_json_gets_output_stop_and_answer(tmp_path, adapter):
    build(READS, tmp_path, "reads")
    lines = lines_of(ask(adapter, "--json", "./reads", stdin="naïve\n".encode()))
    assert output_of(lines) == "line 1: naïve\n".encode()
    assert [line["event"] for line in lines if line["event"] in {"stopped", "askEnded", "exited"}] == [
        "stopped",
        "askEnded",
        "exited",
    ]
    assert lines[-1]["exitCode"] == KILLED_BY_SIGSEGV


def wait_until_it_loops(pid: int) -> None:
    """What it prints may be here before it has come back from the system call."""
    (program,) = (
        each
        for each in psutil.Process(pid).children(recursive=True)
        if "".join(command_line(each)[:1]).endswith("loops")
    )
    ends = time.monotonic() + LIMIT_S
    while program.cpu_times().user < 0.05:
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_ctrl_c_asks_where_a_program_loops_and_then_ends_it(tmp_path, adapter):
    build(LOOPS, tmp_path, "loops")
    argv, env = command(adapter, "./loops")
    with subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        try:
            assert p.stdout.readline() == b"looping\n"
            wait_until_it_loops(p.pid)
            p.send_signal(signal.SIGINT)
            out, err = p.communicate(timeout=LIMIT_S)
        finally:
            end_tree(p)  # else leaving would wait for it for ever
    assert b"SIGINT" in err
    assert b"tick" in out
    assert b"killed by SIGINT" in err
    assert p.returncode == 0


def test_a_program_on_a_terminal_talks_with_its_user(tmp_path, screen):
    build(TALKS, tmp_path, "talks")
    terminal = screen(BEST, "./talks")
    terminal.wait_for(b"name? ")
    terminal.type(b"Ada\n")
    terminal.wait_for(b"hello Ada")
    assert terminal.end() == 0
    assert b"nowhere" in terminal.text


@of_each_kind
def test_a_process_that_runs_is_asked_about_and_runs_on(tmp_path, adapter):
    need_attach()
    with subprocess.Popen([build(LOOPS, tmp_path, "loops")], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            done = ask(adapter, "--pid", str(process.pid))
            assert b"tick" in done.stdout
            assert done.returncode == 0
            assert psutil.Process(process.pid).status() not in {psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE}
        finally:
            process.kill()


@of_each_kind
def test_a_process_that_runs_stops_at_a_breakpoint(tmp_path, adapter):
    need_attach()
    with subprocess.Popen([build(LOOPS, tmp_path, "loops")], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            done = ask(adapter, "--pid", str(process.pid), "-b", "loops.c:6", "--show-context")
            assert b"breakpoint" in done.stderr
            assert psutil.Process(process.pid).status() not in {psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE}
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("adapter", "named"),
    [(BEST, False), ("gdb", False), ("lldb-dap 19", True)],
    ids=["lldb-dap 23 finds its program", "gdb finds its program", "lldb-dap 19 is told its program"],
)
def test_a_core_file_is_asked_about(tmp_path, adapter, named):
    """Only the recipes of lldb and gdb find a core's program."""
    program = build(READS, tmp_path, "reads")
    core = core_of(program, tmp_path)
    if core is None:
        pytest.skip("this machine writes no core files beside a program")
    done = ask(adapter, "--core", str(core), *([str(program)] if named else []))
    assert b"length" in done.stdout
    assert done.returncode == 0


def test_a_core_file_of_another_program_is_refused_before_any_frame_is_shown(tmp_path):
    program, other = build(READS, tmp_path, "reads"), build("int main(void) { return 0; }\n", tmp_path, "other")
    core = core_of(program, tmp_path)
    if core is None:
        pytest.skip("this machine writes no core files beside a program")
    done = ask(BEST, "--core", str(core), str(other))
    assert b"is not a core file of" in done.stderr and b"/reads left it" in done.stderr
    assert b"stopped" not in done.stderr + done.stdout
    assert done.returncode == 2


def test_a_source_file_is_compiled_first(tmp_path):
    build(READS, tmp_path, "reads")
    (tmp_path / "reads").unlink()
    done = ask(BEST, "reads.c", stdin=b"one\n")
    assert b"compiling reads.c with" in done.stderr
    assert b"reads.c:3" in done.stdout
    assert done.returncode == 0


def test_a_source_that_does_not_compile_ends_with_the_compilers_words(tmp_path):
    build(READS, tmp_path, "reads")
    (tmp_path / "broken.c").write_text("int main(void) { return nobody; }\n")
    done = ask(BEST, "broken.c")
    assert b"nobody" in done.stderr
    assert done.returncode == FAILED


def test_the_line_that_a_compiler_quotes_holds_no_password(tmp_path):
    build(READS, tmp_path, "reads")
    (tmp_path / "broken.c").write_text('int main(void) { const char *password = "t7Rk2mQ9vX4z"; return nobody; }\n')
    done = ask(BEST, "broken.c")
    assert b"nobody" in done.stderr and b"<secret:" in done.stderr
    assert b"t7Rk2mQ9vX4z" not in done.stdout + done.stderr


@of_each_kind
def test_a_sanitizers_report_stops_the_program(tmp_path, adapter):
    build(READS, tmp_path, "reads")
    source = "#include <stdlib.h>\nint main(int n, char **v) { int *p = malloc(4); p[n] = 1; free(p); return 0; }\n"
    (tmp_path / "over.c").write_text(source)
    done = ask(adapter, "--sanitize", "address", "over.c")
    if b"does not compile" in done.stderr:
        pytest.skip("the compiler here has no AddressSanitizer")
    assert b"heap-buffer-overflow" in done.stdout
    assert b"over.c:2" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--backend", "debugpy", "./reads"], "debugs Python"),
        (["--core", "./reads"], "not a core file"),
        (["--core", "reads", "-b", "reads.c:3"], "does not run"),
        (["--sanitize", "address", "./reads"], "source files"),
        (["reads.o"], "no file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(tmp_path, arguments, words):
    build(READS, tmp_path, "reads")
    need(BEST)
    done = CliRunner().invoke(main, ["ask", *arguments])
    assert words in done.stderr
    assert done.exit_code == USAGE
