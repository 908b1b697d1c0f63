"""`dap-ai debug` as a user of pdb and one of gdb type at it: real debuggers, a real terminal, pipes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dap_ai.system import extras
from tests.e2e.test_terminal import DAP_AI, LIMIT_S, Screen
from tests.integration.native import build, core_of, lldb_daps, need

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")
_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")

SHOP = '''\
class Account:
    def __init__(self, name, money):
        self.name = name
        self.money = money

    def withdraw(self, amount):
        """Take it."""
        self.money -= amount
        return self.money


def total(accounts):
    result = 0
    for account in accounts:
        result += account.money
    return result


def main():
    accounts = [Account("ann", 10), Account("bob", 20)]
    accounts[0].withdraw(3)
    print("total", total(accounts))
    ratio = 100 / (total(accounts) - 27)
    print(ratio)


main()
'''
SHOP_C = """\
#include <stdio.h>

struct item {
    const char *name;
    int price;
    int count;
};

static int total(struct item *items, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += items[i].price * items[i].count;
    }
    return sum;
}

int main(void) {
    struct item items[] = {{"pen", 2, 3}, {"ink", 5, 1}};
    int sum = total(items, 2);
    printf("total %d\\n", sum);
    int *nowhere = 0;
    return *nowhere + sum;
}
"""
# Forty commands each, and what must come of them, in this order.
PDB_USER = """
l . | ->   1  class Account:
ll
b total | breakpoint 1  shop.py:13
tbreak shop.py:Account.withdraw | breakpoint 2  shop.py:8  once
b | 2  shop.py:8  once
c | breakpoint 2
w | #1   shop.py:21 in main
a | amount = 3
p self.money | 10
pp self.__dict__ | money
whatis amount | int
self.withdraw(1) | 9
p self.money | 10
history self.money | self.money has had one value up to this stop, 10, since shop.py:4
when did self.money become negative? | self.money < 0 never held
!self.name = "ANN" | ran in the program itself
p self.name | 'ANN'
n | return self.money
r | shop.py:21 in main
display len(accounts) | 1: len(accounts) = 2
c | breakpoint 1
u | #1 shop.py:22 in main
p accounts[0].money | 7
d | shop.py:13 in total
n | for account in accounts
n | result += account.money
until 16 | return result
p result | 27
condition 1 len(accounts) > 5 | if len(accounts) > 5
undisplay
return | shop.py:22 in main
n | total 27
l 1, 3 | class Account:
source total | def total(accounts):
interact | There is no Python prompt
j 20 | shop.py:20 in main
ignore 1 2 | passed 2 more times
clear 1 | deleted 1
result = 5 | would change the program
trace total(accounts) | total(accounts
c | ZeroDivisionError: division by zero
p ratio | NameError
why is it zero? | The divisor total(accounts) - 27 is zero at shop.py:23
q | the program was ended, as you asked
"""
GDB_USER = """
info source | shop.c:18 in main
list total | static int total
break total | breakpoint 1  in total
tbreak shop.c:20 | breakpoint 2  shop.c:20  once
info breakpoints | 1  in total
run | breakpoint 1
bt | #1   shop.c:19 in main
info args | n = 2
info locals | sum =
print n | 2
p/x n + 14 | 0x10
p items[0] | price=2
p *items | price=2
p items[1].price * 3 | 15
x/2dw &n | 2
ptype items | struct item {
next | for (int i = 0
watch sum | watching sum =
continue | sum:
continue | sum: 6 -> 11
delete sum
info frame | total
frame 1 | #1 shop.c:19 in main
up | in __libc
down | shop.c:19 in main
frame 0 | in total
step | return sum
info registers | rip
display sum | 1: sum = 11
set var sum = 100 | ran in the program itself
print sum | 100
undisplay 1
disassemble | =>
info threads | stopped here
finish | shop.c:19 in main
delete 1 | deleted 1
continue | breakpoint 2
print sum | 100
call sum + 1 | 101
handle SIGUSR1 nostop | Signals
c | total 100
where | #0   shop.c:22 in main
print nowhere | null
why | null
kill | the program was ended
quit
"""


def rows(text):
    return [tuple(part.strip() for part in line.partition(" | ")[::2]) for line in text.strip().splitlines()]


def clean(text):
    return re.sub(r" +\n", "\n", _CONTROL.sub(b"", text).decode(errors="replace"))


def until(shown, text):
    """Reads until this can be read on the screen."""
    while text not in clean(shown.text):
        assert shown._read(LIMIT_S), f"{text!r} never came:\n{clean(shown.text)}"


def check(text, script):
    """What came of each command: it stands between the command and the next one."""
    commands = rows(script)
    at, starts = 0, []
    for command, _ in commands:
        at = text.find(f"(dap-ai) {command}\n", at)
        assert at >= 0, f"{command!r} never came"
        starts.append(at)
        at += 1
    ends = [*starts[1:], len(text)]
    came = [(wanted, text[start:end]) for (_, wanted), start, end in zip(commands, starts, ends, strict=True)]
    wrong = [f"{wanted!r} did not come of it:\n{shown}" for wanted, shown in came if wanted not in shown]
    assert not wrong, "\n".join(wrong)


def debug(*arguments, stdin="", cwd=None):
    command = [*DAP_AI, "debug", *map(str, arguments)]
    done = subprocess.run(command, input=stdin.encode(), capture_output=True, timeout=LIMIT_S, check=False, cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def _need_lldb():
    need(next(iter(lldb_daps()), "lldb-dap"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with SHOP in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


@pytest.fixture
def screen(folder):
    """`screen(*arguments)`: the prompt on a terminal."""
    screens = []

    def start(*arguments):
        screens.append(Screen([*DAP_AI, "debug", *map(str, arguments)]))
        return screens[-1]

    yield start
    for one in screens:
        one.close()


needs_editor = pytest.mark.skipif(not extras.PROMPT.is_installed, reason="no prompt_toolkit")


# -- forty commands -----------------------------------------------------------------------------------------------------


@needs_editor
def test_forty_commands_that_a_user_of_pdb_pastes_work_on_a_terminal(screen):
    shown = screen("shop.py")
    shown.wait_for(b"(dap-ai)")
    shown.type("".join(command + "\r" for command, _ in rows(PDB_USER)).encode())
    assert shown.end() == 0
    check(clean(shown.text), PDB_USER)


@needs_editor
def test_forty_commands_that_a_user_of_gdb_pastes_work_on_a_c_program(screen, folder):
    _need_lldb()
    (folder / "shop.c").write_text(SHOP_C)
    shown = screen(build(folder / "shop.c", folder))
    shown.wait_for(b"(dap-ai)")
    lines = "\n".join(command for command, _ in rows(GDB_USER)) + "\n"
    shown.type(b"\x1b[200~" + lines.encode() + b"\x1b[201~")  # as a terminal brackets a paste
    assert shown.end() == 0
    check(clean(shown.text), GDB_USER)


# -- what the terminal is for ------------------------------------------------------------------------------------------

TALKS = """\
import time

name = input("name? ")
print("hello", name)
for number in range(1000):
    print("tick", number, flush=True)
    time.sleep(0.05)
"""


@needs_editor
def test_a_program_reads_the_terminal_prints_above_the_prompt_and_is_paused_by_ctrl_c(screen, folder):
    (folder / "talks.py").write_text(TALKS)
    shown = screen("talks.py")
    shown.wait_for(b"(dap-ai)")
    shown.type(b"c\r")
    shown.wait_for(b"name? ")
    shown.type(b"ann\n")
    shown.wait_for(b"hello ann")
    shown.wait_for(b"tick 2")
    shown.type(b"\x03")
    shown.wait_for(b"stopped: pause")
    shown.wait_for(b"(dap-ai)", 3)
    shown.type(b"p name\r")
    shown.wait_for(b"'ann'")
    shown.text = b""
    shown.type(b"c &\r")
    shown.wait_for(b"tick")  # while there is a prompt
    shown.type(b"p num")
    shown.wait_for(b"tick", 3)
    shown.type(b"ber\r")
    shown.wait_for(b"The program runs")
    shown.type(b"interrupt\r")
    shown.wait_for(b"stopped: pause")
    shown.type(b"q\r")
    assert shown.end() == 0
    assert "the program was ended, as you asked" in clean(shown.text)


@needs_editor
def test_a_second_ctrl_c_leaves_where_the_first_cannot_pause(screen, folder):
    (folder / "waits.py").write_text("input('name? ')\n")
    shown = screen("waits.py")
    shown.wait_for(b"(dap-ai)")
    shown.type(b"c\r")
    shown.wait_for(b"name? ", 2)  # the source line, and the program
    shown.type(b"\x03")
    shown.wait_for(b"Ctrl-C again leaves")
    shown.type(b"\x03")
    assert shown.end() == 128 + signal.SIGINT


@needs_editor
def test_names_are_completed_an_empty_line_repeats_and_a_block_is_one_statement(screen):
    shown = screen("shop.py", "-c", "tb 20", "-c", "run")
    until(shown, 'Account("bob", 20)]\n(dap-ai)')
    shown.type(b"n\r")
    until(shown, "->   21")
    shown.type(b"p accounts[0].mo\t\r")
    until(shown, "(dap-ai) p accounts[0].money\n10\n")
    shown.type(b"n\r")
    until(shown, "->   22")
    shown.type(b"\r")
    until(shown, "->   23")
    shown.type(b"!for each in accounts:\reach.money = 50\r\r")
    until(shown, "ran in the program itself")
    shown.type(b"p accounts[1].money\r")
    until(shown, "(dap-ai) p accounts[1].money\n50\n(dap-ai)")
    shown.type(b"\x04")
    assert shown.end() == 0
    assert "the program was ended, as you asked" in clean(shown.text)


# -- pipes -------------------------------------------------------------------------------------------------------------


def test_a_pipe_of_commands_works_without_colours_and_its_end_leaves(folder):
    code, out, err = debug("shop.py", stdin="b total\nrun\nbt\np result\n")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert "(dap-ai) bt\n* #0   shop.py:13 in total\n  #1   shop.py:22 in main\n" in out
    assert "the program was ended, as you asked" in out


def test_the_program_reads_what_follows_in_the_pipe_and_ends_by_itself(folder):
    (folder / "asks.py").write_text("name = input()\nprint('hello', name)\nraise SystemExit(3)\n")
    code, out, _ = debug("asks.py", stdin="c\nann\nq\n")
    assert code == 0
    assert "hello ann\n" in out
    assert "the program ended with exit code 3" in out


def test_run_starts_again_with_other_arguments_and_the_same_breakpoints(folder):
    (folder / "args.py").write_text("import sys\nwords = sys.argv[1:]\nprint(words)\n")
    _, out, _ = debug("args.py", "one", stdin="b 3\nrun\np words\nrun two three\np words\nc\nr\nkill\np words\nq\n")
    assert out.count("breakpoint 1\n") == 3
    assert "(dap-ai) p words\n['one']" in out
    assert "(dap-ai) p words\n['two', 'three']" in out
    assert out.count("['two', 'three']\n\nthe program ended with exit code 0") == 1
    assert "The program has ended: `run` starts it again." in out


def test_the_users_own_file_comes_first_and_one_of_the_folder_is_not_read(folder, monkeypatch):
    (folder / ".dap-airc").write_text("p 'of the folder'\n")
    home = folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / ".dap-airc").write_text("# mine\np 20 + 1\n")
    _, out, _ = debug("shop.py", "-c", "p 30 + 1", stdin="q\n")
    assert out.index("\n21\n") < out.index("\n31\n")
    assert "of the folder" not in out
    (home / ".dap-airc").chmod(0o666)
    assert "\n21\n" not in debug("shop.py", stdin="q\n")[1]
    assert "\n21\n" not in debug("-nx", "shop.py", stdin="q\n")[1]


def test_looking_changes_nothing_and_the_program_prints_as_it_does_alone(folder):
    lines = (
        "b total\nrun\np accounts[0].withdraw(5)\ntrace accounts[0].withdraw(2)\np accounts.clear()\nclear 1\nc\nc\nq\n"
    )
    _, out, _ = debug("shop.py", stdin=lines)
    assert "total 27\n" in out


def test_a_fix_is_written_after_a_yes_and_the_program_passes_when_it_is_started_again(folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    program = folder / "resampling.py"
    program.write_text((ROOT / "examples" / "resampling.py").read_text())
    lines = "run\nfix apply\nn\nfix apply\ny\nrestart\nrun\nq\n"
    _, out, _ = debug("resampling.py", stdin=lines)
    assert out.count("Write this to resampling.py? (it was verified) y or n") == 2
    assert "resampling.py is left as it is." in out
    assert "`restart` starts it with the change" in out
    assert "estimates.append(statistic(resample))" in program.read_text()
    assert "the program ended with exit code 0" in out


def test_a_fix_of_an_earlier_stop_is_not_applied_at_a_later_one(folder):
    program = (ROOT / "examples" / "resampling.py").read_text()
    (folder / "resampling.py").write_text(
        "import atexit\n\n\ndef later():\n    print(1)\n\n\natexit.register(later)\n" + program
    )
    _, out, _ = debug("resampling.py", stdin="b 5\nrun\nfix apply\nn\nc\nc\nfix apply\nq\n")
    assert out.count("Write this to resampling.py?") == 1
    assert "No change was proposed." in out


# -- other kinds -------------------------------------------------------------------------------------------------------


def test_a_core_file_is_looked_at_and_not_moved(folder):
    _need_lldb()
    (folder / "shop.c").write_text(SHOP_C)
    program = build(folder / "shop.c", folder)
    core = core_of(program, folder)
    if core is None:
        pytest.skip("this machine writes no core files beside a program")
    code, out, _ = debug("--core", core, program, stdin="bt\np sum\nn\nrun\nset var sum = 3\nwhy\nq\n")
    assert code == 0
    assert "shop.c:22 in main" in out
    assert "(dap-ai) p sum\n11\n" in out
    assert "a core file" in out
    assert "cannot be started again" in out
    assert "It was only looked at" in out or "only looked at" in out


def test_a_recorded_run_steps_back(folder):
    run = ROOT / "examples" / "runs" / "discount.traj.json"
    code, out, _ = debug("--run", run, stdin="p step\nback\np step\nb 3\nrc\np step\nn\nwhy\n!step = 2\nq\n")
    assert code == 0
    steps = re.findall(r"\(dap-ai\) p step\n(\d+)", out)
    assert [int(step) for step in steps] == sorted(map(int, steps), reverse=True)
    assert len(set(steps)) == 3
    assert "The run most likely went wrong" in out
    assert "only looked at" in out


def test_a_program_is_looked_at_in_its_past_and_goes_on_from_its_present(folder):
    lines = "b 23 if len(accounts) == 2 | run | back | p accounts[0].money | rs | bt 2 | !x = 3 | b withdraw | rc | a | n | info locals"
    code, out, _ = debug("shop.py", stdin=f"{lines} | fin | c | p accounts[0].money | c | q |".replace(" | ", "\n"))
    assert code == 0
    told = (
        r"shop.py:22 in main  \[in the past\]",
        r"p accounts\[0\].money\n7",
        r"shop.py:9 in withdraw  \[in the past\]",
        r"#1 +shop.py:21 in main",
        "Nothing can be changed in the past",
        r"shop.py:8 in withdraw  \[in the past\]",
        "amount = 3",
        "self = <Account name='ann' money=7>",
        r"shop.py:22 in main  \[in the past\]",
        r"shop.py:23 in main  \[the present\]",
        r"p accounts\[0\].money\n7",
        "ZeroDivisionError",
    )
    assert re.search(".*?".join(told), out, re.DOTALL), out


def test_what_cannot_be_started_is_said_and_the_code_is_that_of_a_usage_error(folder):
    code, _, err = debug("nothing.py")
    assert code == 2
    assert "there is no file nothing.py" in err
    code, out, _ = debug("shop.py", stdin="b 999\nb nosuch.py:3\nfinish now\nb nosuch\nq\n")
    assert code == 0
    assert "shop.py has no line 999: it ends at 27." in out
    assert "There is no file nosuch.py." in out
    assert "finish takes nothing" in out
    assert "shop.py defines no nosuch: it stops in any function of that name" in out
