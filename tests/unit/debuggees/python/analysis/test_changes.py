"""Which small changes of source are proposed."""

from __future__ import annotations

import textwrap

import pytest

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.experiments.changes.change_kinds import PRIOR
from dap_ai.debuggees.python.analysis.experiments.changes.fix_candidates import candidates, distinct, spread
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate


def proposed(text: str, *lines: int) -> list[str]:
    """The lines that the changes put in, joined and stripped."""
    source = SourceFile("/x/p.py", textwrap.dedent(text).lstrip())
    chosen = lines or range(1, len(source.lines) + 1)
    found = candidates(source, dict.fromkeys(chosen, 0.5))
    return ["; ".join(line.strip() for line in c.edit.lines) for c in found]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("if a < b: pass", "if a <= b: pass"),
        ("c = a + b * 2", "c = (a + b) * 2"),
        ("c = min(a)", "c = max(a)"),
        ("for i in range(len(a) - 1): pass", "for i in range(len(a)): pass"),
        ("c = a[1:]", "c = a[:]"),
        ("c = f(a, b)", "c = f(b, a)"),
        ("c = a - b", "c = b - a"),
        ("c = a and b", "c = a or b"),
        ("c = a.split('=')", "c = a.split('=', 1)"),
        ("c = row < len(a)", "c = 0 <= row < len(a)"),
        ("c = a['nmae'], 'name'", "c = (a['name'], 'name')"),
        ("a.b = b", "a.b += b"),
        ("a.b = c", "a.b = max(a.b, c)"),
        ("c = {a: b}[a].pop()", "c = {a: b}[a].pop(0)"),
    ],
)
def test_what_was_meant_is_among_the_changes(line: str, meant: str):
    found = proposed(line)
    assert meant in found or meant.replace("(a['name'], 'name')", "a['name'], 'name'") in found, found


def test_a_missing_return_is_proposed_where_a_function_falls_off_its_end():
    assert any(text.endswith("return found") for text in proposed("def f(a):\n    found = a + 1\n"))


def test_no_line_takes_all_the_time():
    """Of a line that is much more suspicious many changes come first, not all."""
    source = SourceFile("/x/p.py", "total = first * rate(a, b) + second[a] - third[b + 1]\ncount = count + 1\n")
    found = spread(candidates(source, {1: 0.9, 2: 0.3}))
    places = [place for place, each in enumerate(found) if each.line == 2]
    assert sum(each.line == 1 for each in found) > 50
    assert 5 < places[0] < 50
    assert {each.line for each in found[:5]} == {1}


def test_what_begins_in_a_loop_is_proposed_before_it():
    text = """
        def f(rows):
            for row in rows:
                total = 0
                total += row
            return total
    """
    assert "total = 0; for row in rows:" in proposed(text)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("text.strip()", "text = text.strip()"),
        ("self.name.replace('a', 'b')", "self.name = self.name.replace('a', 'b')"),
        ("put(tree[0], 3)", "tree[0] = put(tree[0], 3)"),
        ("show(tree[0], 3)", None),
        ("rows.append(3)", None),
    ],
)
def test_a_result_that_is_dropped_is_proposed_to_be_kept(line: str, meant: str | None):
    text = f"def put(tree, n):\n    return [tree, n]\n\ndef show(tree, n):\n    print(tree, n)\n\n{line}\n"
    kept = [each for each in proposed(text, 7) if " = " in each]
    assert kept == ([meant] if meant else [])


def test_what_is_still_being_filled_at_the_end_of_a_loop_is_added_to_the_result():
    text = """
        def f(words):
            lines = []
            line = []
            for word in words:
                if word == "\\n":
                    lines.append(line)
                    line = []
                else:
                    line.append(word)
            return lines
    """
    assert "if line:; lines.append(line); return lines" in proposed(text, 10)


def test_lines_that_were_not_asked_for_stay():
    assert proposed("a = 1 + 2\nb = 3 + 4\n", 2) and not any("1" in t for t in proposed("a = 1 + 2\nb = x - y\n", 2))


