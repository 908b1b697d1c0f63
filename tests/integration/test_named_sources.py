"""A program that calls any file its source: nothing of the file is in an answer, nor in what a model would get."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration import native
from tests.integration.native_examples import ADAPTERS, backend_for

Ask = Callable[..., subprocess.CompletedProcess[bytes]]
PRIVATE = "root:x:0:0\nalias hunter='two'\n"
C_PROGRAM = """\
#include <stddef.h>
#line 1 "{named}"
int main(void) {{ int *nowhere = NULL;
return *nowhere; }}
"""
PYTHON_PROGRAM = """\
code = compile("x = None\\nx.total", {named!r}, "exec")
exec(code)
"""
HINT = "is not shown: it is no source file of a program"


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A file that is nobody's source."""
    (file := tmp_path / "private" / "bashrc").parent.mkdir()
    file.write_text(PRIVATE, encoding="utf-8")
    return file


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    ("adapter", "more"),
    [*((adapter, []) for adapter in ADAPTERS), ("lldb-dap 23", ["--show-context"]), ("gdb", ["--show-context"])],
)
def test_a_line_directive_quotes_no_file(
    adapter: str, more: list[str], named: Path, run_dap_ai: Ask, monkeypatch: pytest.MonkeyPatch
):
    backend = backend_for(adapter, monkeypatch.setenv)
    program = native.build(C_PROGRAM.format(named=named), named.parent.parent)

    text = said(run_dap_ai("ask", "--provider", "offline", "--backend", backend, *more, program))

    assert "SIGSEGV" in text and "hunter" not in text and "root:x" not in text
    assert HINT in text


@pytest.mark.parametrize("more", [[], ["--show-context"]], ids=["answer", "context"])
def test_a_code_object_quotes_no_file(more: list[str], named: Path, run_dap_ai: Ask, tmp_path: Path):
    (script := tmp_path / "main.py").write_text(PYTHON_PROGRAM.format(named=str(named)), encoding="utf-8")

    text = said(run_dap_ai("ask", "--provider", "offline", *more, script))

    assert "'NoneType' object has no attribute 'total'" in text
    assert HINT in text
    shown = [line for line in text.splitlines() if not line.startswith(("    ", "Traceback", "  File"))]
    assert "hunter" not in "\n".join(shown) and "root:x" not in "\n".join(shown)


def test_a_script_without_a_suffix_is_shown(run_dap_ai: Ask, tmp_path: Path):
    (script := tmp_path / "tool").write_text("total = None\nprint(total.upper())\n", encoding="utf-8")

    text = said(run_dap_ai("ask", "--provider", "offline", script))

    assert "print(total.upper())" in text and "is not shown" not in text
