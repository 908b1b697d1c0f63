"""The tools that read, over a program that has failed in this process."""

from __future__ import annotations

import asyncio
import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools import source_tools as sources
from dap_ai.agent.tools.base import ToolContext, ToolResult
from dap_ai.agent.tools.tool_table import every_tool, run
from dap_ai.protocol.contracts.inspection import ThreadFacts, ThreadFrame
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.contracts.tool_arguments import TOOLS as ARGUMENTS
from dap_ai.protocol.wire.safe import as_it_is
from tests.unit.agent.harness import Stopped, fail

TOOLS = every_tool()

PROGRAM = """
import json

class Order:
    '''What somebody wants.'''

    def __init__(self, name, lines):
        self.name = name
        self.lines = lines

    @property
    def total(self):
        ran.append("total")
        return sum(self.lines)

    def __len__(self):
        ran.append("len")
        return 3

    def __repr__(self):
        ran.append("repr")
        return "an order"

    def add(self, price, times=2):
        '''Adds lines.'''
        self.lines.extend([price] * times)

class Bare(list):
    pass

def check(orders, by_name, limit=7):
    squares = {n: n * n for n in range(300)}
    odd = {("a", 1): "pair", "k" * 9000: "long", None: "none"}
    letters = set("abc")
    empty = []
    bare = Bare([1, 2])
    text = "hello " * 900
    later = (n for n in orders)
    first = orders[0]
    return squares[len(orders) + limit + 1000]

def outer():
    return json.loads("[1]", object_hook=None) and check(orders, {o.name: o for o in orders})

ran = []
orders = [Order(f"o{n}", [n, n + 1]) for n in range(120)]
outer()
"""


@dataclass
class Session(Stopped):
    """A stop with threads, whose copies print what they are told to."""

    listed: list[dict[str, Any]] = field(default_factory=lambda: [{"id": 1, "name": "MainThread"}])
    facts: list[ThreadFacts] = field(default_factory=list)
    prints: dict[str, str] = field(default_factory=dict)

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if command == "threads":
            return {"threads": self.listed}
        if command == "stackTrace" and arguments["threadId"] != 1:
            return {"stackFrames": []}
        return await super().request(command, arguments)

    async def inspect(self, query: Any) -> Any:
        found = await super().inspect(query)
        if query.threads:
            found.threads = self.facts
        return found

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        text = next(text for part, text in self.prints.items() if part in query.expression)
        return SnapshotResult("ok", printed=text)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "shop.py"
    path.parent.mkdir()
    path.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    return path


@pytest.fixture
def stopped(program: Path) -> Session:
    failed = fail(program)
    return Session(**{f.name: getattr(failed, f.name) for f in fields(failed)})


def use(stopped: Stopped, name: str, **arguments: Any) -> ToolResult:
    async def work() -> ToolResult:
        assert stopped.stop is not None
        bench = ToolContext(stopped, await StopReader(stopped, Sources(), "compute").read(stopped.stop), as_it_is)
        return await run(bench, ARGUMENTS[name](**arguments))

    return asyncio.run(work())


def text(stopped: Stopped, name: str, **arguments: Any) -> str:
    return use(stopped, name, **arguments).text


def what_ran(stopped: Stopped) -> list[str]:
    return stopped.frames[-1][0].f_globals["ran"]


# -- stack, frame, threads -------------------------------------------------------------------------------------------


def test_the_stack_numbers_its_frames_from_the_innermost_on(stopped: Session):
    rows = [row for row in text(stopped, "stack").splitlines() if row.startswith("#")]

    assert [row.split()[:2] for row in rows] == [["#0", "check"], ["#1", "outer"], ["#2", "<module>"]]
    assert rows[0].endswith("<- the question is about it")


