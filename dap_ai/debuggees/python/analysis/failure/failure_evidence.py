"""Collects what broke the failing line: the expression, the value that proves it, and where to look next."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dap_ai.agent.case.stop_snapshot import FramePlace, sub_expressions
from dap_ai.agent.case.value_texts import show, variables
from dap_ai.agent.report.citing import Cited
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code


@dataclass
class Diagnosis:
    """Sentences on what happened at the failing line, and the expressions whose history explains it."""

    place: FramePlace
    sentences: list[str] = field(default_factory=list[str])
    roots: list[ast.expr] = field(default_factory=list[ast.expr])
    cited: list[Cited] = field(default_factory=list[Cited])
    advice: list[str] = field(default_factory=list[str])
    """Suggested actions at the failing line itself."""
    broken: ast.expr | None = None
    """The sub-expression that failed, or None if unknown."""
    compared: tuple[str, str] | None = None
    """The values that a failed assertion compares, as texts; None unless both are known."""

    cleared: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """(file, line) pairs that are not suspects."""

    @property
    def header(self) -> list[ast.expr]:
        """The expressions of the failing line."""
        return self.place.evaluated

    @property
    def in_question(self) -> list[ast.expr]:
        """The failed expression and its parts, or all of the line's expressions if it is unknown which failed."""
        return list(sub_expressions([self.broken] if self.broken else self.header))

    def say(self, sentence: str) -> None:
        """Add a sentence to the diagnosis."""
        self.sentences.append(sentence)

    def blame(self, *roots: ast.expr) -> None:
        """Mark expressions whose values need explaining, and cite the values."""
        for root in roots:
            if not isinstance(root, ast.Constant):
                self.roots.append(root)
                self.cite(root)

    def cite(self, expression: ast.expr | str) -> None:
        """Cite an expression once, if its value was read and differs from its text."""
        text = expression if isinstance(expression, str) else ast.unparse(expression)
        value = self.place.value(text)
        tells = value and value.kind not in ("function", "class", "module") and value.text != text
        if tells and all(c.expression != text for c in self.cited):
            self.cited.append(Cited(self.place, text))

    def value(self, node: ast.expr) -> Value | None:
        """Return the value of an expression in the failing frame, or None."""
        return self.place.value(node)

    def is_literal(self, node: ast.expr) -> bool:
        """Whether the expression equals its own value text, so that showing the value adds nothing."""
        value = self.value(node)
        return isinstance(node, ast.Constant) or (value is not None and value.text == ast.unparse(node))

    def code(self, node: ast.expr) -> str:
        """Return the expression as code, with its value if known."""
        value = self.value(node)
        text = code(ast.unparse(node))
        return f"{text} is {code(show(value))}" if value and not isinstance(node, ast.Constant) else text


def failing_expression(place: FramePlace) -> ast.expr | None:
    """Return the sub-expression that failed, or None if unknown.

    Uses the interpreter's position (Python 3.11+), or else the innermost expression that raises.
    """
    nodes = list(sub_expressions(place.evaluated))
    position = place.facts.position if place.facts else None
    if position:
        exact = [n for n in nodes if [n.lineno, n.col_offset, n.end_lineno, n.end_col_offset] == position]
        if exact:
            return exact[-1]
    raised = [n for n in nodes if (fact := place.known.get(ast.unparse(n))) and fact.error == "raised"]
    return raised[-1] if raised else None


def proving(d: Diagnosis, limit: int = 6) -> list[Cited]:
    """Return at most `limit` citations: those of the diagnosis, then variables of the frame."""
    chosen = list(d.cited)
    for variable in variables(d.place.facts) if d.place.facts else []:
        if len(chosen) < min(limit, 3) and all(c.expression != variable.name for c in chosen):
            chosen.append(Cited(d.place, variable.name))
    return chosen[:limit]
