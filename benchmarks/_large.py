"""Large programs for measurements: the interpreter's own standard library as if it were the user's code.

`module(folder)` has one module of more than 5,000 lines, `project(folder)` 500 imported files; both fail a few calls
below their main file. They are made anew in an empty folder, from whatever Python runs this.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

FILES = 500
PARTS = (
    "argparse", "ast", "base64", "bdb", "calendar", "cmd", "colorsys", "configparser", "copy", "csv", "dataclasses",
    "difflib", "fnmatch", "fractions", "gettext", "heapq", "inspect", "mailbox", "optparse", "pprint", "shlex",
    "statistics", "string", "textwrap", "zipfile",
)  # fmt: skip
"""Modules that can be imported from another place."""


def module(folder: Path) -> Path:
    """A program that fails in a module of thousands of lines; its main file."""
    _copy("_pydecimal", folder / "bigdecimal.py")
    main = folder / "main.py"
    main.write_text(
        "import bigdecimal\n\n\n"
        "def total(rows):\n    found = bigdecimal.Decimal(0)\n    for row in rows:\n"
        "        found = found + bigdecimal.Decimal(row)\n    return found\n\n\n"
        "def mean(rows):\n    return total(rows) / len(rows)\n\n\n"
        'print(mean(["1.5", "2.5", "3,5"]))\n'
    )
    return main


def project(folder: Path) -> Path:
    """A program of 500 files, all imported, that fails three calls below its main file; that one."""
    parts = folder / "parts"
    parts.mkdir()
    (parts / "__init__.py").touch()
    names = [f"part_{number:03}_{PARTS[number % len(PARTS)]}" for number in range(FILES - 2)]
    for name in names:
        _copy(name.split("_", 2)[2], parts / f"{name}.py")
    wrapping = next(name for name in names if name.endswith("textwrap"))
    main = folder / "main.py"
    main.write_text(
        "".join(f"from parts import {name}\n" for name in names) + "\n\n"
        f"def column(text, columns):\n    return {wrapping}.wrap(text, width=40 // columns - 13)\n\n\n"
        "def page(texts):\n    return [column(text, len(texts)) for text in texts]\n\n\n"
        'print(page(["first column", "second column", "third one"]))\n'
    )
    return main


def _copy(name: str, path: Path) -> None:
    found = importlib.util.find_spec(name)
    if found is None or not found.origin:
        raise SystemExit(f"this Python has no {name} to copy")
    origin = Path(found.origin)
    path.write_text(origin.read_text(encoding="utf-8"), encoding="utf-8")
