"""The tool `definition` over a program that has failed in this process; the language server is played by the test."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.language.language_messages import LanguageServerError, Position, SourceLine, Workspace
from dap_ai.agent.language.language_servers import NO_ANSWER
from dap_ai.agent.source.source_file import SourceFile, Sources
from dap_ai.agent.tools.base import ToolContext, ToolResult
from dap_ai.agent.tools.definition import MAX_WHOLE_LINES, definition, excerpt
from dap_ai.agent.tools.symbols import columns_of, symbol_of
from dap_ai.protocol.contracts.tool_arguments import DefinitionArguments
from dap_ai.protocol.wire.safe import as_it_is
from tests.patience import patient
from tests.unit.agent.harness import Stopped, case_of, fail

PROGRAM = """\
import functools


@functools.cache
def total(count):
    return sum(range(count))


class Cart:
    def pay(self):
        return [][total(3)]


print("total", total(2), end="")
Cart().pay()
"""


@dataclass
class Played:
    """A language server that knows what it is told, by column."""

    known: dict[int, list[SourceLine]] = field(default_factory=dict)
    error: str = ""
    asked: list[Position] = field(default_factory=list)
    workspace: Workspace | None = None

    def of(self, family: str, root: str) -> Played:
        del family, root
        return self

    async def definitions(self, position: Position) -> list[SourceLine]:
        self.asked.append(position)
        if self.error:
            raise LanguageServerError(self.error)
        return self.known.get(position.column, [])


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.fixture
def stopped(program: Path) -> Stopped:
    return fail(program)


def use(stopped: Stopped, played: Played | None, file: str, line: int, symbol: str) -> ToolResult:
    async def work() -> ToolResult:
        assert stopped.stop is not None
        case = await StopReader(stopped, Sources(), "compute").read(stopped.stop)
        bench = ToolContext(stopped, case, as_it_is, language=played)  # type: ignore[arg-type]
        return await definition.run(bench, DefinitionArguments(file, line, symbol))

    return asyncio.run(work())


# -- where the symbol stands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "symbol", "columns"),
    [
        ("x = total(3)", "total", [4]),
        ("subtotal = total + total", "total", [11, 19]),
        ("cart.items.pay()", "cart.items.pay", [11]),
        ("cart . pay()", "cart.pay", [7]),
        ("self.pay(); cart.pay()", "cart.pay", [17, 5]),
        ("acct.withdraw(5)", "Account.withdraw", [5]),
        ("größe(naïve)", "naïve", [6]),
        ("x = totals", "total", []),
        ("", "total", []),
    ],
)
def test_the_column_is_that_of_a_dotted_symbols_last_part(text: str, symbol: str, columns: list[int]):
    assert columns_of(text, symbol) == columns


def test_a_symbol_that_is_not_on_the_line_is_told_with_the_line_and_where_it_stands(stopped: Stopped):
    result = use(stopped, Played(), "shop.py", 10, "total")
    assert result.failed
    assert result.text == "`total` is not on `shop.py:10`: `def pay(self):`. It stands on line 5, 11, 14."


def test_a_symbol_that_stands_nowhere_is_told_so(stopped: Stopped):
    result = use(stopped, Played(), "shop.py", 10, "refund")
    assert result.failed
    assert "nor anywhere else in this file" in result.text


@pytest.mark.parametrize("symbol", ["", "3 + 4", "()"])
def test_what_is_no_name_is_refused_without_asking(stopped: Stopped, symbol: str):
    played = Played()
    assert use(stopped, played, "shop.py", 11, symbol).failed
    assert played.asked == []


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("total", "total"),
        ("total(f(3), x)", "total"),
        ("cart.items[f(0)].pay(3)", "cart.items.pay"),
        ("super().__init__()", "super.__init__"),
        ("cart . pay", "cart.pay"),
        ("3 + 4", ""),
        ("total(", ""),
    ],
)
def test_a_symbol_is_the_name_without_calls_and_subscripts(text: str, symbol: str):
    assert symbol_of(text) == symbol


def test_an_empty_line_is_told_as_empty(stopped: Stopped):
    assert "is not on `shop.py:2`, which is empty. It stands on" in use(stopped, Played(), "shop.py", 2, "total").text


def test_a_line_beyond_the_file_is_refused(stopped: Stopped):
    result = use(stopped, Played(), "shop.py", 99, "total")
    assert result.failed
    assert "has no line 99: it has 15" in result.text


def test_a_call_is_looked_up_by_its_name(stopped: Stopped, program: Path):
    played = Played({18: [SourceLine(str(program), 5)]})
    assert not use(stopped, played, "shop.py", 11, "total(3)").failed
    assert [(position.line, position.column) for position in played.asked] == [(11, 18)]


def test_an_occurrence_in_a_string_gives_way_to_the_next(stopped: Stopped, program: Path):
    played = Played({15: [SourceLine(str(program), 5)]})
    assert "`shop.py:5`" in use(stopped, played, "shop.py", 14, "total").text
    assert [position.column for position in played.asked] == [7, 15]


# -- what is told ---------------------------------------------------------------------------------------------------


def test_a_function_is_shown_whole_with_its_decorators(stopped: Stopped, program: Path):
    result = use(stopped, Played({18: [SourceLine(str(program), 5)]}), "shop.py", 11, "total")
    assert result.text.startswith("`total` at `shop.py:11` is defined at `shop.py:5`:\n\n```text\n")
    assert [line.strip(" >").split()[0] for line in result.text.splitlines()[3:-1]] == ["4", "5", "6"]
    assert result.data == [{"file": str(program), "line": 5}]


def test_a_long_function_is_cut_and_counted():
    source = SourceFile("long.py", "def f():\n" + "    x = 1\n" * 60)
    rows = excerpt(source, 1).splitlines()
    assert len(rows) == MAX_WHOLE_LINES + 1
    assert rows[-1].endswith("21 more lines")


def test_anything_else_is_shown_with_three_lines_around_it():
    source = SourceFile("names.py", "".join(f"name_{n} = {n}\n" for n in range(1, 21)))
    assert [row.split()[-1] for row in excerpt(source, 10).splitlines()] == [str(n) for n in range(7, 14)]


def test_a_definition_in_a_file_that_does_not_parse_is_shown_with_the_lines_around_it():
    source = SourceFile("broken.py", "def f():\n    return 1\n\nif (\n")
    assert "return 1" in excerpt(source, 1)


def test_several_definitions_are_listed(stopped: Stopped, program: Path):
    found = [SourceLine(str(program), 5), SourceLine(str(program), 9)]
    text = use(stopped, Played({18: found}), "shop.py", 11, "total").text
    assert text.startswith("`total` at `shop.py:11` has 2 definitions:\n\n`shop.py:5`:")
    assert "`shop.py:9`:" in text


def test_a_definition_outside_of_the_roots_is_named_and_not_shown(
    stopped: Stopped, tmp_path_factory: pytest.TempPathFactory
):
    outside = tmp_path_factory.mktemp("outside") / "private.py"
    outside.write_text("password = 'hunter2'\n", encoding="utf-8")
    text = use(stopped, Played({18: [SourceLine(str(outside), 1)]}), "shop.py", 11, "total").text
    assert "private.py:1` (not shown: " in text
    assert "hunter2" not in text


def test_a_link_in_a_folder_named_like_a_librarys_is_not_followed_out(
    stopped: Stopped, program: Path, tmp_path_factory: pytest.TempPathFactory
):
    outside = tmp_path_factory.mktemp("outside") / "private.py"
    outside.write_text("password = 'hunter2'\n", encoding="utf-8")
    link = program.parent / "site-packages" / "private.py"
    link.parent.mkdir()
    link.symlink_to(outside)
    assert "hunter2" not in use(stopped, Played({18: [SourceLine(str(link), 1)]}), "shop.py", 11, "total").text


def test_a_librarys_source_is_shown(stopped: Stopped):
    played = Played({18: [SourceLine(textwrap.__file__, 1)]})
    assert "```text" in use(stopped, played, "shop.py", 11, "total").text


def test_what_nobody_knows_is_told_with_what_to_do_instead(stopped: Stopped):
    text = use(stopped, Played(), "shop.py", 11, "total").text
    assert "is defined nowhere that the language server knows" in text
    assert "`search`" in text


def test_a_language_server_that_gives_no_answer_is_told_and_why(stopped: Stopped):
    result = use(stopped, Played(error=f"{NO_ANSWER} within 5 s"), "shop.py", 11, "total")
    assert result.failed
    assert f"because {NO_ANSWER} within 5 s" in result.text


# -- what it needs --------------------------------------------------------------------------------------------------


def test_names_are_looked_up_in_the_programs_folder_with_its_interpreter_and_import_path(
    stopped: Stopped, program: Path
):
    program.write_text("import sys\n" + PROGRAM, encoding="utf-8")
    played = Played()
    use(fail(program), played, "shop.py", 12, "total")
    assert played.workspace is not None
    assert played.workspace.root == str(program.parent)
    assert played.workspace.python == sys.executable
    assert set(played.workspace.import_path) >= {path for path in sys.path if Path(path).is_absolute()}


@pytest.mark.parametrize("executable", ["/bin/sh", "relative/python", "/no/such/python3", ""])
def test_what_is_no_python_is_never_started(program: Path, executable: str):
    program.write_text(f"class sys:\n    executable = {executable!r}\n    path = []\n{PROGRAM}", encoding="utf-8")
    played = Played()
    use(fail(program), played, "shop.py", 14, "total")
    assert played.workspace is not None
    assert played.workspace.python == ""


def test_without_a_language_server_it_is_not_offered_and_says_so(stopped: Stopped, monkeypatch: pytest.MonkeyPatch):
    bench = ToolContext(stopped, case_of(stopped), as_it_is, language=Played())  # type: ignore[arg-type]
    assert definition.is_offered(bench)
    monkeypatch.setattr("dap_ai.agent.tools.definition.is_installed", lambda: False)
    assert not definition.is_offered(bench)
    result = use(stopped, Played(), "shop.py", 11, "total")
    assert result.failed
    assert "There is no language server here" in result.text


def test_an_agent_loads_nothing_of_it_before_the_first_question():
    code = (
        "import sys; from dap_ai.agent.session_agent import SessionAgent as Agent; from dap_ai.settings.configuration import Settings; Agent(Settings());"
        "print([n for n in sys.modules if n.split('.')[0] in ('pygls', 'lsprotocol', 'jedi', 'cattrs')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=patient(30), check=True)
    assert done.stdout.strip() == "[]"
