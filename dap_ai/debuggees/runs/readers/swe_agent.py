"""Reader of SWE-agent trajectories (`.traj`): a JSON file with `trajectory` (steps), `history` (messages) and `info`.

Versions 0.x record commands as text. Versions 1.x also record tool calls and the full prompt of each step.
Demonstrations have only the history. Each entry of `trajectory` is a step. Without a trajectory, each answer in the
history is a step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.json_shapes import array, at, decoded, number, table, text, thinking, words
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.run_model import Agent, Event, Outcome, Ref, Run

NAME = "swe-agent"
_ENTRY = frozenset({"action", "observation", "response"})
_LIMITS = ("cost", "context", "time", "format", "max", "limit")
_FAULTS = ("error", "api", "environment", "timeout", "early_exit")


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is a SWE-agent trajectory, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind != "document":
        return 0.0, ""
    entry = table(at(seen.table, "trajectory", 0))
    if entry.keys() >= _ENTRY:
        return 1.0, "its trajectory has entries with action, observation and response"
    message = table(at(seen.table, "history", 0))
    if {"role", "content", "agent"} <= message.keys() or (message and path.suffix == ".traj"):
        return 0.95, "a history of messages of agents"
    if "attempts" in seen.table and path.suffix == ".traj":
        return 0.8, "attempts in a .traj file"
    return (0.3, "a .traj file") if path.suffix == ".traj" else (0.0, "")


def read(path: Path) -> Run:
    """Read a SWE-agent trajectory. Raises CannotRead."""
    building = RunBuilder(path, NAME)
    top = table(building.document(path))
    story = _Trajectory(building, top)
    place = ""
    if not top.get("trajectory") and not top.get("history") and top.get("attempts"):
        place = f"/attempts/{len(array(top['attempts'])) - 1}"
        building.problem(Ref(), f"holds {len(array(top['attempts']))} attempts and no choice: the last is shown")
        top = table(array(top["attempts"])[-1])
    story.tell(top, place)
    building.leftovers(top, {"trajectory", "history", "info"}, place)
    return building.finished(numbered=True)


class _Trajectory:
    """Converts the trajectory's entries to events. Messages of the history that repeat an entry are merged with it."""

    def __init__(self, building: RunBuilder, top: Mapping[str, Any]) -> None:
        self.building = building
        config = top.get("replay_config")
        self.config = table(_loaded(config) if isinstance(config, str) else config)
        self.history: deque[tuple[int, Mapping[str, Any]]] = deque()

    def tell(self, top: Mapping[str, Any], place: str) -> None:
        entries = array(top.get("trajectory"))
        self.building.run.format_version = _version(entries, array(top.get("history")))
        self.place = place
        self.history = deque(enumerate(map(table, array(top.get("history")))))
        self._prompt(alone=not entries)
        for index, entry in enumerate(entries):
            self._entry(index, table(entry))
        if not entries:
            self._replies()
        self._rest()
        self._end(table(top.get("info")))

    def _prompt(self, *, alone: bool) -> None:
        """Add the messages before the first answer: system prompt, demonstrations and task."""
        while self.history and self.history[0][1].get("role") != "assistant":
            index, message = self.history.popleft()
            ref = Ref(pointer=f"{self.place}/history/{index}")
            is_task = message.get("role") == "user" and not message.get("is_demo") and not self.building.run.task
            said = text(message.get("content"))
            self.building.add("task" if is_task else "note", ref, text=said)
            if is_task:
                self.building.run.task = said
        if not self.building.run.task and not alone:
            self.building.run.task = text(at(self.config, "problem_statement", "text"))

    def _entry(self, index: int, entry: Mapping[str, Any]) -> None:
        ref, step = Ref(pointer=f"{self.place}/trajectory/{index}"), index + 1
        asked = next((key for key in ("query", "messages") if array(entry.get(key))), "")
        if asked:
            self.building.add("query", Ref(pointer=f"{ref.pointer}/{asked}"))
        said = text(entry.get("response"))
        thought = text(entry.get("thought"))
        response = self.building.add("response", ref, text=said or thought, step=step)
        message = self._history_reply(response)
        response.reasoning = thinking(entry) or thinking(message)
        self._call(index, entry, message, step)
        if isinstance(state := entry.get("state"), (str, dict)) and not self.building.run.workspace:
            self.building.run.workspace = str(at(_loaded(state), "working_dir") or "")

    def _call(self, index: int, entry: Mapping[str, Any], message: Mapping[str, Any], step: int) -> None:
        pointer = f"{self.place}/trajectory/{index}"
        action, observation = text(entry.get("action")), text(entry.get("observation"))
        function = table(at(message, "tool_calls", 0, "function"))
        if not action.strip() and not function:
            self.building.add(
                "error", _place(pointer, entry, "observation"), text=observation, step=step, status="error"
            )
            return
        call = self.building.call(
            _place(pointer, entry, "action"),
            str(function.get("name") or "bash"),
            function.get("arguments") if function else {"command": action},
            text=action,
            call_id=str(at(message, "tool_calls", 0, "id") or f"step-{step}"),
            step=step,
            took_s=number(entry.get("execution_time")),
        )
        if function:
            call.more = [Ref(pointer=f"{self.place}/history/{self.replied}/tool_calls/0")]
        place = _place(pointer, entry, "observation")
        self._result_in_history(self.building.result(place, observation, call_id=call.call_id, step=step))

    def _history_reply(self, response: Event) -> Mapping[str, Any]:
        """Return the message in the history that repeats this response, or an empty message.

        Messages before it become notes.
        """
        place = next((at_ for at_, (_, one) in enumerate(self.history) if one.get("role") == "assistant"), None)
        if place is None or text(self.history[place][1].get("content")) != response.text:
            return {}
        for _ in range(place):
            self._note(*self.history.popleft())
        self.replied, message = self.history.popleft()
        response.more = [Ref(pointer=f"{self.place}/history/{self.replied}")]
        return message

    def _result_in_history(self, result: Event) -> None:
        if self.history and self.history[0][1].get("role") in ("user", "tool"):
            index, message = self.history[0]
            if result.text.strip() in text(message.get("content")):
                self.history.popleft()
                result.more = [Ref(pointer=f"{self.place}/history/{index}")]

    def _replies(self) -> None:
        """Add the steps of a history. Used for a file without a trajectory."""
        step = 0
        while self.history:
            index, message = self.history.popleft()
            ref = Ref(pointer=f"{self.place}/history/{index}")
            said = text(message.get("content"))
            if message.get("role") == "assistant":
                step += 1
                self.building.add("response", ref, text=said, reasoning=thinking(message), step=step)
                self._calls_of_reply(ref, message, step)
            elif message.get("role") in ("user", "tool"):
                call_id = str(at(message, "tool_call_ids", 0) or at(message, "tool_call_id") or f"step-{step}")
                self.building.result(ref, said, call_id=call_id, step=step)
            else:
                self._note(index, message)

    def _calls_of_reply(self, ref: Ref, message: Mapping[str, Any], step: int) -> None:
        action = text(message.get("action"))
        calls = array(message.get("tool_calls"))
        for position, call in enumerate(calls):
            self.building.call(
                Ref(pointer=f"{ref.pointer}/tool_calls/{position}"),
                str(at(call, "function", "name") or ""),
                at(call, "function", "arguments"),
                call_id=str(at(call, "id") or f"step-{step}"),
                step=step,
                more=[Ref(pointer=f"{ref.pointer}/action")] if action else (),
            )
        if not calls and action.strip():
            place = Ref(pointer=f"{ref.pointer}/action")
            self.building.add("call", place, text=action, tool="bash", call_id=f"step-{step}", step=step)

    def _rest(self) -> None:
        while self.history:
            self._note(*self.history.popleft())

    def _note(self, index: int, message: Mapping[str, Any]) -> None:
        ref = Ref(pointer=f"{self.place}/history/{index}")
        self.building.add("note", ref, text=text(message.get("content")))

    def _end(self, info: Mapping[str, Any]) -> None:
        building = self.building
        building.run.cost_usd = number(at(info, "model_stats", "instance_cost"))
        model = at(self.config, "agent", "model", "name") or at(self.config, "agent", "model", "model_name")
        building.agents[MAIN] = Agent(MAIN, model=str(model or ""))
        if not info:
            return
        status = info.get("exit_status")
        key = "/exit_status" if "exit_status" in info else ""
        outcome = _outcome(str(status or ""), Ref(pointer=f"{self.place}/info{key}"))
        ended = building.ended(outcome, words(info.get("submission")) or outcome.words)
        ended.more = [Ref(pointer=f"{self.place}/info")]


