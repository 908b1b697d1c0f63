"""Result files of a scan. Rows are appended one by one, and a stopped scan resumes after the existing rows.

A JSON Lines file is complete at any time. After a power failure, the next scan removes a torn last line. Rows cannot be
appended to a Parquet file. They are collected in a JSON Lines file beside the Parquet file and merged at the end, even
after Ctrl-C.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

from dap_ai.debuggees.runs.scan.scan_rows import Counts, ScanRow
from dap_ai.system.extras import FLEET

SUFFIXES = (".jsonl", ".parquet")


class ResultsError(ValueError):
    """A result file cannot be used. The message gives the reason."""


class Results(Protocol):
    """Interface of a file for the rows of a scan."""

    done: frozenset[str]
    """Locations of the runs that had rows when the result file was opened."""

    def add(self, row: ScanRow) -> None:
        """Write a row. The row is in the file when this method returns."""
        ...

    def close(self) -> None:
        """Complete and close the file."""
        ...


def results_at(path: Path) -> Results:
    """Open a new or existing result file of a scan. Raises ResultsError, MissingExtraError, OSError."""
    if path.suffix == ".jsonl":
        return JsonLinesResults(path)
    if path.suffix == ".parquet":
        return Parquet(path)
    raise ResultsError(f"{path.name}: the name of a file of results ends in {' or '.join(SUFFIXES)}")


class JsonLinesResults:
    """Results in a JSON Lines file."""

    def __init__(self, path: Path) -> None:
        self.done = frozenset(_read(path))
        self._file: BinaryIO = path.open("ab")

    def add(self, row: ScanRow) -> None:
        """Append a row as a complete line, and flush the file."""
        self._file.write(_encoded(row) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Parquet:
    """Results in a Parquet file, written by `close`."""

    def __init__(self, path: Path) -> None:
        self._pyarrow: Any = FLEET.load("pyarrow")
        self._parquet: Any = FLEET.load("pyarrow.parquet")
        self._path = path
        self._beside = path.with_name(f".{path.name}.jsonl")
        known = self._known() if path.exists() else []
        self._new = JsonLinesResults(self._beside)
        self.done = self._new.done | frozenset(known)

    def _known(self) -> list[str]:
        try:
            return self._parquet.read_table(self._path, columns=["path"]).column("path").to_pylist()
        except (OSError, KeyError, ValueError) as error:
            raise ResultsError(f"{self._path}: is no file of a scan: {error}") from error

    def add(self, row: ScanRow) -> None:
        """Append a row to the JSON Lines file beside the Parquet file."""
        self._new.add(row)

    def close(self) -> None:
        """Write all rows to the Parquet file, and delete the JSON Lines file."""
        self._new.close()
        schema = _schema(self._pyarrow)
        lines = self._beside.read_bytes().splitlines()
        rows = [msgspec.to_builtins(msgspec.json.decode(line, type=ScanRow)) for line in lines]
        table = self._pyarrow.Table.from_pylist(rows, schema=schema)
        if self._path.exists():
            old = self._parquet.read_table(self._path).select(schema.names).cast(schema)
            table = self._pyarrow.concat_tables([old, table])
        temporary = self._path.with_name(f".{self._path.name}.new")
        self._parquet.write_table(table, temporary)
        temporary.replace(self._path)
        self._beside.unlink()


def _encoded(row: ScanRow) -> bytes:
    try:
        return msgspec.json.encode(row)
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot encode
        return json.dumps(msgspec.to_builtins(row), ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _read(path: Path) -> Iterator[str]:
    """Yields the locations of the rows in a JSON Lines file, and cuts off a torn last line. Raises ResultsError."""
    if not path.exists():
        return
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    for number, line in enumerate(data[:whole].splitlines(), 1):
        yield _row(path, number, line).path
    if whole < len(data):
        os.truncate(path, whole)


def _row(path: Path, number: int, line: bytes) -> ScanRow:
    try:
        return msgspec.json.decode(line, type=ScanRow)
    except msgspec.DecodeError as error:
        raise ResultsError(f"{path}: line {number} is no row of a scan: {error}") from error


def _schema(arrow: Any) -> Any:
    """Return the Arrow schema of a Parquet file. Its columns are the fields of ScanRow."""
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    stage = arrow.struct([("stage", text), ("first", whole), ("last", whole)])
    pattern = arrow.struct([("name", text), ("steps", arrow.list_(whole))])
    counts = arrow.struct([(name, whole) for name in Counts.__struct_fields__])
    kinds = {"steps": whole, "cost_usd": real, "seconds": real, "input_tokens": whole, "output_tokens": whole}
    kinds |= {"stages": arrow.list_(stage), "patterns": arrow.list_(pattern), "counts": counts}
    return arrow.schema([(name, kinds.get(name, text)) for name in ScanRow.__struct_fields__])
