"""A scan in which one run ends the process that reads it, as one is ended that wants too much memory."""

from __future__ import annotations

import os
import sys

import msgspec

from dap_ai.debuggees.runs.scan.scan_rows import ScanRow
from dap_ai.debuggees.runs.scan.scan_work import row_at, rows_of
from dap_ai.debuggees.runs.scan.workers import Processes

DEADLY = "deadly"


def deadly_or_row(place: str) -> ScanRow:
    """The row, but for a run with that name."""
    if DEADLY in place:
        os._exit(9)
    return row_at(place)


def main(places: list[str]) -> None:
    """Prints the rows."""
    # The module has another name in the processes of the pool than as a program.
    from tests.unit.debuggees.runs.scan import deadly  # noqa: PLW0406  see above

    with Processes(2) as pool:
        for row in rows_of(places, pool, 2, deadly.deadly_or_row):
            sys.stdout.write(msgspec.json.encode(row).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
