"""Parses questions about past values: `when did total become negative?` asks for the condition `total < 0`."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from dap_ai.agent.questions.asked_expressions import leading, normal
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.protocol.contracts.inspection import Value


class HistoryQuestion(NamedTuple):
    """An expression to follow, and the condition on its value. An empty condition means every change.

    The condition is a format string such as `{} < 0`.
    """

    expression: str
    """The expression's source text; empty for `it`."""
    condition: str

    def when(self, expression: str) -> str:
        """Inserts an expression into the condition."""
        return self.condition.format(expression)


_OPENS = re.compile(
    r"\s*(?P<opens>(?:since |from )?when|where|(?:at|in|by|on) (?:which|what) (?:line|point|step|moment|round|call)) "
    r"(?:did|does|do|was|were|is|has|have|had) (?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_MAKES = re.compile(
    r"\s*(?P<opens>what|who|which (?:line|call|statement|function|step|round)) (?:has |have |had )?"
    r"(?:made|makes|make|turned|set|sets|changed|changes|modified|assigned|overwrote|updated) (?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r"(?:the |my )?(?:(?:values?|contents?) of )?(?:the |my )?(?:variable )?", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:it|this|that)\b", re.IGNORECASE)
_ADVERBS = re.compile(
    r"\b(?:first|suddenly|actually|last|finally|ever|already|for the first time|have|been|being|to be)\b\s*",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"(?:get |got )?(?:change[sd]?|changing|modified|updated|overwritten|assigned|set|bound|defined|created|mutated)\b"
    r"(?: (?:to|as|into))?(?P<to>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BECOMES = re.compile(
    r"(?:become|becomes|became|get|gets|got|turn|turns|turned|go|goes|went|be|equal|equals|start|drop|drops|dropped|fall"
    r"|falls|fell|rise|rises|rose|grow|grows|grew|jump|jumped|switch|switched)\b(?: (?:to|into|as))?(?P<to>.+)",
    re.IGNORECASE | re.DOTALL,
)
_PASSES = re.compile(
    r"(?P<verb>exceeds?|pass|passes|surpass|reach|reaches|hit|hits)\b(?P<to>.+)", re.IGNORECASE | re.DOTALL
)
_STOPS = re.compile(r"(?:stop|stops|stopped|cease|no longer|not)\b(?P<to>.+)", re.IGNORECASE | re.DOTALL)
_CONTAINS = re.compile(r"(?:contain|contains|include|includes|have|hold)\b(?P<to>.+)", re.IGNORECASE | re.DOTALL)
_STATES = {
    "negative": "{} < 0", "positive": "{} > 0", "zero": "{} == 0", "nonzero": "{} != 0",
    "none": "{} is None", "null": "{} is None", "nothing": "{} is None", "empty": "len({}) == 0",
    "nan": "{0} != {0}", "true": "{} is True", "false": "{} is False", "falsy": "not {}", "truthy": "not not {}",
}  # fmt: skip
_TYPES = {
    **{name: name for name in ("int", "float", "str", "list", "tuple", "dict", "set", "bool", "bytes")},
    "string": "str",
    "text": "str",
    "number": "float",
    "integer": "int",
}
_KIND = re.compile(r"(?:an?|the) (?P<kind>\w+)", re.IGNORECASE)
_COMPARED = (
    (re.compile(r"(?:(?:larger|greater|bigger|higher|more) than|above|over) (?P<y>.+)", re.IGNORECASE), "{{}} > {0}"),
    (re.compile(r"(?:(?:smaller|less|lower|fewer) than|below|under) (?P<y>.+)", re.IGNORECASE), "{{}} < {0}"),
    (re.compile(r"longer than (?P<y>.+)", re.IGNORECASE), "len({{}}) > {0}"),
    (re.compile(r"shorter than (?P<y>.+)", re.IGNORECASE), "len({{}}) < {0}"),
    (re.compile(r"at least (?P<y>.+)", re.IGNORECASE), "{{}} >= {0}"),
    (re.compile(r"at most (?P<y>.+)", re.IGNORECASE), "{{}} <= {0}"),
    (re.compile(r"(?:different from|other than|unequal to|not) (?P<y>.+)", re.IGNORECASE), "{{}} != {0}"),
    (re.compile(r"(?:equal to |exactly |(?:the )?same as )?(?P<y>.+)", re.IGNORECASE), "{{}} == {0}"),
)  # fmt: skip


