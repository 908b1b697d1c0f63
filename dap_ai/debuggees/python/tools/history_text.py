"""Renders the history of a value as Markdown: a sentence that answers the question, then the changes."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.tools.base import ToolContext
from dap_ai.debuggees.python.analysis.record.executions import round_of
from dap_ai.protocol.contracts.snapshot_messages import Followed, FollowedValue
from dap_ai.protocol.contracts.tool_arguments import HistoryArguments
from dap_ai.system.texts import code, counted, fenced

_FIRST, _BEFORE, _AFTER, _LAST = 5, 2, 1, 4
_ALL = 14
"""The largest number of changes shown without folding."""
_VALUE_CHARS, _CODE_CHARS = 40, 44


def history_text(bench: ToolContext, arguments: HistoryArguments, found: Followed, words: str) -> str:
    """Renders the history as Markdown; `words` names what was rerun, such as a test."""
    parts = [_head(bench, arguments, found), fenced("\n".join(_rows(bench, found)))]
    notes = [f"This is what {words} shows when it is run again in a copy; the program was not changed."]
    if found.calls > 1:
        notes.append(f"It is call {found.call} of {found.calls} of this function.")
    if found.cut:
        notes.append("There was no time to follow it to the end.")
    if found.refused:
        notes.append(f"The condition could not be read throughout: {found.refused}.")
    return "\n\n".join([*parts, " ".join(notes)])


def _head(bench: ToolContext, arguments: HistoryArguments, found: Followed) -> str:
    name, when = code(arguments.expression), found.when
    took = f"{name} took {counted(found.count, 'value')} before this stop"
    if not arguments.when and found.count == 1 and (only := _newest(found)):
        return f"{name} has had one value up to this stop, {_text(only)}, since {_place(bench, only)}."
    if not arguments.when:
        return f"{took}; the last change was at {_place(bench, last)}." if (last := _newest(found)) else f"{took}."
    condition = code(arguments.when)
    if when is None:
        return f"{condition} never held: {took}.{_earlier(bench, found)}"
    became = f"{condition} first held at {_place(bench, when)}: {name} became {_text(when)}"
    was = f", and was {_text(found.before)} before" if found.before else ""
    return f"{became}{was}. It is value {when.number} of {found.count}.{_earlier(bench, found)}"


def _earlier(bench: ToolContext, found: Followed) -> str:
    if found.earlier is None:
        return ""
    which = f"in call {found.earlier.call} of the function" if found.earlier.call else "of another object"
    return f" It held before, {which}: at {_place(bench, found.earlier)}."


def _newest(found: Followed) -> FollowedValue | None:
    return next(iter((*found.last[-1:], *found.first[-1:])), None)


def _place(bench: ToolContext, moment: FollowedValue) -> str:
    if not moment.line:
        return "its start"
    inside = f" in {code(moment.function)}" if moment.function != "<module>" else ""
    times = f", in round {number}" if (number := _round(bench, moment)) > 1 else ""
    source = _source(bench, moment)
    return f"{code(f'{bench.short(moment.file)}:{moment.line}')}{inside}{f' ({code(source)})' if source else ''}{times}"


def _source(bench: ToolContext, moment: FollowedValue) -> str:
    source = bench.sources.read(moment.file)
    return cut(source.line(moment.line).strip(), _CODE_CHARS) if source else ""


def _round(bench: ToolContext, moment: FollowedValue) -> int:
    return 1 if moment.passed else round_of(moment, bench.sources.read(moment.file))


def _text(moment: FollowedValue) -> str:
    return code(cut(moment.text, _VALUE_CHARS)) if moment.text else "without a value"


def _rows(bench: ToolContext, found: Followed) -> Iterator[str]:
    """Yields a line for each shown change, with `*` before the change that the question asks for."""
    shown = _shown(found)
    several = len({moment.function for moment in shown}) > 1
    numbers = max(len(str(moment.number)) for moment in shown)
    values = [cut(moment.text, _VALUE_CHARS) or "(no value)" for moment in shown]
    width = min(_VALUE_CHARS, max(map(len, values)))
    places = [f"{bench.short(m.file)}:{m.line}" if m.line else "at the start" for m in shown]
    at = max(map(len, places))
    sources = [_source(bench, moment) for moment in shown]
    wide = max(map(len, sources))
    before = 0
    for moment, value, place, source in zip(shown, values, places, sources, strict=True):
        if moment.number > before + 1:
            yield f"  ... {moment.number - before - 1:,} more"
        before = moment.number
        mark = "*" if found.when and moment.number == found.when.number else " "
        notes = [f"round {number}"] if (number := _round(bench, moment)) > 1 else []
        notes += ["passed by this call"] if moment.passed else []
        notes += [f"in {moment.function}"] if several and moment.function not in ("", "<module>") else []
        row = f"{mark} {moment.number:>{numbers}}  {value:<{width}}  {place:<{at}}  {source:<{wide}}"
        yield f"{row}  # {', '.join(notes)}".rstrip() if notes else row.rstrip()


def _shown(found: Followed) -> list[FollowedValue]:
    known = {moment.number: moment for moment in (*found.first, *found.last)}
    if found.count <= _ALL and len(known) == found.count:
        return [known[number] for number in sorted(known)]
    for moment in filter(None, (found.before, found.when)):
        known[moment.number] = moment
    middle = found.when.number if found.when else 0
    around = range(middle - _BEFORE, middle + _AFTER + 1) if middle else ()
    wanted = {*range(1, _FIRST + 1), *around, *range(found.count - _LAST + 1, found.count + 1)}
    return [known[number] for number in sorted(wanted & known.keys())]
