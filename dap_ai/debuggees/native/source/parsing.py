"""Parses C, C++ and Rust source into functions, statements, expressions and writes. Syntax errors are tolerated.

Lines are 1-based. Columns are 0-based, in characters. No code here reads the running program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, partial

from dap_ai.agent.source.parsed import CompiledStatement, Expression, Function, NameWrite
from dap_ai.debuggees.native.source import flow, statements
from dap_ai.debuggees.native.source.expressions import build, parse_expression, sub_expressions
from dap_ai.debuggees.native.source.functions import functions
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax
from dap_ai.debuggees.native.source.writes import Writes
from dap_ai.protocol.contracts.inspection import Node

__all__ = ["CompiledStatement", "Expression", "Function", "NameWrite", "ParsedFile", "parse", "to_node"]
_CALLS = ("call_expression", "macro_invocation")
_MAX_CALLS = 1000
"""Maximum number of calls found for one name, because generated files may nest calls without limit."""
_READ = ("name", "member", "subscript", "deref")


class ParsedFile:
    """One parsed source file, with lookups by line, function and name."""

    def __init__(self, source: ParsedSource) -> None:
        self.language = source.language
        self._source = source
        self._statements: dict[int, CompiledStatement | None] = {}
        self._expressions: dict[int, list[Expression]] = {}
        self._reads: dict[Function, list[Expression]] = {}
        self._written: dict[Function, Writes] = {}
        self._repeated: dict[Function, list[tuple[int, int]]] = {}

    @property
    def functions(self) -> Sequence[Function]:
        """All functions of the file, in source order."""
        return list(self._nodes)

    @cached_property
    def _nodes(self) -> dict[Function, Syntax]:
        return dict(functions(self._source))

    def function_at(self, line: int) -> Function | None:
        """Return the innermost function that contains the line, or None."""
        holders = [f for f in self.functions if f.first <= line <= f.last]
        return max(holders, key=lambda f: (f.first, -f.last), default=None)

    def statement_at(self, line: int) -> CompiledStatement | None:
        """Return the innermost statement at the line, or None for a line without one, such as a closing brace."""
        if line not in self._statements:
            spot = statements.innermost(statements.spots_at(self._source, line))
            self._statements[line] = statements.statement(self._source, spot) if spot else None
        return self._statements[line]

    def expressions_at(self, line: int) -> list[Expression]:
        """Return every sub-expression with a value in the line's statement, outermost first, without duplicates.

        Expressions of other statements on the statement's first line follow: `if (p) return p->next;` is two
        statements.
        """
        if line not in self._expressions:
            spots = statements.spots_at(self._source, line)
            spot = statements.innermost(spots)
            beside = statements.beside(spots, spot) if spot else []
            roots = [root for near in beside for root in statements.expressions(self._source, near)]
            function = self.function_at(line)
            local = self._writes(function).names if function else set[str]()
            self._expressions[line] = _distinct(sub_expressions(roots, partial(self._is_pointer, local)))
        return self._expressions[line]

    def _is_pointer(self, local: set[str], callee: Expression) -> bool:
        """Whether the called expression is a variable with a function pointer.

        In C, a called member always is such a variable.
        """
        return callee.text in local if callee.kind == "name" else self.language == "c"

    def writes(self, name: str, function: Function) -> list[NameWrite]:
        """Return all writes in the function to a name or its parts, in source order.

        For `p`, this includes `p->next`.
        """
        return self._writes(function).of(name)

    def may_come_back(self, function: Function, line: int, to: int) -> bool:
        """Whether a function may run `line` and then the earlier line `to`, because a loop contains both."""
        if function not in self._repeated:
            self._repeated[function] = flow.repeated(self._source, self._nodes[function])
        return any(first <= to <= line <= last for first, last in self._repeated[function])

    def decisions(self, function: Function, line: int, to: int = 0) -> list[flow.Condition] | None:
        """Return the conditions under which `line` ran before `to`. Return None if `to` cannot run after `line`.

        Without `to`, return the conditions under which a call of the function runs `line` at all.
        """
        reached = next(iter(self._innermost(to)), None) if to else None
        found = [self._decisions(self._nodes[function], node, reached) for node in self._innermost(line)]
        return found[0] if found and all(each == found[0] for each in found) else [(None, True)]

    def _decisions(self, body: Syntax, node: Syntax, to: Syntax | None) -> list[flow.Condition] | None:
        if to is None:
            unsure = flow.returns_before(self._source, body, node)
            return [(None, True)] if unsure else [condition for _, condition in flow.decisions(self._source, node)]
        if flow.leaves(self._source, node, to):
            return None
        if fork := flow.fork_of(node, to):
            line = fork.start_point[0] + 1
            again = any(first <= line <= last for first, last in flow.repeated(self._source, body))
            return [(None, True)] if again else None
        # The program reached `to`, so each condition around both lines was met.
        return [c for outer, c in flow.decisions(self._source, node) if not flow.is_around(outer, to)]

    def _innermost(self, line: int) -> list[Syntax]:
        spots = statements.spots_at(self._source, line)
        return [spot.node for spot in spots if spot.depth == max(other.depth for other in spots)]

    def always_calls(self, function: Function, name: str, line: int) -> bool:
        """Whether every call of the function calls the unqualified `name` at the line, without any exit before."""
        body = self._nodes[function]
        here = [c for c in self._named_calls(body, name) if c.start_point[0] < line <= c.end_point[0] + 1]
        return any(flow.is_always_reached(self._source, body, call) for call in here)

    def uses_only_arguments(self, function: Function, name: str) -> bool:
        """Whether a function reads only its parameters and calls only `name`.

        Its result then depends on its arguments alone.
        """
        body, given = self._nodes[function], {parameter.lstrip("*& ") for parameter in function.parameters}
        if any(read.text not in given for read in self.reads(function)):
            return False
        return len(self._named_calls(body, name)) == len(self._source.find(body, _CALLS))

    def _named_calls(self, body: Syntax, name: str) -> list[Syntax]:
        return [call for call in self._source.find(body, ["call_expression"]) if self._calls_in(call, name)]

    def ifs_before(self, function: Function, line: int) -> list[int]:
        """Return the lines of `if` statements that decide whether a call of the function reaches a line."""
        found = [spot.node for spot in statements.all_spots(self._nodes[function]) if spot.kind == "if"]
        return [self._source.line(each) for each in found if flow.may_keep_from(self._source, each, line)]

    def loop_header(self, line: int) -> list[Expression]:
        """Return the outermost expressions of the innermost loop whose header is on a line."""
        loops = [spot for spot in statements.spots_at(self._source, line) if spot.kind in ("for", "while")]
        return statements.expressions(self._source, loops[-1]) if loops else []

    def has_open_end(self, function: Function) -> bool:
        """Whether a function that must return a value may reach its end without a `return`."""
        return flow.has_open_end(self._source, self._nodes[function])

    def reads(self, function: Function) -> list[Expression]:
        """Return the names, members, subscripts and dereferences in a function, in source order without duplicates."""
        if function not in self._reads:
            spots = statements.all_spots(self._nodes[function])
            roots = (root for spot in spots for root in statements.expressions(self._source, spot))
            self._reads[function] = _distinct(e for e in sub_expressions(roots) if e.kind in _READ)
        return self._reads[function]

    def calls(self, name: str) -> list[Expression]:
        """Return at most 1000 calls in the file of a function or method, found by its unqualified name."""
        wanted = name.encode("utf-8", "replace")
        if not wanted or wanted not in self._source.data:
            return []
        found: list[Expression] = []
        for node in self._source.find(self._source.root, _CALLS):
            if wanted in self._source.data[node.start_byte : node.end_byte]:
                found += self._calls_in(node, name)
            if len(found) >= _MAX_CALLS:
                break
        return found

    def _calls_in(self, node: Syntax, name: str) -> list[Expression]:
        call = build(self._source, node)
        inside = sub_expressions([call]) if node.type == "macro_invocation" else [call]
        return [e for e in inside if e.kind == "call" and e.parts and _last_part(e.parts[0]) == name]

    def _writes(self, function: Function) -> Writes:
        if function not in self._written:
            self._written[function] = Writes(self._source, self._nodes[function])
        return self._written[function]


def parse(text: str, language: str) -> ParsedFile:
    """Parse the text of a source file. Parts with syntax errors are omitted. Raises MissingExtraError.

    `language` is c, cpp or rust.
    """
    return ParsedFile(ParsedSource(text, language))


def to_node(expression: str, language: str) -> Node:
    """Convert the text of one expression to a Node. Raises sanitize.SyntaxRefused, which explains what to do instead.

    It refuses calls, assignments, `++`, statements, lambdas, macro calls, `sizeof`, casts to classes, debugger syntax
    (`$`, backquotes, `@`, `{type}`), and any text with a syntax error.
    """
    return parse_expression(expression, language).node or []


def _distinct(expressions: Iterable[Expression]) -> list[Expression]:
    found: dict[str, Expression] = {}
    for expression in expressions:
        found.setdefault(expression.text, expression)
    return list(found.values())


def _last_part(callee: Expression) -> str:
    if callee.kind == "member":
        return callee.text.rpartition(callee.operator)[2].partition("::<")[0].partition("<")[0]
    return callee.text.partition("<")[0].rstrip(":").rpartition("::")[2]