def test_library_frames_are_folded_but_counted(stopped: Session):
    library = compile("def f(): pass\nf()", "/x/lib/python3.11/site-packages/lib.py", "exec")
    frame = type("Frame", (), {"f_code": library})()
    stopped.frames[1:1] = [(frame, 1, None)] * 9

    rows = [row for row in text(stopped, "stack").splitlines() if row.startswith("#")]

    assert rows[1] == "#1-9 9 library frames (lib.py <module>)"
    assert rows[2].startswith("#10 outer ")


def test_the_stack_of_a_thread_that_is_not_there_names_those_that_are(stopped: Session):
    result = use(stopped, "stack", thread=7)

    assert (result.failed, result.text) == (True, "There is no thread 7: there are 1.")


def test_the_stack_of_a_thread_that_waits_in_c_is_what_the_inspector_saw(stopped: Session):
    stopped.listed.append({"id": 2, "name": "worker"})
    stopped.facts = [ThreadFacts("worker", 9, frames=[ThreadFrame("work", "/w/shop.py", 4)], waiting="Queue.get")]

    assert "Queue.get (waits there)\nwork /w/shop.py:4" in text(stopped, "stack", thread=2)


def test_a_frame_shows_its_source_with_its_line_marked(stopped: Session):
    shown = text(stopped, "frame")

    assert shown.startswith("#0 check shop.py:")
    assert ">   40      return squares[len(orders) + limit + 1000]" in shown


def test_a_frame_shows_arguments_locals_and_the_parts_of_its_statement(stopped: Session):
    shown = text(stopped, "frame")

    arguments, locals_ = shown.index("Arguments:"), shown.index("Locals:")
    assert arguments < shown.index("limit = 7") < locals_ < shown.index("letters = {")
    assert "len(orders) + limit + 1000 -> 1127" in shown
    assert "squares[len(orders) + limit + 1000] -> raises KeyError: 1127" in shown


def test_a_frame_says_which_calls_were_not_read(stopped: Session):
    shown = text(stopped, "frame", frame=1)

    assert "code of the program would run: `json.loads('[1]', object_hook=None)" in shown


@pytest.mark.parametrize("number", [-1, 3, 10**9])
def test_a_frame_that_there_is_not_names_those_that_there_are(stopped: Session, number: int):
    result = use(stopped, "frame", frame=number)

    assert (result.failed, "the stack has the frames 0 to 2" in result.text) == (True, True)


def test_a_frame_in_a_long_function_shows_a_window_of_it(tmp_path: Path):
    path = tmp_path / "long.py"
    path.write_text("def f():\n" + "    x = 1\n" * 300 + "    1 / 0\n" + "    y = 1\n" * 300 + "f()\n")

    shown = text(fail(path), "frame", frame=0)

    assert "def f():\n  ...\n   262      x = 1" in shown
    assert "... 280 more lines" in shown


def test_threads_tell_where_each_is_and_what_it_waits_for(stopped: Session):
    stopped.listed += [{"id": n, "name": "worker"} for n in (2, 3)] + [{"id": 4, "name": "native"}]
    waits = ThreadFacts("worker", 9, frames=[ThreadFrame("work", "/w/shop.py", 4)], waiting="Queue.get", daemon=True)
    stopped.facts = [waits, waits, ThreadFacts("MainThread", 1, current=True)]

    assert text(stopped, "threads").splitlines()[1:-1] == [
        "1 MainThread: in code of a library <- 1 stopped here",
        "2, 3 worker: work /w/shop.py:4, waits in Queue.get, daemon (x 2)",
        "4 native: no frame is known",
    ]


# -- variables -------------------------------------------------------------------------------------------------------


def test_variables_lists_the_names_of_the_frame_page_by_page(stopped: Session):
    shown = text(stopped, "variables", start=2, count=2).splitlines()

    assert shown[0] == "Names in `check`, 3 to 4 of 11:"
    assert [row.split(" = ")[0] for row in shown[3:5]] == ["limit", "squares"]
    assert shown[5] == "... 7 more (`start`: 4)"


