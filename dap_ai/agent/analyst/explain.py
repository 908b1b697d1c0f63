"""The answer in words: what happened, why, the root cause, a recommendation. Evidence first; every claim is cited."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from dap_ai.agent.analyst.edits import Edit, shorten
from dap_ai.agent.analyst.facts import Cited, proving
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.runs import Verdict
from dap_ai.agent.analyst.slicing import Step
from dap_ai.agent.analyst.trials import Trial, Trials
from dap_ai.agent.stack import Case, Place
from dap_ai.agent.values import cut, find, show, typed
from dap_ai.protocol.ask import Fix, Suspect

_SURE = 0.6
_MAX_CHAIN = 6


def where(case: Case, file: str, line: int) -> str:
    """`shop.py:12` as code."""
    return f"`{shorten(file, case.inspection.cwd)}:{line}`"


def happened(analysis: Analysis) -> str:
    """The exception or stop, where, and the value that proves it."""
    case, diagnosis = analysis.case, analysis.diagnosis
    place = diagnosis.place
    spot = where(case, place.frame.path, place.frame.line)
    error = case.exception
    if error:
        message = f": {cut(error.message, 300)}" if error.message else ""
        first = f"`{error.type}{message}` at {spot}, in `{place.frame.name}`"
    else:
        reason = case.stop.description or case.stop.reason
        # A signal, as gdb says it, has come while the line ran.
        yet = "" if case.stop.reason == "signal" else "; this line has not run yet"
        first = f"Stopped ({reason}) at {spot}, in `{place.frame.name}`{yet}"
    text = f"**What happened.** {first}:\n\n{quote(place)}"
    if diagnosis.sentences:
        text += "\n\n" + " ".join(diagnosis.sentences)
    values = "\n".join(_cite(cited) for cited in proving(diagnosis))
    chain = "".join(
        f"\n- {e.relation}: `{e.type}: {cut(e.message, 160)}` at {where(case, e.file, e.line)}"
        for e in case.inspection.exceptions[1:]
    )
    notes = "".join(f"\n- note: {cut(note, 160)}" for note in (error.notes if error else []))
    unwound = (
        "\n\nThe frames are read after unwinding: `finally` blocks have run."
        if place.facts and place.facts.unwound and _has_finally(place)
        else ""
    )
    return f"{text}\n\n{values}{chain}{notes}{unwound}".rstrip()


def _has_finally(place: Place) -> bool:
    return bool(place.function) and any(isinstance(n, ast.Try) and n.finalbody for n in ast.walk(place.function))


def quote(place: Place) -> str:
    """The line a frame stands at, as a code block."""
    source = place.source
    return source.block(f"{place.frame.line}  {source.line(place.frame.line).strip()}") if source else "(no source)"


def _cite(cited: Cited) -> str:
    value = cited.place.value(cited.expression)
    text = typed(value, 160) if value else "not read"
    return f"- `{cited.expression}` = `{text}`"


def why(analysis: Analysis) -> str:
    """The chain from the failing line back to the root cause; each link cites file, line and value."""
    chain = _chain(analysis)
    if not chain:
        return ""
    lines = [f"{n}. {_link(analysis.case, step)}" for n, step in enumerate(chain, 1)]
    return "**Why.** Back from the failing line:\n\n" + "\n".join(lines)


def _chain(analysis: Analysis) -> list[Step]:
    steps = analysis.slice.steps
    top = {(s.file, s.line) for s in analysis.suspects[:3]}
    nearest = [s for s in steps if s.role != "decides"][:_MAX_CHAIN]
    suspicious = [s for s in steps if (s.scope.source.path, s.line) in top]
    chosen = sorted({id(s): s for s in [*nearest, *suspicious]}.values(), key=lambda s: s.distance)
    return chosen[: _MAX_CHAIN + 2]


def _link(case: Case, step: Step) -> str:
    code = step.scope.source.line(step.line).strip()
    words = {
        "assigned": "sets",
        "argument": "passes",
        "returned": "gives the result of",
        "stored": "changes",
        "decides": "decides about",
        "written": "writes",
    }
    value = _value_now(step)
    inside = "at module level" if isinstance(step.scope.node, ast.Module) else f"in `{step.scope.name}`"
    spot = f"{where(case, step.scope.source.path, step.line)} {inside}"
    return f"{spot} {words[step.role]} `{step.name}`: `{cut(code, 110)}`{value}"


def _value_now(step: Step) -> str:
    place = step.scope.place
    if place is None:
        return ""
    if step.role == "argument" and step.line == place.frame.line:
        return ""
    value = place.value(step.name) or find(place.facts, step.name)
    if value is None or value.kind in ("function", "class", "module"):
        return ""
    return f" (`{step.name}` is now `{show(value, 80)}`)"


def root_cause(analysis: Analysis, trials: Trials | None = None) -> str:
    """The most suspicious line with its reason, how sure it is, and the others in short."""
    case = analysis.case
    if not analysis.suspects:
        return "**Root cause.** Nothing in the code that was read stands out."
    first, *others = analysis.suspects
    source = case.sources.read(first.file)
    code = source.block(f"{first.line}  {source.line(first.line).strip()}") if source else "(no source)"
    finding = analysis.finding_at(first.file, first.line)
    fixed = trials is not None and trials.fixes(first.file, first.line)
    sure = fixed or (finding is not None and finding.weight >= _SURE)
    title = f"**Root cause{'' if sure else ' (a guess)'}.**"
    text = f"{title} {where(case, first.file, first.line)}: {first.reason}.\n\n{code}"
    if others:
        text += (
            "\n\nOther suspects: " + "; ".join(f"{where(case, s.file, s.line)} ({s.reason})" for s in others[:3]) + "."
        )
    return text


def recommendation(analysis: Analysis, trials: Trials | None = None) -> tuple[str, list[Fix]]:
    """A fix as a diff with what became of it, else the next debugging steps; and the fixes."""
    if trials and trials.verified:
        return _verified(analysis, trials)
    case = analysis.case
    first = analysis.suspects[0] if analysis.suspects else None
    finding = analysis.fix_at(first.file, first.line) if first else None
    if finding and finding.edit and finding.weight >= 0.45:
        diff = finding.edit.diff(case.inspection.cwd)
        verdict = _verdict_of(finding.edit, trials)
        fix = Fix(finding.edit.source.path, diff)
        text = "It was not tried."
        if verdict and verdict.check:
            fix.check, fix.result = verdict.check.words, verdict.text
            text = (
                f"Tried in a snapshot: not verified, {verdict.text}."
                if verdict.outcome == "not verified"
                else f"It could not be tried here: {verdict.text}."
            )
        return f"**Recommendation.** A possible fix. {text}\n\n```diff\n{diff}\n```{_effort(trials)}", [fix]
    here = where(case, analysis.diagnosis.place.frame.path, analysis.diagnosis.place.frame.line)
    steps = list(_next_steps(analysis, first)) or [f"Set a breakpoint before {here}, and step."]
    return "**Recommendation.** Next steps:\n\n" + "\n".join(f"- {step}" for step in steps) + _effort(trials), []


def _verified(analysis: Analysis, trials: Trials) -> tuple[str, list[Fix]]:
    root = analysis.case.inspection.cwd
    best, *others = trials.verified[:3]
    fixes = [_fix(trial, root) for trial in (best, *others)]
    found = _found(best, analysis)
    text = f"**Recommendation.** {found[0].upper()}{found[1:]}.\n\n```diff\n{fixes[0].diff}\n```\n\n{_how(best)}"
    if others:
        rows = [f"- {where(analysis.case, t.candidate.edit.source.path, t.candidate.line)}: {_new(t)}" for t in others]
        text += "\n\nAlso verified, but less likely meant:\n\n" + "\n".join(rows)
    return text + _effort(trials), fixes


def _found(trial: Trial, analysis: Analysis) -> str:
    """How the fix was found; its reason, unless the root cause has just told it."""
    reason, told = trial.candidate.reason, analysis.suspects[0].reason if analysis.suspects else ""
    if reason == told:
        return f"Change line {trial.candidate.line}"
    return reason or "found by trying small changes: see whether it is what you mean"


def _how(trial: Trial) -> str:
    words = trial.verdict.check.words if trial.verdict.check else "it"
    text = f"Verified in a snapshot: the failing check passes with it ({words})."
    widest = trial.widest
    if widest and widest.check and widest.verified:
        return f"{text} So does {widest.check.words}."
    if widest and widest.check and widest.outcome == "not verified":
        return f"{text} But of {widest.check.words}: {widest.text}."
    return text


def _fix(trial: Trial, root: str) -> Fix:
    edit, verdict = trial.candidate.edit, trial.verdict
    words = verdict.check.words if verdict.check else ""
    return Fix(edit.source.path, edit.diff(root), verified=trial.verified, check=words, result=verdict.text)


def _new(trial: Trial) -> str:
    edit = trial.candidate.edit
    old = {edit.source.line(n).strip() for n in range(edit.first, edit.last + 1)}
    return f"`{cut('; '.join(t.strip() for t in edit.lines if t.strip() not in old) or 'removed', 100)}`"


def _verdict_of(edit: Edit, trials: Trials | None) -> Verdict | None:
    return next((t.verdict for t in trials.tried if t.candidate.edit is edit), None) if trials else None


def _effort(trials: Trials | None) -> str:
    """What was tried, in a sentence."""
    if trials is None:
        return ""
    if not trials.tried:
        return f"\n\nNo fix was tried: {trials.why_not}." if trials.why_not else ""
    count, passed = len(trials.tried), len(trials.verified)
    fixes = "1 small fix was" if count == 1 else f"{count} small fixes were"
    return f"\n\n{fixes} tried in snapshots of the stopped program; {passed or 'none'} passed."


def _next_steps(analysis: Analysis, first: Suspect | None) -> Iterator[str]:
    case, place = analysis.case, analysis.diagnosis.place
    yield from analysis.diagnosis.advice
    if first and (first.file, first.line) != (place.frame.path, place.frame.line):
        source = case.sources.read(first.file)
        scope = source.scope_at(first.line) if source else None
        names = (
            sorted(
                {n.id for n in ast.walk(source.statement_at(first.line) or ast.Pass()) if isinstance(n, ast.Name)}
                - set(dir(builtins))
            )
            if source and scope
            else []
        )
        watch = f", and watch {', '.join(f'`{n}`' for n in names[:3])}" if names else ""
        yield f"Set a breakpoint at {where(case, first.file, first.line)}{watch}."
    condition = _condition(analysis)
    if condition:
        spot = where(case, place.frame.path, place.frame.line)
        yield f"Set a breakpoint at {spot} with the condition `{condition}`, to stop before the failure."
    places = [
        ast.unparse(r) for r in analysis.diagnosis.roots if isinstance(r, ast.Name | ast.Attribute | ast.Subscript)
    ]
    if root := next((place for place in places if place not in dir(builtins)), ""):
        yield f"Ask `where does {cut(root, 60)} come from?`"


def _condition(analysis: Analysis) -> str:
    for root in analysis.diagnosis.roots[:2]:
        value = analysis.diagnosis.value(root)
        if (
            isinstance(root, ast.Name | ast.Attribute)
            and value
            and value.kind in ("none", "int", "str", "bool")
            and len(value.text) < 40
        ):
            return f"{ast.unparse(root)} {'is' if value.kind == 'none' else '=='} {value.text}"
    return ""
