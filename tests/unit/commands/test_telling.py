"""Lines for a stderr that may not be read."""

from __future__ import annotations

import threading

from dap_ai.commands.display import command_output
from dap_ai.commands.display.command_output import Teller
from tests.patience import at_worst

WAIT_S = at_worst(10.0)


class Pipe:
    """A stderr that takes lines only once it is read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.read = threading.Event()
        self.full = threading.Event()

    def write(self, text: str) -> None:
        self.full.set()
        assert self.read.wait(WAIT_S)
        self.lines.append(text)


def test_lines_are_written_in_order_before_the_end():
    lines: list[str] = []
    teller = Teller(lines.append)
    for number in range(100):
        teller.tell(f"{number}")
    teller.close()
    assert lines == [f"{number}" for number in range(100)]


def test_who_reads_nothing_holds_nobody_up_and_is_told_how_much_was_missed():
    pipe = Pipe()
    teller = Teller(pipe.write)
    teller.tell("first")
    assert pipe.full.wait(WAIT_S)
    for number in range(command_output._MAX_LINES + 5):
        teller.tell(f"{number}")
    pipe.read.set()
    teller.close()
    assert pipe.lines[0] == "first"
    assert [line for line in pipe.lines if "dropped" in line] == [
        "5 lines before or after this one were dropped: nobody read them"
    ]
    assert pipe.lines[-1] == f"{command_output._MAX_LINES - 1}"


def test_a_closed_stderr_ends_the_lines_and_nothing_else():
    def closed(_text: str) -> None:
        raise BrokenPipeError

    teller = Teller(closed)
    teller.tell("one")
    teller.tell("two")
    teller.close()
