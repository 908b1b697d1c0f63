"""Asks the child process which small changes would let the program pass, and turns them into findings."""

from __future__ import annotations

import ast
import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dap_ai
from dap_ai.agent.analyst.definitions import Resolver, Scope
from dap_ai.agent.analyst.findings import Edit, Finding
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.replay.mutants import PRIOR
from dap_ai.agent.source import FunctionNode, SourceFile
from dap_ai.agent.stack import Case, Place, sub_expressions
from dap_ai.agent.values import MISSING, literal

DEADLINE_S = 2.0
MAX_FILES = 30
SCALE = 0.8
_START = "import sys; sys.path.insert(0, {root!r}); from dap_ai.agent.analyst.replay.child import main; main()"


async def repairs(analysis: Analysis, deadline_s: float = DEADLINE_S) -> list[Finding]:
    """Lines where one small change lets a replay of the program pass, best first; empty where it cannot be replayed."""
    job = _job(analysis, deadline_s)
    if job is None:
        return []
    reply = await _child(job, deadline_s + 3)
    analysis.case.replayed = dict(reply.get("values", {}))
    if not reply.get("reproduced"):
        analysis.case.notes.append(f"the source could not be replayed: {reply.get('why', 'no answer')}")
        return []
    analysis.case.ran = {(file, line) for file, line in reply["ran"]}
    return _findings(analysis, reply["repairs"], job["failure"])


async def _child(job: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    root = str(Path(dap_ai.__file__).parents[1])
    pipe = asyncio.subprocess.PIPE
    command = [sys.executable, "-I", "-S", "-B", "-c", _START.format(root=root)]
    child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL)
    try:
        output, _ = await asyncio.wait_for(child.communicate(json.dumps(job).encode()), timeout_s)
        return json.loads(output or b"{}")
    except (asyncio.TimeoutError, ValueError, OSError):
        return {}
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


def _job(analysis: Analysis, deadline_s: float) -> dict[str, Any] | None:
    case = analysis.case
    error, place = case.exception, analysis.diagnosis.place
    entry = _entry(case.places[-1]) if case.places else None
    if error is None or entry is None or case.level != "compute":
        return None
    files, modules = _files(case, entry["file"])
    if place.frame.path not in files:
        return None
    edits = [_changed(f.edit) for f in analysis.findings if f.edit and f.edit.source.path in files]
    return {
        "entry": entry,
        "files": files,
        "modules": modules,
        "argv": case.inspection.argv,
        "failure": _failure(error.type, place),
        "weights": [[s.file, s.line, s.score] for s in analysis.suspects],
        "edits": edits,
        "expressions": _unread(analysis),
        "deadline_s": deadline_s,
    }


def _failure(kind: str, place: Place) -> dict[str, Any]:
    raised = isinstance(place.statement, ast.Raise)
    return {"type": kind, "file": place.frame.path, "line": place.frame.line, "raised": raised}


def _unread(analysis: Analysis) -> list[str]:
    """Parts of a failed check that the walker may not compute: calls of the program's own functions."""
    place = analysis.diagnosis.place
    statement = place.statement
    if not isinstance(statement, ast.Assert):
        return []
    calls = [n for n in sub_expressions([statement.test]) if isinstance(n, ast.Call | ast.BinOp | ast.Compare)]
    return [text for n in calls if place.value(text := ast.unparse(n)) is None][:6]


def _changed(edit: Edit) -> dict[str, Any]:
    lines = edit.source.text.split("\n")
    lines[edit.first - 1 : edit.last] = edit.lines
    return {"file": edit.source.path, "line": edit.first, "new": "\n".join(edit.lines), "whole": "\n".join(lines)}


def _entry(place: Place) -> dict[str, Any] | None:
    """Where to begin: the outermost frame's module, or its function with the arguments that it has now."""
    function = place.function
    if place.source is None or place.source.tree is None:
        return None
    if function is None:
        return {"file": place.source.path}
    owner = place.source.owners.get(function)
    if owner is not None:
        test = any("TestCase" in ast.unparse(base) for base in owner.bases)
        return {"file": place.source.path, "function": f"{owner.name}.{function.name}"} if test else None
    given = {v.name: v.value for v in place.facts.arguments} if place.facts else {}
    if any(literal(value) is MISSING for value in given.values()):
        return None
    return {"file": place.source.path, "function": function.name, "arguments": {k: v.text for k, v in given.items()}}


