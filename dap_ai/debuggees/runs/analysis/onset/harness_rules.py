"""Rules for faults between the model and its tools: what the agent's own program lost, mixed up or never did.

The model's later choices rest on such a faulty step, so these rules come before rules about the model's choices. A
fault is not reported if a later check of the work passed, because the fault was then fixed or harmless. Most rules
compare two independent records that must agree: a success message and the workspace, a sub-agent's answer and the
result its caller received, two results that mention each other's files. A single odd result proves nothing. Where it
could be chance, a rule also requires a later failure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import pairwise
from typing import NamedTuple

from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.onset.onset_context import (
    OnsetContext,
    Quotation,
    call_of,
    response_of,
    result_of,
    shown,
    suspect,
)
from dap_ai.debuggees.runs.analysis.onset_model import ErrorType, OnsetSuspect
from dap_ai.debuggees.runs.analysis.patterns.run_story import failed
from dap_ai.debuggees.runs.run_model import Event, RunStep

_TYPE: ErrorType = "environment/setup"
_SURE, _CUT, _LIKELY = 0.8, 0.66, 0.6
_SHORTEST_CUT = 500
_PLACEHOLDER = re.compile(
    r"^\s*(?:\w[\w ]{0,40}:\s*)?(\{\{?\s*(?:task|input|question|query|problem|problem_statement|instructions?|prompt"
    r"|goal|user_input|user_query|user_message)\s*\}\}?)\s*$",
    re.MULTILINE | re.IGNORECASE,
)
"""Matches a line that consists of an unfilled template field for the task, with an optional label."""
_UNSEEN = re.compile(
    r"No module named '([\w.]+)'|can't open file '[^'\n]*?([\w-]+\.\w+)'|file or directory not found: (\S+)"
    r"|cannot access '([^'\n]+)': No such file|(\S+): No such file or directory"
)
_REPORTED = re.compile(
    r"\b(ok|success|successfully|edited|updated|written|wrote|saved|applied|created|replaced|changed)\b"
)
_REFUSED = re.compile(r"\b(error|exception|fail(?:ed|ure)?|cannot|could not|not|no such|invalid|denied)\b")
_MOST = 20_000
_TELLING = 30
"""Minimum number of characters at which two equal results are no coincidence."""


class Mishap(NamedTuple):
    """A fault that a rule in this module found: the step, its description, quotes and confidence."""

    step: int
    text: str
    said: Sequence[Quotation]
    confidence: float = _SURE


def _unless_mended(
    find: Callable[[OnsetContext], Iterator[Mishap]],
) -> Callable[[OnsetContext], Iterator[OnsetSuspect]]:
    """Turn a generator of mishaps into a rule that reports the first mishap that was not fixed later.

    A mishap is fixed if the last conclusive check after it passed.
    """

    @wraps(find)
    def rule(scene: OnsetContext) -> Iterator[OnsetSuspect]:
        for step, text, said, confidence in find(scene):
            # The last conclusive check decides: one that failed in between may have led to a fix.
            later = [check.ok for check in scene.conclusive_checks if check.step > step]
            if later[-1:] != [True]:
                yield suspect(step, _TYPE, confidence, text, links=_later_failure(scene, step), said=said)
                return

    return rule


@_unless_mended
def unmade_edit(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds an edit reported as made although the workspace did not change.

    Requires a run that records every change of the workspace.
    """
    for effect, write in scene.edits if scene.story.run.followed else ():
        number, step = effect.step, scene.step(effect.step)
        lasting = write.old is None or write.old != write.new
        if lasting and _reports_success(step) and not _changed_after(scene, step, write.path):
            name = paths.name(write.path)
            text = f"Step {number} reports that {name} was changed, and no file of the workspace changed"
            yield Mishap(number, text, [call_of(scene, number), result_of(scene, number)])


def _reports_success(step: RunStep) -> bool:
    told = _text(step)[:400].lower()
    return bool(_REPORTED.search(told)) and not _REFUSED.search(told)


def _changed_after(scene: OnsetContext, step: RunStep, path: str) -> bool:
    """Return whether the workspace changed soon after the call, or that file changed at any later time.

    "Soon" means before the second query after the call, because a commit may be one query late. An edit of an untracked
    file leaves no commit, so a later change counts only if it shows that file.
    """
    if step.call is None:
        return True
    queries = 0
    for event in scene.story.run.events[step.call.index + 1 :]:
        queries += event.kind == "query"
        if event.kind == "change" and (queries < 2 or paths.name(path) in event.text):
            return True
    return False


