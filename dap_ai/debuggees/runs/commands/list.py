"""`dap-ai run list`: lists every run in a folder and its subfolders, one row each."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dap_ai.debuggees.runs.commands.parts.run_arguments import RunPath
from dap_ai.debuggees.runs.commands.parts.run_output import on_terminal, page, print_json, screen_width
from dap_ai.debuggees.runs.commands.parts.run_search import PathProgress, progress, read, runs_at
from dap_ai.debuggees.runs.commands.parts.visible_texts import dollars, in_a_line, path_shown
from dap_ai.debuggees.runs.export.export_text import length_of_time
from dap_ai.debuggees.runs.run_summary import RunRow, row_of, row_of_unreadable
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import counted

_HELP = """List the recorded runs in a folder and below it: what ran, how it ended, what it cost.

What no reader knows is no row. What a reader takes for its own and cannot read is one, with the reason.
An outcome is what the run itself records: solved, failed, limit, error, or unknown; it is never guessed.

\b
Examples:
  dap-ai run list results/
  dap-ai run list results/ --sort cost_usd --reverse
  dap-ai run list --json | jq -r 'select(.outcome == "failed") | .path'
"""
_COLUMNS = RunRow.__struct_fields__
_STYLES = {"solved": "bold green", "failed": "bold red", "limit": "bold yellow", "error": "bold magenta"}
_NUMBERS = frozenset({"steps", "cost", "time"})
_WIDEST = {"agent": 14, "model": 20, "task": 80}
_NARROWEST = 14
"""Minimum width of a path or a task, in characters."""
_WANTED = 60
"""Width in characters that path and task need together; other columns are left out to make room."""


@click.command(help=_HELP)
@click.argument("folder", type=RunPath(), default=".", metavar="[DIR]")
@click.option("--sort", type=click.Choice(_COLUMNS), metavar="COLUMN", help=f"One of {', '.join(_COLUMNS)}.")
@click.option("--reverse", is_flag=True, help="The largest first.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, with the columns as keys.")
def command(folder: Path, sort: str | None, *, reverse: bool, as_json: bool) -> None:
    """Print one row per run; exit code 1 if there is no run, 2 if the path cannot be read."""
    with progress(quiet=as_json and on_terminal()) as shown:
        rows: Iterator[RunRow] | list[RunRow] = _rows(folder, shown)
        if sort or reverse or not as_json:
            rows = sorted_rows(list(rows), sort, reverse=reverse)
        if as_json:
            sys.exit(0 if print_json(rows) else 1)
    rows = list(rows)
    if not rows:
        click.echo(f"no recorded run below {path_shown(str(folder))}", err=True)
        sys.exit(1)
    page(table_lines(rows, screen_width() if on_terminal() else None, folder))


def _rows(folder: Path, shown: PathProgress) -> Iterator[RunRow]:
    for found in runs_at([folder]):
        shown.step(found.path)
        run = read(found)
        yield row_of_unreadable(found.path, run, found.reader) if isinstance(run, str) else row_of(found.path, run)


def sorted_rows(rows: list[RunRow], column: str | None, *, reverse: bool) -> list[RunRow]:
    """Sort the rows by a column, or keep their order. Rows without a value are last, even with `reverse`."""
    if column is None:
        return rows[::-1] if reverse else rows

    def key(row: RunRow) -> Any:
        return len(row.problems) if column == "problems" else getattr(row, column)

    known = [row for row in rows if getattr(row, column) not in (None, "")]
    unknown = [row for row in rows if getattr(row, column) in (None, "")]
    return sorted(known, key=key, reverse=reverse) + unknown


def table_lines(rows: Sequence[RunRow], width: int | None, folder: Path) -> Iterator[str]:
    """Yield the table's lines, each of at most `width` characters if given, and a line of totals.

    Paths are relative to the folder. If the table is too wide, columns for agents and models are left out first; then
    tasks and the beginnings of paths are cut.
    """
    cells = [_cells(msgspec.structs.replace(row, path=_below(folder, row.path))) for row in rows]
    widths = _widths(cells, width)
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name, size in widths.items():
        justify: Literal["left", "right"] = "right" if name in _NUMBERS else "left"
        table.add_column(name, no_wrap=True, overflow="ellipsis", justify=justify, min_width=size, max_width=size)
    for row in cells:
        table.add_row(*(_fitting(name, row[name], size) for name, size in widths.items()))
    out = io.StringIO()
    line_width = sum(widths.values()) + len(widths) - 1
    Console(file=out, width=line_width, force_terminal=on_terminal(), highlight=False).print(table)
    yield from (line.rstrip() for line in out.getvalue().splitlines())
    yield ""
    yield _totals(rows)


def _below(folder: Path, path: str) -> str:
    below = os.path.relpath(path, folder)
    return path if below == "." else below


def _widths(cells: Sequence[dict[str, Text]], width: int | None) -> dict[str, int]:
    """Return the columns to show, with their widths."""
    widths = {name: max(len(name), *(row[name].cell_len for row in cells)) for name in cells[0]}
    widths = {name: min(size, _WIDEST.get(name, size)) for name, size in widths.items()}
    if len({row["agent"].plain for row in cells}) == 1:
        del widths["agent"]  # the same in every row
    for name in ("agent", "model"):
        if width is not None and _room(widths, width) < _WANTED:
            widths.pop(name, None)
    if width is not None and (room := max(_room(widths, width), 2 * _NARROWEST)) < widths["path"] + widths["task"]:
        task = min(widths["task"], max(room * 2 // 5, _NARROWEST))
        widths["path"] = min(widths["path"], room - task)
        widths["task"] = min(widths["task"], room - widths["path"])
    return widths


def _room(widths: dict[str, int], width: int) -> int:
    """Return the number of characters that remain for path and task."""
    others = [size for name, size in widths.items() if name not in {"path", "task"}]
    return width - sum(others) - len(widths) + 1


def _fitting(name: str, cell: Text, size: int) -> Text:
    """Shorten a long path at its beginning, because paths differ at their ends."""
    if name != "path" or cell.cell_len <= size:
        return cell
    return Text(f"…{cell.plain[-(size - 1) :]}", style=cell.style)


def _cells(row: RunRow) -> dict[str, Text]:
    unreadable = not row.steps and not row.task and row.problems
    outcome = Text(row.outcome, style=_STYLES.get(row.outcome, "dim"))
    if row.problems:
        outcome.append(f" !{len(row.problems)}", style="yellow")
    return {
        "path": Text(path_shown(row.path)),
        **{name: Text(in_a_line(visible(getattr(row, name)))) for name in ("format", "agent", "model")},
        "steps": Text(str(row.steps)),
        "outcome": outcome,
        "cost": Text(dollars(row.cost_usd)),
        "time": Text(length_of_time(row.seconds)),
        "task": Text(in_a_line(row.problems[0]), style="red") if unreadable else Text(in_a_line(row.task)),
    }


def _totals(rows: Sequence[RunRow]) -> str:
    parts = [counted(len(rows), "run")]
    for verdict in ("solved", "failed", "limit", "error", "unknown"):
        number = sum(row.outcome == verdict for row in rows)
        parts += [f"{number} {verdict}"] if number else []
    cost = sum(row.cost_usd or 0 for row in rows)
    problems = sum(bool(row.problems) for row in rows)
    parts += [dollars(cost)] if cost else []
    parts += [f"{problems} with problems (!)"] if problems else []
    return ", ".join(parts)
