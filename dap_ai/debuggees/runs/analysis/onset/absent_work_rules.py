"""Back from what is not there: an input that vanished, a change that the shell never made, work that never began."""

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
"""Calls that did nothing and were taken for done."""


def lost_input(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """A file was listed, and later it is not there, though no call is known to have removed it."""
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
    """Names of files that `ls -l` shows."""
    for line in _LISTED.findall(text):
        if "." in (word := line.split()[-1]):
            yield paths.name(word)


def _between(scene: OnsetContext, name: str, first: int, last: int) -> list[int]:
    """The steps in between that did something, those whose call names the file or what it belongs to before others.

    None where one of them wrote the file: then it is known what became of it.
    """
    stem = re.split(r"[.-]", name)[0]
    done = [effect for effect, _ in scene.story.done() if first < effect.step < last and effect.kind != "message"]
    if any(paths.name(write.path) == name for effect in done for write in effect.writes):
        return []
    # Who removed it is not seen, or a rule about writes would have it. A call between both sights that names the file's
    # stem (`data` of `data.csv`) is the likeliest, else the last one that did anything.
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
    """A stray prefix made the shell do nothing of an installation or a change, and the run went on as if it had."""
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
    """What the part of a call does that a stray prefix makes nothing of; "" where there is none."""
    call = scene.step(number).call
    text = call.text if call is not None else ""
    found = _STRAY.match(text)
    if found is None:
        return ""
    head = _HEAD.split(text[found.end() : found.end() + 4_000], maxsplit=1)[0]
    return read_shell(head, scene.effects[number].cwd).kind()


def never_began(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """The run ended by itself, with an empty last word, and nothing of the work was changed: its last step."""
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
    """The agent says that it makes up what it should look up, or answers from memory, and no tool was asked before."""
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