def _files(case: Case, entry: str) -> tuple[dict[str, str], dict[str, str]]:
    """(path -> text, import name -> path) of the entry and the user's modules that it imports."""
    resolver = Resolver(case.sources, case.places)
    files: dict[str, str] = {}
    modules: dict[str, str] = {}
    todo = [entry]
    while todo and len(files) < MAX_FILES:
        path = todo.pop()
        source = resolver.file(path)
        if path in files or source is None or source.tree is None:
            continue
        files[path] = source.text
        for name, level in _imports(source):
            found = resolver.module_file(path, name, level)
            if found:
                todo.append(found.path)
                if not level:
                    modules[name] = found.path
    return files, modules


def _imports(source: SourceFile) -> Iterator[tuple[str, int]]:
    for node in ast.walk(source.tree) if source.tree else ():
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level


def _findings(analysis: Analysis, found: list[dict[str, Any]], failure: dict[str, Any]) -> list[Finding]:
    case = analysis.case
    scored: list[tuple[float, dict[str, Any]]] = []
    suspicion = {(s.file, s.line): s.score for s in analysis.suspects}
    kinds: dict[tuple[str, int], set[str]] = {}
    for repair in found:
        kinds.setdefault((repair["file"], repair["line"]), set()).add(repair["kind"])
    crash = failure["type"] != "AssertionError"
    for repair in found:
        key = repair["file"], repair["line"]
        score = PRIOR[repair["kind"]] * _standing(analysis, repair, failure) * (0.5 + 0.5 * repair["progress"])
        score *= 1.0 if repair["kept"] else 0.7 if crash else 0.95
        scored.append((score + 0.2 * suspicion.get(key, 0.0) + 0.03 * min(len(kinds[key]), 4), repair))
    scored.sort(key=lambda pair: -pair[0])
    findings: list[Finding] = []
    lines: set[tuple[str, int]] = set()
    for rank, (score, repair) in enumerate(scored):
        source = case.sources.read(repair["file"])
        key = repair["file"], repair["line"]
        node = source.scope_at(repair["line"]) if source else None
        if source is None or node is None or key in lines:
            continue
        lines.add(key)
        weight = max(0.25, min(0.97, score)) if repair["kind"] == "rule" else max(0.25, min(0.9, SCALE * score))
        weight *= 1.0 if rank == 0 else 0.9
        edit = _edit(source, repair["whole"])
        new = " / ".join(line.strip() for line in edit.lines if line.strip())[:100]
        moved = new == source.line(repair["line"]).strip()
        reason = f"a replay of the source passes with {'this line moved' if moved else f'one change here: `{new}`'}"
        findings.append(Finding(Scope(source, node), repair["line"], weight, reason, "replay", edit=edit))
    return findings[:8]


def _standing(analysis: Analysis, repair: dict[str, Any], failure: dict[str, Any]) -> float:
    """Changes of data, of the test and of its callers pass too easily to mean much."""
    case = analysis.case
    source = case.sources.read(repair["file"])
    function: FunctionNode | None = source.function_at(repair["line"]) if source else None
    if function is None:
        return 0.35
    live = [p.function for p in case.places]
    if source and _guards_raise(source, repair["line"], failure):
        return 0.3
    checked = failure["type"] == "AssertionError"
    if checked and function in live:
        return 0.35 if function is live[0] else 0.5
    if (repair["file"], repair["line"]) != (failure["file"], failure["line"]):
        return 1.0
    # Another operator or name where it crashed avoids the crash, whatever is meant.
    return 0.8 if repair["kind"] in ("rule", "bound", "index", "key", "comparison") else 0.5


def _guards_raise(source: SourceFile, line: int, failure: dict[str, Any]) -> bool:
    """Whether the line only decides about the `raise` that stopped the program: it is to be taken as right."""
    statement = source.statement_at(line)
    if not isinstance(statement, ast.If) or source.path != failure["file"]:
        return False
    return any(isinstance(s, ast.Raise) and s.lineno == failure["line"] for s in statement.body)


def _edit(source: SourceFile, whole: str) -> Edit:
    """The smallest edit of whole lines that makes one text of the other."""
    old, new = source.text.split("\n"), whole.split("\n")
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return Edit(source, first + 1, len(old) - last, new[first : len(new) - last])
