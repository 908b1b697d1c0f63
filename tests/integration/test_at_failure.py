"""An answer cites the value that there was when the program failed, whatever a cleanup has made of it since."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "benchmarks"))
from _at_failure import KINDS, OF_CASES, case, pytest_module, script
from at_failure import WAYS, cell, verdict

CELLS = [
    ("ask FILE", "caller's finally", "3.11", "now"),
    ("ask -m", "with", "3.8", "now"),
    ("debug", "@mock.patch", "3.11", "now"),
    ("VS Code", "ExitStack", "3.12", "raise"),
    ("child process", "finally", "3.14", "now"),
    ("thread", "async with", "3.14", "raise"),
    ("post_mortem()", "mock.patch", "", "now"),
    ("notebook", "with", "", "now" if sys.version_info < (3, 12) else "raise"),
    ("ask -m unittest", "addCleanup", "3.8", "raise"),
    ("asyncio tests", "tearDown", "3.14", "raise"),
    ("trial", "tearDown", "", "raise"),
    ("pytest --ask", "@mock.patch", "3.8", "raise"),
    ("pytest --ask", "monkeypatch", "", "raise"),
    ("ask -m pytest", "yield fixture", "3.12", "raise"),
]
"""Of the table of benchmarks/at_failure.py: each row and each column at least once; "": this Python."""


@pytest.mark.skipif(sys.platform != "linux", reason="snapshots")
@pytest.mark.parametrize(("way", "kind", "version", "shown"), CELLS)
def test_an_answer_cites_the_value_at_the_raise_or_says_that_it_is_another(way, kind, version, shown):
    python = ROOT / ".venvs" / f"py{version}" / "bin" / "python" if version else Path(sys.executable)
    if not python.exists():
        pytest.skip(f"no Python {version} here: run dev.py test")
    assert cell(way, kind, str(python)) == shown


def test_the_cells_are_of_each_row_and_each_column():
    assert {way for way, *_ in CELLS} == set(WAYS)
    assert {kind for _, kind, *_ in CELLS} == set(KINDS)


def test_each_program_compiles_and_holds_neither_value():
    texts = [script(kind, end) for kind in WAYS["ask FILE"].kinds for end in ("here", "thread", "child", "held")]
    texts += [pytest_module(kind) for kind in KINDS]
    texts += [
        case(kind, base) for kind in OF_CASES for base in ("unittest.TestCase", "unittest.IsolatedAsyncioTestCase")
    ]
    for text in texts:
        compile(text, "test_program.py", "exec")
        assert "2911" not in text and "7917" not in text


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("`box.n` is `2911`, not `4`", "raise"),
        ("`box.n` is `7917`, not `4`", "WRONG"),
        ("`box.n` was `2911`, not `4`\n- `box.n` is now `7917`", "raise"),
        ("- `box` = `<Box n=7917>`\n`box.n` is `2911`", "WRONG"),
        ("- `box.n` is `7917` now", "now"),
        ("The calls in it:\n\n- `f()` returned `<Box n=7917>`", "WRONG"),
        ("The calls in it, with the values there are now:\n\n- `f()` returned `<Box n=7917>`\n", "now"),
        ("The calls in it, with the values there are now:\n\n- `f()`\n\nThen:\n`box.n` is `7917`", "WRONG"),
        ("`AssertionError: 2911 != 4`", "none"),
    ],
)
def test_what_an_answer_says_of_the_value(answer, told):
    assert verdict(answer) == told


def test_a_run_of_the_whole_may_come_by_a_value_that_was_there_before_and_is_there_again():
    answer = "The calls in it:\n\n- `Box(n=7917)` returned `None`\n\n`box.n` is `{}`"
    assert verdict(answer.format(2911), was_before=True) == "raise"
    assert verdict(answer.format(7917), was_before=True) == "WRONG"
