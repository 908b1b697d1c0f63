"""What `dap-ai pytest` takes for itself, and what it hands over."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from dap_ai.cli import main
from dap_ai.debuggees.python.commands import pytest as tested


@pytest.fixture
def handed(monkeypatch, tmp_path):
    """(program, words, variables) of each process that was to take this one's place."""
    calls = []
    monkeypatch.setattr(tested, "check", lambda candidate: None)
    monkeypatch.setattr(tested.os, "execve", lambda *call: calls.append(call))
    monkeypatch.chdir(tmp_path)
    return calls


def arguments_of(call):
    """Those after ours."""
    return call[1][call[1].index("--ask=short") + 1 :]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["tests", "-x", "--python", "is pytest's here"],
        ["-xvs", "--help"],
        ["--", "-file"],
        ["-h"],
        ["--ask=full", "--ask-fix", "-k", "a or b", "--ask-json", "x.json"],
    ],
)
def test_from_the_first_argument_on_all_are_those_of_pytest(handed, arguments):
    assert CliRunner().invoke(main, ["pytest", "--python", "x", *arguments]).exit_code == 0
    assert arguments_of(handed[0]) == arguments
    assert handed[0][0] == "x"
    assert handed[0][1][:5] == ["x", "-m", "pytest", "-p", tested.PLUGIN]


def test_no_option_of_ours_looks_like_a_path_to_pytest(handed):
    """pytest takes the common folder of all words that are paths for the root of the project."""
    CliRunner().invoke(main, ["pytest", "--python=x"])
    words = handed[0][1][5:]
    assert all(word.startswith("--") and "=" in word for word in words)
    assert json.loads(words[0].partition("=")[2])[0] == tested.sys.executable


def test_a_python_can_be_named_as_a_shell_finds_it(handed, monkeypatch, tmp_path):
    python = tmp_path / "bin" / "python3.8"
    python.parent.mkdir()
    python.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(python.parent))
    CliRunner().invoke(main, ["pytest", "--python=python3.8"])
    assert handed[0][0] == str(python)


def test_the_path_that_the_user_has_set_comes_first(handed, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/mine")
    CliRunner().invoke(main, ["pytest", "--python=x"])
    first, ours = handed[0][2]["PYTHONPATH"].split(tested.os.pathsep)
    assert first == "/mine"
    assert ours.endswith("onpath")


def test_help_teaches_by_example():
    text = CliRunner().invoke(main, ["pytest", "--help"]).output
    assert "dap-ai pytest -x tests/test_prices.py --ask=full" in text
    assert "uvx dap-ai pytest" in text


def test_what_is_no_python_is_named():
    done = CliRunner().invoke(main, ["pytest", "--python", "/no/such/python"])
    assert done.exit_code == 4
    assert "There is no Python interpreter at '/no/such/python'" in done.output
