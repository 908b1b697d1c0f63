"""`%load_ext dap_ai` in a real kernel: one for all of these tests, as a notebook of many cells."""

from __future__ import annotations

import ast
import contextlib
import re
from pathlib import Path

import psutil
import pytest

from tests.integration.notebook import kernel
from tests.patience import patient

pytest.importorskip("ipykernel")

ANSWERER = "import dap_ai.debuggees.python.hosts.notebook.extension as e\nprint(next(iter(e._loaded.values()))._asking._answerer._pid)"
HELPERS = """\
import statistics

def mean(xs):
    total = 0
    for x in xs:
        total += x
    return total / len(xs)

def spread(xs):
    return max(xs) - min(x)
"""


@pytest.fixture(scope="module")
def notebook():
    """What answers ends with the kernel, though that is killed."""
    with kernel() as own:
        assert own.run("%load_ext dap_ai").status == "ok"
        yield own
        own.run("1 / 0")
        own.run("%why")
        pid = int(own.run(ANSWERER).streams)
        assert psutil.pid_exists(pid)
    _, alive = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=patient(10))
    assert not alive


@pytest.fixture(scope="module")
def failed(notebook):
    """(cell that defines, cell that fails)."""
    defines = notebook.run(HELPERS)
    notebook.run("data = [3, 4, 5]")
    fails = notebook.run("data.append(7)\nspread(data)")
    assert fails.status == "error"
    return defines.number, fails.number


def again(notebook):
    assert notebook.run("spread(data)").status == "error"


def test_why_names_cells_and_lines_of_cells(notebook, failed):
    defines, fails = failed
    text = notebook.run("%why").text
    assert f"There is no `x` here; `xs` exists at `In [{defines}]:10`." in text
    assert f"`In [{fails}]:2`" in text
    assert "ipykernel" not in text


def test_why_tells_what_other_cells_have_brought(notebook, failed):
    text = notebook.run("%why").text
    assert f"# In [{failed[0] + 1}]\ndata = [3, 4, 5]" in text


def test_why_says_something_before_the_answer(notebook, failed):
    shown = notebook.run("%why")
    assert shown.updates[0].startswith(f"*NameError at `In [{failed[1]}]:2`")
    assert len(shown.updates) > 1 and "looking at it" not in shown.text


def test_fix_shows_a_diff_and_puts_the_mended_cell_below(notebook, failed):
    shown = notebook.run("%fix")
    assert "-    return max(xs) - min(x)\n+    return max(xs) - min(xs)" in shown.text
    assert not shown.next_input
    applied = notebook.run("%fix --apply")
    assert applied.next_input == HELPERS.replace("min(x)", "min(xs)").rstrip("\n")


def test_a_question_after_a_failure_is_about_it(notebook, failed):
    assert "`xs` is `[3, 4, 5, 7]`" in notebook.run("%why what is xs?").text


def test_ask_tells_where_a_value_comes_from(notebook, failed):
    made = notebook.run("m = mean(data)\nm").number
    text = notebook.run("%ask why is m so?").text
    assert text.startswith(f"**`m`** is `4.75`, made at `In [{made}]:1`.")
    assert "data.append(7)" in text and "spread" not in text


def test_ask_without_a_name_is_about_the_last_cell(notebook, failed):
    notebook.run("half = mean(data) / 2\nhalf")
    assert "**`half`** is" in notebook.run("%ask why is this cell's result wrong?").text


def test_ask_evaluates_in_a_copy(notebook, failed):
    assert "`mean([1, 2])` evaluates to `1.5`" in notebook.run("%ask what does mean([1, 2]) return?").text


def test_trace_shows_each_line_and_changes_nothing(notebook, failed):
    text = notebook.run("%trace data.append(mean(data))").text
    assert f"**`mean`** in `In [{failed[0]}]`" in text
    assert notebook.run("print(len(data))").streams.strip() == "4"


def test_the_causes_of_an_exception_are_told(notebook):
    notebook.run(
        "import json\ntry:\n    json.loads('{')\nexcept ValueError as e:\n    raise RuntimeError('no settings') from e"
    )
    text = notebook.run("%why").text
    assert "RuntimeError" in text and "JSONDecodeError" in text


def test_a_cell_that_does_not_compile_is_told(notebook):
    failed = notebook.run("x = (1,\n2")
    assert f"`In [{failed.number}]:2` does not compile" in notebook.run("%why").text


def test_a_recursion_without_end_is_told(notebook):
    failed = notebook.run("def down(n):\n    return down(n - 1)\ndown(3)")
    text = notebook.run("%why").text
    assert "RecursionError" in text and f"In [{failed.number}]:2" in text


def test_names_of_ipython_are_no_names_of_the_notebook(notebook):
    notebook.run("1 / 0")
    text = notebook.run("%why").text
    assert "_ih" not in text and "get_ipython" not in text


def test_secrets_of_a_cell_do_not_stand_in_the_answer(notebook):
    notebook.run("password = 'hunter2-hunter2'\n1 / len(password[:0])")
    assert "hunter2" not in notebook.run("%why").text.partition("From other cells")[0].replace(
        "password = 'hunter2-hunter2'", ""
    )


