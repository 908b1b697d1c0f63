"""An import that fails because the module is still being imported: the circle of import statements on the stack."""

from __future__ import annotations

import ast
import re

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.report.sections import where
from dap_ai.agent.source.statements import bindings, own_statements
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.system.texts import code

_CIRCULAR = re.compile(
    r"cannot import name '(?P<name>\w+)' from partially initialized module '(?P<module>[\w.]+)'"
    r"|partially initialized module '(?P<owner>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
)
_MAX_IMPORTS = 4


def explain_circle(d: Diagnosis, case: StopSnapshot, message: str) -> bool:
    """Name the import statements of the circle, outermost first; returns False for another error."""
    match = _CIRCULAR.match(message)
    if match is None:
        return False
    name, module = match["name"] or match["attribute"], match["module"] or match["owner"]
    chain = [(place, imported) for place in reversed(case.places) if (imported := _imported(place))]
    begins = next((n for n, (_, imported) in enumerate(chain) if module in imported), None)
    if begins is None or not any(_sets(place, name) for place, _ in chain[begins + 1 : begins + 2]):
        return False
    steps = [
        f"{_spot(case, place)} imports {code(imported[0])}"
        for place, imported in chain[begins:]
        if place is not d.place
    ]
    more = " ..." if len(steps) > _MAX_IMPORTS else ""
    d.say(f"{', '.join(steps[:_MAX_IMPORTS])}{more}, which needs {code(name)} before {code(module)} has set it.")
    d.advice.append(
        f"Move what both modules need into a third one, or import {code(name)} inside the function that uses it."
    )
    return True


def _sets(place: FramePlace, name: str) -> bool:
    """Whether a module's own statements set a name; a name that is misspelt is never set."""
    tree = place.source.tree if place.source else None
    return tree is not None and any(name in bindings(statement) for statement in own_statements(tree))


def _imported(place: FramePlace) -> list[str]:
    """Return the names of the modules that a place's statement imports."""
    match place.statement:
        case ast.Import(names=names):
            return [each.name for each in names]
        case ast.ImportFrom(module=str() as module):
            return [module]
        case _:
            return []


def _spot(case: StopSnapshot, place: FramePlace) -> str:
    return where(case, place.frame.path, place.frame.line)
