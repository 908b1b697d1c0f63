"""Errors at which debugpy does not stop are asked about all the same, and the program ends as it would have."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import TESTS
from tests.patience import patient

ENDS = [sys.executable, "-m", "dap_ai", "ask", "--json", "--each-stop"]
RECURSION = "RecursionError"


def run(argument):
    """The lines that `dap-ai ask` printed, and the program's exit code."""
    command = [*ENDS, str(TESTS / "debuggees" / "dead_ends.py"), argument]
    done = subprocess.run(command, capture_output=True, timeout=patient(120.0), check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines, lines[-1]["exitCode"]


def of(lines, event, key):
    return [line[key] for line in lines if line["event"] == event]


def output_of(lines):
    return "".join(line["output"] for line in lines if line["event"] == "output" and line["category"] == "stdout")


@pytest.fixture(scope="module")
def all_of_them(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    (folder / "unclosed.py").write_text("x = [1,\n     (2, 3\n", encoding="utf-8")
    return run(str(folder))


def test_each_of_them_stops_once(all_of_them):
    lines, _ = all_of_them
    kinds = [text.partition(":")[0] for text in of(lines, "stopped", "text")]
    assert kinds == [RECURSION, RECURSION, "KeyboardInterrupt", "SyntaxError", "AttributeError", RECURSION]


def test_each_is_answered_by_its_own_cause(all_of_them):
    direct, by_property, interrupted, syntax, finalizer, replaced_hook = of(all_of_them[0], "askEnded", "answer")
    assert "never ends by `n == 0`" in direct
    assert "is a property that reads `self.balance`" in by_property
    assert "while not done" in interrupted
    assert "unclosed.py:2` does not compile" in syntax
    assert "has no `handle`" in finalizer
    assert "never ends by `n == 0`" in replaced_hook


def test_the_program_ends_as_it_would_have(all_of_them):
    lines, code = all_of_them
    assert output_of(lines) == "nearly done\nown hook: RecursionError\n"
    assert code == 1


def test_an_exit_with_a_message_is_asked_about():
    lines, code = run("exit")
    assert of(lines, "stopped", "text") == ["SystemExit"]
    assert "dead_ends.py:" in of(lines, "askEnded", "answer")[0]
    assert code == 1
