"""Recognises what a question asks for, suggests questions, and answers questions that need no analysis."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot, sub_expressions
from dap_ai.agent.case.value_texts import cut, show, variables
from dap_ai.agent.questions.asked_expressions import candidates, is_of_site
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, names_in, nodes_in, own_statements
from dap_ai.system.texts import code

_WAY = re.compile(
    r"\b(?:(?:get|got|come|came|end up|ended up) here|call stack|stack ?trace|backtrace|where am i"
    r"|(?:who|what) call(?:s|ed) (?:this|it|me|us))\b",
    re.IGNORECASE,
)
_THIS_FUNCTION = re.compile(
    r"\b(?:this|the|current|that) (?:function|method|code)\b.*\b(?:do|for|about)\b"
    r"|\bexplain (?:this|the|current) (?:function|method|code)\b|\bwhat does this do\b",
    re.IGNORECASE,
)
_WRONG = re.compile(r"\b(?:problems?|wrong|errors?|fail\w*|bugs?|crash\w*|solve|fix)\b", re.IGNORECASE)
_SPOT = re.compile(r"\(([^\s():]+):(\d+)\)")
_TYPE = re.compile(r"\b(?:what|which) (?:type|class|kind)\b|\b(?:type|class|kind) of\b", re.IGNORECASE)
_HISTORY = re.compile(r"\bvalues\b|\bhistory\b|\bchange[sd]?\b|\bchanging\b|\bover time\b", re.IGNORECASE)
_LENGTH = re.compile(r"\bhow (?:many|long|big|large)\b|\b(?:length|size|number) of\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{2,}")
_NAME = re.compile(r"\w+")
_DESCRIBED = re.compile(
    r"\s*(?:(?:what|where|explain|describe|show|tell)\b(?!.*\bcall)|how do(?:es)?\b.*\bwork)", re.IGNORECASE
)
_ALL = re.compile(r"\b(?:locals?|variables|arguments|args|parameters|all (?:the )?values)\b", re.IGNORECASE)
_HELP = re.compile(r"\s*(?:help|what can (?:i|you|one)\b.*)[\s?!.]*", re.IGNORECASE)
OF_FAILURES = re.compile(
    r"(?:explain|except|assert|error|crash|fail|problem|caus|reason|broke|break|rais|throw|threw|traceback|diagnos|debug"
    r"|analy[sz]|solv|hang|hung|stuck|loop|endless|infinite|forever|freez|frozen|repair|correct|mistake|issue|bug|fix|avoid|prevent|wrong|happen|abort|stop|halt|suspect|fault|(?:none|null|nan|zero|empty|going|next|now|should)$)",
    re.IGNORECASE,
)
_MAX_SHOWN, _OUTER, _MAX_EXAMPLES, _MAX_CHARS = 12, 2, 3, 60


def wants_way(question: str) -> bool:
    """Whether a question asks how the program reached the current line."""
    return bool(_WAY.search(question))


def wants_reason(question: str) -> bool:
    """Whether a question mentions a failure or an error."""
    return any(OF_FAILURES.match(word) for word in _WORD.findall(question))


def wants_help(question: str) -> bool:
    """Whether a question asks for help, such as "what can I ask?"."""
    return bool(_HELP.fullmatch(question))


def wants_all(question: str) -> bool:
    """Whether a question asks for all variables of the frame."""
    return bool(_ALL.search(question))


def wants_type(question: str) -> bool:
    """Whether a question asks for the type of a value."""
    return bool(_TYPE.search(question))


def wants_length(question: str) -> bool:
    """Whether a question asks for the length or size of a value."""
    return bool(_LENGTH.search(question))


def wants_history(question: str) -> bool:
    """Whether a question asks for the successive values of a variable."""
    return bool(_HISTORY.search(question))


def exception_words(case: StopSnapshot) -> set[str]:
    """Returns the words in the exception's type and message."""
    error = case.exception
    return set(_NAME.findall(f"{error.type} {error.message}")) if error else set()


def written(case: StopSnapshot) -> set[str]:
    """Returns the names of all functions and classes in the source files of the stack."""
    sources = [s for p in case.places if (s := p.source)]
    return {n.name for s in sources for n in (*s.functions, *s.classes)}


def place_of(case: StopSnapshot, question: str) -> FramePlace | None:
    """Returns the first of the focus frame and its callers that has a value for a name in the question.

    If no frame has one, returns the focus frame.
    """
    focus = case.focus
    if focus is None:
        return None
    return next((p for p in case.callers for text in candidates(question) if _is_data(p, text)), focus)


def _is_data(place: FramePlace, text: str) -> bool:
    value = place.value(text)
    if value is None or is_of_site(value):
        return False
    return value.kind not in ("module", "class", "function") and value.text != text


