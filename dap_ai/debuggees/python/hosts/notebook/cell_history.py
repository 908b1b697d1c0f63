"""The cells that this kernel has run: IPython's own history, and for each cell what it does not keep.

A cell that runs costs two dictionary entries: everything else is read when it is asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A cell as it ran. `source` is Python, its magics translated; `failed_at` a line of it, 1-based, 0: it did not."""

    number: int
    source: str
    raw: str
    id: str = ""
    """The notebook's own, by which a later text of the same cell is known; empty: the front end tells none."""
    failed_at: int = 0

    @property
    def name(self) -> str:
        """As people call it."""
        return f"In [{self.number}]"


class CellHistory:
    """Of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._ids: dict[int, str] = {}
        self._failed: dict[int, int] = {}
        self.deleted: set[str] = set()
        """Ids of cells that the front end has told to be gone."""

    def note(self, result: Any) -> None:
        """After each cell; see IPython's event `post_run_cell`."""
        number, info = result.execution_count, result.info
        if number is None or info is None:
            return
        if cell_id := getattr(info, "cell_id", None):
            self._ids[number] = cell_id
            metadata: Mapping[str, Any] = self._shell.get_parent().get("metadata", {})
            self.deleted.update(metadata.get("deletedCells", ()))
        if (failed := result.error_in_exec) is not None:
            self._failed[number] = outermost(failed.__traceback__, self)[1] or 1

    def all(self) -> list[Cell]:
        """In order of execution; the one that runs now is the last."""
        history = self._shell.history_manager
        raw: Sequence[str] = history.input_hist_raw
        ran = [(n, source) for n, source in enumerate(history.input_hist_parsed) if n and source.strip()]
        return [
            Cell(n, source, raw[n] if n < len(raw) else source, self._ids.get(n, ""), self._failed.get(n, 0))
            for n, source in ran
        ]

    def own(self) -> list[Cell]:
        """Those that hold more than commands to IPython, such as ours."""
        return [cell for cell in self.all() if not all(map(_is_command, cell.source.strip().splitlines()))]

    def learn(self, exc: BaseException | None) -> None:
        """An error from before this was loaded."""
        number, line = outermost(exc.__traceback__ if exc else None, self)
        if number:
            self._failed.setdefault(number, line)

    def number_of(self, path: str) -> int:
        """Of the cell whose code has this file's name; 0: it is no cell. One that ran twice has its last number."""
        return self.numbers.get(path, 0)

    @property
    def numbers(self) -> Mapping[str, int]:
        """By the name of each cell's file, as its code has it."""
        return getattr(self._shell.compile, "_filename_map", {})

    def path_of(self, cell: Cell) -> str:
        """The name of the file that the cell's code has."""
        own = [path for path, number in self.numbers.items() if number == cell.number]
        return own[-1] if own else self._shell.compile.get_code_name(cell.raw, cell.source, cell.number)

    def named(self, text: str) -> str:
        """The text with each cell's file called as people call the cell: `In [7]`."""
        by_name = {os.path.basename(path): number for path, number in self.numbers.items()}  # noqa: PTH119  `<...>`, too
        folders = {os.path.basename(os.path.dirname(path)) for path in self.numbers} - {""}  # noqa: PTH119, PTH120
        if not by_name:
            return text
        folder = "|".join(map(re.escape, folders)) or r"(?!)"
        one = "|".join(map(re.escape, by_name))
        path = re.compile(rf"(?:(?:\b[ab]/)?(?:[^\s`'\"()]*/)?(?:{folder})/|\b|(?=<))({one})")
        return path.sub(lambda found: f"In [{by_name[found[1]]}]", text)


def outermost(tb: TracebackType | None, cells: CellHistory) -> tuple[int, int]:
    """(number of the cell, line of it) of the cell that was run when a traceback came about; (0, 0): of none."""
    while tb is not None:
        if number := cells.number_of(tb.tb_frame.f_code.co_filename):
            return number, tb.tb_lineno or 0
        tb = tb.tb_next
    return 0, 0


def _is_command(line: str) -> bool:
    return line.startswith(("get_ipython().run_line_magic(", "#")) or not line.strip()
