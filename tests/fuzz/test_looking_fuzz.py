"""Random programs notice nothing of questions: what they print is the same with and without.

A few fixed seeds, one Python after the other; DAP_AI_FUZZ_SECONDS=600 goes on with fresh ones for so long.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.budget import TIMEOUT_S, dice, seeds
from tests.fuzz.noticing import SOURCES, program
from tests.integration.looking import told

_SEEDS = 3


@pytest.mark.timeout(TIMEOUT_S)
@pytest.mark.skipif(sys.platform != "linux", reason="snapshots are made on Linux")
def test_a_random_program_prints_the_same_with_and_without_questions(
    python_versions: dict[str, Path], tmp_path: Path
) -> None:
    pythons = list(python_versions.values())
    for seed in seeds(_SEEDS):
        throws = dice(seed)
        file = tmp_path / f"program{seed}.py"
        file.write_text(program(throws), encoding="utf-8")
        python = throws.choice(pythons)

        alone, asked = asyncio.run(_both(file, python))

        assert asked == alone, f"seed {seed}, {python}, {file}"


async def _both(file: Path, python: Path) -> tuple[Any, Any]:
    return await asyncio.gather(told(file, python, asked=False), told(file, python, asked=True, sources=SOURCES))