def parse_history_question(question: str) -> HistoryQuestion | None:
    """Parses a question about past values. None for any other question."""
    text = question.strip().rstrip("?!. ")
    made = _MAKES.fullmatch(text)
    opened = made or _OPENS.fullmatch(text)
    if opened is None:
        return None
    expression, rest = _subject(opened["rest"])
    if expression is None:
        return None
    rest = " ".join(_ADVERBS.sub("", rest).split())
    if made:
        condition = state_of(re.sub(r"^(?:to|into|be|become|as) ", "", rest)) if rest else ""
    else:
        condition = _condition(rest)
    if not condition and (made or opened["opens"].casefold() == "where"):
        return None  # the source shows where a value is set
    return None if condition is None else _compared(expression, condition)


def as_called(text: str) -> HistoryQuestion:
    """Parses the argument of a `history` tool call: `total when total < 0`, or only `total < 0`."""
    expression, _, condition = text.strip().strip("`").partition(" when ")
    return HistoryQuestion(expression.strip(), _escaped(condition.strip())) if condition else _compared(expression, "")


def is_so(condition: str, value: Value) -> bool:
    """Whether `it` in a question may mean this value: the value's text does not contradict the condition."""
    match condition:
        case "{} is None":
            return value.kind == "none"
        case "{} < 0":
            return value.kind in ("int", "float") and value.text.startswith("-")
        case "{} == 0":
            return value.text in ("0", "0.0")
        case "len({}) == 0":
            return value.length == 0
        case _:
            return value.kind not in ("module", "class", "function")


def _subject(text: str) -> tuple[str | None, str]:
    """Splits a text into its first expression and the rest.

    The expression is empty for `it`, None if there is no expression.
    """
    text = text.strip()
    if text.startswith("`") and (end := text.find("`", 1)) > 0:
        return normal(text[1:end]) or None, text[end + 1 :].strip()
    if pronoun := _PRONOUN.match(text):
        return "", text[pronoun.end() :].strip()
    text = text[article.end() :] if (article := _ARTICLE.match(text)) else text
    found = leading(text)
    return (normal(found) or None, text[len(found) :].strip()) if found else (None, text)


def _condition(rest: str) -> str | None:
    """Parses the condition after the subject of a question. Empty for any change, None if not understood."""
    if changes := _CHANGES.fullmatch(rest):
        return state_of(changes["to"]) if changes["to"].strip() else ""
    if passes := _PASSES.fullmatch(rest):
        y = _operand(passes["to"])
        sign = ">=" if passes["verb"].casefold().startswith(("reach", "hit")) else ">"
        return f"{{}} {sign} {y}" if y else None
    if contains := _CONTAINS.fullmatch(rest):
        y = _operand(contains["to"])
        return f"{y} in {{}}" if y else None
    if stops := _STOPS.fullmatch(rest):
        state = state_of(stops["to"])
        return f"not ({state})" if state else None
    becomes = _BECOMES.fullmatch(rest)
    state = state_of(becomes["to"] if becomes else rest)
    return state or ("" if becomes and "wrong" in rest else None)


def state_of(text: str, *, names: bool = False) -> str:
    """Parses a state such as `negative` to a condition, as in HistoryQuestion; empty if not understood.

    `names`: treat plain words as variable names, as in `bigger than value`.
    """
    text = text.strip().strip("`")
    if state := _STATES.get(text.casefold()):
        return state
    kind = _KIND.fullmatch(text)
    if kind and (name := _TYPES.get(kind["kind"].casefold())):
        return f"isinstance({{}}, {name})"
    for pattern, condition in _COMPARED:
        if (found := pattern.fullmatch(text)) and (y := _operand(found["y"], names=names)):
            return condition.format(y)
    return ""


def _operand(text: str, *, names: bool = False) -> str:
    """Returns a literal or expression in normal spacing; empty if the text is neither.

    A plain word counts as an expression only if `names`.
    """
    text = text.strip()
    state = {"zero": "0", "none": "None", "true": "True", "false": "False", "null": "None"}.get(text.casefold())
    try:
        node = parse_expression(state or text.strip("`"))
    except SyntaxRefused:
        return ""
    is_word = isinstance(node, ast.Name) and not text.startswith("`") and not names
    return "" if is_word else _escaped(ast.unparse(node))


def _compared(expression: str, condition: str) -> HistoryQuestion:
    """Returns a question about `expression`.

    A comparison such as `total < 0` becomes the condition for its left side.
    """
    try:
        node = parse_expression(expression) if expression else None
    except SyntaxRefused:  # evaluating it later reports the reason
        node = None
    if isinstance(node, ast.Compare):
        return HistoryQuestion(ast.unparse(node.left), _escaped(expression))
    return HistoryQuestion(expression, condition)


def _escaped(text: str) -> str:
    """Escapes the braces in a text for use in a format string."""
    return text.replace("{", "{{").replace("}", "}}")
