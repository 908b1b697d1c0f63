"""The snapshot of a stopped program: frames with source and values, exceptions, threads, expressions to read.

stop_reader.py fills the snapshot.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from dap_ai.agent.case.value_texts import find
from dap_ai.agent.source.quantified import quantified
from dap_ai.agent.source.source_file import FunctionNode, SourceFile, Sources, language_of
from dap_ai.agent.source.statements import header_expressions, own_statements
from dap_ai.protocol.contracts.inspection import ExceptionFacts, ExpressionResult, FrameFacts, Inspection, Value
from dap_ai.protocol.contracts.question import HistoryItem, StopEvent
from dap_ai.protocol.wire.ask_messages import Level
from dap_ai.protocol.wire.safe import Safe, SafeFields

if TYPE_CHECKING:
    from dap_ai.agent.case.crash_report import Report

MAX_EXPRESSIONS = 60

_NO_VALUE = ast.Constant | ast.Starred | ast.Slice | ast.FormattedValue
_COMPREHENSIONS: dict[str, type[ast.expr]] = {
    "<genexpr>": ast.GeneratorExp,
    "<listcomp>": ast.ListComp,
    "<setcomp>": ast.SetComp,
    "<dictcomp>": ast.DictComp,
}
"""Maps the frame name of a comprehension to its AST node type."""
_BOUND_INSIDE = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass
class StackFrame:
    """A row of DAP's stack trace. `line` is 1-based."""

    id: int
    name: str
    path: str
    line: int
    user: bool
    reference: int = 0
    inlined: bool = False
    """Whether the compiler inlined the function's code into its caller."""


@dataclass
class FramePlace:
    """A frame of the user's code with the values read in it."""

    frame: StackFrame
    source: SourceFile | None = None
    facts: FrameFacts | None = None
    known: dict[str, ExpressionResult] = field(default_factory=dict[str, ExpressionResult])

    @property
    def function(self) -> FunctionNode | None:
        """AST of the function that the frame runs; None at module level."""
        return self.source.function_at(self.frame.line) if self.source else None

    @property
    def is_generated(self) -> bool:
        """Whether the code was generated from a string, so that no file exists for breakpoints or fixes."""
        return self.frame.path.startswith("<")

    @property
    def scope(self) -> FunctionNode | ast.Module | None:
        """AST of the function that the frame runs, or of the module. None without source."""
        return self.source.scope_at(self.frame.line) if self.source else None

    @property
    def statement(self) -> ast.stmt | None:
        """AST of the statement at the frame's current line."""
        found = self.source.statement_at(self.frame.line) if self.source else None
        if isinstance(found, FunctionNode) and found.name == self.frame.name:  # `def total(self): return ...`
            here = [each for each in found.body if each.lineno == self.frame.line]
            return here[0] if len(here) == 1 else found
        return found

    @property
    def evaluated(self) -> list[ast.expr]:
        """Expressions that the current line evaluates. In a comprehension's frame, those of each iteration."""
        roots = header_expressions(self.statement) if self.statement else []
        kind = _COMPREHENSIONS.get(self.frame.name)
        inner = [n for root in roots for n in ast.walk(root) if kind and isinstance(n, kind)]
        return [part for node in inner for part in _each_round(node)] or roots

    @property
    def language(self) -> str:
        """Language of the frame's source; without source, the language by the file name."""
        return self.source.language if self.source else language_of(self.frame.path)

    def evaluation(self, expression: ast.expr | str) -> ExpressionResult | None:
        """Returns an expression's result at the time of failure. None if the value is unknown for that time."""
        fact = self.present(expression)
        return None if fact and "now" in (fact.time, fact.value.time if fact.value else "") else fact

    def present(self, expression: ast.expr | str) -> ExpressionResult | None:
        """Returns an expression's result at the time of failure.

        If that is unknown, returns the result after the program's cleanup code has run.
        """
        text = expression if isinstance(expression, str) else ast.unparse(expression)
        if text in self.known:
            return self.known[text]
        value = find(self.facts, text, as_of_now=True)
        return ExpressionResult(value) if value else None

    def shown(self, expression: ast.expr | str) -> Value | None:
        """Returns the value in `present()`, which answers display with its time but do not use as proof."""
        fact = self.present(expression)
        return fact.value if fact else None

    def value(self, expression: ast.expr | str) -> Value | None:
        """Returns an expression's value at the time of failure. None if it is unknown for that time."""
        fact = self.evaluation(expression)
        return fact.value if fact else None


class FieldMasker(Protocol):
    """Removes secrets from data that does not pass through the debugger."""

    def mask(self, text: str) -> Safe:
        """Returns the text without secrets."""
        ...

    def mask_fields(self, fields: Mapping[str, object]) -> SafeFields:
        """Returns the structured values without secrets."""
        ...


