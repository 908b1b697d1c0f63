"""`dap-ai run search`: searches all texts of runs for a regular expression."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.commands.display.command_output import warn
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunPath, json_option
from dap_ai.debuggees.runs.commands.parts.run_output import on_terminal, page, print_json, screen_width, styled
from dap_ai.debuggees.runs.commands.parts.run_search import PathProgress, progress, read, runs_at
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.run_model import Ref
from dap_ai.debuggees.runs.searching import Match, matches

_HELP = """Search what agents said, called and got for the regular expression RE (Python's), line by line.

RUN is a run or a folder of runs. Exit code 1 where nothing is found, 2 where a run cannot be read.

\b
Examples:
  dap-ai run search 'rm -rf' results/
  dap-ai run search -i 'no module named' RUN --in result
  dap-ai run search --json TODO results/ | jq -r .path | sort -u
"""
_BEFORE = 30
_KINDS = ("task", "query", "response", "call", "result", "note", "change", "error", "end")


class SearchHit(msgspec.Struct, frozen=True):
    """A line of a run that matches the expression. The field names are the keys of `--json`."""

    path: str
    step: int
    """Number of the step with the line; 0 outside any step."""
    kind: str
    agent: str
    line: str
    ref: Ref


@click.command(help=_HELP)
@click.argument("pattern", metavar="RE")
@click.argument("runs", type=RunPath(), nargs=-1, required=True, metavar="RUN...")
@click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same.")
@click.option("--in", "kinds", type=click.Choice(_KINDS), multiple=True, help="Only in events of this kind.")
@json_option
def command(pattern: str, runs: Sequence[Path], kinds: Sequence[str], *, ignore_case: bool, as_json: bool) -> None:
    """Print the matching lines; exit code 1 without a match, 2 if a run cannot be read."""
    try:
        wanted = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise click.BadParameter(f"{pattern!r} is no regular expression: {error}", param_hint="RE") from error
    state: dict[str, bool] = {"found": False, "unread": False}
    with progress(quiet=on_terminal()) as shown:
        hits = _hits(wanted, runs, frozenset(kinds), shown, state)
        if as_json:
            print_json(hit for hit, _ in hits)
        else:
            page(_line(hit, match, screen_width()) for hit, match in hits)
    sys.exit(2 if state["unread"] else 0 if state["found"] else 1)


def _hits(
    wanted: re.Pattern[str], paths: Sequence[Path], kinds: frozenset[str], shown: PathProgress, state: dict[str, bool]
) -> Iterator[tuple[SearchHit, Match]]:
    for found in runs_at(paths):
        shown.step(found.path)
        run = read(found)
        if isinstance(run, str):
            shown.clear()
            warn(f"{path_shown(found.path)}: {run}")
            state["unread"] = True
            continue
        for match in matches(run, wanted, kinds):
            shown.clear()
            state["found"] = True
            event = match.event
            yield SearchHit(found.path, event.step, event.kind, event.agent, match.line, event.ref), match


def _line(hit: SearchHit, match: Match, width: int) -> str:
    """Format a match as one line: `PATH step 12 result: ... the match ...`."""
    where = f"step {hit.step} {hit.kind}" if hit.step else hit.kind
    start = f"{path_shown(hit.path)} {styled(where, fg='cyan')}: "
    begin = max(match.start - _BEFORE, 0)
    before = ("…" if begin else "") + in_a_line(match.line[begin : match.start] + "|")[:-1]
    said = in_a_line(match.line[match.start : match.end], width)
    after = in_a_line("|" + match.line[match.end : match.end + width], max(width - _BEFORE, 20))[1:]
    colour: dict[str, Any] = {"fg": "red", "bold": True}
    return start + styled(before) + styled(said, **colour) + styled(after)
