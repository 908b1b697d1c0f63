"""Slices over cells that ran: which statements are in them, and which are not."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell
from dap_ai.debuggees.python.hosts.notebook.cell_statements import steps_of
from dap_ai.debuggees.python.hosts.notebook.slices import slice_of


def cells(*sources, failed=None):
    return [Cell(n, s, s, failed_at=(failed or {}).get(n, 0)) for n, s in enumerate(sources, 1)]


def sliced(name, *sources, failed=None):
    steps = steps_of(cells(*sources, failed=failed))
    return [steps[k].text for k in slice_of(name, steps).picked]


def test_what_was_bound_anew_does_not_count():
    assert sliced("y", "x = 1", "x = 2", "y = x + 1") == ["x = 2", "y = x + 1"]


def test_what_ran_later_does_not_count_though_the_name_is_used():
    assert sliced("y", "x = 1", "y = x", "x = 3") == ["x = 1", "y = x"]


def test_a_statement_that_ran_three_times_counts_three_times():
    assert sliced("n", "n = 0", "n += 1", "n += 1", "n += 1") == ["n = 0", "n += 1", "n += 1", "n += 1"]


def test_a_function_brings_the_globals_that_it_had_when_it_was_called():
    found = sliced("y", "k = 2", "def f(x):\n    return x * k", "k = 3", "y = f(1)", "k = 4")
    assert found == ["def f(x):\n    return x * k", "k = 3", "y = f(1)"]


def test_a_function_that_calls_another_brings_that_and_its_import():
    found = sliced("y", "import math", "def g(x):\n    return math.sqrt(x)", "def f(x):\n    return g(x)", "y = f(4)")
    assert found == ["import math", "def g(x):\n    return math.sqrt(x)", "def f(x):\n    return g(x)", "y = f(4)"]


@pytest.mark.parametrize(
    "change",
    ["xs.append(2)", "xs[0] = 5", "xs += [3]", "del xs[0]", "for i in range(2):\n    xs.append(i)", "last = xs.pop()"],
)
def test_a_change_in_place_counts(change):
    assert sliced("xs", "xs = [1]", change, "print(xs)\nxs") == ["xs = [1]", change]


@pytest.mark.parametrize("look", ["print(xs)", "xs.head()", "len(xs)", "other = sorted(xs)", "xs.count(1)"])
def test_a_look_does_not_count(look):
    assert sliced("xs", "xs = make()", look) == ["xs = make()"]


def test_a_function_that_changes_its_argument_counts():
    assert sliced(
        "xs", "def add(to):\n    to.append(1)", "def see(it):\n    return len(it)", "xs = []", "add(xs)\nsee(xs)"
    ) == [
        "def add(to):\n    to.append(1)",
        "xs = []",
        "add(xs)",
    ]


def test_a_method_of_a_class_of_the_cells_counts_if_it_changes_its_object():
    account = "class Account:\n    def __init__(self):\n        self.n = 0\n    def add(self):\n        self.n += 1\n    def see(self):\n        return self.n"
    assert sliced("a", account, "a = Account()", "a.add()\na.see()") == [account, "a = Account()", "a.add()"]


def test_a_function_that_sets_a_global_counts_where_it_is_called():
    setter = "def count():\n    global n\n    n = n + 1"
    assert sliced("n", "n = 0", setter, "count()", "m = 1") == ["n = 0", setter, "count()"]


def test_what_may_not_have_run_keeps_what_was_before():
    assert sliced("x", "x = 1", "if flag:\n    x = 2") == ["x = 1", "if flag:\n    x = 2"]


def test_what_stands_behind_a_failure_has_not_run():
    assert sliced("x", "x = 1", "1 / 0\nx = 2", failed={2: 1}) == ["x = 1"]


def test_the_cell_of_a_magic_that_runs_code_counts():
    source = "get_ipython().run_cell_magic('time', '', 'x = 1\\ny = 2\\n')\n"
    steps = steps_of([Cell(1, source, "%%time\nx = 1\ny = 2\n")])
    assert [steps[k].text for k in slice_of("y", steps).picked] == ["y = 2"]


@pytest.mark.parametrize(
    "made", ["[x for x in z]", "{x for x in z}", "{x: 1 for x in z}", "[[x for x in y] for y in z]"]
)
def test_a_comprehension_binds_nothing(made: str):
    assert sliced("x", "x = 1", "z = []", f"ys = {made}") == ["x = 1"]
    assert sliced("ys", "x = 1", "z = []", f"ys = {made}") == ["z = []", f"ys = {made}"]


def test_a_name_that_nobody_has_bound_has_no_slice():
    assert sliced("nothing", "x = 1") == []


def test_an_input_that_was_bound_anew_since_is_told():
    steps = steps_of(cells("k = 1", "y = k", "k = 2"))
    assert slice_of("y", steps).stale == [("k", 1, 2)]


def test_a_cell_that_ran_again_with_the_same_text_is_no_news():
    steps = steps_of(cells("k = 1", "y = k", "k = 1"))
    assert slice_of("y", steps).stale == []
