"""What a line at the prompt means, and how it is read from a stdin that is the program's too."""

from __future__ import annotations

import os
import queue
import subprocess
import sys

import pytest

from dap_ai.commands.running.chat_input import HELP, MOVES, parse
from dap_ai.commands.running.prompt import Prompt
from tests.patience import patient


@pytest.mark.parametrize(
    ("line", "word", "question"),
    [
        ("why is total 0?", "", "why is total 0?"),
        ("  next please  ", "", "next please"),
        ("next", "next", ""),
        (" NEXT ", "next", ""),
        ("n", "", "n"),
        ("evaluate next", "", "evaluate next"),
        ("", "continue", ""),
        (None, "continue", ""),
    ],
)
def test_a_word_alone_moves_the_program_and_all_else_is_a_question(line, word, question):
    assert parse(line) == (word, question)


def test_help_names_every_word():
    assert all(f"\n{word} " in HELP for word in (*MOVES, "continue", "quit", "help"))


@pytest.fixture
def stdin(monkeypatch):
    """`stdin(data)`: data and then the end is what the prompt reads; gives the descriptor."""
    near = []

    def feed(data):
        read, write = os.pipe()
        os.write(write, data)
        os.close(write)
        near.append(read)
        monkeypatch.setattr("dap_ai.commands.running.prompt._STDIN", read)
        return read

    yield feed
    for fd in near:
        os.close(fd)


def lines(prompt, count):
    told = queue.Queue()
    found = []
    for _ in range(count):
        prompt.read(told.put)
        found.append(told.get(timeout=patient(10)))
    return found


def test_lines_are_read_until_the_input_ends(stdin):
    stdin("one\r\n\nzwölf\nlast".encode())
    assert lines(Prompt(), 6) == ["one", "", "zwölf", "last", None, None]


def test_no_more_than_the_line_is_read(stdin):
    fd = stdin(b"one\nthe program's\n")
    assert lines(Prompt(), 1) == ["one"]
    assert os.read(fd, 100) == b"the program's\n"


def test_a_line_that_is_no_utf_8_is_read(stdin):
    stdin(b"caf\xe9\n")
    assert lines(Prompt(), 1) == ["caf\N{REPLACEMENT CHARACTER}"]


def test_a_pipe_is_not_prompted(stdin, capfd):
    stdin(b"one\n")
    prompt = Prompt()
    assert lines(prompt, 1) == ["one"]
    assert not prompt.interrupted()
    prompt.close()
    assert capfd.readouterr() == ("", "")


def test_line_editing_is_loaded_for_a_terminal_only():
    code = "import sys\nfrom dap_ai.commands.running.prompt import Prompt\nPrompt()\nprint('readline' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
