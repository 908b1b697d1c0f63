"""The first line of an answer: what it says of a failure, in plain words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dap_ai.agent.report.headline import fitting
from dap_ai.debuggees.python.analysis.claims.verdict import verdict
from dap_ai.debuggees.python.analysis.failure.builtin_errors import wrong_result
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from tests.unit.agent.harness import case_of, fail

NAMES_CLASS = sys.version_info >= (3, 15)
"""Whether Python's own messages about special methods name the class."""
PROGRAMS = {
    "an index of nothing": (
        "from collections import deque\ns = deque()\nprint(s[-1])\n",
        "`s[-1]` is read, but `s` is empty",
    ),
    "a name past the end": ("s = [1]\ni = 3\nprint(s[i])\n", "`i` is `3`, but `s` has 1 item: the last index is 0"),
    "one past the end": ("s = [1, 2]\nprint(s[2])\n", "`s[2]` is read, but `s` has 2 items: the last index is 1"),
    "a special method": (
        "class A:\n    def __str__(self): pass\nprint(str(A()))\n",
        "`__str__` must return a str, not NoneType" if NAMES_CLASS else "`__str__` returned non-string (type NoneType)",
    ),
    "a method that must": (
        "class A:\n    def __bool__(self): return 2\nnot A()\n",
        "`__bool__` must return a bool, not int" if NAMES_CLASS else "`__bool__` should return bool, returned int",
    ),
    "no constructor's result": (
        "class A:\n    def __init__(self): return 2\nA()\n",
        "`__init__` should return None, not 'int'",
    ),
    "a function in one line": (
        "class A:\n    @property\n    def total(self): return self.n + 'x'\na = A()\na.n = 3\na.total\n",
        "`self.n` is `3` (`int`)",
    ),
    "a key whose value is None": (
        "rates = {'gbp': None}\nunit = 'gbp'\nprint(2 * rates[unit])\n",
        "`rates[unit]` is `None` for `unit` = `'gbp'`",
    ),
    "a long message": (
        f"class Failed(Exception): pass\nraise Failed('DID NOT WARN. {'and so on ' * 20}')\n",
        "`__main__.Failed`: DID NOT WARN",
    ),
}


def test_long_code_of_a_long_sentence_is_cut_and_a_place_is_not():
    place = f"`src/{'folder/' * 12}cache_control.py:152`"
    assert fitting([f"`{'x' * 60}` failed at {place}."]) == f"`{'x' * 32}...+28 chars` failed at {place}."


def test_the_value_that_decides_is_whole_in_a_sentence_that_is_not_long():
    sentence = f"`{'x' * 100}` failed at `shop.py:1`."
    assert fitting([sentence]) == sentence


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_failed_is_said_first(name: str, tmp_path: Path):
    text, told = PROGRAMS[name]
    (tmp_path / "main.py").write_text(text)
    analysis = analyse(case_of(fail(tmp_path / "main.py")))
    assert analysis is not None
    assert verdict(analysis, None).startswith(f"{told} at `main.py:")


@pytest.mark.parametrize(
    ("message", "method"),
    [
        ("__str__ returned non-string (type NoneType)", "__str__"),
        ("__bool__ should return bool, returned int", "__bool__"),
        ("__hash__ method should return an integer", "__hash__"),
        ("__length_hint__ must be an integer, not str", "__length_hint__"),
        ("Cart.__float__ returned non-float (type str)", "__float__"),
        ("shop.make.<locals>.Cart.__bool__() must return a bool, not int", "__bool__"),
        ("Cart.__init__() takes 1 positional argument but 2 were given", ""),
        ("a Cart.__bool__() must return a bool", ""),
    ],
)
def test_the_method_with_a_wrong_result_is_known_by_the_words_of_each_python(message: str, method: str):
    assert wrong_result(message) == method
