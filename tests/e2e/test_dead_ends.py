"""Errors at which debugpy does not stop are asked about all the same, and the program ends as it would have."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap

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


GROUP = ["ValueError"] if sys.version_info >= (3, 11) else []


def test_each_of_them_stops_once(all_of_them):
    lines, _ = all_of_them
    kinds = [re.split(r"[:\s]", text)[0] for text in of(lines, "stopped", "text")]
    in_threads = [RECURSION, RECURSION, "KeyboardInterrupt", "SyntaxError", "MemoryError"]
    caught = ["IndexError", "AssertionError", *GROUP]
    assert kinds == [*in_threads, *caught, "AttributeError", RECURSION, "KeyError"]


def test_each_is_answered_by_its_own_cause(all_of_them):
    answers = of(all_of_them[0], "askEnded", "answer")
    direct, by_property, interrupted, syntax, memory, task, unit, *group, finalizer, replaced_hook, at_exit = answers
    assert "never ends by `n == 0`" in direct
    assert "is a property that reads `self.balance`" in by_property
    assert "while not done" in interrupted
    assert "unclosed.py:2` does not compile" in syntax
    assert "whatever asks for less memory would pass" in memory and "```diff" not in memory
    assert "`index` is `5`" in task
    assert "`len(words)` is `2`" in unit
    assert ["`row` is `'x'`" in answer for answer in group] == [True] * len(GROUP)
    assert "has no `handle`" in finalizer
    assert "never ends by `n == 0`" in replaced_hook
    assert "no key `'db'`" in at_exit


def test_the_program_ends_as_it_would_have(all_of_them):
    lines, code = all_of_them
    assert output_of(lines) == "nearly done\nown hook: RecursionError\n"
    assert code == 1


def test_an_exit_with_a_message_is_asked_about():
    lines, code = run("exit")
    assert of(lines, "stopped", "text") == ["SystemExit"]
    assert "dead_ends.py:" in of(lines, "askEnded", "answer")[0]
    assert code == 1


def test_a_program_that_does_not_compile_is_asked_about(tmp_path):
    program = tmp_path / "unclosed.py"
    program.write_text("total = (1 +\n\nprint(total)\n", encoding="utf-8")
    done = subprocess.run([*ENDS, str(program)], capture_output=True, timeout=patient(60.0), check=False)
    (answer,) = of([json.loads(line) for line in done.stdout.splitlines()], "askEnded", "answer")
    assert "does not compile" in answer and "lacks its `)`" in answer
    assert "is imported" not in answer


def answered(folder, text, name="program.py"):
    """The type of the exception at which it first stopped, and the answer."""
    program = folder / name
    program.write_text(text, encoding="utf-8")
    done = subprocess.run([*ENDS, name], cwd=folder, capture_output=True, timeout=patient(60.0), check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return re.split(r"[:\s]", of(lines, "stopped", "text")[0])[0], of(lines, "askEnded", "answer")[0]


@pytest.mark.skipif(sys.platform == "win32", reason="children of Windows are not told of")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_child_of_multiprocessing_is_asked_about_where_its_parent_waits(tmp_path, method):
    text = f"""
        import multiprocessing

        def mean(xs):
            return sum(xs) / len(xs)

        if __name__ == "__main__":
            child = multiprocessing.get_context("{method}").Process(target=mean, args=([],))
            child.start()
            child.join()
    """
    kind, answer = answered(tmp_path, textwrap.dedent(text))
    assert kind == "ChildProcessError"
    assert "program.py:5`, in another process" in answer
    assert "`len(xs)` is zero" in answer


@pytest.mark.skipif(sys.platform == "win32", reason="children of Windows are not told of")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_a_cleanup_of_a_child_of_multiprocessing_may_have_changed_is_told_as_that_of_now(tmp_path, method):
    text = f"""
        import multiprocessing

        def mean(xs):
            try:
                return sum(xs) / (len(xs) - 2)
            finally:
                xs.append(5010)

        if __name__ == "__main__":
            child = multiprocessing.get_context("{method}").Process(target=mean, args=([1, 2],))
            child.start()
            child.join()
    """
    kind, answer = answered(tmp_path, textwrap.dedent(text))
    assert kind == "ChildProcessError"
    assert "`xs` (`[1, 2, 5010]` now)" in answer
    assert all("now" in line for line in answer.splitlines() if "5010" in line and "append" not in line)


def test_a_module_that_is_badly_indented_is_asked_about(tmp_path):
    (tmp_path / "rates.py").write_text("def rate(x):\n    if x:\n    return 1\n", encoding="utf-8")
    kind, answer = answered(tmp_path, "import rates\n")
    assert kind == "IndentationError"
    assert "rates.py:3` does not compile: expected an indented block" in answer


def test_an_error_at_import_is_asked_about_where_it_was_raised(tmp_path):
    (tmp_path / "rates.py").write_text("RATES = {}\nUSUAL = RATES['usual']\n", encoding="utf-8")
    kind, answer = answered(tmp_path, "import rates\n")
    assert kind == "KeyError"
    assert "rates.py:2" in answer


def test_a_notebook_is_no_program(tmp_path):
    notebook = tmp_path / "plot.ipynb"
    notebook.write_text("{}", encoding="utf-8")
    done = subprocess.run([*ENDS, str(notebook)], capture_output=True, timeout=patient(60.0), check=False)
    assert b"jupyter nbconvert --to script" in done.stdout
    assert done.returncode == 2
