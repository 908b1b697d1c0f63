"""Answers about an exception of which only the traceback and source are known; a child process may add values."""

from __future__ import annotations

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.report.sections import quote, where
from dap_ai.debuggees.python.analysis.claims.advice import recommendation
from dap_ai.debuggees.python.analysis.claims.explain import after_cleanup, happened, root_cause, why
from dap_ai.debuggees.python.analysis.claims.verdict import verdict
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.protocol.wire.ask_messages import Fix
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code, in_sentence

_CAUGHT = (
    "**Nothing stopped here.** The program caught this exception and reported it. This is read from its traceback and "
    "the source, without any value."
)


def caught(analysis: StopAnalysis) -> tuple[list[Section], list[Fix]]:
    """Return the paragraphs about an exception that was caught without stopping the program, and the fixes."""
    return _partial_answer(analysis, "; something caught it", _CAUGHT)


def elsewhere(analysis: StopAnalysis, here: StopSnapshot) -> tuple[list[Section], list[Fix]]:
    """Return the paragraphs about another process's exception, for which `here` waited, and the fixes."""
    place = _arrived(analysis.case, here)
    spot = where(here, place.frame.path, place.frame.line)
    note = (
        f"**Raised in another process.** {_source_of(here, analysis.case)}. It came to this process at {spot}, "
        f"in {code(place.frame.name)}:\n\n{quote(place)}"
    )
    return _partial_answer(analysis, ", in another process", note)


def _source_of(here: StopSnapshot, there: StopSnapshot) -> str:
    """Return a sentence that names the answer's sources, such as a child process's traceback and values."""
    if here.exception is None or here.exception.type != "ChildProcessError":
        return "This is read from the traceback that it sent and the source, without any value"
    sources = "the traceback that it sent and the source; the values of its variables are not known"
    if any(place.facts for place in there.places):
        sources = "the traceback and the values that it sent at its end, and the source"
    return f"{in_sentence(here.exception.message)}. The rest is read from {sources}"


def _arrived(there: StopSnapshot, here: StopSnapshot) -> FramePlace:
    """Return the frame in which the exception reached this process.

    Skips frames that a library such as tblib copied from the other process's traceback.
    """
    sent = {(place.frame.path, place.frame.line, place.frame.name) for place in there.places}
    own = (p for p in here.places if (p.frame.path, p.frame.line, p.frame.name) not in sent)
    return next(own, here.places[0])


def _partial_answer(analysis: StopAnalysis, end: str, note: str) -> tuple[list[Section], list[Fix]]:
    advice, fixes = recommendation(analysis, None)
    first = f"{verdict(analysis, None).removesuffix('.')}{end}."
    known = [Section("cleanup", after_cleanup(analysis.diagnosis.place)), Section("note", note)]
    evidence = [Section("happened", happened(analysis)), Section("why", _came_by(analysis))]
    return [
        Section("verdict", first),
        *known,
        *root_cause(analysis),
        *advice,
        *evidence,
        Section("why", why(analysis)),
    ], fixes


def _came_by(analysis: StopAnalysis) -> str:
    """Return the calls that led to the failing frame as a list, innermost first; may be empty."""
    case = analysis.case
    rows = [f"- {where(case, p.frame.path, p.frame.line)}, in {code(p.frame.name)}" for p in case.places[1:]]
    return "\n".join(["Called from:\n", *rows]) if rows else ""
