"""dap_ai starts a Python of its own by `child_python` alone, and a program of its own by its absolute path."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

BY_WORDS = frozenset({"create_subprocess_exec", "execv", "execve", "execvp", "execvpe", "posix_spawn", "posix_spawnp"})
STARTS = BY_WORDS | {"Popen", "run", "call", "check_call", "check_output", "subprocess_exec"}
IN_THE_DEBUGGEE = (
    "debuggees/python/inspector/",
    "debuggees/python/snapshots/",
    "debuggees/runs/live/hook/",
    "debuggees/runs/running/attached/",
)
ALLOWED = {
    ("system/child_python.py", "sys.executable"): "the one function",
    ("system/programs.py", "shutil.which"): "the one look-up, of absolute paths",
    ("backends/debugpy/interpreters.py", "a Python"): "asks the program's Python, by stdin, with a PYTHONPATH cleaned",
    ("backends/generic.py", "shutil.which"): "the user's command line",
    ("debuggees/runs/live/replay/replay_run.py", "shutil.which"): "the user's command",
    ("debuggees/runs/running/live_stage.py", "shutil.which"): "the user's command",
    ("debuggees/python/commands/pytest.py", "shutil.which"): "the Python that the user names",
    ("debuggees/python/commands/pytest.py", "a Python"): "becomes the project's own pytest",
    ("debuggees/runs/commands/record.py", "shutil.which"): "the user's command",
    ("debuggees/runs/answer/live_target.py", "shutil.which"): "the user's command",
}


def found(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a file that start something in another way, and how."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names) if any(name.name.startswith("multiprocessing") for name in names):
                yield node.lineno, "multiprocessing"
            case ast.ImportFrom(module=module, names=names):
                imported = {module or "", *(name.name for name in names)}
                if imported & {"multiprocessing", "ProcessPoolExecutor"}:
                    yield node.lineno, "multiprocessing"
                if module == "shutil" and "which" in imported:
                    yield node.lineno, "shutil.which"
            case ast.Attribute(value=ast.Name("shutil"), attr="which"):
                yield node.lineno, "shutil.which"
            case ast.List(elts=words) | ast.Tuple(elts=words):
                yield from _words(words)
            case ast.Call(func=function, args=arguments) if _name(function) in STARTS:
                yield from _words(arguments)
                yield from _program(arguments, by_words=_name(function) in BY_WORDS)
            case ast.Call(func=function) if _name(function) in {"create_subprocess_shell", "subprocess_shell"}:
                yield node.lineno, "a shell"
            case ast.Attribute(value=ast.Name("os"), attr="system" | "popen"):
                yield node.lineno, "a shell"
            case ast.keyword(arg="shell", value=ast.Constant(True)):
                yield node.value.lineno, "a shell"
            case _:
                pass


def _words(words: list[ast.expr]) -> Iterator[tuple[int, str]]:
    for word in words:
        if ast.unparse(word) == "sys.executable":
            yield word.lineno, "sys.executable"
    match words:
        case [first, ast.Constant("-m" | "-c" | "-"), *_] if "python" in ast.unparse(first).lower():
            yield first.lineno, "a Python"
        case _:
            pass


def _program(arguments: list[ast.expr], *, by_words: bool) -> Iterator[tuple[int, str]]:
    match arguments:
        case [ast.List(elts=[ast.Constant(str(name)), *_]), *_] if "/" not in name:
            yield arguments[0].lineno, "a name on PATH"
        case [ast.Constant(str(name)), *_] if by_words and "/" not in name:
            yield arguments[0].lineno, "a name on PATH"
        case _:
            pass


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_nothing_is_started_in_another_way():
    package = ROOT / "dap_ai"
    wrong: list[str] = []
    used: set[tuple[str, str]] = set()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name.startswith(IN_THE_DEBUGGEE):
            continue
        for line, how in found(path.read_text(encoding="utf-8")):
            used.add((name, how))
            if (name, how) not in ALLOWED:
                wrong.append(f"dap_ai/{name}:{line}: {how}")
    assert not wrong, "\n".join(["start it by child_python.command, find it by programs.locate:", *wrong])
    assert used >= set(ALLOWED)


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ('run([sys.executable, "-m", "dap_ai"])', "sys.executable"),
        ('command = (sys.executable, "-c", text)', "sys.executable"),
        ("await asyncio.create_subprocess_exec(sys.executable, script)", "sys.executable"),
        ('subprocess.run([python, "-c", probe])', "a Python"),
        ('await create_subprocess_exec(self.python, "-")', "a Python"),
        ("import multiprocessing", "multiprocessing"),
        ("from multiprocessing import get_context", "multiprocessing"),
        ("from concurrent.futures import ProcessPoolExecutor", "multiprocessing"),
        ('shutil.which("git")', "shutil.which"),
        ("from shutil import which", "shutil.which"),
        ('subprocess.Popen(["cat"], stdin=pipe)', "a name on PATH"),
        ('os.execvp("git", words)', "a name on PATH"),
        ("subprocess.run(text, shell=True)", "a shell"),
        ("os.system(text)", "a shell"),
    ],
)  # fmt: skip
def test_each_other_way_is_found(source: str, how: str):
    assert how in {each for _, each in found(f"async def f():\n    {source}")}


@pytest.mark.parametrize(
    "source",
    ['run(child_python.command("dap_ai.cli:main"))', "Path(sys.executable).parent", 'git("ls-files", "-m")',
     'start = ["-m", module]', 'run(["/bin/sh", "-c", text])', "arguments = {'python': [self.python]}"],
)  # fmt: skip
def test_the_right_ways_and_a_users_program_are_left_alone(source: str):
    assert not list(found(source))
