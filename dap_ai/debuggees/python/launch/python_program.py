"""A Python program from a command line: checks the file, builds launch arguments, explains why no stop happened."""

from __future__ import annotations

import ast
import os
import shlex
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.system.texts import code

_ABORTED = 128 + signal.SIGABRT
_PYTEST = frozenset({"pytest", "py.test"})
_TEST_RUNNERS = _PYTEST | {"unittest", "doctest", "nose2", "trial", "green"}
TRY_PYTEST = "To ask about every failing test, and sooner: `pytest --ask`; it works with -n and --cov, too."


class PythonProgram(msgspec.Struct, frozen=True):
    """A Python script or module with its interpreter, arguments and environment. `cwd` is absolute."""

    python: str
    path: str
    """The script's path; empty for a module."""
    module: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    model: bool = False
    """Whether a language model answers questions about the program."""

    @property
    def name(self) -> str:
        """The module's name or the script's file name."""
        return self.module or Path(self.path).name

    @property
    def is_test_runner(self) -> bool:
        """Whether the program is a test runner, which catches its tests' errors itself."""
        return self.name.removesuffix(".py") in _TEST_RUNNERS

    @property
    def better_way(self) -> str:
        """Advice to use `pytest --ask`, if the program is pytest and no model was chosen; otherwise empty."""
        return TRY_PYTEST if self.name in _PYTEST and not self.model else ""

    def command_line(self) -> str:
        """The shell command that runs the program without a debugger."""
        start = ["-m", self.module] if self.module else [self.path]
        env = [f"{key}={value}" for key, value in self.env.items()]
        return shlex.join([*env, self.python, *start, *self.arguments])

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """Returns why the program never stopped, as a line. `status` is its exit code as a shell reports it."""
        if not status:
            return "The program did not stop: no uncaught exception, no breakpoint reached."
        if status == 128 + signal.SIGINT:
            return "The program did not stop. To ask about a program while it runs: dap-ai ask --pid N."
        if status > 128:
            text = "The program did not stop: a signal ended it before any exception reached the debugger."
            old = " Under a debugger, a RecursionError does that to Python 3.8." if status == _ABORTED else ""
            return text + old
        if self.name in _PYTEST:
            return f"No test failed in this process; those of workers (-n) are not debugged. {self.better_way}".rstrip()
        if self.name == "doctest":
            return "The program did not stop: a doctest whose output is another one raises nothing."
        if self.is_test_runner:
            text = f"{self.name} catches the errors of tests itself, so they never reach the debugger."
        else:
            text = (
                "No uncaught exception reached the debugger: the program called sys.exit, handled its error "
                "itself, or could not be compiled."
            )
        wider = "userUnhandled" if self.is_test_runner else "raised"
        return text if wider in exceptions or "raised" in exceptions else f"{text} Try --exception {wider}."

    def launch_arguments(self, *, just_my_code: bool, hold: bool = False) -> dict[str, Any]:
        """Returns the arguments of the `launch` request. `hold`: stops at the first line."""
        return {
            **({"stopOnEntry": True} if hold else {}),
            "name": self.name,
            "type": "python",
            **({"module": self.module} if self.module else {"program": self.path}),
            "args": list(self.arguments),
            "cwd": self.cwd,
            "env": dict(self.env),
            "python": [self.python],
            "console": "integratedTerminal",
            "redirectOutput": False,
            "subProcess": False,
            "justMyCode": just_my_code,
            # sys.exit is not a failure, whatever its code.
            "breakOnSystemExit": [],
        }


def find_program(name: str) -> str:
    """Returns the absolute path of a program file. Raises UsageError if Python could not run the file."""
    path = Path(name)
    if problem := _problem(path):
        raise click.UsageError(problem)
    # Absolute, because python too makes `__file__` and the paths of tracebacks absolute; only argv[0] differs.
    return os.path.abspath(path)  # noqa: PTH100  it takes "../" away as well


def _problem(path: Path) -> str:
    try:
        if path.is_dir():
            return "" if (path / "__main__.py").is_file() else f"{path} is a directory without a __main__.py."
        with path.open("rb") as file:
            head = file.read(256)
    except FileNotFoundError:
        hint = f" To run a module: -m {path}." if _is_module_name(str(path)) else ""
        return f"there is no file {path}.{hint}"
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}."
    if path.suffix == ".ipynb":
        return (
            f"{path} is a notebook, not a program: ask in it, by `%load_ext dap_ai` and `%why`; or make a program "
            f"of it by {code(f'jupyter nbconvert --to script {path}')}, and ask about that."
        )
    if head.startswith(b"#!") and b"python" not in (shebang := head.splitlines()[0]):
        return f"{path} is a script for {os.fsdecode(shebang[2:]).strip()}, not for Python."
    if b"\0" in head and not head.startswith(b"PK"):
        return f"{path} is not Python source."
    return ""


def _is_module_name(name: str) -> bool:
    return not name.endswith(".py") and all(word.isidentifier() for word in name.split("."))


def function_at(source: Sequence[str], name: str) -> int:
    """Returns the 1-based line where a function's or method's (`Account.withdraw`) body starts; 0 if not found."""
    try:
        tree: ast.AST = ast.parse("\n".join(source))
    except (SyntaxError, ValueError):
        return 0
    wanted = name.split(".")
    for part in wanted:
        found = next((node for node in ast.walk(tree) if getattr(node, "name", None) == part), None)
        if found is None:
            return 0
        tree = found
    if not isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return 0
    first = tree.body[1] if ast.get_docstring(tree) is not None and len(tree.body) > 1 else tree.body[0]
    return first.lineno
