"""The offline analyst for recorded runs: answers where a run went wrong, or shows the part of the run asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.providers.offline import offline_usage, say
from dap_ai.agent.report.wording import ADVICE
from dap_ai.agent.tools.base import ToolContext, clip
from dap_ai.debuggees.runs.answer import change_pages, run_pages
from dap_ai.debuggees.runs.answer.onset_answer import diagnosis, evidence_rows_of, suspects_of, what_helps
from dap_ai.debuggees.runs.answer.question_intent import UNDERSTOOD, RunQuestion, What, classify_question
from dap_ai.debuggees.runs.answer.run_at_stop import RunAtStop, read_run_at_stop, there_are
from dap_ai.debuggees.runs.answer.run_markdown import is_guess, reason_of, span
from dap_ai.debuggees.runs.answer.run_tools import NO_OTHER_RUN, step_head
from dap_ai.debuggees.runs.run_model import TokenUsage
from dap_ai.protocol.contracts.question import Answer
from dap_ai.system.texts import code, counted, fenced

_MAX_TASK_CHARS = 4_000
_MAX_PART_CHARS = 12_000
_MAX_DIFF_CHARS = 4_000
_MOST_STEPS = 30


class RunAnalyst:
    """Answers questions about runs without a model. Implements `Analyst` of agent/providers/offline.py."""

    async def answer(self, work: Work, case: StopSnapshot, bench: ToolContext) -> Answer:
        """Return the answer to the question, or a list of supported questions."""
        held = await read_run_at_stop(bench)
        wish = classify_question(case.question)
        parts = await asyncio.to_thread(_ANSWERS[wish.what], held, wish)
        if wish.what == "why" and (seen := _failure_at_stop(held, case)):
            parts = [seen, *parts] if held.analysis.finding.onset else [seen, *parts[1:]]
        say(work, parts)
        if wish.what != "why":
            return Answer(usage=offline_usage())
        return Answer(evidence=evidence_rows_of(held, case), suspects=suspects_of(held), usage=offline_usage())

    def unread(self, work: Work, caught: StopSnapshot) -> Answer | None:
        """Return None, because a run has no error without a stop."""
        del work, caught
        return None


def _failure_at_stop(held: RunAtStop, case: StopSnapshot) -> str:
    """Return a sentence about the failure at which the session stopped, with the event's text.

    Empty for a stop without a failure.
    """
    stop, event = case.stop, held.event
    if stop.reason != "exception" or event is None or event.kind in ("end", "task"):
        return ""
    step = f"At step {event.step}" if event.step else f"Before step {held.run.steps + 1}"
    words = f" {code(cut(event.text, 240))}" if event.text.strip() else ""
    why = MEANS.get(stop.description, stop.text if stop.text and event.text not in stop.text else stop.description)
    return f"{step}, {event.kind}:{words}. Held because: {why or 'an exception filter has stopped here'}."


MEANS = {
    "Success without change": "the agent says that it is done, and no file of the workspace has changed since it began",
    "API error": "the model's API has refused the query",
    "Loop": "the same call has brought the same, again and again",
    "Tool error": "the tool has failed",
}
"""Reasons why a live agent stopped, by the label of the exception filter."""


def _step(held: RunAtStop, wish: RunQuestion) -> list[str]:
    """Return one step in full, with the step's failure patterns and whether the run went wrong there."""
    number = wish.numbers[0] if wish.numbers else held.event.step if held.event else 0
    if number not in held.steps:
        return [_no_step(held, number)]
    if wish.text:
        head, text = run_pages.parts_of(held.steps[number]).get(wish.text, ("", ""))
        if not head:
            return [f"Step {number} has none."]
        return [f"Step {number}, {head}:", fenced(clip(text, _MAX_PART_CHARS))]
    parts = [f"{step_head(held, number)}:", fenced(run_pages.step_page(held, number))]
    parts += [f"- {pattern.text}" for pattern in held.analysis.patterns if number in pattern.steps]
    onset = held.analysis.finding.onset
    if onset and not is_guess(onset) and onset.first <= number <= onset.last:
        parts.append(f"It is where the run most likely went wrong: {reason_of(onset)}.")
    return parts


