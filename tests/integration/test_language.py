"""The real jedi-language-server: what it finds, and what becomes of it when it hangs, dies or is no longer wanted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
import time
import venv
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.agent.language.language_messages import LanguageServerError, Position, SourceLine, Workspace
from dap_ai.agent.language.language_servers import LanguageServer
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.integration.live import live
from tests.patience import at_worst, patient
from tests.processes import command_line

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(30.0)
NO_SIGSTOP = pytest.mark.skipif(sys.platform == "win32", reason="nothing can be stopped so")
MAIN = "import shop\n\nprint(shop.total([1]))\nshop.Cart().pay()\n"
SHOP = "def total(prices):\n    return sum(prices)\n\n\nclass Cart:\n    def pay(self):\n        return 0\n"
Find = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of two modules."""
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    return tmp_path


@contextlib.asynccontextmanager
async def serving(folder: Path, python: str = "", **timeouts_s: float) -> AsyncIterator[LanguageServer]:
    language = LanguageServer(**timeouts_s)
    language.workspace = Workspace(str(folder), python)
    try:
        yield language
    finally:
        await asyncio.wait_for(language.close(), WAIT_S)


def at(path: Path, line: int, name: str) -> Position:
    text = path.read_text(encoding="utf-8")
    return Position(str(path), text, line, text.splitlines()[line - 1].index(name))


async def find(language: LanguageServer, path: Path, line: int, name: str) -> list[SourceLine]:
    return await asyncio.wait_for(language.definitions(at(path, line, name)), WAIT_S)


def processes(root: psutil.Process | None = None) -> list[psutil.Process]:
    """The language servers that this process runs, and what they have started."""
    own = [p for p in (root or psutil.Process()).children() if "jedi_language_server" in " ".join(command_line(p))]
    return [*own, *(child for each in own for child in each.children(recursive=True))]


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


async def stop(language: LanguageServer, path: Path) -> psutil.Process:
    """The process of a language server, in which nothing moves any more."""
    await find(language, path, 3, "total")
    process = processes()[0]
    process.suspend()
    return process


# -- what it finds --------------------------------------------------------------------------------------------------


async def test_names_of_several_open_files_are_found_whatever_stands_around_them(folder: Path):
    """By one server: a start takes longer than all that it is asked."""
    in_shop = folder / "shop.py"
    texts = {
        "wide.py": "import shop\n\nprint('\U0001f600é', shop.total([1]))\n",  # a column counts characters, not code units
        "broken.py": MAIN + "\nif (\n",
        "other.py": "from shop import Cart\n\nCart().pay()\n",
        "nowhere.py": "print(unknown)\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    async with serving(folder) as language:
        for _ in range(2):  # each keeps its own text
            assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(in_shop), 1)]
            assert await find(language, folder / "main.py", 4, "pay") == [SourceLine(str(in_shop), 6)]
            assert await find(language, folder / "wide.py", 3, "total") == [SourceLine(str(in_shop), 1)]
            assert await find(language, folder / "broken.py", 3, "total") == [SourceLine(str(in_shop), 1)]
            assert await find(language, folder / "other.py", 3, "Cart") == [SourceLine(str(in_shop), 5)]
            assert await find(language, folder / "nowhere.py", 1, "unknown") == []


async def test_files_that_have_changed_are_read_as_they_are_now(folder: Path):
    async with serving(folder) as language:
        await find(language, folder / "main.py", 3, "total")
        (folder / "shop.py").write_text("import os\n\n\n" + SHOP, encoding="utf-8")
        assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(folder / "shop.py"), 4)]
        (folder / "main.py").write_text("def total(x):\n    return x\n\n\ntotal(1)\n", encoding="utf-8")
        assert await find(language, folder / "main.py", 5, "total") == [SourceLine(str(folder / "main.py"), 1)]