def test_assertions_and_messages_are_not_changed():
    assert proposed("assert a < b, f'{a} < {b}'\nraise ValueError(a + b)\n") == []


def test_the_test_of_a_raise_is_changed_last():
    text = "if a < b:\n    raise ValueError\nc = a < b\n"
    source = SourceFile("/x/p.py", text)
    found = [c for c in spread(candidates(source, {1: 0.5, 3: 0.5})) if c.kind == "comparison"]
    assert [c.line for c in found] == sorted((c.line for c in found), reverse=True)


def test_no_change_is_proposed_twice_and_each_parses():
    source = SourceFile("/x/p.py", "def f(a, b):\n    if a < b and a:\n        return a[b - 1]\n")
    texts = ["\n".join(c.edit.lines) for c in distinct(candidates(source, {1: 1, 2: 1, 3: 1}))]
    assert len(texts) == len(set(texts))


METHOD = """class Till:
    def total(self, rows):
        text = '''
left of the margin'''
        return sum(rows) + 1

x = (1 +
     2)
"""


@pytest.mark.parametrize(
    ("first", "last", "lines", "is_new"),
    [
        (5, 5, ["        return sum(rows) - 1"], True),
        (5, 5, ["        return (sum(rows)) + 1"], False),
        (5, 5, ["        return (sum(rows) + 1"], False),
        (2, 2, ["    def total(self, rows, more):"], True),
        (2, 2, ["    def total(self,rows):"], False),
        (7, 8, ["x = 3"], True),
        (7, 8, ["x = (1 + 2)"], False),
        (7, 7, ["x = 1 +"], False),
        (9, 8, ["y = x"], True),
    ],
)
def test_an_edit_counts_if_it_parses_and_makes_another_program(first: int, last: int, lines: list[str], is_new: bool):
    edit = SourceEdit(SourceFile("/x/till.py", METHOD), first, last, lines)
    assert [*distinct([Candidate(edit, "number", 0.5, 0.5, first)])] == (
        [Candidate(edit, "number", 0.5, 0.5, first)] if is_new else []
    )


def test_a_file_that_does_not_parse_gives_none():
    assert candidates(SourceFile("/x/p.py", "def ("), {1: 1.0}) == []


def test_every_prior_is_a_likelihood():
    assert all(0 < prior <= 1 for prior in PRIOR.values())


@pytest.mark.parametrize(
    ("line", "meant", "silly"),
    [
        ("c = a[:b + 1]", "c = a[:b]", "c = a[:b + 1 - 1]"),
        ("c = a[b - 1]", "c = a[b - 2]", "c = a[b - 1 - 1]"),
        ("c = a < b - 1", "c = a < b", "c = a < b - 1 + 1"),
        ("c = f(a.b + 1)", "c = f(a.b)", "c = f(a.b + 0)"),
        ("c = a + 1", "c = a", "c = a * 1"),
        ("c = a[(b | d) - 1]", "c = a[(b | d) - 2]", "c = a[b | d - 2]"),
        ("c = a[b if d else 2]", "c = a[(b if d else 2) - 1]", "c = a[b if d else 2 - 1]"),
    ],
)
def test_a_number_is_changed_as_one_writes_it(line: str, meant: str, silly: str):
    found = proposed(line)
    assert meant in found
    assert silly not in found


def test_a_name_is_put_in_where_it_has_a_value_by_then():
    text = """
        def f(rows, limit):
            first = rows[limit]
            size = [len(row) for row in rows]
            while limit:
                last = seen = limit
                limit = last
            end = first
    """
    assert {"first = limit[limit]", "first = rows[rows]"} <= set(proposed(text, 2))
    put_in = [line for line in proposed(text, 2) if ";" not in line]
    assert not any(name in line for line in put_in for name in ("size", "last", "[row]", "end", "seen"))
    assert "limit = seen" in proposed(text, 6)
    assert "size = [len(rows) for row in rows]" in proposed(text, 3)
    assert "row" not in proposed(text, 7)
