"""Chooses the fixes to try: fixes by the rules, then small changes to lines that ran, most suspicious first.

The order matters, since the budget cuts off the list. Small changes are ordered by the likelihood of the kind of change
times the suspicion of the line. Each further change to one line comes slightly later (`spread`), so that a line with
many operators does not take all the time. Rules come first whatever their weight: they match a mistake, and the
generator matches only syntax. Edits that make the same program are tried once (`distinct`), compared by tree, not by
text.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import chain, islice

from dap_ai.agent.source.source_file import SourceFile, is_user_path
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.experiments.changes.fix_candidates import candidates, distinct, spread
from dap_ai.debuggees.python.analysis.experiments.hiding import hides
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.enclosing import is_of_test
from dap_ai.debuggees.python.analysis.record.lines_run import ran_lines

MAX_LINES = 150
_UNSUSPECTED = 0.06
_OF_THE_TEST = 0.5
"""Factor for lines of a function whose `assert` failed: the mistake is more likely in another function."""


def proposals(analysis: StopAnalysis, usable: Sequence[Control], most: int) -> list[Candidate]:
    """Return at most `most` candidates, most likely first. `usable`: the checks that reproduce the failure."""
    rules = [
        Candidate(f.edit, f.rule, f.weight, 1.0, f.line, f.reason)
        for f in sorted(analysis.findings, key=lambda f: -f.weight)
        if f.edit and f.edit.first > 0
    ]
    suspicion: list[tuple[SourceFile, dict[int, float]]] = []
    for path in dict.fromkeys(path for c in usable for path, _ in c.counts):
        source = analysis.case.sources.read(path) if is_user_path(path) else None
        if source and not is_of_test(analysis.case, path, ""):
            suspicion.append((source, _suspicion(analysis, source, usable)))
    # The 150th highest suspicion of all files together, as a list, or an empty list: then every line is included.
    least = sorted((each for _, lines in suspicion for each in lines.values()), reverse=True)[:MAX_LINES][-1:]
    generated: list[Candidate] = []
    for source, lines in suspicion:
        generated += candidates(source, {line: each for line, each in lines.items() if [each] >= least})
    return list(islice(distinct(chain(rules, (c for c in spread(generated) if not hides(c, analysis)))), most))


def _suspicion(analysis: StopAnalysis, source: SourceFile, usable: Sequence[Control]) -> dict[int, float]:
    """Map each line that ran in a usable check to its suspicion."""
    place = analysis.diagnosis.place
    own = place.function if source is place.source and isinstance(place.statement, ast.Assert) else None
    found: dict[int, float] = {}
    for line in ran_lines(source, usable):
        # A floor above zero: a line that ran without suspicion may still be the mistake; it is tried last.
        factor = _OF_THE_TEST if own and own.lineno <= line <= last_line(own) else 1.0
        statement = source.statement_at(line)
        scores = [analysis.scores.get((source.path, n), 0.0) for n in {line, statement.lineno if statement else line}]
        found[line] = factor * max(_UNSUSPECTED, *scores)
    return found
