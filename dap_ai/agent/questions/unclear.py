"""Finds words of a question that match nothing at this stop, so that the answer can mention them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.questions.asked_expressions import STOP_WORDS, candidates
from dap_ai.agent.questions.question_kinds import OF_FAILURES, exception_words, offered, setter, written
from dap_ai.agent.source.statements import names_in
from dap_ai.system.texts import code

_FILLERS = STOP_WORDS | frozenset(
    """about again all also am an any anybody anyone anything are as assume assumption assumptions at be
    because been being blame but by cannot cant change changed changes come could couldn currently did didn
    does doesn doing don done else even exactly explain find for from get gets getting give go going gone got
    had hasn have haven help her here him how if in instead into isn it its itself just keep keeps know let
    like look looks made make makes making me mean means might more must my need needs no nothing now of off
    on once one only or our out over please point possible pretty quickly really right run running runs say
    says see seem seems shall she should show shows so some somebody someone something still suddenly suggest
    summarise summarize supposed sure tell than thank thanks that the their them then there these they thing
    things think this those to told too tried try trying understand understood up us want wants was wasn way
    we were what when where whether which who will with without won work worked working works would wouldn yes
    you your

    app application assertion block call called caller cause cell code command condition context describe
    details exception expression file frame function happening hint line main message method module name object
    place process python question reason result root script software source state statement step story test
    tests thread trace value values""".split()  # noqa: SIM905  as a table
)
"""Words without a meaning of their own. A question that consists of such words asks why the program stopped."""
_OF_STOPS = frozenset(
    {"fail", "failed", "crash", "error", "happen", "happened", "wrong", "stop", "stopped", "bug", "fix"}
)
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_WORD = re.compile(r"[^\W\d_][\w]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CODED = re.compile(r"\w_\w|[a-z][A-Z]|[A-Za-z]\d")
"""Matches names that look like code, such as `total_sum`, rather than like English words."""
_WHEN = re.compile(r"\s*(when)\b", re.IGNORECASE)
"""Matches `when` at the beginning of a question, which the values of a stop cannot answer."""
_MAX_WORDS = 5


def not_understood(case: StopSnapshot, question: str) -> str:
    """Returns a paragraph about the words that were understood and not understood.

    Empty if every word was understood.
    """
    asked = _FENCED.sub(" ", question)
    known = {word.casefold() for word in _known(case)}
    words = dict.fromkeys(_WORD.findall(asked))
    opens = _WHEN.match(asked)
    unknown = [*([opens[1]] if opens else []), *(word for word in words if not _is_clear(word, known))]
    missing = _missing(case, asked, known)
    if not unknown and not missing:
        return ""
    named = [word for word in words if word.casefold() not in _FILLERS - _OF_STOPS and len(word) > 1]
    understood = [word for word in named if word.casefold() in known or OF_FAILURES.match(word)]
    reason = missing or f"Not understood: {_listed(unknown)}"
    if understood:
        reason += f". Understood: {_listed(understood)}, as a question about the stop"
    return f"{reason}. {offered(case)} Here is why the program stopped:"


def _missing(case: StopSnapshot, question: str, known: set[str]) -> str:
    """Describes a name in the question that looks like code but has no value here; empty without such a name."""
    names = [t for t in candidates(question) if t.isidentifier() and not OF_FAILURES.match(t)]
    if where := next((where for name in names if (where := setter(case, name))), ""):
        return where
    coded = next((name for name in names if _CODED.search(name) and name.casefold() not in known), "")
    return f"Nothing is called {code(coded)} at this stop" if coded and not _occurs(case, coded) else ""


def _is_clear(word: str, known: set[str]) -> bool:
    return len(word) == 1 or word.casefold() in _FILLERS | known or bool(OF_FAILURES.match(word))


def _known(case: StopSnapshot) -> Iterator[str]:
    """Yields the words of the exception, and the names of functions, files and variables at the stop."""
    for word in exception_words(case):
        yield word
        yield from _PART.findall(word)
    yield from written(case)
    for place in case.callers:
        yield from _WORD.findall(place.frame.name)
        yield from _WORD.findall(PurePath(place.frame.path).name)
        if place.source and place.source.tree:
            yield from names_in(place.statement)


def _occurs(case: StopSnapshot, name: str) -> bool:
    """Whether a name occurs in the text of a file of the stack."""
    return any(re.search(rf"\b{re.escape(name)}\b", p.source.text) for p in case.places if p.source)


def _listed(words: Iterable[str]) -> str:
    texts = [code(word) for word in words]
    more = f" and {len(texts) - _MAX_WORDS} more" if len(texts) > _MAX_WORDS else ""
    return ", ".join(texts[:_MAX_WORDS]) + more
