"""The way of a value back to where it was born: of small programs that have just failed, and were run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.value_path.path_walk import recorded_by, value_path
from dap_ai.debuggees.python.analysis.value_path.recorded_values import RecordedValues
from dap_ai.protocol.wire.value_path import PathNode
from tests.unit.agent.harness import case_of, fail
from tests.unit.agent.witnesses import run_again

PRICES = """DISCOUNTS = {"ann": 10, "bob": 0.05}
def discount_of(name):
    return DISCOUNTS[name]
def price(amount, discount):
    reduced = amount * (1 - discount)
    return reduced
def bill(name, items):
    amount = sum(items)
    net = price(amount, discount_of(name))
    return net + 204
def main():
    for name, items in [("bob", [20, 30]), ("ann", [100, 32])]:
        total = bill(name, items)
        assert total >= 0
main()
"""


def path_of(folder: Path, text: str, *, again: bool = True) -> list[PathNode]:
    """The path of what failed in a program. `again`: with what a run again has recorded."""
    (folder / "main.py").write_text(text)
    case = case_of(fail(folder / "main.py"))
    analysis = analyse(case)
    assert analysis is not None
    recorded = recorded_by(analysis.view.resolver, _outermost(run_again(case))) if again else RecordedValues()
    roots = [*analysis.diagnosis.roots, *analysis.diagnosis.header]
    return value_path(analysis, roots, analysis.diagnosis.place, recorded)


def _outermost(control: Control) -> Control:
    """Without the call in which the test itself has run the program: a copy has none."""
    calls = control.trace.calls
    calls[:] = [replace(call, depth=call.depth - 1, caller=max(call.caller - 1, -1)) for call in calls[1:]]
    return control


def steps(path: list[PathNode]) -> list[tuple[str, str, int]]:
    return [(node.expression, node.value, node.line) for node in path]


def test_a_value_is_followed_through_calls_to_the_entry_that_is_to_blame(tmp_path: Path):
    path = path_of(tmp_path, PRICES)
    assert steps(path) == [
        ("total", "-984", 13),
        ("net + 204", "-984", 10),
        ("net", "-1188", 9),
        ("reduced", "-1188", 5),
        ("discount", "10", 9),
        ("DISCOUNTS[name]", "10", 1),
    ]
    assert [node.known for node in path] == ["frame", "frame", "rerun", "rerun", "rerun", "rerun"]
    assert [node.function for node in path] == ["main", "bill", "bill", "price", "bill", ""]
    assert path[-1].born
    assert [(b.expression, b.value) for b in path[3].beside] == [("amount", "132")]


def test_without_a_run_again_what_no_frame_holds_is_not_known(tmp_path: Path):
    path = path_of(tmp_path, PRICES, again=False)
    assert steps(path)[:3] == [("total", "-984", 13), ("net + 204", "-984", 10), ("net", "", 9)]
    assert path[2].known == ""


def test_a_function_that_came_to_its_end_gave_birth_to_none(tmp_path: Path):
    text = "def find(name):\n    if name == 'a':\n        return 1\nfind('a')\nfound = find('b')\nfound + 1\n"
    path = path_of(tmp_path, text)
    assert steps(path) == [("found", "None", 5), ("find('b')", "None", 1)]
    assert path[-1].born
    assert path[-1].note == "it came to the end of the function without a `return`"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("x = 1\nx = x - 1\n1 / x\n", ("x", "1", 1)),  # of two settings the one that came before
        ("x = 1\nif x:\n    y = 0\nelse:\n    y = 2\n1 / y\n", ("y", "0", 3)),  # the branch that ran
        ("rows = []\nfor n in [4, 0]:\n    rows.append(n)\n1 / rows[1]\n", ("n", "4 -> 0", 2)),  # what filled it
        ("D = {'a': 0}\nd = D.get('a', 1)\n1 / d\n", ("D.get('a', 1)", "0", 1)),  # an entry that was got
        ("def f(n, d=0):\n    return n / d\nf(3)\n", ("d", "0", 1)),  # a default
        ("class A:\n    def __init__(self, n):\n        self.n = n\nA(2)\na = A(0)\n1 / a.n\n", ("n", "0", 5)),
        ("def f(n):\n    return n\nlow, high = f((0, 1))\n1 / low\n", ("n", "(0, 1)", 3)),  # a part is not the whole
    ],
)
def test_the_path_ends_where_the_value_was_made(tmp_path: Path, text: str, end: tuple[str, str, int]):
    assert steps(path_of(tmp_path, text))[-1] == end


def test_which_of_several_lines_set_it_is_not_guessed(tmp_path: Path):
    text = "import sys\nif len(sys.argv) > 99:\n    y = sys.argv.count('-')\nelse:\n    y = len([])\n1 / y\n"
    path = path_of(tmp_path, text, again=False)
    assert [(node.step, node.note) for node in path] == [("read", "set in lines 3, 5: which of them is not known")]


def test_a_call_of_many_that_is_not_told_apart_lends_no_value(tmp_path: Path):
    text = "def half(n):\n    m = n // 2\n    return m\ndef f():\n    return half(0) + half(1)\nhalf(8)\n1 / f()\n"
    path = path_of(tmp_path, text)
    assert [node.value for node in path if node.function == "half"] == [""]


def test_the_factor_below_zero_is_followed_though_no_frame_holds_it(tmp_path: Path):
    text = (
        "RATES = {'ann': 0.1, 'bob': 10}\ndef pay(base, name):\n    rate = RATES.get(name)\n"
        "    return base * (1 - rate)\nfor name, base in [('ann', 100), ('bob', 132)]:\n"
        "    net = pay(base, name)\n    assert net >= 0\n"
    )
    assert steps(path_of(tmp_path, text))[2:] == [("rate", "10", 3), ("RATES.get(name)", "10", 1)]


def test_values_of_several_rounds_are_told_as_several(tmp_path: Path):
    text = "total = 0\nfor n in [3, -9]:\n    total += n\nassert total > 0\n"
    path = path_of(tmp_path, text)
    assert steps(path)[1] == ("n", "3 -> -9", 2)
    assert path[1].note == "2 values"


def test_a_value_never_is_made_of_itself(tmp_path: Path):
    text = "def f(n):\n    return f(n - 1) if n else 0\n1 / f(5)\n"
    path = path_of(tmp_path, text)
    assert 1 <= len(path) <= 12


TASKS = """import asyncio
async def row(n):
    await asyncio.sleep(0)
    return {"id": n, "parent": None if n == 3 else n + 1}
