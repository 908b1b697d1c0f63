"""Reader of OpenHands SDK conversations (V1): a folder with `base_state.json` and event files, or an array of events.

Each tool call of the agent (including `finish`) and each message of the agent is a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import text_of
from dap_ai.debuggees.runs.readers.json_shapes import (
    arguments,
    array,
    at,
    command,
    first_whole,
    number,
    table,
    text,
    thinking,
    total,
    usage,
    words,
)
from dap_ai.debuggees.runs.readers.openhands_files import Place, below, count_event_files, events_at, rows
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Agent, Outcome, Ref, Run

NAME = "openhands-sdk"
_STATE = "base_state.json"
_KINDS = frozenset(
    f"{kind}Event"
    for kind in ("SystemPrompt", "Message", "Action", "Observation", "AgentError", "ConversationStateUpdate")
)
_SHELLS = frozenset({"terminal", "bash", "execute_bash"})


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is an OpenHands SDK run, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind == "folder":
        if (
            _STATE not in seen.names
            and "events/" not in seen.names
            and not any(n.startswith("event-") for n in seen.names)
        ):
            return 0.0, ""
        if count := count_event_files(path, _is_event):
            return 1.0, f"{count} files of events of the SDK"
        return (0.6, _STATE) if _STATE in seen.names else (0.0, "")
    if seen.kind not in ("document", "lines"):
        return 0.0, ""
    history = array(seen.value) or array(at(seen.table, "history")) or array(seen.rows)
    return (1.0, "events of the SDK, by their kind") if _is_event(at(history, 0)) else (0.0, "")


def read(path: Path, number: int | None = None) -> Run:
    """Read an OpenHands SDK conversation. `number` is its line in an output.jsonl, 1-based; None reads the first."""
    building = RunBuilder(path, NAME, "V1")
    story = _Story(building)
    around, place, events = events_at(building, path, number)
    if path.is_dir():
        around, place = _state(building, path), Ref(_STATE)
    for ref, event in _unbranched(building, events):
        story.take(ref, event)
    if path.is_dir() and around:
        building.run.artefacts = [*building.run.artefacts, _STATE]
    story.end(around, place)
    return building.finished()


def _is_event(value: Any) -> bool:
    return table(value).get("kind") in _KINDS and "source" in table(value)


def _state(building: RunBuilder, path: Path) -> Mapping[str, Any]:
    if not (path / _STATE).is_file() or (path / _STATE).is_symlink():
        return {}
    try:
        return table(building.document(path / _STATE, _STATE))
    except CannotRead as error:
        building.problem(Ref(_STATE), str(error))
        return {}


def _unbranched(building: RunBuilder, events: Iterator[Place]) -> Iterator[Place]:
    """Yields all events, and reports repeated event ids as problems."""
    seen: set[str] = set()
    for ref, event in events:
        native = event.get("id")
        if isinstance(native, str):
            if native in seen:
                building.problem(ref, f"the id of an event is not unique: {native!r}")
            seen.add(native)
        yield ref, event


class _Story:
    """Converts the SDK's events to events of the run, in order."""

    def __init__(self, building: RunBuilder) -> None:
        self.building = building
        self.now: float | None = None
        self.replies: set[str] = set()
        self.calls: set[str] = set()
        self.finish: Ref | None = None

    def take(self, ref: Ref, event: Mapping[str, Any]) -> None:
        moment = self.building.since_start(epoch_s(event.get("timestamp")))
        self.now = self.now if moment is None else moment
        kind = str(event.get("kind") or "")
        if kind == "ActionEvent":
            self._action(ref, event)
        elif kind == "MessageEvent":
            self._message(ref, event)
        elif kind == "ObservationEvent":
            self._observation(ref, event)
        elif kind in ("AgentErrorEvent", "UserRejectObservation"):
            self._refused(ref, event)
        elif kind == "ConversationErrorEvent":
            self._add("error", ref, event, text=text(event.get("detail")), status="error")
        elif kind == "ACPToolCallEvent":
            self._foreign_call(ref, event)
        elif kind:
            said = text(at(event, "system_prompt", "text")) or text(event.get("summary"))
            self._add("note", ref, event, text=said)
        else:
            self.building.problem(ref, "is no event of a kind")

    def end(self, state: Mapping[str, Any], place: Ref) -> None:
        run, building = self.building.run, self.building
        run.seconds = self.now
        building.agents[MAIN] = Agent(MAIN, model=text_of(at(state, "agent", "llm", "model")))
        run.workspace = str(at(state, "workspace", "working_dir") or "")
        metrics = table(at(state, "stats", "usage_to_metrics"))
        run.cost_usd = total(number(at(one, "accumulated_cost")) for one in metrics.values())
        building.leftovers(state, {"history", "trajectory"}, place.pointer, place.path, place.lines)
        outcome = _outcome(state, place, self.finish)
        if outcome.ref:
            building.ended(outcome)

    def _add(self, kind: Any, ref: Ref, event: Mapping[str, Any], **fields: Any) -> None:
        self.building.add(kind, ref, at_s=self.now, native_id=str(event.get("id") or ""), **fields)

    def _reply(self, ref: Ref, event: Mapping[str, Any], said: str, thought: Mapping[str, Any]) -> None:
        """Add the model's answer to the run, unless an earlier call of the same answer already added it."""
        native = str(event.get("llm_response_id") or "")
        if native and native in self.replies:
            return
        self.replies.add(native)
        reasoning = text(thought.get("reasoning_content")) or thinking(thought)
        self._add("response", ref, event, text=said, reasoning=reasoning, usage=usage(event.get("usage")))

    def _message(self, ref: Ref, event: Mapping[str, Any]) -> None:
        message = table(event.get("llm_message"))
        said = text(message.get("content"))
        if event.get("source") == "agent":
            self._reply(ref, event, said, message)
            return
        first = event.get("source") == "user" and not self.building.run.task
        self.building.run.task = self.building.run.task or (said if first else "")
        self._add("task" if first else "note", ref, event, text=said)

    def _action(self, ref: Ref, event: Mapping[str, Any]) -> None:
        self._reply(ref, event, text(event.get("thought")), event)
        call = table(event.get("tool_call"))
        asked, readable = arguments(call.get("arguments"))
        action = {key: value for key, value in table(event.get("action")).items() if key != "kind"}
        found = asked if asked is not None else action or None
        tool = str(event.get("tool_name") or call.get("name") or "")
        self.calls.add(str(event.get("tool_call_id") or ""))
        self._add(
            "call",
            ref,
            event,
            text=command(found) if tool in _SHELLS else "" if readable else text(call.get("arguments")),
            tool=tool,
            arguments=found,
            call_id=str(event.get("tool_call_id") or ""),
            status="unknown" if readable and event.get("action") is not None else "error",
        )
        if tool == "finish":
            self.finish = ref

    def _observation(self, ref: Ref, event: Mapping[str, Any]) -> None:
        seen = table(event.get("observation"))
        code = first_whole(seen.get("exit_code"), at(seen, "metadata", "exit_code"))
        failed = seen.get("is_error") is True or (code is not None and code > 0)
        self._add(
            "result",
            ref,
            event,
            text=text(seen.get("content")) or text(seen.get("output")),
            call_id=str(event.get("tool_call_id") or ""),
            tool=str(event.get("tool_name") or ""),
            exit_code=code,
            status="error" if failed else "ok" if code == 0 or seen.get("is_error") is False else "unknown",
        )

    def _refused(self, ref: Ref, event: Mapping[str, Any]) -> None:
        said = text(event.get("error")) or text(event.get("rejection_reason"))
        call_id = str(event.get("tool_call_id") or "")
        self._add(
            "result" if call_id in self.calls else "error", ref, event, text=said, call_id=call_id, status="error"
        )

    def _foreign_call(self, ref: Ref, event: Mapping[str, Any]) -> None:
        """Add the call and result of a tool call by an external agent (Agent Client Protocol).

        The SDK records both as one event.
        """
        call_id, found = str(event.get("tool_call_id") or ""), event.get("raw_input")
        given = table(found) or None
        name = str(event.get("tool_kind") or event.get("title") or "")
        self._add("call", ref, event, text=command(given), tool=name, arguments=given, call_id=call_id)
        status = "error" if event.get("is_error") is True else "unknown"
        self._add("result", ref, event, text=words(event.get("raw_output")), call_id=call_id, status=status)


def _outcome(state: Mapping[str, Any], place: Ref, finish: Ref | None) -> Outcome:
    """Return the outcome for the conversation's status.

    "finished" gives an unknown outcome, because it is not a verdict.
    """
    status = state.get("execution_status") or state.get("agent_status")
    if isinstance(status, str):
        key = "/execution_status" if state.get("execution_status") else "/agent_status"
        verdict = {"error": "error", "stuck": "limit"}.get(status, "unknown")
        return Outcome(verdict, f"execution_status {status}", below(place, key))  # type: ignore[arg-type]
    return Outcome("unknown", "finish", finish) if finish else Outcome()


reader = Reader(NAME, "a conversation of OpenHands' SDK (base_state.json and events/)", sniff, read, rows, read)
