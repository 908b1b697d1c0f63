"""Finds failure patterns of calls: repeated, in the wrong directory, rejected, or stopped by a limit."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, Pattern
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory
from dap_ai.debuggees.runs.analysis.rule_tables import expressions
from dap_ai.debuggees.runs.analysis.state_tree import one_line, opens_state
from dap_ai.debuggees.runs.analysis.step_effects import called_in
from dap_ai.debuggees.runs.run_model import RunStep

_MANY = 3
_POLLS = frozenset({"BashOutput", "TaskOutput", "wait", "sleep"})


def same_call_again(story: RunStory) -> Iterator[Pattern]:
    """Finds a call that returned the same result three times, or twice in a row.

    The run must have changed nothing in between.
    """
    open_: dict[bytes, list[int]] = {}
    done: list[list[int]] = []
    previous = b""
    adjacent: set[int] = set()
    for effect, step in zip(story.effects, story.steps, strict=True):
        if opens_state(effect):
            done += open_.values()
            open_.clear()
        key = _key(effect, step)
        if not key:
            continue
        open_.setdefault(key, []).append(effect.step)
        if key == previous:
            adjacent.add(effect.step)
        previous = key
    for steps in sorted([*done, *open_.values()]):
        if len(steps) >= _MANY or (len(steps) > 1 and any(step in adjacent for step in steps)):
            text = f"The same call returned the same result {len(steps)} times, with no change between"
            yield Pattern("same-call-again", steps, text, one_line(called_in(story.step_at[steps[0]]), 100))


def _key(effect: Effect, step: RunStep) -> bytes:
    """Return a hash of call and result, or empty bytes if the step must not be compared."""
    if step.call is None or step.result is None or effect.kind in {"message", "submit"} or effect.background:
        return b""
    if set(effect.programs) & _POLLS or effect.noop or not step.result.text.strip():
        return b""
    whole = f"{step.call.tool}\0{called_in(step)}\0{effect.cwd}\0{step.result.text}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def wrong_directory(story: RunStory) -> Iterator[Pattern]:
    """Finds steps whose change of directory failed."""
    for effect, step in story.done():
        matches = (pattern.search(step.result_text[:4000]) for pattern in expressions("words", "lost_directory"))
        own = next((found[0] for found in matches if found and _is_own(found[0], called_in(step))), "")
        if own and step.call is not None and effect.kind != "message":
            where = f" in {effect.cwd}" if effect.cwd else ""
            yield Pattern("wrong-directory", [effect.step], f"Step {effect.step} was not where it thought{where}", own)


def _is_own(said: str, call: str) -> bool:
    """Return whether the call names the missing directory.

    If not, a program that the call started may miss a directory of its own.
    """
    place = said.rsplit(maxsplit=1)[-1] if said.startswith("can") else said.partition("cd: ")[2].partition(":")[0]
    return not place or place.strip("'") in call


def refused(story: RunStory) -> Iterator[Pattern]:
    """Finds calls rejected by their tool and answers rejected for their format, grouped by tool."""
    found: dict[str, list[Effect]] = {}
    for effect in story.effects:
        if effect.refused:
            call = story.step_at[effect.step].call
            found.setdefault(call.tool or "a tool" if call is not None else "", []).append(effect)
    for tool, effects in found.items():
        many = f"{len(effects)} calls" if len(effects) > 1 else "a call"
        replies = f"{len(effects)} replies were" if len(effects) > 1 else "A reply was"
        text = f"{tool} refused {many}" if tool else f"{replies} refused for the form"
        yield Pattern("refused", [effect.step for effect in effects], text, effects[0].refused)


def limit(story: RunStory) -> Iterator[Pattern]:
    """Finds a run that a limit ended."""
    submitted = [effect for effect in story.effects if effect.kind == "submit"]
    exits = [effect for effect in submitted if any(name.startswith("exit_") for name in effect.programs)]
    if story.run.outcome.verdict == "limit" or exits:
        steps = [effect.step for effect in (exits or story.effects)[-1:]]
        words = story.run.outcome.words or (exits[-1].programs[0] if exits else "")
        yield Pattern("limit", steps, "The run was ended by a limit", words)
