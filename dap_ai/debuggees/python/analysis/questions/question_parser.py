"""Parses a natural-language question about a line, a result, a comparison, or a value's origin."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dap_ai.agent.case.value_texts import MISSING, literal_in
from dap_ai.agent.questions.asked_expressions import leading, normal
from dap_ai.agent.questions.history_questions import state_of
from dap_ai.debuggees.python.analysis.questions import question_patterns
from dap_ai.debuggees.python.analysis.syntax.nodes import expression


@dataclass(frozen=True)
class LineRun:
    """A question on why or how often a line ran, or why not. `file`: as typed; empty for the file of the stop."""

    line: int
    file: str = ""


@dataclass(frozen=True)
class Returned:
    """A question on what a function returned, or why."""

    function: str
    value: str = ""
    """Source text of the returned literal in question; empty for any value."""


@dataclass(frozen=True)
class Called:
    """A question on how often, or from where, a function was called."""

    function: str


@dataclass(frozen=True)
class Compared:
    """A question on whether or why a condition is true."""

    subject: str
    """The expression in question."""
    condition: str
    """The condition as an expression: `total > value`."""
    holds: bool | None = None
    """Truth value that the question assumes; None if the question assumes no truth value."""
    others: list[str] = field(default_factory=list[str])
    """Expressions that the subject is compared with, without literals."""


@dataclass(frozen=True)
class Literally:
    """A question on where a value is from (`where does 7 come from?`), or why it did not result (`why not 99?`)."""

    value: str
    """Source text of a literal, or `nan`, `inf`."""
    missed: bool = False


@dataclass(frozen=True)
class KindOnly:
    """A question that is fully described by its kind."""

    kind: question_patterns.Kind


Wanted = LineRun | Returned | Called | Compared | Literally | KindOnly

_ODD_VALUES = ("nan", "inf", "-inf")


def parse_question(question: str) -> Wanted | None:
    """Parse a question; None if the question is of another kind or names something that is not an expression."""
    text = " ".join(question.strip().rstrip("?!. ").replace("`", "").split())
    for kind, pattern in question_patterns.PLAIN.items():
        if pattern.fullmatch(text):
            return KindOnly(kind)
    if found := question_patterns.LINE_RUN.fullmatch(text):
        return LineRun(int(found["line"]), found["file"] or "")
    for pattern in (question_patterns.CALLED, question_patterns.CALLER):
        if found := pattern.fullmatch(text):
            return Called(found["f"])
    for pattern in (question_patterns.RESULT, question_patterns.RETURNED):
        found = pattern.fullmatch(text)
        if found and found["f"].casefold() not in ("it", "this", "that", "line"):
            return Returned(found["f"], literal((found["v"] or "").strip()))
    return _literally(text) or _stands(text)


def named_by(wanted: Wanted | None) -> list[str]:
    """Return the expressions in a question that a frame may have values for."""
    if isinstance(wanted, Returned | Called):
        return [wanted.function]
    return [wanted.condition, wanted.subject, *wanted.others] if isinstance(wanted, Compared) else []


def _literally(text: str) -> Literally | None:
    if (found := question_patterns.WHY_NOT.fullmatch(text)) and (value := literal(found["v"] or found["w"])):
        return Literally(value, missed=True)
    for pattern in (question_patterns.FROM, question_patterns.WHY_VALUE):
        if (found := pattern.fullmatch(text)) and (value := literal(found["v"])):
            return Literally(value)
    return None


def _stands(text: str) -> Compared | None:
    """Parse a question such as `why is a < b`, `is total bigger than 3` or `why does a equal b`, else return None."""
    if differ := question_patterns.DIFFER.fullmatch(text):
        one, other = (normal(side) for side in differ.groups() if side)
        return Compared(one, f"{one} == {other}", None, [other]) if one and other else None
    found = question_patterns.STANDS.fullmatch(text)
    if found is None:
        return None
    negated = found["verb"].casefold().endswith("n't")
    said = question_patterns.INSTEAD.sub("", found["rest"])
    whole = question_patterns.EMPHASIS.sub("", question_patterns.ARTICLES.sub("", said, count=1)).strip()
    compared = _symbols(whole) or _words(whole, is_doing=found["verb"].casefold().startswith("d"))
    if compared is None:
        return None
    subject, condition, others, is_not = compared
    holds = (negated == is_not) if found["why"] else None
    return Compared(subject, condition, holds, others)


def _symbols(text: str) -> tuple[str, str, list[str], bool] | None:
    """Parse a Python comparison as (subject, condition, others, is_not); None for other texts."""
    node = expression(text)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    sides = [node.left, node.comparators[0]]
    named = [ast.unparse(side) for side in sides if not isinstance(side, ast.Constant)]
    whole = ast.unparse(node)
    return named[0] if named else whole, whole, named[1:], False


def _words(text: str, *, is_doing: bool) -> tuple[str, str, list[str], bool] | None:
    """Parse a subject and words on its state as (subject, condition, others, is_not); None for other texts.

    `is_doing`: whether the condition has a verb of its own, as in `a equal b`.
    """
    subject = normal(found) if (found := leading(text)) else ""
    rest = text[len(found) :] if subject else ""
    if not rest[:1].isspace():
        return None
    verb = question_patterns.VERB.match(rest)
    if is_doing and verb is None:
        return None
    rest = rest[verb.end() :] if verb else rest
    no = question_patterns.NOT.match(rest)
    state = state_of(rest[no.end() :] if no else rest, names=True)
    if not state:
        return None
    condition = state.format(subject)
    return subject, condition, _operands(condition, subject), no is not None


def _operands(condition: str, subject: str) -> list[str]:
    """Return a comparison's operands other than its subject and literals."""
    node = expression(condition)
    if not isinstance(node, ast.Compare):
        return []
    sides = [node.left, *node.comparators]
    return [ast.unparse(s) for s in sides if not isinstance(s, ast.Constant | ast.Call) and ast.unparse(s) != subject]


def literal(text: str) -> str:
    """Return a literal's source text; an empty string if the text is not a literal."""
    text = text.strip()
    text = {"none": "None", "true": "True", "false": "False", "zero": "0"}.get(text.casefold(), text)
    if text.casefold() in _ODD_VALUES:
        return text.casefold()
    value = literal_in(text)
    return "" if value is MISSING else repr(value)
