"""Other names by which an object can be reached."""

from __future__ import annotations

from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell
from dap_ai.debuggees.python.hosts.notebook.cell_statements import steps_of
from dap_ai.debuggees.python.hosts.notebook.object_aliases import sharing
from dap_ai.debuggees.python.hosts.notebook.slices import slice_of


class Box:
    def __init__(self, kept):
        self.kept = kept

    def __getattribute__(self, name):
        raise AssertionError("code of the program runs")


def test_names_of_the_same_object_and_of_what_holds_it_are_told_apart():
    xs = [1]
    values = {"xs": xs, "ys": xs, "box": Box({"deep": xs}), "other": [[1]], "n": 1}
    found = sharing("xs", values, values)
    assert found.same == {"ys"}
    assert found.holders == {"box"}


def test_what_cannot_change_is_shared_with_nobody():
    assert sharing("n", ["n", "m"], {"n": 1, "m": 1}).same == frozenset()


def test_a_change_by_another_name_of_the_object_counts():
    sources = ["xs = [1]", "ys = xs", "ys.append(2)", "zs = []", "zs.append(3)"]
    steps = steps_of([Cell(n, s, s) for n, s in enumerate(sources, 1)])
    assert [steps[k].text for k in slice_of("xs", steps, same={"ys"}).picked] == sources[:3]
