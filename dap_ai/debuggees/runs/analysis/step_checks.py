"""Outcomes of the steps that check something.

An outcome is read from the step's result, never from what the agent claims.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.debuggees.runs.analysis.analysis_model import CheckKind, Effect, StepCheck
from dap_ai.debuggees.runs.analysis.rule_tables import lists, programs
from dap_ai.debuggees.runs.analysis.runner_output import RunnerOutput, clean, read_output, says
from dap_ai.debuggees.runs.run_model import Event, RunStep

_EXIT = re.compile(r"\A\s*(?:Exit code:? (\d{1,3})\b|<returncode>(-?\d{1,6})</returncode>)")
_LAST = 40
"""Number of lines at the end of an output that are searched for a script's outcome."""


def checks_of(effects: Sequence[Effect], steps: Sequence[RunStep]) -> list[StepCheck]:
    """Return a check for each step that verifies or builds, without rejected steps."""
    made: list[StepCheck] = []
    for effect, step in zip(effects, steps, strict=True):
        builds = bool(effect.runners) and "run" in effect.kinds
        if (builds or "verify" in effect.kinds) and not effect.refused and not effect.noop:
            made.append(_check(effect, step.result, builds="verify" not in effect.kinds))
    return made


def _check(effect: Effect, result: Event | None, *, builds: bool) -> StepCheck:
    kind: CheckKind = _kind(effect, builds=builds)
    runner = effect.runners[0] if effect.runners else ""
    if result is None:
        return StepCheck(effect.step, kind, runner, ran=False)
    exit_code = exit_code_of(result)
    output = RunnerOutput() if kind == "look" else read_output(result.text, runner)
    lines = clean(result.text)
    counted = output.passed is not None or output.failed is not None
    ran = counted or not _not_run(lines, exit_code)
    ok = _ok(kind, output, exit_code, result, lines) if ran else None
    return StepCheck(
        effect.step,
        kind,
        output.runner or runner,
        ok,
        exit_code,
        output.passed,
        output.failed,
        output.errors,
        output.skipped,
        output.summary or says(lines[-_LAST:], "good" if ok else "bad"),
        output.error if ok is not True else "",
        output.error_line if ok is not True else None,
        result.ref,
        ran,
    )


def _kind(effect: Effect, *, builds: bool) -> CheckKind:
    if builds:
        return "build"
    tests = [name for name in effect.runners if programs().plain.get(name) != "build"]
    if not tests:
        return "look" if not effect.executes and not effect.code and "explore" in effect.kinds else "program"
    return "lint" if tests[0] in lists("checks")["linters"] else "test"


def exit_code_of(result: Event) -> int | None:
    """Return the recorded exit code, else the exit code on the result's first line, else None."""
    if result.exit_code is not None:
        return result.exit_code
    found = _EXIT.match(result.text[:200])
    return int(found[1] or found[2]) if found else None


def _not_run(lines: Sequence[tuple[int, str]], exit_code: int | None) -> bool:
    """Return whether the checker could not start."""
    if exit_code in {126, 127}:
        return True
    said = [line for line in lines[-_LAST:] if line[1].strip()]
    return len(said) <= 12 and bool(says(said, "not_run")) and not says(said, "good")


def _ok(
    kind: CheckKind, output: RunnerOutput, exit_code: int | None, result: Event, lines: Sequence[tuple[int, str]]
) -> bool | None:
    """Return whether the check passed, or None if unclear.

    Counts decide first, then the exit code, then the last lines.
    """
    if output.ok is False:
        return False
    if exit_code not in {None, 0}:
        return False
    if output.ok is not None:
        return output.ok
    if kind == "look":
        return None if result.status == "error" else bool(result.text.strip())
    bad, good = says(lines[-_LAST:], "bad"), says(lines[-_LAST:], "good")
    if bad and not good:
        return False
    if good and not bad:
        return True
    if bad:
        return None if exit_code == 0 else False
    return True if exit_code == 0 else None
