"""Export to ATIF, the Agent Trajectory Interchange Format (Harbor's RFC 0001), version 1.7.

An agent's turn becomes one ATIF step with message, calls and results. Other events become separate steps of the user
(the task) or the system. A sub-agent becomes a trajectory inside the file, referenced by the call during which the
sub-agent started. A late result is stored with its call.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dap_ai.debuggees.runs.export.encoding import (
    arguments_of,
    encoded,
    moment,
    name_of,
    start_of,
    total_usage,
    without_nothing,
)
from dap_ai.debuggees.runs.readers.atif_marks import MARK
from dap_ai.debuggees.runs.readers.json_shapes import command
from dap_ai.debuggees.runs.run_model import Agent, Event, Run, TokenUsage

VERSION = "ATIF-v1.7"
_UNKNOWN = "unknown"


def exported(run: Run) -> dict[str, bytes]:
    """Export the run as ATIF. Returns the contents of each file by name (`trajectory.json`)."""
    return {"trajectory.json": encoded(trajectory(run))}


def trajectory(run: Run) -> dict[str, Any]:
    """Return the run as an ATIF document.

    Each trajectory numbers its steps from 1, as the format requires.
    """
    agents = _agents(run)
    parents = _parents(agents)
    builders = {agent.name: _Builder(run, agent) for agent in agents}
    if run.task and not any(event.kind == "task" for event in run.events):
        builders[agents[0].name].add_task()
    for event in run.events:
        builder = builders[event.agent]
        if not builder.steps and (parent := parents.get(event.agent)):
            builders[parent].refer_to(event.agent)
        builder.add(event)
    main = agents[0].name
    builders[main].add_something()
    document = builders[main].document(total_usage(run.events), run.cost_usd)
    documents: dict[str, dict[str, Any]] = {main: document} | {
        name: builder.document(total_usage(builder.events), None) | {"trajectory_id": name}
        for name, builder in builders.items()
        if name != main and builder.steps
    }
    for name, parent in parents.items():
        if name in documents:
            documents[parent].setdefault("subagent_trajectories", []).append(documents[name])
    return document


def _agents(run: Run) -> list[Agent]:
    """Return the run's agents, the main agent first. Agents that only events mention are included."""
    agents = list(run.agents) or [Agent("main")]
    known = {agent.name for agent in agents}
    return agents + [Agent(name) for name in dict.fromkeys(event.agent for event in run.events) if name not in known]


def _parents(agents: Sequence[Agent]) -> dict[str, str]:
    """Return the parent of each sub-agent. Without a parent among the earlier agents, it is the main agent."""
    main = agents[0].name
    parents: dict[str, str] = {}
    for agent in agents[1:]:
        is_above = agent.parent in parents or agent.parent == main
        parents[agent.name] = agent.parent if is_above else main
    return parents


