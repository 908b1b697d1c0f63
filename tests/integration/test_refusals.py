"""What the locks of a copy refuse is named where it happens, and is never the program's own outcome."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.tools.evaluate import evaluation_text
from dap_ai.debuggees.python.snapshots.isolation import trapping
from tests.conftest import marked_lines
from tests.integration.inspector_client import DEBUGGEES
from tests.integration.test_snapshots import Stopped, stopped

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]

REFUSED = [
    ("read('data.txt')", "a copy may not read {here}/data.txt"),
    ("read_or_nothing('data.txt')", "a copy may not read {here}/data.txt"),
    ("open('data.txt').read()", "a copy may not read data.txt"),
    ("__import__('later').X", "a copy may not read {here}"),
    ("__import__('pwd').getpwuid(0)", "a copy may not call `socket`"),
    ("os.listdir(HERE)", "a copy may not read {here}"),
    ("open('data.txt', 'a')", "a copy may not write data.txt"),
    ("os.chdir(HERE)", "a copy may not call `chdir` ({here})"),
    ("os.mkdir('made')", "a copy may not call `mkdir` (made)"),
    ("__import__('select').epoll()", "a copy may not call `epoll_create1`"),
    ("__import__('socket').socket()", "a copy may not call `socket`"),
    ("__import__('subprocess').run(['true'])", "a copy may not call `pipe2`"),
    ("__import__('threading').Thread(target=print).start()", "start a thread or a process"),
    ("__import__('signal').signal(10, print)", "a copy may not call `sigaction`"),
    ("os.kill(os.getpid(), 0)", "a copy may not call `kill`"),
    ("os.utime(1)", "a copy may not call `utimensat`"),
    ("__import__('ctypes').CDLL(None).mkdir(8, 7)", "a copy may not call `mkdir`"),
    ("os.fork()", "a copy may not do this: `os.fork`"),
    ("bytearray(2 << 30)", "a copy may not take more memory than it was given"),
    ("kept.read()", "a copy may not use the program's descriptor"),
    ("kept.close()", "a copy may not"),
    ("__import__('ctypes').CDLL(None).ptrace(0, 0, 0, 0)", "a copy may not call `ptrace`"),
]
OWN = [
    ("read('none.txt')", "FileNotFoundError"),
    ("open('none.txt', 'r+')", "FileNotFoundError"),
    ("os.read(77, 1)", "OSError: [Errno 9] Bad file descriptor"),
    ("bytearray(1 << 60)", "MemoryError"),
    ("__import__('nowhere_at_all')", "ModuleNotFoundError"),
]
HARMLESS = ["len(os.environ) > 0", "__import__('time').sleep(0)", "__import__('random').random() < 1", "print('x')"]


@contextlib.asynccontextmanager
async def refused_program(folder: Path, *python: str) -> AsyncIterator[Stopped]:
    """In a folder with a file and a module of its own."""
    text = (DEBUGGEES / "refused.py").read_text("utf-8")
    for name, content in (("refused.py", text), ("data.txt", "7"), ("later.py", "X = 1"), ("closed.txt", "")):
        (folder / name).write_text(content, "utf-8")
    (line,) = marked_lines(text).values()
    async with stopped(f"{folder}/refused", line, python=list(python), cwd=str(folder)) as program:
        yield program


def test_the_handler_is_what_its_source_assembles_to(tmp_path: Path):
    """The path of an x86_64 assembler."""
    if platform.machine() != "x86_64" or not all(map(shutil.which, ("as", "objcopy"))):
        pytest.skip("no binutils for x86_64 here")
    source, compiled, code = Path(trapping.__file__).with_suffix(".s"), tmp_path / "code.o", tmp_path / "code"
    subprocess.run(["as", source, "-o", compiled], check=True)
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", compiled, code], check=True)
    assert code.read_bytes() == trapping.X86_64


@pytest.mark.parametrize("version", ["3.8", "3.14"])
async def test_what_the_locks_refuse_is_not_known_and_what_the_program_may_not_do_is_its_own(
    version: str, python_versions: dict[str, Path], tmp_path: Path
):
    wrong: list[Any] = []
    async with refused_program(tmp_path, str(python_versions[version])) as program:
        for expression, why in REFUSED:
            result = await program.evaluate(expression)
            text = evaluation_text(expression, result)
            if why.format(here=tmp_path) not in text or "is not known" not in text:
                wrong.append((expression, result.error, result.refusals, text))
        for expression, error in OWN:
            result = await program.evaluate(expression)
            if result.unknown or not result.error.startswith(error):
                wrong.append((expression, result.error, result.refusals))
        for expression in HARMLESS:
            result = await program.evaluate(expression)
            if result.unknown or result.status != "ok":
                wrong.append((expression, result.error, result.refusals))
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to become another user")
async def test_what_the_program_has_no_permission_for_is_its_own_outcome():
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are root's alone
        folder = Path(name)
        folder.chmod(0o755)
        async with refused_program(folder, sys.executable) as program:
            (folder / "closed.txt").chmod(0o600)
            become = "os.setgid(65534) or os.setuid(65534) or __import__('ctypes').CDLL(None).prctl(4, 1, 0, 0, 0)"
            arguments = {"expression": become, "context": "hover", "frameId": program.frame_id}
            await program.client.request("evaluate", arguments)
            for mode in "ra":
                result = await program.evaluate(f"open('closed.txt', {mode!r})")
                assert (result.error[:27], result.unknown) == ("PermissionError: [Errno 13]", ""), (mode, result)
            assert (await program.evaluate("read('data.txt')")).unknown == f"a copy may not read {folder}/data.txt"
