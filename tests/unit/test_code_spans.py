"""Text of a program enters Markdown through one function, so that no value can end its own code span."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dap_ai.system.texts import CODE_SPAN, code, in_sentence
from tests.conftest import ROOT

PACKAGE = ROOT / "dap_ai"
ELSEWHERE = {
    "system/texts.py": "the function itself",
    "debuggees/native/source/panics.py": "a regular expression of what a C library prints",
    "debuggees/python/hosts/notebook/cell_history.py": "a regular expression of the paths of cells",
}


def spans_by_hand(path: Path) -> Iterator[str]:
    """Each f-string of a file with a value between backticks, and each format string with one in backticks."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            is_inside = False
            for part in node.values:
                if isinstance(part, ast.Constant):
                    is_inside ^= str(part.value).replace("```", "").count("`") % 2 == 1
                elif is_inside:
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"`\{\w*\}`", node.value):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_no_code_span_is_made_by_hand():
    files = [path for path in PACKAGE.rglob("*.py") if str(path.relative_to(PACKAGE)) not in ELSEWHERE]
    docs = {spot for path in files for spot in docstrings(path)}
    assert [spot for path in files for spot in spans_by_hand(path) if spot not in docs] == []


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield f"{path.relative_to(PACKAGE)}:{node.value.lineno}"


@pytest.mark.parametrize("text", ["x", "a`b", "`", "``", "a``b`c", " x ", "*x* [y](z)", "line\nline"])
def test_code_is_one_span_that_its_text_cannot_end(text: str):
    spans = list(CODE_SPAN.finditer(f"before {code(text)} after"))
    assert len(spans) == 1
    assert spans[0]["code"].strip() == " ".join(text.split("\n")).strip()


@pytest.mark.parametrize(
    "text",
    ["**x**", "a`b", "[a](b)", "<b>", "&lt;", "https://evil.example", "a@b.c", "_x_", "# x", "- x", "1. x", "a|b"],
)
def test_markup_in_a_sentence_is_code(text: str):
    assert in_sentence(text) == code(text)


@pytest.mark.parametrize(
    "text", ["division by zero", "invalid literal for int() with base 10: '4,5'", "no my_name here"]
)
def test_ordinary_text_stays_as_it_is_in_a_sentence(text: str):
    assert in_sentence(text) == text
