"""The examples, and the programs that measure the analyst, fail as their diagnoses say."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
CATALOGUES = [ROOT / "examples" / "diagnoses.toml", ROOT / "tests" / "corpus" / "corpus.toml"]
PROGRAMS = [
    pytest.param(catalogue.parent / f"{name}.py", diagnosis, id=f"{catalogue.parent.name}-{name}")
    for catalogue in CATALOGUES
    for name, diagnosis in tomllib.loads(catalogue.read_text(encoding="utf-8")).items()
]


class Failure(NamedTuple):
    error: BaseException
    innermost: TracebackType


def innermost_of(error: BaseException, file: Path) -> TracebackType:
    """The traceback's innermost entry in a file."""
    entries: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == str(file):
            entries.append(entry)
        entry = entry.tb_next
    return entries[-1]


def run(program: Path) -> Failure:
    with pytest.raises(Exception) as failed:  # noqa: PT011  which one is what the tests compare
        runpy.run_path(str(program), run_name="__main__")
    return Failure(failed.value, innermost_of(failed.value, program))


@pytest.mark.parametrize(("program", "diagnosis"), PROGRAMS)
def test_a_program_fails_with_the_error_of_its_diagnosis(program: Path, diagnosis: dict[str, Any]):
    assert type(run(program).error).__name__ == diagnosis["error"]


@pytest.mark.parametrize(("program", "diagnosis"), PROGRAMS)
def test_a_program_fails_at_the_line_of_its_diagnosis(program: Path, diagnosis: dict[str, Any]):
    assert run(program).innermost.tb_lineno == diagnosis["stops_at"]


@pytest.mark.parametrize(("program", "diagnosis"), PROGRAMS)
def test_the_proving_expression_has_the_proving_value_at_the_failure(program: Path, diagnosis: dict[str, Any]):
    frame = run(program).innermost.tb_frame
    value = eval(diagnosis["expression"], frame.f_globals, frame.f_locals)  # noqa: S307  our own text
    assert diagnosis["value"] in repr(value)


@pytest.mark.parametrize(("program", "diagnosis"), PROGRAMS)
def test_the_faulty_line_is_the_code_that_its_diagnosis_quotes(program: Path, diagnosis: dict[str, Any]):
    lines = program.read_text(encoding="utf-8").splitlines()
    line: int = diagnosis["lines"][0]
    assert lines[line - 1].strip() == diagnosis["code"]


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.parent.name)
def test_each_program_has_a_diagnosis(catalogue: Path):
    named = set(tomllib.loads(catalogue.read_text(encoding="utf-8")))
    assert named == {program.stem for program in catalogue.parent.glob("*.py")}
