"""`dap-ai run scan`: analyses every run in folders, one row each."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from dap_ai.commands.display.command_output import say, warn
from dap_ai.debuggees.runs.commands.parts.executors import scan_executor
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError, RunPath
from dap_ai.debuggees.runs.commands.parts.run_output import print_json
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.scan.run_locations import runs_below
from dap_ai.debuggees.runs.scan.scan_results import Results, ResultsError, results_at
from dap_ai.debuggees.runs.scan.scan_work import rows_of
from dap_ai.system.extras import RUNS, MissingExtraError
from dap_ai.system.texts import counted

_HELP = """Read and analyse every run at or below each DIR: a row each of outcome, stages, patterns, counts and cost.

DIR is a folder, or a URL that fsspec knows (s3://bucket/runs). A run that cannot be read is a row with its `reason`.
The file may be gone on with: what it has a row of is not read again, and Ctrl-C leaves it whole.

\b
Executors:
  processes            of this machine, as many as --jobs (the default)
  dask=HOST:PORT       a Dask cluster, whose workers have dap_ai and see the same paths
  MODULE:CALLABLE      gives any concurrent.futures.Executor, such as mpi4py.futures:MPIPoolExecutor

\b
Examples:
  dap-ai run scan results/ --out runs.jsonl
  dap-ai run scan results/ more/ --out runs.parquet --jobs 8
  dap-ai run scan s3://bucket/runs --out runs.jsonl --executor dask=10.0.0.5:8786
"""


@click.command(help=_HELP)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", shell_complete=RunPath().shell_complete)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE", help="Where to.")
@click.option(
    "--jobs", type=click.IntRange(1, 4096), metavar="N", help="So many runs at once; one a processor without."
)
@click.option("--executor", "wanted", default="processes", metavar="EXECUTOR", help="Who reads them; see above.")
@click.option("--json", "as_json", is_flag=True, help="What came of it as a JSON object.")
def command(folders: Sequence[str], out: Path, jobs: int | None, wanted: str, *, as_json: bool) -> None:
    """Write one row per run; exit code 1 without a run, 2 if reading or writing fails, 130 after Ctrl-C."""
    try:
        RUNS.require()
        places = _places(folders)
        _check_apart(out, places)
        results = results_at(out)
    except ResultsError as error:
        raise click.BadParameter(str(error), param_hint="--out") from error
    except (CannotRead, MissingExtraError) as error:
        raise RunArgumentError(str(error)) from error
    except OSError as error:
        raise RunArgumentError(f"{path_shown(str(out))}: cannot be written: {error.strerror or error}") from error
    todo = [place for place in places if place not in results.done]
    tally = Counter(found=len(places), known=len(places) - len(todo))
    interrupted = _scan(todo, results, tally, wanted, jobs)
    _tell(tally, out, interrupted=interrupted, as_json=as_json)
    sys.exit(128 + signal.SIGINT if interrupted else 0 if places else 1)


def _places(folders: Sequence[str]) -> list[str]:
    """Return the runs below the folders without duplicates, in the order of the folders."""
    found: dict[str, None] = {}
    for folder in folders:
        found.update(dict.fromkeys(runs_below(folder)))
    return list(found)


def _check_apart(out: Path, places: Sequence[str]) -> None:
    """Raise UsageError if the output file is inside a run."""
    above = {str(folder) for folder in [Path(os.path.realpath(out)), *Path(os.path.realpath(out)).parents]}
    for place in places:
        if os.path.realpath(place) in above:
            raise click.UsageError(
                f"{path_shown(str(out))} is in the run {path_shown(place)}: nothing is written there."
            )


def _scan(todo: Sequence[str], results: Results, tally: Counter[str], wanted: str, jobs: int | None) -> bool:
    """Scan the runs; return whether Ctrl-C interrupted the scan. Finished rows are in the file in either case."""
    try:
        if todo:
            with scan_executor(wanted, jobs) as workers, _bar(len(todo)) as advance:
                for row in rows_of(todo, workers.executor, workers.jobs):
                    results.add(row)
                    tally[row.outcome if not row.reason else "unreadable"] += 1
                    tally["scanned"] += 1
                    advance(row.path)
    except KeyboardInterrupt:
        return True
    finally:
        _close(results)
    return False


def _close(results: Results) -> None:
    try:
        results.close()
    except OSError as error:
        raise RunArgumentError(f"the file cannot be written: {error.strerror or error}") from error


@contextmanager
def _bar(total: int) -> Generator[Any]:
    """Show a progress bar if stderr is a terminal."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[path]}", markup=False),
    )
    console = Console(stderr=True, highlight=False)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task: TaskID = progress.add_task("", total=total, path="")

        def advance(path: str) -> None:
            progress.update(task, advance=1, path=in_a_line(path_shown(path), 60))

        yield advance


def _tell(tally: Counter[str], out: Path, *, interrupted: bool, as_json: bool) -> None:
    if as_json:
        print_json([{**tally, "out": str(out), "interrupted": interrupted}])
        return
    if not tally["found"]:
        warn("no recorded run is there")
        return
    say(f"{path_shown(str(out))}: {', '.join(_counts(tally))}")
    if interrupted:
        warn("interrupted: the same command goes on from there")


def _counts(tally: Counter[str]) -> Iterator[str]:
    yield f"{counted(tally['scanned'], 'run')} scanned of {tally['found']}"
    if tally["known"]:
        yield f"{tally['known']} known before"
    for verdict in ("solved", "failed", "limit", "error", "unknown", "unreadable"):
        if tally[verdict]:
            yield f"{tally[verdict]} {verdict}"
