"""The text that a copy gets of an edited file: the same change of the same functions, and little else."""

from __future__ import annotations

import ast
import copy
import shlex
import textwrap
from pathlib import Path

import pytest

from dap_ai.agent.report.source_edits import SourceEdit, text_after
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.debuggees.python.analysis.record.narrowing import is_inside, narrowed
from dap_ai.debuggees.python.snapshots.editing import code_edits as inside

MODULE = '''
from __future__ import annotations
import os


def first(a):
    return a + 1


@staticmethod
def decorated(b):
    return b


class Account(object):
    """Text."""

    limit = 3

    def __init__(self, owner):
        super().__init__()
        self.__owner = owner

    class Inner:
        def deep(self, x):
            y = x
            return y


if os.name:
    def guarded():
        return 1

total = first(1)
'''


def source() -> SourceFile:
    return SourceFile("/x/bank.py", MODULE)


def changed(line: int, text: str, last: int = 0) -> SourceEdit:
    return SourceEdit(source(), line, last or line, text.split("\n") if text else [])


def rows(text: str) -> list[tuple[int, str]]:
    return [(n, row) for n, row in enumerate(text.split("\n"), 1) if row]


def test_only_the_function_of_the_edit_is_left_with_its_classes_and_their_lines():
    old, new = narrowed(source(), [changed(26, "            y = x + 1\n            y += 1")])
    assert rows(old) == [
        (2, "from __future__ import annotations"),
        (15, "class Account(object):"),
        (24, "    class Inner:"),
        (25, "        def deep(self, x):"),
        (26, "            y = x"),
        (27, "            return y"),
    ]
    assert rows(new)[-3:] == [(26, "            y = x + 1"), (27, "            y += 1"), (28, "            return y")]


@pytest.mark.parametrize("text", ["            y = os.sep", "            y = x.os"])
def test_an_import_is_left_that_the_function_names_before_or_after(text: str):
    old, new = narrowed(source(), [changed(26, text)])
    assert (3, "import os") in rows(old)
    assert (3, "import os") in rows(new)


@pytest.mark.parametrize("edit", [changed(34, "total = 2"), changed(9, "", last=8), changed(3, "import sys")])
def test_an_edit_outside_of_functions_is_still_seen_as_one(edit: SourceEdit):
    old, new = narrowed(source(), [edit])
    assert ast.dump(ast.parse(old)) != ast.dump(ast.parse(new)) or edit.growth == 0 == len(edit.lines)


def test_edits_of_two_functions_leave_the_whole_file():
    edits = [changed(7, "    return a"), changed(12, "    return 2 * b")]
    assert narrowed(source(), edits) == (MODULE, text_after(source(), edits))


def changes(old: str, new: str) -> list[tuple[object, ...]]:
    found = inside.CodeEdit("/x/bank.py", old, new).changed
    return [(each.name, each.is_nested, each.old.co_firstlineno, each.old, each.new) for each in found]


@pytest.mark.parametrize("module", [textwrap, shlex, copy])
def test_a_copy_sees_the_same_change_as_in_the_whole_file(module):
    whole = SourceFile(module.__file__, Path(module.__file__).read_text(encoding="utf-8"))
    assert whole.tree is not None
    functions = [n for n in ast.walk(whole.tree) if isinstance(n, FunctionNode) and len(n.body) > 1]
    for function in functions[::5]:
        line = function.body[-1].lineno
        edit = SourceEdit(whole, line, line - 1, [" " * function.body[-1].col_offset + "brandnew = 1"])
        old, new = narrowed(whole, [edit])
        assert len(rows(old)) < len(rows(whole.text))
        assert changes(old, new) == changes(whole.text, text_after(whole, [edit]))


@pytest.mark.parametrize(
    ("new", "inside"),
    [
        ("class A:\n    def f(self, x=1):\n        return 2\n", True),
        ("class A:\n    def f(self, x=2):\n        return 1\n", False),
        ("class A:\n    @property\n    def f(self, x=1):\n        return 1\n", False),
        ("class A:\n    def f(self, x=1):\n        return 1\n    y = 2\n", False),
        ("class A:\n    def f(self, x=1):\n        return (\n", False),
    ],
)
def test_only_what_stands_in_bodies_of_functions_needs_no_new_start(new: str, inside: bool):
    assert is_inside("class A:\n    def f(self, x=1):\n        return 1\n", new) is inside
