"""Interprets expressions, given as JSON nodes, by the exact types of their operands; refuses all other operations.

This is a tree walk over nodes (the Node language of `protocol/contracts/inspection.py`). `eval` in a restricted
namespace is not safe: every operator, attribute and call of a program's object runs that object's code. Here each node
first checks the exact type of its operands, then uses the C function of that type or refuses.

There are four kinds of results: a value; `raised`, the exception that the program itself would get; `missing`, a name
without a value; and `refused`, which implies nothing about the program. `_tick` counts each node and item. `_paid` adds
up the sizes of results, because many small results would also fill the memory.
"""

# ruff: noqa: B905  Python 3.8's zip takes no `strict`
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import binascii
import sys
from typing import Any, Callable, ClassVar, Iterator

from ..exceptions import raised_text
from ..stored.column_selection import part_of
from ..stored.plain import (
    MAX_CHARACTERS,
    EvaluationRaised,
    MissingName,
    RefusedOperation,
    StepCounter,
    hashable,
    is_plain,
    is_scalar,
)
from ..stored.statics import MISSING, module_namespace, names_of, short_name, text_of, type_name
from ..stored.values import ValueDescriber
from .allowed_calls import AllowedCalls
from .attributes import attribute, subscript
from .methods import is_allowed
from .operations import binary, check_format, compare, legitimate, truth_of, unary

_MAX_DEPTH = 40


