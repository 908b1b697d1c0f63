"""docs/editors.md: every snippet can be read by what it is for, and Zed's stand-in really starts dap_ai."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tests.e2e.editors.snippets import sections, snippets
from tests.patience import at_worst

EDITORS = ("VS Code", "Neovim: nvim-dap", "Emacs: dape", "Vim: Vimspector", "Helix", "Zed")
WAIT_S = at_worst(30.0)


def of_all(language: str) -> list[str]:
    return [code for name in sections() for code in snippets(name, language)]


def test_there_is_a_section_for_each_of_six_editors():
    assert [name for name in sections() if name in EDITORS] == list(EDITORS)


def test_no_snippet_is_in_a_language_that_nothing_here_reads():
    languages = set(re.findall(r"^```(\w+)$", "".join(sections().values()), re.MULTILINE))
    assert languages == {"json", "lua", "elisp", "toml", "python", "sh"}


@pytest.mark.parametrize("code", of_all("json"), ids=lambda code: code.split()[1].strip('":'))
def test_json_is_json(code: str):
    assert isinstance(json.loads(code), dict)


def test_vs_codes_configurations_name_what_vs_code_wants():
    launches = [each for each in map(json.loads, snippets("VS Code", "json")) if "configurations" in each]
    configurations = [each for launch in launches for each in launch["configurations"]]
    assert len(configurations) == 3
    for each in configurations:
        assert {"name", "type", "request", "debugServer"} <= each.keys()


def test_the_task_waits_for_the_line_that_serve_prints():
    (task,) = [each["tasks"][0] for each in map(json.loads, snippets("VS Code", "json")) if "tasks" in each]
    assert re.search(task["problemMatcher"]["background"]["endsPattern"], "dap-ai: listening on 127.0.0.1:4711")


def test_vimspectors_configurations_name_its_adapters():
    (page,) = map(json.loads, snippets("Vim", "json"))
    assert {each["adapter"] for each in page["configurations"].values()} == set(page["adapters"])


def test_helix_can_read_its_languages():
    (code,) = snippets("Helix", "toml")
    for language in tomllib.loads(code)["language"]:
        debugger = language["debugger"]
        assert (debugger["transport"], debugger["command"], debugger["args"][0]) == ("stdio", "dap-ai", "serve")
        for template in debugger["templates"]:
            assert "{0}" in template["args"]["program"]


@pytest.mark.parametrize("code", of_all("python"))
def test_python_compiles(code: str):
    compile(code, "docs/editors.md", "exec")


def test_every_command_line_is_one_that_dap_ai_takes():
    known = subprocess.run(
        [sys.executable, "-m", "dap_ai", "serve", "--help"], capture_output=True, text=True, timeout=WAIT_S
    ).stdout
    page = "".join(sections().values())
    lines = re.findall(r'dap-ai serve[^`\n]*|"serve"[^\n]*', page)
    used = {option for line in lines for option in re.findall(r"--[a-z-]+", line)}
    assert used == {option for option in used if option in known} != set()


@pytest.mark.skipif(not shutil.which("luac"), reason="no luac on PATH")
@pytest.mark.parametrize("code", of_all("lua"))
def test_lua_compiles(code: str):
    subprocess.run(["luac", "-p", "-"], input=code.encode(), check=True, timeout=WAIT_S)


@pytest.mark.skipif(not shutil.which("emacs"), reason="no emacs on PATH")
def test_the_parentheses_of_elisp_match(tmp_path: Path):
    page = tmp_path / "snippets.el"
    page.write_text("\n".join(of_all("elisp")))
    check = f'(progn (find-file "{page.as_posix()}") (emacs-lisp-mode) (check-parens))'
    subprocess.run(["emacs", "-Q", "--batch", "--eval", check], check=True, timeout=WAIT_S)


def test_zeds_stand_in_serves_where_zed_connects(tmp_path: Path):
    (code,) = snippets("Zed", "python")
    adapter = tmp_path / "src" / "debugpy" / "adapter"
    adapter.mkdir(parents=True)
    (adapter / "__main__.py").write_text(code)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    zed: Any = subprocess.Popen(
        [sys.executable, str(adapter), "--host=127.0.0.1", f"--port={port}"], env=environment, stderr=subprocess.PIPE
    )
    try:
        assert zed.stderr.readline().decode().strip() == f"dap-ai: listening on 127.0.0.1:{port}"
    finally:
        zed.terminate()
        zed.stderr.close()
        zed.wait(WAIT_S)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_zeds_stand_in_for_gdb_passes_nothing_of_zeds_on(tmp_path: Path):
    (code,) = snippets("Zed", "sh")
    script, fake = tmp_path / "gdb", tmp_path / "dap-ai"
    script.write_text(code)
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    for each in (script, fake):
        each.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([str(script), "-i=dap"], env=environment, capture_output=True, text=True, timeout=WAIT_S)
    assert done.stdout.splitlines() == ["serve", "--backend", "gdb -i dap"]
