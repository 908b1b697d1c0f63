"""The tools, over a program that has failed in this process; copies are played by what a test puts in."""

from __future__ import annotations

import asyncio
import textwrap
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.report.wording import NOW
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import UNCHANGED, ToolContext, ToolResult
from dap_ai.agent.tools.evaluate import BY_ALLOW_LIST
from dap_ai.agent.tools.schemas import parameters
from dap_ai.agent.tools.tool_table import called_by, every_tool, traced_by
from dap_ai.debuggees.python.injection.debugpy_snapshots import IMPORTING
from dap_ai.debuggees.python.tools.trace import MAX_TOKENS, folded
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer, NotAnswered
from dap_ai.protocol.contracts.snapshot_messages import (
    RaisedException,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    TracedCall,
    TracedLine,
    ValueChanges,
)
from dap_ai.protocol.contracts.tool_arguments import TOOLS as ARGUMENTS
from dap_ai.protocol.contracts.tool_arguments import (
    EvaluateToolArguments,
    HistoryArguments,
    SliceArguments,
    ToolArguments,
    TraceArguments,
)
from dap_ai.protocol.wire.ask_messages import AskArguments
from dap_ai.protocol.wire.safe import as_it_is
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import AT_OBSERVE, Heard, Stopped, fail

TOOLS = every_tool()

PROGRAM = """
class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        self.balance -= amount
        return self.balance

def total(n):
    t = 0
    for i in range(n):
        t += i
    if t < 0:
        t = -1
    return t

def main():
    acct = Account(100)
    x = total(150)
    names = []
    return names[x]

main()
"""


@dataclass
class Copying(Stopped):
    """A stop whose copies do what `results` say, in order."""

    why_no_snapshot: str = ""
    results: list[SnapshotResult] = field(default_factory=list)
    queries: list[SnapshotQuery] = field(default_factory=list)

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        self._count("snapshot")
        self.queries.append(query)
        return self.results.pop(0)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


@pytest.fixture
def plain(program: Path) -> Stopped:
    return fail(program)


@pytest.fixture
def copying(plain: Stopped) -> Copying:
    return Copying(**{f.name: getattr(plain, f.name) for f in fields(plain) if f.name != "why_no_snapshot"})


async def bench_of(stopped: Stopped, level: Any = "compute") -> ToolContext:
    assert stopped.stop is not None
    if level == "observe":
        stopped.why_no_snapshot = AT_OBSERVE
    return ToolContext(stopped, await StopReader(stopped, Sources(), level).read(stopped.stop), as_it_is)


def use(stopped: Stopped, name: str, arguments: Any, level: Any = "compute") -> ToolResult:
    async def work() -> ToolResult:
        return await TOOLS[name].run(await bench_of(stopped, level), arguments)

    return asyncio.run(work())


def given(text: str, kind: str = "int") -> Value:
    return Value(text, kind, kind)


def test_a_value_from_a_copy_says_that_the_program_was_not_changed(copying: Copying):
    copying.results = [SnapshotResult("ok", given("50"), printed="withdrew 50\n", effects=["os.remove '/x'"])]

    text = use(copying, "evaluate", EvaluateToolArguments("acct.withdraw(50)")).text

    assert text.startswith(f"`acct.withdraw(50)` evaluates to `50` ({UNCHANGED}).")
    assert "```text\nwithdrew 50\n```" in text
    assert "was blocked: `os.remove '/x'`" in text


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (SnapshotResult("raised", error="ValueError: no"), "raises `ValueError: no`"),
        (
            SnapshotResult("raised", error="ValueError: no", raised=RaisedException("ValueError", "no", "/shop.py", 7)),
            "raises `ValueError: no` (at `/shop.py:7`)",
        ),
        (SnapshotResult("deadline"), "did not finish in time"),
        (SnapshotResult("ok"), "evaluates to nothing that can be shown"),
    ],
)
def test_however_a_copy_ends_it_is_told(copying: Copying, result: SnapshotResult, words: str):
    copying.results = [result]

    assert words in use(copying, "evaluate", EvaluateToolArguments("total(3)")).text


