"""`dap-ai pytest`: runs the project's own Python and pytest, with the plugin on the path for that run."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import json
import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import click

from dap_ai.backends.debugpy import environments
from dap_ai.backends.debugpy.interpreters import OLDEST, InterpreterError, describe
from dap_ai.commands.display.settings_table import resolve
from dap_ai.debuggees.python.hosts import answer_process

_HELP = """Run the project's tests with its own Python and its own pytest, and explain each failure.

The same as `pytest --ask`, without installing anything: dap_ai stays in an environment of its own (`uvx dap-ai pytest`,
`pipx install dap-ai`), and the project's environment is left as it is. Needs Python 3.8 and pytest 6.1, or newer.

All ARGS are pytest's, and its exit code is that of this command. Some of them are the plugin's:

\b
  --ask=full           all that was found, instead of at most 15 lines
  --ask=stop           hold the process at each failure, for a terminal or an editor to join
  --ask-fix            write the verified fixes to dap-ai.patch
  --ask-json=FILE      write what was found as JSON, a line for each failure
  -h                   the options of pytest and of the plugin

The Python is that of the active environment, else of the project's (.venv, uv, poetry), else the first on PATH.

\b
Examples:
  dap-ai pytest
  dap-ai pytest -x tests/test_prices.py --ask=full
  dap-ai pytest --python .venv-3.9/bin/python -n 4
"""
PLUGIN = "dap_ai_pytest"
_CANNOT_START = 4
"""pytest's exit code for a wrong command line."""


class CannotStart(click.ClickException):
    """pytest cannot be started; the error's text gives the reason and the next step."""

    exit_code = _CANNOT_START


class _Verbatim(click.Command):
    """Parses the options before the first unknown argument, and passes that and all later arguments to pytest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        taken = 0
        while taken < len(args) and (args[taken] in ("--python", "--help") or args[taken].startswith("--python=")):
            taken += 2 if args[taken] == "--python" else 1
        rest = super().parse_args(ctx, args[:taken])
        ctx.params["arguments"] = tuple(args[taken:])
        return rest


@click.command(
    cls=_Verbatim, help=_HELP, options_metavar="[--python PATH]", context_settings={"help_option_names": ["--help"]}
)
@click.option("--python", type=click.Path(), help="The interpreter that runs the tests; before all other ARGS.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGS]...")
def command(python: str | None, arguments: tuple[str, ...]) -> None:
    """Does not return: this process becomes pytest's."""
    if not hasattr(os, "fork"):
        raise CannotStart("`dap-ai pytest` needs Unix sockets, which this system does not have.")
    chosen = resolve({"python": python}).settings.python
    candidate = named(chosen) if chosen else project_python()
    check(candidate)
    run(candidate.python, arguments)


def named(python: str) -> environments.PythonCandidate:
    """Returns the Python at a path, or looks up a bare command name on PATH."""
    found = shutil.which(python, path=environments.shell_path(_passed_over()))
    return environments.PythonCandidate(found or python, "chosen by --python or the settings")


def _passed_over() -> str:
    """Returns the environment folder of dap_ai's own Python if it has no pytest; empty if it has pytest."""
    return "" if importlib.util.find_spec("pytest") else environments.own_folder()


def project_python() -> environments.PythonCandidate:
    """Returns the Python of the project in the working directory."""
    cwd, own = str(Path.cwd()), _passed_over()
    found = itertools.chain(
        environments.active(),
        environments.of_project(cwd),
        environments.of_poetry(cwd),
        environments.on_path(without=own),
    )
    for each in found:
        if not own or os.path.realpath(Path(each.python).parent) != own:
            return each
    return environments.PythonCandidate(sys.executable, "the Python of dap_ai itself; no other was found")


def check(candidate: environments.PythonCandidate) -> None:
    """Checks that this Python can run the tests. Raises CannotStart."""
    try:
        interpreter = asyncio.run(describe(candidate.python))
    except InterpreterError as error:
        raise CannotStart(str(error)) from error
    python = f"{candidate.python} ({candidate.reason})"
    if interpreter.version < OLDEST:
        raise CannotStart(f"{python} is Python {interpreter.version_text}, and `dap-ai pytest` needs 3.8 or newer.")
    if not interpreter.has_pytest:
        raise CannotStart(
            f"pytest is not installed in {python}. "
            "Install it there, or name the project's Python: dap-ai pytest --python PATH"
        )


def run(python: str, arguments: tuple[str, ...]) -> NoReturn:
    """Replaces this process with `python -m pytest` and the plugin; pytest gets the terminal, signals and exit code."""
    answering = json.dumps(answer_process.start_command())
    options = ["-p", PLUGIN, f"--dap-ai-command={answering}", "--ask=short"]
    sys.stdout.flush()
    os.execve(python, [python, "-m", "pytest", *options, *arguments], environment(python))  # noqa: S606


def environment(python: str) -> dict[str, str]:
    """Returns the user's environment variables, with the plugin's folder added to PYTHONPATH.

    The plugin removes the folder again once it is loaded. PATH loses the scripts of dap_ai's own environment, which
    `uvx` puts first.
    """
    environ = dict(os.environ)
    folder = str(Path(__file__).parents[1] / "hosts" / "testing" / "onpath")
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, (environ.get("PYTHONPATH"), folder)))
    own = environments.own_folder()
    if "PATH" in environ and os.path.realpath(Path(python).parent) != own:
        environ["PATH"] = environments.shell_path(own)
    return environ
