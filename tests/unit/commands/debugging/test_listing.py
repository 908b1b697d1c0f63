"""Source and frames as text."""

from __future__ import annotations

from pathlib import Path

from dap_ai.commands.debugging.listing import declared_at, function_around, line_of, listed, stack, where
from dap_ai.debuggees.python.launch.python_program import function_at

PYTHON = '''\
class Account:
    @property
    def money(self):
        """Text."""
        return self._money

    def withdraw(self, n):
        self._money -= n
'''.splitlines()
C = "static int total(int n) {\n    return n;\n}\n\nint main(void) {\n    return total(2);\n}".splitlines()


def frame(name="total", line=3, path="/elsewhere/shop.py"):
    return {"id": 1, "name": name, "line": line, "source": {"path": path}}


def test_the_current_line_has_an_arrow_and_a_breakpoint_its_letter():
    assert listed(["a", "b", "c"], 0, 9, 2, {3}) == "    1  a\n ->   2  b\nB     3  c".replace("    1", "      1", 1)


def test_a_line_that_is_not_there_is_empty():
    assert line_of(["a"], 2) == ""
    assert line_of(["a"], 0) == ""


def test_a_place_of_this_folder_is_written_from_here():
    assert where(frame(path=str(Path.cwd() / "x" / "shop.py"))) == "x/shop.py:3 in total"
    assert where(frame()) == "/elsewhere/shop.py:3 in total"
    assert where({"id": 1, "name": "_start", "line": 0}) == "in _start (no source)"
    assert where(frame(name="n" * 100)).endswith("n…")


def test_a_deep_recursion_is_told_in_a_few_lines():
    text = stack([frame("f", 9), *[frame("f", 7)] * 50, frame("main", 12)], selected=0)
    assert len(text.splitlines()) < 6
    assert "48 more of it" in text or "49 more of it" in text


def test_a_long_stack_says_how_to_see_more():
    frames = [frame(f"f{n}", n + 1) for n in range(50)]
    assert stack(frames, 0, 10).splitlines()[-1] == "       ... 40 more; bt 50"


def test_the_function_around_a_line_begins_at_its_decorator_or_its_brace():
    assert function_around(PYTHON, 5) == (2, 5)
    assert function_around(PYTHON, 1) == (1, 8)
    assert function_around(C, 6) == (5, 7)


def test_a_python_function_begins_to_run_after_its_docstring():
    assert function_at(PYTHON, "Account.money") == 5
    assert function_at(PYTHON, "withdraw") == 8
    assert function_at(PYTHON, "Account") == 0
    assert function_at(["def f(:"], "f") == 0


def test_a_definition_is_found_by_its_name_in_any_language():
    assert declared_at(C, "total") == 1
    assert declared_at(C, "main") == 5
    assert declared_at(PYTHON, "Account.withdraw") == 7
    assert declared_at(C, "nothing") == 0
