"""Runs an expression or statements with the names of a frame, as if they were in the frame's function."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import ast
import dis
import functools
import gc
import sys
import types
from keyword import iskeyword
from typing import Any, Callable, Iterator

from ...inspector.stored.statics import MISSING, module_namespace, names_of, short_name
from ..editing.sources import UnavailableError, compiled, future_flags, nested, parsed

_BODY = "_dap_ai_body"
_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: a function's code
_MAX_STEPS = 10_000
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_AWAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith)

Work = Callable[[], Any]


def value_of(expression: str, module_names: dict[str, Any], names: dict[str, Any]) -> Any:
    """Evaluates an expression in a function whose parameters are the local names, and returns its value.

    Comprehensions and lambdas in the expression then see the local names.
    """
    code = compile(expression, "<snapshot>", "eval", dont_inherit=True)
    if not names:
        return eval(code, module_names)  # noqa: S307  its purpose
    given = {name: x for name, x in names.items() if _can_be_parameter(name)}
    source = "lambda " + ", ".join(given) + ": (\n" + expression + "\n)"
    return eval(compile(source, "<snapshot>", "eval", dont_inherit=True), module_names)(**given)  # noqa: S307


def prepare(wanted: dict[str, Any], frame: Any, names: dict[str, Any]) -> tuple[Work, Any]:
    """Returns a pair: a function that runs statements in a frame with these local names, and the code that it runs.

    `wanted`: a Statements dict. Raises UnavailableError.
    """
    file = wanted.get("file") or frame.f_code.co_filename
    tree = parsed(wanted["source"], file, wanted.get("line", 1))
    if wanted.get("fresh"):
        return _as_program(tree, file)
    if frame.f_code.co_flags & _OPTIMIZED:
        return _as_function(tree, file, frame, names)
    code = compiled(tree, file, future_flags(frame.f_code))
    scope = frame.f_globals if frame.f_locals is frame.f_globals else names
    return functools.partial(exec, code, frame.f_globals, scope), code


def _as_program(tree: Any, file: str) -> tuple[Work, Any]:
    code = compiled(tree, file)
    module = types.ModuleType("__main__")
    started: Any = sys.modules.get("__main__")  # by `-m`: relative imports need its package
    if type(started) is types.ModuleType:
        names = names_of(module_namespace(started))
        module.__dict__.update({name: names[name] for name in ("__package__", "__spec__") if name in names})
    module.__dict__.update(__file__=file, __builtins__=sys.modules["builtins"])
    sys.modules["__main__"] = module
    return functools.partial(exec, code, module.__dict__), code


def _as_function(tree: Any, file: str, frame: Any, names: dict[str, Any]) -> tuple[Work, Any]:
    """Returns a pair: a function that runs the statements, and the code object that it runs.

    The code takes the frame's locals as parameters and uses the frame's closure cells.
    """
    outer = frame.f_code
    first = outer.co_varnames[:1] if outer.co_argcount else ()  # where `super()` looks for the instance
    cells = {name: cell for name, cell in _cells(outer, names).items() if name not in first}
    parameters = [*first, *(name for name in names if name not in cells and name not in first)]
    parameters = [name for name in parameters if name in names and _can_be_parameter(name)]
    around = _around(parameters, [name for name in cells if name != "__class__"], outer, tree, cells)
    code = next(
        each for each in nested(compiled(around, file, future_flags(outer))) if each.co_name.startswith(_BODY)
    ).replace(co_name=outer.co_name)
    if sys.version_info >= (3, 11):
        code = _named_as(code, len(code.co_qualname), outer.co_qualname)
    missing = [name for name in code.co_freevars if name not in cells]
    if missing:
        raise UnavailableError("super() needs a class that this frame does not know")
    closure = tuple(cells[name] for name in code.co_freevars)
    function = types.FunctionType(code, frame.f_globals, outer.co_name, None, closure)
    work = functools.partial(function, **{name: names[name] for name in parameters})
    return functools.partial(_drive, work) if _has(tree, _AWAITS) else work, code


def _around(parameters: list[str], shared: list[str], outer: Any, tree: Any, cells: dict[str, Any]) -> Any:
    """Returns a module tree with the function, in a class so that `super()` and private names keep their meaning."""
    if _has(tree, (ast.Yield, ast.YieldFrom)):
        raise UnavailableError("statements of a generator that `yield` cannot run by themselves")
    class_name = _class_name(outer, tree, cells)
    written = sorted({each.argval for each in dis.get_instructions(outer) if each.opname.endswith("_GLOBAL")
                      and not each.opname.startswith("LOAD")})  # fmt: skip
    keyword = "async def" if _has(tree, _AWAITS) else "def"
    lines = [
        "def _outer():",
        "    " + " = ".join([*shared, "None"]),
        "    class %s:" % class_name if class_name else "    if True:",
        "        %s %s(%s):" % (keyword, _BODY, ", ".join(parameters)),
        *(["            nonlocal " + ", ".join(shared)] if shared else []),
        *(["            global " + ", ".join(written)] if written else []),
        "            pass",
    ]
    around = ast.parse("\n".join(lines))
    body = next(node for node in ast.walk(around) if getattr(node, "name", "") == _BODY)
    body.body[-1:] = _Unannotated(shared + written).visit(tree).body  # pyright: ignore[reportAttributeAccessIssue]  a function's
    lines_of = [line for node in tree.body for line in (node.lineno, node.end_lineno or 0)] or [1]
    body.lineno, body.end_lineno = min(lines_of), max(lines_of)  # pyright: ignore[reportAttributeAccessIssue]  the same
    return around


class _Unannotated(ast.NodeTransformer):
    """Removes annotations from assignments to these names, because `nonlocal` and `global` forbid annotations."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if not isinstance(node.target, ast.Name) or node.target.id not in self._names:
            return node
        plain = ast.Assign([node.target], node.value) if node.value else ast.Pass()
        return ast.copy_location(plain, node)


