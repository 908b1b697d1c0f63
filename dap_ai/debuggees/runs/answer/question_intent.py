"""Classifies a question about a run by keywords, so that the question can be answered without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

What = Literal[
    "why", "step", "steps", "diff", "search", "checks", "failed-checks", "changes", "file", "errors", "tree", "task",
    "outcome", "cost", "patterns", "advice", "others", "compare", "unknown",
]  # fmt: skip
UNDERSTOOD = (
    "`why did it fail`, `show step 7`, `steps 3-9`, `diff 3 7`, `search TEXT`, `what did it change`, `show FILE`, "
    "`which checks failed`, `which steps failed`, `what did it do`, `what was the task`, `how did it end`, "
    "`what did it cost`, `what would have helped`, `what else could it be`, `compare`"
)
"""Examples of supported questions, shown in answer to an unsupported question."""


class RunQuestion(NamedTuple):
    """The intent of a question, and the step numbers or the text that the question mentions."""

    what: What
    numbers: Sequence[int] = ()
    text: str = ""


_RANGE = re.compile(r"\bsteps?\s+(\d+)\s*(?:-|\u2013|to|until|through)\s*(\d+)", re.IGNORECASE)
_PAIR = re.compile(
    r"\b(?:diff|differ\w*|changed?|between|compare|from)\b\D*?(\d+)\D{1,20}?(\d+)\s*\??\s*$", re.IGNORECASE
)
_ONE = re.compile(r"\bstep\s+(\d+)|^\s*(?:show|open|print)\s+(\d+)\s*\??\s*$", re.IGNORECASE)
_PART = re.compile(r"\bstep\s+\d+,?\s+(said|call|result)\s*$|\b(said|call|result) of step\s+\d+\s*$", re.IGNORECASE)
_HERE = re.compile(r"\b(?:this step|here|this event)\b", re.IGNORECASE)
_SEARCH = re.compile(r"^\s*(?:search|find|grep|look for)\s+(?:for\s+)?(.+?)\s*$", re.IGNORECASE | re.DOTALL)
_STANDS = re.compile(
    r"^\s*where\s+(?:does|do|is|was|are)\s+(.+?)\s+(?:stand|appear|occur|mentioned|come|used|seen)\w*\b", re.IGNORECASE
)
_TESTS = r"(?:checks?|tests?)"
_CALLS = r"(?:steps?|calls?|tools?|commands?)"
_WORDS: Sequence[tuple[What, Sequence[str]]] = (
    ("compare", (r"compare\w*", r"other run", r"diverge\w*")),
    (
        "failed-checks",
        (rf"(?:which|what|list|any|show)\b.*\b{_TESTS}\b.*\b(?:fail\w*|red|broken)", rf"fail(?:ed|ing) {_TESTS}"),
    ),
    ("errors", (rf"(?:which|what|list|any|how many)\b.*\b{_CALLS}\b.*\b(?:fail\w*|refused|errors?)", "errors")),
    ("checks", ("checks?", "tests?", r"verif\w*", "builds?")),
    (
        "advice",
        ("what would", "help(?:ed)?", r"recommend\w*", r"avoid\w*", "should (?:it|the agent|i|we)", r"prevent\w*"),
    ),
    ("others", ("what else", r"alternativ\w*", "other (?:suspects?|causes?|reasons?)", "could it (?:also )?be")),
    (
        "why",
        (
            r"(?:why|where|how|when|what)\b.*\b(?:fail\w*|wrong|broke|break|mistake|problem|not (?:work|pass|solved?))",
            *("onset", "root cause", r"diagnos\w*", "why did it stop"),
        ),
    ),
    ("patterns", ("patterns?", "suspicious", "strange", r"loop\w*", r"repeat\w*", "stuck")),
    ("cost", (r"cost\w*", "tokens?", "dollars?", "expensive", "how (?:much|long|many (?:queries|seconds))")),
    ("task", ("task", "goal", "asked (?:to|for)", "supposed", "prompt", "instructions?")),
    (
        "changes",
        (r"(?:chang|edit|modif|patch|creat|delet)\w*", "wrote", "written", "write", "files?", "workspace"),
    ),
    (
        "outcome",
        ("outcome", "verdict", "solved?", r"succe\w*", "how did it (?:end|finish|go)", "results?", "reward"),
    ),
    (
        "tree",
        ("tree", "overview", r"summar\w*", "what did (?:it|the agent) do", "what happened", "story", "steps"),
    ),
)
"""Keywords of each intent, as regular expressions. The first match determines the intent."""
_NAMED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|([\w./-]*[\w-]\.[A-Za-z]\w{0,9}|[\w.-]+/[\w./-]+)(?![\w/])")


def classify_question(question: str) -> RunQuestion:
    """Return the intent of a question.

    For the intent `unknown`, `text` is a name that may occur in the run, or empty.
    """
    text = question.strip()
    if not text:
        return RunQuestion("why")
    if found := _SEARCH.match(text) or _STANDS.match(text):
        return RunQuestion("search", text=found[1].strip("`\"'? "))
    if found := _PAIR.search(text):
        return RunQuestion("diff", (int(found[1]), int(found[2])))
    if found := _RANGE.search(text):
        return RunQuestion("steps", (int(found[1]), int(found[2])))
    if found := _ONE.search(text):
        part = _PART.search(text)
        return RunQuestion("step", (int(found[1] or found[2]),), (part[1] or part[2]).lower() if part else "")
    if _HERE.search(text) and not re.search(r"\b(?:fail\w*|wrong)\b", text):
        return RunQuestion("step")
    name = next((next(filter(None, m.groups())) for m in _NAMED.finditer(text)), "")
    what = _what(text)
    if name and what in ("changes", "unknown", "outcome"):
        return RunQuestion("file", text=name)
    return RunQuestion(what, text=name)


def _what(text: str) -> What:
    for what, words in _WORDS:
        if any(re.search(rf"\b{word}\b", text, re.IGNORECASE) for word in words):
            return what
    return "unknown"
