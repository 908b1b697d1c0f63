"""Describes a recursion: the verdict, the cause, the advice, and the evidence."""

from __future__ import annotations

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut, show
from dap_ai.agent.report.headline import fitting
from dap_ai.agent.report.sections import where
from dap_ai.agent.report.wording import ADVICE, CAUSE, GUESS, HAPPENED, MOVES, VALUES
from dap_ai.agent.source.statements import names_in
from dap_ai.debuggees.python.analysis.claims.recursion.moves import Move
from dap_ai.debuggees.python.analysis.claims.recursion.recursion_verdict import RecursionVerdict, judge
from dap_ai.debuggees.python.analysis.claims.recursion.recursive_calls import Recursion, recursion_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code

_MAX_VALUE, _MAX_MOVES, _MAX_NAMES = 60, 6, 3
RECURSION = "RecursionError"


async def recursion_at(case: StopSnapshot, reader: StopReader, debugger: Debugger) -> Recursion | None:
    """Return the recursion behind a RecursionError; None for another exception or without a recursive user function.

    Raises NotStopped.
    """
    if case.exception is None or case.exception.type != RECURSION:
        return None
    try:
        return await recursion_of(case, reader, debugger)
    except NotStopped:
        raise
    except RequestFailed as error:
        case.notes.append(f"the calls of the recursion could not be read: {error.user_text}")
        return None


def explain_recursion(found: Recursion) -> tuple[list[Section], list[Suspect]]:
    """Return the answer's paragraphs, verdict first, and the lines that decide on the next call."""
    judgement = judge(found)
    return [
        Section("verdict", _verdict(found, judgement)),
        Section("cause", _cause(found, judgement)),
        Section("advice", f"{ADVICE} {judgement.advice}"),
        Section("happened", _happened(found)),
        Section("why", _arguments(judgement)),
    ], _suspects(found, judgement)


def explain_library_recursion(place: FramePlace, case: StopSnapshot) -> tuple[list[Section], list[Suspect]]:
    """Return the answer's paragraphs and the suspect for a recursion inside a library that a user line called."""
    spot = where(case, place.frame.path, place.frame.line)
    happened = f"{code(RECURSION)} in the code of a library, below {spot}"
    why = "what it was given holds itself, or is nested too deep"
    rows = [
        f"- {code(name)} = {code(cut(show(value, _MAX_VALUE), _MAX_VALUE))}"
        for name in names_in(*place.evaluated)
        if (value := place.value(name)) and value.kind not in ("function", "class", "module")
    ]
    advice = "See whether a value that this line passes on leads back to itself: an object that holds what holds it."
    return [
        Section("verdict", f"{happened}; a guess: {why}."),
        Section("cause", f"{GUESS} {spot}: {why}.\n\n{_quoted(place, [place.frame.line])}"),
        Section("advice", f"{ADVICE} {advice}"),
        Section("why", f"{VALUES}\n\n" + "\n".join(rows) if rows else ""),
    ], [Suspect(place.frame.path, place.frame.line, 1.0, f"calls what fails with a {RECURSION}")]


def _spot(found: Recursion) -> str:
    return where(found.case, found.path, found.line)


def _verdict(found: Recursion, judgement: RecursionVerdict) -> str:
    full = f"{code(found.name)} calls itself{_by_way(found)} at {_spot(found)}, and {judgement.says}."
    return fitting([full, f"{code(found.name)} ({_spot(found)}) {judgement.says}.", full])


def _cause(found: Recursion, judgement: RecursionVerdict) -> str:
    title = CAUSE if judgement.sure else GUESS
    lines = sorted({*(guard.line for guard in judgement.tests), found.line})
    text = f"{_spot(found)}: {code(found.name)} calls itself{_by_way(found)}, and {judgement.says}."
    return f"{title} {text}\n\n{_quoted(found.last[-1], lines)}"


def _happened(found: Recursion) -> str:
    how_many = f"{found.calls:,}" if found.whole else f"At least {found.calls:,}"
    text = f"{HAPPENED} {code(RECURSION)}: {how_many} calls of {code(found.name)} are on the stack"
    chain = [f"{code(frame.name)} (line {frame.line})" for frame in found.between[:_MAX_NAMES]]
    more = f" and {len(found.between) - _MAX_NAMES} more" if len(found.between) > _MAX_NAMES else ""
    return text + (f", each by way of {', '.join(chain)}{more}." if chain else ".")


def _arguments(judgement: RecursionVerdict) -> str:
    lines = [f"- {_move(move)}" for move in judgement.moves[:_MAX_MOVES]]
    return f"{MOVES}\n\n" + "\n".join(lines) if lines else ""


def _move(move: Move) -> str:
    name, now, begun = move.name, _text(move, -1), _text(move, 0)
    match move.way:
        case "same":
            return f"{code(name)} is {code(now)} in every call that was read"
        case "object":
            return f"{code(name)} is one object in every call that was read: now {code(now)}"
        case "held":
            return (
                f"{code(name)} is one object in each of the last calls: now {code(now)}, after {code(begun)} at first"
            )
        case "stuck":
            return f"{code(name)} is {code(now)} in each of the last calls, after {code(begun)} at first"
        case "round":
            return f"{code(name)} takes the same values again and again; the last one is {code(now)}"
        case "steps":
            return f"{code(name)} goes from {code(begun)} to {code(now)}, by {move.step:+g} with each of the last calls"
        case _:
            if begun == now:
                return f"{code(name)} is {code(now)} in the first call and in the last"
            return f"{code(name)} goes from {code(begun)} to {code(now)}"


def _text(move: Move, number: int) -> str:
    return cut(show(move.values[number], _MAX_VALUE), _MAX_VALUE)


def _by_way(found: Recursion) -> str:
    names = list(dict.fromkeys(frame.name for frame in found.between))
    if not names:
        return ""
    first = found.between[0]
    spot = f" ({where(found.case, first.path, first.line)})" if first.name == found.name else ""
    return f" by way of {code(names[0])}{spot}{' and others' if len(names) > 1 else ''}"


def _quoted(place: FramePlace, lines: list[int]) -> str:
    source = place.source
    return source.block("\n".join(f"{line}  {source.line(line).strip()}" for line in lines)) if source else ""


def _suspects(found: Recursion, judgement: RecursionVerdict) -> list[Suspect]:
    calls = Suspect(found.path, found.line, 1.0, f"{code(found.name)} {judgement.says}")
    tests = [Suspect(found.path, guard.line, 0.8, "decides about the next call") for guard in judgement.tests]
    return [calls, *(suspect for suspect in tests if suspect.line != found.line)]