class NodeInterpreter:
    """Evaluates expressions (nodes) in one frame; each result is an ExpressionResult dict."""

    def __init__(self, describer: ValueDescriber, frame: Any, names: dict[str, Any], level: str) -> None:
        self._describer = describer
        self._frame = frame
        self._locals = names
        self._globals: dict[str, Any] | None = None
        self._level = level
        self._begin()

    def _begin(self) -> None:
        self._scopes: list[dict[str, Any]] = []
        self._depth = 0
        steps = StepCounter(self._describer.budget)
        self._tick, self._paid = steps.tick, steps.paid
        self._calls = AllowedCalls(self._tick)

    def evaluation(self, node: Any) -> dict[str, Any]:
        """Returns the value of an expression, or the reason why it has no value. Raises nothing."""
        return self.described(*self.outcome(node))

    def outcome(self, node: Any) -> tuple[str, Any]:
        """Returns (kind, data): `value` or `part` with an object, or `refused`, `missing` or `raised` with a text.

        A `part` is a selection of a data frame, see column_selection.py.
        """
        self._begin()
        try:
            part = part_of(node, self._evaluate)
            return ("part", part) if part is not None else ("value", self._evaluate(node))
        except RefusedOperation as refusal:
            return "refused", "refused: " + text_of(refusal.args[0])
        except MissingName as missing:
            return "missing", text_of(missing.args[0])
        except EvaluationRaised as raised:
            return "raised", raised_text(self._describer, raised.args[0])
        except RecursionError:
            return "refused", "refused: the expression is nested too deeply; ask for a part of it"
        except Exception as error:
            return "refused", "refused: not an expression that is known here (%s)" % short_name(type(error))
        finally:
            self._calls.forget()

    def described(self, kind: str, x: Any) -> dict[str, Any]:
        """Returns an outcome, as `outcome` returns it, as an ExpressionResult dict. Raises nothing."""
        if kind not in ("value", "part"):
            return {"error": kind, "text": x}
        try:
            return {"value": x.described(self._describer) if kind == "part" else self._describer.value(x)}
        except Exception as error:
            text = "refused: not an expression that is known here (%s)" % short_name(type(error))
            return {"error": "refused", "text": text}

    def _evaluate(self, node: Any) -> Any:
        self._tick()
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RefusedOperation("the expression is nested too deeply; ask for a part of it")
        try:
            form = self._forms.get(node[0]) if type(node[0]) is str else None
            if form is None:
                raise RefusedOperation("this kind of expression is not known here")
            return form(self, *node[1:])
        finally:
            self._depth -= 1

    def _variable(self, name: str) -> Any:
        return self._name(name)

    def _name(self, name: str) -> Any:
        if type(name) is not str:
            raise RefusedOperation("a name is a string")
        for scope in (*reversed(self._scopes), self._locals):
            if name in scope:
                return scope[name]
        code = self._frame.f_code
        if name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars:
            raise MissingName("`%s` is not bound at this moment" % name)
        if self._globals is None:
            self._globals = names_of(self._frame.f_globals, MAX_CHARACTERS)
        found = self._globals.get(name, MISSING)
        if found is MISSING:
            found = names_of(module_namespace(sys.modules["builtins"]), MAX_CHARACTERS).get(name, MISSING)
        if found is MISSING:
            raise MissingName("there is no name `%s` here" % name)
        return found

    def _attribute(self, x: Any, name: str) -> Any:
        return attribute(self._evaluate(x), name)

    def _subscript(self, x: Any, index: Any) -> Any:
        container, at = self._evaluate(x), self._index(index)
        found = subscript(container, at)
        return found if is_scalar(at) else self._paid(found)

    def _index(self, node: Any) -> Any:
        if node and node[0] == "sl":
            return slice(*[None if part is None else self._evaluate(part) for part in node[1:]])
        if node and node[0] == "t" and any(part and part[0] == "sl" for part in node[1]):
            return tuple([self._index(part) for part in node[1]])
        return self._evaluate(node)

    def _truth(self, node: Any) -> tuple[Any, bool]:
        x = self._evaluate(node)
        return x, truth_of(x)

    def _unary(self, op: str, x: Any) -> Any:
        return not self._truth(x)[1] if op == "not" else self._paid(unary(op, self._evaluate(x)))

    def _binary(self, op: str, x: Any, y: Any) -> Any:
        return self._paid(binary(op, self._evaluate(x), self._evaluate(y)))

    def _and(self, parts: Any) -> Any:
        value: Any = True
        for part in parts[:-1]:
            # As in Python: the result is the deciding part's value, its truth is tested once, and later parts are not
            # evaluated.
            value, true = self._truth(part)
            if not true:
                return value
        return self._evaluate(parts[-1])

    def _or(self, parts: Any) -> Any:
        for part in parts[:-1]:
            value, true = self._truth(part)
            if true:
                return value
        return self._evaluate(parts[-1])

    def _compare(self, x: Any, links: Any) -> Any:
        left, result = self._evaluate(x), True
        for position, (op, node) in enumerate(links):
            # `a < b < c`: b is evaluated once, and c only if `a < b` holds; the result is that of the last comparison
            # made.
            right = self._evaluate(node)
            result = self._paid(self._compared(op, left, right))
            last = position == len(links) - 1
            if not last and not truth_of(result):
                return result
            left = right
        return result

    def _compared(self, op: str, x: Any, y: Any) -> Any:
        return compare(op, x, y)

    def _if(self, test: Any, x: Any, y: Any) -> Any:
        return self._evaluate(x if self._truth(test)[1] else y)

    def _call(self, f: Any, arguments: Any, keywords: Any = None) -> Any:
        if f[0] == "a":
            owner = self._evaluate(f[1])
            # A method of a builtin type is found by name and the owner's exact type, and never bound: to read
            # `owner.name` would go through the class first, where a subclass may have its own.
            if is_allowed(owner, f[2]):
                self._check_level(None)
                return self._paid(self._calls.method(owner, f[2], self._list(arguments), self._keywords(keywords)))
            function = attribute(owner, f[2])
        else:
            function = self._evaluate(f)
        self._check_level(function)
        return self._paid(self._called(function, self._list(arguments), self._keywords(keywords)))

    def _called(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        return self._calls.call(function, arguments, keywords)

    def _check_level(self, function: Any) -> None:
        if self._level not in ("compute", "mutate") and function is not len:
            raise RefusedOperation(
                "calls need the level compute; at observe only len() of builtin containers is allowed"
            )

    def _keywords(self, keywords: Any) -> dict[str, Any]:
        return {name: self._evaluate(node) for name, node in (keywords or {}).items()}

    def _list(self, nodes: Any) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            if node[0] == "*":
                made.extend(self._calls.iterate(self._evaluate(node[1])))
            else:
                made.append(self._evaluate(node))
        return made

    def _dict(self, pairs: Any) -> Any:
        return {hashable(self._evaluate(key)): self._evaluate(part) for key, part in pairs}

    def _fstring(self, parts: Any) -> str:
        return self._paid("".join([part if type(part) is str else self._formatted(part) for part in parts]))

    def _formatted(self, part: Any) -> str:
        if part[0] == "c":
            return text_of(part[1])
        x = self._evaluate(part[1])
        conversion = part[2] if len(part) > 2 else ""
        spec_node = part[3] if len(part) > 3 else None
        spec = "" if spec_node is None else spec_node if type(spec_node) is str else self._spec(spec_node)
        if not is_plain(x) or not (is_scalar(x) or not spec or conversion):
            raise RefusedOperation("formatting a %s may run its code; read its stored fields" % type_name(type(x)))
        check_format(spec)
        convert: Any = {"r": repr, "s": str, "a": ascii}.get(conversion)
        return legitimate(format, convert(x) if convert else x, spec)

    def _spec(self, node: Any) -> str:
        return self._formatted(node) if node[0] == "fv" else text_of(self._evaluate(node))

    def _comprehension(self, kind: str, element: Any, clauses: Any) -> Any:
        # Any element other than a literal pair would be unpacked by the program's own `__iter__`.
        if kind == "dict" and (
            element[0] != "t" or [part[0] for part in element[1]].count("*") or len(element[1]) != 2
        ):
            raise RefusedOperation("a dict comprehension needs a key and a value")
        items = self._comprehended(element, clauses, self._scopes)
        if kind == "gen":
            return self._calls.made(items)
        if kind == "dict":
            return {hashable(key): part for key, part in items}
        return {hashable(item) for item in items} if kind == "set" else list(items)

    def _comprehended(self, element: Any, clauses: Any, outer: list[dict[str, Any]]) -> Iterator[Any]:
        # One level for each `for`, as nested loops: the iterable of a clause sees the targets of those before it, the
        # element sees all. Lazily, because a generator expression may be used up only in part, and each item costs a
        # tick.
        if not clauses:
            yield self._within(outer, self._evaluate, element)
            return
        target, iterable, conditions = clauses[0]
        for item in self._calls.iterate(self._within(outer, self._evaluate, iterable)):
            scope: dict[str, Any] = {}
            self._bind(scope, target, item)
            inner = [*outer, scope]
            if all(self._within(inner, self._truth, condition)[1] for condition in conditions):
                for made in self._comprehended(element, clauses[1:], inner):
                    yield made

    def _within(self, scopes: list[dict[str, Any]], evaluate: Any, node: Any) -> Any:
        """Evaluates a node with a comprehension's names, set anew each time because generators interleave."""
        before = self._scopes
        self._scopes = scopes
        try:
            return evaluate(node)
        finally:
            self._scopes = before

    def _bind(self, scope: dict[str, Any], target: Any, x: Any) -> None:
        if target[0] == "n":
            scope[target[1]] = x
            return
        parts = list(self._calls.iterate(x))
        expected = len(target[1])
        if len(parts) < expected:
            raise EvaluationRaised(
                ValueError("not enough values to unpack (expected %d, got %d)" % (expected, len(parts)))
            )
        if len(parts) > expected:
            raise EvaluationRaised(ValueError("too many values to unpack (expected %d)" % expected))
        for part, item in zip(target[1], parts):
            self._bind(scope, part, item)

    def _constant(self, x: Any) -> Any:
        if not is_scalar(x):
            raise RefusedOperation("this constant is not known here")
        return x

    def _int(self, digits: str) -> int:
        return int(digits[:4000])

    def _float(self, text: str) -> float:
        return float(text)

    def _bytes(self, text: str) -> bytes:
        return binascii.a2b_base64(text)

    def _ellipsis(self) -> Any:
        return Ellipsis

    def _tuple(self, nodes: Any) -> Any:
        return tuple(self._list(nodes))

    def _set(self, nodes: Any) -> Any:
        return {hashable(item) for item in self._list(nodes)}

    _forms: ClassVar[dict[str, Callable[..., Any]]] = {
        "c": _constant,
        "i": _int,
        "f": _float,
        "b": _bytes,
        "e": _ellipsis,
        "n": _variable,
        "a": _attribute,
        "s": _subscript,
        "u": _unary,
        "o": _binary,
        "and": _and,
        "or": _or,
        "cmp": _compare,
        "if": _if,
        "call": _call,
        "t": _tuple,
        "l": _list,
        "S": _set,
        "d": _dict,
        "fs": _fstring,
        "comp": _comprehension,
    }
