"""Tables as text: aligned, bounded, and with nothing in them that a terminal obeys."""

from __future__ import annotations

from dap_ai.agent.case.text_tables import aligned, shortened
from dap_ai.protocol.contracts.inspection import Column, Table


def table(*columns: Column, rows: int = 0, **more: object) -> Table:
    size = len(columns[0].cells) if columns else 0
    index = [Column([""], [str(n) for n in range(size)], "int64")]
    return Table(rows or size, index, list(columns), head=size, **more)  # type: ignore[arg-type]


def test_numbers_stand_right_and_texts_left_below_their_labels() -> None:
    text = aligned(table(Column(["name"], ["ann", "bo"], "str"), Column(["total"], ["7", "12345"], "int64")))

    assert text.splitlines() == [
        "   name  total",
        "0  ann       7",
        "1  bo    12345",
        "",
        "2 rows x 2 columns: name str, total int64",
    ]


def test_floats_of_a_column_have_the_decimals_that_the_longest_needs() -> None:
    def shown(*cells: str) -> list[str]:
        rows = aligned(table(Column(["x"], list(cells), "float64"))).splitlines()
        return [row.split()[-1] for row in rows[1 : len(cells) + 1]]

    assert shown("12.5", "NaN", "0.333333333333") == ["12.500000", "NaN", "0.333333"]
    assert shown("1.0", "inf", "-2.0") == ["1.0", "inf", "-2.0"]
    assert shown("0.30000000000000004") == ["0.3"]
    assert shown("1e-09", "2e+20") == ["1e-09", "2e+20"]


def test_rows_that_are_left_out_are_counted_where_they_are_missing() -> None:
    ends = Table(1_000_000, [Column([""], ["0", "999999"])], [Column(["a"], ["1", "2"], "int64")], head=1)
    assert aligned(ends).splitlines()[1:4] == ["     0  1", "... 999,998 more rows", "999999  2"]

    page = Table(90, [Column([""], ["10", "11"])], [Column(["a"], ["1", "2"])], first=10, head=2)
    assert aligned(page).splitlines()[3] == "... 78 more rows"


def test_columns_that_do_not_fit_are_left_out_in_the_middle_and_counted() -> None:
    text = aligned(table(*[Column([f"column{n}"], ["1" * 12], "int64") for n in range(24)], hidden_columns=76, left=19))

    lines = text.splitlines()
    assert max(map(len, lines)) <= 110
    assert "  ...  " in lines[0]
    assert lines[0].split()[0] == "column0"
    assert lines[0].split()[-1] == "column23"
    assert lines[-2:] == ["1 row x 100 columns: int64, ...", "93 columns are not shown"]


def test_one_column_is_shown_however_wide_it_is() -> None:
    lines = aligned(table(Column(["x" * 300], ["y" * 300], "str"))).splitlines()

    assert lines[:2] == ["   " + "x" * 37 + "...", "0  " + "y" * 37 + "..."]


def test_what_a_terminal_would_obey_or_hide_is_written_as_an_escape() -> None:
    text = aligned(table(Column(["a\nb"], ["\x1b]52;c;x\x07", "line\nnext\u202e", "\u200b"], "str")))

    assert all(character.isprintable() or character == "\n" for character in text)
    assert "line\\nnext\\u202e" in text
    assert text.splitlines()[0].strip() == "a\\nb"


def test_wide_characters_take_two_cells() -> None:
    lines = aligned(table(Column(["名前"], ["日本", "x"], "str"), Column(["v"], ["1", "2"], "int64"))).splitlines()

    assert lines[:3] == ["   名前  v", "0  日本  1", "1  x     2"]


def test_labels_of_several_levels_have_a_line_each() -> None:
    city = Column(["city"], ["Rome"])
    made = Table(1, [city], [Column(["sum", "a"], ["1"]), Column(["count", "a"], ["2"])], head=1)

    assert aligned(made).splitlines()[:3] == ["      sum  count", "city    a      a", "Rome    1      2"]


def test_the_names_of_levels_stand_before_the_labels_that_they_name() -> None:
    city = Column(["city"], ["Rome"])
    made = Table(1, [city], [Column(["a"], ["1"]), Column(["b"], ["2"])], head=1, label_names=["kind"])

    assert aligned(made).splitlines()[:3] == ["kind  a  b", "city", "Rome  1  2"]


def test_a_table_is_shortened_from_the_middle() -> None:
    cells = [str(n) for n in range(10)]
    made = shortened(Table(10, [Column([""], cells)], [Column(["a"], cells)], head=10), 5)

    assert aligned(made).splitlines() == [
        "   a",
        "0  0",
        "1  1",
        "2  2",
        "... 5 more rows",
        "8  8",
        "9  9",
        "",
        "10 rows",
    ]
    ends = shortened(Table(99, [Column([""], cells)], [Column(["a"], cells)], head=5), 4)
    assert (ends.head, ends.columns[0].cells) == (2, ["0", "1", "8", "9"])
