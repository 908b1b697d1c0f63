"""Where the data of objects comes from, and what the failure run again shows of it: of programs that have just failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.debuggees.python.analysis.ranking.confirm_dynamically import confirm_dynamically
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis, analyse
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from tests.unit.agent.harness import case_of, fail
from tests.unit.agent.witnesses import run_again

READ = """
def read(lines):
    found = []
    for line in lines:
        name, _, text = line.partition(",")
        score = int(text) if text.isdigit() else None
        found.append({made})
    return found
"""
MADE = {
    "dataclass": (
        "from dataclasses import dataclass\n\n@dataclass\nclass Row:\n    name: str\n    score: int\n",
        "Row(name, score)",
    ),
    "keyword": (
        "from typing import NamedTuple\n\nclass Row(NamedTuple):\n    name: str\n    score: int\n",
        "Row(name, score=score)",
    ),
    "namedtuple": (
        "from collections import namedtuple\n\nRow = namedtuple('Row', 'name, score')\n",
        "Row(name, score)",
    ),
    "plain class": (
        "class Row:\n    def __init__(self, name, score):\n        self.score = score\n",
        "Row(name, score)",
    ),
}
USES = {
    "in a call": "def twice(row):\n    return row.score * 2\n\nprint(sum(twice(r) for r in read(['a,1', 'b,x'])))\n",
    "in a generator": "rows = read(['a,1', 'b,x'])\nprint(sum(r.score * 2 for r in rows))\n",
    "in a loop": "total = 0\nfor row in read(['a,1', 'b,x']):\n    total += row.score\n",
}
MAKER = "score = int(text) if text.isdigit() else None"


def analysed(folder: Path, text: str) -> tuple[StopAnalysis, str]:
    """The analysis of a program that fails; and the text of its first suspect's line."""
    program = folder / "main.py"
    program.write_text(text)
    analysis = analyse(case_of(fail(program)))
    assert analysis is not None
    return analysis, text.splitlines()[analysis.suspects[0].line - 1].strip()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("made", MADE)
def test_a_none_in_an_object_is_traced_to_where_it_was_made(made: str, use: str, tmp_path: Path):
    declared, call = MADE[made]
    _, line = analysed(tmp_path, declared + READ.replace("{made}", call) + USES[use])
    assert line == MAKER


def test_a_none_in_a_dict_is_traced_to_where_it_was_made(tmp_path: Path):
    text = READ.replace("{made}", '{"name": name, "score": score}') + USES["in a loop"].replace(".score", "['score']")
    assert analysed(tmp_path, text)[1] == MAKER


def test_a_dict_with_other_keys_is_not_where_a_value_was_made(tmp_path: Path):
    other = "def other():\n    return {'score': None, 'colour': 'red'}\n"
    text = other + READ.replace("{made}", "dict(zip(('name', 'score'), (name, score)))") + USES["in a loop"]
    analysis, _ = analysed(tmp_path, text.replace(".score", "['score']"))
    assert all("colour" not in step.scope.source.line(step.line) for step in analysis.slice.steps)


def test_an_object_that_got_another_constant_is_not_where_a_none_was_made(tmp_path: Path):
    declared, _ = MADE["dataclass"]
    text = declared + "rows = [Row('a', 1)]\nrows += [Row('b', None)]\nfor row in rows:\n    row.score + 1\n"
    analysis, line = analysed(tmp_path, text)
    assert line == "rows += [Row('b', None)]"
    assert not any(s.role == "argument" and "Row('a', 1)" in s.scope.source.line(s.line) for s in analysis.slice.steps)


def test_what_a_none_means_is_to_be_decided(tmp_path: Path):
    declared, call = MADE["plain class"]
    analysis, _ = analysed(tmp_path, declared + READ.replace("{made}", call) + USES["in a loop"])
    assert analysis.diagnosis.advice[0].startswith("Decide what `row.score` being `None` means")


def witnessed(folder: Path, text: str) -> tuple[str, str]:
    """The first suspect's line and reason, after the program was run again."""
    analysis, _ = analysed(folder, text)
    confirm_dynamically(analysis, Trials([run_again(analysis.case)]))
    analysis.order()
    first = analysis.suspects[0]
    return text.splitlines()[first.line - 1].strip(), first.reason


def test_the_run_again_shows_when_the_none_came(tmp_path: Path):
    declared, call = MADE["namedtuple"]
    line, reason = witnessed(tmp_path, declared + READ.replace("{made}", call) + USES["in a generator"])
    assert line == MAKER
    assert reason == "returns `None` where `text.isdigit()` does not hold: `score` went `1` -> `None` in the run again"


def test_a_line_that_could_give_none_and_did_not_is_no_suspect(tmp_path: Path):
    text = (
        "def read(text):\n    level = int(text) if text else None\n    level = lookup(level) or None\n    return [level]\n\n"
        "def lookup(level):\n    return {1: 0}[level]\n\nfor each in read('1'):\n    each + 1\n"
    )
    assert witnessed(tmp_path, text)[0] == "level = lookup(level) or None"


STOCK = """
class Stock:
    def __init__(self):
        self.left = 10

    def take(self, count):
        if count > self.left:
            return {failed}
        self.left -= count
        return {worked}

def sell(stock, counts):
    sold = 0
    for count in counts:
        stock.take(count)
        sold += count
    return sold

stock = Stock()
sold = sell(stock, [6, {last}])
assert sold + stock.left == {expected}, sold
"""


@pytest.mark.parametrize(("failed", "worked"), [("False", "True"), ("None", "count"), ("-1", "0")])
def test_a_failure_that_is_dropped_is_the_first_suspect(failed: str, worked: str, tmp_path: Path):
    line, reason = witnessed(tmp_path, STOCK.format(failed=failed, worked=worked, last=7, expected=10))
    assert line == "stock.take(count)"
    assert reason == f"`Stock.take(count=7)` returned `{failed}` in the run again, and that is discarded here"


def test_a_dropped_result_that_told_of_no_failure_is_no_first_suspect(tmp_path: Path):
    assert (
        witnessed(tmp_path, STOCK.format(failed="False", worked="True", last=3, expected=11))[0] != "stock.take(count)"
    )


def test_a_result_that_another_call_uses_proves_nothing_of_this_one(tmp_path: Path):
    text = (
        STOCK.format(failed="False", worked="True", last=7, expected=10)
        + "\ndef other(stock):\n    return stock.take(1)\n"
    )
    assert "in the run again" not in witnessed(tmp_path, text)[1]
