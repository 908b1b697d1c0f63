"""The text of an answer is what its sink was told, once."""

from __future__ import annotations

import pytest

from dap_ai.agent.providers.ask_work import TextSink
from tests.unit.agent.harness import Heard


def test_the_answer_is_what_was_said_with_one_line_end():
    told = TextSink(heard := Heard())
    for piece in ("The total ", "is 0.\n\n", "Look at line 3.\n\n"):
        told.emit("answer", piece)

    assert told.text == "The total is 0.\n\nLook at line 3.\n"
    assert heard.text("answer") == "The total is 0.\n\nLook at line 3.\n\n"


def test_a_status_is_told_and_is_no_part_of_the_answer():
    told = TextSink(heard := Heard())
    told.emit("status", "reading")

    assert (told.text, heard.text("status")) == ("", "reading")


def test_what_was_said_before_an_attempt_failed_does_not_count_but_what_came_before_it_does():
    told = TextSink(Heard())
    told.emit("answer", "Moved on.\n\n")
    with pytest.raises(ValueError, match="over"), told.attempt():
        told.emit("answer", "half a sent")
        raise ValueError("over")
    told.emit("answer", "The whole.\n\n")

    assert told.text == "Moved on.\n\nThe whole.\n"
