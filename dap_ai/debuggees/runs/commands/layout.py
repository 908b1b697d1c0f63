"""`dap-ai run layout`: describes, checks and saves the layout of a file in an unknown format."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError, RunPath, json_option
from dap_ai.debuggees.runs.commands.parts.run_output import page, print_json
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.layouts.layout_check import LayoutCheck, check, preview
from dap_ai.debuggees.runs.layouts.layout_model import BadLayout, Layout, written
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import counted

_HELP = """Check a layout for a file of recorded events that no reader knows, and keep it as a reader.

A layout is a TOML file of JMESPath expressions: where the events are, and which of their fields is the role, the text,
the call, the result. Without --layout and --model, one to fill in is printed, with the places of the file's texts. With
--model, the model that is set proposes one; it is sent the beginning of the file, secrets masked. No code that anybody
proposes is run.

Printed are the layout, what the check says, and the first ten steps, all of it valid TOML. Nothing is kept without
--save; a layout that is kept is a reader from then on. The exit code is 1 where the check finds a fault.

\b
Examples:
  dap-ai run layout log.jsonl > mine.toml          to fill in
  dap-ai run layout log.jsonl --layout mine.toml   check it
  dap-ai run layout log.jsonl --layout mine.toml --save mine
"""
_MAX_PREVIEW = 10
_PREVIEW_WIDTH = 160
_MOST_PLACES = 40


@click.command(help=_HELP)
@click.argument("path", type=RunPath())
@click.option("--layout", "file", type=RunPath(), help="Check this layout.")
@click.option("--model", "by_model", is_flag=True, help="Let the language model that is set propose it.")
@click.option("--save", "name", metavar="NAME", help="Keep it under this name, where the check finds no fault.")
@click.option("--replace", is_flag=True, help="With --save: in the place of one of that name.")
@json_option
def command(path: Path, *, file: Path | None, by_model: bool, name: str | None, replace: bool, as_json: bool) -> None:
    """Print, check or save a layout; exit code 1 for a faulty layout, 2 if the file cannot have a layout."""
    if path.is_dir():
        raise RunArgumentError(f"{path_shown(str(path))} is a folder: a layout describes a file")
    if file is None and not by_model:
        _begin(path, name, as_json=as_json)
        return
    layout = _layout_for(path, file)
    checked = check(layout, path)
    kept = _kept(layout, checked, name, replace=replace)
    if as_json:
        print_json([_fields(layout, checked, kept)])
    else:
        page(_lines(layout, checked, kept))
    sys.exit(0 if checked.is_good else 1)


def _begin(path: Path, name: str | None, *, as_json: bool) -> None:
    """Print a layout to fill in, with the paths of strings in the file. Raises RunArgumentError."""
    from dap_ai.debuggees.runs.layouts.layout_reader import texts_in  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.run_files import CannotRead  # noqa: PLC0415  not needed for --help

    if name is not None:
        raise click.UsageError("--save keeps the layout of --layout or --model.")
    try:
        texts, is_lines = texts_in(path)
    except CannotRead as error:
        raise RunArgumentError(visible(str(error))) from error
    kind = "lines" if is_lines else "document"
    if as_json:
        print_json([{"kind": kind, "texts": [{"at": place, "chars": chars} for place, chars in texts]}])
        return
    head = ['name = "mine"', f'kind = "{kind}"', 'events = ""', "", "# where the file's texts are, by characters:"]
    page([*head, *(f"# {chars:>8}  {in_a_line(place, _PREVIEW_WIDTH)}" for place, chars in texts[:_MOST_PLACES])])


def _layout_for(path: Path, file: Path | None) -> Layout:
    """Return the layout from a given file; without a file, the model's proposal. Raises RunArgumentError."""
    from dap_ai.debuggees.runs.layouts import model_layout, saved_layouts  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.run_files import CannotRead  # noqa: PLC0415  imported on use

    try:
        if file is not None:
            return saved_layouts.load(file)
        from dap_ai.commands.display.settings_table import resolve  # noqa: PLC0415  imported on use
        from dap_ai.debuggees.runs.commands.parts.model_prompt import asker  # noqa: PLC0415  imported on use

        return model_layout.propose_by_model(path, asker(resolve({}).settings))
    except (BadLayout, CannotRead) as error:
        raise RunArgumentError(visible(str(error))) from error


def _kept(layout: Layout, checked: LayoutCheck, name: str | None, *, replace: bool) -> str:
    """Save the layout if requested and valid; return the file's path, or an empty string. Raises RunArgumentError."""
    if name is None or not checked.is_good:
        return ""
    from dap_ai.debuggees.runs.layouts.saved_layouts import save  # noqa: PLC0415  imported on use

    try:
        return str(save(layout, name, os.environ, replace=replace))
    except BadLayout as error:
        raise RunArgumentError(str(error)) from error


def _fields(layout: Layout, checked: LayoutCheck, kept: str) -> dict[str, object]:
    """Return the object that --json prints."""
    run = checked.run
    return {
        "toml": written(layout),
        "good": checked.is_good,
        "faults": list(checked.faults),
        "reached": round(checked.reached, 4),
        "missed": [{"at": place, "chars": chars} for place, chars in checked.missed],
        "steps": run.steps if run else 0,
        "events": len(run.events) if run else 0,
        "problems": [problem.text for problem in run.problems] if run else [],
        "preview": preview(run, _MAX_PREVIEW) if run else [],
        "saved": kept,
    }


def _lines(layout: Layout, checked: LayoutCheck, kept: str) -> Iterator[str]:
    """Yield the layout, followed by the check's results as comments."""
    yield from visible(written(layout)).splitlines()
    yield ""
    run = checked.run
    if run is not None:
        told = f"{counted(run.steps, 'step')}, {counted(len(run.events), 'event')}"
        yield f"# {told}, {checked.reached:.1%} of the text reached"
        yield from (f"# {in_a_line(line, _PREVIEW_WIDTH)}" for line in preview(run, _MAX_PREVIEW))
        yield from (f"# problem: {in_a_line(problem.text, _PREVIEW_WIDTH)}" for problem in run.problems[:_MAX_PREVIEW])
    yield from (f"# fault: {in_a_line(fault)}" for fault in checked.faults)
    if kept:
        yield f"# saved: {path_shown(kept)}"
    elif checked.is_good:
        yield "# the check finds no fault; to keep it as a reader: --save NAME"
