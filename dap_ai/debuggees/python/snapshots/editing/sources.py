"""Decides which files are the user's, and compiles source texts, inside a copy of the program."""

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
    """A copy cannot do its job; the text gives the reason for the user."""


class UserFiles:
    """Decides whether a file is the user's."""

    def __init__(self) -> None:
        found = [os] + [sys.modules[name] for name in ("debugpy", "pydevd") if name in sys.modules]
        folders = [os.path.dirname(str(getattr(module, "__file__", None) or os.sep)) for module in found]
        self._libraries = tuple(folder + os.sep for folder in folders if folder != os.sep)

    def has(self, file: str) -> bool:
        """Whether a code object's file is a real file outside libraries and the debugger."""
        return not file.startswith(("<", *self._libraries)) and not any(part in file for part in _PACKAGES)


def parsed(source: str, file: str, line: int = 1) -> Any:
    """Returns the syntax tree of a source text; `line` is the 1-based number of its first line.

    Raises UnavailableError.
    """
    try:
        tree = ast.parse(source, file)
        return tree if line == 1 else ast.increment_lineno(tree, line - 1)
    except (SyntaxError, ValueError) as error:
        raise _does_not_compile(file, error, line - 1) from None


def compiled(tree: Any, file: str, flags: int = 0) -> Any:
    """Compiles a tree to a module code object. Raises UnavailableError."""
    try:
        return compile(tree, file, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise _does_not_compile(file, error, 0) from None


def future_flags(code: Any) -> int:
    """Returns the flags of the `from __future__ import` statements that a code object was compiled with."""
    return code.co_flags & _FUTURE


def nested(code: Any) -> Iterator[Any]:
    """Yields the code objects inside a code object, in source order, at any depth."""
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield constant
            for inner in nested(constant):
                yield inner


def _does_not_compile(file: str, error: Exception, moved: int) -> UnavailableError:
    what, line = (error.msg, error.lineno) if isinstance(error, SyntaxError) else (str(error), None)
    where = ", line %d" % (line + moved) if line else ""
    return UnavailableError("%s%s does not compile: %s" % (os.path.basename(file) or "the source", where, what))