async def chain(n):
    for _ in range(4):
        item = await row(n)
        n = item["parent"] * 1
async def main():
    await asyncio.gather(chain(10), chain(1))
asyncio.run(main())
"""


def test_a_call_belongs_to_the_task_that_made_it_where_tasks_alternate(tmp_path: Path):
    assert steps(path_of(tmp_path, TASKS))[:4] == [
        ("item['parent']", "", 8),  # `asyncio.run` has cancelled the other task since, which may have changed it
        ("item", "", 7),
        ("{'id': n, 'parent': None if n == 3 else n + 1}", "{'id': 3, 'parent': None}", 4),
        ("n", "3", 7),
    ]


CLEANED_UP = [
    (
        (
            "state = {'tries': 2}\ndef reset():\n    state['tries'] = 0\ndef attempt():\n    try:\n"
            "        return 1 / (state['tries'] - 2)\n    except ZeroDivisionError:\n        reset()\n        raise\nattempt()\n"
        ),
        ("state", "{'tries': 2}", 1),
    ),
    (
        (
            "log = []\ndef rows():\n    try:\n        yield 1\n        yield 2\n    finally:\n        log.append('closed')\n"
            "def total():\n    for row in rows():\n        if row == 2:\n            log.append(10 / (len(log) - 1))\n"
            "        log.append('row')\ntotal()\n"
        ),
        ("log", "[]", 1),
    ),
    (
        (
            "n = 2\ndef reset():\n    global n\n    n = 7\ndef work():\n    try:\n        return 1 / (n - 2)\n    finally:\n"
            "        reset()\nwork()\n"
        ),
        ("n", "2", 1),
    ),
    (
        (
            "def outer():\n    n = 2\n    def reset():\n        nonlocal n\n        n = 7\n    def work():\n        try:\n"
            "            return 1 / (n - 2)\n        finally:\n            reset()\n    return work()\nouter()\n"
        ),
        ("n", "2", 2),
    ),
]
"""A module's container, one that a generator's `finally` changes, a name of the module, one of a closure."""


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize(("text", "made"), CLEANED_UP)
def test_a_value_is_that_of_its_line_and_not_what_a_cleanup_made_of_it(
    tmp_path: Path, text: str, made: tuple[str, str, int], again: bool
):
    assert made in steps(path_of(tmp_path, text, again=again))


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    n = 0\ndef work(a):\n    try:\n        return 1 / a.n\n    finally:\n        A.n = 9\nwork(A())\n",
        (
            "class Box:\n    pass\nbox = Box()\nbox.n = 1\ndef rows():\n    try:\n        yield 1\n        yield 2\n"
            "    finally:\n        box.n = 9\ndef total():\n    for row in rows():\n        if row == 2:\n"
            "            return 10 / (box.n - 1)\ntotal()\n"
        ),
    ],
)
def test_an_attribute_that_a_cleanup_has_changed_is_not_known(tmp_path: Path, text: str):
    assert "9" not in [node.value for node in path_of(tmp_path, text)]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("def mean(rows):\n    rows.clear()\n    return 1 / len(rows)\nx = [1]\nmean(x)\n", ("rows", "[1]", 5)),
        ("def f():\n    a = [1]\n    b = a\n    a.append(2)\n    return 1 / (len(b) - 2)\nf()\n", ("b", "[1]", 3)),
        ("n = 0\ndef bump():\n    global n\n    n += 1\nbump()\nbump()\n1 / (n - 2)\n", ("n", "0", 1)),
    ],
)
def test_what_has_changed_since_the_line_ran_is_told_as_it_was_then(
    tmp_path: Path, text: str, made: tuple[str, str, int]
):
    assert made in steps(path_of(tmp_path, text))


def test_a_container_whose_value_at_the_line_is_not_known_says_that_it_is_that_of_the_stop(tmp_path: Path):
    text = "def f(n):\n    rows = []\n    rows.append(n)\n    rows.append(2)\n    return 1 / (len(rows) - n)\nf(2)\n"
    (node,) = [each for each in path_of(tmp_path, text) if each.expression == "rows"]
    assert (node.value, node.known, node.note) == ("[2, 2]", "stop", "filled in lines 3, 4")
