"""`dap-ai run compare`: finds the first difference between the changes of two runs of a task."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.run_differences import Divergence, compare
from dap_ai.debuggees.runs.commands.parts.overview import strip
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunPath, analysed, json_option, opened, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import VERDICTS, diff_lines, page, print_json, screen_width, styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import dollars, in_a_line, path_shown
from dap_ai.debuggees.runs.export.encoding import name_of
from dap_ai.debuggees.runs.export.export_text import length_of_time
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.system.texts import counted

_HELP = """Compare two runs of one task, one that went well and one that did not, say: the first change that differs.

Of a run that `dap-ai run fork`, `retry` or `replay` made, RUN2 may be left out: it is compared with the run it was made
from.

Exit code 0 where all changes are alike, 1 where they are not.

\b
Examples:
  dap-ai run compare failed/ solved/
  dap-ai run compare fork/
  dap-ai run compare failed/ solved/ --json | jq .step
  dap-ai run compare failed/ solved/ --to html > both.html    a page, secrets masked; view: what it is given, as JSON
"""


@click.command(help=_HELP)
@run_argument
@click.argument("other", type=RunPath(), metavar="[RUN2]", required=False)
@click.option("--to", "target", type=click.Choice(("html", "view")), help="Both runs side by side, to stdout.")
@json_option
def command(run: Path, other: Path | None, target: str | None, *, as_json: bool) -> None:
    """Print the first difference between two runs' changes; exit code 0 without a difference, else 1."""
    first = opened(run)
    if other is None and first.parent is None:
        raise click.UsageError("RUN2 is missing: this run was made from no other.")
    second = opened(other or Path(first.parent.path if first.parent else ""))
    if other is None:
        first, second = second, first
    mine, theirs = analysed(first), analysed(second)
    found = compare(first, mine, second, theirs)
    if target is not None:
        _beside([(first, mine), (second, theirs)], target)
    elif as_json:
        print_json([_fields(first, second, found)])
    else:
        page(_lines([(first, mine), (second, theirs)], found))
    sys.exit(1 if found else 0)


def _beside(both: list[tuple[Run, RunAnalysis]], target: str) -> None:
    """Print both runs side by side, as an HTML page or as that page's data in JSON."""
    from dap_ai.debuggees.runs.commands.export import a_masker, masked_by  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.export.encoding import encoded  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.export.page.document import document  # noqa: PLC0415  imported on use
    from dap_ai.debuggees.runs.export.view.build_view import both_of, bound_of, view_of  # noqa: PLC0415  on use

    is_page = target == "html"
    if is_page:
        masker = a_masker()
        both = [masked_by(masker, run, analysis) for run, analysis in both]
    [(first, mine), (second, theirs)] = both
    views = [view_of(run, analysis, masked=is_page, most_chars=bound_of(run)) for run, analysis in both]
    made = both_of(views, compare(first, mine, second, theirs), same_task=_is_same_task(first, second))
    click.echo(document(made) if is_page else encoded(made, indent=-1), nl=False)


def _fields(first: Run, second: Run, found: Divergence | None) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(found) if found else {}
    outcomes = [first.outcome.verdict, second.outcome.verdict]
    return {"same_task": _is_same_task(first, second), "outcomes": outcomes, "differs": fields or None}


def _is_same_task(first: Run, second: Run) -> bool:
    return first.task.split() == second.task.split()


def _lines(both: list[tuple[Run, RunAnalysis]], found: Divergence | None) -> Iterator[str]:
    width = screen_width()
    for name, (run, analysis) in zip(("first ", "second"), both, strict=True):
        verdict = styled(run.outcome.verdict, **VERDICTS.get(run.outcome.verdict, {}))
        facts = [counted(run.steps, "step"), dollars(run.cost_usd), length_of_time(run.seconds)]
        yield f"{name} {verdict}  {path_shown(name_of(run))}  {' · '.join(fact for fact in facts if fact)}"
        yield strip(analysis.stages, width)
    if not _is_same_task(both[0][0], both[1][0]):
        yield styled("the two runs have different tasks", fg="yellow")
    yield ""
    yield from _difference(found, width)


def _difference(found: Divergence | None, width: int) -> Iterator[str]:
    if found is None:
        yield "all changes are alike"
        return
    yield f"{counted(found.same, 'change')} alike, then: {in_a_line(found.text, width)}"
    yield f"first: step {found.step or 'none'}, second: step {found.other or 'none'}"
    yield from diff_lines(found.diff)
