"""Cells are called as people call them, and questions are not taken for requests for help."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dap_ai.debuggees.python.hosts.notebook.cell_history import CellHistory
from dap_ai.debuggees.python.hosts.notebook.extension import questions
from dap_ai.debuggees.python.hosts.notebook.provenance import saved_cells

KERNEL = "/tmp/ipykernel_12/345678.py"
SHELL = SimpleNamespace(compile=SimpleNamespace(_filename_map={KERNEL: 7, "<ipython-input-3-0123456789ab>": 3}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"`{KERNEL}:3`", "`In [7]:3`"),
        ("`ipykernel_12/345678.py:3`", "`In [7]:3`"),
        ("again 345678.py:3", "again In [7]:3"),
        (f"--- a/{KERNEL}", "--- In [7]"),
        ("`<ipython-input-3-0123456789ab>:1`", "`In [3]:1`"),
        ("`/home/me/12345678.py:3`", "`/home/me/12345678.py:3`"),
        ("`report.py:3`", "`report.py:3`"),
    ],
)
def test_a_cells_file_is_called_by_its_number(text, shown):
    assert CellHistory(SHELL).named(text) == shown


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("%ask why is x 0?\n", "get_ipython().run_line_magic('ask', 'why is x 0?')\n"),
        ("  %why is that so?", "  get_ipython().run_line_magic('why', 'is that so?')\n"),
        ("%ask why is x 0\n", "%ask why is x 0\n"),
        ("%ask?\n", "%ask?\n"),
        ("%timeit?\n", "%timeit?\n"),
        ("x = 'why?'\n", "x = 'why?'\n"),
    ],
)
def test_a_question_mark_at_the_end_of_a_question_asks_us(line, becomes):
    assert questions([line]) == [becomes]


def test_a_saved_notebook_gives_its_code_cells_by_id(tmp_path, monkeypatch):
    file = tmp_path / "n.ipynb"
    cells = [
        {"id": "b", "cell_type": "code", "source": ["x = 1\n", "y"]},
        {"id": "t", "cell_type": "markdown", "source": ""},
    ]
    file.write_text(json.dumps({"cells": cells}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(file))
    assert saved_cells({}) == {"b": "x = 1\ny"}
    assert saved_cells({"__vsc_ipynb_file__": str(tmp_path / "none.ipynb")}) is None
