r"""The file of a scan: rows are added as they come, and a scan that was stopped goes on after those that are there.

JSON lines are whole at every moment but a power cut's, of which the next scan removes the torn last line. A Parquet
file cannot be added to: its rows wait in JSON lines beside it, and become one file at the end, also at one by Ctrl-C.
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
    """A file of results cannot be used; the text says why."""


class Results(Protocol):
    """The rows of a scan."""

    done: frozenset[str]
    """Places that it had rows of when it was opened."""

    def add(self, row: ScanRow) -> None:
        """It is in the file when this returns."""
        ...

    def close(self) -> None:
        """The file is whole."""
        ...


def results_at(path: Path) -> Results:
    """The results in a file, new or to be gone on with. Raises ResultsError, MissingExtraError, OSError."""
    if path.suffix == ".jsonl":
        return JsonLinesResults(path)
    if path.suffix == ".parquet":
        return Parquet(path)
    raise ResultsError(f"{path.name}: the name of a file of results ends in {' or '.join(SUFFIXES)}")


class JsonLinesResults:
    """See Results."""

    def __init__(self, path: Path) -> None:
        self.done = frozenset(_read(path))
        self._file: BinaryIO = path.open("ab")

    def add(self, row: ScanRow) -> None:
        """Whole lines only, at once."""
        self._file.write(_encoded(row) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Lets the file go."""
        self._file.close()


class Parquet:
    """See Results."""

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
        """Into the lines beside the file."""
        self._new.add(row)

    def close(self) -> None:
        """All rows are in the one file; the lines beside it are gone."""
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
    except UnicodeEncodeError:  # a half character, which no UTF-8 has
        return json.dumps(msgspec.to_builtins(row), ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _read(path: Path) -> Iterator[str]:
    """The places of the rows in a file; a torn last line is cut off. Raises ResultsError."""
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
    """Columns as in ScanRow."""
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    stage = arrow.struct([("stage", text), ("first", whole), ("last", whole)])
    pattern = arrow.struct([("name", text), ("steps", arrow.list_(whole))])
    counts = arrow.struct([(name, whole) for name in Counts.__struct_fields__])
    kinds = {"steps": whole, "cost_usd": real, "seconds": real, "input_tokens": whole, "output_tokens": whole}
    kinds |= {"stages": arrow.list_(stage), "patterns": arrow.list_(pattern), "counts": counts}
    return arrow.schema([(name, kinds.get(name, text)) for name in ScanRow.__struct_fields__])
