"""Tests that the inspector reads the data frames, series, indexes and arrays of pandas as pandas shows them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dap_ai.protocol.contracts.inspection import Table, Value
from tests.unit.debuggees.python.visiting import described, fact, visit

ORDERS = pd.DataFrame(
    {
        "customer": ["ann", "bob", None],
        "total": [12.5, np.nan, 3.0],
        "n": pd.array([1, None, 3], dtype="Int64"),
        "paid": pd.array([True, None, False], dtype="boolean"),
        "kind": pd.Categorical(["a", None, "b"]),
        "at": pd.to_datetime(["2024-01-31 10:30", "2024-02-29 00:00", None]),
        "day": pd.to_datetime(["2024-01-31", "2024-02-29", None]),
        "local": pd.to_datetime(["2024-01-31", "2024-07-01", None]).tz_localize("Europe/Berlin"),
        "took": pd.to_timedelta(["1 days 02:00:00", "-1 s", None]),
        "month": pd.PeriodIndex(["2024-01", "2024-02", None], freq="M"),
        "span": pd.cut([1, 5, 99], [0, 4, 10]),
        "name": pd.array(["x", None, "y"], dtype="string"),
        "objects": [{"a": 1}, [1], pd.Timestamp("2024-01-31")],
        "more": [7, 8, 9],
    }
)


def value_of(x: Any, rows: int = 10, **query: Any) -> Value:
    """Return the inspector's `Value` of an object, with the table."""
    return described(x, max_rows=rows, max_text=1000, deadline_ms=20_000, **query)


def table_of(x: Any, rows: int = 10, **query: Any) -> Table:
    """Return the table in the inspector's `Value` of an object."""
    table = value_of(x, rows, **query).table
    assert table is not None
    return table


def cells(x: Any) -> dict[str, list[str]]:
    """Return {column label: cells} of an object's table."""
    return {".".join(column.labels): column.cells for column in table_of(x).columns}


@pytest.mark.parametrize(
    ("column", "texts", "dtype"),
    [
        ("customer", ["ann", "bob", "NaN"], "str"),
        ("total", ["12.5", "NaN", "3.0"], "float64"),
        ("n", ["1", "<NA>", "3"], "Int64"),
        ("paid", ["True", "<NA>", "False"], "boolean"),
        ("kind", ["a", "NaN", "b"], "category"),
        ("at", ["2024-01-31 10:30:00", "2024-02-29 00:00:00", "NaT"], "datetime64[us]"),
        ("day", ["2024-01-31", "2024-02-29", "NaT"], "datetime64[us]"),
        ("local", ["2024-01-31 00:00:00+01:00", "2024-07-01 00:00:00+02:00", "NaT"], "datetime64[us, Europe/Berlin]"),
        ("took", ["1 days 02:00:00", "-1 days +23:59:59", "NaT"], "timedelta64[us]"),
        ("month", ["2024-01", "2024-02", "NaT"], "period"),
        ("span", ["(0, 4]", "(4, 10]", "NaN"], "category"),
        ("name", ["x", "<NA>", "y"], "string"),
        ("objects", ["{'a': 1}", "[1]", "2024-01-31 00:00:00"], "object"),
        ("more", ["7", "8", "9"], "int64"),
    ],
)
def test_a_column_of_each_type_is_read(column: str, texts: list[str], dtype: str) -> None:
    read = next(c for c in table_of(ORDERS).columns if c.labels == [column])

    assert (read.cells, read.dtype) == (texts, dtype)
    assert table_of(ORDERS[column]).columns[0].cells == texts  # as a series of its own


def test_the_columns_are_found_in_their_blocks_before_and_after_pandas_has_looked_for_them() -> None:
    fresh = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": [3, 4], "d": ["x", "y"]})
    expected = {"a": ["1", "2"], "b": ["0.5", "1.5"], "c": ["3", "4"], "d": ["x", "y"]}

    assert cells(fresh) == expected
    fresh["c"].sum()
    assert cells(fresh) == expected
    fresh.insert(1, "e", [9, 8])
    assert cells(fresh) == {**expected, "e": ["9", "8"]}
    assert cells(fresh.drop(columns=["b", "e"])) == {key: expected[key] for key in "acd"}


def test_reading_a_frame_leaves_no_trace_in_it() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [3, 4]})
    before = (frame._mgr._blknos, vars(frame.index).copy(), {**vars(frame.columns)})

    value_of(frame)

    assert before == (frame._mgr._blknos, vars(frame.index), vars(frame.columns))


