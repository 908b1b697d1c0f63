"""Finds dap-ai's options after `-m MODULE`, where they are passed to the module by mistake."""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

_RUNNERS = ("pytest", "unittest", "twisted.trial")
"""Test runners whose `-q` takes no value, so that they take a question after it for the name of a test."""
_QUESTION = ("-q", "--question")
_BOTH = ("--help", "--verbose")
"""Options that many programs have; after PROGRAM they belong to the program."""
_BREAKPOINT = re.compile(r"\S+\.\w+:\d+(?::.+)?", re.DOTALL)


def question_for_runner(module: str, arguments: Sequence[str], options: Container[str]) -> str:
    """Return an error message if a test runner would receive the user's question; otherwise an empty string."""
    known = [name for name in _QUESTION if name in options and module in _RUNNERS]
    asked = next((pair for pair in _pairs(arguments) if pair[0] in known and _is_question(pair[1])), None)
    if asked is None:
        return ""
    option = f"{asked[0]} {shlex.quote(asked[1])}"
    return f"{option} stands after -m {module}, so {module} would take it for a test. Put it before -m."


def misplaced(module: str, arguments: Sequence[str], options: Mapping[str, bool]) -> list[str]:
    """Return a note for each of dap-ai's options among a module's arguments.

    `options` maps each spelling of dap-ai's options to whether the option takes a value.
    """
    found = [name for name, value in _pairs(arguments) if name in options and _is_ours(name, value)]
    return [
        f"{name} stands after -m {module}, so {module} gets it: put dap-ai's own options before -m"
        for name in dict.fromkeys(found)
    ]


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each option before `--` with its value, or with the argument after it."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for word, after in zip(own, [*own, ""][1:], strict=True):
        name, has_value, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word.startswith("-"):
            yield name, value if has_value else after


def _is_ours(name: str, value: str) -> bool:
    """Return whether the user meant dap-ai's option; for `-q` and `-b` the value decides."""
    if name == "-q":
        return _is_question(value)
    if name == "-b":
        return bool(_BREAKPOINT.fullmatch(value))
    return name.startswith("--") and name not in _BOTH


def _is_question(text: str) -> bool:
    return not text.startswith("-") and (" " in text.strip() or text.endswith("?")) and not Path(text).exists()
