"""`code`, `definition` and `type` over a native program; the debugger and the language server are played by the test."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.case.source_roots import UnreadableFileError, roots_of
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.language.language_messages import LanguageServerError, Position, SourceLine, Workspace
from dap_ai.agent.language.language_servers import NO_ANSWER
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools import definition_lookup
from dap_ai.agent.tools.base import ToolContext, ToolResult
from dap_ai.agent.tools.source_tools import source
from dap_ai.agent.tools.symbols import columns_of, place_of, symbol_of, type_name
from dap_ai.agent.tools.tool_table import every_tool
from dap_ai.protocol.contracts.inspection import Binary, ExpressionResult, Field, FrameFacts, Inspection, Query, Value
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.contracts.tool_arguments import (
    CodeArguments,
    DefinitionArguments,
    SourceArguments,
    ToolArguments,
    TypeArguments,
)
from dap_ai.protocol.wire.safe import as_it_is

TOOLS = every_tool()

MAIN = """\
#include "order.h"
int main(void)
{
    struct order *first = make(3);
    return total(first->next);
}
"""
ORDER = "struct order {\n    int price;\n    struct order *next;\n};\nint total(const struct order *first);\n"
TOTAL = '#include "order.h"\nint total(const struct order *first)\n{\n    return first->price;\n}\n'
POINTER = Value("0x10 -> {...}", "order *", "pointer", fields=[Field("price", "3", "int")])


@dataclass
class Played:
    """A language server that knows what it is told, by line."""

    known: dict[int, list[SourceLine]] = field(default_factory=dict)
    error: str = ""
    learnt: dict[str, list[SourceLine]] = field(default_factory=dict)
    """What it knows once it has read a file."""
    said: str = ""
    workspace: Workspace | None = None

    def of(self, family: str, root: str) -> Played:
        del family, root
        return self

    async def definitions(self, position: Position) -> list[SourceLine]:
        if self.error:
            raise LanguageServerError(self.error)
        return self.known.get(position.line, [])

    types = definitions

    async def about(self, position: Position) -> str:
        del position
        return self.said

    async def learn(self, position: Position) -> None:
        if position.path in self.learnt:
            self.known = dict.fromkeys(self.known, self.learnt[position.path])


@dataclass
class Values:
    """A debugger that knows values by their nodes' last name."""

    known: dict[str, Value] = field(default_factory=dict)
    can_inspect: bool = True

    async def inspect(self, query: Query) -> Inspection:
        facts = [
            ExpressionResult(value)
            if (value := self.known.get(str(node[-1])))
            else ExpressionResult(error="missing", text="not bound")
            for node in query.frames[0].expressions
        ]
        return Inspection([FrameFacts(1, "main", "", 5, values=facts)])


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition_lookup, "why_not_installed", lambda family: "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"order.h": ORDER, "total.c": TOTAL, "main.c": MAIN, "Makefile": ""}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def bench_in(folder: Path, played: Played | None = None, **known: Value) -> ToolContext:
    frame, sources = StackFrame(1, "main", str(folder / "main.c"), 5, user=True), Sources()
    place = FramePlace(frame, sources.read(frame.path))
    seen = Inspection([], kind="native", cwd=str(folder))
    case = StopSnapshot(StopEvent(1, 1, None, "exception"), sources, [frame], [place], seen)
    return ToolContext(Values(known), case, as_it_is, language=played)  # type: ignore[arg-type]


def use(bench: ToolContext, name: str, arguments: ToolArguments) -> ToolResult:
    async def work() -> ToolResult:
        tool: Any = bench.form(TOOLS[name])
        return await tool.run(bench, await tool.exact(bench, arguments))

    return asyncio.run(work())


# -- symbols --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("order->next", "order->next"),
        ("orders[i].total(3)", "orders.total"),
        ("shop::Stack<int>::push", "shop::Stack::push"),
        ("struct order", "order"),
        ("*first", "first"),
        ("::global", "global"),
        ("vec![1]", "vec"),
        ("std::map<int, std::vector<int>>", "std::map"),
        ("~Stack", "~Stack"),
        ("a + b", ""),
    ],
)
def test_a_native_symbol_is_the_name_in_it(text: str, symbol: str):
    assert symbol_of(text) == symbol


