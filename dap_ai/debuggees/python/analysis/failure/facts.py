"""What broke the failing line: the expression, the value that proves it, and where to look next."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from dap_ai.agent.case.evidence import evidence_at
from dap_ai.agent.case.stack import Place, sub_expressions
from dap_ai.agent.case.values import MISSING, literal_in, show, variables
from dap_ai.protocol.contracts.asking import Stop
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.wire.ask import Evidence


@dataclass
class Cited:
    """An expression of a frame that the answer cites."""

    place: Place
    expression: str


def evidence_of(stop: Stop, cited: Iterable[Cited]) -> list[Evidence]:
    """What an answer cites, as far as it was read."""
    read = ((c, c.place.value(c.expression)) for c in cited)
    return [evidence_at(c.expression, value.text, c.place.frame, stop) for c, value in read if value]


@dataclass
class Diagnosis:
    """What happened at the failing line, in words, and the expressions whose history explains it."""

    place: Place
    sentences: list[str] = field(default_factory=list[str])
    roots: list[ast.expr] = field(default_factory=list[ast.expr])
    cited: list[Cited] = field(default_factory=list[Cited])
    advice: list[str] = field(default_factory=list[str])
    """What to do at the failing line itself."""
    broken: ast.expr | None = None
    """The sub-expression that failed."""
    compared: tuple[str, str] | None = None
    """The values of what a failed assertion compares, as texts, where both are known."""

    cleared: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """Files and lines that are no suspects."""

    @property
    def header(self) -> list[ast.expr]:
        """The expressions of the failing line."""
        return self.place.evaluated

    @property
    def in_question(self) -> list[ast.expr]:
        """What failed and all that is in it; of the whole line, where that is not known."""
        return list(sub_expressions([self.broken] if self.broken else self.header))

    def say(self, sentence: str) -> None:
        """Adds a sentence."""
        self.sentences.append(sentence)

    def blame(self, *roots: ast.expr) -> None:
        """These expressions' values are what to explain; their values are cited."""
        for root in roots:
            if not isinstance(root, ast.Constant):
                self.roots.append(root)
                self.cite(root)

    def cite(self, expression: ast.expr | str) -> None:
        """Cites an expression whose value was read."""
        text = expression if isinstance(expression, str) else ast.unparse(expression)
        value = self.place.value(text)
        tells = value and value.kind not in ("function", "class", "module") and value.text != text
        if tells and all(c.expression != text for c in self.cited):
            self.cited.append(Cited(self.place, text))

    def value(self, node: ast.expr) -> Value | None:
        """The value of an expression in the failing frame."""
        return self.place.value(node)

    def is_literal(self, node: ast.expr) -> bool:
        """Whether the expression is its own value, so that to tell it tells nothing."""
        value = self.value(node)
        return isinstance(node, ast.Constant) or (value is not None and value.text == ast.unparse(node))

    def code(self, node: ast.expr) -> str:
        """The expression as code, with its value if there is one."""
        value = self.value(node)
        text = f"`{ast.unparse(node)}`"
        return f"{text} is `{show(value)}`" if value and not isinstance(node, ast.Constant) else text


def near(name: str, names: Iterable[str], count: int = 2) -> list[str]:
    """The names most like this one: same but for case or blanks first, then by spelling."""
    names = list(dict.fromkeys(n for n in names if n != name))
    folded = name.strip().casefold().replace("_", "").replace("-", "")
    same = [n for n in names if n.strip().casefold().replace("_", "").replace("-", "") == folded]
    close = difflib.get_close_matches(name, names, n=count + 1, cutoff=0.6)
    parts = [
        n for n in names if len(folded) >= 4 and (folded in n.casefold() or (n.casefold() in folded and len(n) >= 4))
    ]
    return list(dict.fromkeys([*same, *close, *parts]))[:count]


def near_key(key: str, keys: list[str]) -> str:
    """The key (a repr) most like a missing one (a repr), and how they differ; empty if none is like it."""
    wanted = literal_in(key)
    if wanted is MISSING:
        return ""
    for other in keys:
        found = literal_in(other)
        if found is MISSING:
            continue
        if type(found) is not type(wanted) and str(found) == str(wanted):
            return f"there is `{other}` ({type(found).__name__}, not {type(wanted).__name__})"
        if found == f"\ufeff{wanted}":
            return f'there is `{other}`, with a byte order mark: read the file with `encoding="utf-8-sig"`'
        if isinstance(wanted, str) and isinstance(found, str) and wanted.strip().casefold() == found.strip().casefold():
            how = "blanks" if wanted.casefold() != found.casefold() else "case"
            return f"there is `{other}`, which differs in {how} only"
    matches = near(str(wanted), [str(ast.literal_eval(k)) for k in keys if k[:1] in "'\""], 1)
    return f"the nearest key is `{matches[0]!r}`" if matches else ""


def failing_expression(place: Place) -> ast.expr | None:
    """The sub-expression that failed: by the interpreter's own position (3.11+), else the innermost that raises."""
    nodes = list(sub_expressions(place.evaluated))
    position = place.facts.position if place.facts else None
    if position:
        exact = [n for n in nodes if [n.lineno, n.col_offset, n.end_lineno, n.end_col_offset] == position]
        if exact:
            return exact[-1]
    raised = [n for n in nodes if (fact := place.known.get(ast.unparse(n))) and fact.error == "raised"]
    return raised[-1] if raised else None


def proving(d: Diagnosis, limit: int = 6) -> list[Cited]:
    """What to cite: the chosen expressions, then the frame's own data."""
    chosen = list(d.cited)
    for variable in variables(d.place.facts) if d.place.facts else []:
        if len(chosen) < min(limit, 3) and all(c.expression != variable.name for c in chosen):
            chosen.append(Cited(d.place, variable.name))
    return chosen[:limit]