@pytest.mark.parametrize(
    ("expression", "start", "rows"),
    [
        ("orders", 119, ["[119] <Order name='o119' lines=[119, 120]> (not read: total (property)) [__main__.Order]"]),
        ("squares", 298, ["[298] 88804", "[299] 89401"]),
        ("range(5, 9)", 2, ["[2] 7", "[3] 8"]),
        ("bare", 0, ["[0] 1", "[1] 2"]),
        ("first", 1, [".lines = [0, 1] [list]"]),
        ("orders[3].lines", 0, ["[0] 3", "[1] 4"]),
        ("orders[3].lines  # of the third", 0, ["[0] 3", "[1] 4"]),
    ],
)
def test_variables_lists_the_parts_of_a_value_page_by_page(
    stopped: Session, expression: str, start: int, rows: list[str]
):
    shown = text(stopped, "variables", expression=expression, start=start, count=2)

    assert shown.splitlines()[3:-1] == rows


def test_no_code_of_the_program_runs_when_its_values_are_listed(stopped: Session):
    before = list(what_ran(stopped))

    for expression in ("", "orders", "first", "by_name", "later", "first.total", "first.lines"):
        use(stopped, "variables", expression=expression)
    use(stopped, "info", symbol="first")
    use(stopped, "frame")

    assert what_ran(stopped) == before


def test_keys_that_are_no_short_literals_have_their_values_too(stopped: Session):
    rows = text(stopped, "variables", expression="odd").splitlines()[3:-1]

    assert [row.rsplit("] ", 1)[1] for row in rows] == ["'pair'", "'long'", "'none'"]


def test_the_members_of_a_set_are_listed(stopped: Session):
    rows = text(stopped, "variables", expression="letters").splitlines()[3:-1]

    assert sorted(rows) == ["- 'a'", "- 'b'", "- 'c'"]


def test_a_generator_is_not_used_up(stopped: Session):
    use(stopped, "variables", expression="later")
    assert "was not read" in text(stopped, "variables", expression="list(later)")

    assert next(stopped.frames[0][0].f_locals["later"]).name == "o0"


@pytest.mark.parametrize(
    ("expression", "start", "words"),
    [
        ("orders", 500, "has 120 parts: `start` 500 is past the end."),
        ("empty", 0, "is empty."),
        ("nothing", 0, "there is no name `nothing` here"),
        ("first.total", 0, "`evaluate` reads it in a copy"),
        ("import os", 0, "not a Python expression"),
        ("len(", 0, "not a Python expression"),
    ],
)
def test_where_there_is_nothing_to_list_the_reason_is_told(stopped: Session, expression: str, start: int, words: str):
    assert words in text(stopped, "variables", expression=expression, start=start)


def test_a_value_without_parts_is_told_whole(stopped: Session):
    assert text(stopped, "variables", expression="text").count("hello") > 600


def test_variables_of_another_frame_are_read_there(stopped: Session):
    assert "`orders`: list, 1 to 1 of 120" in text(stopped, "variables", expression="orders", count=1, frame=2)


def failed_with(tmp_path: Path, *lines: str) -> Session:
    path = tmp_path / "tables.py"
    path.write_text("\n".join([*lines, "1 / 0"]), encoding="utf-8")
    failed = fail(path)
    return Session(**{f.name: getattr(failed, f.name) for f in fields(failed)})


def test_an_array_is_listed_by_rows(tmp_path: Path):
    stopped = failed_with(tmp_path, "import numpy", "a = numpy.arange(12).reshape(4, 3)")

    shown = text(stopped, "variables", expression="a", start=1, count=1)

    assert shown.startswith("`a`: numpy.ndarray, shape 4x3 int64, 2 to 2 of 4:")
    assert "[1] array([3, 4, 5], int64)" in shown