def _steps(held: RunAtStop, wish: RunQuestion) -> list[str]:
    first, last = wish.numbers
    rows = run_pages.step_rows(held, first, _MOST_STEPS, last=last)
    return _titled_rows(f"Steps {first} to {last}, of {held.run.steps}:", rows, _no_step(held, first))


def _diff(held: RunAtStop, wish: RunQuestion) -> list[str]:
    one, other = wish.numbers
    for number in wish.numbers:
        if number not in held.steps:
            return [_no_step(held, number)]
    first, last = sorted(wish.numbers)
    said, files = change_pages.step_differences(held, one, other), change_pages.changed_between(held, first, last)
    between = f"What became of files after step {first}, up to step {last}:"
    return [
        *_titled_rows(
            f"What steps {one} and {other} said, called and got:",
            said,
            f"Steps {one} and {other} are the same.",
            "diff",
        ),
        *_titled_rows(between, files, "No file was changed between them.", "diff"),
    ]


def _search(held: RunAtStop, wish: RunQuestion) -> list[str]:
    rows, count = run_pages.found_rows(held, wish.text)
    first = f", the first {len(rows)}" if count > len(rows) else ""
    head = f"{code(wish.text)} stands in {counted(count, 'line')}{first}:"
    return _titled_rows(head, rows, f"{code(wish.text)} stands nowhere in the run.")


def _checks(held: RunAtStop, _: RunQuestion) -> list[str]:
    checks = held.analysis.checks
    failed = sum(check.ok is False for check in checks)
    head = f"{counted(len(checks), 'check')}, {failed} failed:"
    none = "Nothing was checked: no test, build or program was run to judge the work."
    return _titled_rows(head, run_pages.check_rows(checks), none)


def _failed_checks(held: RunAtStop, wish: RunQuestion) -> list[str]:
    checks = held.analysis.checks
    if not checks:
        return _checks(held, wish)
    failed = [check for check in checks if check.ok is False]
    unclear = [check for check in checks if check.ok is None]
    last = max(check.step for check in checks)
    if failed:
        after = "" if failed[-1].step == last else f" The last check of all, at step {last}, did not fail."
        head = f"{len(failed)} of {len(checks)} checks failed.{after}"
    elif unclear:
        head = f"None of {len(checks)} checks is known to have failed; of these nothing is known:"
    else:
        none = "Its only check did not fail" if len(checks) == 1 else f"None of its {len(checks)} checks failed"
        head = f"{none}:"
    return _titled_rows(head, run_pages.check_rows(failed or unclear or checks))


def _changes(held: RunAtStop, _: RunQuestion) -> list[str]:
    """Return the changed files, and the submitted patch. Without a patch, the changes made by calls."""
    rows, patch = change_pages.file_rows(held), change_pages.handed_in(held)
    if not rows and not patch:
        return ["No call of the run changed a file, as far as the calls say it."]
    head = f"What it handed in, at step {held.run.steps}:" if patch else "What its calls did:"
    diff = patch or change_pages.changed_between(held, 0, held.run.steps)
    files = ["The files that its calls changed:", fenced("\n".join(rows))] if rows else []
    return [*files, head, fenced(clip(diff, _MAX_DIFF_CHARS), "diff")]


def _file(held: RunAtStop, wish: RunQuestion) -> list[str]:
    head, text = change_pages.file_page(held, wish.text, 0, 0)
    return [head, fenced(text)] if text else [f"No changed file is called {code(wish.text)}.", *_search(held, wish)]


def _errors(held: RunAtStop, _: RunQuestion) -> list[str]:
    rows = run_pages.step_rows(held, 1, _MOST_STEPS, failed=True)
    return _titled_rows("Steps whose tool or check failed, or that did nothing:", rows, "No step failed that says so.")


def _tree(held: RunAtStop, _: RunQuestion) -> list[str]:
    rows = run_pages.tree_rows(held, most=40) or run_pages.tree_rows(held, whole=True, most=40)
    return [_ended(held), *_titled_rows("What it changed and checked:", rows, "It has no steps.")]


def _task(held: RunAtStop, _: RunQuestion) -> list[str]:
    return _titled_rows("Its task:", clip(held.run.task.strip(), _MAX_TASK_CHARS), "Its task is not recorded.")