def test_rows_and_columns_of_several_levels_keep_their_names() -> None:
    frame = pd.DataFrame({"city": ["Rome", "Rome", "Oslo"], "kind": ["a", "b", "a"], "total": [1.0, 2.0, 3.0]})

    summed = table_of(frame.groupby(["city", "kind"])["total"].sum())
    assert [(level.labels, level.cells) for level in summed.index] == [
        (["city"], ["Oslo", "Rome", "Rome"]),
        (["kind"], ["a", "a", "b"]),
    ]
    assert (summed.columns[0].labels, summed.columns[0].cells) == (["total"], ["3.0", "1.0", "2.0"])

    pivot = table_of(frame.pivot_table(index="city", columns="kind", values="total", aggfunc=["sum", "count"]))
    assert [column.labels for column in pivot.columns] == [
        ["sum", "a"],
        ["sum", "b"],
        ["count", "a"],
        ["count", "b"],
    ]
    assert pivot.label_names == ["", "kind"]
    assert pivot.columns[1].cells == ["NaN", "2.0"]


def test_a_long_frame_shows_both_ends_or_a_page_of_it() -> None:
    frame = pd.DataFrame({"i": range(1000)})

    ends = table_of(frame, rows=10)
    assert (ends.rows, ends.head, ends.columns[0].cells) == (1000, 5, [*"01234", "995", "996", "997", "998", "999"])

    page = table_of(frame, rows=3, first_row=500)
    assert (page.first, page.head, page.index[0].cells) == (500, 3, ["500", "501", "502"])
    assert table_of(frame, rows=3, first_row=999).columns[0].cells == ["999"]
    assert table_of(frame, rows=3, first_row=5000).columns[0].cells == []


def test_a_wide_frame_shows_its_first_and_last_columns() -> None:
    table = table_of(pd.DataFrame(np.zeros((2, 300)), columns=[f"c{n}" for n in range(300)]))

    assert (len(table.columns), table.hidden_columns) == (24, 276)
    assert table.columns[table.left - 1].labels == ["c18"]
    assert table.columns[-1].labels == ["c299"]


def test_ten_million_rows_cost_what_ten_do() -> None:
    small, large = (pd.DataFrame({"a": np.arange(n), "b": np.zeros(n)}) for n in (10, 10_000_000))
    value_of(small)

    started = time.thread_time()
    table = table_of(large)

    assert time.thread_time() - started < 0.5  # a scan of all takes seconds
    assert table.columns[0].cells[-1] == "9999999"


def test_a_visit_has_room_for_a_few_tables_and_for_all_texts() -> None:
    frames = [pd.DataFrame({"a": [n]}) for n in range(30)]

    inspection = visit({f"f{n}": frame for n, frame in enumerate(frames)}, max_rows=5, deadline_ms=20_000)

    values = [variable.value for variable in inspection.frames[0].locals]
    assert sum(value.table is not None for value in values) == 8
    assert all(value.text == "<DataFrame 1 rows x 1 columns: a>" for value in values)


@pytest.mark.parametrize(
    ("x", "text", "kind"),
    [
        (ORDERS.index, "RangeIndex(range(0, 3))", "index"),
        (pd.Index(["a", "b"], name="city"), "Index(city=['a', 'b'], str)", "index"),
        (pd.Index([1, "1"]), "Index([1, '1'], object)", "index"),
        (pd.date_range("2024-01-31", periods=2), "DatetimeIndex([2024-01-31, 2024-02-01], datetime64[us])", "index"),
        (ORDERS["kind"].array, "<Categorical ['a', NaN, 'b'] 3 items category>", "extension"),
        (ORDERS["n"].array, "<IntegerArray [1, <NA>, 3] 3 items Int64>", "extension"),
        (ORDERS["total"].rename("total"), "<Series total: 3 rows float64>", "series"),
        (ORDERS.groupby("kind", observed=True), "<DataFrameGroupBy by 'kind' of <DataFrame 3 rows x 14", "grouping"),
        (pd.Timestamp("2024-01-31 10:00", tz="UTC"), "Timestamp('2024-01-31 10:00:00+00:00')", "date"),
        (pd.Timedelta("1 days 2h"), "Timedelta('1 days 02:00:00')", "date"),
        (pd.NaT, "NaT", "date"),
        (pd.NA, "<NA>", "object"),
        (pd.Period("2024-03"), "Period('2024-03')", "object"),
        (pd.Interval(0, 1), "Interval('(0, 1]')", "object"),
        (ORDERS["more"].dtype, "dtype('int64')", "object"),
        (np.datetime64("2024-01-31"), "datetime64('2024-01-31')", "object"),
    ],
)
def test_what_belongs_to_frames_is_one_line_of_text(x: Any, text: str, kind: str) -> None:
    value = value_of(x)

    assert value.text.startswith(text)
    assert value.kind == kind


