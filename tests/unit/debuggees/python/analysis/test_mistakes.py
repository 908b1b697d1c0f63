"""Rules of mistakes that people make: the line that each names, and that the program runs with its fix."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dap_ai.agent.report.source_edits import text_after
from dap_ai.agent.report.wording import CAUSE, GUESS
from dap_ai.debuggees.python.analysis.claims.explain import root_cause
from dap_ai.debuggees.python.analysis.ranking.confirm_dynamically import confirm_dynamically
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis, analyse
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from tests.unit.agent.harness import case_of, fail
from tests.unit.agent.witnesses import run_again

pytestmark = pytest.mark.filterwarnings("ignore:coroutine")

FIXED: dict[str, tuple[str, str]] = {
    "no order: heap": (
        "no order",
        """
import heapq

class Job:
    def __init__(self, at):
        self.at = at

queue = []
for at in (1, 2, 1):
    heapq.heappush(queue, (at, Job(at)))  # BUG
""",
    ),
    "no order: sort": (
        "no order",
        "ranked = sorted([(1, {'n': 1}), (0, {}), (1, {'n': 2})])  # BUG\nassert ranked[0] == (0, {})\n",
    ),
    "no order: method": (
        "no order",
        "ranked = [(1, {'n': 1}), (0, {}), (1, {'n': 2})]\nranked.sort(reverse=True)  # BUG\n",
    ),
    "not awaited": (
        "not awaited",
        """
import asyncio

async def links():
    return ["a"]

async def main():
    found = links()  # BUG
    for link in found:
        print(link)

asyncio.run(main())
""",
    ),
    "late binding": (
        "late binding",
        """
actions = {}
for name in ("a", "b"):
    actions[f"open {name}"] = lambda: "open" + name  # BUG
    actions[f"close {name}"] = lambda *names: "close" + name

assert [actions["open a"](), actions["close b"]()] == ["opena", "closeb"]
assert actions["close a"]() == "closea"
""",
    ),
    "skip None: called in a generator": (
        "skip None",
        """
class Row:
    def __init__(self, price):
        self.price = price

def twice(row):
    return row.price * 2

def total(rows):
    return sum(twice(r) for r in rows)  # BUG

assert total([Row(1), Row(None)]) == 2
""",
    ),
    "skip None: in a generator": (
        "skip None",
        "rows = [{'n': 1}, {'n': None}]\nassert sum(r['n'] + 1 for r in rows if r) == 2  # BUG\n",
    ),
    "skip None: in a loop": (
        "skip None",
        "def twice(n):\n    return n * 2\n\nfor row in [{'n': 1}, {'n': None}]:\n    twice(row['n'])  # BUG\n",
    ),
    "key in another form: number for text": (
        "key in another form",
        "grants = {'1': 'read', '2': 'write'}\nfor user in (1, 2):\n    print(grants[user])  # BUG\n",
    ),
    "key in another form: blanks and letters": (
        "key in another form",
        "def price(line):\n    return {'pear': 2}[line.partition(',')[0]]  # BUG\n\nassert price(' Pear ,3') == 2\n",
    ),
    "key in another form: a constant": (
        "key in another form",
        "row = {'name': 'ann'}\nassert row['Name']  # BUG\n",
    ),
}


GATHERED = """
import asyncio

async def one():
    return 1

async def main():
    task = one()
    await asyncio.gather(task)
    assert not one

asyncio.run(main())
"""


RETRIES = """
class Retry:
    def __init__(self, config):
        self.count = config["count"]

    def delays(self):
        return list(range(self.count))

