"""Formats tables as aligned text of limited width. Counts hidden rows and columns, and escapes control characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import msgspec

from dap_ai.protocol.contracts.inspection import Column, Table, Value
from dap_ai.system.texts import counted, cut

MAX_WIDTH = 110
"""Maximum width of a line, in terminal cells."""
_MAX_CELL = 40
_MAX_NAMED = 12
_GAP = "  "
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)")
_FLOATS = re.compile(r"float\d*", re.IGNORECASE)
_DIGITS = 6
_MISSING = frozenset({"NaN", "NaT", "<NA>", "None"})


def table_of(value: Value, max_width: int = MAX_WIDTH) -> str:
    """Formats a value's table, with size and types below. Returns an empty string if the value has no table."""
    if value.table is None:
        return ""
    return aligned(value.table, max_width)


def shortened(table: Table, rows: int) -> Table:
    """Returns the table with at most `rows` rows: its first and its last rows."""
    size = len(table.index[0].cells) if table.index else 0
    if size <= rows:
        return table
    tail = rows // 2
    head = min(table.head, rows - tail)

    def ends(column: Column) -> Column:
        return Column(column.labels, [*column.cells[:head], *column.cells[size - tail :]], column.dtype)

    index, columns = [ends(column) for column in table.index], [ends(column) for column in table.columns]
    return msgspec.structs.replace(table, index=index, columns=columns, head=head)


def aligned(table: Table, max_width: int = MAX_WIDTH) -> str:
    """Formats a table: column labels, rows, then size and types."""
    index = [_Block(column) for column in table.index]
    own = [_Block(column) for column in table.columns]
    left, right = _fitting(index, own, table, max_width)
    hidden = table.hidden_columns + len(own) - len(left) - len(right)
    gap = [_Gap(len(table.columns[0].cells))] if hidden and own else []
    blocks = [*index, *left, *gap, *right]
    rows = [row for row in _header(table, index, blocks) if row.strip()]
    cells = [[block.cells[n] for block in blocks] for n in range(len(blocks[0].cells) if blocks else 0)]
    body = [_line(blocks, row) for row in cells]
    left_out = table.rows - table.first - len(body)
    if left_out > 0 and table.head < len(body):
        body.insert(table.head, f"... {left_out:,} more rows")
    elif left_out > 0:
        body.append(f"... {left_out:,} more rows")
    return "\n".join([*rows, *body, "", *_footer(table, hidden)]).rstrip()


def _header(table: Table, index: Sequence[_Block], blocks: Sequence[_Block]) -> Iterator[str]:
    """Yields one line for each level of the column labels, and a line with the names of the index columns."""
    levels = max((len(block.labels) for block in blocks[len(index) :]), default=1)
    heads = [_short(name) for name in table.label_names] if any(table.label_names) else []
    if heads and index:
        index[0].widen(heads)
    beside = ["" if heads else block.labels[0] for block in index]
    for level in range(levels):
        left = beside if level == levels - 1 else ["" for _ in index]
        if heads and index:
            left = [heads[level], *("" for _ in index[1:])]
        yield _line(blocks, [*left, *(block.label(level) for block in blocks[len(index) :])])
    if heads:
        own = [block.labels[0] for block in index]
        yield _line(blocks, [*own, *("" for _ in blocks[len(index) :])])


def _footer(table: Table, hidden: int) -> Iterator[str]:
    size = counted(table.rows, "row")
    if len(table.columns) > 1 or hidden:
        size += f" x {len(table.columns) + table.hidden_columns} columns"
    alone = len(table.columns) == 1 and not hidden
    types = [
        column.dtype if alone else f"{_name(column)} {column.dtype}".strip() for column in table.columns if column.dtype
    ]
    listed = types
    if len({column.dtype for column in table.columns}) == 1 and len(types) > 1:
        listed = [f"all {table.columns[0].dtype}"] if not table.hidden_columns else [f"{table.columns[0].dtype}, ..."]
    elif len(types) > _MAX_NAMED:
        listed = [*types[:_MAX_NAMED], f"... {len(table.columns) + table.hidden_columns - _MAX_NAMED} more"]
    yield f"{size}{': ' if listed else ''}{', '.join(listed)}"
    if hidden:
        yield f"{hidden} column{'s are' if hidden > 1 else ' is'} not shown"


