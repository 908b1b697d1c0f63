"""A module that does not compile: its own line is the cause, not the import; and the bracket that is likely open."""

from __future__ import annotations

import pytest

from dap_ai.agent.report.wording import CAUSE
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.failure.syntax_errors import Bracket, Wrong, likely_open
from tests.unit.agent.harness import ask, fail


def answered(tmp_path, module, program="import module\n"):
    (tmp_path / "module.py").write_text(module, encoding="utf-8")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    return ask(fail(tmp_path / "program.py"))[0]


def test_the_line_of_the_module_is_the_cause_and_the_import_is_told(tmp_path):
    answer = answered(tmp_path, "def f(x):\n    if x:\n    return 1\n")
    assert answer.text.startswith("`module.py:3` does not compile: expected an indented block")
    assert f"{CAUSE} `module.py:3`" in answer.text
    assert "It is imported at `program.py:1`." in answer.text
    assert [(suspect.file, suspect.line) for suspect in answer.suspects] == [(str(tmp_path / "module.py"), 3)]


def test_a_caret_stands_below_the_column(tmp_path):
    text = answered(tmp_path, "a = 1\n\tb = 2\n").text
    lines = text.splitlines()
    caret = next(number for number, line in enumerate(lines) if line.strip() == "^")
    assert lines[caret - 1].startswith("   2  ")


def test_an_error_in_text_that_is_no_file_is_explained_as_before(tmp_path):
    text = answered(tmp_path, "", "import ast\n\nast.literal_eval('(1')\n").text
    assert "does not compile" not in text
    assert "program.py:3" in text


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "bracket"),
    [
        ("x = [1,\n     (2, 3\n\ndef f():\n", 4, 1, "invalid syntax", Bracket("(", 2, 6)),
        ("x = f(1)\ny = = 2\n", 2, 5, "invalid syntax", None),
        ("x = '(' # ([{\ny = = 2\n", 2, 5, "invalid syntax", None),
        ('x = """\n(\n"""\ny = = 2\n', 4, 5, "invalid syntax", None),
        ("x = '\\'('\ny = = 2\n", 2, 5, "invalid syntax", None),
        ("x = {'a': [1, 2}\n", 1, 16, "closing parenthesis '}' does not match opening parenthesis '['", None),
        ("print((1, 2)\nx = 3\n", 1, 6, "'(' was never closed", Bracket("(", 1, 6)),
    ],
)
def test_only_a_bracket_that_is_open_before_the_error_is_named(text, line, column, message, bracket):
    assert likely_open(Wrong(SourceFile("m.py", text), line, column, message)) == bracket
