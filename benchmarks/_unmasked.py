"""Deletes each call of a masker in a copy of dap_ai, and asks pyright whether what is left still type-checks.

A masker is a function that gives what is safe (`protocol/wire/safe.py`) for what is not, or a class that stands before
a door. `masker.mask(text)` becomes `text`. Of each function one call is deleted at a time, and an error within that
function counts, unless it is about something unused.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SAFE = ("Safe", "SafeJson", "SafeFields", "SafeStep", "SafeAnswer", "SafeRow", "NotAnswered")
MASKERS = {
    **dict.fromkeys(("mask", "_mask", "mask_json", "mask_fields", "placeholder"), 0),
    **dict.fromkeys(("MaskedSink", "MaskedModel", "MaskedDebugger", "MaskedDisplay"), 0),
    **dict.fromkeys(("mask_value", "masked_message", "masked_step", "masked_answer", "not_answered"), 1),
}
"""By name, which argument it masks."""
INNER = {
    "agent/guard/masked.py": {"_fields": 1, "_part": 1, "feed": 0},
    "agent/guard/masked_debugger.py": {**dict.fromkeys(("text", "_inspection", "result"), 0), "value_text": 1},
    "agent/guard/masked_values.py": {
        **dict.fromkeys(("text", "message", "_argument", "result"), 0),
        "value_text": 1,
    },
    "agent/masking/masked_tables.py": {"mask": 1},
    "agent/masking/mask.py": {"_json": 0, "_json_text": 0},
    "commands/sessions.py": {"_masked": 0},
    "debuggees/runs/commands/export.py": {"masked_run": 0, "masked_analysis": 0},
    "debuggees/runs/masked_run.py": {"mask_fields": 0, "_texts": 0},
    "adapter/io/error_boundary.py": {"_traceback": 0},
    "agent/providers/scripted.py": {"_line": 0},
    "adapter/recording/recorder.py": {"_field": 1, "_content": 0, "_part": 1, "_message": 1, "_masked": 0},
}
"""The same of functions of one file."""
OURS = frozenset(
    {
        *("as_it_is", "visible", "in_json", "json_text", "safe_fields", "no_answer", "_ours"),
        *("_stand_in", "_counted", "of"),  # parts of the masker
        *("answer", "request", "header", "feed", "_write"),  # they call one
        *("named", "_at", "from_root", "short"),  # names that stand in code, and parts of what came back masked
    }
)
"""Functions that give what is safe as well, but do not mask what they are given."""
_NO_ERROR = ("reportUnused", "reportUnnecessary")


@dataclass(frozen=True)
class Deletion:
    """One call. Lines are 1-based; offsets count the file's UTF-8 bytes."""

    file: str
    function: tuple[int, int]
    """Its first and last line."""
    line: int
    outer: tuple[int, int]
    """Where the call stands."""
    inner: tuple[int, int]
    """And what it masks."""
    text: str


def deletions(package: Path) -> list[Deletion]:
    """Every call of a masker."""
    return [one for path in sorted(package.rglob("*.py")) for one in _in_file(package, path)]


def unlisted(package: Path) -> list[str]:
    """Functions that give what is safe and are named nowhere above."""
    found: list[str] = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        known = {*MASKERS, *INNER.get(name, {}), *OURS}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_known = not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in known
            if not is_known and node.args.args[len(_self(node)) :] and _gives(node.returns) in SAFE:
                found.append(f"{name}:{node.lineno}: {node.name}")
    return found


def undetected(root: Path, wanted: list[Deletion]) -> list[Deletion]:
    """Those after which the program still type-checks."""
    rounds: defaultdict[int, list[Deletion]] = defaultdict(list)
    count: defaultdict[tuple[str, tuple[int, int]], int] = defaultdict(int)
    for one in wanted:
        rounds[count[one.file, one.function]].append(one)
        count[one.file, one.function] += 1
    left: list[Deletion] = []
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made)
        shutil.copytree(root / "dap_ai", copy / "dap_ai", ignore=shutil.ignore_patterns("__pycache__"))
        _configure(copy, {one.file for one in wanted})
        sources = {one.file: (copy / "dap_ai" / one.file).read_bytes() for one in wanted}
        for number, together in sorted(rounds.items()):
            print(f"round {number + 1} of {len(rounds)}: {len(together)} calls are deleted", file=sys.stderr)
            left += _tried(root, copy, sources, together)
    return left


def _configure(copy: Path, files: set[str]) -> None:
    """As pyproject.toml has it, for these files alone."""
    include = [f"dap_ai/{file}" for file in sorted(files)]
    config = {"typeCheckingMode": "strict", "pythonVersion": "3.10", "include": include}
    (copy / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")


def _tried(root: Path, copy: Path, sources: dict[str, bytes], together: list[Deletion]) -> list[Deletion]:
    files = {one.file for one in together}
    for file in files:
        data = sources[file]
        for one in sorted((each for each in together if each.file == file), key=lambda each: -each.outer[0]):
            kept = data[slice(*one.inner)]
            gone = data[slice(*one.outer)].count(b"\n") - kept.count(b"\n")  # lines stay where they are
            data = data[: one.outer[0]] + b"(" + kept + b"\n" * gone + b")" + data[one.outer[1] :]
        (copy / "dap_ai" / file).write_bytes(data)
    errors = _errors(root, copy)
    for file in files:
        (copy / "dap_ai" / file).write_bytes(sources[file])
    return [one for one in together if not any(one.function[0] <= n <= one.function[1] for n in errors[one.file])]


def _errors(root: Path, copy: Path) -> defaultdict[str, list[int]]:
    """The lines of pyright's errors, by file."""
    pyright = [str(root / ".venv/bin/pyright"), "-p", str(copy), "--pythonpath", sys.executable, "--outputjson"]
    said = json.loads(subprocess.run(pyright, capture_output=True, text=True, check=False).stdout)
    errors: defaultdict[str, list[int]] = defaultdict(list)
    for error in said["generalDiagnostics"]:
        if error["severity"] == "error" and not error.get("rule", "").startswith(_NO_ERROR):
            name = Path(error["file"]).resolve().relative_to((copy / "dap_ai").resolve()).as_posix()
            errors[name].append(error["range"]["start"]["line"] + 1)
    return errors


def _in_file(package: Path, path: Path) -> Iterator[Deletion]:
    source = path.read_bytes()
    name = path.relative_to(package).as_posix()
    known = MASKERS | INNER.get(name, {})
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[(node.end_lineno or 0) - 1] + (
            node.end_col_offset or 0
        )

    for function, node in _calls(ast.parse(source), (1, len(starts))):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in known and len(node.args) > known[called]:
            yield Deletion(name, function, node.lineno, span(node), span(node.args[known[called]]), ast.unparse(node))


def _calls(node: ast.AST, function: tuple[int, int]) -> Iterator[tuple[tuple[int, int], ast.Call]]:
    """Each call and the innermost function that it stands in."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = (node.lineno, node.end_lineno or node.lineno)
    if isinstance(node, ast.Call):
        yield function, node
    for child in ast.iter_child_nodes(node.value if _is_thrown_away(node) else node):
        yield from _calls(child, function)


def _is_thrown_away(node: ast.AST) -> bool:
    """What such a call gives goes nowhere: the masker learns by it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _self(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    return [arg for arg in node.args.args[:1] if arg.arg in ("self", "cls")]


def _gives(returns: ast.expr | None) -> str:
    return returns.id if isinstance(returns, ast.Name) else ""