class _Block:
    """One column's cells and the width to which they are padded."""

    def __init__(self, column: Column) -> None:
        self.labels = [_short(label) for label in column.labels]
        cells = _rounded(column.cells) if _FLOATS.fullmatch(column.dtype) else column.cells
        self.cells = [_short(cell) for cell in cells]
        plain = [cell for cell in self.cells if cell and cell not in _MISSING]
        self.right = bool(plain) and all(_NUMBER.fullmatch(cell) for cell in plain)
        self.width = 0
        self.widen([*self.cells, *self.labels])

    def widen(self, texts: Sequence[str]) -> None:
        """Widens the column to fit these texts."""
        self.width = max(self.width, *map(_cells_wide, texts), 0)

    def label(self, level: int) -> str:
        """Returns the column's label at one header level; empty if the column has fewer levels."""
        return self.labels[level] if level < len(self.labels) else ""


class _Gap(_Block):
    """Column of `...` that stands for hidden columns."""

    def __init__(self, rows: int) -> None:
        super().__init__(Column(["..."], ["..."] * rows))


def _fitting(
    index: Sequence[_Block], own: Sequence[_Block], table: Table, max_width: int
) -> tuple[list[_Block], list[_Block]]:
    """Returns the columns to show before and after the gap. If not all fit, drops columns in the middle."""
    room = max_width - sum(block.width + len(_GAP) for block in index)
    if not table.hidden_columns and sum(block.width + len(_GAP) for block in own) <= room:
        return list(own), []
    room -= len(_GAP) + 3
    left: list[_Block] = []
    right: list[_Block] = []
    before, after = list(own[: table.left or len(own)]), list(own[table.left or len(own) :])
    if not after:
        before, after = list(own[: (len(own) + 1) // 2]), list(own[(len(own) + 1) // 2 :])
    while before or after:
        from_left = bool(before) and (len(left) <= 2 * len(right) or not after)
        block = before[0] if from_left else after[-1]
        room -= block.width + len(_GAP)
        if room < 0 and left:
            break
        if from_left:
            left.append(before.pop(0))
        else:
            right.insert(0, after.pop())
    return left, right


def _line(blocks: Sequence[_Block], texts: Sequence[str]) -> str:
    padded = [_padded(text, block) for block, text in zip(blocks, texts, strict=True)]
    return _GAP.join(padded).rstrip()


def _padded(text: str, block: _Block) -> str:
    room = " " * (block.width - _cells_wide(text))
    return room + text if block.right else text + room


def _name(column: Column) -> str:
    return ".".join(visible(label) for label in column.labels if label)


def _rounded(cells: Sequence[str]) -> list[str]:
    """Formats all floats with the same number of decimals, at most six.

    Uses exponents for very large or small values.
    """
    numbers = [float(cell) for cell in cells if _NUMBER.fullmatch(cell) and cell.strip("+-") != "inf"]
    sizes = [abs(number) for number in numbers if number]
    if sizes and (max(sizes) >= 1e15 or min(sizes) < 1e-4):
        return [f"{float(cell):.{_DIGITS}g}" if _NUMBER.fullmatch(cell) else cell for cell in cells]
    decimals = max((_decimals(number) for number in numbers), default=1)
    return [
        f"{float(cell):.{decimals}f}" if _NUMBER.fullmatch(cell) and cell.strip("+-") != "inf" else cell
        for cell in cells
    ]


def _decimals(number: float) -> int:
    text = f"{number:.{_DIGITS}f}".rstrip("0")
    return max(1, len(text.partition(".")[2]))


def _short(cell: str) -> str:
    return cut(visible(cell), _MAX_CELL)


def visible(text: str) -> str:
    """Returns the text with unprintable characters, including line breaks, escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _cells_wide(text: str) -> int:
    return sum(_WIDTHS.get(unicodedata.east_asian_width(c), 1) - bool(unicodedata.combining(c)) for c in text)


_WIDTHS = {"W": 2, "F": 2}
