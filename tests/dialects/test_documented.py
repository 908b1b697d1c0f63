"""The configurations of docs/editors.md, sent by clients that take them from the page itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tests.dialects.dialect import Dialect
from tests.dialects.editor import WAIT_S
from tests.dialects.editors import HELIX, VIMSPECTOR, VS_CODE
from tests.dialects.surroundings import TOKEN, Terminal, over_stdio, over_tcp
from tests.e2e.editors.snippets import snippets
from tests.integration.native import SOURCES, build, lines, lldb_daps

pytestmark = pytest.mark.anyio
Find = Callable[..., Any]


def filled(configuration: dict[str, Any], program: Path) -> dict[str, Any]:
    """With the editor's variables in their places; `build/main` is the program."""
    folder = str(program.parent)
    values = {"file": str(program), "workspaceFolder": folder, "workspaceRoot": folder, "env:DAP_AI_TOKEN": TOKEN}
    text = json.dumps(configuration).replace("/build/main", f"/{program.name}")
    return json.loads(re.sub(r"\$\{([\w:]+)\}", lambda name: json.dumps(values[name[1]])[1:-1], text))


def of_vs_code() -> list[dict[str, Any]]:
    """All configurations of VS Code, in order."""
    pages = [json.loads(code) for code in snippets("VS Code", "json")]
    return [configuration for page in pages for configuration in page.get("configurations", [])]


def of_vimspector(name: str) -> tuple[dict[str, Any], list[str]]:
    """A configuration of Vimspector and the command of its adapter."""
    (page,) = (json.loads(code) for code in snippets("Vim", "json"))
    chosen = page["configurations"][name]
    return chosen, page["adapters"][chosen["adapter"]]["command"]


def of_helix(language: str) -> tuple[dict[str, Any], list[str]]:
    """The launch arguments of a language's first template, and what follows `dap-ai serve`."""
    (page,) = (tomllib.loads(code) for code in snippets("Helix", "toml"))
    (debugger,) = (each["debugger"] for each in page["language"] if each["name"] == language)
    return debugger["templates"][0]["args"], debugger["args"][1:]


async def test_vs_codes_launch_stops_at_an_exception(debuggee: Find):
    program = debuggee("crash").path
    terminal = Terminal()
    async with over_tcp(VS_CODE) as editor:
        editor.reverse["runInTerminal"] = terminal.run
        await editor.start(filled(of_vs_code()[0], program), program, (), ("uncaught",))
        assert (await editor.stop()).reason == "exception"
        await editor.disconnect()
        await terminal.printed()


async def test_vs_codes_attach_stops_where_the_program_fails(debuggee: Find):
    debugged = debuggee("listens")
    waiting = subprocess.Popen(
        [sys.executable, str(debugged.path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert waiting.stdout is not None
        configuration = of_vs_code()[1]
        configuration["connect"]["port"] = int(waiting.stdout.readline().split()[-1])
        async with over_tcp(VS_CODE) as editor:
            await editor.start(filled(configuration, debugged.path), debugged.path, (), ("uncaught",))
            stop = await editor.stop()
            assert (stop.reason, stop.line) == ("exception", debugged.line)
            await editor.request("disconnect", {"terminateDebuggee": False})
        assert waiting.wait(WAIT_S) == 1
    finally:
        waiting.kill()
        waiting.wait(WAIT_S)
        waiting.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]  it is a pipe


async def test_vimspectors_configuration_stops_at_an_exception(debuggee: Find):
    program = debuggee("crash").path
    chosen, command = of_vimspector("this file")
    filters = tuple(name for name, wanted in chosen["breakpoints"]["exception"].items() if wanted == "Y")
    terminal = Terminal()
    async with over_stdio(VIMSPECTOR, *command[2:]) as editor:
        editor.reverse["runInTerminal"] = terminal.run
        await editor.start(filled(chosen["configuration"], program), program, (), filters)
        assert {each["filter"] for each in editor.capabilities["exceptionBreakpointFilters"]} == set(
            chosen["breakpoints"]["exception"]
        ), "Vimspector asks its user about each filter that the configuration does not name"
        assert (await editor.stop()).reason == "exception"
        await editor.disconnect()
        await terminal.printed()


async def test_helixs_template_stops_and_writes_the_answer_to_its_file(debuggee: Find, home: Path):
    steps = debuggee("steps")
    arguments, serve = of_helix("python")
    configuration = {**arguments, "program": str(steps.path), "request": "launch"}
    async with over_stdio(HELIX, *serve) as editor:
        await editor.start(configuration, steps.path, (steps.lines["end"],), ())
        stop = await editor.stop()
        await editor.type("??what is total", stop.frame_id)
        file = home / ".cache" / "dap-ai" / "answer.md"
        await editor.shows(str(file))
        assert "total" in file.read_text()
        await editor.disconnect()


def native(dialect: Dialect) -> dict[str, Any]:
    """What this editor's section has for lldb-dap."""
    if dialect is VS_CODE:
        return of_vs_code()[2]
    if dialect is VIMSPECTOR:
        return of_vimspector("build/main")[0]["configuration"]
    return {**of_helix("c")[0], "program": "${workspaceFolder}/build/main", "request": "launch"}


@pytest.mark.parametrize("dialect", [VS_CODE, VIMSPECTOR, HELIX], ids=str)
async def test_the_configurations_for_lldb_dap_stop_and_answer(dialect: Dialect, tmp_path: Path):
    if not lldb_daps():
        pytest.skip("no lldb-dap here")
    (command, *_) = lldb_daps().values()
    program = build("crash", tmp_path, "main")
    line = lines("crash")["sell"]
    async with over_stdio(dialect, "--backend", command[0]) as editor:
        await editor.start(filled(native(dialect), program), SOURCES / "crash.c", (line,), ())
        stop = await editor.stop()
        assert (stop.line, stop.names["boxes"]) == (line, "3")
        await editor.type("??what is boxes", stop.frame_id)
        await editor.shows("boxes")
        await editor.disconnect()
