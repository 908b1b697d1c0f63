"""`dap-ai run show`: shows a run on one screen, or one step of a run in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.commands.parts.overview import pattern_line, ranges, strip, tree_lines
from dap_ai.debuggees.runs.commands.parts.run_arguments import (
    RunArgumentError,
    StepNumber,
    analysed,
    json_option,
    opened,
    run_argument,
    step_of,
)
from dap_ai.debuggees.runs.commands.parts.run_output import (
    VERDICTS,
    on_terminal,
    page,
    print_json,
    screen_width,
    styled,
)
from dap_ai.debuggees.runs.commands.parts.step_view import events_of, place, step_fields, step_lines
from dap_ai.debuggees.runs.commands.parts.visible_texts import dollars, in_a_line, path_shown
from dap_ai.debuggees.runs.export.export_text import length_of_time
from dap_ai.debuggees.runs.gist import task_of
from dap_ai.debuggees.runs.run_model import Ref, Run, RunStep
from dap_ai.debuggees.runs.run_summary import row_of
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import counted

_HELP = """Show a run on a screen: task, outcome, stages, what changed; or one STEP in full, with where it is recorded.

The strip has a letter a step: Environment, Dependencies, Inspection, Patching, Verification, Submission. `--raw` prints
the bytes of the run's own files that the step (or, without STEP, the outcome) was read from.

\b
Examples:
  dap-ai run show results/django-11790
  dap-ai run show results/django-11790 12
  dap-ai run show results/django-11790 12 --raw | jq .
"""
_MAX_PROBLEMS = 8
_TASK_LINES = 3


@click.command(help=_HELP)
@run_argument
@click.argument("step", type=StepNumber(), required=False)
@click.option("--raw", is_flag=True, help="The artefact's own bytes, to stdout.")
@json_option
def command(run: Path, step: int | None, *, raw: bool, as_json: bool) -> None:
    """Print the run or the step; exit code 2 if the run cannot be read or has no such step."""
    if raw and as_json:
        raise click.UsageError("--raw prints the artefact's own bytes: leave out --json.")
    opened_run = opened(run)
    chosen = step_of(opened_run, step) if step is not None else None
    if raw:
        _print_raw(opened_run, chosen)
        return
    analysis = analysed(opened_run)
    kind = next((effect.kind for effect in analysis.effects if chosen and effect.step == chosen.number), "")
    if as_json:
        print_json([step_fields(chosen, kind) if chosen else _fields(run, opened_run, analysis)])
    else:
        page(step_lines(opened_run, chosen, kind) if chosen else _lines(opened_run, analysis, screen_width()))


def _fields(path: Path, run: Run, analysis: RunAnalysis) -> dict[str, Any]:
    """Return the run's fields for JSON: the row of `run list`, the whole task, the outcome, and the analysis."""
    row: dict[str, Any] = msgspec.to_builtins(row_of(str(path), run))
    found: dict[str, Any] = msgspec.to_builtins(analysis)
    words = {"task": run.task, "outcome_words": run.outcome.words, "problems": [each.text for each in run.problems]}
    agents = msgspec.to_builtins(list(run.agents))
    return row | words | {"agents": agents, "artefacts": list(run.artefacts)} | found


def _lines(run: Run, analysis: RunAnalysis, width: int) -> Iterator[str]:
    yield from _head(run, width)
    stages = analysis.stages
    parts: Sequence[Iterable[str] | None] = (
        [strip(stages, width), in_a_line(ranges(stages), width * 2)] if stages else None,
        tree_lines(analysis, width, folded=True) if analysis.tree else None,
        [_checks(analysis)] if analysis.checks else None,
        [pattern_line(pattern, width) for pattern in analysis.patterns],
        _problems(run, width) if run.problems else None,
    )
    for part in filter(None, parts):
        yield ""
        yield from part


def _head(run: Run, width: int) -> Iterator[str]:
    name = path_shown(run.root.replace("\\", "/").rstrip("/").rpartition("/")[2])
    version = run.format_version
    about = [
        version if run.format in version else f"{run.format} {version}".strip(),
        *_agents(run),
        counted(run.steps, "step"),
    ]
    about += [dollars(run.cost_usd), length_of_time(run.seconds)]
    yield styled(name, bold=True)
    yield in_a_line(" · ".join(part for part in about if part), width)
    verdict = styled(run.outcome.verdict, **VERDICTS.get(run.outcome.verdict, {}))
    where = f"  {place(run.outcome.ref)}" if run.outcome.ref else ""
    yield verdict + (f"  {in_a_line(run.outcome.words, width)}" if run.outcome.words else "") + styled(where, dim=True)
    if run.parent:
        yield in_a_line(f"{run.parent.words}, of {path_shown(run.parent.path)}", 2 * width)
    if run.task:
        yield ""
        yield in_a_line(task_of(run.task), _TASK_LINES * width - 1)


def _agents(run: Run) -> Iterator[str]:
    for agent in run.agents[:1]:
        yield agent.name if agent.name != "main" else ""
        yield agent.model
    if len(run.agents) > 1:
        yield counted(len(run.agents) - 1, "sub-agent")


def _checks(analysis: RunAnalysis) -> str:
    """Format a summary of the checks: `7 checks, 2 failed, the last at step 12 ok`."""
    checks = analysis.checks
    failed = sum(check.ok is False for check in checks)
    last = checks[-1]
    how = "ok" if last.ok else "failed" if last.ok is False else "unclear"
    return f"{counted(len(checks), 'check')}, {failed} failed, the last at step {last.step} {how}"


def _problems(run: Run, width: int) -> Iterator[str]:
    yield styled(counted(len(run.problems), "problem") + " in the files", fg="yellow")
    for problem in run.problems[:_MAX_PROBLEMS]:
        yield f"  {in_a_line(problem.text, width - 4)}{styled('  ' + place(problem.ref), dim=True)}"
    if len(run.problems) > _MAX_PROBLEMS:
        yield styled(f"  {len(run.problems) - _MAX_PROBLEMS} more: dap-ai run show RUN --json", dim=True)


def _print_raw(run: Run, step: RunStep | None) -> None:
    """Print the original bytes of a step's references, each once; on a terminal, escape control characters."""
    from dap_ai.debuggees.runs.refs import resolve  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.run_files import CannotRead  # noqa: PLC0415  imported on use

    for ref in _refs(run, step):
        try:
            data = resolve(run.root, ref)
        except CannotRead as error:
            raise RunArgumentError(str(error)) from error
        if on_terminal():
            click.echo(visible(data.decode("utf-8", "replace")))
        else:
            click.echo(data)


def _refs(run: Run, step: RunStep | None) -> list[Ref]:
    """Return the references of a step's call and result, or of its response; without a step, of the run's outcome."""
    if step is None:
        if run.outcome.ref is None:
            raise RunArgumentError(f"{path_shown(run.root)} records no outcome: name a STEP")
        return [run.outcome.ref]
    events = events_of(step)
    if step.call is not None:
        events = [event for event in events if event is not step.response]
    return list(dict.fromkeys(event.ref for event in events))
