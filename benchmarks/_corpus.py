"""The programs whose mistake is known.

Those of the validation corpus have several files each and are a base with one edit: tests/corpus/validation/README.md.
The others are single files, or a folder each. Nothing here knows the analyst.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
VALIDATION = ROOT / "tests" / "corpus" / "validation"
BASES = VALIDATION / "bases"
SINGLE = {"examples": ROOT / "examples" / "diagnoses.toml", "corpus": ROOT / "tests" / "corpus" / "corpus.toml"}
BORN_FAR = ROOT / "tests" / "corpus" / "born_far"
SETS = ("written", "seeded", *SINGLE, "born_far")
MAIN = "main.py"
PROBE = Path(__file__).with_name("_probe.py")

Line = tuple[str, int]
"""A file's name and a line of it, 1-based."""


@dataclass(frozen=True)
class Program:
    """A program that fails, and where its mistake is."""

    name: str
    main: str
    files: dict[str, str]
    """Their sources by their names."""
    right: list[Line]
    """Each is a right answer, the first is the best."""
    value: str = ""
    """What an answer should show; empty if nothing is recorded."""

    def lines(self) -> dict[Line, str]:
        """All lines that are not blank."""
        every = ((name, at, text) for name in self.files for at, text in enumerate(self.files[name].splitlines(), 1))
        return {(name, at): text.rstrip() for name, at, text in every if text.strip()}

    def function_of(self, line: Line) -> range:
        """The lines of the innermost function around a line; empty outside of functions."""
        found = range(0)
        for node in ast.walk(ast.parse(self.files[line[0]])):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                around = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                found = around if line[1] in around and (not found or len(around) < len(found)) else found
        return found


@dataclass(frozen=True)
class Entry:
    """A program of the validation corpus: a base, one edit, and where the mistake is then. Lines are 1-based."""

    name: str
    base: str
    file: str
    old: str
    """Whole lines, in the file once."""
    new: str
    lines: list[int]
    """Of the edited file. Each is a right answer, the first is the best."""
    kind: str
    error: str = ""
    """The class of the exception that ends the program."""
    stops_at: str = ""
    """`main.py:12`: the innermost line of the program's files in the traceback."""
    expression: str = ""
    """Evaluated there, has a repr that contains `value`. Empty for seeded mutants, as `diagnosis`."""
    value: str = ""
    diagnosis: str = ""

    def program(self) -> Program:
        """The base with the edit. ValueError if it does not fit exactly one place."""
        files = base_files(self.base)
        if files[self.file].count(self.old) != 1:
            raise ValueError(f"{self.name}: the edit fits {files[self.file].count(self.old)} places")
        files[self.file] = files[self.file].replace(self.old, self.new)
        return Program(self.name, MAIN, files, [(self.file, line) for line in self.lines], self.value)


@dataclass(frozen=True)
class Ended:
    """How a program ended that failed."""

    error: str
    stops_at: str
    value: str | None
    """The repr of the expression there; None if it could not be evaluated."""
    stack: list[Line]
    """Of the program's frames, innermost first."""
    first_line: int
    """Of the innermost frame's function; 1 of a module."""
    executed: list[Line]
    """Distinct lines, the most recently executed first."""


def base_files(base: str) -> dict[str, str]:
    """The sources of a correct program by their names."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted((BASES / base).glob("*.py"))}


def bases() -> list[str]:
    """The names of the correct programs."""
    return sorted(folder.name for folder in BASES.iterdir() if (folder / MAIN).is_file())


def entries(name: str) -> dict[str, Entry]:
    """The programs of a validation set by their names."""
    return {each: Entry(name=each, **fields) for each, fields in _catalogue(VALIDATION / f"{name}.toml").items()}


def programs(name: str) -> list[Program]:
    """The programs of any set."""
    if name == "born_far":
        return [_folder(each, fields) for each, fields in _catalogue(BORN_FAR.with_suffix(".toml")).items()]
    if name not in SINGLE:
        return [entry.program() for entry in entries(name).values()]
    found: list[Program] = []
    for each, diagnosis in _catalogue(SINGLE[name]).items():
        main = f"{each}.py"
        source = (SINGLE[name].parent / main).read_text(encoding="utf-8")
        right = [(main, line) for line in diagnosis["lines"]]
        found.append(Program(each, main, {main: source}, right, diagnosis["value"]))
    return found


def _folder(name: str, fields: Mapping[str, Any]) -> Program:
    files = {file.name: file.read_text(encoding="utf-8") for file in sorted((BORN_FAR / name).iterdir())}
    return Program(name, MAIN, files, [(file, line) for file, line in fields["lines"]], fields["value"])


@contextmanager
def materialised(files: Mapping[str, str]) -> Generator[Path]:
    """A temporary folder with files of these names and sources."""
    with tempfile.TemporaryDirectory(prefix="dap_ai_corpus_") as folder:
        for name, source in files.items():
            (Path(folder) / name).write_text(source, encoding="utf-8")
        yield Path(folder).resolve()


def failure(files: Mapping[str, str], main: str = MAIN, expression: str = "", timeout_s: float = 60) -> Ended | None:
    """How a program fails, run in a process of its own and traced; None if it passes or is not done in time."""
    with materialised(files) as folder:
        command = [sys.executable, "-I", str(PROBE), str(folder / main), expression]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=timeout_s, cwd=folder, check=True, encoding="utf-8"
            )
        except subprocess.TimeoutExpired:
            return None
    found: dict[str, Any] | None = json.loads(done.stdout)
    if found is None:
        return None
    return Ended(
        **{key: found[key] for key in ("error", "stops_at", "value", "first_line")},
        stack=[(file, line) for file, line in found["stack"]],
        executed=[(file, line) for file, line in found["executed"]],
    )


def toml(catalogue: Mapping[str, Mapping[str, Any]], head: str) -> str:
    """A catalogue as the text of its file."""
    parts = ["\n".join(f"# {line}" for line in head.splitlines())]
    for name, fields in catalogue.items():
        lines = [f"{key} = {_shown(key, value)}" for key, value in fields.items()]
        parts.append("\n".join([f"[{name}]", *lines]))
    return "\n\n".join(parts) + "\n"


def _catalogue(file: Path) -> dict[str, dict[str, Any]]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _shown(key: str, value: Any) -> str:
    if key in ("old", "new") and "'''" not in value:
        return f"'''\n{value}'''"
    return json.dumps(value, ensure_ascii=False)
