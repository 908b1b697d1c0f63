"""What a model is told of its tools is so."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from dap_ai.agent.prompts import wording
from dap_ai.agent.tools.tool_table import every_tool

TOOLS = every_tool()

PROMPTS = sorted(p.name.removesuffix(".md") for p in files("dap_ai.agent.prompts").iterdir() if p.name.endswith(".md"))
OTHERS = {"report", "file:line", "*p", "&x", "++"}
"""In backquotes, and no tools; `report` is only the model's."""


@pytest.mark.parametrize("name", PROMPTS)
def test_every_tool_that_a_prompt_names_exists(name: str) -> None:
    named = set(re.findall(r"(?<!`)`([a-z_*&+:]+)`(?!`)", wording(name)))
    assert named <= OTHERS | set(TOOLS)


def test_a_native_program_is_told_with_its_language_and_without_a_copy() -> None:
    text = wording("native", language="Rust")
    assert "in Rust" in text
    assert "no copy" in text
    assert "try_fix" not in text
