"""Explains Python's builtin exceptions, each type from the line that raised it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from dap_ai.agent.case.stop_snapshot import sub_expressions
from dap_ai.agent.case.value_texts import bound, cut, literal, literal_in
from dap_ai.agent.report.nearest import near, near_key
from dap_ai.agent.source.statements import nodes_in, root_name
from dap_ai.debuggees.python.analysis.failure import nones, tied_items
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.failure.misfit_calls import explain_misfit
from dap_ai.debuggees.python.analysis.failure.unset_locals import explain_unset
from dap_ai.debuggees.python.analysis.syntax.nodes import READS, set_in
from dap_ai.protocol.contracts.inspection import ExceptionFacts, Value
from dap_ai.system.texts import code

_WRONG_RESULT = re.compile(
    r"(?:[^\s()]+\.)?(__[a-z_]+__)(?:\(\))?( (?:method )?(?:returned|should|must)\b.*)", re.DOTALL
)
"""Matches messages about a special method's result. Python 3.15 adds the class: `Cart.__bool__() must return a
bool`."""


def _operands(node: ast.expr | None) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.BoolOp(values=values):
            return values
        case _:
            return []


def _attribute_error(d: Diagnosis, error: ExceptionFacts) -> None:
    if "NoneType" in error.message and nones.blame(d, error.message):
        return
    match = re.search(r"has no attribute '(\w+)'", error.message)
    holders = [n for n in d.in_question if isinstance(n, ast.Attribute)]
    named = [n for n in holders if match and n.attr == match[1]]
    if not match or not named:
        return
    node = named[-1]
    value = d.value(node.value)
    d.blame(node.value)
    if value is None:
        return
    d.say(f"{d.code(node.value)}, of type {code(value.type)}, and has no {code(match[1])}.")
    close = near(match[1], [f.name for f in value.fields or []] + _methods(d, value))
    if close:
        d.say(f"It has {_list(close)}.")


def _methods(d: Diagnosis, value: Value) -> list[str]:
    plain = {"list": list, "dict": dict, "str": str, "set": set, "int": int, "tuple": tuple, "float": float}
    if value.kind in plain:
        return [n for n in dir(plain[value.kind]) if not n.startswith("_")]
    name = value.type.rpartition(".")[2]
    classes = d.place.source.classes if d.place.source else []
    return [f.name for c in classes if c.name == name for f in c.body if isinstance(f, ast.FunctionDef)]


def _type_error(d: Diagnosis, error: ExceptionFacts) -> None:
    text = error.message
    if ("NoneType" in text and nones.blame(d, text)) or tied_items.explain(d, text) or explain_misfit(d, text):
        return
    operands = _operands(d.broken) or _read_in(d)
    if match := _WRONG_RESULT.match(text):
        d.say(f"{code(match[1])}{match[2]}.")
        d.blame(*operands)
        return
    told = [
        f"{d.code(n)} ({code(v.type)})" for n in operands if (v := d.value(n)) and v.kind not in ("function", "module")
    ]
    if told:
        d.say("; ".join(dict.fromkeys(told)) + ".")
    strings = [n for n in operands if (v := d.value(n)) and v.kind == "str"]
    d.blame(*strings, *[n for n in operands if n not in strings])


def wrong_result(message: str) -> str:
    """Return the special method that returned a wrong type according to the message, or an empty string."""
    match = _WRONG_RESULT.match(message)
    return match[1] if match else ""


def _read_in(d: Diagnosis) -> list[ast.expr]:
    """Return the names, attributes and items that the failing expression reads, without the functions that it calls."""
    nodes = d.in_question
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call) if n is not d.broken or n.args}
    held = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    places: list[ast.expr] = [n for n in nodes if isinstance(n, READS)]
    return [n for n in places if id(n) not in called | held] or places


def _key_error(d: Diagnosis, error: ExceptionFacts) -> None:
    nodes = [n for n in d.in_question if isinstance(n, ast.Subscript)]
    key = error.arguments[0].text if error.arguments else error.message
    for node in nodes:
        holder, index = d.value(node.value), d.value(node.slice)
        same = ast.unparse(node.slice) == key or (index is not None and index.text == key)
        if holder is None or holder.kind != "dict" or not (same or len(nodes) == 1):
            continue
        _say_keys(d, node.value, holder, key)
        holder_text = ast.unparse(node.value)
        d.advice.append(
            f"Decide what the key `None` means: its value is missing where {code(ast.unparse(node.slice))} is made."
            if key == "None"
            else f"Decide what {code(cut(holder_text, 60))} without {code(key)} means: use the key that it has, "
            f"pass a default with {code(f'.get({key})')}, or correct where {code(cut(holder_text, 60))} is made."
        )
        d.blame(node.slice, node.value)
        return
    looked_in = [] if isinstance(d.place.statement, ast.Raise) else _looked_in(d, key)
    if len(looked_in) == 1:
        _say_keys(d, *looked_in[0], key)
        d.cite(looked_in[0][0])
    d.blame(*(arg for n in sub_expressions(d.header) if isinstance(n, ast.Call) for arg in n.args))


def _say_keys(d: Diagnosis, node: ast.expr, holder: Value, key: str) -> None:
    keys = holder.keys or []
    listed = ", ".join(keys[:8]) + (f", ... {(holder.length or 0) - 8} more" if (holder.length or 0) > 8 else "")
    closest = near_key(key, keys)
    text = ast.unparse(node)
    if not keys:
        d.say(f"{code(text)} is empty: it has no key {code(key)}.")
    elif closest:
        d.say(f"{code(text)} has no key {code(key)}: {closest}.")
        d.say(f"Its keys are {code(cut(listed, 160))}.")
    else:
        d.say(f"{code(text)} has no key {code(key)}; its keys are {code(cut(listed, 160))}.")


def _looked_in(d: Diagnosis, key: str) -> list[tuple[ast.expr, Value]]:
    """Return the dicts, with their values, that lack the key and that the line reads by `[...]` or `pop`."""
    nodes = nodes_in(*d.header)
    bound = {*set_in(*d.header), *(n.arg for n in nodes if isinstance(n, ast.arg))}
    found: dict[str, tuple[ast.expr, Value]] = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "pop"):
            holder, value = node.value, d.value(node.value)
            keys = (value.keys or []) if value else []
            whole = value and value.kind == "dict" and value.length == len(keys)
            if value and whole and key not in keys and root_name(holder) not in bound:
                found[ast.unparse(holder)] = (holder, value)
    return list(found.values())


def _index_error(d: Diagnosis, _error: ExceptionFacts) -> None:
    nodes = [n for n in d.in_question if isinstance(n, ast.Subscript)]
    for node in nodes:
        holder, index = d.value(node.value), d.value(node.slice)
        position = literal(index) if index else literal_in(node.slice)
        length = holder.length if holder else None
        if length is None or not isinstance(position, int) or -length <= position < length:
            continue
        told = ast.unparse(node.slice)
        read = f"{code(ast.unparse(node))} is read" if told == str(position) else f"{code(told)} is {code(position)}"
        items = f"has {length} item{'s' if length > 1 else ''}: the last index is {length - 1}"
        holds = items if length else "is empty"
        d.say(f"{read}, but {code(ast.unparse(node.value))} {holds}.")
        d.blame(node.slice, node.value)
        if position == length:
            d.say("The index is one past the end.")
        return
    for call in (n for n in sub_expressions(d.header) if isinstance(n, ast.Call)):
        if isinstance(call.func, ast.Attribute):
            d.say(f"{d.code(call.func.value)}.")
            d.blame(call.func.value, *call.args)
            return


def _zero(d: Diagnosis, _error: ExceptionFacts) -> None:
    pool = [n for n in d.in_question if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.FloorDiv | ast.Mod)]
    calls = any(isinstance(n, ast.Call) for n in d.header)  # a called function may have divided
    if len(pool) == 1 and not (calls and d.broken is None) and d.value(pool[0].right) is None:
        d.say(f"The divisor {code(cut(ast.unparse(pool[0].right), 60))} is zero.")
        d.roots.append(pool[0].right)
        return
    for node in pool:
        value = d.value(node.right)
        if value and literal(value) == 0:
            divisor = cut(ast.unparse(node.right), 60)
            d.say(f"The divisor {code(divisor)} is {code(value.text)}.")
            d.advice.append(
                f"Decide what {code(divisor)} being 0 means here: use a default, skip it, or reject it where it is "
                "made."
            )
            d.blame(node.right)
            for inner in sub_expressions([node.right]):
                if inner is not node.right and isinstance(inner, READS):
                    d.cite(inner)
            return


def _name_error(d: Diagnosis, error: ExceptionFacts) -> None:
    match = re.search(r"name '(\w+)'|variable '(\w+)'", error.message)
    if not match or d.place.source is None:
        return
    name = match[1] or match[2]
    if error.type == "UnboundLocalError" or "local variable" in error.message:
        explain_unset(d, name)
        return
    tree = d.place.source.tree
    defined = [n.name for n in (tree.body if tree else []) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    close = near(name, [*bound(d.place.facts), *defined, *set_in(tree)])
    d.say(f"There is no {code(name)} here" + (f"; {_list(close)} exists." if close else "."))
    d.roots.append(ast.Name(name, ast.Load()))


def _shapes(d: Diagnosis) -> None:
    """Explain arrays whose shapes do not match."""
    pool = d.in_question
    arrays = [n for n in pool if (v := d.value(n)) and v.shape is not None and isinstance(n, ast.Name | ast.Attribute)]
    told = [
        f"{code(ast.unparse(n))} has the shape {code(str(tuple(v.shape)))}"
        for n in arrays
        if (v := d.value(n)) and v.shape
    ]
    if told:
        d.say("; ".join(told) + ".")
        d.blame(*arrays)
        d.advice.append(
            "Make the shapes fit: numpy aligns them from the right. A reduction keeps its axis with `keepdims=True`; "
            "`x[:, None]` adds one."
        )


def _value_error(d: Diagnosis, error: ExceptionFacts) -> None:
    statement = d.place.statement
    if "broadcast" in error.message or "mismatch" in error.message or "not aligned" in error.message:
        _shapes(d)
        return
    if "unpack" in error.message and statement is not None:
        _unpacking(d, statement)
        return
    calls = (n for n in sub_expressions(d.header) if isinstance(n, ast.Call))
    call = d.broken if isinstance(d.broken, ast.Call) else next(calls, None)
    if call is not None:
        told = [d.code(a) for a in call.args if d.value(a) and not isinstance(a, ast.Constant)]
        if told:
            d.say("; ".join(told) + ".")
        holder = [call.func.value] if isinstance(call.func, ast.Attribute) and d.value(call.func.value) else []
        d.blame(*call.args, *holder)


def _unpacking(d: Diagnosis, statement: ast.stmt) -> None:
    """Explain `a, b = value` and `for a, b in values` with too many or too few items."""
    length = " yields another number of items"
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names) | ast.List(elts=names), *_], value=value):
            found = d.value(value)
            length = f" has {found.length} items" if found and found.length is not None else length
        case ast.For(target=ast.Tuple(elts=names) | ast.List(elts=names), iter=value):
            pass
        case _:
            return
    if names:
        d.say(f"{len(names)} names on the left, but {code(ast.unparse(value))}{length}.")
        d.blame(value)


def _list(names: list[str]) -> str:
    return " and ".join(code(n) for n in names)


BY_TYPE: dict[str, Callable[[Diagnosis, ExceptionFacts], None]] = {
    "AttributeError": _attribute_error,
    "TypeError": _type_error,
    "KeyError": _key_error,
    "IndexError": _index_error,
    "ZeroDivisionError": _zero,
    "NameError": _name_error,
    "UnboundLocalError": _name_error,
    "ValueError": _value_error,
}
"""Exception type -> function that explains exceptions of that type."""
