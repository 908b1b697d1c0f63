"""Records the cells that this kernel has run: IPython's own history, and facts that IPython does not keep.

A cell that runs costs at most two dictionary entries; all other facts are read on demand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A cell as it ran. `source` is Python with magics translated; `failed_at` is the 1-based failing line, or 0."""

    number: int
    source: str
    raw: str
    id: str = ""
    """The notebook's cell id, which identifies later versions of the cell; empty if the front end sends none."""
    failed_at: int = 0

    @property
    def name(self) -> str:
        """The cell's name in the notebook, such as `In [7]`."""
        return f"In [{self.number}]"


class CellHistory:
    """The cell history of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._ids: dict[int, str] = {}
        self._failed: dict[int, int] = {}
        self.deleted: set[str] = set()
        """Ids of cells that the front end has reported as deleted."""

    def note(self, result: Any) -> None:
        """Records a cell that has run; the handler of IPython's event `post_run_cell`."""
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
        """Returns all cells in order of execution; the last cell is the one that runs now."""
        history = self._shell.history_manager
        raw: Sequence[str] = history.input_hist_raw
        ran = [(n, source) for n, source in enumerate(history.input_hist_parsed) if n and source.strip()]
        return [
            Cell(n, source, raw[n] if n < len(raw) else source, self._ids.get(n, ""), self._failed.get(n, 0))
            for n, source in ran
        ]

    def own(self) -> list[Cell]:
        """Returns the cells that contain more than line magics such as `%why`."""
        return [cell for cell in self.all() if not all(map(_is_command, cell.source.strip().splitlines()))]

    def learn(self, exc: BaseException | None) -> None:
        """Records the failing cell of an exception raised before the extension was loaded."""
        number, line = outermost(exc.__traceback__ if exc else None, self)
        if number:
            self._failed.setdefault(number, line)

    def number_of(self, path: str) -> int:
        """Returns the number of the cell with this file name; 0 if no cell has it.

        A cell that ran twice has its last number.
        """
        return self.numbers.get(path, 0)

    @property
    def numbers(self) -> Mapping[str, int]:
        """Maps the file name of each cell's code to the cell's number."""
        return getattr(self._shell.compile, "_filename_map", {})

    def path_of(self, cell: Cell) -> str:
        """Returns the file name of the cell's code, as tracebacks show it."""
        own = [path for path, number in self.numbers.items() if number == cell.number]
        return own[-1] if own else self._shell.compile.get_code_name(cell.raw, cell.source, cell.number)

    def named(self, text: str) -> str:
        """Returns the text with each cell's file name replaced by the cell's name, such as `In [7]`."""
        by_name = {os.path.basename(path): number for path, number in self.numbers.items()}  # noqa: PTH119  `<...>`, too
        folders = {os.path.basename(os.path.dirname(path)) for path in self.numbers} - {""}  # noqa: PTH119, PTH120
        if not by_name:
            return text
        folder = "|".join(map(re.escape, folders)) or r"(?!)"
        one = "|".join(map(re.escape, by_name))
        path = re.compile(rf"(?:(?:\b[ab]/)?(?:[^\s`'\"()]*/)?(?:{folder})/|\b|(?=<))({one})")
        return path.sub(lambda found: f"In [{by_name[found[1]]}]", text)


def outermost(tb: TracebackType | None, cells: CellHistory) -> tuple[int, int]:
    """Returns (cell number, 1-based line) of the outermost cell in a traceback; (0, 0) if the traceback has no cell."""
    while tb is not None:
        if number := cells.number_of(tb.tb_frame.f_code.co_filename):
            return number, tb.tb_lineno or 0
        tb = tb.tb_next
    return 0, 0


def _is_command(line: str) -> bool:
    return line.startswith(("get_ipython().run_line_magic(", "#")) or not line.strip()
