"""`dap-ai run onset`: finds the steps at which a run went wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.commands.display.command_output import warn
from dap_ai.debuggees.runs.analysis.onset_model import Onset, OnsetEvidence, OnsetFinding, OnsetSuspect
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunPath, json_option, opened
from dap_ai.debuggees.runs.commands.parts.run_output import page, print_json, screen_width, styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.export.export_text import steps_range
from dap_ai.debuggees.runs.run_model import Ref, Run

_HELP = """Say where each RUN went wrong: one block of steps, the kind of error, the chain to the symptom, quotes.

By rules that go back from a symptom at the run's end, without a model. Nothing is said of a run that records that it
was solved, nor of one without a verdict whose own text shows no symptom: --failed says that you know that it failed.

A file of a trial (Harbor, Terminal-Bench) is read with the task and the verdict that its folder holds.
Exit code 0 where every run was read, 2 where one could not be.

\b
Examples:
  dap-ai run onset RUN
  dap-ai run onset RUN --failed
  dap-ai run onset failed.traj --against solved.traj
  dap-ai run onset results/*.traj --json | jq -r 'select(.onset) | [.run, .onset.step, .onset.type] | @tsv'
"""
_LEVELS = 2
"""Number of folders above a file that may be its trial's folder (one run's results)."""


@click.command(help=_HELP)
@click.argument("runs", type=RunPath(), nargs=-1, required=True, metavar="RUN...")
@click.option("--failed", is_flag=True, help="The runs are known to have failed, whatever they record.")
@click.option("--against", type=RunPath(), metavar="RUN2", help="A run of the same task that went well.")
@json_option
def command(runs: Sequence[Path], against: Path | None, *, failed: bool, as_json: bool) -> None:
    """Print where each run went wrong; a run that cannot be read is a row with `error`."""
    passing = opened(against) if against is not None else None
    read = {"all": True}
    found = _found(runs, passing, failed, read)
    if as_json:
        print_json(_fields(path, finding) for path, finding in found)
    else:
        page(_lines(found, screen_width(), several=len(runs) > 1))
    sys.exit(0 if read["all"] else 2)


def _found(
    paths: Sequence[Path], passing: Run | None, failed: bool, read: dict[str, bool]
) -> Iterator[tuple[Path, OnsetFinding | str]]:
    """Yield (path, finding) of each run; for a run that can't be read, (path, reason)."""
    for path in paths:
        try:
            run = opened(path)
        except click.ClickException as error:
            read["all"] = False
            yield path, error.message
            continue
        yield path, _finding(_with_its_trial(path, run), path, passing, failed=failed)


def _with_its_trial(path: Path, run: Run) -> Run:
    """Return the run as read from the folder of its trial, with task and verdict, if the file belongs to a trial."""
    from dap_ai.debuggees.runs.opening import CannotRead, open_run  # noqa: PLC0415  not needed for --help

    whole = path.absolute()
    for folder in list(whole.parents)[:_LEVELS] if path.is_file() else []:
        try:
            trial = open_run(folder)
        except CannotRead:
            continue
        if trial.steps == run.steps and whole.relative_to(folder).as_posix() in trial.artefacts:
            return trial
    return run


def _finding(run: Run, path: Path, passing: Run | None, *, failed: bool) -> OnsetFinding:
    from dap_ai.debuggees.runs.analysis.analyse import analyse, analyse_against  # noqa: PLC0415  not needed for --help

    if passing is None:
        return analyse(run, failed=failed).finding
    if run.task.split() != passing.task.split():
        warn(f"{path_shown(str(path))}: its task is another than that of --against")
    return analyse_against(run, passing, failed=failed).finding


# -- JSON ----------------------------------------------------------------------------------------------------------


def _fields(path: Path, finding: OnsetFinding | str) -> dict[str, Any]:
    if isinstance(finding, str):
        return {"run": str(path), "onset": None, "error": finding}
    if finding.onset is None:
        return {"run": str(path), "onset": None, "why": finding.why}
    return {"run": str(path), "onset": _suspect(finding.onset, [_suspect(one) for one in finding.onset.alternatives])}


def _suspect(one: OnsetSuspect, alternatives: Sequence[Any] = ()) -> dict[str, Any]:
    """Return all JSON fields of an onset, including empty ones; the onset's own sentence is in the chain."""
    fields = {name: getattr(one, name) for name in ("step", "first", "last", "type", "confidence")}
    chain = [msgspec.to_builtins(link) for link in one.chain]
    evidence = [msgspec.to_builtins(each) for each in one.evidence]
    return {**fields, "chain": chain, "evidence": evidence, "alternatives": list(alternatives)}


# -- text ----------------------------------------------------------------------------------------------------------


def _lines(found: Iterator[tuple[Path, OnsetFinding | str]], width: int, *, several: bool) -> Iterator[str]:
    for path, finding in found:
        if several:
            yield styled(path_shown(str(path)), bold=True)
        if isinstance(finding, str):
            yield styled(f"cannot be read: {in_a_line(finding)}", fg="red")
        elif finding.onset is None:
            yield in_a_line(f"nothing is said: {finding.why}")
        else:
            yield from _onset(finding.onset, width)
        if several:
            yield ""


def _onset(onset: Onset, width: int) -> Iterator[str]:
    where = f"step {onset.step}" if onset.first == onset.last else f"steps {steps_range(onset.first, onset.last)}"
    yield f"{styled(where, fg='red', bold=True)}  {onset.type}, confidence {onset.confidence:.2f}"
    yield in_a_line(onset.text)
    if len(onset.chain) > 1:
        yield from ("", "from there to the symptom")
        yield from (f"{link.step:>5}  {in_a_line(link.text, max(width - 7, 20))}" for link in onset.chain)
    if onset.evidence:
        yield from ("", "evidence")
        for evidence in onset.evidence:
            yield from _evidence(evidence, width)
    if onset.alternatives:
        yield from ("", "or else")
        yield from (_alternative(one, width) for one in onset.alternatives)


def _evidence(evidence: OnsetEvidence, width: int) -> Iterator[str]:
    place = f"step {evidence.step}" if evidence.step else "recorded"
    yield f"       {styled(place, fg='cyan')}  {styled(_place(evidence.ref), dim=True)}"
    yield f"       > {in_a_line(evidence.quote, max(width - 9, 20))}"


def _place(ref: Ref) -> str:
    """Format a reference into a run's files: `agent/log.jsonl:12 /message/content/0`."""
    line = f":{ref.lines[0]}" if ref.lines else ""
    return " ".join(part for part in (path_shown(f"{ref.path}{line}"), path_shown(ref.pointer)) if part)


def _alternative(one: OnsetSuspect, width: int) -> str:
    return f"{one.step:>5}  {one.confidence:.2f}  {in_a_line(f'{one.type}: {one.text}', max(width - 13, 20))}"