Retry({"count": "3"}).delays()
"""


@pytest.fixture(autouse=True)
def collected(older_objects_set_aside: None) -> Iterator[None]:
    """Ends the coroutines that a program left behind, while their warnings are ignored."""
    yield
    gc.collect()


def analysed(folder: Path, text: str) -> StopAnalysis:
    program = folder / "main.py"
    program.write_text(text)
    analysis = analyse(case_of(fail(program)))
    assert analysis is not None
    return analysis


@pytest.fixture(scope="module")
def analysed_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], StopAnalysis]:
    """`analysed_once("no order: heap")`: the analysis of that program of FIXED."""
    return functools.cache(lambda name: analysed(tmp_path_factory.mktemp("fixed"), FIXED[name][1]))


def found(analysis: StopAnalysis, rule: str) -> list[SuspectedMistake]:
    return [finding for finding in analysis.findings if finding.rule == rule]


@pytest.mark.parametrize("name", FIXED)
def test_a_rule_names_the_faulty_line(name: str, analysed_once: Callable[[str], StopAnalysis]):
    rule, text = FIXED[name]
    lines = [finding.line for finding in found(analysed_once(name), rule)]
    assert "# BUG" in text.splitlines()[lines[0] - 1]


@pytest.mark.parametrize("name", FIXED)
def test_a_program_runs_with_the_fix_of_the_rule(name: str, analysed_once: Callable[[str], StopAnalysis]):
    finding = found(analysed_once(name), FIXED[name][0])[0]
    assert finding.edit is not None
    fixed = text_after(finding.edit.source, [finding.edit])
    exec(compile(fixed, "fixed.py", "exec"), {"__name__": "__main__"})  # noqa: S102  the test's own program


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("key in another form", "grants = {'1': 'read'}\nfor user in (1, 2):\n    print(grants[str(user)])\n"),
        ("get of no key", "d = {'a': 1, 'b': None}\nx = d.get('a')\nd['b'] + x\n"),
        ("no order", "total = 0\nfor n in sorted([1, 2]):\n    assert object() < object()\n"),
        ("not awaited", GATHERED),
    ],
)
def test_a_rule_is_silent_where_nothing_is_wrong(rule: str, text: str, tmp_path: Path):
    assert not found(analysed(tmp_path, text), rule)


def test_a_get_of_what_is_not_there_is_told_with_the_key(tmp_path: Path):
    analysis = analysed(tmp_path, "rates = {'EUR': 1}\nrate = rates.get('eur')\nrate + 1\n")
    finding = found(analysis, "get of no key")[0]
    assert finding.reason.startswith("`rates` has no key `'eur'`, so `get` returns `None`")


def test_a_tie_is_said_with_the_item_that_was_equal(tmp_path: Path):
    analysis = analysed(tmp_path, FIXED["no order: heap"][1])
    assert "where the first items are equal (here `1`), the next ones decide" in analysis.diagnosis.sentences[0]


def test_a_builtin_type_gets_no_order_of_its_own(tmp_path: Path):
    analysis = analysed(tmp_path, FIXED["no order: sort"][1])
    assert analysis.diagnosis.advice == ["Decide the order of equal items: sort with a `key=`."]


ZONES = """
def zone(country):
    if country == "DE":
        return 1
    elif country in ("US", "CA"):
        return 2

prices = {1: 4, 2: 9}
print([prices[zone(c)] for c in ("DE", "JP")])
"""


def test_the_call_that_reached_no_return_is_told(tmp_path: Path):
    analysis = analysed(tmp_path, ZONES)
    confirm_dynamically(analysis, Trials([run_again(analysis.case)]))
    analysis.order()
    assert (
        analysis.suspects[0].reason == "`zone(country='JP')` returned `None` in the run again: it reached no `return`"
    )


@pytest.mark.parametrize(("rows", "is_told"), [("[[1], [2]]", False), ("None", True)])
def test_equal_items_are_repeated_only_where_there_are_some(rows: str, is_told: bool, tmp_path: Path):
    """Not by the other side of an `or`."""
    text = f"def grid(rows):\n    cells = rows or [[0]] * 2\n    return cells\n\nassert grid({rows}) == 5\n"
    analysis = analysed(tmp_path, text)
    before = analysis.scores[str(tmp_path / "main.py"), 2]
    confirm_dynamically(analysis, Trials([run_again(analysis.case)]))
    after = analysis.scores[str(tmp_path / "main.py"), 2]
    assert (after == before) if is_told else (after < before / 2)


def test_a_missing_none_is_not_advised_as_a_key(tmp_path: Path):
    analysis = analysed(
        tmp_path, ZONES.replace("[prices[zone(c)] for c in", "prices[zone('JP')], [").replace('("DE", "JP")])', "])")
    )
    assert not any(".get(None)" in advice for advice in analysis.diagnosis.advice)


def test_the_text_that_a_call_got_is_what_is_told(tmp_path: Path):
    analysis = analysed(tmp_path, RETRIES)
    assert analysis.diagnosis.sentences == ["`self.count` is `'3'` (`str`)."]


def test_a_reason_is_no_fact_because_another_finding_of_its_line_is_one(tmp_path: Path):
    analysis = analysed(tmp_path, "def half(n):\n    return n / 0\n\nhalf(1)\n")
    first = analysis.suspects[0]
    scope = next(iter(analysis.scopes.values()))[0]
    sure = SuspectedMistake(scope, first.line, 0.9, "a known mistake", "known")
    analysis.findings = [sure]
    assert root_cause(analysis)[0].text.startswith(GUESS)
    sure.reason = first.reason
    assert root_cause(analysis)[0].text.startswith(GUESS)  # nothing has shown it
    sure.seen = True
    assert root_cause(analysis)[0].text.startswith(CAUSE)
