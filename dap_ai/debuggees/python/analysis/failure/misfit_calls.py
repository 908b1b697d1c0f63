"""A call whose arguments do not fit the parameters: which call of the line, and the function's definition."""

from __future__ import annotations

import ast
import re

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, read_in
from dap_ai.system.texts import code, in_sentence

_MISFIT = re.compile(r"(?P<function>[\w.<>]+)\(\) (?:missing|takes|got) .*argument")
_GIVEN = re.compile(r"takes (\d+) positional arguments? but (\d+) (?:were|was) given")


def explain_misfit(d: Diagnosis, message: str) -> bool:
    """Name the call and what its function takes, and blame the call; returns False for another error."""
    match = _MISFIT.match(message)
    if match is None:
        return False
    owner, _, name = match["function"].rpartition(".")
    owner = owner.rpartition(".")[2]
    called = owner if name == "__init__" else name
    calls = _calls(d)
    call = next((each for each in calls if called_name(each) == called), calls[0] if len(calls) == 1 else None)
    if call is None:
        return True
    d.roots.append(call)
    function = _definition(d, owner, name)
    shown = code(f"def {name}({ast.unparse(function.args)})") if function else ""
    if function and owner and _lacks_self(function, message):
        d.say(f"{code(ast.unparse(call))} passes its object, too, but {shown} of line {function.lineno} has no `self`.")
        return True
    d.say(f"{code(ast.unparse(call))} does not fit: {in_sentence(message)}.")
    if function:
        d.say(f"Line {function.lineno} defines {shown}.")
    return True


def _calls(d: Diagnosis) -> list[ast.Call]:
    """Return the calls of the failing expression, then those of the other statements on its line."""
    nodes = d.place.source.index.nodes if d.place.source else ()
    on_line = [node for node in nodes if isinstance(node, ast.Call) and node.lineno == d.place.frame.line]
    return list(dict.fromkeys([*(node for node in d.in_question if isinstance(node, ast.Call)), *on_line]))


def _definition(d: Diagnosis, owner: str, name: str) -> FunctionNode | None:
    """Return the only definition of a function, or of a class's method, in the file of the failing line; or None."""
    source = d.place.source
    if source is None:
        return None
    bodies = [each.body for each in source.classes if each.name == owner] if owner not in ("", "<locals>") else []
    within = [node for body in bodies for node in body if isinstance(node, FunctionNode)]
    found = [each for each in (within if bodies else source.functions) if each.name == name]
    return found[0] if len(found) == 1 else None


def _lacks_self(method: FunctionNode, message: str) -> bool:
    """Whether a plain method takes one argument fewer than it was given, and reads a `self` that it does not take."""
    given = _GIVEN.search(message)
    names = [each.arg for each in method.args.args]
    is_one_more = given is not None and int(given[2]) == int(given[1]) + 1
    uses_self = not names or (names[0] != "self" and "self" in read_in(*method.body))
    return is_one_more and uses_self and not method.decorator_list