def test_what_was_printed_cannot_end_its_block(copying: Copying):
    copying.results = [SnapshotResult("ok", given("1"), printed="```\n# heading\n")]

    assert "````text\n```\n# heading\n````" in use(copying, "evaluate", EvaluateToolArguments("total(3)")).text


def test_without_a_copy_the_allow_list_answers_and_says_why(plain: Stopped):
    result = use(plain, "evaluate", EvaluateToolArguments("len(names) + 1"))

    assert (result.text, result.status) == (
        "`len(names) + 1` is `1`.",
        f"{BY_ALLOW_LIST} nothing is copied in this test",
    )


def test_a_copy_that_could_not_be_made_is_a_reason_too(copying: Copying):
    copying.results = [SnapshotResult(IMPORTING)]

    result = use(copying, "evaluate", EvaluateToolArguments("x"))

    assert result.status == f"{BY_ALLOW_LIST} {IMPORTING.removeprefix('unavailable: ')}"


def test_what_neither_may_evaluate_names_the_rule_and_the_alternative(plain: Stopped):
    result = use(plain, "evaluate", EvaluateToolArguments("acct.withdraw(50)"))

    assert result.failed
    assert "`Account.withdraw` is the program's own function" in result.text
    assert "No snapshot can be made" in result.text


@pytest.mark.parametrize("name", ["evaluate", "trace", "slice"])
def test_what_is_no_expression_is_refused(copying: Copying, name: str):
    result = use(copying, name, ARGUMENTS[name]("import os"))  # type: ignore[call-arg]

    assert (result.failed, "not a Python expression" in result.text) == (True, True)
    assert copying.queries == []


def test_at_the_level_observe_nothing_is_copied(copying: Copying):
    result = use(copying, "evaluate", EvaluateToolArguments("total(3)"), "observe")

    assert (copying.queries, result.status) == ([], f"{BY_ALLOW_LIST} {AT_OBSERVE}")


def test_a_trace_without_a_copy_says_what_else_helps(plain: Stopped):
    result = use(plain, "trace", TraceArguments("total(3)"))

    assert (result.failed, "Step through it" in result.text) == (True, True)


def traced(file: str) -> RunTrace:
    def line(number: int, count: int = 1, *changes: ValueChanges) -> TracedLine:
        return TracedLine(file, number, "total", count, list(changes))

    return RunTrace(
        lines=[
            line(11, 1, ValueChanges("t", ["0"])),
            line(12, 151, ValueChanges("i", ["0", "1", "2", "148", "149"], 150)),
            line(13, 150, ValueChanges("t", ["0", "1", "3", "11026", "11175"], 149)),
            line(14),
            line(16),
        ],
        calls=[TracedCall("total", file, 10, 0, ["n=150"], "11175")],
        events=304,
    )


def test_a_trace_is_folded_and_names_what_did_not_run(copying: Copying, program: Path):
    copying.results = [SnapshotResult("ok", given("11175"), trace=traced(str(program)))]

    text = use(copying, "trace", TraceArguments("total(150)")).text

    assert "total(n=150) -> 11175" in text
    assert "   12      for i in range(n):   # x 151; i 0..149" in text
    assert "t: 0, 1, 3 ... 11026, 11175 (149 values)" in text
    assert "(did not run: 15)" in text


def test_a_trace_keeps_to_its_budget_whatever_ran(copying: Copying, program: Path):
    lines = [
        TracedLine(str(program), n % 20 + 1, f"function_{n // 20}", n, [ValueChanges("name", ["x" * 300] * 5, 900)])
        for n in range(2000)
    ]
    calls = [TracedCall(f"f{n % 7}", str(program), 1, n % 50, ["a" * 400] * 9, "r" * 400) for n in range(200)]

    async def work() -> str:
        return folded(await bench_of(copying), RunTrace(lines, calls, truncated=True), MAX_TOKENS)

    assert len(asyncio.run(work())) < MAX_TOKENS * 4 + 400


