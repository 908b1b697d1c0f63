from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dap_ai.debuggees.python.injection.inspector import install_expressions, open_expression
from dap_ai.protocol.contracts.inspection import Inspection
from tests.patience import patient
from tests.unit.debuggees.python.visiting import node

VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
SELFCHECK = Path(__file__).parent.parent / "debuggees" / "inspector_selfcheck.py"
SOURCES = """a + 1; slotted.x; plain['a'][0]; plain['b']; alone.total; alone == 1; len(touchy[1]); sum(plain['a']);
    [x for x in plain]; f'{a!r:>5}'; sorted([3, 1]); colour.value; list(mapped); work(1); when.year; path; nope"""


PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
"""Looked up at import: a test has a home of its own."""


def interpreter(version: str, prepared: dict[str, Path]) -> str:
    """A Python of a version: one that dev.py prepared, one on PATH, one of pyenv."""
    if version in prepared:
        return str(prepared[version])
    found = sorted(PYENV.glob(f"versions/{version}.*/bin/python"))
    python = str(found[-1]) if found else shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"no Python {version} on PATH or in pyenv")
    return python


@pytest.fixture(scope="module", params=VERSIONS)
def checked(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> dict[str, Any]:
    nodes = json.dumps([node(source.strip()) for source in SOURCES.split(";")])
    run = subprocess.run(
        [interpreter(request.param, python_versions), "-I", "-W", "error", str(SELFCHECK)],
        input=f"{open_expression()}\n{install_expressions()[-1]}\n{nodes}\n",
        capture_output=True,
        text=True,
        timeout=patient(60),
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_no_code_of_the_program_runs(checked: dict[str, Any]) -> None:
    assert checked["calls"] == 0


def test_iterators_stay_where_they_are(checked: dict[str, Any]) -> None:
    assert checked["left"] == [[1, 2], [2]]


def test_the_frame_is_read(checked: dict[str, Any]) -> None:
    (frame,) = msgspec.convert(checked["reply"], Inspection).frames

    texts = {variable.name: variable.value.text for variable in frame.arguments + frame.locals}
    assert [variable.name for variable in frame.arguments] == ["a", "rest", "k", "more"]
    assert {name: texts[name] for name in ("plain", "slotted", "colour", "path", "number", "third", "when")} == {
        "plain": "{'a': [1, 2], (1, 2): None}",
        "slotted": "<Slotted x=5>",
        "colour": "<Colour.RED: 1>",
        "path": "PurePosixPath('/a/b')",
        "number": "Decimal('1.50')",
        "third": "Fraction(1, 3)",
        "when": "datetime.datetime(2024, 1, 2, 3, 4)",
    }


def test_an_exception_that_was_kept_tells_where_it_was_raised(checked: dict[str, Any]) -> None:
    (frame,) = msgspec.convert(checked["reply"], Inspection).frames

    raised = {variable.name: variable.value.raised for variable in frame.locals}
    assert [(Path(row.file).name, row.function) for row in raised["kept"]] == [(SELFCHECK.name, "caught")]
    assert SELFCHECK.read_text(encoding="utf-8").splitlines()[raised["kept"][0].line - 1].strip() == "next(iter(()))"
    assert raised["never"] == []


def test_expressions_are_answered(checked: dict[str, Any]) -> None:
    (frame,) = msgspec.convert(checked["reply"], Inspection).frames

    answers = [fact.value.text if fact.value else fact.error for fact in frame.values]
    refused = "refused"
    expected = ["2", "5", "1", "raised", refused, refused, refused, "3", "['a', (1, 2)]", "'    1'", "[1, 3]", "1"]
    assert answers == [*expected, refused, refused, "2024", "PurePosixPath('/a/b')", "missing"]


def test_the_exception_is_told(checked: dict[str, Any]) -> None:
    (exception,) = msgspec.convert(checked["reply"], Inspection).exceptions

    assert exception.message == "unsupported operand type(s) for +: 'int' and 'NoneType'"
