"""Looking changes nothing: what a program can notice of itself is the same with and without questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.looking import told

SOURCES = ("stop", "len([1])", "os.getcwd()", "time.time()", "[x for x in (1, 2)]", "first.name", "nope", "f'{stop}'")


@pytest.fixture(scope="module")
def both(debuggee_python: Path) -> tuple[Any, Any]:
    """What tests/debuggees/looked_at.py tells of itself: alone with debugpy, and with questions at every stop."""
    program = Path(__file__).parent.parent / "debuggees" / "looked_at.py"
    return asyncio.run(_both(program, debuggee_python))


async def _both(program: Path, python: Path) -> tuple[Any, Any]:
    return await asyncio.gather(told(program, python, asked=False), told(program, python, asked=True, sources=SOURCES))


@pytest.mark.parametrize(
    "part", ["counts", "lazily loaded", "log", "finalizers", "names", "counted", "modules", "collecting", "threads"]
)
def test_a_program_notices_nothing_of_questions(part: str, both: tuple[Any, Any]) -> None:
    alone, asked = both

    assert asked[part] == alone[part]


def test_a_replaced_function_whose_lock_is_held_does_not_hang_the_program(
    debuggee: Callable[..., Any], python_versions: dict[str, Path]
) -> None:
    program = debuggee("holds_getcwd").path

    assert asyncio.run(told(program, next(iter(python_versions.values())), asked=True)) == {"cwd": 1}
