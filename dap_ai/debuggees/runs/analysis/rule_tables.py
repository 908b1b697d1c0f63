"""The analysis' tables of programs, tools and checks: TOML files in `data/`, loaded on first use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import EffectKind, How
from dap_ai.settings.toml_files import parse

Does = Literal["submit", "change", "install", "verify", "run", "explore", "message", "build", "neutral"]
"""What a program does. Besides the effect kinds: `build` creates files by a run, `neutral` has no effect of its own."""
Operands = Literal["", "all", "rest", "first", "last", "butlast"]


class ProgramRule(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A program whose effect depends on its arguments; programs.toml documents the fields."""

    effect: Does = "run"
    subs: Mapping[str, Does] = {}
    default_sub: Does | None = None
    any_sub: bool = False
    options: Mapping[str, Does] = {}
    first_letters: Mapping[str, Does] = {}
    values: Sequence[str] = ()
    script_options: Sequence[str] = ()
    reads: Operands = ""
    writes: Operands = ""
    out: Sequence[str] = ()
    stdout_out: bool = False
    append: Sequence[str] = ()
    how: How = "create"
    runner: str = ""
    executes: Sequence[str] = ()
    assigned: str = ""
    sql: bool = False
    patch_text: bool = False


class ProgramLauncher(msgspec.Struct, frozen=True):
    """Contents of programs.toml."""

    plain: Mapping[str, Does]
    programs: Mapping[str, ProgramRule]
    wrappers: Mapping[str, Sequence[str]]
    prefixes: Mapping[str, Sequence[str]]
    shells: frozenset[str]
    interpreters: Mapping[str, Sequence[str]]
    modules: Mapping[str, str]
    markers: Sequence[str]

    def knows(self, name: str) -> bool:
        """Return whether one of the tables contains the program `name`."""
        return any(
            name in table for table in (self.plain, self.programs, self.wrappers, self.shells, self.interpreters)
        )


class ToolRule(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An agent's tool that is not a shell; tools.toml documents the fields."""

    effect: EffectKind = "run"
    path: Sequence[str] = ()
    old: str = ""
    new: str = ""
    content: str = ""
    first: str = ""
    last: str = ""
    edits: str = ""
    patch: Sequence[str] = ()
    code: Sequence[str] = ()
    how: How = "edit"
    by: str = ""
    cases: Mapping[str, str] = {}


class ToolTable(msgspec.Struct, frozen=True):
    """Contents of tools.toml. Names are lower case."""

    tools: Mapping[str, ToolRule]
    shells: Mapping[str, Sequence[str]]
    refusals: Mapping[str, tuple[str, ...]]
    skills: Mapping[str, ToolRule]
    commands: Mapping[str, str]


@cache
def _load(name: str) -> dict[str, Any]:
    data = (files("dap_ai.debuggees.runs.analysis") / "data" / f"{name}.toml").read_bytes()
    return parse(data, Path(f"{name}.toml"))


def _joined(table: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the rows of a table. A row with the key `same` inherits the fields of the row named there."""

    def whole(name: str) -> dict[str, Any]:
        fields = dict(table[name])
        same = fields.pop("same", "")
        return {**whole(same), **fields} if same else fields

    return {name: whole(name) for name in table}


@cache
def programs() -> ProgramLauncher:
    """Return the table of programs and their effects."""
    table = _load("programs")
    order: tuple[Does, ...] = ("change", "install", "verify", "build", "explore", "neutral")
    plain: dict[str, Does] = {name: does for does in order for name in table["effects"].get(does, ())}
    names, markers = table["shells"]["names"], table["submit"]["markers"]
    whole = {**table, "plain": plain, "programs": _joined(table["programs"]), "shells": names, "markers": markers}
    return msgspec.convert(whole, ProgramLauncher)


@cache
def tools() -> ToolTable:
    """Return the table of non-shell tools and of the messages with which tools reject calls."""
    table = _load("tools")
    return msgspec.convert({**table, "tools": _joined(table["tools"])}, ToolTable)


@cache
def lists(name: str) -> Mapping[str, Any]:
    """Return the parsed table `checks` or `words`, a TOML file."""
    return _load(name)


@cache
def expressions(name: str, key: str) -> Sequence[re.Pattern[str]]:
    """Return the compiled regular expressions under `key` in a table."""
    return [re.compile(text, re.IGNORECASE) for text in lists(name)[key]]


def find_words(key: str, text: str) -> re.Match[str] | None:
    """Returns the first match in `text` of the patterns under `key` in words.toml."""
    return next((found for pattern in expressions("words", key) if (found := pattern.search(text))), None)


def line_with(key: str, lines: Iterable[str]) -> str:
    """Returns the first line that matches a pattern under `key` in words.toml, stripped; empty if no line matches."""
    return next((line.strip() for line in lines if find_words(key, line)), "")
