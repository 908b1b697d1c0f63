"""What is said of cells that were edited, deleted, or run out of order."""

from __future__ import annotations

from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell
from dap_ai.debuggees.python.hosts.notebook.cell_statements import steps_of
from dap_ai.debuggees.python.hosts.notebook.slice_markdown import Since, slice_markdown
from dap_ai.debuggees.python.hosts.notebook.slices import slice_of


def text(name, *cells, deleted=(), saved=None):
    steps = steps_of(cells)
    return slice_markdown(slice_of(name, steps), steps, Since(cells, deleted, saved), lambda _: "7")


def cell(number, source, cell_id):
    return Cell(number, source, source, cell_id)


def test_the_value_and_its_code_are_told_cell_by_cell():
    assert text("y", cell(1, "x = 1", "a"), cell(2, "y = x", "b")) == (
        "**`y`** is `7`, made at `In [2]:1`.\n\n```python\n# In [1]\nx = 1\n\n# In [2]\ny = x\n```"
    )


def test_a_cell_that_ran_again_with_another_text_made_it_by_an_earlier_one():
    shown = text("df", cell(1, "df = 1", "a"), cell(2, "other = 2", "a"))
    assert "It was made by an earlier text of this cell, which ran again as In [2]." in shown
    assert "# In [1], an earlier text of this cell" in shown


def test_a_cell_that_was_edited_and_saved_but_not_run_is_told():
    shown = text("df", cell(1, "df = 1", "a"), saved={"a": "df = 2"})
    assert "edited since and not run" in shown


def test_a_cell_that_is_gone_is_told():
    assert "`In [1]` has been deleted since" in text("x", cell(1, "x = 1", "a"), deleted={"a"})
    assert "`In [1]` has been deleted since" in text("x", cell(1, "x = 1", "a"), saved={"b": "y"})


def test_cells_that_ran_upwards_are_told():
    shown = text("y", cell(1, "x = 1", "a"), cell(2, "y = x", "b"), saved={"b": "y = x", "a": "x = 1"})
    assert "`In [1]` ran before `In [2]`, and stands below it in the notebook." in shown


def test_cells_without_ids_are_called_neither_edited_nor_gone():
    shown = text("x", Cell(1, "x = 1", "x = 1"), saved={"a": "x = 2"})
    assert "since" not in shown and "edited" not in shown
