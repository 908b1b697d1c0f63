"""Options shared by the commands `replay`, `fork` and `retry`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True)
_DIVERGED = (
    "At a query that says something else than the recorded one: `tape` answers it as recorded where calls and number "
    "of messages are the same, `live` goes on with the model, `stop` ends the agent."
)
_OPTIONS = (
    click.option(
        "--check", metavar="COMMAND", default="", help="Run in the final state of both workspaces; 0: it passes."
    ),
    click.option(
        "--diverged", type=click.Choice(["tape", "live", "stop"]), default="tape", show_default=True, help=_DIVERGED
    ),
    click.option("--out", type=click.Path(path_type=Path), help="The new recording's folder; new or empty."),
    click.option("--workspace", type=_FOLDER, help="Where the workspace is today, if it has moved or is not recorded."),
    click.option("--keep", is_flag=True, help="Keep the copy of the workspace."),
    click.option("--json", "as_json", is_flag=True, help="Both outcomes as JSON; the agent's own output to stderr."),
    click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]"),
)


class ReplayOptions(NamedTuple):
    """Values of the options that `replay`, `fork` and `retry` share."""

    command: Sequence[str]
    """Command to run; empty for the recorded command."""
    out: Path | None
    workspace: Path | None
    check: str
    diverged: Literal["tape", "live", "stop"]
    keep: bool
    as_json: bool


def options(command: _Command) -> _Command:
    """Decorate a command with the shared options and `-- COMMAND`."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


def options_of(given: Mapping[str, Any]) -> ReplayOptions:
    """Return the shared options from the command's parameters."""
    return ReplayOptions(**{name: given[name] for name in ReplayOptions._fields})


def recording_folder(out: Path | None, program: str) -> Path:
    """Create and return an empty folder: `out`, or a new one in the user's data directory. Raises UsageError."""
    from dap_ai.debuggees.runs.live.folders import new_folder  # noqa: PLC0415  not needed for --help

    try:
        return new_folder(out, program)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