@_unless_mended
def lost_answer(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds a sub-agent's answer that its caller received as an empty result."""
    for agent in scene.story.run.agents:
        words = _last_words(scene, agent.name) if agent.parent else None
        step = _caller(scene, words) if words is not None else None
        if step is not None and _is_blank(step):
            text = f"{agent.name} answered, and step {step.number}, which had asked, got an empty result"
            yield Mishap(step.number, text, [call_of(scene, step.number), Quotation(step.number, words)])


def _last_words(scene: OnsetContext, agent: str) -> Event | None:
    said = [event for event in scene.story.run.events if event.kind == "response" and event.agent == agent]
    return said[-1] if said and said[-1].text.strip() else None


def _caller(scene: OnsetContext, words: Event) -> RunStep | None:
    """Return the innermost call of the parent agent that was open while the sub-agent answered, or None."""
    parents = {agent.name: agent.parent for agent in scene.story.run.agents}
    around = (
        step for step in scene.story.steps
        if step.call is not None and step.result is not None and step.call.agent == parents[words.agent]
        and step.call.index < words.index < step.result.index
    )  # fmt: skip
    return min(around, key=lambda step: words.index - (step.call.index if step.call else 0), default=None)


@_unless_mended
def late_result(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds a call whose result was empty in the next query and arrived only with a later one."""
    for step in scene.story.steps:
        late = next((e for e in step.others if e.kind == "result" and len(e.text.strip()) >= _TELLING), None)
        if late is not None and _is_blank(step):
            text = f"The result of step {step.number} was empty when the model was asked; it came with a later query"
            yield Mishap(step.number, text, [call_of(scene, step.number), Quotation(step.number, late)])


@_unless_mended
def shifted_results(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds a call whose result is the previous call's result, recognized by the file that the result mentions."""
    for one, two in pairwise(step for step in scene.story.steps if step.result is not None and step.call is not None):
        if words := _taken_over(scene, one, two):
            text = f"Step {two.number} got the result of step {one.number} once more: it speaks of {words}"
            yield Mishap(two.number, text, [call_of(scene, two.number), result_of(scene, two.number, words)])


def _taken_over(scene: OnsetContext, one: RunStep, two: RunStep) -> str:
    """Return the first call's file if both calls have equal results that mention the file, else an empty string."""
    text, before = _text(two), _text(one)
    if len(text) < _TELLING or text != before:
        return ""
    first, second = scene.effects[one.number], scene.effects[two.number]
    own = {given for path in second.reads for given in (path, paths.name(path))}
    named = (given for path in first.reads for given in _given(one, path))
    return next((given for given in named if given in text and given not in own and second.reads), "")


def _given(step: RunStep, path: str) -> Iterator[str]:
    """Yields a path in the spelling of the call's arguments."""
    values = [value for value in (step.call.arguments or {}).values() if isinstance(value, str)] if step.call else []
    yield from (value for value in values if value and path.endswith(value.removeprefix("./")))


@_unless_mended
def swapped_results(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds two parallel reads whose results were swapped, proved by a later read of one of the files."""
    reads = [(step, effect.reads[0]) for effect, step in scene.story.done() if len(effect.reads) == 1 and _text(step)]
    for (one, path), (two, other) in pairwise(reads):
        if one.response is not two.response or path == other or min(len(_text(one)), len(_text(two))) < _TELLING:
            continue
        # Swapped results look normal; a third read of the first file reveals them if it shows what the second call
        # got.
        again = next((z for z, p in reads if p == path and z is not one and _text(z) == _text(two) != _text(one)), None)
        if again is not None:
            shows = f"step {again.number} shows which is whose"
            text = f"Steps {one.number} and {two.number} got each other's results: {shows}"
            yield Mishap(one.number, text, [result_of(scene, one.number), result_of(scene, again.number)])


@_unless_mended
def cut_unsaid(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds a file that was truncated silently: the tool's longest result has a round length and ends within a line.

    One result in a hundred has such a length by chance, so the rule also requires a later edit of the file and a later
    failed check.
    """
    for effect, step in scene.story.done():
        number, shown_, size = step.number, step.result_text, len(step.result_text)
        if not (effect.kind == "explore" and effect.reads and _is_round(size) and shown_[-1] != "\n" and step.call):
            continue
        longest = max(
            len(s.result_text) for s in scene.story.steps if s.call is not None and s.call.tool == step.call.tool
        )
        edited = any(write.path in effect.reads and one.step > number for one, write in scene.edits)
        if longest == size and edited and _later_failure(scene, number):
            name = paths.name(effect.reads[0])
            text = f"Step {number} shows {name} up to its {size:,}th character, without a word that it is cut"
            said = [call_of(scene, number), result_of(scene, number, shown_[-40:].split("\n")[-1])]
            yield Mishap(number, text, said, _CUT)


def _is_round(length: int) -> bool:
    # Limits are multiples of 100 or powers of two; `n & (n - 1)` is 0 only for the latter.
    return length >= _SHORTEST_CUT and (length % 100 == 0 or length & (length - 1) == 0)


def swallowed_error(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects a read that returned neither text nor an error, if the agent took the file for empty and stopped."""
    last = scene.last_words
    if last is None or scene.edits or not re.search(r"\b(is|was|are) empty\b|\bno content\b", last.text[:_MOST]):
        return
    for effect, step in scene.story.done():
        if effect.reads and effect.kind == "explore" and _is_blank(step):
            name = paths.name(effect.reads[0])
            text = f"Step {step.number} read {name} and got nothing, which was taken for its text"
            said = [call_of(scene, step.number), response_of(scene, scene.last)]
            yield suspect(step.number, _TYPE, _LIKELY, text, links=[(scene.last, "the work ends there")], said=said)
            return


def unfilled_prompt(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the first step of a run whose prompt contains an unfilled template field instead of the task."""
    told = [event for event in scene.story.run.events[:12] if event.kind in ("task", "note") and not event.step]
    for event in told:
        found = _PLACEHOLDER.search(event.text[:_MOST])
        if found is not None and not scene.edits:
            first = scene.numbers[0]
            text = f"The prompt still holds {found[1]}: the model was never told what to do"
            said = [Quotation(0, event, found[1]), response_of(scene, first)]
            yield suspect(first, _TYPE, _SURE, text, links=[], said=said)
            return


@_unless_mended
def elsewhere(scene: OnsetContext) -> Iterator[Mishap]:
    """Finds a command that does not see a file which another tool has read in the same directory.

    The command and the tool then run in two places.
    """
    seen = _files_read(scene)
    for effect, step in scene.story.done():
        match = _UNSEEN.search(_text(step)[:_MOST]) if failed(step) and effect.kind in {"verify", "run"} else None
        words = next(filter(None, match.groups()), "") if match is not None else ""
        name = paths.name(words)
        number = seen.get((effect.cwd, name)) or seen.get((effect.cwd, f"{name}.py"))
        if match is not None and number and number <= step.number:
            text = f"Step {step.number} does not find {name}, which step {number} has read: it ran in another directory"
            said = [call_of(scene, step.number), result_of(scene, step.number, match[0]), result_of(scene, number)]
            yield Mishap(step.number, text, said)


def _files_read(scene: OnsetContext) -> dict[tuple[str, str], int]:
    """Return the first step that read each file with a tool other than a shell, by (directory, name)."""
    found: dict[tuple[str, str], int] = {}
    for effect, step in scene.story.done():
        shell = step.call is None or "command" in (step.call.arguments or {})
        if effect.kind == "explore" and not shell and not failed(step) and not _text(step).startswith("Error"):
            for path in effect.reads:
                if path == paths.join(effect.cwd, paths.name(path)):
                    found.setdefault((effect.cwd, paths.name(path)), step.number)
    return found


def _is_blank(step: RunStep) -> bool:
    return step.result is not None and not step.result_text.strip() and not step.result.exit_code


def _text(step: RunStep) -> str:
    return step.result_text.strip()


def _later_failure(scene: OnsetContext, number: int) -> Sequence[tuple[int, str]]:
    """Return the last three failed checks after a step as pairs (step, description)."""
    bad = [check for check in scene.conclusive_checks if check.ok is False and check.step > number]
    return [
        (check.step, f"the check fails: {check.error or check.summary or shown(scene, check.step)}")
        for check in bad[-3:]
    ]
