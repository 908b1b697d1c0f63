"""What a fix leaves as the user wrote it."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.experiments.changes.fix_candidates import candidates, distinct
from dap_ai.debuggees.python.analysis.experiments.changes.own_text import own_lines, shape_of
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import swap


def kept(old: str, new: str) -> str:
    source = SourceFile("/x/p.py", old + "\n")
    return "\n".join(own_lines(SourceEdit(source, 1, len(source.lines), new.split("\n"))))


@pytest.mark.parametrize(
    ("old", "unparsed", "wanted"),
    [
        ('if row["a"] < row["b"]: pass', "if row['a'] <= row['b']: pass", 'if row["a"] <= row["b"]: pass'),
        ('x = d["a"]', "x = d['b']", 'x = d["b"]'),
        ("x = d['a']", "x = d['b']", "x = d['b']"),
        ('x["n"] = 1', "x['n'] = max(x['n'], 1)", 'x["n"] = max(x["n"], 1)'),
        ('x = "a", 1', "x = (1, 'a')", 'x = 1, "a"'),
        ("x = 1_000 * 0.10", "x = 1000 + 0.1", "x = 1_000 + 0.10"),
        ("x = 0xff - n", "x = n - 255", "x = n - 0xff"),
        ("x = (a * b) + c", "x = a * b - c", "x = (a * b) - c"),
        ("x = a*b", "x = a // b", "x = a//b"),
        ("x = a+b", "x = a and b", "x = a and b"),
        ("x = a - b", "x = abs(a - b)", "x = abs(a - b)"),
        ("return_ = total(a , b)", "return_ = total(b, a)", "return_ = total(b , a)"),
        ("x = f(a)", "x = f(a, b)", "x = f(a, b)"),
        ("if x < y: pass", "if 0 <= x < y: pass", "if 0 <= x < y: pass"),
        ("x = y", "x = -y", "x = -y"),
        ("x = a + b", "x = b", "x = b"),
        ("x = a + b  # why", "x = a", "x = a  # why"),
        ("x = f'{a}' + b", "x = f'{a}' - b", "x = f'{a}' - b"),
        ('x = f"{a}" + b', "x = f'{a}' - b", 'x = f"{a}" - b'),
        ('x = "it\'s" + b', 'x = "it\'s" - b', 'x = "it\'s" - b'),
        ("x = f(\n    a,  # first\n    b,\n)", "x = f(b, a)", "x = f(\n    b,  # first\n    a,\n)"),
        ("x = (\n    a  # the one\n    + b\n)", "x = a - b", "x = (\n    a  # the one\n    - b\n)"),
        ('x = ("one"\n     " two", a < b)', "x = ('one two', a <= b)", 'x = ("one"\n     " two", a <= b)'),
        ("x = a \\\n    < b", "x = a <= b", "x = a \\\n    <= b"),
    ],
)
def test_only_what_is_changed_changes(old: str, unparsed: str, wanted: str):
    result = kept(old, unparsed)
    assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(unparsed))
    assert result == wanted


def test_brackets_that_matter_go_with_the_change():
    assert kept("x = (a + b) * c", "x = a + b * c") == "x = a + b * c"


def test_a_statement_that_is_added_stands_on_its_own_line():
    assert kept("    return x", "    y.append(x)\n    return x") == "    y.append(x)\n    return x"


def test_lines_that_do_not_parse_stay_as_they_are():
    assert kept('x = d["a"', "x = d['a'") == "x = d['a'"


def test_a_call_of_several_lines_is_changed_in_one_place():
    text = 'total = add(\n    row["price"],  # net\n    row["tax"],\n)\n'
    source = SourceFile("/x/p.py", text)
    call = source.index.tree.body[0].value  # type: ignore[attr-defined]
    edit = swap(source, call, ast.unparse(call).replace("add", "subtract"))
    assert edit is not None
    edit.lines = own_lines(edit)
    assert "\n".join(edit.lines) + "\n" == text.replace("add", "subtract")


PROGRAM = '''\
def pay(rows, rate = 0.10):
    """It's a docstring."""
    total = 0
    for row in rows:  # each
        if row["hours"] > 40 and (row["rate"] < rate):
            total += row["hours"] * row['rate'] * 1.50
        total = total + sum((row["bonus"], 2,), 0x10) - (
            row["tax"]  # of all
            + rate
        )
    return "%s" % total, f"{total} and {rows[0]['hours']}"
'''


def test_every_small_change_of_a_program_keeps_its_spelling_and_comments():
    source = SourceFile("/x/p.py", PROGRAM)
    found = list(distinct(candidates(source, dict.fromkeys(range(1, 12), 0.5))))
    assert len(found) > 100
    assert not [c.edit.lines for c in found if any(f"'{k}'" in "".join(c.edit.lines) for k in ("tax", "bonus"))]
    assert not [c.edit.lines for c in found if c.line == 8 and c.edit.last == 8 and "# of all" not in c.edit.lines[0]]


@given(
    st.text(alphabet="ab1.'\"#()[],+-<= \n\\f:", max_size=30), st.text(alphabet="ab1.'\"#()[],+-<= \n\\f:", max_size=30)
)
def test_whatever_the_texts_are_the_program_is_the_one_that_was_proposed(old: str, new: str):
    source = SourceFile("/x/p.py", f"if 1:\n{old}\n")
    edit = SourceEdit(source, 2, len(source.lines), new.split("\n"))
    result = own_lines(edit)
    assert result == edit.lines or shape_of(edit, result) == shape_of(edit, edit.lines) != ""
