"""Reader of OpenHands runs before its SDK (V0, and OpenDevin): actions and observations, in four layouts.

The layouts are an array of events (a saved trajectory), a line of an evaluation's output.jsonl, a session's folder
`events`, and the resolver's output of 2024, whose events have no id. Each action of the agent is a step. Messages of
the user and the system and recalls are no steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Glance, Reader, glance
from dap_ai.debuggees.runs.readers.json_shapes import (
    arguments,
    array,
    at,
    command,
    first_whole,
    number,
    status_of,
    table,
    text,
    usage,
    words,
)
from dap_ai.debuggees.runs.readers.openhands_files import below, count_event_files, events_at, rows
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Agent, EventKind, Outcome, Ref, Run, Status

NAME = "openhands"
_NO_STEPS = frozenset(
    {"system", "recall", "change_agent_state", "null", "condensation", "condensation_request", "pause"}
)
_SHELLS = frozenset({"run", "run_ipython"})
_TALK = frozenset({"message"})
_ERRORS = frozenset({"error", "user_rejected"})
_BESIDE = frozenset({"recall", "agent_state_changed", "null", "condense", "loop_detection"})


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is an OpenHands V0 run, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind == "folder":
        return _sniff_folder(path, seen)
    if seen.kind not in ("document", "lines"):
        return 0.0, ""
    if array(seen.value):
        return (0.95, "an array of actions and observations") if _is_event(at(seen.value, 0)) else (0.0, "")
    history = at(seen.table, "history") or at(seen.table, "trajectory")
    first = at(history, 0, 0) if isinstance(at(history, 0), list) else at(history, 0)
    if _is_event(first):
        return 0.95, "a history of actions and observations"
    return (0.7, "metadata of an OpenHands evaluation") if at(seen.table, "metadata", "agent_class") else (0.0, "")


def read(path: Path, number: int | None = None) -> Run:
    """Read an OpenHands V0 run. `number` is the run's line in an output.jsonl; None reads the first."""
    building = RunBuilder(path, NAME, "V0")
    story = _Story(building)
    around, place, events = events_at(building, path, number)
    for ref, event in events:
        story.take(ref, event)
    story.end(around, place)
    return building.finished()


def _sniff_folder(path: Path, seen: Glance) -> tuple[float, str]:
    if "events/" not in seen.names and not any(name.partition(".")[0].isdecimal() for name in seen.names):
        return 0.0, ""
    count = count_event_files(path, _is_event)
    return (0.95, f"{count} files of events") if count else (0.0, "")


def _is_event(value: Any) -> bool:
    event = table(value)
    return (isinstance(event.get("action"), str) and "role" not in event and "response" not in event) or (
        isinstance(event.get("observation"), str) and ("content" in event or "extras" in event)
    )


