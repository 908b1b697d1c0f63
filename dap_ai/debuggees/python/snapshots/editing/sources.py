"""Source text of the program inside a copy: which files are the user's, and how they are compiled."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations
import __future__

import ast
import os
import sys
from types import CodeType
from typing import Any, Iterator

_PACKAGES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_NESTED = 0x10  # inspect.CO_NESTED, also the flag of a feature that is always on
_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names} - {_NESTED})

Code: Any = CodeType


class UnavailableError(Exception):
    """The reason why a copy cannot do its job, as text for the user."""


class UserFiles:
    """Decides which files are the user's."""

    def __init__(self) -> None:
        found = [os] + [sys.modules[name] for name in ("debugpy", "pydevd") if name in sys.modules]
        folders = [os.path.dirname(str(getattr(module, "__file__", None) or os.sep)) for module in found]
        self._libraries = tuple(folder + os.sep for folder in folders if folder != os.sep)

    def has(self, file: str) -> bool:
        """Whether a code object's file is real, and neither a library's nor the debugger's."""
        return not file.startswith(("<", *self._libraries)) and not any(part in file for part in _PACKAGES)


def parsed(source: str, file: str, line: int = 1) -> Any:
    """Returns the tree of a source text whose first line has this 1-based number. Raises UnavailableError."""
    try:
        tree = ast.parse(source, file)
        return tree if line == 1 else ast.increment_lineno(tree, line - 1)
    except (SyntaxError, ValueError) as error:
        raise _does_not_compile(file, error, line - 1) from None


def compiled(tree: Any, file: str, flags: int = 0) -> Any:
    """Returns the module code object of a tree. Raises UnavailableError."""
    try:
        return compile(tree, file, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise _does_not_compile(file, error, 0) from None


def future_flags(code: Any) -> int:
    """Returns the flags of the `from __future__ import` statements that a code object was compiled with."""
    return code.co_flags & _FUTURE


def nested(code: Any) -> Iterator[Any]:
    """Yields the code objects inside of one, in source order, at any depth."""
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield constant
            for inner in nested(constant):
                yield inner


def _does_not_compile(file: str, error: Exception, moved: int) -> UnavailableError:
    what, line = (error.msg, error.lineno) if isinstance(error, SyntaxError) else (str(error), None)
    where = ", line %d" % (line + moved) if line else ""
    return UnavailableError("%s%s does not compile: %s" % (os.path.basename(file) or "the source", where, what))
