"""The offline answer about a recorded run: where it went wrong by its own words, or the part that is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from dap_ai.agent.case.stack import Case
from dap_ai.agent.case.values import cut
from dap_ai.agent.providers.offline import offline_usage, say
from dap_ai.agent.providers.work import Work
from dap_ai.agent.report.wording import ADVICE
from dap_ai.agent.tools.base import Bench, clip
from dap_ai.debuggees.runs.answer import changes, pages
from dap_ai.debuggees.runs.answer.diagnosis import diagnosis, evidence_rows_of, suspects_of, what_helps
from dap_ai.debuggees.runs.answer.questions import UNDERSTOOD, What, Wish, wish_of
from dap_ai.debuggees.runs.answer.reading import Held, held_by, there_are
from dap_ai.debuggees.runs.answer.telling import is_guess, reason_of, span
from dap_ai.debuggees.runs.answer.tools import step_head
from dap_ai.debuggees.runs.model import Usage
from dap_ai.protocol.contracts.asking import Answer
from dap_ai.system.texts import code, counted, fenced

_MAX_TASK_CHARS = 4_000
_MAX_PART_CHARS = 12_000
_MAX_DIFF_CHARS = 4_000
_MOST_STEPS = 30


class RunAnalyst:
    """See agent.providers.offline.Analyst."""

    async def answer(self, work: Work, case: Case, bench: Bench) -> Answer:
        """What the question wants, else what is understood."""
        held = await held_by(bench)
        wish = wish_of(case.question)
        parts = await asyncio.to_thread(_ANSWERS[wish.what], held, wish)
        if wish.what == "why" and (seen := _held_here(held, case)):
            parts = [seen, *parts] if held.analysis.finding.onset else [seen, *parts[1:]]
        say(work, parts)
        if wish.what != "why":
            return Answer(usage=offline_usage())
        return Answer(evidence=evidence_rows_of(held, case), suspects=suspects_of(held), usage=offline_usage())

    def unread(self, work: Work, caught: Case) -> Answer | None:
        """A run has no error without a stop."""
        del work, caught
        return None


def _held_here(held: Held, case: Case) -> str:
    """Of a stop at what goes wrong: what that is, and the words of the event; "" of any other stop."""
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
"""What a stop of a live agent means, by the label of its filter."""


def _step(held: Held, wish: Wish) -> list[str]:
    """One step in full, and what analysis sees in it."""
    number = wish.numbers[0] if wish.numbers else held.event.step if held.event else 0
    if number not in held.steps:
        return [_no_step(held, number)]
    if wish.text:
        head, text = pages.parts_of(held.steps[number]).get(wish.text, ("", ""))
        return (
            [f"Step {number}, {head}:", fenced(clip(text, _MAX_PART_CHARS))] if head else [f"Step {number} has none."]
        )
    parts = [f"{step_head(held, number)}:", fenced(pages.step_page(held, number))]
    parts += [f"- {pattern.text}" for pattern in held.analysis.patterns if number in pattern.steps]
    onset = held.analysis.finding.onset
    if onset and not is_guess(onset) and onset.first <= number <= onset.last:
        parts.append(f"It is where the run most likely went wrong: {reason_of(onset)}.")
    return parts


def _steps(held: Held, wish: Wish) -> list[str]:
    first, last = wish.numbers
    rows = pages.step_rows(held, first, _MOST_STEPS, last=last)
    return (
        [f"Steps {first} to {last}, of {held.run.steps}:", fenced("\n".join(rows))] if rows else [_no_step(held, first)]
    )


def _diff(held: Held, wish: Wish) -> list[str]:
    one, other = wish.numbers
    missing = next((number for number in (one, other) if number not in held.steps), None)
    if missing is not None:
        return [_no_step(held, missing)]
    said, files = (
        changes.said_differently(held, one, other),
        changes.changed_between(held, min(one, other), max(one, other)),
    )
    return [
        f"Steps {one} and {other} are the same." if not said else f"What steps {one} and {other} said, called and got:",
        fenced(said, "diff") if said else "",
        f"What became of files after step {min(one, other)}, up to step {max(one, other)}:"
        if files
        else "No file was changed between them.",
        fenced(files, "diff") if files else "",
    ]


def _search(held: Held, wish: Wish) -> list[str]:
    rows, count = pages.found_rows(held, wish.text)
    if not rows:
        return [f"{code(wish.text)} stands nowhere in the run."]
    first = f", the first {len(rows)}" if count > len(rows) else ""
    return [f"{code(wish.text)} stands in {counted(count, 'line')}{first}:", fenced("\n".join(rows))]


def _checks(held: Held, _: Wish) -> list[str]:
    checks = held.analysis.checks
    failed = sum(check.ok is False for check in checks)
    if not checks:
        return ["Nothing was checked: no test, build or program was run to judge the work."]
    head = f"{counted(len(checks), 'check')}, {failed} failed:"
    return [head, fenced("\n".join(pages.check_rows(checks)))]


def _failed_checks(held: Held, wish: Wish) -> list[str]:
    checks = held.analysis.checks
    if not checks:
        return _checks(held, wish)
    failed = [check for check in checks if check.ok is False]
    if not failed:
        unclear = [check for check in checks if check.ok is None]
        if not unclear:
            none = "Its only check did not fail" if len(checks) == 1 else f"None of its {len(checks)} checks failed"
            return [f"{none}:", fenced("\n".join(pages.check_rows(checks)))]
        rows = fenced("\n".join(pages.check_rows(unclear)))
        return [f"None of {len(checks)} checks is known to have failed; of these nothing is known:", rows]
    last = max(check.step for check in checks)
    after = "" if failed[-1].step == last else f" The last check of all, at step {last}, did not fail."
    return [f"{len(failed)} of {len(checks)} checks failed.{after}", fenced("\n".join(pages.check_rows(failed)))]


def _changes(held: Held, _: Wish) -> list[str]:
    """The files, and the patch that was handed in, else what the calls did."""
    rows, patch = changes.file_rows(held), changes.handed_in(held)
    if not rows and not patch:
        return ["No call of the run changed a file, as far as the calls say it."]
    head = f"What it handed in, at step {held.run.steps}:" if patch else "What its calls did:"
    diff = patch or changes.changed_between(held, 0, held.run.steps)
    files = ["The files that its calls changed:", fenced("\n".join(rows))] if rows else []
    return [*files, head, fenced(clip(diff, _MAX_DIFF_CHARS), "diff")]


def _file(held: Held, wish: Wish) -> list[str]:
    head, text = changes.file_page(held, wish.text, 0, 0)
    return [head, fenced(text)] if text else [f"No changed file is called {code(wish.text)}.", *_search(held, wish)]


def _errors(held: Held, _: Wish) -> list[str]:
    rows = pages.step_rows(held, 1, _MOST_STEPS, failed=True)
    return (
        ["Steps whose tool or check failed, or that did nothing:", fenced("\n".join(rows))]
        if rows
        else ["No step failed that says so."]
    )


def _tree(held: Held, _: Wish) -> list[str]:
    rows = pages.tree_rows(held, most=40) or pages.tree_rows(held, whole=True, most=40)
    return (
        [_ended(held), "What it changed and checked:", fenced("\n".join(rows))]
        if rows
        else [_ended(held), "It has no steps."]
    )


def _task(held: Held, _: Wish) -> list[str]:
    task = held.run.task.strip()
    return ["Its task:", fenced(clip(task, _MAX_TASK_CHARS))] if task else ["Its task is not recorded."]


def _outcome(held: Held, _: Wish) -> list[str]:
    last = held.steps.get(held.run.steps)
    end = ["Its last step:", fenced(pages.step_page(held, last.number))] if last else []
    return [_ended(held), *end]


def _ended(held: Held) -> str:
    outcome = held.run.outcome
    words = f" ({code(outcome.words)})" if outcome.words else ""
    unknown = "; nobody recorded whether it was right" if outcome.verdict == "unknown" else ""
    return f"{held.run.steps} steps; its outcome, as recorded: {outcome.verdict}{words}{unknown}."


def _cost(held: Held, _: Wish) -> list[str]:
    usages = [event.usage for event in held.run.events if event.usage]
    given = {name: _sum(usages, name) for name in ("input_tokens", "cached_tokens", "output_tokens")}
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    spent = held.run.cost_usd if held.run.cost_usd is not None else sum(costs) if costs else None
    words = [f"{total:,} {name.replace('_', ' ')}" for name, total in given.items() if total]
    words += [f"${spent:.2f}"] if spent else []
    words += [f"{held.run.seconds:.0f} s"] if held.run.seconds is not None else []
    return [f"As recorded: {', '.join(words)}; {held.run.steps} steps."] if words else ["What it cost is not recorded."]


def _sum(usages: Sequence[Usage], name: str) -> int | None:
    values = [value for usage in usages if (value := getattr(usage, name)) is not None]
    return sum(values) if values else None


def _patterns(held: Held, _: Wish) -> list[str]:
    rows = [f"- {p.name}, step {', '.join(map(str, p.steps[:8]))}: {cut(p.text, 240)}" for p in held.analysis.patterns]
    return (
        ["Seen in it:\n\n" + "\n".join(rows)]
        if rows
        else ["None of the patterns that go wrong in many runs is seen in it."]
    )


def _advice(held: Held, _: Wish) -> list[str]:
    onset = held.analysis.finding.onset
    if onset is None:
        return [f"Nothing can be recommended: {held.analysis.finding.why}."]
    if is_guess(onset):
        return ["Nothing in its own text shows where the run went wrong, so nothing can be recommended."]
    return [
        f"It went wrong at {span(onset)} ({onset.type}): {reason_of(onset)}.",
        f"{ADVICE} {what_helps(onset)}",
    ]


def _others(held: Held, _: Wish) -> list[str]:
    onset = held.analysis.finding.onset
    others = onset.alternatives if onset else ()
    rows = [f"- {span(other)}, {other.type}: {other.text}" for other in others]
    return (
        ["Others that can be defended:\n\n" + "\n".join(rows)]
        if rows
        else ["Nothing else is seen that can be defended."]
    )


def _compare(held: Held, _: Wish) -> list[str]:
    head, diff = changes.beside(held)
    if not head:
        return ["No other run was named: `dap-ai ask --run RUN --against RUN2`."]
    return [head, fenced(diff, "diff") if diff else ""]


def _unknown(held: Held, wish: Wish) -> list[str]:
    if wish.text:
        return [f"Taken for a search, as no model is set: {UNDERSTOOD} are understood.", *_search(held, wish)]
    return [f"Without a model this question is not understood. Understood are: {UNDERSTOOD}."]


def _no_step(held: Held, number: int) -> str:
    return f"There is no step {number}: {there_are(held.steps)}."


_ANSWERS: Mapping[What, Callable[[Held, Wish], list[str]]] = {
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
