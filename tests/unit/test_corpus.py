"""The validation corpus is as it was frozen: its bases pass, and each edit makes its program fail as recorded."""

from __future__ import annotations

import ast
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from _corpus import Ended, Entry, base_files, bases, entries, failure

WRITTEN = list(entries("written").values())
ENTRIES = [*WRITTEN, *entries("seeded").values()]
MIN_LINES = 80

each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


def code_lines(files: dict[str, str]) -> int:
    """Lines that are neither blank nor comments nor docstrings."""
    nodes = [node for source in files.values() for node in ast.walk(ast.parse(source))]
    docstrings = [node for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    lines = [line.strip() for source in files.values() for line in source.splitlines()]
    written = sum(bool(line) and not line.startswith("#") for line in lines)
    return written - sum((node.end_lineno or 0) - node.lineno + 1 for node in docstrings)


@pytest.fixture(scope="module")
def failures() -> dict[str, Ended | None]:
    """How each entry fails; all are run once."""
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda entry: failure(entry.program().files, expression=entry.expression), ENTRIES)
        return dict(zip([entry.name for entry in ENTRIES], found, strict=True))


def test_half_of_at_least_60_programs_are_written_and_half_seeded():
    assert min(len(WRITTEN), len(ENTRIES) - len(WRITTEN)) >= 30


@pytest.mark.parametrize("base", bases())
def test_a_base_passes(base: str):
    assert failure(base_files(base)) is None


@each_entry
def test_an_entry_has_at_least_80_lines_of_code(entry: Entry):
    assert code_lines(entry.program().files) >= MIN_LINES


@each_entry
def test_the_right_lines_of_an_entry_are_within_its_edit_or_beside_it(entry: Entry):
    before = base_files(entry.base)[entry.file].split(entry.old)[0].count("\n")
    lines = range(before, before + entry.new.count("\n") + 3)
    assert set(entry.lines) <= set(lines)


@each_entry
def test_an_entry_fails_as_recorded(entry: Entry, failures: dict[str, Ended | None]):
    failed = failures[entry.name]
    assert failed and (failed.error, failed.stops_at) == (entry.error, entry.stops_at)


@pytest.mark.parametrize("entry", WRITTEN, ids=lambda entry: entry.name)
def test_the_proving_expression_of_an_entry_has_the_proving_value(entry: Entry, failures: dict[str, Ended | None]):
    failed = failures[entry.name]
    assert failed and entry.value in (failed.value or "")
