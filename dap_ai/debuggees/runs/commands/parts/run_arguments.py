"""RUN and STEP on the command line: opened, checked, completed by the shell."""

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
    """What was asked for cannot be read or is not there: one message, exit code 2."""

    exit_code = 2


class RunPath(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  click 8.1 has none
    """A file or folder that an agent has left; the shell completes its name."""

    name = "run"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path as it was typed."""
        del param, ctx
        return Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Left to the shell, which knows how to complete files."""
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


class StepNumber(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  click 8.1 has none
    """The number of a step; the shell completes it, and shows what the step did."""

    name = "step"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """1 or more."""
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} is no number of a step: they are 1, 2, ...", param, ctx)
        return number

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The numbers of the run that stands before it; none where that cannot be read."""
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
    """The argument RUN."""
    return click.argument("run", type=RunPath())(command)


json_option = click.option("--json", "as_json", is_flag=True, help="As JSON, one object a line.")


def opened(path: Path) -> Run:
    """The run at a path. Raises Unreadable, which says what was looked for there."""
    from dap_ai.debuggees.runs.opening import open_run  # noqa: PLC0415  the readers are spared where only help is wanted

    return read_by(open_run, path)


def read_by(read: Callable[[Path], Found], path: Path) -> Found:
    """What `read` gives of a path. Raises Unreadable where it raises CannotRead."""
    from dap_ai.debuggees.runs.run_files import CannotRead  # noqa: PLC0415  the same

    try:
        return read(path)
    except CannotRead as error:
        raise RunArgumentError(_explained(path, str(error))) from error


def analysed(run: Run) -> RunAnalysis:
    """What the rules find in the run."""
    from dap_ai.debuggees.runs.analysis.analyse import analyse  # noqa: PLC0415  the parsers are spared where nothing is analysed

    return analyse(run)


def _explained(path: Path, said: str) -> str:
    """The message in lines that can be read, and what helps."""
    lines = [part for line in said.split("\n") for part in _folded(line)]
    return "\n".join([*lines, *_what_next(path)])


def _folded(line: str) -> list[str]:
    if len(line) <= _LONG_LINE:
        return [line]
    return textwrap.wrap(line, _LONG_LINE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _what_next(path: Path) -> Iterator[str]:
    """Of a folder with runs in it that it can be listed; of a format that nobody knows how it could be read."""
    from dap_ai.debuggees.runs.opening import find_runs  # noqa: PLC0415  as above

    if path.is_dir() and next(find_runs(path), None) is not None:
        yield f"There are runs in that folder: dap-ai run list {path_shown(str(path))}"
    elif path.is_file():
        yield f"For a format of your own: dap-ai run layout {path_shown(str(path))}"


def step_of(run: Run, number: int) -> RunStep:
    """The step of that number. Raises Unreadable."""
    steps: Sequence[RunStep] = steps_of(run)
    for step in steps:
        if step.number == number:
            return step
    there = f"it has steps 1 to {steps[-1].number}" if steps else "it has no steps"
    raise RunArgumentError(f"{path_shown(run.root)} has no step {number}: {there}")
