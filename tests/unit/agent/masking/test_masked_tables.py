"""Secrets in tables: by the label of the column, of the row, or by a cell beside them."""

from __future__ import annotations

from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.masking.masked_tables import mask_table, secret_cells
from dap_ai.protocol.contracts.inspection import Column, Table

SECRET = "hunter2-Correct-Horse"


def masked(table: Table) -> list[list[str]]:
    mask_table(table, Masker().mask_value)
    return [column.cells for column in (*table.index, *table.columns)]


def test_a_column_with_a_secret_name_is_masked_and_no_other() -> None:
    table = Table(
        2,
        [Column([""], ["0", "1"], "int64")],
        [Column(["user"], ["ann", "bob"], "str"), Column(["password"], [SECRET, "NaN"], "str")],
    )

    assert list(secret_cells(table)) == [("password", SECRET), ("password", "NaN")]
    rows, users, passwords = masked(table)
    assert (rows, users, passwords[1]) == (["0", "1"], ["ann", "bob"], "NaN")
    assert passwords[0].startswith("<secret:")


def test_a_row_with_a_secret_label_is_masked() -> None:
    table = Table(2, [Column([""], ["user", "api_key"], "str")], [Column(["0"], ["ann", SECRET], "object")])

    assert masked(table)[1][0] == "ann"
    assert masked(table)[1][1].startswith("<secret:")


def test_a_level_of_the_rows_labels_with_a_secret_name_is_masked() -> None:
    table = Table(1, [Column(["password"], [SECRET], "str")], [Column(["count"], ["3"], "int64")])

    labels, counts = masked(table)
    assert labels[0].startswith("<secret:")
    assert counts == ["3"]


def test_a_value_beside_a_secret_key_is_masked() -> None:
    keys = Column(["variable"], ["user", "password"], "str")
    table = Table(2, [Column([""], ["0", "1"], "int64")], [keys, Column(["value"], ["ann", SECRET], "str")])

    assert masked(table)[1:] == [["user", "password"], ["ann", masked(table)[2][1]]]
    assert masked(table)[2][1].startswith("<secret:")


def test_a_column_of_two_levels_is_secret_by_either() -> None:
    table = Table(1, [], [Column(["login", "password"], [SECRET], "str"), Column(["login", "name"], ["ann"], "str")])

    passwords, names = masked(table)
    assert passwords[0].startswith("<secret:")
    assert names == ["ann"]


def test_numbers_and_prose_stay_as_they_are() -> None:
    tokens = Column(["tokens"], ["512", "1024"], "int64")
    said = Column(["review"], ["I forgot my password", "the key is lost"], "str")
    who = Column(["who"], ["ann", "bob-the-builder"], "str")

    assert masked(Table(2, [], [tokens, said, who])) == [tokens.cells, said.cells, who.cells]
    assert masked(Table(2, [], [tokens, said, who]))[2] == ["ann", "bob-the-builder"]
