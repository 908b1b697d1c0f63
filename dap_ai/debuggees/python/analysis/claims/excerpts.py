"""Chooses the source lines that the first context quotes: the suspicious ones, at most a quarter of the program.

Quoting the whole program would give a reader no guidance. If the failing check could be rerun, lines in functions that
did not run count less. Lines that a frame has not reached come last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.source.source_file import FunctionNode, SourceFile, is_user_path
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.lines_run import ran_lines
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests
from dap_ai.debuggees.python.analysis.syntax.nodes import header_lines

Line = tuple[str, int]

LEAST = 24
"""Smallest line limit, so that the context can quote a short program in full."""
_SHARE = 0.25
_NEVER_RAN = 0.15
_RECENT, _FADING = 0.3, 0.94
"""Score of the last line that ran before the failure, and the factor for each earlier line."""


def excerpt(case: StopSnapshot, analysis: StopAnalysis, control: Control | None) -> dict[Line, None]:
    """Return the lines to quote, most suspicious first. `control`: a traced rerun of the failing check."""
    sources = _sources(case, analysis, control)
    total = sum(1 for source in sources.values() for text in source.lines if text.strip())
    limit = max(LEAST, int(_SHARE * total))
    chosen: dict[Line, None] = {}
    for key in _order(case, analysis, control, sources):
        source = sources.get(key[0])
        wanted = [key, *_whole(source, key)] if source and source.line(key[1]).strip() else []
        fresh = [each for each in wanted if each not in chosen]
        if len(chosen) + len(fresh) <= limit:
            chosen.update(dict.fromkeys(fresh))
    return chosen


def _sources(case: StopSnapshot, analysis: StopAnalysis, control: Control | None) -> dict[str, SourceFile]:
    """Return, by path, the user files that are on the stack, in reach, executed or suspicious."""
    found = {p.source.path: p.source for p in case.places if p.source}
    paths = [scope.source.path for scope, _ in analysis.scopes.values()]
    paths += [line.file for line in control.trace.lines] if control else []
    paths += [path for path, _ in analysis.scores]
    for path in dict.fromkeys(paths):
        source = case.sources.read(path) if is_user_path(path) else None
        if source:
            found.setdefault(path, source)
    return found


def _order(
    case: StopSnapshot, analysis: StopAnalysis, control: Control | None, sources: dict[str, SourceFile]
) -> Iterator[Line]:
    for place in case.places[:4]:
        yield place.frame.path, place.frame.line
    scores = _scores(analysis, control, sources)
    yield from sorted(scores, key=lambda key: (-scores[key], key))
    later: dict[Line, None] = {}
    for place in case.places:
        path, line = place.frame.path, place.frame.line
        first, last, end = _around(place)
        for distance in range(1, 40):
            near = [n for n in (line - distance, line + distance // 2) if first <= n <= last]
            yield from ((path, n) for n in near if place.source and place.source.function_at(n) is place.function)
        later.update(((path, n), None) for n in range(last + 1, end + 1))
    for (path, _), (scope, _) in sorted(analysis.scopes.items(), key=lambda entry: entry[1][1]):
        if isinstance(scope.node, FunctionNode):
            body = range(scope.node.body[0].lineno, last_line(scope.node) + 1)
            yield from (key for n in body if (key := (path, n)) not in later and not _is_text(scope.source, n))
    yield from later


def _is_text(source: SourceFile, line: int) -> bool:
    """Whether the line belongs to a comment or a docstring."""
    statement = source.statement_at(line)
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or source.line(line).lstrip().startswith("#")


def _around(place: FramePlace) -> tuple[int, int, int]:
    """Return three lines of the frame's code: the first, the last that this call can have run, and the last of all."""
    line, scope = place.frame.line, place.scope
    loops = [s for s, _ in control_tests(scope, line) if isinstance(s, ast.For | ast.While)] if scope else []
    reached = last_line(loops[-1]) if loops else line
    if place.function:
        return place.function.lineno, reached, last_line(place.function)
    return line - 12, min(reached, line + 4), line + 4


def _scores(analysis: StopAnalysis, control: Control | None, sources: dict[str, SourceFile]) -> dict[Line, float]:
    scores = dict(analysis.scores)
    trace = control.trace if control else None
    if control is None or trace is None or trace.truncated:
        return scores
    ran = {path: ran_lines(source, [control]) for path, source in sources.items()}
    for (path, line), score in scores.items():
        source = sources.get(path)
        function = source.function_at(line) if source else None
        if function and line not in ran.get(path, ()):
            scores[path, line] = score * _NEVER_RAN
    by_recency = sorted((t for t in trace.lines if t.file in sources), key=lambda t: -t.last)
    for place, traced in enumerate(by_recency):
        key = traced.file, traced.line
        recent = _RECENT * _FADING**place * analysis.share(key)
        scores[key] = 1 - (1 - scores.get(key, 0.0)) * (1 - recent)
    return scores


def _whole(source: SourceFile, key: Line) -> list[Line]:
    """Return the lines of the statement at a line; of a compound statement, only the header. At most 7 lines."""
    path, line = key
    statement = source.statement_at(line)
    return [(path, n) for n in header_lines(statement)[:7] if source.line(n).strip()] if statement else []
