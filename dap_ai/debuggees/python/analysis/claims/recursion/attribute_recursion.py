"""Recognises recursion through an attribute, such as a property that reads itself."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.debuggees.python.analysis.claims.recursion.recursive_calls import Recursion
from dap_ai.debuggees.python.analysis.syntax.nodes import lines_of
from dap_ai.system.texts import code

_GETTERS, _SETTERS = frozenset({"__getattr__", "__getattribute__"}), frozenset({"__setattr__"})


@dataclass(frozen=True)
class ByAttribute:
    """An attribute access that calls the function containing it. `says`: predicate of a sentence about the function."""

    says: str
    advice: str


def by_attribute(found: Recursion) -> ByAttribute | None:
    """Return the attribute access that makes a function call itself; None if the recursion has another cause."""
    function = found.function
    if function is None or found.between or not function.args.args:
        return None
    receiver, name = function.args.args[0].arg, function.name
    load, store = _attributes(found, function, receiver, ast.Load), _attributes(found, function, receiver, ast.Store)
    text, other = f"{receiver}.{name}", f"another name, such as {code(f'{receiver}._{name}')}."
    if _is_property(function) and name in load:
        says = f"is a property that reads {code(text)}, which is the property itself"
        return ByAttribute(says, f"Let it read the attribute in which the value is kept, under {other}")
    if _is_setter(function) and name in store:
        says = f"is a setter that assigns {code(text)}, which calls the setter again"
        return ByAttribute(says, f"Let it assign an attribute of {other}")
    if name in _SETTERS and store:
        return ByAttribute(
            f"assigns {code(f'{receiver}.{store[0]}')}, and each assignment to an attribute calls {code(name)}",
            f"Assign by {code(f'super().__setattr__({store[0]!r}, ...)')}.",
        )
    if name in _GETTERS and (missing := _missed(found, function, load)):
        advice = (
            f"Let `__init__` set {code(missing)} before anything reads it, and let `__getattr__` raise "
            f"`AttributeError` for it: `copy` and `pickle` make objects without `__init__`."
            if name == "__getattr__"
            else f"Read it by {code(f'super().__getattribute__({missing!r})')}."
        )
        because = "which is not set" if name == "__getattr__" else "as every attribute, by itself"
        return ByAttribute(
            f"reads {code(f'{receiver}.{missing}')}, {because}, so that Python calls {code(name)} for it", advice
        )
    return None


def _missed(found: Recursion, function: FunctionNode, load: list[str]) -> str:
    """Return the attribute that the line reads and that all of the last calls look up, or an empty string."""
    if len(function.args.args) < 2:
        return ""
    asked = {value.text for value in found.values(function.args.args[1].arg)[len(found.first) :]}
    return next((name for name in load if asked == {repr(name)}), "")


def _attributes(found: Recursion, function: FunctionNode, receiver: str, context: type[ast.expr_context]) -> list[str]:
    """Return the receiver's attributes that the line of the next call reads or assigns, depending on `context`."""
    loads = (n for n in ast.walk(function) if isinstance(n, ast.Attribute) and isinstance(n.ctx, context))
    return [n.attr for n in loads if found.line in lines_of(n) and getattr(n.value, "id", "") == receiver]


def _is_property(function: FunctionNode) -> bool:
    names = [ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list]
    return "property" in names or "cached_property" in names


def _is_setter(function: FunctionNode) -> bool:
    return any(ast.unparse(decorator) == f"{function.name}.setter" for decorator in function.decorator_list)