def _cells(code: Any, names: dict[str, Any]) -> dict[str, Any]:
    """Returns the cells of a frame's closure variables: those of functions that share them, otherwise new cells."""
    wanted = [*code.co_cellvars, *code.co_freevars]
    if not wanted:
        return {}
    found: dict[str, Any] = {}
    known = [x for x in names.values() if type(x) is types.FunctionType]
    codes = [code, *nested(code)]
    for function in [*known, *gc.get_referrers(*codes)]:
        if type(function) is types.FunctionType and any(function.__code__ is each for each in codes):
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):  # noqa: B905  Python 3.8
                if name in wanted and name in names and _content(cell) is names[name]:
                    found.setdefault(name, cell)
    for name in wanted:
        if name not in found:
            found[name] = types.CellType(names[name]) if name in names else types.CellType()
    return found


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _named_as(code: Any, old_chars: int, name: str) -> Any:
    """Returns the code object with another prefix in its qualified name, also in all nested code objects."""
    inner = (_named_as(each, old_chars, name) if type(each) is types.CodeType else each for each in code.co_consts)
    return code.replace(co_qualname=name + code.co_qualname[old_chars:], co_consts=tuple(inner))


def _class_name(code: Any, tree: Any, cells: dict[str, Any]) -> str:
    """Returns the name of the class whose method a code object is; an empty string if it seems not to be a method."""
    words = [word for node in ast.walk(tree) for word in (getattr(node, "id", ""), getattr(node, "attr", ""))]
    private = [word for word in words if word.startswith("__") and not word.endswith("__")]
    for name in (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars):
        for word in private:
            if name.endswith(word) and name[0] == "_" and name != word:
                return name[1 : -len(word)]
    own = _content(cells["__class__"]) if "__class__" in cells else None
    if own is not None and issubclass(type(own), type):
        return short_name(own)
    parts = ["", *getattr(code, "co_qualname", "").split(".")]
    return parts[-2] if parts[-2].isidentifier() else ""


def _can_be_parameter(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _has(tree: Any, kinds: tuple[Any, ...]) -> bool:
    return any(isinstance(node, kinds) for node in _own_nodes(tree))


def _own_nodes(node: Any) -> Iterator[Any]:
    """Yields the nodes of the statements, without those in functions that they define."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield child
            for inner in _own_nodes(child):
                yield inner


def _drive(work: Work) -> Any:
    """Runs a coroutine without an event loop. Raises UnavailableError if it waits for more than its next turn."""
    coroutine = work()
    try:
        for _ in range(_MAX_STEPS):
            if coroutine.send(None) is not None:
                break
    except StopIteration as end:
        return end.value
    raise UnavailableError("it awaits something that only the running event loop can bring")