@pytest.mark.parametrize(
    ("text", "symbol", "columns"),
    [
        ("return order->next;", "order->next", [14]),
        ("shop::Stack::push(x)", "Stack::push", [13]),
        ("next(order -> next)", "order->next", [14, 0]),
        ("o->next = 0;", "order->next", [3]),
    ],
)
def test_the_column_is_that_of_a_native_symbols_last_part(text: str, symbol: str, columns: list[int]):
    assert columns_of(text, symbol) == columns


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("const struct order *", "order"),
        ("shop::Order &", "shop::Order"),
        ("std::vector<int>", "std::vector"),
        ("unsigned int", ""),
        ("char *", ""),
        ("order *[4]", "order"),
    ],
)
def test_the_name_of_a_type(text: str, name: str):
    assert type_name(text) == name


@pytest.mark.parametrize(
    ("file", "place"), [("a/b.c:12", ("a/b.c", 12)), ("b.c:12:3", ("b.c", 12)), ("b.c", ("b.c", 0))]
)
def test_a_line_may_stand_behind_the_file(file: str, place: tuple[str, int]):
    assert place_of(file) == place


# -- definition -----------------------------------------------------------------------------------------------------


def test_a_declaration_leads_to_the_definition_in_another_file(folder: Path):
    header, body = SourceLine(str(folder / "order.h"), 5), SourceLine(str(folder / "total.c"), 2)
    played = Played({5: [header]}, learnt={body.path: [body]})
    result = use(bench_in(folder, played), "definition", DefinitionArguments("main.c", 5, "total"))
    assert result.data == [{"file": body.path, "line": 2}]
    assert "return first->price;" in result.text


def test_a_function_asked_of_at_its_own_definition_is_that(folder: Path):
    played = Played({2: [SourceLine(str(folder / "order.h"), 5)]})
    result = use(bench_in(folder, played), "definition", DefinitionArguments("total.c", 2, "total"))
    assert result.data == [{"file": str(folder / "total.c"), "line": 2}]


def test_the_body_of_a_librarys_function_is_not_looked_for(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(definition_lookup, "is_library", lambda path, native: path.endswith("order.h"))
    played = Played({5: [SourceLine(str(folder / "order.h"), 5)]}, learnt={str(folder / "total.c"): []})
    result = use(bench_in(folder, played), "definition", DefinitionArguments("main.c", 5, "total"))
    assert result.data == [{"file": str(folder / "order.h"), "line": 5}]


def test_a_declaration_without_a_definition_is_given_itself(folder: Path):
    (folder / "total.c").unlink()
    played = Played({5: [SourceLine(str(folder / "order.h"), 5)]})
    assert "`order.h:5`" in use(bench_in(folder, played), "definition", DefinitionArguments("main.c", 5, "total")).text


def test_a_member_is_shown_with_its_struct(folder: Path):
    played = Played({5: [SourceLine(str(folder / "order.h"), 3)]})
    rows = use(
        bench_in(folder, played), "definition", DefinitionArguments("main.c:5", 5, "first->next")
    ).text.splitlines()[3:-1]
    assert [row.split()[0] if row[0] == " " else row.split()[1] for row in rows] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("played", "why"),
    [
        (Played(error=f"{NO_ANSWER} within 15 s"), f"{NO_ANSWER} within 15 s"),
        (Played(), "clangd knows of none"),
        (None, "there is no language server here"),
    ],
)
def test_without_an_answer_of_clangd_the_name_is_looked_for_and_the_reader_told(
    folder: Path, played: Played | None, why: str
):
    result = use(bench_in(folder, played), "definition", DefinitionArguments("main.c", 5, "total"))
    assert "`total.c:2`" in result.text
    assert f"Found by its name in the program's files: {why}" in result.text


def test_where_clangd_is_missing_that_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(definition_lookup, "why_not_installed", lambda family: "clangd is not installed")
    text = use(bench_in(folder, Played()), "definition", DefinitionArguments("main.c", 5, "total")).text
    assert "Found by its name in the program's files: clangd is not installed." in text


def test_a_file_with_the_name_of_a_key_is_not_taken_for_one_if_it_is_source(folder: Path):
    (folder / "id_map.c").write_text("int ids;\n", encoding="utf-8")
    assert roots_of(bench_in(folder).case).find("id_map.c") == str(folder / "id_map.c")


# -- code and source ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [CodeArguments("total.c:4"), CodeArguments("total.c", 4)])
def test_code_shows_the_whole_function_by_its_name(folder: Path, arguments: CodeArguments):
    text = use(bench_in(folder), "code", arguments).text
    assert text.startswith("`total`, total.c, lines 2 to 5 of 5 (`>`: line 4):")
    assert ">    4      return first->price;" in text


