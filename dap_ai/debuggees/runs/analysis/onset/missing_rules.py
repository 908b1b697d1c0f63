"""Rules for missing things: a library that a check needs, a result written to the wrong path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import Effect
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext, call_of, result_of, shown, suspect
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.patterns.run_story import failed
from dap_ai.debuggees.runs.analysis.rule_tables import expressions, find_words
from dap_ai.debuggees.runs.analysis.step_effects import called_in

_MOST = 60_000
_PATH = re.compile(r"(?<![\w/.:-])/(?:[\w.+-]+/)*[\w+-]+\.\w{1,8}\b")
_BEFORE = 120
"""Number of characters before a path in which the task may ask for the file."""


def missing_library(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the failed install of a library that the last executed step or the verifier reports as missing."""
    for step, text in _last_texts(scene):
        for pattern in expressions("words", "missing_library"):
            found = pattern.search(text)
            wanted = found["name"].split(".")[0] if found else ""
            tried = _installations(scene, wanted) if wanted else []
            lost = [number for number in tried if _came_to_nothing(scene, number)]
            # Every attempt to install it must have failed: after a successful one, there is another reason for the
            # error.
            if found and lost and lost == tried:
                words = found[0].strip()
                seen = [result_of(scene, step, words)] if words in scene.step(step).result_text else []
                yield suspect(
                    lost[0],
                    "dependency resolution",
                    0.65,
                    f"Step {lost[0]} did not install {wanted} ({shown(scene, lost[0])}); the run went on without it",
                    links=[(step, f"it is missed: {words}")],
                    said=[call_of(scene, lost[0]), result_of(scene, lost[0]), *seen],
                )
                return


def _last_texts(scene: OnsetContext) -> Iterator[tuple[int, str]]:
    """Yields the output of the last step that ran something, then the verifier's output, each with a step number."""
    ran = [e.step for e, s in scene.story.done() if {"run", "verify"} & set(e.kinds) and s.result is not None]
    if ran:
        yield ran[-1], scene.step(ran[-1]).result_text[:_MOST]
    if scene.verifier is not None:
        yield scene.last, scene.verifier.text[-_MOST:]


def _installations(scene: OnsetContext, name: str) -> list[int]:
    """Return the steps whose call would install the library, including calls that were not carried out."""
    word = re.compile(rf"(?<![\w-])(py|python3?-|lib)?{re.escape(name)}(?![\w])", re.IGNORECASE)
    found: list[int] = []
    for effect, step in zip(scene.story.effects, scene.story.steps, strict=True):
        text = called_in(step)[:_MOST]
        if (effect.kind == "install" or (effect.noop and "install" in text)) and word.search(text):
            found.append(effect.step)
    return found


def _came_to_nothing(scene: OnsetContext, number: int) -> bool:
    effect, step = scene.effects[number], scene.step(number)
    if effect.noop or effect.refused or failed(step) or step.result is None or scene.is_silent(number):
        return True
    tail = step.result.text[-2_000:]
    went_well = re.search(r"(?i)success|up to date|added \d+|Setting up", tail)
    return not went_well and find_words("not_installed", tail) is not None


def misplaced(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects a file written to another directory than the task asks for.

    The run must have written no file at the requested path.
    """
    made = scene.story.files.made
    for path in _asked(scene.story.run.task[:_MOST]):
        name = paths.name(path)
        writes = [(e, w) for e, w in scene.written if paths.name(w.path) == name and w.how in {"create", "append"}]
        there = any(paths.same(write.path, path) for _, write in writes)
        elsewhere = [(e, w) for e, w in writes if paths.is_absolute(w.path) and w.path in made]
        if there or not elsewhere or path in scene.blame.last or _brought(scene, elsewhere[0][0], path):
            continue
        effect, write = elsewhere[0]
        if scene.blame.place(write.path) != write.path:
            continue
        yield suspect(
            effect.step,
            "mislocalized edit",
            0.75,
            f"Step {effect.step} wrote {write.path}; the task asks for {path}, which was never written",
            links=[(scene.last, f"the run ends, and {name} stands elsewhere")],
            said=[call_of(scene, effect.step, write.path)],
        )
        return


def _asked(task: str) -> Iterator[str]:
    """Yields the paths at which the task asks for a file."""
    for match in _PATH.finditer(task):
        before = task[max(match.start() - _BEFORE, 0) : match.start()]
        if find_words("asks_for", before):
            yield match[0]


def _brought(scene: OnsetContext, wrote: Effect, path: str) -> bool:
    """Return whether a later call mentions the path.

    Such a call may have put the file there in a way that the rules do not recognize.
    """
    later = (step for effect, step in scene.story.done() if effect.step > wrote.step and effect.kind != "explore")
    return any(path in called_in(step)[:_MOST] for step in later)