class _Story:
    """Converts actions and observations to events, in order.

    A delegate is a separate agent, from the action that delegates to the delegate's result.
    """

    def __init__(self, building: RunBuilder) -> None:
        self.building = building
        self.now: float | None = None
        self.agents = [MAIN]
        self.replies: set[str] = set()
        self.calls: dict[str, str] = {}
        self.finish: tuple[Ref, Mapping[str, Any]] | None = None

    def take(self, ref: Ref, event: Mapping[str, Any]) -> None:
        moment = self.building.since_start(epoch_s(event.get("timestamp")))
        self.now = self.now if moment is None else moment
        cost = number(at(event, "llm_metrics", "accumulated_cost"))
        self.building.run.cost_usd = cost if cost is not None else self.building.run.cost_usd
        if isinstance(event.get("observation"), str):
            self._observation(ref, event, str(event["observation"]))
        elif isinstance(event.get("action"), str):
            self._action(ref, event, str(event["action"]))
        else:
            self.building.problem(ref, "is neither an action nor an observation")

    def end(self, around: Mapping[str, Any], place: Ref) -> None:
        run, building = self.building.run, self.building
        run.seconds = self.now
        cost = number(at(around, "metrics", "accumulated_cost"))
        run.cost_usd = cost if cost is not None else run.cost_usd
        model = building.agents[MAIN].model or str(at(around, "metadata", "llm_config", "model") or "")
        building.agents[MAIN] = Agent(MAIN, model=model)
        run.task = run.task or text(around.get("instruction"))
        building.leftovers(around, {"history", "trajectory"}, place.pointer, place.path, place.lines)
        outcome = _outcome(around, place, self.finish)
        if outcome.ref:
            building.ended(outcome)

    def _add(self, kind: EventKind, ref: Ref, text: str, **fields: Any) -> None:
        self.building.add(kind, ref, text=text, agent=self.agents[-1], at_s=self.now, **fields)

    def _action(self, ref: Ref, event: Mapping[str, Any], action: str) -> None:
        arguments_ = table(event.get("args")) or event
        said = text(arguments_.get("content")) or text(event.get("message"))
        by_agent = event.get("source") == "agent" or ("source" not in event and self.building.run.task != "")
        if action in _TALK and not by_agent:
            self._asked(ref, said)
        elif action in _NO_STEPS or not by_agent:
            self._add("note", ref, said)
        elif action in _TALK:
            self._reply(ref, event, said)
        else:
            self._reply(ref, event, text(arguments_.get("thought")) or text(event.get("thought")))
            self._call(ref, event, action, arguments_)

    def _asked(self, ref: Ref, said: str) -> None:
        first = not self.building.run.task
        self.building.run.task = self.building.run.task or said
        self._add("task" if first else "note", ref, said)

    def _reply(self, ref: Ref, event: Mapping[str, Any], said: str) -> None:
        """Add the model's answer to the run, unless an earlier action of the same answer already added it."""
        response = table(at(event, "tool_call_metadata", "model_response"))
        native = str(response.get("id") or "")
        if native and native in self.replies:
            return
        self.replies.add(native)
        message = table(at(response, "choices", 0, "message"))
        model = response.get("model")
        agent = self.agents[-1]
        if isinstance(model, str) and not self.building.agents[agent].model:
            self.building.agents[agent] = Agent(agent, self.building.agents[agent].parent, model)
        self._add(
            "response",
            below(ref, "/tool_call_metadata/model_response") if response else ref,
            text(message.get("content")) if response else said,
            reasoning=text(message.get("reasoning_content")),
            usage=usage(response.get("usage")),
            native_id=native,
            more=[ref] if response else (),
        )

    def _call(self, ref: Ref, event: Mapping[str, Any], action: str, given: Mapping[str, Any]) -> None:
        metadata = table(event.get("tool_call_metadata"))
        call_id = str(metadata.get("tool_call_id") or "")
        native = str(event.get("id", ""))
        tool_calls = array(at(metadata, "model_response", "choices", 0, "message", "tool_calls"))
        asked = next((at(call, "function") for call in tool_calls if at(call, "id") == call_id), None)
        found, readable = arguments(at(asked, "arguments"))
        if found is None:
            found = {key: value for key, value in given.items() if key not in ("thought", "action")}
        call_id = call_id or (f"event-{native}" if native else "")
        self._add(
            "call",
            ref,
            command(given) if action in _SHELLS else "",
            tool=str(metadata.get("function_name") or action),
            arguments=found,
            call_id=call_id,
            native_id=native,
            status="unknown" if readable else "error",
        )
        if native:
            self.calls[native] = call_id
        if action == "finish":
            self.finish = ref, given
        if action == "delegate":
            self._delegate(given)

    def _delegate(self, given: Mapping[str, Any]) -> None:
        self.agents.append(self.building.new_agent(str(given.get("agent") or "delegate"), self.agents[-1]))

    def _observation(self, ref: Ref, event: Mapping[str, Any], kind: str) -> None:
        if kind == "delegate" and len(self.agents) > 1:
            self.agents.pop()
        said = text(event.get("content")) or text(event.get("message"))
        extras = table(event.get("extras"))
        call_id = str(at(event, "tool_call_metadata", "tool_call_id") or self.calls.get(str(event.get("cause")), ""))
        exit_code = first_whole(at(extras, "metadata", "exit_code"), extras.get("exit_code"), event.get("exit_code"))
        if kind in _BESIDE or (event.get("cause") is not None and not call_id):
            failed = extras.get("agent_state") == "error"
            said = said or words(extras.get("reason"))
            self.building.add("error" if failed else "note", ref, text=said, at_s=self.now)
            return
        self._add(
            "result" if call_id or "id" not in event or kind not in _ERRORS else "error",
            ref,
            said,
            call_id=call_id,
            exit_code=exit_code,
            status=_status(kind, event, exit_code),
            native_id=str(event.get("id", "")),
        )


def _status(kind: str, event: Mapping[str, Any], exit_code: int | None) -> Status:
    if kind in _ERRORS or event.get("success") is False:
        return "error"
    if exit_code is not None and exit_code < 0:  # the command's end was not seen
        return "unknown"
    return status_of(exit_code, "ok" if event.get("success") is True else "unknown")


def _outcome(around: Mapping[str, Any], place: Ref, finish: tuple[Ref, Mapping[str, Any]] | None) -> Outcome:
    """Return the outcome from a test report, the resolver's verdict or an error.

    A run with only a `finish` action has an unknown outcome, because the agent's own claim is not a verdict.
    """
    resolved = at(around, "test_result", "report", "resolved")
    if isinstance(resolved, bool):
        words_ = f"report: resolved {words(resolved)}"
        return Outcome("solved" if resolved else "failed", words_, below(place, "/test_result/report/resolved"))
    if isinstance(success := around.get("success"), bool):
        words_ = f"success {words(success)}, by the resolver's model"
        return Outcome("solved" if success else "failed", words_, below(place, "/success"))
    if around.get("error"):
        said = words(around["error"])
        verdict = "limit" if "maximum iteration" in said or "maximum budget" in said else "error"
        return Outcome(verdict, f"error {said[:200]}", below(place, "/error"))
    if finish:
        completed = finish[1].get("task_completed")
        words_ = f"finish, task_completed {completed}" if completed is not None else "finish"
        return Outcome("unknown", words_, finish[0])
    return Outcome()


reader = Reader(
    NAME, "events of OpenHands (a trajectory, a line of output.jsonl, a folder of events)", sniff, read, rows, read
)
