"""A value path in a line of the terminal."""

from __future__ import annotations

import io

from dap_ai.commands.display.path_line import chain
from dap_ai.commands.display.rendering import TerminalDisplay
from dap_ai.protocol.wire.ask_messages import AskEnded, Usage
from dap_ai.protocol.wire.value_path import PathNode
from dap_ai.settings.configuration import Settings


def node(expression: str, value: str, line: int = 1) -> PathNode:
    return PathNode(expression, value, "frame" if value else "", "/shop.py", line, "main", "set")


PATH = [node("total", "-984"), node("net", "-1188"), node("reduced", "-1188"), node("discount", "10")]


def test_a_value_is_told_once_by_its_first_name():
    assert chain([*PATH, node("DISCOUNTS[name]", "10")]) == "total -984 <- net -1188 <- discount 10 <- DISCOUNTS[name]"


def test_what_is_not_known_is_a_question_mark():
    assert chain([node("a", "1"), node("b", ""), node("c", "2")]) == "a 1 <- b ? <- c 2"


def test_a_long_path_fits_two_lines_and_keeps_its_ends():
    told = chain([node(f"a_rather_long_name_{n}" * 3, str(n) * 90) for n in range(12)])
    assert len(told) <= 8 * (32 + 32 + 5)
    assert told.startswith("a_rather")
    assert " <- ... <- a_rather_long_name_11" in told


def test_a_path_of_two_links_tells_nothing_new():
    assert chain(PATH[:2]) == ""


def test_the_terminal_ends_an_answer_with_the_path():
    err = io.StringIO()
    display = TerminalDisplay(Settings(), io.StringIO(), err)
    display.ask_ended(AskEnded("1", "1", "completed", False, "So.", Usage(provider="offline"), [], [], [], path=PATH))
    display.close()
    assert "path: total -984 <- net -1188 <- discount 10\n" in err.getvalue()


def test_a_value_of_the_stop_says_so():
    made = PathNode("log", "['row']", "stop", "/shop.py", 1, "", "set")
    assert chain([node("a", "1"), node("b", "2"), made]) == "a 1 <- b 2 <- log ['row'] (when it stopped)"
