"""Finds the functions that a source edit changes, by comparing code objects and trees; runs neither version."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import ast
import os
from typing import Any, Iterator

from .sources import Code, UnavailableError, compiled, parsed

_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: a function's code
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_ADDABLE = (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)
_REWRITTEN = "@py"
"""The prefix of names that pytest adds when it rewrites the asserts of a test file."""


class OutsideError(UnavailableError):
    """The edit changes code outside functions, which runs only when the file is loaded."""


class ChangedFunction:
    """A function that an edit changes, with its old and new code objects."""

    def __init__(self, path: tuple[str, ...], old: Any, new: Any, is_nested: bool, arguments: Any) -> None:
        self.name = ".".join(path)
        self.old = old
        self.new = new
        self.is_nested = is_nested
        """Whether the function is a lambda or inside a function, and so may not be in memory now."""
        self.arguments = arguments
        """The new `ast.arguments` if the edit changes the defaults, otherwise None."""


class Added:
    """A function, class or import that the edit adds."""

    def __init__(self, path: tuple[str, ...], node: Any) -> None:
        self.path = path
        """Names of the enclosing classes."""
        self.node = node


class CodeEdit:
    """The edit of one file.

    Raises OutsideError if the edit needs a restart of the program, UnavailableError if it cannot be applied.
    """

    def __init__(self, file: str, old: str, new: str) -> None:
        self.file = file
        trees = parsed(old, file), parsed(new, file)
        codes = compiled(trees[0], file), compiled(trees[1], file)
        functions = [list(_functions_of(tree.body)) for tree in trees]
        signatures = _signatures(functions[0]), _signatures(functions[1])
        self.changed = [
            ChangedFunction(path, one, other, is_nested, _new_defaults(one, other, signatures))
            for path, one, other, is_nested in _pairs(*codes)
            if not same_code(one, other) or _new_defaults(one, other, signatures)
        ]
        self.has_loops = any(in_loop for _, in_loop in functions[0])
        """Whether a `def` is inside a loop, so that it may have created several functions."""
        olds, news = [_Outline().visit(tree).body for tree in trees]  # from here on the trees lack the functions
        additions = list(_additions(olds, news, file, ()))
        nodes = ast.walk(parsed(new, file)) if additions else ()
        originals = {(type(node), node.lineno): node for node in nodes if isinstance(node, _ADDABLE)}
        self.added = [Added(path, originals[type(node), node.lineno]) for path, node in additions]


def _functions_of(body: list[Any], in_loop: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yields (function, whether it is in a loop) of functions in statements, at any depth; faster than ast.walk."""
    for node in body:
        if isinstance(node, _FUNCTIONS):
            yield node, in_loop
        for field in _BODIES:
            inner = getattr(node, field, None)
            if type(inner) is list:
                for found in _functions_of(inner, in_loop or isinstance(node, _LOOPS)):
                    yield found


def same_code(one: Any, other: Any) -> bool:
    """Returns whether two code objects are equal except for their line numbers."""
    return _shape(one) == _shape(other)


def was_compiled_from(loaded: Any, code: Any) -> bool:
    """Returns whether a function in memory was compiled from this code; ignores asserts rewritten by pytest."""
    if any(name.startswith(_REWRITTEN) for name in loaded.co_varnames):
        return loaded.co_varnames[: loaded.co_argcount] == code.co_varnames[: code.co_argcount]
    return same_code(loaded, code)


def _shape(code: Any) -> tuple[Any, ...]:
    return (
        code.co_code,
        getattr(code, "co_exceptiontable", b""),
        (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        tuple(map(_constant, code.co_consts)),
    )


def _constant(x: Any) -> Any:
    """Returns a comparison key for a constant that distinguishes `0`, `0.0` and `False`."""
    if type(x) is Code:
        return _shape(x)
    if type(x) is tuple:
        return tuple(map(_constant, x))
    return ("set", *sorted(map(repr, x))) if type(x) is frozenset else (type(x).__name__, repr(x))


def _pairs(
    old: Any, new: Any, path: tuple[str, ...] = (), nested: bool = False
) -> Iterator[tuple[tuple[str, ...], Any, Any, bool]]:
    """Yields (path, old code, new code, whether it may be absent from memory) of functions in both versions."""
    new_children = _children(new)
    for name, olds in _children(old).items():
        news = new_children.get(name, [])
        if name.startswith("<") and len(olds) != len(news):
            continue  # the lambdas cannot be matched
        for one, other in zip(olds, news):  # noqa: B905  Python 3.8
            here, is_function = (*path, name), bool(one.co_flags & _OPTIMIZED)
            if is_function and (name == "<lambda>" or not name.startswith("<")):
                yield here, one, other, nested or name == "<lambda>"
            for pair in _pairs(one, other, here, nested or is_function):
                yield pair


def _children(code: Any) -> dict[str, list[Any]]:
    children: dict[str, list[Any]] = {}
    for constant in code.co_consts:
        if type(constant) is Code:
            children.setdefault(constant.co_name, []).append(constant)
    return children


def _signatures(functions: list[tuple[Any, bool]]) -> dict[tuple[str, int], Any]:
    """Returns the `ast.arguments` of functions, by name and first line as in their code objects."""
    return {
        (node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])): node.args
        for node, _ in functions
    }


def _new_defaults(old: Any, new: Any, signatures: tuple[dict[Any, Any], dict[Any, Any]]) -> Any:
    one, other = (known.get((code.co_name, code.co_firstlineno)) for known, code in zip(signatures, (old, new)))  # noqa: B905  Python 3.8
    return other if one and other and _default_texts(one) != _default_texts(other) else None


def _default_texts(arguments: Any) -> list[str]:
    named = [
        arg.arg + ast.dump(x) for arg, x in zip(arguments.kwonlyargs, arguments.kw_defaults) if x  # noqa: B905  Python 3.8
    ]  # fmt: skip
    return [ast.dump(x) for x in arguments.defaults] + named


class _Outline(ast.NodeTransformer):
    """Keeps only code that runs at import: removes functions' bodies, parameters, annotations, and docstrings."""

    def visit_FunctionDef(self, node: Any) -> Any:
        node.body, node.args, node.returns = [], None, None
        return node

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self.visit_FunctionDef(node)

    def visit_Lambda(self, node: Any) -> Any:
        node.body = node.args = None
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)


def _additions(
    olds: list[Any], news: list[Any], file: str, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields (path, node) of the statements that were added. Raises OutsideError for any other difference."""
    at = 0
    for node in news:
        if at < len(olds) and ast.dump(olds[at]) == ast.dump(node):
            at += 1
        elif at < len(olds) and _same_class(olds[at], node):
            for addition in _additions(olds[at].body, node.body, file, (*path, node.name)):
                yield addition
            at += 1
        elif isinstance(node, _ADDABLE):
            yield path, node
        else:
            raise _outside(file, node)
    if at < len(olds):
        raise _outside(file, olds[at])


def _same_class(old: Any, new: Any) -> bool:
    if not (isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef)):
        return False
    heads = [[node.name, *map(ast.dump, [*node.bases, *node.keywords, *node.decorator_list])] for node in (old, new)]
    return heads[0] == heads[1]


def _outside(file: str, node: Any) -> OutsideError:
    return OutsideError(
        "line %d of %s stands outside of functions: only a new start of the program shows an edit of it"
        % (node.lineno, os.path.basename(file))
    )
