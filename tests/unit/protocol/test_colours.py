"""Text without a terminal's colours."""

from __future__ import annotations

import pytest

from dap_ai.protocol.wire.visible import without_colours


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[0m\x1b[91m- top-10-cities\x1b[39;49;00m", "- top-10-cities"),
        ("\x1b[38:5:12ma\x1b[?25l\x1b[2 qb", "ab"),
        ("cut\x1b[39;4", "cut"),
        ("rows[0m] \\x1b[0m", "rows[0m] \\x1b[0m"),
    ],
)
def test_control_sequences_are_left_out_and_nothing_else(text: str, plain: str):
    assert without_colours(text) == plain