def test_a_frame_of_data_is_listed_by_rows_and_nothing_is_copied(tmp_path: Path):
    stopped = failed_with(tmp_path, "import pandas", "d = pandas.DataFrame({'a': range(90), 'b': 1.5})")

    shown = text(stopped, "variables", expression="d", start=10, count=10)

    assert "Columns: 'a', 'b'" in shown
    assert "10  10  1.5\n11  11  1.5\n" in shown
    assert "19  19  1.5\n... 70 more rows\n" in shown


def test_without_a_inspector_names_and_values_come_from_the_debug_adapter(stopped: Session):
    stopped.can_inspect = False

    assert "limit = 7 [int]" in text(stopped, "variables")
    assert "only names, attributes and subscripts" in text(stopped, "variables", expression="limit + 1")
    assert "lists no gone there" in text(stopped, "variables", expression="gone.x")
    assert "#1 outer" in text(stopped, "stack")
    assert "limit = 7 [int]" in text(stopped, "frame")


class Tree(Session):
    """Values as a debug adapter lists them: a number, or the parts that stand behind one."""

    tree: dict[int, list[dict[str, Any]]]

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if command == "variables":
            return {"variables": self.tree.get(arguments["variablesReference"], [])}
        return await super().request(command, arguments)


@pytest.mark.parametrize("expression", ["shop.orders[1]", "shop.orders[1].price"])
def test_without_a_inspector_parts_of_values_are_listed_step_by_step(stopped: Session, expression: str):
    tree = Tree(**{f.name: getattr(stopped, f.name) for f in fields(stopped)})
    tree.can_inspect = False
    tree.tree = {
        1: [{"name": "shop", "value": "Shop", "variablesReference": 11}],
        11: [{"name": "orders", "value": "list", "variablesReference": 12}],
        12: [{"name": "[0]", "value": "a"}, {"name": "[1]", "value": "b", "variablesReference": 13}],
        13: [{"name": "price", "value": "9", "type": "int", "variablesReference": 0}],
    }

    assert "price = 9 [int]" in text(tree, "variables", expression=expression)


# -- source, search, info --------------------------------------------------------------------------------------------


def test_source_shows_numbered_lines_around_a_line(stopped: Session):
    shown = text(stopped, "source", file="shop.py", line=39, window=4)

    assert shown.startswith("shop.py, lines 37 to 40 of 47 (`>`: a frame of the stack stands at line 40):")
    assert ">   40      return squares" in shown


@pytest.mark.parametrize(("line", "lines"), [(1, "lines 1 to 10 of 47"), (47, "lines 38 to 47 of 47")])
def test_the_window_stays_within_the_file(stopped: Session, line: int, lines: str):
    assert lines in text(stopped, "source", file="shop.py", line=line, window=10)


@pytest.mark.parametrize(
    ("file", "words"),
    [("shop.py", "has no line 900: it has 47"), ("gone.py", "no file gone.py"), ("/etc/group", "is outside")],
)
def test_source_that_is_not_shown_tells_why(stopped: Session, file: str, words: str):
    result = use(stopped, "source", file=file, line=900)

    assert (result.failed, words in result.text) == (True, True)


def test_the_source_of_a_library_is_read_where_the_program_would_import_it(stopped: Session):
    stopped.why_no_snapshot, stopped.prints = "", {"sys').path": str(Path(textwrap.__file__).parent)}

    assert "lines 1 to 3 of" in text(stopped, "source", file="json/decoder.py", window=3)


def test_a_file_that_is_not_utf_8_is_shown(stopped: Session, program: Path):
    program.with_name("old.py").write_bytes(b"# -*- coding: latin-1 -*-\nname = 'Ren\xe9'\n")
    program.with_name("bad.txt").write_bytes(b"first\nRen\xe9\n")

    assert "'René'" in text(stopped, "source", file="old.py")
    assert "Ren\N{REPLACEMENT CHARACTER}" in text(stopped, "source", file="bad.txt")


def test_source_of_text_that_holds_a_fence_stays_in_its_block(stopped: Session, program: Path):
    program.with_name("doc.md").write_text("```\nout\n```\n")

    assert text(stopped, "source", file="doc.md").endswith("\n````")