def code_asked(case: StopSnapshot, question: str) -> str:
    """Returns the name of the function or class that a question asks about; empty if it asks about neither."""
    focus = case.focus
    if focus is None or place_named(case, question):
        return ""
    is_meant = _THIS_FUNCTION.search(question) and not _WRONG.search(question)
    if is_meant and (function := _pointed_at(case, question) or focus.function):
        return _full_name(case, function)
    known = written(case)
    asked = candidates(question) if _DESCRIBED.match(question) else []
    found = next((text for text in asked if text.removesuffix("()").rpartition(".")[2] in known), "")
    rest = _WORD.findall(question.replace(found, ""))
    return "" if any(OF_FAILURES.match(word) for word in rest) else found


def _pointed_at(case: StopSnapshot, question: str) -> FunctionNode | None:
    """Returns the function at a place such as `(shop.py:12)` in the question. None without such a place."""
    spot = _SPOT.search(question)
    sources = [s for p in case.callers if (s := p.source) and spot and Path(s.path).name == spot[1]]
    return sources[0].function_at(int(spot[2])) if spot and sources else None


def place_named(case: StopSnapshot, question: str) -> bool:
    """Whether a name in the question has a value in one of the frames."""
    place = place_of(case, question)
    return place is not None and any(_is_data(place, text) for text in candidates(question))


def _full_name(case: StopSnapshot, function: FunctionNode) -> str:
    sources = [s for p in case.places if (s := p.source)]
    owner = next((s.owners[function] for s in sources if function in s.owners), None)
    return f"{owner.name}.{function.name}" if owner else function.name


def way(case: StopSnapshot) -> str:
    """Lists the user's frames from the outermost to the stop, each with its current line and arguments."""
    outer = [f for f in case.outermost[::-1] if f.user and f not in case.frames]
    frames = [*outer, *(f for f in case.frames[::-1] if f.user)]
    between = max(0, len(frames) - _MAX_SHOWN)
    shown = [*frames[:_OUTER], *frames[_OUTER + between :]]
    rows = [f"- {_standing(case, frame)}" for frame in shown]
    if between or case.more_frames:
        rows.insert(min(_OUTER, len(outer) or _OUTER), "- ... more calls in between, omitted here")
    return "**How it got here.** From the outermost call to this stop:\n\n" + "\n".join(rows)


def _standing(case: StopSnapshot, frame: StackFrame) -> str:
    place = next((p for p in case.places if p.frame.id == frame.id), None)
    source = case.sources.read(frame.path)
    line_text = cut(source.line(frame.line).strip(), 100) if source else ""
    inside = "at module level" if frame.name == "<module>" else f"in {code(frame.name)}"
    given = (
        [f"{code(a.name)} = {code(show(a.value, 40))}" for a in place.facts.arguments[:4]]
        if place and place.facts
        else []
    )
    spot = f"{code(f'{shorten(frame.path, case.inspection.cwd)}:{frame.line}')} {inside}"
    return f"{spot}: {code(line_text)}" + (f" ({', '.join(given)})" if given else "")


def offered(case: StopSnapshot) -> str:
    """Returns a sentence that suggests example questions for this stop."""
    asked = ", ".join(code(text) for text in examples(case))
    return f"Without a language model, ask for example {asked}."


def setter(case: StopSnapshot, name: str) -> str:
    """Returns a sentence about the function that sets a name.

    Empty if no function in the files of the stack sets this name.
    """
    for path in dict.fromkeys(p.frame.path for p in case.places):
        source = case.sources.read(path)
        for scope in source.functions if source else ():
            found = next((s for s in own_statements(scope) if name in bindings(s)), None)
            if found:
                spot = code(f"{shorten(path, case.inspection.cwd)}:{found.lineno}")
                return f"{code(name)} has no value in the frames of this stop ({code(scope.name)} sets it, at {spot})"
    return ""


def examples(case: StopSnapshot) -> list[str]:
    """Returns three example questions that fit this stop."""
    return list(dict.fromkeys([*_examples(case), "how did I get here?", "why did it stop here?"]))[:_MAX_EXAMPLES]


def _examples(case: StopSnapshot) -> Iterator[str]:
    place = case.focus
    if place is None:
        return
    names = [v.name for v in variables(place.facts) if v.name != "self"] if place.facts else []
    used = names_in(place.statement)
    names.sort(key=lambda name: name not in used)
    if names:
        yield f"where does {names[0]} come from?"
    header = [n for n in nodes_in(place.statement) if isinstance(n, ast.expr)]
    parts = [ast.unparse(n) for n in sub_expressions(header) if isinstance(n, ast.Attribute | ast.Subscript)]
    wholes = [text for text in parts if len(text) <= _MAX_CHARS and _is_data(place, text)]
    if what := next(iter([*wholes, *names[1:]]), ""):
        yield f"what is {what}?"
    functions = [place.function] if place.function else place.source.functions if place.source else []
    if functions:
        yield f"what does {_full_name(case, functions[-1])} do?"
