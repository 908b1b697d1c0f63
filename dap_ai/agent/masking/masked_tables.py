"""Finds and masks secrets in the cells of a table. A cell is named by its column, its row or a neighbouring cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dap_ai.agent.masking.secret_names import secret_name
from dap_ai.protocol.contracts.inspection import Column, Table
from dap_ai.protocol.wire.safe import Safe, put

_NUMERIC = re.compile(r"(?:u?int|float|complex|bool|datetime|timedelta|period|interval|Sparse)", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]{2,64}")


def mask_table(table: Table, mask: Callable[[str, str], Safe]) -> bool:
    """Masks a table's cells in place and returns whether any cell changed. `mask` takes (name, text)."""
    changed = False
    for column, at, name in list(_named_cells(table)):
        changed = _put(column.cells, at, mask(name, column.cells[at])) or changed
    put(table, label_names=[mask("", name) for name in table.label_names])
    for column in (*table.index, *table.columns):
        put(column, labels=[mask("", label) for label in column.labels])
    return changed


def _put(cells: list[str], at: int, masked: Safe) -> bool:
    before, cells[at] = cells[at], masked
    return before != masked


def secret_cells(table: Table) -> Iterator[tuple[str, str]]:
    """Yields (name, text) of each cell that has a secret name, such as `password`."""
    for column, at, name in _named_cells(table):
        if name:
            yield name, column.cells[at]


def _named_cells(table: Table) -> Iterator[tuple[Column, int, str]]:
    """Yields each cell as (column, row number, secret name). The name is empty for a cell without a secret name."""
    columns = [*table.index, *table.columns]
    size = max((len(column.cells) for column in columns), default=0)
    beside = [[at for at, column in enumerate(columns) if _is_name(column, row)] for row in range(size)]
    for number, column in enumerate(columns):
        above = next(filter(_is_secret, column.labels), "")
        for row in range(len(column.cells)):
            name = above if not _NUMERIC.match(column.dtype) else ""
            if not name and not _NUMERIC.match(column.dtype):
                name = next((columns[at].cells[row] for at in beside[row] if at != number), "")
            yield column, row, name


def _is_name(column: Column, row: int) -> bool:
    return row < len(column.cells) and _NAME.fullmatch(column.cells[row]) is not None and _is_secret(column.cells[row])


def _is_secret(name: str) -> bool:
    return secret_name(name) is not None