def _place(pointer: str, entry: Mapping[str, Any], key: str) -> Ref:
    """Return a ref to the value of a key in an entry, or to the entry itself if it lacks the key."""
    return Ref(pointer=f"{pointer}/{key}" if key in entry else pointer)


def _version(entries: Any, history: Any) -> str:
    """Guess SWE-agent's version from the file's structure, because the file records no version."""
    entry = table(at(entries, 0))
    calls = any("tool_calls" in table(message) or "message_type" in table(message) for message in history)
    if not entry:
        return "history alone"
    return "1.x" if calls or "query" in entry or "execution_time" in entry else "0.x"


def _loaded(value: Any) -> Any:
    """Parse a value that may be a JSON string."""
    return decoded(value) if isinstance(value, str) else value


def _outcome(status: str, ref: Ref) -> Outcome:
    """Return the outcome for an exit status. The status "submitted" gives an unknown outcome.

    A submission after a limit was reached, e.g. "submitted (exit_cost)", gives the verdict `limit`.
    """
    said = f"exit_status {status}" if status else ""
    if any(word in status for word in _LIMITS):
        return Outcome("limit", said, ref)
    if any(word in status for word in _FAULTS):
        return Outcome("error", said, ref)
    return Outcome("unknown", said, ref)


reader = Reader(NAME, "a trajectory of SWE-agent (*.traj)", sniff, read)
