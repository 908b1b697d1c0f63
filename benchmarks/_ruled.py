"""`dap-ai` with some of the analyst's rules left out: `python _ruled.py FILE RULE[,RULE]... dap-ai's arguments...`.

What the other rules found goes to FILE, as JSON: `[[rule, file, line], ...]`. `-`: none is left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from dap_ai.cli import main
from dap_ai.debuggees.python.analysis.ranking.rules import TABLE
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import Rule, RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope


def name_of(rule: Rule) -> str:
    """`bounds.slices`, for example."""
    return f"{rule.__module__.rpartition('.')[2]}.{getattr(rule, '__name__', '')}"


def noting(rule: Rule, found: list[tuple[str, str, int]]) -> Rule:
    """The same rule, which says what it found."""

    def noted(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
        for finding in rule(scope, view):
            found.append((name_of(rule), Path(finding.scope.source.path).name, finding.line))
            yield finding

    return noted


if __name__ == "__main__":
    file, left_out = Path(sys.argv[1]), sys.argv[2].split(",")
    found: list[tuple[str, str, int]] = []
    TABLE[:] = [noting(rule, found) for rule in TABLE if name_of(rule) not in left_out]
    sys.argv[1:] = sys.argv[3:]
    try:
        main()
    finally:
        file.write_text(json.dumps(sorted(set(found))), encoding="utf-8")