def _outcome(held: RunAtStop, _: RunQuestion) -> list[str]:
    last = held.steps.get(held.run.steps)
    return [_ended(held), *(_titled_rows("Its last step:", run_pages.step_page(held, last.number)) if last else [])]


def _ended(held: RunAtStop) -> str:
    outcome = held.run.outcome
    words = f" ({code(outcome.words)})" if outcome.words else ""
    unknown = "; nobody recorded whether it was right" if outcome.verdict == "unknown" else ""
    return f"{held.run.steps} steps; its outcome, as recorded: {outcome.verdict}{words}{unknown}."


def _cost(held: RunAtStop, _: RunQuestion) -> list[str]:
    usages = [event.usage for event in held.run.events if event.usage]
    given = {name: _sum(usages, name) for name in ("input_tokens", "cached_tokens", "output_tokens")}
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    spent = held.run.cost_usd if held.run.cost_usd is not None else sum(costs) if costs else None
    words = [f"{total:,} {name.replace('_', ' ')}" for name, total in given.items() if total]
    words += [f"${spent:.2f}"] if spent else []
    words += [f"{held.run.seconds:.0f} s"] if held.run.seconds is not None else []
    return [f"As recorded: {', '.join(words)}; {held.run.steps} steps."] if words else ["What it cost is not recorded."]


def _sum(usages: Sequence[TokenUsage], name: str) -> int:
    return sum(getattr(usage, name) or 0 for usage in usages)


def _patterns(held: RunAtStop, _: RunQuestion) -> list[str]:
    rows = [f"- {p.name}, step {', '.join(map(str, p.steps[:8]))}: {cut(p.text, 240)}" for p in held.analysis.patterns]
    return _list("Seen in it:", rows, "None of the patterns that go wrong in many runs is seen in it.")


def _advice(held: RunAtStop, _: RunQuestion) -> list[str]:
    onset = held.analysis.finding.onset
    if onset is None:
        return [f"Nothing can be recommended: {held.analysis.finding.why}."]
    if is_guess(onset):
        return ["Nothing in its own text shows where the run went wrong, so nothing can be recommended."]
    wrong = f"It went wrong at {span(onset)} ({onset.type}): {reason_of(onset)}."
    return [wrong, f"{ADVICE} {what_helps(onset)}"]


def _others(held: RunAtStop, _: RunQuestion) -> list[str]:
    onset = held.analysis.finding.onset
    others = onset.alternatives if onset else ()
    rows = [f"- {span(other)}, {other.type}: {other.text}" for other in others]
    return _list("Others that can be defended:", rows, "Nothing else is seen that can be defended.")


def _compare(held: RunAtStop, _: RunQuestion) -> list[str]:
    head, diff = change_pages.beside(held)
    return _titled_rows(head, diff, head or NO_OTHER_RUN, "diff")


def _unknown(held: RunAtStop, wish: RunQuestion) -> list[str]:
    if wish.text:
        return [f"Taken for a search, as no model is set: {UNDERSTOOD} are understood.", *_search(held, wish)]
    return [f"Without a model this question is not understood. Understood are: {UNDERSTOOD}."]


def _titled_rows(head: str, text: str | Sequence[str], nothing: str = "", language: str = "text") -> list[str]:
    """Formats a heading with fenced text or rows below. Without text, returns only `nothing` or the heading."""
    shown = text if isinstance(text, str) else "\n".join(text)
    return [head, fenced(shown, language)] if shown else [nothing or head]


def _list(head: str, rows: Sequence[str], nothing: str) -> list[str]:
    return [f"{head}\n\n" + "\n".join(rows)] if rows else [nothing]


def _no_step(held: RunAtStop, number: int) -> str:
    return f"There is no step {number}: {there_are(held.steps)}."


_ANSWERS: Mapping[What, Callable[[RunAtStop, RunQuestion], list[str]]] = {
    "why": lambda held, _: diagnosis(held),
    "step": _step,
    "steps": _steps,
    "diff": _diff,
    "search": _search,
    "checks": _checks,
    "failed-checks": _failed_checks,
    "changes": _changes,
    "file": _file,
    "errors": _errors,
    "tree": _tree,
    "task": _task,
    "outcome": _outcome,
    "cost": _cost,
    "patterns": _patterns,
    "advice": _advice,
    "others": _others,
    "compare": _compare,
    "unknown": _unknown,
}