def test_search_tells_file_line_and_text(stopped: Session, program: Path):
    program.with_name("prices.py").write_text("x = 1\n\nVAT = 0.19  # the rate\n")

    assert text(stopped, "search", text="VAT =").splitlines()[3] == "prices.py:3: VAT = 0.19  # the rate"


def test_search_ignores_case_only_where_nothing_stands_as_written(stopped: Session, program: Path):
    program.with_name("prices.py").write_text("VAT = 1\nvat = 2\n")

    assert "prices.py:1" not in text(stopped, "search", text="vat =")
    assert "2 lines in 2 files, in other capitals." in text(stopped, "search", text="Vat =")


def test_search_is_no_pattern(stopped: Session):
    assert "does not stand in" in text(stopped, "search", text="Ord.r")
    assert "squares[len(orders)" in text(stopped, "search", text="squares[len(")


def test_search_keeps_to_the_files_that_are_named(stopped: Session, program: Path):
    program.with_name("notes.txt").write_text("class Order\n")

    assert "shop.py" not in text(stopped, "search", text="class Order", files=".txt")


@pytest.mark.parametrize("files", ["*.py", ".py", "shop.py", "work/shop.py"])
def test_the_files_of_a_search_are_named_by_the_end_of_their_paths(stopped: Session, files: str):
    assert "class Order" in text(stopped, "search", text="class Order", files=files)


def test_search_looks_into_a_library_file_that_is_named(stopped: Session):
    stopped.why_no_snapshot, stopped.prints = "", {"sys').path": str(Path(textwrap.__file__).parent)}

    assert "json/decoder.py:" in text(stopped, "search", text="def raw_decode", files="json/decoder.py")


def test_search_finds_nothing_in_what_may_not_be_read(stopped: Session, program: Path):
    for name in (".env", "made.py", "credentials.json"):
        program.with_name(name).write_text("PLANTED = 1\n")
    program.with_name(".gitignore").write_text("made.py\n")
    outside = program.parent.parent / "outside.py"
    outside.write_text("PLANTED = 1\n")
    program.with_name("link.py").symlink_to(outside)

    assert "`PLANTED` does not stand in 2 files." in text(stopped, "search", text="PLANTED")


def test_search_counts_the_matches_that_it_does_not_show(stopped: Session, program: Path):
    program.with_name("many.py").write_text("spam = 1\n" * 500)

    shown = text(stopped, "search", text="spam")

    assert shown.startswith("500 lines in 2 files.")
    assert shown.count("many.py:") == sources.MAX_MATCHES
    assert f"... {500 - sources.MAX_MATCHES} more" in shown


def test_search_shows_the_part_of_a_long_line_where_the_text_stands(stopped: Session, program: Path):
    program.with_name("long.py").write_text("a" * 50_000 + " needle " + "b" * 50_000)

    shown = text(stopped, "search", text="needle")

    assert (" needle " in shown, len(shown) < 400) == (True, True)


@pytest.mark.parametrize("wanted", ["", "  ", "a\nb"])
def test_search_wants_a_text_in_one_line(stopped: Session, wanted: str):
    assert use(stopped, "search", text=wanted).failed


def test_search_leaves_out_large_and_binary_files(stopped: Session, program: Path):
    program.with_name("large.txt").write_text("needle\n" * 200_000)
    program.with_name("image.bin").write_bytes(b"needle\0")

    assert "does not stand in 1 file (1 left out as too large)" in text(stopped, "search", text="needle")