async def test_a_library_of_the_debuggees_virtual_environment_is_found(folder: Path, tmp_path_factory: Any):
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=sys.platform != "win32")
    context = venv.EnvBuilder().ensure_directories(home)
    version = "python{}.{}".format(*sys.version_info)
    packages = home / ("Lib" if sys.platform == "win32" else f"lib/{version}") / "site-packages"
    (packages / "parcels_of_here.py").write_text("\n\ndef weigh(parcel):\n    return 1\n", encoding="utf-8")
    (folder / "main.py").write_text("import parcels_of_here\n\nparcels_of_here.weigh(1)\n", encoding="utf-8")
    async with serving(folder, context.env_exe) as language:
        assert await find(language, folder / "main.py", 3, "weigh") == [
            SourceLine(str(packages / "parcels_of_here.py"), 3)
        ]


async def test_an_interpreter_that_cannot_be_asked_is_done_without(folder: Path):
    broken = folder / "python3"
    broken.write_text("#!/bin/false\n", encoding="utf-8")
    broken.chmod(0o755)
    async with serving(folder, str(broken)) as language:
        assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(folder / "shop.py"), 1)]


async def test_a_folder_of_the_import_path_is_looked_at(folder: Path, tmp_path_factory: Any):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "couriers.py").write_text("RATE = 3\n", encoding="utf-8")
    (folder / "main.py").write_text("from couriers import RATE\n", encoding="utf-8")
    async with serving(folder) as language:
        language.workspace = Workspace(str(folder), import_path=(str(elsewhere),))
        assert await find(language, folder / "main.py", 1, "RATE") == [SourceLine(str(elsewhere / "couriers.py"), 1)]


async def test_no_module_of_the_workspace_is_imported_and_no_file_is_written_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("jedi_language_server", "json", "pygls", "sitecustomize"):
        (folder / f"{name}.py").write_text("open('imported', 'w').close()\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    before = files(folder)
    async with serving(folder, sys.executable) as language:
        assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(folder / "shop.py"), 1)]
    assert files(folder) == before


# -- what becomes of it ---------------------------------------------------------------------------------------------


async def test_killed_it_is_started_once_more_and_then_refuses(folder: Path):
    async with serving(folder) as language:
        for _ in range(2):
            assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(folder / "shop.py"), 1)]
            psutil.wait_procs([each for each in processes() if not each.kill()], WAIT_S)
        with pytest.raises(LanguageServerError, match="not started again"):
            await find(language, folder / "main.py", 3, "total")
        assert not processes()


@NO_SIGSTOP
async def test_killed_in_the_middle_of_a_question_it_is_started_again_and_answers(folder: Path):
    async with serving(folder) as language:
        process = await stop(language, folder / "main.py")
        asked = asyncio.ensure_future(find(language, folder / "main.py", 4, "pay"))
        await asyncio.wait({asked}, timeout=0.2)
        process.kill()
        assert await asked == [SourceLine(str(folder / "shop.py"), 6)]


@NO_SIGSTOP
async def test_hanging_it_is_ended_and_the_next_question_answered_by_another(folder: Path):
    async with serving(folder) as language:
        await find(language, folder / "main.py", 3, "total")
        language._timeout_s = 0.3
        process = await stop(language, folder / "main.py")
        began = time.monotonic()
        with pytest.raises(LanguageServerError, match=r"did not answer within 0\.3 s"):
            await find(language, folder / "main.py", 4, "pay")
        assert time.monotonic() - began < patient(2)
        assert not process.is_running()
        language._timeout_s = WAIT_S
        assert await find(language, folder / "main.py", 4, "pay") == [SourceLine(str(folder / "shop.py"), 6)]


@NO_SIGSTOP
async def test_a_question_that_is_cancelled_leaves_it_to_the_next(folder: Path):
    async with serving(folder) as language:
        process = await stop(language, folder / "main.py")
        asked = asyncio.ensure_future(find(language, folder / "main.py", 4, "pay"))
        await asyncio.wait({asked}, timeout=0.2)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        process.resume()
        assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(folder / "shop.py"), 1)]
        assert processes()[0] == process


