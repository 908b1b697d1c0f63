"""Rules for the submitted work: a file does not parse, a result was invented, or a test was edited to pass."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator, Sequence

from dap_ai.debuggees.runs.analysis.analysis_model import Effect
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext, call_of, result_of, suspect
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.run_differences import applied
from dap_ai.debuggees.runs.analysis.state_tree import one_line

_MAX = 100_000
"""Maximum characters of a text to check."""
_NEWER = ("print ", "exec ", "match ", "case ", "type ", "except*", "except ")
"""Beginnings of lines that are valid Python only in other versions than this interpreter's."""
_NO_PREFIX = (".py", ".c", ".h", ".cc", ".cpp", ".rs", ".go", ".js", ".ts", ".java", ".json", ".toml")
"""Suffixes of files that cannot begin with `>` or `:`."""


def broken_file(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the write that made a work file unparsable, if the file stayed unparsable until the end."""
    texts: dict[str, str | None] = {}
    since: dict[str, tuple[Effect, str]] = {}
    for effect, write in scene.written:
        # Applies the file's writes one by one. `since` keeps the first write since which the file has been invalid
        # without interruption; a write that makes it valid again removes it. Unknown text counts as valid.
        texts[write.path] = applied(texts.get(write.path), write)
        fault = fault_of(write.path, texts[write.path])
        if not fault:
            since.pop(write.path, None)
        else:
            since.setdefault(write.path, (effect, fault))
    for path, (effect, fault) in since.items():
        checked = any(check.ok and check.step > effect.step for check in scene.conclusive_checks)
        if scene.story.files.role(path) == "work" and not checked and not scene.was_aside(path):
            yield _broken(scene, path, effect, fault, [e.step for e, w in scene.edits if w.path == path])


def _broken(scene: OnsetContext, path: str, effect: Effect, fault: str, steps: Sequence[int]) -> OnsetSuspect:
    name = paths.name(path)
    asked = scene.story.files.in_task(path)
    return suspect(
        effect.step,
        "verification misinterpretation",
        0.7 if asked else 0.3 if path.endswith(".json") else 0.6,
        f"Step {effect.step} wrote {name} such that it cannot be read ({one_line(fault, 80)}), and so it was left",
        links=[(number, f"{name} is written again, broken as before") for number in steps if number > effect.step],
        said=[call_of(scene, effect.step, fault.partition(": ")[2]), call_of(scene, effect.step)],
    )


def placeholder(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the step that invented a result or left a placeholder."""
    for pattern in scene.named("placeholder-result"):
        step = pattern.steps[0]
        yield suspect(
            step,
            "incorrect hypothesis",
            0.6,
            f"Step {step}: {pattern.text}",
            links=[(number, "its result is used") for number in pattern.steps[1:]],
            said=[call_of(scene, step, pattern.quote)],
        )


def check_bent(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the step that edited a test to make the test pass."""
    for pattern in scene.named("check-edited"):
        if len(pattern.steps) >= 2:
            step = pattern.steps[1]
            yield suspect(
                step,
                "verification misinterpretation",
                0.35,
                f"Step {step}: {pattern.text}",
                links=[(pattern.steps[0], "the test fails"), (pattern.steps[-1], "the edited test passes")],
                said=[call_of(scene, step), result_of(scene, pattern.steps[0], pattern.quote)],
            )


def fault_of(path: str, text: str | None) -> str:
    """Return the syntax error of a text, followed by `: ` and the offending line.

    Returns an empty string if the text is valid or cannot be checked.
    """
    if not text or len(text) > _MAX or not text.strip():
        return ""
    if text.lstrip()[0] in ">:" and path.endswith(_NO_PREFIX):
        return f"line 1, a stray prefix: {text.lstrip().split(chr(10), 1)[0].strip()}"
    reader = {"py": _python, "json": _json}.get(path.rpartition(".")[2])
    try:
        return reader(text) if reader else ""
    except (RecursionError, MemoryError, ValueError):
        return ""


def _python(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        lines = text.split("\n")
        line = lines[error.lineno - 1].strip() if error.lineno and error.lineno <= len(lines) else ""
        # The program may target another Python version than this interpreter, or be a template: neither is an
        # error.
        other = "f-string" in str(error.msg) or line.startswith(_NEWER) or "except*" in text or "{{" in text
        return "" if other else f"line {error.lineno or 1}, {error.msg}: {line}"
    return ""


def _json(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.split("\n")
        return f"line {error.lineno}, {error.msg}: {lines[min(error.lineno, len(lines)) - 1].strip()}"
    return ""
