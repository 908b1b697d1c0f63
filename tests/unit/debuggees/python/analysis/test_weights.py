"""The weights of the ranking are data: each is used, and none is anywhere else."""

from __future__ import annotations

import ast
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from dap_ai.debuggees.python import analysis as analyst
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS

SOURCES = [file.read_text(encoding="utf-8") for file in Path(*analyst.__path__).rglob("*.py")]
USED = {name for text in SOURCES for name in re.findall(r"WEIGHTS\.(\w+)", text)}


@pytest.mark.parametrize("name", asdict(WEIGHTS))
def test_each_weight_is_used(name: str):
    assert name in USED


def test_a_surer_rule_weighs_more():
    levels = [WEIGHTS.sure, WEIGHTS.likely, WEIGHTS.fair, WEIGHTS.possible, WEIGHTS.faint, WEIGHTS.unseen]
    assert levels == sorted(set(levels), reverse=True)


@pytest.mark.parametrize("rule", sorted(Path(*analyst.__path__, "rules").glob("*.py")), ids=lambda file: file.stem)
def test_rules_say_how_sure_they_are_in_words(rule: Path):
    constants = [n.value for n in ast.walk(ast.parse(rule.read_text("utf-8"))) if isinstance(n, ast.Constant)]
    assert [value for value in constants if isinstance(value, float) and 0.01 < value < 1] == []
