"""The command-line arguments RUN and STEP: opening, validation, shell completion."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.export.export_text import what
from dap_ai.debuggees.runs.run_model import Run, RunStep, steps_of

_Command = TypeVar("_Command", bound=Callable[..., Any])
Found = TypeVar("Found")
_HINT_CHARACTERS = 60
_LONG_LINE = 110


class RunArgumentError(click.ClickException):
    """The requested run or step doesn't exist or can't be read; the command ends with exit code 2."""

    exit_code = 2


class RunPath(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  click 8.1 has none
    """Parameter type for a run's file or folder, completed by the shell."""

    name = "run"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path as the user typed it."""
        del param, ctx
        return Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Leave completion of file names to the shell."""
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


class StepNumber(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  click 8.1 has none
    """Parameter type for a step number, 1-based; shell completion shows what each step did."""

    name = "step"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, which must be at least 1."""
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} is no number of a step: they are 1, 2, ...", param, ctx)
        return number

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the steps of the RUN argument; none if the run can't be read."""
        del param
        run = ctx.params.get("run")
        if run is None:
            return []
        try:
            steps = steps_of(opened(Path(run)))
        except click.ClickException:
            return []
        return [
            CompletionItem(str(step.number), help=in_a_line(what(step), _HINT_CHARACTERS))
            for step in steps
            if str(step.number).startswith(incomplete)
        ]


def run_argument(command: _Command) -> _Command:
    """Add the argument RUN to a command."""
    return click.argument("run", type=RunPath())(command)


json_option = click.option("--json", "as_json", is_flag=True, help="As JSON, one object a line.")


def opened(path: Path) -> Run:
    """Open the run at a path. Raises RunArgumentError, whose message lists the known formats."""
    from dap_ai.debuggees.runs.opening import open_run  # noqa: PLC0415  not needed for --help

    return read_by(open_run, path)


def read_by(read: Callable[[Path], Found], path: Path) -> Found:
    """Return `read(path)`; raise RunArgumentError instead of CannotRead."""
    from dap_ai.debuggees.runs.run_files import CannotRead  # noqa: PLC0415  imported on use

    try:
        return read(path)
    except CannotRead as error:
        raise RunArgumentError(_explained(path, str(error))) from error


def analysed(run: Run) -> RunAnalysis:
    """Return the rule-based analysis of a run."""
    from dap_ai.debuggees.runs.analysis.analyse import analyse  # noqa: PLC0415  its parsers are imported on use

    return analyse(run)


def _explained(path: Path, said: str) -> str:
    """Wrap an error message to readable lines and add advice."""
    lines = [part for line in said.split("\n") for part in _folded(line)]
    return "\n".join([*lines, *_what_next(path)])


def _folded(line: str) -> list[str]:
    if len(line) <= _LONG_LINE:
        return [line]
    return textwrap.wrap(line, _LONG_LINE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _what_next(path: Path) -> Iterator[str]:
    """Yield advice: `run list` for a folder with runs, `run layout` for a file of unknown format."""
    from dap_ai.debuggees.runs.opening import find_runs  # noqa: PLC0415  imported on use

    if path.is_dir() and next(find_runs(path), None) is not None:
        yield f"There are runs in that folder: dap-ai run list {path_shown(str(path))}"
    elif path.is_file():
        yield f"For a format of your own: dap-ai run layout {path_shown(str(path))}"


def step_of(run: Run, number: int) -> RunStep:
    """Return the step with that number. Raises RunArgumentError."""
    steps: Sequence[RunStep] = steps_of(run)
    for step in steps:
        if step.number == number:
            return step
    there = f"it has steps 1 to {steps[-1].number}" if steps else "it has no steps"
    raise RunArgumentError(f"{path_shown(run.root)} has no step {number}: {there}")