def test_search_ends_in_time_and_says_so(stopped: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dap_ai.agent.case.source_roots.WALK_S", -1.0)

    assert "The search ended before all was seen" in text(stopped, "search", text="x")


@pytest.mark.parametrize(
    ("symbol", "parts"),
    [
        ("check", ["`def check(orders, by_name, limit=7)` at `shop.py:31`", "Defaults now: limit = 7."]),
        ("Order", ["`class Order` at `shop.py:4`", "What somebody wants.", "def add("]),
        ("first.add", ["`def Order.add(self, price, times=2)` at `shop.py:24`", "Adds lines."]),
        ("add", ["`def Order.add(self, price, times=2)`"]),
        ("json.loads", ["`def loads(s, *, cls=None,", "Deserialize"]),
        ("json", ["`json` is `<module json>` at"]),
        ("len", ["written in C"]),
        ("Bare", ["`class Bare(list)` at `shop.py:28`"]),
        ("limit", ["`limit` = 7", "Its type: `<class int>`."]),
        ("first", [".lines = [0, 1] [list]", "`class Order` at `shop.py:4`"]),
        ("nowhere", ["there is no name `nowhere` here", "`search` finds"]),
        ("first.total", ["would run its code", "`evaluate` reads it in a copy"]),
    ],
)
def test_info_tells_what_a_symbol_is(stopped: Session, symbol: str, parts: list[str]):
    stopped.why_no_snapshot, stopped.prints = "", {"sys').path": str(Path(textwrap.__file__).parent)}

    shown = text(stopped, "info", symbol=symbol)

    assert [part for part in parts if part not in shown] == []


def test_info_of_a_library_is_its_docstring_without_its_source(stopped: Session):
    stopped.why_no_snapshot, stopped.prints = "", {"sys').path": str(Path(textwrap.__file__).parent)}

    assert "isinstance(s, str)" not in text(stopped, "info", symbol="json.loads")


# -- output, environment ---------------------------------------------------------------------------------------------


def test_output_tells_the_end_and_counts_what_came_before(stopped: Session):
    stopped.output = [("stdout", "first\n"), ("stderr", "second\n")]

    assert text(stopped, "output", tail=7) == "```text\n... 6 characters before\nsecond\n```"


def test_no_output_is_told(stopped: Session):
    stopped.output = []

    assert "has written nothing" in text(stopped, "output")


ENVIRONMENT = {"PRICE_FILE": "a=b;é", "SHOP_TOKEN": "hush", "DATABASE": "db://me:hush@host/x", "EMPTY": ""}


@pytest.fixture(params=["by the inspector", "in a copy"])
def environment(
    request: pytest.FixtureRequest, tmp_path: Path, stopped: Session, monkeypatch: pytest.MonkeyPatch
) -> Session:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    if request.param == "by the inspector":
        return failed_with(tmp_path, "import os")
    stopped.why_no_snapshot = ""
    stopped.prints = {f"environ['{name}']": f"{value}\n" for name, value in ENVIRONMENT.items()}
    stopped.prints["environ))"] = "\n".join(os.environ)
    return stopped


def test_the_environment_is_told_by_name_alone(environment: Session):
    shown = text(environment, "environment")

    assert set(ENVIRONMENT) <= set(shown.split())
    assert "a=b" not in shown


def test_values_of_the_environment_are_told_where_they_are_asked_for(environment: Session):
    assert text(environment, "environment", names=["PRICE_FILE", "EMPTY", "NOT_THERE"]).splitlines()[1:-1] == [
        "PRICE_FILE=a=b;é",
        "EMPTY=",
        "NOT_THERE is not set",
    ]


def test_secrets_of_the_environment_are_not_told(environment: Session):
    shown = text(environment, "environment", names=["SHOP_TOKEN", "DATABASE"])

    assert "hush" not in shown
    assert "SHOP_TOKEN is set; its value is not told" in shown
    assert "DATABASE=db://...@host/x" in shown


def test_an_environment_that_cannot_be_read_says_what_else_helps(stopped: Session):
    result = use(stopped, "environment")

    assert (result.failed, "no frame has a name for `os`" in result.text) == (True, True)


def test_every_tool_of_the_contract_is_there_in_its_order():
    assert list(TOOLS) == list(ARGUMENTS)
