"""An answer begins on a line of its own, whatever the program has written before to the same file or pipe."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from dap_ai.commands.display.line_ends import are_one, may_be_within_line
from dap_ai.commands.display.rendering import TerminalDisplay
from dap_ai.protocol.wire.ask_messages import AskOutput
from dap_ai.settings.configuration import Settings


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    with os.fdopen(reading, "r"), os.fdopen(writing, "w") as stream:
        yield stream


@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="a file that is open for writing only is read by its number"
)
@pytest.mark.parametrize(("text", "within"), [("", False), ("whole\n", False), ("whole\nbegun", True)])
def test_of_a_file_its_last_byte_tells(tmp_path, text, within):
    file = tmp_path / "out.txt"
    file.write_text(text)
    with file.open("a") as stream:
        assert may_be_within_line(stream) is within


def test_a_pipe_cannot_be_looked_into(pipe):
    assert may_be_within_line(pipe)


def test_what_is_no_file_has_no_line():
    assert not may_be_within_line(io.StringIO())


def test_a_second_stream_of_the_same_pipe_is_the_same(pipe):
    with os.fdopen(os.dup(pipe.fileno()), "w") as other:
        assert are_one(pipe, other)
    assert not are_one(pipe, io.StringIO())


def test_the_answer_in_a_file_begins_on_a_line_of_its_own(tmp_path):
    file = tmp_path / "out.txt"
    file.write_text("begun")
    with file.open("a") as stream:
        display = TerminalDisplay(Settings(), stream, io.StringIO(), verbose=True)
        display.command("python shop.py")
        display.ask_output(AskOutput("1", "answer", "It is 1.\n"))
    assert file.read_text() == "begun\nIt is 1.\n"
