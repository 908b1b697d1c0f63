"""`history` runs the real program again in a real copy: on every Python that differs, to a breakpoint and to an exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.tools.base import ToolResult
from dap_ai.debuggees.python.analysis.record.executions import round_of
from dap_ai.debuggees.python.tools.history_tool import history
from dap_ai.protocol.contracts.snapshot_messages import Followed, FollowedValue
from dap_ai.protocol.contracts.tool_arguments import HistoryArguments
from tests.integration.trying import called

pytestmark = [pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]


def found(result: ToolResult) -> Followed:
    assert isinstance(result.data, Followed), result.text
    return result.data


def changes(followed: Followed) -> list[tuple[str, str, int]]:
    """Value, function (its last name) and round of each change."""
    return [(m.text, m.function.rpartition(".")[2], told_round(m)) for m in (*followed.first, *followed.last)]


def told_round(moment: FollowedValue) -> int:
    """As an answer tells it."""
    text = Path(moment.file).read_text("utf-8") if moment.file and Path(moment.file).is_file() else ""
    return 1 if moment.passed else round_of(moment, SourceFile(moment.file, text) if text else None)


@pytest.mark.anyio
async def test_each_change_is_told_with_the_line_the_function_and_the_round_that_made_it(
    debuggee: Callable[..., Any], differing_python: Path
) -> None:
    program = debuggee("past")
    wanted = [
        HistoryArguments("total", "total < 0"),
        HistoryArguments("log"),
        HistoryArguments("account.balance", "account.balance < 0"),
        HistoryArguments("self.balance"),
        HistoryArguments("LIMITS['ann']"),
        HistoryArguments("past_state.seen"),
        HistoryArguments("left", frame=1),
    ]
    results = await called(program.path, history, *wanted, lines=(program.line,), python=[str(differing_python)])
    total, log, balance, own, limit, seen, left = map(found, results)
    moved = [("5", "__init__", 1), ("7", "move", 1), ("8", "move", 1), ("7", "move", 1)]

    rounds = {1: "2", 2: "3", 4: "2", 5: "0", 6: "-3", 7: "-7"}
    assert changes(total) == [("0", "settle", 1), *((text, "settle", n) for n, text in rounds.items())]
    assert (total.when, total.before) == (total.first[5], total.first[4])
    assert [(text, where) for text, where, _ in changes(log)][-2:] == [
        ("[2, 1, 0, -1, -2, -3]", "remember"),
        ("[2, 1, 0, -1, -2, -3, -4]", "remember"),
    ]
    assert changes(balance)[:1] == [("5", "main", 1)]
    assert isinstance(balance.when, FollowedValue)
    assert (balance.when.text, balance.when.function.rpartition(".")[2]) == ("-2", "move")
    assert changes(own)[: len(moved)] == moved
    assert [text for text, _, _ in changes(limit)] == ["3", "-3", "-7"]
    assert changes(seen)[0][0] == "[]"
    assert (seen.count, [m.text for m in left.first], left.call, left.calls) == (8, ["1", "0"], 2, 3)


SUMS = """
import sys


def summed(n):
    total = 0
    for i in range(n):
        total += (i % 7) - 4
    assert total > 0, total
    return total


summed(3000)
"""


@pytest.mark.anyio
async def test_a_program_that_reads_a_file_beside_it_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "numbers.txt").write_text("3\n-9\n2\n")
    program = folder / "reads.py"
    program.write_text("total = 0\nfor line in open('numbers.txt'):\n    total += int(line)\nassert total > 0\n")

    (result,) = await called(program, history, HistoryArguments("total", "total < 0"), cwd=str(folder))

    assert [(m.text, m.line) for m in found(result).first] == [("0", 1), ("3", 3), ("-6", 3), ("-4", 3)]


@pytest.mark.anyio
async def test_a_long_history_is_bounded_and_keeps_where_the_condition_first_held(tmp_path: Path) -> None:
    program = tmp_path / "sums.py"
    program.write_text(SUMS)

    (result,) = await called(program, history, HistoryArguments("total", "total < -1000"))

    followed = found(result)
    assert followed.when is not None
    assert (followed.when.text, told_round(followed.when), followed.when.line) == ("-1001", 996, 8)
    assert len(followed.first) + len(followed.last) <= 200 < followed.count
    assert len(result.text.splitlines()) < 30
    assert "`total` became `-1001`, and was `-998` before" in result.text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import time\nstarted = time.perf_counter()\ntotal = 1\ntotal += 1\n", "with the same values"),
        (
            "import threading\ntotal = 1\nt = threading.Thread(target=print)\nt.start()\nt.join()\ntotal += 1\n",
            "thread",
        ),
    ],
)
@pytest.mark.anyio
async def test_a_program_that_cannot_be_run_again_is_told_so_and_the_slice_is_given(
    source: str, reason: str, tmp_path: Path
) -> None:
    program = tmp_path / "once.py"
    program.write_text(source + "print(total)\n")
    last = source.count("\n") + 1

    (result,) = await called(program, history, HistoryArguments("total"), lines=(last,))

    assert result.text.startswith("`total` has no history here: ")
    assert reason in result.text.partition("\n")[0]
    assert f"once.py:{last - 1}` `total += 1`" in result.text


BANK = """\
class Account:
    def __init__(self, money):
        self.money = money

    def take(self, amount):
        self.money -= amount
        if self.money < -10:
            raise ValueError("overdrawn")


account = Account({start})
for amount in (3, 4, 5, 6, 7):
    account.take(amount)
"""


def test_it_is_the_value_that_failed_and_the_line_that_made_it_so_is_named(tmp_path: Path, run_dap_ai: Any) -> None:
    program = tmp_path / "bank.py"
    program.write_text(BANK.format(start=10))

    done = run_dap_ai("ask", program, "-q", "when did it become negative?", cwd=tmp_path)

    told = done.stdout.decode()
    assert told.lstrip().startswith(
        "`self.money < 0` first held at `bank.py:6` in `Account.take` (`self.money -= amount`)"
    )
    assert "`self.money` became `-2`, and was `3` before" in told
    assert b"ValueError: overdrawn" in done.stderr


def test_where_the_input_is_used_up_that_is_said_and_the_slice_is_given(tmp_path: Path, run_dap_ai: Any) -> None:
    program = tmp_path / "bank.py"
    program.write_text(BANK.format(start="int(input())"))

    done = run_dap_ai("ask", program, "-q", "when did self.money become negative?", stdin=b"10\n", cwd=tmp_path)

    told = done.stdout.decode()
    assert told.lstrip().startswith(
        "`self.money` has no history here: the whole program `bank.py` reads input, which is used up"
    )
    assert "`bank.py:6` `self.money -= amount`: writes `self.money`" in told


CLEANED = """class Ledger:
    def __init__(self):
        self.pending = []
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.pending.clear()
    def average(self):
        return sum(self.pending) / (len(self.pending) - 2)
with Ledger() as ledger:
    ledger.pending.append(3)
    ledger.pending.append(7)
    ledger.average()
"""


@pytest.mark.anyio
async def test_what_cleanup_does_after_the_raise_is_no_change_before_the_failure(
    tmp_path: Path, differing_python: Path
) -> None:
    program = tmp_path / "cleaned.py"
    program.write_text(CLEANED)
    (result,) = await called(program, history, HistoryArguments("self.pending"), python=[str(differing_python)])
    assert [text for text, _, _ in changes(found(result))] == ["[]", "[3]", "[3, 7]"]
