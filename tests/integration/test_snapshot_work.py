"""What a copy does on every Python: edits, statements, traces, watches; and that the program keeps none of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.contracts.snapshot_messages import (
    EditedSource,
    Hidden,
    RunTrace,
    SnapshotQuery,
    SnapshotResult,
    Statements,
)
from tests.conftest import marked_lines
from tests.integration.inspector_client import DEBUGGEES, snapshot
from tests.integration.test_snapshots import stopped
from tests.patience import patient

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
FILE = DEBUGGEES / "snapshot_work.py"
SOURCE = FILE.read_text("utf-8")
MARKS = ("method", "shared", "module")
"""In the order in which the program comes to them."""
BEGIN = "here\nshared\n"
END = "end 100 ['a', 'b'] 7 0\n"


class Program:
    """The program at one of its marks, and one query after another."""

    def __init__(self, at: Any) -> None:
        self.at = at

    async def ask(self, expression: str = "", **query: Any) -> SnapshotResult:
        wanted = SnapshotQuery(self.at.frame_id, expression, deadline_s=8.0, **query)
        return await snapshot(self.at.client.request, wanted)

    async def do(self, source: str, line: int = 1, **query: Any) -> SnapshotResult:
        return await self.ask(statements=Statements(source, line, str(FILE)), **query)

    async def text(self, expression: str, **query: Any) -> str:
        result = await self.ask(expression, **query)
        assert result.value is not None, result
        return result.value.text


def edit(old: str, new: str) -> list[EditedSource]:
    assert SOURCE.count(old) == 1
    return [EditedSource(str(FILE), SOURCE, SOURCE.replace(old, new))]


def line_of(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


class Journey:
    """The program on one Python, which goes from mark to mark; the copies that tests ask there leave it as it was."""

    def __init__(self, at: Any) -> None:
        self._at = at
        self._mark = MARKS[0]

    async def to(self, mark: str) -> Program:
        """Stopped there: tests stand in the order in which the program comes to their marks."""
        while self._mark != mark:
            following = MARKS[MARKS.index(self._mark) + 1]
            self._at, self._mark = await self._at.go_on(), following
        return Program(self._at)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def journey(differing_python: Path) -> AsyncIterator[Journey]:
    """One session on each Python."""
    lines, env = marked_lines(SOURCE), {"PYTHONDONTWRITEBYTECODE": "1"}
    marks = [lines[mark] for mark in MARKS]
    async with stopped("snapshot_work", *marks, python=[str(differing_python)], env=env) as at:
        yield Journey(at)


@pytest.fixture
async def in_method(journey: Journey) -> Program:
    return await journey.to("method")


@pytest.fixture
async def in_shared(journey: Journey) -> Program:
    return await journey.to("shared")


@pytest.fixture
async def program(journey: Journey) -> Program:
    """At the end of the module."""
    return await journey.to("module")


@pytest.fixture(params=["oldest", "newest"])
def python_at_the_edge(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> Path:
    """The oldest and the newest Python here."""
    versions = sorted(python_versions, key=lambda version: int(version.partition(".")[2]))
    return python_versions[versions[0 if request.param == "oldest" else -1]]


async def test_statements_of_a_method_know_its_class_and_its_locals(in_method: Program) -> None:
    source = "super().describe()\nprint(before, self.__balance, [self.__balance + n for n in (1, 2)])\nreturn before"
    plain = await in_method.do(source.replace("super()", "Base()"))
    with_super = await in_method.do(source)

    assert (plain.status, plain.printed) == ("ok", "100 100 [101, 102]\n")
    assert with_super.status == "unavailable: super() needs a class that this frame does not know"


async def test_a_lambda_of_statements_that_run_again_has_the_name_it_has_in_the_program(in_method: Program) -> None:
    result = await in_method.do("before = [*map(lambda n: n, [1])]", line_of("before = self.__balance"), trace=True)

    assert result.trace is not None
    assert [each.function for each in result.trace.calls if "dap_ai" in each.function] == []
    assert [each.function.split(".")[-1] for each in result.trace.calls] == ["<lambda>"]


async def test_a_function_that_stands_on_the_stack_is_traced_as_it_runs_again(in_method: Program) -> None:
    result = await in_method.do("before = summed([self.__balance])", line_of("before = self.__balance"), trace=True)

    assert result.trace is not None
    lines = [each.line for each in result.trace.lines]
    assert lines[0] == line_of("before = self.__balance")
    assert line_of("total += number") in lines
    assert [each.function for each in result.trace.calls] == ["summed"]


async def test_statements_share_their_closures_with_the_functions_in_memory(in_shared: Program) -> None:
    result = await in_shared.do("add(5)\ntotal += 1\nadd(1)\nprint(total)\nreturn total")

    assert (result.status, result.printed) == ("ok", "12\n")


EDITS = [
    (edit("-= amount + amount", "-= amount"), "account.withdraw(40)", "60"),
    (edit("count -= step", "count += step"), "(add(2), add.__closure__[0].cell_contents)", "(16, 16)"),
    (edit("def collect(item, into=[]):", "def collect(item, into=None):\n    into = into or []"), "collect(1)", "[1]"),
    (edit('" account"', '" bank account"'), "account.describe()", "'base bank account'"),
    (edit("return self.__balance\n\n    @noted", "return str(super().describe())\n\n    @noted"), "account.balance",
     "'base'"),
    (edit("def collect(item", "def twice(x):\n    return 2 * x\n\n\ndef collect(item"), "twice(4)", "8"),
    (edit("    fee = 1\n", "    fee = 1\n\n    def extra(self):\n        return super().describe() + str(self.__balance)\n"),
     "account.extra()", "'base100'"),
    (edit("    total = 0\n    for", "    import math\n    total = math.floor(0.5)\n    for"), "summed([1, 2])", "3"),
]  # fmt: skip


async def test_an_edit_changes_the_functions_in_memory_of_the_copy_alone(program: Program) -> None:
    for edits, expression, text in EDITS + MORE_EDITS:
        assert await program.text(expression, edits=edits) == text


MORE_EDITS = [
    (edit("def scaled(x, *, by=2)", "def scaled(x, *, by=Account.fee + 9, of=None)"), "scaled(2)", "20"),
    (edit("lambda word: word[0]", "lambda word: word[1]"), "[keys[name]('abc') for name in keys]", "['c', 'b']"),
    (edit("around.calls += 1", "around.calls += 10"), "(account.withdraw(1), account.withdraw.calls)", "(98, 10)"),
]

REFUSED = [
    (edit("fee = 1", "fee = 2"), "line 22 of snapshot_work.py stands outside of functions"),
    (edit("account = Account(100)", "account = Account(5)"), "stands outside of functions"),
    (edit("    return into\n", "    return (\n"), "does not compile"),
    ([EditedSource(str(FILE), SOURCE.replace("total += number", "total -= number"), SOURCE)], "has changed since it was loaded"),
    ([EditedSource("/nowhere.py", "def f(): return 1", "def f(): return 2")], "has loaded no function of nowhere.py"),
]  # fmt: skip


async def test_an_edit_that_cannot_be_applied_says_why(program: Program) -> None:
    for edits, reason in REFUSED:
        result = await program.ask("1", edits=edits)

        assert result.status.startswith("unavailable: ")
        assert reason in result.status


async def test_statements_of_a_module_run_with_the_lines_and_names_of_the_program(program: Program) -> None:
    line = line_of("print(")
    result = await program.do("print(account.balance)\nassert summed([1]) == 2, [account for x in (1,)]", line)

    assert (result.status, result.printed) == ("raised", "100\n")
    assert result.raised is not None
    assert (result.raised.type, result.raised.line) == ("AssertionError", line + 1)
    assert (result.raised.file, result.raised.function) == (str(FILE), "<module>")


async def test_statements_of_a_coroutine_run_as_far_as_the_event_loop_is_not_needed(
    debuggee: Callable[..., Any], python_at_the_edge: Path
) -> None:
    line = debuggee("snapshot_coroutine").line
    async with stopped("snapshot_coroutine", line, python=[str(python_at_the_edge)]) as at:
        program = Program(at)
        ready = await program.do("print(await doubled(x))\nawait asyncio.sleep(0)\nreturn x")
        waiting = await program.do("await asyncio.sleep(9)")

    assert (ready.status, ready.printed) == ("ok", "4\n")
    assert waiting.status == "unavailable: it awaits something that only the running event loop can bring"


async def test_statements_that_cannot_run_by_themselves_say_why(program: Program) -> None:
    result = await program.do("return 1")

    assert result.status == "unavailable: snapshot_work.py, line 1 does not compile: 'return' outside function"


async def test_an_exit_is_told_as_an_exception(program: Program) -> None:
    result = await program.do("import sys\nsys.exit(3)")

    assert result.raised is not None
    assert (result.status, result.raised.type, result.raised.message) == ("raised", "SystemExit", "3")


async def test_input_finds_the_end_of_stdin(program: Program) -> None:
    assert (await program.do("input()")).error == "EOFError: EOF when reading a line"


async def test_a_watch_is_evaluated_where_the_exception_comes_from(program: Program) -> None:
    watch = ["word", "depth", "nope", "[word for _ in 'ab']", "1 / 0"]
    result = await program.do(
        "try:\n    fails(2)\nexcept KeyError as e:\n    raise RuntimeError('x') from e", watch=watch
    )
    deep = await program.do("fails(2)", watch=watch)

    assert result.raised and deep.raised
    assert (result.raised.function, result.raised.line, result.error) == ("<module>", 4, "RuntimeError: x")
    assert (deep.raised.function, deep.raised.line) == ("fails", line_of("return {}[word]"))
    texts = [value and value.text for value in deep.raised.watched]
    assert texts == ["'deep'", "0", None, "['deep', 'deep']", None]


async def test_a_fresh_module_runs_from_its_start_with_its_edit(program: Program) -> None:
    source = SOURCE.replace("account = Account(100)", "account = Account(5)")
    edits = [EditedSource(str(FILE), SOURCE, source)]
    whole = Statements(SOURCE, 1, str(FILE), fresh=True)
    result = await program.ask(statements=whole, edits=edits)

    assert (result.status, result.printed) == ("ok", f"{BEGIN}{END.replace('100', '5')}")


async def test_a_fresh_run_loads_the_modules_anew_where_an_edit_stands_outside_of_functions(
    debuggee: Callable[..., Any], python_at_the_edge: Path
) -> None:
    main, rates = DEBUGGEES / "snapshot_anew.py", DEBUGGEES / "snapshot_anew_rates.py"
    whole, text = Statements(main.read_text(), 1, str(main), fresh=True), rates.read_text()
    edited = [EditedSource(str(rates), text, text.replace("RATE = 2", "RATE = 3"))]
    hidden = [Hidden("a secret text", "*************")]
    elsewhere = [EditedSource("/nowhere.py", "X = 1", "X = 2")]
    async with stopped("snapshot_anew", debuggee("snapshot_anew").line, python=[str(python_at_the_edge)]) as at:
        program = Program(at)
        as_it_is = await program.ask(statements=whole)
        anew = await program.ask(statements=whole, edits=edited)
        without = await program.ask(statements=whole, edits=edited, hidden=hidden)
        never = await program.ask(statements=whole, edits=elsewhere)

        assert (as_it_is.status, as_it_is.printed) == ("ok", "(4, 'a secret text')\n")
        assert (anew.status, anew.printed) == ("ok", "(9, 'a secret text')\n")
        assert (without.status, without.printed) == ("ok", "(9, '*************')\n")
        assert never.status == "unavailable: no module of the program was loaded from /nowhere.py"
        assert await at.finish() == "(4, 'a secret text')\n"


def changes(trace: RunTrace, text: str) -> dict[str, tuple[list[str], int]]:
    line = next(each for each in trace.lines if each.line == line_of(text))
    return {change.name: (change.texts, change.count) for change in line.changes}


async def test_a_trace_folds_the_values_of_a_loop(program: Program) -> None:
    trace = (await program.ask("summed(range(150))", trace=True)).trace

    assert trace is not None
    assert not trace.truncated
    assert changes(trace, "for number in numbers") == {"number": (["0", "1", "2", "148", "149"], 150)}
    assert changes(trace, "total += number") == {"total": (["1", "3", "6", "11026", "11175"], 149)}
    assert [(each.line - line_of("def summed"), each.count) for each in trace.lines] == [
        (1, 1),
        (2, 151),
        (3, 150),
        (4, 1),
    ]
    (call,) = trace.calls
    assert (call.function, call.arguments, call.result, call.depth) == ("summed", ["numbers=range(0, 150)"], "11175", 0)


async def test_a_trace_tells_calls_with_their_ends(program: Program) -> None:
    result = await program.do(
        "try:\n    fails(1)\nexcept KeyError:\n    list(halves(9))\naccount.withdraw(4)", trace=True
    )

    assert result.trace is not None
    calls = [(each.function.split(".")[-1], each.depth, each.result, each.raised) for each in result.trace.calls]
    assert calls == [
        ("fails", 0, "", "KeyError: 'deep'"),
        ("fails", 1, "", "KeyError: 'deep'"),
        ("halves", 0, "None", ""),
        ("around", 0, "92", ""),
        ("withdraw", 1, "92", ""),
    ]
    assert changes(result.trace, "limit //= 2") == {"limit": (["4", "2", "1"], 3)}
    assert changes(result.trace, "self.log.append(amount)") == {"self": (["<Account _Account__balance=92 log=[4]>"], 1)}


async def test_a_long_loop_is_traced_within_its_budget(program: Program) -> None:
    result = await program.ask("summed(range(100_000))", trace=True)

    assert result.trace is not None
    assert result.trace.events == 200_003
    assert result.milliseconds < patient(5000)


async def test_a_long_loop_over_an_object_is_told_to_its_end(program: Program) -> None:
    trace = (
        await program.do(
            "total, grown = 0, []\nfor n in range(2_000):\n    grown.append(n)\n    total += n", trace=True
        )
    ).trace

    assert trace is not None
    counts = {(each.line, change.name): change.count for each in trace.lines for change in each.changes}
    assert counts == {(1, "total"): 1, (1, "grown"): 1, (2, "n"): 2_000, (3, "grown"): 2_000, (4, "total"): 1_999}


async def test_an_endless_recursion_is_traced_to_its_end(program: Program) -> None:
    result = await program.do("def again(n):\n    return again(n + 1)\nagain(0)", trace=True)

    assert (result.status, result.error.split(":")[0]) == ("raised", "RecursionError")
    assert result.trace is not None
    assert len(result.trace.calls) == 200


async def test_an_answer_that_is_too_long_loses_parts_of_its_trace(program: Program) -> None:
    source = "\n".join(f"x{n} = {'é' * 100!r} + str({n})" for n in range(2500))
    result = await program.do(source, trace=True)

    assert result.status == "ok"
    assert result.trace is not None
    assert (result.trace.truncated, len(result.trace.lines) > 100) == (True, True)


INSIDE = """
__import__('os').putenv('A', 'b')
__import__('os').environ.pop('PATH')
__import__('ctypes').CDLL(None)
__import__('ctypes').CDLL('libm.so.6')
__import__('socket').getaddrinfo('127.0.0.1', 80)
__import__('socket').getaddrinfo('0x7f.1', 80)
__import__('socket').getaddrinfo(b'::1', 80)
__import__('socket').getaddrinfo(None, 80)
open(1, 'w', closefd=False)
""".strip().splitlines()
OUTSIDE = """
__import__('socket').getaddrinfo('localhost', 80)
open('/dev/null', 'w')
open('/proc/self/fd/1', 'w')
__import__('os').truncate(1, 0)
__import__('os').chmod(1, 0o600)
__import__('os').utime(1)
__import__('os').lockf(1, 1, 0)
__import__('os').kill(__import__('os').getpid(), 0)
__import__('os').posix_spawn('/bin/true', ['true'], {})
__import__('os').symlink('/nowhere', '/tmp/nothing')
__import__('subprocess').run(['true'])
""".strip().splitlines()


async def test_what_is_told_as_tried_outside_and_not_let_is_what_has_failed(program: Program) -> None:
    for call in INSIDE:
        result = await program.ask(call)
        assert (result.status, result.effects) == ("ok", []), (call, result)
    for call in OUTSIDE:
        result = await program.ask(call)
        assert result.status == "raised", (call, result)
        assert result.effects, (call, result)


async def test_the_program_has_kept_nothing_of_all_this(program: Program) -> None:
    assert await program.at.finish() == f"{BEGIN}{END}"
