"""Every suspect and step had run when the program failed; where that is not known, the answer says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dap_ai.debuggees.python.analysis.claims.explain import why
from dap_ai.debuggees.python.analysis.ranking.ranking import IF_IT_RAN, StopAnalysis, analyse
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.ranking.what_ran import settle
from dap_ai.debuggees.python.analysis.syntax.certain import Certain
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver
from tests.unit.agent.harness import ask, case_of, fail
from tests.unit.agent.witnesses import run_again

FINALLY = """\
class Box:
    n = 3


def after():
    box.n = 0


def scaled(by):
    return by * box.n


box = Box()


def work():
    try:
        return scaled(10) / (box.n - 3)
    finally:
        after()


work()
"""
CALLED_BEFORE = FINALLY.replace("box = Box()", "box = Box()\nafter()\nbox.n = 3")
EXIT = """\
class Pool:
    def __init__(self):
        self.free = 2

    def close(self):
        self.drain()

    def drain(self):
        self.free = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


with Pool() as pool:
    print(10 / (pool.free - 2))
"""
HANDLED = """\
def reset(counts):
    counts["a"] = 0


def work(counts):
    try:
        return 10 / counts["b"]
    except KeyError:
        counts["b"] = 1
    try:
        return 10 / (counts["a"] - 2)
    except ZeroDivisionError:
        reset(counts)
        raise


work({"a": 2})
"""
LATE = {"finally": (FINALLY, (6,)), "exit": (EXIT, (6, 9, 15)), "raised again": (HANDLED, (2,))}


def settled(program: Path, text: str, *, again: bool) -> StopAnalysis:
    """Of a program that has failed: with it run again, or by its frames and source."""
    program.write_text(text)
    case = case_of(fail(program))
    analysis = analyse(case)
    assert analysis
    settle(analysis, Trials([run_again(case)] if again else []))
    return analysis


def steps(analysis: StopAnalysis) -> set[int]:
    return {int(line) for line in re.findall(r"program\.py:(\d+)`", why(analysis))}


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("kind", LATE)
def test_what_ran_only_after_the_raise_is_no_suspect_and_no_step(kind: str, again: bool, tmp_path: Path):
    text, late = LATE[kind]
    analysis = settled(tmp_path / "program.py", text, again=again)
    assert {suspect.line for suspect in analysis.suspects}.isdisjoint(late)
    assert steps(analysis).isdisjoint(late)
    assert analysis.suspects


def test_what_ran_before_too_stays(tmp_path: Path):
    analysis = settled(tmp_path / "program.py", CALLED_BEFORE, again=True)
    assert analysis.had_run(str(tmp_path / "program.py"), 6)
    assert 6 in {suspect.line for suspect in analysis.suspects}


def test_what_was_raised_and_handled_before_takes_nothing_away(tmp_path: Path):
    analysis = settled(tmp_path / "program.py", HANDLED, again=True)
    assert [analysis.had_run(str(tmp_path / "program.py"), line) for line in (7, 9, 11, 13, 14)] == [
        *(True, True, True, False, False)
    ]


CERTAIN = """\
import os

if os.environ.get("NEVER_SET_ANYWHERE"):
    step = 0  # ?
else:
    step = 2  # ?


class Account:
    fee = 1

    def __init__(self, n):
        self.n = n

    def add(self, n):
        if n < 0:
            self.n = None  # ?
        self.n += n


class Log:
    def add(self, n):
        self.n = "text"  # ?


def halves(n):
    yield n / 2  # ?


def unused(n):
    return n  # ?


def patched(n):
    return n + 1  # ?


target = "shop.patched"


def total(account, prices):
    sum_ = 0
    for price in prices:
        sum_ += price
    for other in ():
        sum_ += unused(other)  # ?
    with open(os.devnull):
        sum_ += 0
        sum_ += 0  # ?
    try:
        sum_ += 0
        sum_ += 0  # ?
    except ValueError:
        sum_ = None  # ?
    finally:
        sum_ += 0
    account.add(sum_)
    sum_ and unused(1)
    halves(patched(2))
    while sum_ > 100:
        sum_ -= 1  # ?
    if account.n:
        return 10 / (account.n - 3)
    return sum_  # ?


total(Account(0), [1, 2])
step = 1  # ?
"""


def test_certain_is_what_ran_whatever_the_values_were(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(CERTAIN)
    case = case_of(fail(program))
    certain = Certain(case, Resolver(case.sources, case.places, [str(program)]), lambda _path, _line: False)
    source = case.places[0].source
    assert source
    lines = [number for number, line in enumerate(source.lines, 1) if line.strip()]
    lines = [n for n in lines if source.line(n).strip() not in ("else:", "try:", "finally:", "except ValueError:")]
    doubtful = [n for n in lines if source.line(n).endswith("# ?")]
    assert [n for n in lines if not certain.had_run(str(program), n)] == doubtful


FIRST_ROUND = """\
def joined(parts):
    text = None
    for part in parts:
        text = text + part
        part_count = 1


joined(["a", "b"])
"""


def test_of_a_loop_in_its_first_round_what_comes_later_in_the_body_is_not_certain(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(FIRST_ROUND)
    case = case_of(fail(program))
    certain = Certain(case, Resolver(case.sources, case.places, [str(program)]), lambda _path, _line: False)
    assert [certain.had_run(str(program), line) for line in (2, 3, 4, 5)] == [True, True, True, False]


BRANCH = """\
def rate(code):
    if code == "a":
        by = 2
    else:
        by = 0
    return 10 / by


rate("b")
"""


def test_a_branch_of_which_nothing_tells_whether_it_was_taken_says_so(tmp_path: Path):
    analysis = settled(tmp_path / "program.py", BRANCH, again=False)
    reasons = {suspect.line: suspect.reason for suspect in analysis.suspects}
    assert [reasons[line].endswith(IF_IT_RAN) for line in (3, 5, 6)] == [True, True, False]
    assert "may have set `by`" in why(analysis)


HANDED_ON = """\
class Tally:
    def __init__(self):
        self.sold = 0

    def sell(self, count):
        self.sold = count


def office(tally, orders):
    for count in orders:
        tally.sell(count)


def each(run, *arguments):
    run(*arguments)


tally = Tally()
each(office, tally, [2, 3])
assert tally.sold == 5
"""


def test_what_a_function_runs_that_is_handed_on_stays_as_it_may_have_run(tmp_path: Path):
    analysis = settled(tmp_path / "program.py", HANDED_ON, again=False)
    reasons = {suspect.line: suspect.reason for suspect in analysis.suspects}
    assert reasons[6].endswith(IF_IT_RAN)


def test_a_branch_that_the_run_again_has_not_taken_is_left_out(tmp_path: Path):
    analysis = settled(tmp_path / "program.py", BRANCH, again=True)
    assert 3 not in {suspect.line for suspect in analysis.suspects}
    assert not any(suspect.reason.endswith(IF_IT_RAN) for suspect in analysis.suspects)
    assert steps(analysis) == {2, 5, 9} or 3 not in steps(analysis)


def test_a_loop_without_a_round_adds_nothing(tmp_path: Path):
    (tmp_path / "program.py").write_text(
        "def mean(prices):\n    total = 0\n    for price in prices:\n        total += price\n"
        "    return total / len(prices)\n\n\nmean([])\n"
    )
    answer = ask(fail(tmp_path / "program.py"))[0]
    assert not re.search(r"program\.py:4` in `mean` sets", answer.text)
    assert all(s.line != 4 or s.reason.endswith(IF_IT_RAN) for s in answer.suspects)