def test_code_without_a_line_shows_where_the_frame_stands(folder: Path):
    assert ">    5      return total(first->next);" in use(bench_in(folder), "code", CodeArguments("main.c")).text


def test_code_shows_the_struct_that_a_line_stands_in(folder: Path):
    assert use(bench_in(folder), "code", CodeArguments("order.h", 2)).text.startswith(
        "`struct order`, order.h, lines 1 to 4"
    )


def test_code_of_a_long_function_shows_the_lines_around(folder: Path):
    (folder / "long.c").write_text("int f(void)\n{\n" + "    g();\n" * 500 + "}\n", encoding="utf-8")
    assert (
        "(it is long: 1 to 503), long.c, lines 190 to 210 of"
        in use(bench_in(folder), "code", CodeArguments("long.c", 200, 10)).text
    )


def test_code_refuses_a_line_beyond_the_file(folder: Path):
    assert use(bench_in(folder), "code", CodeArguments("main.c", 99)).failed


def test_source_takes_a_line_behind_the_file_too(folder: Path):
    bench = bench_in(folder)
    assert asyncio.run(source.exact(bench, SourceArguments("main.c:5"))) == SourceArguments("main.c", 5)


# -- type -----------------------------------------------------------------------------------------------------------


def test_the_type_of_a_variable_is_told_with_its_members_and_source(folder: Path):
    text = use(bench_in(folder, None, first=POINTER), "type", TypeArguments("first")).text
    assert "`first` is of type `order *`: 0x10 -> {...}" in text
    assert ".price: int = 3" in text
    assert "Defined at `order.h:1`:" in text


def test_a_type_that_the_debugger_does_not_tell_is_read_from_the_source(folder: Path):
    untyped = Value("0x10", "", "pointer")
    text = use(bench_in(folder, None, first=untyped), "type", TypeArguments("first")).text
    assert "`first` is of type `struct order *`" in text


@pytest.mark.parametrize("symbol", ["order", "struct order"])
def test_a_type_is_shown_by_its_name(folder: Path, symbol: str):
    assert "struct order *next;" in use(bench_in(folder), "type", TypeArguments(symbol)).text


def test_of_a_type_the_language_server_is_heard_only_on_what_its_source_does_not_say(folder: Path):
    played = Played(
        {4: [SourceLine(str(folder / "order.h"), 1)]}, said="struct order\n\nSize: 16 bytes\n\nstruct order {}"
    )
    assert use(bench_in(folder, played), "type", TypeArguments("order")).text.startswith(
        "```text\nstruct order\nSize: 16 bytes\n```\n\nDefined at `order.h:1`:"
    )
    played.said = "struct order\n\nstruct order {}"
    assert use(bench_in(folder, played), "type", TypeArguments("order")).text.startswith("Defined at `order.h:1`:")


def test_a_number_has_no_definition(folder: Path):
    text = use(bench_in(folder, None, price=Value("3", "int", "int")), "type", TypeArguments("first->price")).text
    assert text == "`first->price` is of type `int`: 3"


def test_what_is_neither_variable_nor_type_is_told(folder: Path):
    result = use(bench_in(folder), "type", TypeArguments("unknown"))
    assert result.failed
    assert "no variable of this frame" in result.text


# -- which files ----------------------------------------------------------------------------------------------------


def test_a_native_project_is_the_outermost_folder_that_is_built(folder: Path):
    (folder / "source").mkdir()
    (folder / "main.c").rename(folder / "source" / "main.c")
    bench = bench_in(folder)
    bench.case.frames[0].path = str(folder / "source" / "main.c")
    bench.case.inspection.cwd = ""
    assert roots_of(bench.case).workspace == (folder,)


def test_the_folder_of_the_program_is_its_own_and_that_of_an_installed_one_is_not(folder: Path, tmp_path: Path):
    bench = bench_in(folder)
    bench.case.frames, bench.case.places, bench.case.inspection.cwd = [], [], ""
    bench.case.inspection.binary = Binary(str(folder / "program"))
    assert roots_of(bench.case).workspace == (folder,)
    bench.case.inspection.binary = Binary("/usr/bin/program")
    assert roots_of(bench.case).workspace == ()


def test_a_file_elsewhere_is_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory):
    other = tmp_path_factory.mktemp("other") / "secret.c"
    other.write_text("int key;\n", encoding="utf-8")
    with pytest.raises(UnreadableFileError, match="outside"):
        roots_of(bench_in(folder).case).find(str(other))
