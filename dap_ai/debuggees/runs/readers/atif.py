"""Reader of ATIF, Harbor's Agent Trajectory Interchange Format (RFC 0001), versions 1.0 to 1.8: one JSON document.

Steps keep the numbers of the file. A sub-agent becomes a separate agent of the run, whether the document contains it or
refers to another file. Calls of sub-agents are numbered after the main agent's calls. Files that continue a trajectory
are read too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.readers.atif_marks import call_text, is_ours, outcome, step_number
from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import exit_code_of, text_of
from dap_ai.debuggees.runs.readers.json_shapes import array, at, number, table, text, usage, whole
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_files import CannotRead, inside
from dap_ai.debuggees.runs.run_model import Agent, Outcome, Ref, Run

NAME = "atif"
_MADE_UP = re.compile(r"Executed \S{1,200} \S{1,200}")
"""Matches the message that Harbor's converter writes for a call without text."""
_FAILED = "[error] tool reported failure"
_MOST_FILES = 200


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is an ATIF trajectory, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind != "document":
        return 0.0, ""
    version = seen.table.get("schema_version")
    if isinstance(version, str) and version.startswith("ATIF"):
        return 1.0, f"schema_version {version}"
    step = table(at(seen.table, "steps", 0))
    return (0.7, "steps with source and message") if {"step_id", "source", "message"} <= step.keys() else (0.0, "")


def read(path: Path) -> Run:
    """Read an ATIF trajectory and the files to which it refers. Raises CannotRead."""
    value, problems = document(path, "")
    linked = _is_linked(value)
    root, name = (path.parent, path.name) if linked else (path, "")
    building = RunBuilder(root, NAME)
    building.problems += [problem if not name else type(problem)(Ref(name), problem.text) for problem in problems]
    trajectory = Trajectory(building, root, ours=is_ours(value))
    trajectory.tell(table(value), name, path.name)
    trajectory.end(table(value), name)
    building.run.artefacts = trajectory.files if linked else ()
    return building.finished(by_time=True, numbered=True)