async def test_a_question_that_is_cancelled_while_it_starts_leaves_it_to_the_next(folder: Path):
    async with serving(folder) as language:
        asked = asyncio.ensure_future(find(language, folder / "main.py", 4, "pay"))
        while not processes():
            await asyncio.sleep(0.01)
        process = processes()[0]
        asked.cancel()
        assert await find(language, folder / "main.py", 3, "total") == [SourceLine(str(folder / "shop.py"), 1)]
        assert processes()[0] == process


@NO_SIGSTOP
async def test_a_question_that_is_cancelled_while_a_hanging_one_is_ended_leaves_none(folder: Path):
    async with serving(folder) as language:
        process = await stop(language, folder / "main.py")
        language._timeout_s = 0.1
        asked = asyncio.ensure_future(find(language, folder / "main.py", 4, "pay"))
        await asyncio.wait({asked}, timeout=patient(0.3))
        asked.cancel()
        await asyncio.wait({asked})
        language._timeout_s = WAIT_S
        assert await find(language, folder / "main.py", 4, "pay") == [SourceLine(str(folder / "shop.py"), 6)]
        assert psutil.wait_procs([process], WAIT_S)[1] == []


async def test_two_questions_at_once_start_one(folder: Path):
    async with serving(folder) as language:
        found = await asyncio.gather(
            find(language, folder / "main.py", 3, "total"), find(language, folder / "main.py", 4, "pay")
        )
        assert [spots[0].line for spots in found] == [1, 6]
        assert len([p for p in psutil.Process().children() if p in processes()]) == 1


async def test_closed_it_leaves_no_process_and_refuses(folder: Path):
    async with serving(folder, sys.executable) as language:
        await find(language, folder / "main.py", 3, "total")
        left = processes()
    assert psutil.wait_procs(left, WAIT_S)[1] == []
    with pytest.raises(LanguageServerError, match="not started again"):
        await find(language, folder / "main.py", 3, "total")


async def test_closed_while_it_starts_it_leaves_no_process(folder: Path):
    async with serving(folder) as language:
        asked = asyncio.ensure_future(find(language, folder / "main.py", 3, "total"))
        while not processes():
            await asyncio.sleep(0.01)
        left = processes()
    await asyncio.wait({asked})
    assert psutil.wait_procs(left, WAIT_S)[1] == []


async def test_one_that_is_too_slow_to_start_is_ended(folder: Path):
    async with serving(folder, start_timeout_s=0.01) as language:
        with pytest.raises(LanguageServerError, match="did not start"):
            await find(language, folder / "main.py", 3, "total")
        assert not processes()


@NO_SIGSTOP
async def test_when_the_process_that_started_it_is_killed_it_ends(folder: Path):
    code = f"""
import asyncio, sys
from dap_ai.agent.language.language_servers import LanguageServer
from dap_ai.agent.language.language_messages import Position, Workspace

async def main():
    language = LanguageServer()
    language.workspace = Workspace({str(folder)!r}, sys.executable)
    await language.definitions(Position({str(folder / "main.py")!r}, {MAIN!r}, 3, 11))
    print("found", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip() == b"found"
        left = processes(psutil.Process(parent.pid))
        parent.send_signal(signal.SIGKILL)
    assert len(left) == 2  # the language server, and jedi in the debuggee's interpreter
    assert psutil.wait_procs(left, WAIT_S)[1] == []


# -- in a session ---------------------------------------------------------------------------------------------------


async def test_the_tool_answers_about_a_program_that_debugpy_has_stopped(debuggee: Find):
    program = debuggee("chained")
    text = program.path.read_text(encoding="utf-8").splitlines()
    line, name = next((n, t) for n, t in enumerate(text, 1) if t.startswith("def "))
    name = name.split("(")[0].removeprefix("def ")
    calling = next(n for n, t in enumerate(text, 1) if f"{name}(" in t and n != line)
    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(program.path)
        await session.stopped()
        arguments = {"file": program.path.name, "line": calling, "symbol": name}
        await session.request("askTool", {"name": "definition", "arguments": arguments})
        ended = await session.event("askEnded", "dapAi.askEnded")
        assert f"{program.path.name}:{line}" in ended["answer"]
        left = processes()
        assert left
    assert psutil.wait_procs(left, WAIT_S)[1] == []
