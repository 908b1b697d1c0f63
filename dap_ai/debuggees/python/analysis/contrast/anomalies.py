"""Finds values that stand out in a traced run, with the place and the loop item where each value first appeared.

A value can stand out in three ways, usually the most certain first:

- it is `nan` or `inf`, which appears once and spreads;
- it contains a literal that the failure shows to be wrong, traced back to the literal's first appearance;
- it differs from the values that the same line produced in other iterations.

Values are texts in a trace, so a value is identified by the literals in its text. A literal originates at the first
event that has the literal without having received it from a name that the statement used or a function that it called.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from dap_ai.agent.case.value_texts import MISSING, cut, literal_in
from dap_ai.agent.source.statements import bindings, header_expressions, names_in, target_names
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun, TraceRecord
from dap_ai.debuggees.python.analysis.slice.dynamic_slice import DynamicSlice
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests
from dap_ai.system.texts import code

_ATOM = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-?\binf\b|\bnan\b|None"""
)
_NO_LITERAL = re.compile(r"\b(?:nan|inf)\b")
STRANGE = frozenset({"nan", "inf", "-inf"})
"""Literals that a calculation rarely produces on purpose."""
_MIN_ROUNDS, _MINORITY = 3, 0.26
_MAX_DATUM = 90
_LEAST_FOUND = 6
"""Minimum length of a value's text to search for, in characters: a shorter text may occur in any value."""
_SENTINELS = frozenset({"-1", "''", "None", '""'})


@dataclass
class Anomaly:
    """A value that stands out. `weight`, 0..1, is the strength of the evidence."""

    event: StatementRun
    name: str
    """Name of the variable, or `f()` for a function's result."""
    text: str
    why: str
    """Reason why the value stands out, such as: is `str`, elsewhere `int`."""
    weight: float
    given: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(name, value) pairs of the names that the statement used, with their values at that time."""
    datum: str = ""
    """The loop item for which the value first appeared, such as: round 2: `row` is `{...}`."""
    is_part: bool = False
    """Whether the value is only a part of the variable's value."""


def atoms(text: str) -> set[str]:
    """Return the numbers, strings and `None`s in a value's text, each as source text."""
    return set(_ATOM.findall(text))


def is_rare(atom: str) -> bool:
    """Whether a literal is rare enough to be traced back."""
    if atom in STRANGE or atom in ("None", "''"):
        return True
    if atom[:1] in "'\"":
        return len(atom) > 3
    return len(atom.strip("-0.")) > 2 or "." in atom


def anomalies(record: TraceRecord, sliced: DynamicSlice, disputed: Iterable[str]) -> list[Anomaly]:
    """Return the values that stand out among a slice's events, strongest first. `disputed`: the wrong literals."""
    events = sorted((p.event for p in sliced.parts[1:]), key=lambda e: (e.ended, -e.first))
    found = [*_strange(record, events), *_disputed(record, events, disputed), *_unlike(record, events)]
    for oddity in found:
        oddity.given = oddity.given or _given(oddity.event)
        oddity.datum = _datum(record, oddity.event)
    found.sort(key=lambda o: -o.weight)
    seen: set[tuple[str, int]] = set()
    return [o for o in found if not (o.event.spot in seen or seen.add(o.event.spot))]


def made(event: StatementRun) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for each name the event bound, and for the function's result if the event is its last one."""
    yield from event.values.items()
    run = event.run
    if run.events[-1] is event and run.traced.result:
        yield f"{run.name}()", run.traced.result


def _given(event: StatementRun) -> list[tuple[str, str]]:
    return list(event.run.values(names_in(*header_expressions(event.statement)), event).items())


def _known_before(record: TraceRecord, event: StatementRun) -> set[str]:
    """Return the literals in the values of names that the statement used and in the results of functions it called."""
    texts = [text for _, text in _given(event)]
    texts += [run.traced.result for run in record.calls(event)]
    return {atom for text in texts for atom in atoms(text)}


def _born(
    record: TraceRecord, events: Sequence[StatementRun], is_wanted: Callable[[str], bool]
) -> Iterator[tuple[StatementRun, str, str, str]]:
    """Yield (event, name, text, literal) for the first appearance of each literal that `is_wanted` accepts."""
    seen: set[str] = set()
    for event in events:
        for name, text in made(event):
            for atom in atoms(text):
                if atom not in seen and is_wanted(atom):
                    seen.add(atom)
                    if atom not in _known_before(record, event):
                        yield event, name, text, atom


def _strange(record: TraceRecord, events: Sequence[StatementRun]) -> Iterator[Anomaly]:
    for event, name, text, atom in _born(record, events, STRANGE.__contains__):
        yield Anomaly(event, name, text, f"the first {code(atom)} of the run", 1.0)


def _disputed(record: TraceRecord, events: Sequence[StatementRun], disputed: Iterable[str]) -> Iterator[Anomaly]:
    """Yield the first appearances of wrong literals, and of literals that they were made from by a change of case."""
    # Two rounds: a wrong literal is often made from another spelling of itself (`'Open'` from `'open'`). The first
    # round collects the values that the literals were made from; the second searches for those that differ only in
    # case.
    wanted = {atom for atom in disputed if is_rare(atom) and atom not in STRANGE}
    for _ in range(2):
        found = list(_born(record, events, wanted.__contains__))
        for event, name, text, atom in found:
            sentinel = next(((n, t) for n, t in _given(event) if t in _SENTINELS), None)
            made = f", made from {code(sentinel[0])}, which is {code(sentinel[1])}" if sentinel else ""
            weight = 0.8 if sentinel else 0.7 if text == atom else 0.6
            yield Anomaly(event, name, text, f"where {code(atom)} first appears{made}", weight)
        near = {atom.casefold() for *_, atom in found}
        given = {atom for event, *_ in found for _, text in _given(event) for atom in atoms(text)}
        wanted = {atom for atom in given if is_rare(atom) and atom.casefold() in near} - wanted


