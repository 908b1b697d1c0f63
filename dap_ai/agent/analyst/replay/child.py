"""The child process: a job as JSON on standard input, what was learned as JSON on standard output. Stdlib only."""

from __future__ import annotations

import ast
import json
import sys
import time
from typing import Any

from dap_ai.agent.analyst.replay.machine import MAX_STATEMENTS, Machine, Outcome, Spent, Unsupported, lock
from dap_ai.agent.analyst.replay.mutants import PRIOR, Mutant, apply, mutants

MAX_REPAIRS = 60


def search(job: dict[str, Any]) -> dict[str, Any]:
    """Whether the failure can be replayed, the lines that ran, and the changes with which it ends well."""
    deadline = time.monotonic() + job["deadline_s"]
    machine = Machine(job["files"], job["modules"], job["argv"])
    try:
        outcome = machine.run(job["entry"])
    except Unsupported as refused:
        return {"reproduced": False, "why": str(refused)}
    except Spent:
        return {"reproduced": False, "why": "too long"}
    if not _same(outcome, job["failure"]):
        return {"reproduced": False, "why": f"it ended otherwise: {outcome.error} at line {outcome.line}"}
    paths = list(job["files"])
    values = machine.values(job["expressions"])
    ran = {(paths[file], line) for file, line in machine.lines}
    used, printed = MAX_STATEMENTS - machine.left, "".join(machine.printed)
    found: list[dict[str, Any]] = []
    tried = 0
    for path, text, mutant in _candidates(job, ran):
        if time.monotonic() > deadline or len(found) >= MAX_REPAIRS:
            break
        tried += 1
        limit = 4 * used + 2000
        if _passes(machine, job["entry"], {path: text}, limit) and _reached(machine, job, path, text, mutant):
            progress = min(1.0, (limit - machine.left) / used)
            kept = "".join(machine.printed).startswith(printed)
            row = {"file": path, "line": mutant.first, "kind": mutant.kind, "whole": text}
            found.append({**row, "progress": progress, "kept": kept})
    return {"reproduced": True, "tried": tried, "repairs": found, "ran": sorted(map(list, ran)), "values": values}


def _same(outcome: Outcome, failure: dict[str, Any]) -> bool:
    return outcome.error == failure["type"].rpartition(".")[2] and (outcome.file, outcome.line) == (
        failure["file"],
        failure["line"],
    )


def _passes(machine: Machine, entry: dict[str, Any], changed: dict[str, str], limit: int) -> bool:
    try:
        return not machine.run(entry, changed, limit).error
    except (Unsupported, Spent, SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _reached(machine: Machine, job: dict[str, Any], path: str, text: str, mutant: Mutant) -> bool:
    """Whether the line that failed still runs: a change that only avoids it explains nothing."""
    failure = job["failure"]
    line = failure["line"]
    if path == failure["file"] and mutant.first < line:
        line += text.count("\n") - job["files"][path].count("\n")
    return failure["raised"] or (list(job["files"]).index(failure["file"]), line) in machine.lines


def _candidates(job: dict[str, Any], ran: set[tuple[str, int]]) -> list[tuple[str, str, Mutant]]:
    """(path, changed text, change), most promising first."""
    weights = {(f, n): w for f, n, w in job["weights"]}
    made: list[tuple[float, str, str, Mutant]] = []
    seen: set[tuple[str, str]] = set()
    for edit in job["edits"]:
        mutant = Mutant("rule", edit["line"], 0, edit["line"], 0, edit["new"])
        made.append((2.0, edit["file"], edit["whole"], mutant))
    for path, text in job["files"].items():
        tree = ast.parse(text)
        lines = {n for f, n in ran if f == path}
        lines |= {
            n.lineno
            for n in ast.walk(tree)
            if isinstance(n, ast.expr) and getattr(n, "lineno", 0) and _inside(tree, n.lineno, lines)
        }
        for line, mutant in mutants(text, tree, lines):
            changed = apply(text, mutant)
            if (path, changed) not in seen:
                seen.add((path, changed))
                made.append((PRIOR[mutant.kind] * (0.3 + weights.get((path, line), 0.2)), path, changed, mutant))
    made.sort(key=lambda row: -row[0])
    return [(path, text, mutant) for _, path, text, mutant in made]


def _inside(tree: ast.Module, line: int, ran: set[int]) -> bool:
    """Lines of a statement of several lines run with its first."""
    return any(
        isinstance(s, ast.Expr | ast.Assign | ast.Return | ast.AugAssign)
        and s.lineno in ran
        and s.lineno < line <= (s.end_lineno or 0)
        for s in ast.walk(tree)
    )


def main() -> None:
    """Reads, locks the process, searches, answers."""
    job = json.loads(sys.stdin.buffer.read())
    answer = sys.stdout
    lock(int(job["deadline_s"]) + 2)
    try:
        found = search(job)
    except (Unsupported, Spent, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        found = {"reproduced": False, "why": f"{type(error).__name__}: {error}"}
    answer.write(json.dumps(found))
    answer.flush()
