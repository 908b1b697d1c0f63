"""Source as it is quoted."""

from __future__ import annotations

import pytest

from dap_ai.agent.source import SourceFile


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/w/till.py", "python"),
        ("/w/till.c", "c"),
        ("/w/Till.CPP", "cpp"),
        ("/w/till.rs", "rust"),
        ("<string>", "python"),
    ],
)
def test_a_code_block_names_its_language(path: str, language: str):
    assert SourceFile(path, "x").block("x") == f"```{language}\nx\n```"
