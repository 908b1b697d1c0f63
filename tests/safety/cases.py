"""What a corpus is made of: expressions with the program text that they need."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

Effect = Literal["changes", "reads", "ends", "hangs"]
"""What an expression does where nothing contains it. changes: the program's state is another one afterwards. reads:
a file's content is in its value. ends: the process is gone. hangs: it does not come back, or only with all memory."""

SECRET = "the-content-of-a-private-file"
"""What the file `secret` in the debuggee's folder holds; no value may show it."""

STOP = "ready = True\n"


class Case(NamedTuple):
    """One expression and what it would do."""

    group: str
    expression: str
    harm: str = ""
    """In words; empty for a harmless one."""
    effect: Effect | None = None
    """None: it is harmless."""

    @property
    def name(self) -> str:
        """Unique in its corpus."""
        return f"{self.group}: {self.expression}"


class Group(NamedTuple):
    """Cases that share a set-up: statements run in the scene before the stop, where `hit`, `folder`, `os` are known."""

    word: str
    setup: str
    cases: tuple[Case, ...]
    needs: tuple[str, ...] = ()
    """Modules without which the group is left out."""


def hostile(
    word: str,
    setup: str,
    needs: tuple[str, ...] = (),
    **effects: list[tuple[str, str]],
) -> Group:
    """A group of hostile cases: (expression, harm) by effect."""
    cases = [
        Case(word, expression, harm, effect)  # type: ignore[arg-type]  the keywords are effects
        for effect, pairs in effects.items()
        for expression, harm in pairs
    ]
    return Group(word, setup, tuple(cases), needs)


def harmless(word: str, setup: str, expressions: str, needs: tuple[str, ...] = ()) -> Group:
    """A group of harmless cases, one expression a line."""
    lines = [line.strip() for line in expressions.strip().splitlines()]
    return Group(word, setup, tuple(Case(word, line) for line in lines), needs)


def write_scene(folder: Path, groups: Iterable[Group]) -> Path:
    """Writes what tests/safety/debuggee.py reads into an empty folder; the file in whose line 1 it stops."""
    scene = folder / "scene.json"
    plain = [
        {
            "setup": group.setup,
            "needs": group.needs,
            "cases": [[case.name, case.expression, case.effect] for case in group.cases],
        }
        for group in groups
    ]
    scene.write_text(json.dumps({"secret": SECRET, "groups": plain}), encoding="utf-8")
    stop = folder / "stop.py"
    stop.write_text(STOP, encoding="utf-8")
    return stop