def test_a_slice_lists_lines_with_code_role_and_value(plain: Stopped):
    result = use(plain, "slice", SliceArguments("x"))

    assert result.text.splitlines()[2].endswith("`x = total(150)`: sets `x`, now `11175`")
    assert "`return t`: returns the result of `total`" in result.text


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_every_tool_can_be_described_to_a_model(name: str):
    tool = TOOLS[name]

    assert (tool.name, tool.arguments, "\n" in tool.description) == (name, ARGUMENTS[name], False)
    assert parameters(tool)["type"] == "object"


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("trace f(3)", TraceArguments("f(3)")),
        ("slice `x.y`", SliceArguments("x.y")),
        ("history x.y when x.y < 0", HistoryArguments("x.y", "x.y < 0")),
        ("evaluate 1 + 1", EvaluateToolArguments("1 + 1")),
        ("tracer", None),
    ],
)
def test_a_question_calls_a_tool_by_its_first_word(question: str, call: ToolArguments | None):
    assert called_by(question) == call


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("How did f(g(1), 2) become 3?", TraceArguments("f(g(1), 2)")),
        ("how did `f(3)[0]` come to be None?", TraceArguments("f(3)[0]")),
        ("how did f(3) get to (x)?", TraceArguments("f(3)")),
        ("how did f(3 fail?", None),
        ("how did it come to this?", None),
        ("why did it stop (here)?", None),
    ],
)
def test_a_question_how_a_call_came_to_its_value_is_a_trace(question: str, call: ToolArguments | None):
    assert traced_by(question) == call


def answered(stopped: Stopped, question: str, tool: ToolArguments | None = None) -> tuple[Answer, Heard]:
    heard = Heard()
    ask = AcceptedAsk("ask-1", "c1", AskArguments(question=question), tool)
    return asyncio.run(SessionAgent(Settings()).answer(ask, stopped, heard)), heard


def test_a_call_that_a_question_names_is_evaluated_in_a_copy(copying: Copying):
    copying.results = [SnapshotResult("ok", given("50"))]

    answer, _ = answered(copying, "what does acct.withdraw(50) return?")

    assert answer.text.startswith("`acct.withdraw(50)` evaluates to `50`")
    assert [query.expression for query in copying.queries] == ["acct.withdraw(50)"]


def test_what_only_a_copy_may_evaluate_comes_before_the_values_that_were_read(copying: Copying):
    refused = [SnapshotResult("unavailable: no seccomp")] * 3  # how `acct` came to be
    copying.results = [SnapshotResult("ok", given("51")), SnapshotResult("ok", given("50")), *refused]

    answer, _ = answered(copying, "what does acct.withdraw(50) + 1 give, and why is acct so?")

    assert answer.text.startswith("`acct.withdraw(50) + 1` evaluates to `51`")
    assert f"{NOW} `acct` is" in answer.text


def test_a_tool_that_was_asked_for_is_the_answer(copying: Copying):
    copying.results = [SnapshotResult("ok", given("50"))]

    answer, heard = answered(copying, "", EvaluateToolArguments("acct.withdraw(50)"))

    assert answer.text == heard.text("answer") == f"`acct.withdraw(50)` evaluates to `50` ({UNCHANGED}).\n"


def test_a_tool_whose_stop_is_over_says_so(copying: Copying):
    copying.ends_after = 2

    answer, _ = answered(copying, "", EvaluateToolArguments("acct.withdraw(50)"))
    assert isinstance(answer, NotAnswered) and answer.stale


def test_what_a_tool_takes_is_strict():
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"expression": "x", "level": "mutate"}', type=EvaluateToolArguments)
