"""Formats values as short one-line texts with a mark at every cut."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameFacts, Value, Variable
from dap_ai.system.texts import code

CHARS_PER_TOKEN = 4
"""Estimated characters per token."""

_BEFORE_CHARS = 12
"""Number of equal characters to show before the first difference of two texts."""
_CUT = re.compile(r"['\"]?\.\.\. \d+ more|\.\.\.\+\d+ chars|\.\.\.")
_QUIET = frozenset({"module", "class", "function"})
MISSING = object()
PLAIN = frozenset(
    {"none", "bool", "int", "float", "str", "bytes", "list", "tuple", "set", "dict", "range", "view", "buffer", "slice"}
)
"""Kinds of values whose text also shows the type."""
_SIZED_TEXTS = frozenset({"dataframe", "series", "index", "extension"})


def cut(text: str, max_chars: int) -> str:
    """Returns the text on one line, at most `max_chars` long. A mark at the end counts the missing characters."""
    text = " ".join(text.split("\n"))
    if len(text) <= max_chars:
        return text
    kept = max_chars - len(f"...+{len(text)} chars")
    return f"{text[:kept]}...+{len(text) - kept} chars" if kept > 0 else "..."[:max_chars]


def shared(first: str, second: str) -> str:
    """Returns the common beginning of two texts if a cut hides whether they differ; empty if the difference shows."""
    shorter = min((first, second), key=lambda text: len(_CUT.split(text, maxsplit=1)[0]))
    known = _CUT.split(shorter, maxsplit=1)[0]
    return known if known != shorter and first.startswith(known) and second.startswith(known) else ""


def cut_apart(first: str, second: str, max_chars: int) -> tuple[str, str]:
    """Cuts two texts to at most `max_chars` each, so that the result shows their first difference."""
    pairs = enumerate(zip(first, second, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))
    start = same - _BEFORE_CHARS
    if start <= 0 or same < max_chars // 2 or max(len(first), len(second)) <= max_chars:
        return cut(first, max_chars), cut(second, max_chars)
    return cut(f"...{first[start:]}", max_chars), cut(f"...{second[start:]}", max_chars)


def first_of(rows: Sequence[str], most: int) -> list[str]:
    """Returns the first `most` rows, and a row with the number of the remaining rows."""
    return [*rows[:most], *([f"... {len(rows) - most} more"] if len(rows) > most else [])]


def show(value: Value, max_chars: int = 120) -> str:
    """Formats a value for an answer. Adds shape, length or note if the text does not contain them."""
    text = cut(value.text, max_chars)
    extra: list[str] = []
    if value.kind in _SIZED_TEXTS:
        pass  # it begins with its size
    elif value.shape is not None and "shape" not in text:
        extra.append("shape " + "x".join(map(str, value.shape)))
    elif value.length is not None and value.truncated:
        extra.append(f"length {value.length}")
    if value.note:
        extra.append(value.note)
    return f"{text} ({', '.join(extra)})" if extra else text


def typed(value: Value, max_chars: int = 120) -> str:
    """Formats a value, followed by its type if the text does not show it."""
    text = show(value, max_chars)
    return text if value.kind in PLAIN or value.kind in _SIZED_TEXTS else f"{text} [{value.type}]"


def show_result(fact: ExpressionResult, max_chars: int = 120) -> str:
    """Formats an expression's result: the value, or the reason why there is no value."""
    if fact.value is not None:
        return f"{show(fact.value, max_chars)}{timed(fact.value, max_chars)}"
    if fact.error == "raised":
        return f"raises {cut(fact.text, max_chars)}"
    return fact.error or "not read"


def variables(facts: FrameFacts, *, as_of_now: bool = False) -> list[Variable]:
    """Returns the arguments and locals of a frame, without functions, classes and modules.

    `as_of_now` adds variables whose value is known only after cleanup has run.
    """
    both = [v for v in [*facts.arguments, *facts.locals] if as_of_now or v.value.time != "now"]
    return [v for v in both if v.value.kind not in _QUIET and not v.name.startswith(("__", "@"))]


def when(value: Value, max_chars: int = 60) -> str:
    """Describes when a value was read if the program cleaned up after its failure: ` when it failed, now `[]``."""
    if value.time == "failed":
        return f" when it failed, now {code(cut(value.now, max_chars))}" if value.now else " when it failed"
    return " now, after cleanup has run" if value.time == "now" else ""


def bound(facts: FrameFacts | None) -> list[str]:
    """Returns the names of the frame's arguments and locals."""
    return [v.name for v in [*facts.arguments, *facts.locals]] if facts else []


def find(facts: FrameFacts | None, name: str, *, as_of_now: bool = False) -> Value | None:
    """Returns the value of a frame's argument or local, or None.

    `as_of_now` also finds values known only after cleanup.
    """
    for variable in [*facts.arguments, *facts.locals] if facts else []:
        if variable.name == name and (as_of_now or variable.value.time != "now"):
            return variable.value
    return None


def literal(value: Value | None) -> Any:
    """Parses the text of a value as a Python literal. `MISSING` if the text is incomplete or not a literal."""
    return MISSING if value is None or value.truncated else literal_in(value.text)


def literal_in(code: str | ast.expr | None) -> Any:
    """Evaluates a Python literal, given as text or AST. `MISSING` if the code is not a literal."""
    try:
        return ast.literal_eval(code) if code is not None else MISSING
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return MISSING


def number_in(code: str | ast.expr | None) -> int | float | None:
    """Returns the number of a numeric literal, or None."""
    found = literal_in(code)
    return found if type(found) in (int, float) else None


def number_of(value: Value | None) -> int | float | None:
    """Returns a value's number. None if the value is not a number or its text is incomplete."""
    if value is None or value.kind not in ("int", "float") or value.truncated:
        return None
    try:
        return int(value.text) if value.kind == "int" else float(value.text)
    except ValueError:
        return None


def timed(value: Value, max_chars: int = 60) -> str:
    """Describes when a value was read, for use after the value: ` (when it failed; now [])`."""
    if value.time == "failed":
        return f" (when it failed; now {cut(value.now, max_chars)})"
    return " (now, after cleanup)" if value.time == "now" else ""


def in_a_line(facts: FrameFacts | None, level: int, full: int, show: Callable[[Value, int], str] = show) -> str:
    """Formats a frame's variables on one line, with at most `full` characters per value.

    Each higher `level`, from 0 to 6, shows fewer variables and shorter values.
    """
    if facts is None:
        return ""
    if facts.error:
        return f"(not read: {cut(facts.error, 80)})"
    found = variables(facts, as_of_now=True)
    if level >= 5:
        return f"... {len(found) + facts.hidden_variables} variables"
    kept, size = found[: (24, 16, 12, 8, 24)[level]], min(full, (100, 60, 36, 20, 0)[level])
    texts = [f"{v.name} = {show(v.value, size)}{timed(v.value, size)}" if size else v.name for v in kept]
    hidden = len(found) - len(kept) + facts.hidden_variables
    return "; ".join([*texts, f"... {hidden} more"] if hidden > 0 else texts)