def test_wrong_use_is_told_in_a_line(notebook):
    assert "a question is wanted" in notebook.run("%ask").streams
    assert "the name of a value is wanted" in notebook.run("%slice a.b").streams
    assert "%fix --apply" in notebook.run("%fix it").streams
    assert "No cell that ran here has made `nowhere`" in notebook.run("%slice nowhere").text


def test_files_of_cells_are_gone_with_the_answer_and_all_else_with_the_extension(notebook):
    again(notebook)
    notebook.run("%why")
    pid = int(notebook.run("import os\nprint(os.getpid())").streams)
    assert not Path(f"/tmp/ipykernel_{pid}").exists()
    notebook.run("%unload_ext dap_ai")
    assert "not found" in notebook.run("%why").streams
    assert notebook.run("%load_ext dap_ai").status == "ok"


# -- thirty cells -------------------------------------------------------------------------------------------------------

CELLS = {
    "imports": "import math\nimport random",
    "seed": "random.seed(3)",
    "config": "rate = 0.5\nlimit = 4",
    "raw": "rows = [{'n': i, 'v': i * i} for i in range(6)]",
    "unused": "noise = [random.random() for _ in range(3)]",
    "clean": "def clean(rows):\n    return [r for r in rows if r['v'] < limit * 10]",
    "scale": "def scale(v):\n    return math.floor(v * rate)",
    "look": "rows[:2]",
    "apply": "kept = clean(rows)",
    "values": "values = [scale(r['v']) for r in kept]",
    "show": "print(len(values))",
    "bias": "bias = 1",
    "add": "values.append(bias)",
    "class": "class Sum:\n    def __init__(self):\n        self.all = 0\n    def take(self, v):\n        self.all += v\n    def peek(self):\n        return self.all",
    "sum": "sums = Sum()",
    "feed": "for v in values:\n    sums.take(v)",
    "peek": "sums.peek()",
    "text": "title = 'report'",
    "upper": "title = title + '!'",
    "other": "other = {title: len(rows)}",
    "more": "other['more'] = limit",
    "sorted": "ranked = sorted(values)",
    "maybe": "if limit > 3:\n    top = ranked[-1] + len(ranked)",
    "none": "unrelated = None",
    "weights": "weights = dict.fromkeys(range(3), 1.0)",
    "update": "weights.update({1: rate})",
    "total": "total = sums.peek() + bias",
    "final": "final = round(total * weights[1], 2)",
    "after": "rate_after = rate * 2",
    "end": "final",
}
ORDER = [
    *("imports", "seed", "config", "raw", "unused", "scale", "clean", "look", "bias", "apply", "values", "show"),
    *("add", "class", "weights", "sum", "text", "upper", "upper", "other", "more", "sorted", "maybe", "none"),
    *("feed", "peek", "update", "total", "final", "after", "end"),
]
"""`scale` ran before `clean`, `bias` before `apply`, `weights` before `sum`; `upper` ran twice."""
EDITED = "kept = clean(rows)[:2]\nfirst = kept[0]"
"""What the cell that made `kept` says when it runs once more."""


@pytest.fixture(scope="module")
def thirty(notebook):
    notebook.run("%reset -f")
    numbers = {name: notebook.run(CELLS[name], cell_id=f"id-{name}").number for name in ORDER}
    notebook.run("bias = 100", cell_id="id-bias")
    notebook.run(EDITED.replace("kept", "short"), cell_id="id-apply", deleted=["id-seed", "id-config"])
    return numbers


def code_of(text):
    return "\n".join(re.findall(r"```python\n(.*?)\n```", text, re.DOTALL))


def made_by(code, name):
    space = {}
    exec(code, space)  # noqa: S102  code of these tests
    return space[name]


def test_thirty_cells_there_are():
    assert len(CELLS) == 30 and set(ORDER) == set(CELLS)


@pytest.mark.parametrize("name", ["final", "values", "top", "other", "weights", "total", "ranked"])
def test_the_slice_is_exactly_the_code_that_made_the_value(notebook, thirty, name):
    """Run alone it makes the value; without any one of its statements it does not."""
    code = code_of(notebook.run(f"%slice {name}").text)
    value = notebook.run(f"print(repr({name}))").streams.strip()
    assert repr(made_by(code, name)) == value
    body = ast.parse(code).body
    for left_out in range(len(body)):
        rest = ast.unparse(ast.Module(body[:left_out] + body[left_out + 1 :], []))
        with contextlib.suppress(NameError, KeyError):
            assert repr(made_by(rest, name)) != value, ast.unparse(body[left_out])


def test_cells_that_were_edited_or_deleted_or_overtaken_are_told(notebook, thirty):
    text = notebook.run("%slice final").text
    assert "`kept` was made by an earlier text of this cell, which ran again as In [" in text
    assert f"`In [{thirty['config']}]` has been deleted since" in text
    assert "`bias` has been bound anew since" in text and f"`In [{thirty['add']}]` ran with what it was before" in text


def test_why_names_the_cell_among_thirty(notebook, thirty):
    failed = notebook.run("scale(kept)", cell_id="id-fails")
    text = notebook.run("%why").text
    assert f"`In [{thirty['scale']}]:2`" in text and f"In [{failed.number}]:1" in text