class _Builder:
    """Builds the ATIF trajectory of one agent, event by event."""

    def __init__(self, run: Run, agent: Agent) -> None:
        self.agent = agent
        self.steps: list[dict[str, Any]] = []
        self.events: list[Event] = []
        self._run = run
        self._start: datetime | None = start_of(run)
        self._turn: dict[str, Any] | None = None
        """Current step of the agent, to which calls are added."""
        self._calls: dict[int, tuple[dict[str, Any], str]] = {}
        """ATIF step and call id of each call, by the run's step number."""
        self._open: tuple[dict[str, Any], str] | None = None
        self._refs: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {}
        """References to sub-agents by the id of the open call. Moved to the call's result when it is added."""
        self._called = {event.step for event in run.events if event.kind == "call"}
        self._query = ""
        self._ids: set[str] = set()

    def add(self, event: Event) -> None:
        """Add the agent's next event to the trajectory."""
        self.events.append(event)
        if event.kind == "query":
            self._query = event.text
        elif event.kind == "response":
            self._turn = self._respond(event)
        elif event.kind == "call":
            self._call(event)
        elif event.kind == "result":
            self._result(event)
        else:
            self._turn = None
            self._say("user" if event.kind == "task" else "system", event)

    def add_task(self) -> None:
        """Add the run's task as a step. Needed for a run without a task event."""
        self._append({"source": "user", "message": self._run.task})

    def add_something(self) -> None:
        """Add an empty step to a trajectory without steps, because the format requires a step."""
        if not self.steps:
            self._append({"source": "system", "message": ""})

    def refer_to(self, name: str) -> None:
        """Add a reference to the sub-agent `name`, which starts now.

        The current call gets the reference; without an open call, a new system step does.
        """
        ref = {"trajectory_id": name}
        if self._open is None:
            results = [{"subagent_trajectory_ref": [ref]}]
            self._append({"source": "system", "message": "", "observation": {"results": results}})
            self._turn = None
            return
        step, call_id = self._open
        self._refs.setdefault(call_id, (step, []))[1].append(ref)

    def document(self, usage: TokenUsage, cost_usd: float | None) -> dict[str, Any]:
        """Return the trajectory as a JSON object.

        A call without a result also gets its references to sub-agents.
        """
        for call_id, (step, refs) in self._refs.items():
            _results(step).append({"source_call_id": call_id, "subagent_trajectory_ref": refs})
        self._refs.clear()
        agent = {"name": self._run.format or _UNKNOWN, "version": self._run.format_version or _UNKNOWN}
        return without_nothing(
            {
                "schema_version": VERSION,
                "session_id": name_of(self._run),
                "agent": agent | without_nothing({"model_name": self.agent.model}),
                "steps": self.steps,
                "final_metrics": self._metrics(usage, cost_usd),
                "extra": self._extra(),
            }
        )

    def _append(self, step: dict[str, Any], event: Event | None = None) -> dict[str, Any]:
        numbered = {"step_id": len(self.steps) + 1, **step}
        if event is not None and (at := moment(self._start, event)) is not None:
            numbered["timestamp"] = at.isoformat()
        self.steps.append(numbered)
        return numbered

    def _say(self, source: str, event: Event) -> None:
        extra = without_nothing({"kind": "" if event.kind in {"task", "note"} else event.kind})
        self._append(without_nothing({"source": source, "extra": extra}) | {"message": event.text}, event)

    def _respond(self, event: Event) -> dict[str, Any]:
        usage = event.usage or TokenUsage()
        metrics = {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "cost_usd": usage.cost_usd,
        }
        mark = {"step": event.step} if event.step and event.step not in self._called else {}
        extra = {"query": self._query, "native_id": event.native_id, "took_s": event.took_s, MARK: mark}
        self._query = ""
        said = {
            "reasoning_content": event.reasoning,
            "metrics": without_nothing(metrics),
            "extra": without_nothing(extra),
        }
        return self._append({"source": "agent", "message": event.text, **without_nothing(said)}, event)

    def _call(self, event: Event) -> None:
        if self._turn is None:
            self._turn = self._append({"source": "agent", "message": ""}, event)
        call_id = self._unique(event)
        arguments = arguments_of(event)
        call = {"tool_call_id": call_id, "function_name": event.tool or _UNKNOWN, "arguments": arguments}
        mark: dict[str, Any] = {"step": event.step} if event.step else {}
        if event.text != command(arguments):
            mark["text"] = event.text
        extra = without_nothing({MARK: mark, "native_id": event.native_id})
        self._turn.setdefault("tool_calls", []).append(call | ({"extra": extra} if extra else {}))
        self._open = self._calls[event.step] = (self._turn, call_id)

    def _unique(self, event: Event) -> str:
        call_id = event.call_id
        if not call_id or call_id in self._ids:
            call_id = f"{call_id or 'call'}_{event.index}"
        self._ids.add(call_id)
        return call_id

    def _result(self, event: Event) -> None:
        """Add a result to the step of its call, else to the agent's current turn, else to a new system step."""
        extra = {"exit_code": event.exit_code, "took_s": event.took_s, "native_id": event.native_id}
        extra["status"] = "" if event.status == "unknown" else event.status
        result: dict[str, Any] = {"content": event.text} | ({"extra": said} if (said := without_nothing(extra)) else {})
        step, call_id = self._calls.get(event.step, (self._turn, ""))
        if step is None:
            step = self._append({"source": "system", "message": ""}, event)
        if call_id:
            result = {"source_call_id": call_id, **result}
        if call_id in self._refs:
            result["subagent_trajectory_ref"] = self._refs.pop(call_id)[1]
        if self._open == (step, call_id):
            self._open = None
        _results(step).append(result)

    def _metrics(self, usage: TokenUsage, cost_usd: float | None) -> dict[str, Any]:
        return without_nothing(
            {
                "total_prompt_tokens": usage.input_tokens,
                "total_completion_tokens": usage.output_tokens,
                "total_cached_tokens": usage.cached_tokens,
                "total_cost_usd": cost_usd if cost_usd is not None else usage.cost_usd,
                "total_steps": len(self.steps),
            }
        )

    def _extra(self) -> dict[str, Any]:
        """Return the run's data for which ATIF has no field."""
        run = self._run
        outcome = {"verdict": run.outcome.verdict, "words": run.outcome.words}
        fields = {"task": run.task, "seconds": run.seconds, "workspace": run.workspace, "started": run.started}
        problems = [problem.text for problem in run.problems]
        return {MARK: without_nothing({**fields, "outcome": without_nothing(outcome), "problems": problems})}


def _results(step: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the list of a step's results. Creates the list if the step has none."""
    return step.setdefault("observation", {"results": []})["results"]
