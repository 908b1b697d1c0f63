"""Points at which the hook replaces framework functions; checks that each function has the expected parameters."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

from . import gate_messages


class Point:
    """A framework function to wrap: `name` is `Class.method` or `function`, `wrap(original)` returns the replacement.

    `parameters` are the parameters that the wrapper uses, in any order. If one of them is missing, the framework has
    another version: the function is not replaced, and the gate gets a note.
    """

    def __init__(self, module: Any, name: Any, parameters: Any, wrap: Any) -> None:
        self.module, self.name, self.parameters, self.wrap = module, name, tuple(parameters), wrap

    def mistake(self, module: Any) -> Any:
        """Return why the function can't be wrapped; empty if it can."""
        try:
            owner, name = self._owner(module)
            found = inspect.signature(getattr(owner, name)).parameters
        except (AttributeError, TypeError, ValueError) as error:
            return "%s.%s is not there: %s" % (self.module, self.name, error)
        missing = [each for each in self.parameters if each not in found]
        said = ", ".join(missing)
        return "%s.%s has no parameter %s" % (self.module, self.name, said) if missing else ""

    def put(self, module: Any) -> Any:
        """Replace the function, unless it is already replaced."""
        owner, name = self._owner(module)
        original = getattr(owner, name)
        if getattr(original, "__dap_ai__", False):
            return
        made: Any = functools.wraps(original)(self.wrap(original))
        made.__dap_ai__ = True
        setattr(owner, name, made)

    def _owner(self, module: Any) -> Any:
        owner = module
        *path, name = self.name.split(".")
        for each in path:
            owner = getattr(owner, each)
        if path and name not in vars(owner):
            raise AttributeError("%s has no %s of its own" % (".".join(path), name))
        return owner, name


def points_of(file: Any) -> Any:
    """Return the points that a file in frameworks/ lists."""
    return importlib.import_module(".frameworks." + file, __package__).POINTS


def patch(file: Any, name: Any, module: Any) -> Any:
    """Replace the functions that a file in frameworks/ lists for a newly imported module. Never raises."""
    try:
        for point in points_of(file):
            if point.module == name:
                wrong = point.mistake(module)
                if wrong:
                    gate_messages.once("not followed in this process: " + wrong)
                else:
                    point.put(module)
    except Exception as error:
        gate_messages.failed("patching " + name, error)