@dataclass
class StopSnapshot:
    """Everything that the agent has read at one stop of the program."""

    stop: StopEvent
    sources: Sources
    frames: list[StackFrame]
    places: list[FramePlace]
    """User frames with source and values, innermost first."""
    inspection: Inspection
    level: Level = "compute"
    question: str = ""
    masks: FieldMasker | None = None
    """The session's masker. None if nothing is masked."""
    output: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    history: list[HistoryItem] = field(default_factory=list[HistoryItem])
    notes: list[str] = field(default_factory=list[str])
    """Notes to the user about parts that could not be read."""
    edited: list[str] = field(default_factory=list[str])
    """Sentences about values set in the debugger since the program started, newest first."""
    messages: list[str] = field(default_factory=list[str])
    """Alternative texts of the exception's message. The inspector reads them without running code."""

    report: Report | None = None
    """The native program's report of its failure."""

    outermost: list[StackFrame] = field(default_factory=list[StackFrame])
    """Outermost frames of a native stack that has more than `frames`; the innermost of them first."""

    total_frames: int = 0
    """Depth of the whole stack. 0 if unknown or if `frames` is complete."""

    is_over: bool = False
    """Whether the stop has ended, so that the agent can read nothing more from the program."""

    more_frames: bool = False
    """Whether the stack has more than `total_frames` frames."""

    held: tuple[str, StopSnapshot] | None = None
    """Exception that an object of a failed assertion holds: the object's expression, and a snapshot of the raise. The
    snapshot has source but no values.
    """

    remote: StopSnapshot | None = None
    """Snapshot of an exception that another process raised: frames with source, and the values that process sent."""

    @property
    def exception(self) -> ExceptionFacts | None:
        """The exception that stopped the program."""
        return self.inspection.exceptions[0] if self.inspection.exceptions else None

    @property
    def focus(self) -> FramePlace | None:
        """The frame that the question is about: the user's selected frame, else the innermost one."""
        wanted = self.stop.frame_id
        chosen = next((p for p in self.places if p.frame.id == wanted), None)
        return chosen or (self.places[0] if self.places else None)

    def hide(self, text: str) -> str:
        """Returns the text without secrets. Call it before cutting the text anywhere but at its end."""
        return self.masks.mask(text) if self.masks else text

    @property
    def callers(self) -> list[FramePlace]:
        """The focus frame and its callers, nearest first."""
        return self.places[self.places.index(self.focus) :] if self.focus else []


def sub_expressions(roots: list[ast.expr]) -> Iterator[ast.expr]:
    """Yields the expressions below the roots that have a value, outermost first.

    Skips lambdas and the parts of a comprehension that use its loop variables.
    """
    for root in roots:
        todo: list[ast.AST] = [root]
        while todo:
            node = todo.pop(0)
            if isinstance(node, ast.Lambda):
                continue
            if isinstance(node, ast.expr) and not isinstance(node, _NO_VALUE):
                yield node
            if isinstance(node, _BOUND_INSIDE):
                generators = getattr(node, "generators", [])
                todo[:0] = [generators[0].iter] if generators else []
                continue
            todo[:0] = list(ast.iter_child_nodes(node))


def _each_round(comprehension: ast.expr) -> Iterator[ast.expr]:
    yield from (child for child in ast.iter_child_nodes(comprehension) if isinstance(child, ast.expr))
    for number, generator in enumerate(getattr(comprehension, "generators", [])):
        yield from generator.ifs
        if number:
            yield generator.iter


def expressions_at(place: FramePlace, *, wide: bool) -> Iterable[str]:
    """Returns the expressions worth reading in a frame: parts of its statement, and the functions that it calls.

    `wide` adds names, attributes and subscripts of the whole function.
    """
    unit = place.source.unit if place.source else None
    if unit is None:
        return _python_at(place, wide=wide)
    function = unit.function_at(place.frame.line)
    found = [e.text for e in unit.expressions_at(place.frame.line) if e.node is not None]
    if wide and function:
        found += [e.text for e in unit.reads(function) if e.node is not None]
    return list(dict.fromkeys(found))[:MAX_EXPRESSIONS]


def _python_at(place: FramePlace, *, wide: bool) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    statement, scope = place.statement, place.scope
    if statement is None:
        return found

    def add(node: ast.expr) -> None:
        if len(found) < MAX_EXPRESSIONS:
            found.setdefault(ast.unparse(node), node)

    for node in sub_expressions([*place.evaluated, *header_expressions(statement)]):
        add(_loaded(node))
        if decided := quantified(node):
            add(decided.items)
    for other in own_statements(scope) if scope else ():
        for node in sub_expressions(header_expressions(other)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                add(node.func)
                if wide and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
                    add(node.func.value)
                    add(node.args[0])
            elif wide and isinstance(node, ast.Attribute | ast.Subscript) and _is_chain(node):
                add(_loaded(node))
    return found


def _loaded(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body if isinstance(getattr(node, "ctx", None), ast.Store) else node


def _is_chain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Name | ast.Constant):
            return False
        node = node.value
    return isinstance(node, ast.Name)
