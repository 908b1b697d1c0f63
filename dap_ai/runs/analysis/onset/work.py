"""Back from what is handed in: it lacks the change, the change is of something else, it is broken, or it is undone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dap_ai.runs.analysis import paths
from dap_ai.runs.analysis.differences import applied
from dap_ai.runs.analysis.facts import Effect, Write
from dap_ai.runs.analysis.onset.broken import fault_of
from dap_ai.runs.analysis.onset.scene import Scene, call_of, edit_of, response_of, result_of, suspect
from dap_ai.runs.analysis.onsets import Suspect
from dap_ai.runs.analysis.patterns.story import failed
from dap_ai.runs.analysis.tables import expressions
from dap_ai.runs.analysis.tree import one_line

_HEADER = re.compile(r"^diff --git a/(\S+) b/(\S+)", re.MULTILINE)
_MAX_PATCH = 2_000_000


def patch_lacks(scene: Scene) -> Iterator[Suspect]:
    """The difference that was handed in holds none of the files that the run edited."""
    end = scene.story.handed_in
    if end is None or end.result is None:
        return
    handed = {paths.name(match[2]) for match in _HEADER.finditer(end.result.text[:_MAX_PATCH])}
    edits = [(e, w) for e, w in scene.edits if e.step < end.number and not _gone(scene, w.path)]
    if not handed or not edits or any(paths.name(write.path) in handed for _, write in edits):
        return
    effect, write = edits[0]
    name = paths.name(write.path)
    yield suspect(
        effect.step,
        "mislocalized edit",
        0.75,
        f"Step {effect.step} edited {name}, and what was handed in holds no change of it: the edit had no effect",
        links=[(end.number, f"the difference holds {', '.join(sorted(handed)[:4])}, not {name}")],
        said=[edit_of(scene, effect, write), result_of(scene, end.number, f"diff --git a/{_first(end.result.text)}")],
    )


def _first(text: str) -> str:
    found = _HEADER.search(text[:_MAX_PATCH])
    return f"{found[1]} b/{found[2]}" if found else ""


def _gone(scene: Scene, path: str) -> bool:
    """Whether the file was removed, moved or put back at any time."""
    writes = [write for effect in scene.story.effects for write in effect.writes]
    return any(write.path == path and write.how in {"delete", "move", "restore"} for write in writes)


def success_without_change(scene: Scene) -> Iterator[Suspect]:
    """Nothing of the work was changed: the edit of something else that the agent took for the fix, or the last try."""
    for pattern in scene.named("success-without-change"):
        tried, end = list(pattern.steps[:-1]), pattern.steps[-1]
        carried = [n for n in tried if not scene.effects[n].refused and not failed(scene.step(n))]
        meant = [n for n in carried if _meant_as_fix(scene, n)]
        step = (meant or carried[-1:] or tried[:1] or [end])[0]
        kind = "took an edit of its own script for the fix" if meant else "is as near as the run came to a change"
        yield suspect(
            step,
            "mislocalized edit",
            0.7,
            f"Step {step} {kind}; no change of the work itself was handed in",
            links=[(end, "the work is handed in as done")],
            said=[call_of(scene, step), response_of(scene, step), response_of(scene, end)],
        )


def _meant_as_fix(scene: Scene, number: int) -> bool:
    response = scene.step(number).response
    text = response.text[:4_000] if response is not None else ""
    return any(pattern.search(text) for pattern in expressions("words", "means_to_fix"))


def edit_lost(scene: Scene) -> Iterator[Suspect]:
    """Every edit was taken back: the step that did it."""
    for pattern in scene.named("edit-lost"):
        step = pattern.steps[-1]
        yield suspect(
            step,
            "verification misinterpretation",
            0.6,
            f"Step {step} took back every edit of the work, and none came after it",
            links=[(number, "an edit that is lost") for number in pattern.steps[:-1]],
            said=[call_of(scene, step)],
        )


def broken_file(scene: Scene) -> Iterator[Suspect]:
    """A file of the work is left such that nothing can read it: the first write from which on it always was."""
    texts: dict[str, str | None] = {}
    since: dict[str, tuple[Effect, str]] = {}
    for effect, write in _writes(scene):
        texts[write.path] = applied(texts.get(write.path), write)
        fault = fault_of(write.path, texts[write.path])
        if not fault:
            since.pop(write.path, None)
        else:
            since.setdefault(write.path, (effect, fault))
    for path, (effect, fault) in since.items():
        checked = any(check.ok and check.step > effect.step for check in scene.telling)
        if scene.story.files.role(path) == "work" and not checked and not _gone(scene, path):
            yield _broken(scene, path, effect, fault, [e.step for e, w in scene.edits if w.path == path])


def _writes(scene: Scene) -> Iterator[tuple[Effect, Write]]:
    for effect, step in scene.story.done():
        if not failed(step) and step.result is not None:
            yield from ((effect, write) for write in effect.writes if write.how not in {"log", "mode"})


def _broken(scene: Scene, path: str, effect: Effect, fault: str, steps: Sequence[int]) -> Suspect:
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


def placeholder(scene: Scene) -> Iterator[Suspect]:
    """A result was made up or left as a placeholder."""
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


def check_bent(scene: Scene) -> Iterator[Suspect]:
    """A test was edited until it passed."""
    for pattern in scene.named("check-edited"):
        if len(pattern.steps) >= 2:
            step = pattern.steps[1]
            yield suspect(
                step,
                "verification misinterpretation",
                0.5,
                f"Step {step}: {pattern.text}",
                links=[(pattern.steps[0], "the test fails"), (pattern.steps[-1], "the edited test passes")],
                said=[call_of(scene, step), result_of(scene, pattern.steps[0], pattern.quote)],
            )
