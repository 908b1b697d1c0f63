"""Data breakpoints of a run: on a file of the workspace, the system prompt, or the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from dap_ai.debuggees.runs.adapter.plans import is_plan, items_of
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts, system_prompt
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import Test
from dap_ai.debuggees.runs.run_model import Event

SYSTEM, PLAN, FILE, ITEM = "system", "plan", "file:", "plan:"
_SAMPLES = 5


def info(name: str, facts: RunFacts) -> Mapping[str, Any]:
    """Return the body of the response to `dataBreakpointInfo`: the data id, or why there is no data id."""
    bare = name.strip().removeprefix(FILE)
    if bare.lower() in (SYSTEM, "system prompt", "system_prompt"):
        return _watch(SYSTEM, "the system prompt changes", ["write"])
    if bare.lower() == PLAN:
        return _watch(PLAN, "the agent's plan changes", ["write"])
    if bare.lower().startswith(ITEM):
        return _item(bare[len(ITEM) :].strip(), facts)
    known = files_of(facts)
    if bare and (facts.known or any(same_file(bare, path) for path in known)):  # the unread part may touch more files
        return _watch(f"{FILE}{bare}", bare, ["write", "read", "readWrite"])
    some = f", such as {', '.join(known[:_SAMPLES])}" if known else ""
    return {
        "dataId": None,
        "description": f"watched are files that the run reads or writes{some}, `system`, `plan` and `plan:ITEM`",
    }


def test_of(data_id: str, access: str) -> Test | None:
    """Return the test for a data id: whether a step reads or changes the watched item. None for an unknown id."""
    if data_id == SYSTEM:
        return _changes_system
    if data_id == PLAN:
        return lambda event, facts: bool(_changed(event, facts))
    if data_id.startswith(ITEM):
        item = data_id.removeprefix(ITEM)
        return lambda event, facts: any(fnmatchcase(each, item) or each == item for each in _changed(event, facts))
    path = data_id.removeprefix(FILE)
    if path == data_id or not path:
        return None
    return lambda event, facts: facts.ends_step(event) and _touches(event, facts, path, access)


def files_of(facts: RunFacts) -> Sequence[str]:
    """Return the files that the run writes, then the files that it only reads."""
    effects = facts.effects.values()
    written = dict.fromkeys(write.path for effect in effects for write in effect.writes)
    return list(written | dict.fromkeys(path for effect in effects for path in effect.reads))


def same_file(wanted: str, path: str) -> bool:
    """Return whether `path` matches `wanted`: exactly, by its last parts, or by a pattern."""
    return path == wanted or path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}") or fnmatchcase(path, wanted)


def _watch(data_id: str, description: str, access: Sequence[str]) -> Mapping[str, Any]:
    return {"dataId": data_id, "description": description, "accessTypes": access, "canPersist": True}


def _touches(event: Event, facts: RunFacts, path: str, access: str) -> bool:
    effect = facts.effects.get(event.step)
    if effect is None:
        return False
    paths = [write.path for write in effect.writes] if access in ("write", "readWrite", "") else []
    paths += effect.reads if access in ("read", "readWrite") else []
    return any(same_file(path, each) for each in paths)


def _item(wanted: str, facts: RunFacts) -> Mapping[str, Any]:
    """Describe one item of the plan (to-do list), given by its text or a pattern."""
    written = (facts.run.events[index] for indices in facts.plans.values() for index in indices)
    known = dict.fromkeys(item for event in written for item in items_of(event))
    if any(each == wanted or fnmatchcase(each, wanted) for each in known):
        return _watch(f"{ITEM}{wanted}", f"{wanted}: its state in the plan changes", ["write"])
    some = f": it has {', '.join(list(known)[:_SAMPLES])}" if known else ""
    return {"dataId": None, "description": f"the plan has no such item{some}"}


def _changed(event: Event, facts: RunFacts) -> Sequence[str]:
    """Return the plan items that an event adds, removes or moves to another state."""
    if not is_plan(event):
        return ()
    before, after = facts.plan_at(event.agent, event.index - 1), items_of(event)
    return [each for each in {**before, **after} if before.get(each) != after.get(each)]


def _changes_system(event: Event, facts: RunFacts) -> bool:
    """Return whether a query's system prompt differs from the previous system prompt; False for the first prompt."""
    said = system_prompt(event)
    if not said:
        return False
    past = (facts.run.events[index] for index in reversed(facts.of_agent[event.agent]) if index < event.index)
    before = next((text for each in past if (text := system_prompt(each))), "")
    return bool(before) and before != said
