"""Rules for absent work: an input that vanished, a change the shell never made, work that never started."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.shell_effects import read_shell
from dap_ai.debuggees.runs.analysis.onset.onset_context import (
    OnsetContext,
    Quotation,
    call_of,
    response_of,
    result_of,
    shown,
    suspect,
)
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.rule_tables import find_words
from dap_ai.debuggees.runs.analysis.step_effects import called_in

_MISSING = re.compile(r"(?:^|[\s'\"])(/?[\w./-]+\.[\w-]+)['\"]?: No such file or directory|does not exist: (/\S+)")
_SAYS_MISSING = ("No such file or directory", "does not exist: /")
_LISTED = re.compile(r"^[-d][rwxsStT-]{9}.*", re.MULTILINE)
_STRAY = re.compile(r"\A\s*[:>][^\S\n]*(?=[\w./])")
_HEAD = re.compile(r"&&|;|\n|(?<![|&])\|(?!\|)")
_MOST = 60_000
_ENOUGH = 2
"""Minimum number of calls that did nothing while the agent took them for done."""


def lost_input(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects a step between the listing of a file and its absence, if no call is known to have removed the file."""
    seen: dict[str, int] = {}
    for effect, step in scene.story.done():
        text = step.result_text[:_MOST]
        for match in _MISSING.finditer(text) if any(words in text for words in _SAYS_MISSING) else ():
            path = match[1] or match[2]
            name = paths.name(path)
            if name in seen and _between(scene, name, seen[name], step.number):
                yield _lost(scene, name, seen[name], step.number, match[0].strip())
                return
        if effect.kind == "explore" and not (step.result is not None and step.result.exit_code):
            seen.update(dict.fromkeys(_listed(text), step.number))


def _listed(text: str) -> Iterator[str]:
    """Yields the names of files in the output of `ls -l`."""
    for line in _LISTED.findall(text):
        if "." in (word := line.split()[-1]):
            yield paths.name(word)


def _between(scene: OnsetContext, name: str, first: int, last: int) -> list[int]:
    """Return the steps between `first` and `last` that may have removed the file; the last of them is the likeliest.

    These are the steps whose call contains the stem of the file's name, else the last step that did anything. Empty if
    one of the steps wrote the file, because the file's fate is then known.
    """
    stem = re.split(r"[.-]", name)[0]
    done = [effect for effect, _ in scene.story.done() if first < effect.step < last and effect.kind != "message"]
    if any(paths.name(write.path) == name for effect in done for write in effect.writes):
        return []
    # No call is known to have removed the file. A call in between that names its stem (`data` of `data.csv`) is the
    # likeliest, else the last one that did anything.
    near = [effect.step for effect in done if stem and stem in called_in(scene.step(effect.step))[:_MOST]]
    return near or [effect.step for effect in done][-1:]


def _lost(scene: OnsetContext, name: str, first: int, last: int, words: str) -> OnsetSuspect:
    step = _between(scene, name, first, last)[-1]
    return suspect(
        step,
        "environment/setup",
        0.7,
        f"{name} is there at step {first} and gone at step {last}: step {step} lies between and touches it",
        links=[(last, f"the file is missing: {words}")],
        said=[result_of(scene, first, name), call_of(scene, step), result_of(scene, last, words)],
    )


def swallowed(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects an install or change that a stray prefix turned into a no-op.

    The run must have gone on as if the call had worked.
    """
    lost = [number for number in scene.numbers if _swallowed(scene, number)]
    idle = [effect.step for effect in scene.story.effects if effect.noop]
    if (
        not lost
        or len({*lost, *idle}) < _ENOUGH
        or any(check.ok and check.step > lost[0] for check in scene.conclusive_checks)
    ):
        return
    step = lost[0]
    later = [number for number in idle if number > step]
    yield suspect(
        step,
        "dependency resolution" if _does(scene, step) == "install" else "environment/setup",
        0.65,
        f"Step {step} did nothing ({shown(scene, step)}): a stray prefix precedes the command; it was taken for done",
        links=[(number, f"nothing is done either: {shown(scene, number)}") for number in [*lost[1:3], *later[:3]]],
        said=[call_of(scene, step), result_of(scene, step)],
    )


def _swallowed(scene: OnsetContext, number: int) -> bool:
    return scene.is_silent(number) and _does(scene, number) in {"install", "change"}


def _does(scene: OnsetContext, number: int) -> str:
    """Return the effect kind of a command without its stray prefix; empty if the command has no stray prefix."""
    call = scene.step(number).call
    text = call.text if call is not None else ""
    found = _STRAY.match(text)
    if found is None:
        return ""
    head = _HEAD.split(text[found.end() : found.end() + 4_000], maxsplit=1)[0]
    return read_shell(head, scene.effects[number].cwd).kind()


def never_began(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the last step of a run that ended by itself, with neither a final message nor a change of the work."""
    run = scene.story.run
    ends = [event for event in run.events[-3:] if event.kind == "end"]
    words = [event for event in (scene.last_words, *ends) if event is not None and event.text.strip()]
    if not ends or words or scene.edits or not scene.last or scene.story.handed_in or scene.named("limit"):
        return
    step = scene.last
    yield suspect(
        step,
        "incorrect hypothesis",
        0.5,
        f"The run ended by itself after step {step}, with nothing of the work changed and no word of why",
        links=[],
        said=[call_of(scene, step), result_of(scene, step)],
    )


def invented(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects an agent that says, before any tool call, that it simulates results or answers from memory."""
    asked = False
    for effect, step in zip(scene.story.effects, scene.story.steps, strict=True):
        text = step.response_text[:20_000]
        asked = asked or (step.call is not None and effect.kind not in {"submit", "message"})
        if asked:
            return
        for key, confidence in (("simulates", 0.7), ("from_memory", 0.45)):
            found = find_words(key, text)
            if found is not None:
                yield suspect(
                    step.number,
                    "incorrect hypothesis",
                    confidence,
                    f"Step {step.number} answers without having looked anything up",
                    links=[(scene.last, "the answer is given")],
                    said=[Quotation(step.number, step.response, found[0]), response_of(scene, scene.last)],
                )
                return
