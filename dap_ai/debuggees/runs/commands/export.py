"""`dap-ai run export`: writes a run in another program's format or as a readable report."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dap_ai.commands.display.command_output import say
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError, analysed, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import on_terminal
from dap_ai.debuggees.runs.commands.parts.visible_texts import path_shown
from dap_ai.debuggees.runs.run_model import Event, Run
from dap_ai.debuggees.runs.store import WORKSPACE

if TYPE_CHECKING:
    from dap_ai.agent.masking.mask import Masker
    from dap_ai.debuggees.runs.export.view.build_view import Patch
    from dap_ai.debuggees.runs.masked_run import SafeAnalysis, SafeRun

_HELP = """Write a run in another format: to stdout, or to FILE.

\b
atif      Agent Trajectory Interchange Format 1.7 (Harbor), sub-agents embedded
otel      OTLP JSON, spans with GenAI attributes
json      everything that dap_ai knows, to be read back
markdown  for an issue or a report
html      one page without any network: strip, conversation, inspector, findings, changes, search
view      what that page is given, as JSON; VS Code's view of a run reads it

What people read, markdown and html, has its secrets masked (`<secret:3f2a>`); --unmasked leaves them in. The formats
for programs hold what the run holds; --masked masks them too.

\b
Examples:
  dap-ai run export RUN --to html -o run.html
  dap-ai run export RUN --to atif | jq '.steps | length'
"""
_FOR_PEOPLE = frozenset({"markdown", "html"})
FORMATS = ("atif", "otel", "markdown", "html", "view", "json")
_MOST_LINES = 2_000


@click.command(help=_HELP)
@run_argument
@click.option("--to", "target", type=click.Choice(FORMATS), required=True, help="The format.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Where to; stdout without it.")
@click.option("--masked/--unmasked", default=None, help="Whether secrets are masked.")
def command(run: Path, target: str, output: Path | None, *, masked: bool | None) -> None:
    """Write the run in another format; exit code 2 if the run cannot be read or the file cannot be written."""
    opened_run = opened(run)
    analysis, patch = analysed(opened_run), patches_of(opened_run)
    masked = target in _FOR_PEOPLE if masked is None else masked
    if masked:
        masker = a_masker()
        patch = patches_of(opened_run, masker.mask)
        opened_run, analysis = masked_by(masker, opened_run, analysis)
    [(name, data)] = exported(opened_run, analysis, target, masked=masked, patch=patch).items()
    if output is not None:
        _write(name, data, output, _real(run))
    else:
        _print(data)


def exported(
    run: Run, analysis: RunAnalysis, target: str, *, masked: bool = False, patch: Patch | None = None
) -> dict[str, bytes]:
    """Return the exported file's name and content. `patch` returns the lines of a workspace change."""
    from dap_ai.debuggees.runs.export import atif, markdown, otel, own_json  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.export.page import document  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.export.view.build_view import exported as view  # noqa: PLC0415  imported on use

    exporters: dict[str, Callable[[], dict[str, bytes]]] = {
        "atif": lambda: atif.exported(run),
        "otel": lambda: otel.exported(run),
        "markdown": lambda: markdown.exported(run, analysis),
        "html": lambda: document.exported(run, analysis, masked=masked, patch=patch),
        "view": lambda: view(run, analysis, masked=masked, patch=patch),
        "json": lambda: own_json.exported(run, analysis),
    }
    return exporters[target]()


def a_masker() -> Masker:
    """Create a masker with the user's settings."""
    from dap_ai.agent.masking.mask import Masker  # noqa: PLC0415  imported on use
    from dap_ai.commands.display.settings_table import resolve  # noqa: PLC0415  imported on use

    return Masker(resolve({}).settings.mask)


def masked_by(masker: Masker, run: Run, analysis: RunAnalysis) -> tuple[SafeRun, SafeAnalysis]:
    """Mask a run and its analysis, in two passes: a secret recognized late is then also masked in earlier texts."""
    from dap_ai.debuggees.runs.masked_run import masked_analysis, masked_run  # noqa: PLC0415  imported on use

    masked_run(run, masker.mask, masker.mask_fields)
    return masked_run(run, masker.mask, masker.mask_fields), masked_analysis(analysis, masker.mask)


def _print(data: bytes) -> None:
    """Print the data unchanged to a pipe; on a terminal, escape control characters."""
    if on_terminal():
        say(data.decode("utf-8", "replace"), nl=False)
    else:
        click.echo(data, nl=False)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _write(name: str, data: bytes, output: Path, run: Path) -> None:
    """Write the export to the file or folder `output`; refuse a path inside the run."""
    if _real(output) == run or (run.is_dir() and _real(output).is_relative_to(run)):
        raise click.UsageError(f"{path_shown(str(output))} is in the run's own folder, where nothing is written.")
    try:
        _replace(output / name if output.is_dir() else output, data)
    except OSError as error:
        raise RunArgumentError(f"{path_shown(str(output))}: cannot be written: {error.strerror or error}") from error
    say(f"written: {path_shown(str(output))} (1 file)", err=True)


def _replace(path: Path, data: bytes) -> None:
    """Write the file atomically, so that the file is complete or unchanged."""
    if path.exists() and not path.is_file():  # /dev/stdout, a pipe
        path.write_bytes(data)
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o600 if not path.exists() else path.stat().st_mode & 0o777)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def patches_of(run: Run, mask: Callable[[str], str] = str) -> Callable[[Event], Sequence[str]]:
    """Return a function that returns a change's patch as lines, masked and cut; empty without a recorded patch."""
    changes = [event for event in run.events if event.kind == "change" and event.native_id.isalnum()]
    repository = Path(run.root) / WORKSPACE
    found = dict(_patches(repository, changes, mask)) if changes and repository.is_dir() else {}
    return lambda event: found.get(event.index, ())


def _patches(repository: Path, changes: Sequence[Event], mask: Callable[[str], str]) -> Iterator[tuple[int, list[str]]]:
    from dap_ai.debuggees.runs.live.workspace.git import GitError  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.live.workspace.workspace_states import states_of  # noqa: PLC0415  imported on use

    try:
        with states_of(repository) as states:
            for event in changes:
                lines = mask(states.patch(event.native_id)).splitlines()
                rest = len(lines) - _MOST_LINES
                yield event.index, lines if rest <= 0 else [*lines[:_MOST_LINES], f"@ {rest:,} lines more"]
    except (GitError, OSError):
        return  # changes without a patch are shown by their file names