def test_an_index_of_several_levels_is_a_table() -> None:
    table = table_of(pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", "y"]))

    assert [(level.labels, level.cells) for level in table.index] == [(["x"], ["a", "b"]), (["y"], ["1", "2"])]
    assert table.columns == []


def test_the_types_of_columns_are_told_by_name() -> None:
    assert table_of(ORDERS[["total", "kind", "n", "local"]].dtypes).columns[0].cells == [
        "float64",
        "category",
        "Int64",
        "datetime64[us, Europe/Berlin]",
    ]


def test_texts_that_look_like_other_values_are_quoted_beside_them() -> None:
    assert cells(pd.DataFrame({"m": pd.Series([7, "7", "x", None], dtype=object)}))["m"] == ["7", "'7'", "x", "None"]


def test_objects_in_cells_are_not_asked() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise AssertionError

        __str__ = __len__ = __eq__ = __hash__ = __repr__  # type: ignore[assignment]

    assert cells(pd.DataFrame({"x": pd.Series([Loud()], dtype=object)}))["x"] == ["<Loud>"]


def test_a_matrix_and_an_array_of_records_are_tables() -> None:
    matrix = table_of(np.arange(6).reshape(2, 3))
    assert [column.cells for column in matrix.columns] == [["0", "3"], ["1", "4"], ["2", "5"]]

    records = table_of(np.array([(1, "ab"), (2, "cd")], dtype=[("id", "i4"), ("name", "U5")]))
    assert [(c.labels, c.cells) for c in records.columns] == [(["id"], ["1", "2"]), (["name"], ["ab", "cd"])]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York", "Asia/Kathmandu"])
def test_moments_are_written_as_pandas_writes_them(unit: str, zone: str | None) -> None:
    random = np.random.default_rng(7)
    seconds = random.integers(-4_000_000_000, 4_000_000_000, 200)
    moments = pd.Series(seconds.astype("M8[s]").astype(f"M8[{unit}]"))
    if zone:
        moments = moments.dt.tz_localize("UTC").dt.tz_convert(zone)

    assert table_of(moments, rows=200).columns[0].cells == [str(moment) for moment in moments]


@pytest.mark.parametrize("level", ["observe", "compute"])
@pytest.mark.parametrize(
    "source",
    [
        "orders['total']",
        "orders.customer",
        "orders[['more', 'n']]",
        "orders.head(2)",
        "orders.tail(1)",
        "orders.head(-2)",
        "orders['total'].tail(2)",
        "orders[['more', 'n']].head()",
    ],
)
def test_a_part_of_a_frame_is_read_where_nothing_may_be_called(source: str, level: str) -> None:
    read = fact(source, {"orders": ORDERS}, max_rows=10, level=level).value
    made = described(eval(source, {"orders": ORDERS}), max_rows=10)  # noqa: S307  what pandas gives

    assert read is not None
    assert read.table == made.table
    assert (read.text, read.kind, read.type, read.shape) == (made.text, made.kind, made.type, made.shape)


def test_the_labels_of_a_frame_are_read_where_nothing_may_be_called() -> None:
    texts = [fact(source, {"orders": ORDERS[["n", "more"]]}, level="observe").value for source in LABELS]

    assert [text and text.text for text in texts] == ["Index(['n', 'more'], str)", "RangeIndex(range(0, 3))"]


LABELS = ("orders.columns", "orders.index")


@pytest.mark.parametrize("source", ["orders['none']", "orders[0]", "orders.sum()", "orders.head('x')", "orders + 1"])
def test_what_is_no_part_of_a_frame_is_refused(source: str) -> None:
    assert fact(source, {"orders": ORDERS}, max_rows=10).error == "refused"


def test_a_method_that_the_program_has_replaced_is_not_taken_for_the_one_of_pandas(monkeypatch: Any) -> None:
    monkeypatch.setattr(pd.DataFrame, "head", lambda self, n=5: 1 / 0)

    assert fact("orders.head(2)", {"orders": ORDERS}, max_rows=10).error == "refused"


def test_the_strings_under_secret_labels_are_told_and_no_others() -> None:
    frame = pd.DataFrame({"user": ["annabel"], "password": ["hunter2"], "pin": [1234]}, dtype=object)
    row = pd.Series({"user": "annabel", "api_key": "staple9"}, dtype=object)
    alone = pd.Series(["battery"], name="token", dtype=object)

    told = visit({"frame": frame, "row": row, "alone": alone}, secrets=True, threads=False).secrets

    assert {(s.name, s.text) for s in told if s.text in ("hunter2", "staple9", "battery", "annabel")} == {
        ("password", "hunter2"),
        ("api_key", "staple9"),
        ("token", "battery"),
    }