class Trajectory:
    """Reads the documents of one run, starting with the main agent's document."""

    def __init__(self, building: RunBuilder, root: Path, *, ours: bool = False) -> None:
        self.building = building
        self.ours = ours
        self.root = root
        self.files: list[str] = []
        self.last_step = 0
        self.below: list[tuple[Mapping[str, Any], str, str, str]] = []
        self.linked: list[tuple[str, str, str]] = []
        self.thoughts: dict[str, tuple[str, float | None]] = {}
        """Last reasoning of each agent, with its time.

        Harbor's converter repeats the reasoning at each call of an answer.
        """

    def tell(self, value: Mapping[str, Any], file: str, name: str) -> None:
        """Add the events of the main agent's document, its continuations and its sub-agents.

        `file` is the path relative to the root, and empty if the document is the root. `name` is the file name without
        a folder.
        """
        self.files.append(file)
        self.building.agents[MAIN] = Agent(MAIN, model=text_of(at(value, "agent", "model_name")))
        self.building.run.format_version = self.building.run.format_version or str(value.get("schema_version") or "")
        self._steps(value, file, "", MAIN, own=True)
        self._continue(value, file, name)
        while (self.below or self.linked) and len(self.files) < _MOST_FILES:
            if self.below:
                self._sub_agent(*self.below.pop(0))
            else:
                self._linked(*self.linked.pop(0), name)

    def end(self, value: Mapping[str, Any], file: str) -> None:
        """Set the run's duration, cost, workspace and outcome.

        Also adds a note for each key of the document that was not read.
        """
        run = self.building.run
        times = [event.at_s for event in self.building.events if event.at_s is not None]
        run.seconds = max(times) if times else None
        run.cost_usd = number(at(value, "final_metrics", "total_cost_usd"))
        run.workspace = str(at(value, "agent", "extra", "cwds", 0) or "")
        run.outcome = outcome(value) if self.ours else Outcome()
        self.building.leftovers(value, {"steps", "subagent_trajectories", "schema_version"}, "", file)

    def _continue(self, value: Mapping[str, Any], file: str, name: str) -> None:
        """Read the files that continue the trajectory. Cycles and missing files are reported as problems."""
        seen = {name}
        while isinstance(follow := value.get("continued_trajectory_ref"), str) and len(seen) < _MOST_FILES:
            loaded = self._load(follow, file, name)
            if loaded is None:
                return
            value, file = loaded
            if file in seen or file in self.files:
                self.building.problem(Ref(file), "the trajectory continues in itself")
                return
            seen.add(file)
            self.files.append(file)
            self._steps(value, file, "", MAIN, own=True, offset=self.last_step)

    def _load(self, link: str, file: str, name: str) -> tuple[Mapping[str, Any], str] | None:
        """Return the document that a link refers to and the document's path, or None if it cannot be read.

        Failures are reported as problems. Links are relative to the folder of the linking file.
        """
        prefix = name.removesuffix("trajectory.json") if name.endswith("trajectory.json") else ""
        folder = str(PurePosixPath(file).parent)
        for candidate in dict.fromkeys((link, f"{prefix}{link}")):
            place = candidate if folder == "." else f"{folder}/{candidate}"
            try:
                found, problems = document(inside(self.root, place), place)
            except CannotRead:
                continue
            self.building.problems += problems
            return table(found), place
        self.building.problem(Ref(file), f"refers to {link!r}, which cannot be read here")
        return None

    def _linked(self, link: str, parent: str, file: str, name: str) -> None:
        loaded = self._load(link, file, name)
        if loaded is None or loaded[1] in self.files:
            return
        self.files.append(loaded[1])
        self.below.append((loaded[0], loaded[1], "", parent))

    def _sub_agent(self, value: Mapping[str, Any], file: str, pointer: str, parent: str) -> None:
        wanted = str(value.get("trajectory_id") or at(value, "agent", "name") or "sub-agent")
        name = self.building.new_agent(wanted, parent, text_of(at(value, "agent", "model_name")))
        self._steps(value, file, pointer, name, own=False)
        self.building.leftovers(value, {"steps", "subagent_trajectories", "schema_version"}, pointer, file)

    def _steps(
        self, value: Mapping[str, Any], file: str, pointer: str, agent: str, *, own: bool, offset: int = 0
    ) -> None:
        for position, item in enumerate(array(value.get("steps"))):
            step = table(item)
            ref = Ref(file, pointer=f"{pointer}/steps/{position}")
            given = whole(step.get("step_id"))
            count = offset + (given if given is not None and given > 0 else position + 1)
            if own and step.get("source") == "agent":
                self.last_step = max(self.last_step, count)
            self._step(ref, step, agent, step_number(step) if self.ours else count if own else 0)
        for position, item in enumerate(array(value.get("subagent_trajectories"))):
            if len(self.building.agents) + len(self.below) < _MOST_FILES:
                self.below.append((table(item), file, f"{pointer}/subagent_trajectories/{position}", agent))

    def _step(self, ref: Ref, step: Mapping[str, Any], agent: str, count: int) -> None:
        at_s = self.building.since_start(epoch_s(step.get("timestamp")))
        common = {"agent": agent, "at_s": at_s, "native_id": str(step.get("step_id", ""))}
        source, said = step.get("source"), text(step.get("message"))
        if source != "agent" or (not count and step.get("is_copied_context") is True):
            first = source == "user" and agent == MAIN and not self.building.run.task
            self.building.run.task = said if first else self.building.run.task
            self.building.add("task" if first else "note", ref, text=said, **common)
            self._results(ref, step, common, 0, {}, notes=True)
            return
        calls = array(step.get("tool_calls"))
        made_up = bool(calls) and _MADE_UP.fullmatch(said) is not None
        thought = (text(step.get("reasoning_content")), at_s)
        if not made_up or step.get("metrics") or (thought[0] and thought != self.thoughts.get(agent)):
            self.thoughts[agent] = thought
            self._response(ref, step, common, count, "" if made_up else said)
        tools = {str(at(call, "tool_call_id") or ""): "" for call in calls}
        for position, call in enumerate(calls):
            found = self._call(ref, position, table(call), common, count)
            tools[found[0]] = found[1]
        self._results(ref, step, common, count, tools, notes=not calls)

    def _response(self, ref: Ref, step: Mapping[str, Any], common: Mapping[str, Any], count: int, said: str) -> None:
        metrics = table(step.get("metrics"))
        self.building.add(
            "response",
            ref,
            text=said,
            reasoning=text(step.get("reasoning_content")),
            step=count,
            usage=usage({**metrics}, metrics.get("cost_usd")),
            **common,
        )

    def _call(
        self, ref: Ref, position: int, call: Mapping[str, Any], common: Mapping[str, Any], count: int
    ) -> tuple[str, str]:
        call_id, tool = str(call.get("tool_call_id") or ""), str(call.get("function_name") or "")
        count = step_number(call) if self.ours else count
        if not count:
            self.last_step += 1
        place = Ref(ref.path, pointer=f"{ref.pointer}/tool_calls/{position}")
        step = count or self.last_step
        event = self.building.call(place, tool, call.get("arguments"), call_id=call_id, step=step, more=[ref], **common)
        event.text = call_text(call, event.text)
        return call_id, tool

    def _results(
        self,
        ref: Ref,
        step: Mapping[str, Any],
        common: Mapping[str, Any],
        count: int,
        tools: Mapping[str, str],
        *,
        notes: bool,
    ) -> None:
        """Add the results of a step's observation.

        If a step has no calls, its results become notes, or the errors of a rejected answer.
        """
        for position, item in enumerate(array(at(step, "observation", "results"))):
            place = Ref(ref.path, pointer=f"{ref.pointer}/observation/results/{position}")
            said, call_id = text(at(item, "content")), str(at(item, "source_call_id") or "")
            self._refer(item, ref.path, str(common["agent"]))
            if notes:
                refused = count and not at(item, "subagent_trajectory_ref")
                fields = {"step": count, "status": "error"} if refused else {}
                if said or refused:
                    self.building.add("error" if refused else "note", place, text=said, **fields, **common)
                continue
            code = exit_code_of(said) if tools.get(call_id) == "Bash" else None
            status = "error" if _is_failed(step, said) or code else "unknown"
            fields = {"call_id": call_id, "exit_code": code, "step": count, "status": status}
            self.building.add("result", place, text=said, **fields, **common)

    def _refer(self, item: Any, file: str, agent: str) -> None:
        """Queue a result's links to sub-agents in other files.

        Sub-agents in the same file are read with that file.
        """
        for path in _linked_from(item):
            if len(self.linked) < _MOST_FILES:
                self.linked.append((path, agent, file))


def _is_failed(step: Mapping[str, Any], said: str) -> bool:
    metadata = table(at(step, "extra", "tool_result_metadata"))
    return metadata.get("is_error") is True or said.endswith(_FAILED)


def _is_linked(value: Any) -> bool:
    """Return whether an ATIF document refers to other files."""
    items = (item for step in array(at(value, "steps")) for item in array(at(step, "observation", "results")))
    return bool(text_of(at(value, "continued_trajectory_ref"))) or any(map(_linked_from, items))


def _linked_from(item: Any) -> list[str]:
    """Return the paths of the sub-agent files that a result refers to."""
    links = at(item, "subagent_trajectory_ref")
    return [path for link in array(links) or [links] if (path := text_of(at(link, "trajectory_path")))]


reader = Reader(NAME, "an ATIF trajectory (trajectory.json)", sniff, read)
