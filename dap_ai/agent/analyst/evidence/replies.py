"""What a traced run says to a question in plain words: about a function, a missed value, what takes the time."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable

from dap_ai.agent.analyst.definitions import bindings
from dap_ai.agent.analyst.evidence.dependence import slice_of
from dap_ai.agent.analyst.evidence.oddities import atoms, made, oddities
from dap_ai.agent.analyst.evidence.ranking import Evidence, told
from dap_ai.agent.analyst.evidence.record import Event, Run, Spot
from dap_ai.agent.case.source import FunctionNode
from dap_ai.agent.case.values import cut
from dap_ai.protocol.contracts.snapshot import Trace

Where = Callable[[str, int], str]
"""A place in words."""

_SLOW = re.compile(
    r"\b(?:slow|slowly|speed|fast|faster|performance|takes? (?:so|this|that|too) long|time)\b", re.IGNORECASE
)
_MISSED = re.compile(
    r"\b(?:not|isn't|aren't|instead of|rather than|expected|never)\b[^\d'\"]*(\d[\d.]*|'[^']*'|\"[^\"]*\")"
)
_WORDS = re.compile(r"[A-Za-z][a-z]*|[A-Z]+(?![a-z])|\d+")
_MAX_ROWS, _MAX_STEPS = 4, 4


def asks_for_speed(question: str) -> bool:
    """Whether it asks what takes the time."""
    return bool(_SLOW.search(question))


def missed(question: str) -> str:
    """The literal that the question expects: 99 of `why not 99?`; empty if it names none."""
    found = _MISSED.search(question)
    return found[1].rstrip(".") if found else ""


def slow(trace: Trace, processor_ms: float, where: Where) -> str:
    """The lines and functions that ran most often."""
    lines = sorted(trace.lines, key=lambda t: -t.count)[:_MAX_ROWS]
    if not lines:
        return ""
    calls = Counter(call.function for call in trace.calls)
    rows = [f"- {where(t.file, t.line)} in `{t.function}` ran {_times(t.count)}" for t in lines]
    often = ", ".join(f"`{name}` {_times(count)}" for name, count in calls.most_common(3))
    head = f"**Where the time goes.** Run again in a copy, traced, it took {processor_ms:.0f} ms of a processor and "
    head += f"{trace.events} steps. The lines that ran most often:"
    return "\n\n".join(filter(None, [head, "\n".join(rows), often and f"Most calls: {often}."]))


def about_missed(evidence: Evidence, literal: str, where: Where) -> str:
    """Where a value that was expected did appear in the run, and where the one that came instead was made."""
    wanted = {_plain(literal)}
    # what the failing line called began after it
    seen = [e for e in evidence.record.events if e is not evidence.failure and _holds(e, wanted)]
    if not seen:
        first = f"`{literal}` appears nowhere in the run that failed."
    else:
        rows = [f"- {where(*e.spot)}: {_values(e, wanted)}" for e in _by_line(seen)[-_MAX_ROWS:]]
        first = f"`{literal}` did appear in the run:\n\n" + "\n".join(rows)
    return f"{first}\n\nWhat came instead was made here, nearest first:\n\n{_steps(evidence, evidence.failure, where)}"


def function_of(evidence: Evidence, question: str) -> Run | None:
    """The last run of the function whose name the question says, in words: `best month` for `best_month`."""
    asked = [word.casefold() for word in _WORDS.findall(question)]
    best: tuple[int, Run] | None = None
    for run in evidence.record.runs.values():
        name = [word.casefold() for word in _WORDS.findall(run.name)]
        if name and _contains(asked, name) and run.traced.result and (best is None or len(name) >= best[0]):
            best = len(name), run
    return best[1] if best and (best[0] > 1 or best[1].name in question) else None


def about_function(evidence: Evidence, run: Run, where: Where) -> str:
    """What it was given and gave, on what that rested, and what stands out in it."""
    end = run.events[-1]
    given = ", ".join(f"{name}={cut(text, 60)}" for name, text in run.arguments.items() if name != "self")
    head = f"`{run.name}({given})` returned `{cut(run.traced.result, 80)}`, at {where(*end.spot)}."
    sliced = slice_of(evidence.record, end)
    odd = [o for o in oddities(evidence.record, sliced, atoms(run.traced.result)) if o.weight >= 0.6][:1]
    stands = "".join(f"\n\n**What stands out.** {where(*o.event.spot)}: {told(o)}." for o in odd)
    return f"{head}{stands}\n\nIt rested on, nearest first:\n\n{_steps(evidence, end, where)}"


def changed(before: dict[str, str], now: dict[str, str]) -> str:
    """What is different between the values of two stops, in words."""
    rows = [f"- `{name}` is `{cut(now[name], 60)}`, and was `{cut(before[name], 60)}`" for name in now
            if name in before and before[name] != now[name]]  # fmt: skip
    rows += [f"- `{name}` is new: `{cut(now[name], 60)}`" for name in now if name not in before]
    rows += [f"- `{name}` is gone" for name in before if name not in now]
    return (
        "**Since the last stop.**\n\n" + "\n".join(rows)
        if rows
        else "**Since the last stop.** No value here has changed."
    )


def _steps(evidence: Evidence, event: Event, where: Where) -> str:
    parts = slice_of(evidence.record, event).lines().values()
    data = [p for p in parts if not isinstance(p.event.statement, FunctionNode | ast.ClassDef)]
    telling = [p for p in data if p.distance and p.event.values and bindings(p.event.statement)][:_MAX_STEPS]
    rows = [f"{n}. {where(*p.event.spot)} in `{p.event.run.name}`: {_all(p.event)}" for n, p in enumerate(telling, 1)]
    return "\n".join(rows) or "no assignment of it ran"


def _all(event: Event) -> str:
    return ", ".join(f"`{name}` became `{cut(text, 60)}`" for name, text in list(event.values.items())[:2])


def _holds(event: Event, wanted: set[str]) -> bool:
    return any(_literals(text) & wanted for _, text in made(event))


def _values(event: Event, wanted: set[str]) -> str:
    name, text = next((name, text) for name, text in made(event) if _literals(text) & wanted)
    return f"`{name}` {'returned' if name.endswith('()') else 'became'} `{cut(text, 80)}`"


def _literals(text: str) -> set[str]:
    return {_plain(atom) for atom in atoms(text)}


def _plain(literal: str) -> str:
    """The same for 99 and 99.0, for 'a' and "a"."""
    try:
        value: object = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return literal
    return repr(float(value)) if type(value) in (int, float) else repr(value)  # pyright: ignore[reportArgumentType] as the types say


def _by_line(events: Iterable[Event]) -> list[Event]:
    last: dict[Spot, Event] = {event.spot: event for event in events}
    return sorted(last.values(), key=lambda e: e.first)


def _contains(words: list[str], part: list[str]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words)))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