def _unlike(record: TraceRecord, events: Sequence[StatementRun]) -> Iterator[Anomaly]:
    """Yield each value of a line that differs from the values in the line's other iterations or calls."""
    statements = {id(event.statement): event for event in events}
    rows: dict[tuple[int, str], list[tuple[StatementRun, str]]] = defaultdict(list)
    for event in record.events:
        if id(event.statement) in statements:
            for name, text in made(event):
                if name.endswith("()") or name in bindings(event.statement):
                    rows[id(event.statement), name].append((event, text))
    within = set(events)
    for (_, name), row in rows.items():
        if len(row) < _MIN_ROUNDS:
            continue
        for event, text, why, weight in _outliers(row):
            if event in within or any(event.statement is e.statement for e in events):
                source, holder = _first_with(record, event, text) or (event, name)
                yield Anomaly(source, holder, text, why, weight, is_part=dict(made(source))[holder] != text)


def _first_with(record: TraceRecord, event: StatementRun, text: str) -> tuple[StatementRun, str] | None:
    """Return the event that made a value which `event` only received, and the name it bound, or None if unknown.

    The value may be a part of the value that the event made. The event's statement must have run several times: a
    statement that read all the data at once shows nothing about a single item.
    """
    earlier = record.until(event) if len(text) >= _LEAST_FOUND else ()
    for each in earlier:
        for name, made_text in made(each):
            if text in made_text and not any(text in given for _, given in _given(each)):
                rounds = sum(other.statement is each.statement for other in earlier)
                return (each, name) if rounds >= _MIN_ROUNDS else None
    return None


def _outliers(row: Sequence[tuple[StatementRun, str]]) -> Iterator[tuple[StatementRun, str, str, float]]:
    shapes = [_shape(text) for _, text in row]
    for feature in dict.fromkeys(f for shape in shapes for f in shape):
        # An outlier needs a clear majority: every value has the feature, there are exactly two variants of it, and the
        # rare variant is one value or about a quarter. The first feature that splits the row this way is reported, in
        # the order type, emptiness, blanks, ending, length, keys; three values are too few to compare endings.
        counts = Counter(shape.get(feature) for shape in shapes)
        usual, most = counts.most_common(1)[0]
        are_few = 0 < len(row) - most <= max(1, _MINORITY * len(row))
        if None in counts or not are_few or len(counts) > 2 or (len(row) == 3 and feature[1] == "end"):
            continue
        event, text = next(pair for pair, shape in zip(row, shapes, strict=True) if shape.get(feature) != usual)
        mine = shapes[[e for e, _ in row].index(event)].get(feature)
        yield event, text, _in_words(feature, mine, usual), _WEIGHTS[feature[1]]
        return


_WEIGHTS = {"type": 0.7, "keys": 0.65, "empty": 0.6, "blank": 0.55, "length": 0.5, "end": 0.4}


def _in_words(feature: tuple[str, str], mine: str | None, usual: str | None) -> str:
    part, kind = feature
    at = f"its {code(part)} " if part else ""
    words = {
        "type": f"{at}is {code(mine or '')}, elsewhere {code(usual or '')}",
        "keys": f"it has the keys {mine}, elsewhere {usual}",
        "empty": f"{at}is empty, elsewhere not" if mine == "yes" else f"{at}is not empty, elsewhere it is",
        "blank": f"{at}has blanks at its ends, elsewhere not"
        if mine == "yes"
        else f"{at}has no blanks at its ends, elsewhere it has",
        "length": f"{at}has {mine} items, elsewhere {usual}",
        "end": f"{at}ends with {mine}, elsewhere with {usual}",
    }
    return words[kind]


def _shape(text: str) -> dict[tuple[str, str], str]:
    """Return the features that similar values share, such as the type, by (dict key, kind of feature)."""
    value: object = literal_in(_NO_LITERAL.sub("0.5", text))
    if value is MISSING:
        return {}
    shape = _features("", value)
    if isinstance(value, dict):
        parts = {str(key): part for key, part in cast("dict[object, object]", value).items()}
        shape["", "keys"] = ", ".join(sorted(parts))
        for key, part in parts.items():
            shape |= _features(key, part)
    return shape


def _features(part: str, value: object) -> dict[tuple[str, str], str]:
    found = {(part, "type"): type(value).__name__}
    if isinstance(value, str):
        found[part, "empty"] = "no" if value else "yes"
        found[part, "blank"] = "yes" if value != value.strip() else "no"
        if value and value[-1].isalpha() and any(c.isdigit() for c in value):
            found[part, "end"] = value[-1]
    if isinstance(value, list | tuple | set):
        found[part, "length"] = str(len(cast("list[object]", value)))
    return found


def _datum(record: TraceRecord, event: StatementRun) -> str:
    """Describe the item of the innermost loop around the event, in its function or a caller; empty outside loops."""
    at: StatementRun | None = event
    for _ in range(12):
        if at is None:
            return ""
        if told := _round(at.run, at):
            return told
        at = record.caller(at.run)
    return ""


def _round(run: Activation, event: StatementRun) -> str:
    around = (test for test, _ in control_tests(run.scope, event.statement.lineno))
    for loop in (each for each in (event.statement, *around) if isinstance(each, ast.For)):
        rounds = [e for e in run.events if e.statement is loop]
        mine = [e for e in rounds if e.first <= event.first]
        name = next((n for n in target_names(loop.target) if mine and n in mine[-1].values), "")
        if name:
            return f"round {len(mine)}: {code(name)} is {code(cut(mine[-1].values[name], _MAX_DATUM))}"
    return ""
