"""Recognises a failure whose cause is a file beside the program that shadows a standard library module."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.report.wording import ADVICE, CAUSE
from dap_ai.agent.source.source_file import is_user_path
from dap_ai.agent.source.statements import nodes_in
from dap_ai.debuggees.python.analysis.claims.explain import happened
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.protocol.contracts.inspection import ExceptionFacts
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code

_NO_ATTRIBUTE = re.compile(
    r"^(?:partially initialized )?module '(?P<module>[\w.]+)'(?: from '[^']*')? has no attribute '(?P<name>\w+)'"
)
_NO_NAME = re.compile(
    r"^cannot import name '(?P<name>\w+)' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
)
_NO_PACKAGE = re.compile(r"^No module named '(?P<module>\w+)\.(?P<name>\w+)[\w.]*'; '(?P=module)' is not a package$")
_LACKS = {"AttributeError": _NO_ATTRIBUTE, "ImportError": _NO_NAME, "ModuleNotFoundError": _NO_PACKAGE}
_FILE = re.compile(r"\((?:consider renaming ')?(?P<file>[^()']+\.py)(?:' [^()]*)?\)$")
"""Matches the file at the end of the message. Python 3.13 and later put advice around the file."""
_DOES_MORE_THAN_DEFINE = frozenset({"antigravity", "this", "idlelib", "turtledemo"})
"""Standard library modules that display or open something on import."""


class Shadowed(NamedTuple):
    """A standard library `module` that has `name`, and the user's `file` that is loaded instead and lacks `name`."""

    module: str
    name: str
    file: str


def shadowed(case: StopSnapshot) -> Shadowed | None:
    """Return the shadowed module, or None if no shadowed module explains the failure."""
    found = _lacking(case.exception)
    if found is None or case.exception is None:
        return None
    module, name = found["module"], found["name"]
    top = module.partition(".")[0]
    file = next((each for each in _files(case, found) if _is_own(each, top)), "")
    if not file or top not in sys.stdlib_module_names:
        return None
    raised_in = case.exception.file
    asked_by_library = bool(raised_in) and not raised_in.startswith("<") and not is_user_path(raised_in)
    return Shadowed(top, name, file) if asked_by_library or _library_has(module, name) else None


def explain_shadowing(found: Shadowed, analysis: StopAnalysis) -> tuple[list[Section], list[Suspect]]:
    """Return the answer's paragraphs, and the file as the only suspect."""
    cwd, program = analysis.case.inspection.cwd, next(iter(analysis.case.inspection.argv), "")
    file = shorten(found.file, cwd)
    itself = bool(program) and PurePath(cwd, program) == PurePath(found.file)
    place = ", the program itself" if itself else " beside the program"
    is_not = f"not the standard library's, and has no {code(found.name)}"
    rename = (
        f"{ADVICE} Rename {code(file)}: {code(f'import {found.module}')} then finds the module of the standard library."
    )
    suspect = Suspect(found.file, 1, 1.0, f"shadows the module {code(found.module)} of the standard library")
    cause = f"{CAUSE} {code(file)} {suspect.reason}: {code(f'import {found.module}')} loads this file."
    return [
        Section("verdict", f"{code(found.module)} is {code(file)}{place}, {is_not}."),
        Section("cause", cause),
        Section("advice", rename),
        Section("happened", happened(analysis)),
    ], [suspect]


def _lacking(error: ExceptionFacts | None) -> re.Match[str] | None:
    pattern = _LACKS.get(error.type) if error else None
    return pattern.match(error.message) if pattern and error else None


def _files(case: StopSnapshot, found: re.Match[str]) -> Iterator[str]:
    """Yield files the module may be loaded from: by the message, by the module object, or beside the program."""
    if named := _FILE.search(found.string):
        yield named["file"]
    place = case.places[0] if case.places else None
    nodes = nodes_in(*place.evaluated) if place else []
    holders = [n.value for n in nodes if isinstance(n, ast.Attribute) and n.attr == found["name"]]
    for value in filter(None, (place.value(holder) for holder in holders if place)):
        if value.kind == "module" and value.definition:
            yield value.definition.file
    if found.re is _NO_PACKAGE and (program := next(iter(case.inspection.argv), "")):
        beside = PurePath(case.inspection.cwd, program).with_name(f"{found['module']}.py")
        if case.sources.read(str(beside)):
            yield str(beside)


def _is_own(file: str, module: str) -> bool:
    """Whether the file is a user file that `import module` would load."""
    path = PurePath(file)
    return is_user_path(file) and (path.stem == module or module in path.parent.parts)


def _library_has(module: str, name: str) -> bool:
    """Whether the standard library module has the attribute or submodule, in the Python that runs dap_ai."""
    if module.partition(".")[0] in _DOES_MORE_THAN_DEFINE:
        return False
    try:
        loaded = importlib.import_module(module)
        file = getattr(loaded, "__file__", None)
        return (file is None or not is_user_path(file)) and (
            hasattr(loaded, name) or importlib.util.find_spec(f"{module}.{name}") is not None
        )
    except Exception:  # noqa: BLE001  a module for another system raises what it likes
        return False
