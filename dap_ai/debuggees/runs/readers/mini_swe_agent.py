"""Reader of mini-SWE-agent trajectories, versions 1 and 2: one JSON file with messages and metadata.

Version 1 writes commands in a code fence of the answer, version 2 also as tool calls. If the agent's program rejects an
answer, the answer becomes a step without a call, and the rejection an error of that step. Version 2 keeps a rejected
answer only in the rejection's `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.json_shapes import array, at, number, table, text, usage, whole
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Agent, Event, Outcome, Ref, Run

NAME = "mini-swe-agent"
_FENCE = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n")
_ANY_FENCE = re.compile(r"```\w*[ \t]*\n")
_RESULT = re.compile(r"\A<returncode>(-?\d+)</returncode>\n<output>\n(.*)</output>\Z", re.DOTALL)
_CODE = re.compile(r"\A\s*<returncode>(-?\d{1,6})</returncode>")
_END_WORDS = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_LIMITS = frozenset({"LimitsExceeded", "TimeExceeded", "RepeatedFormatError"})


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is a mini-SWE-agent trajectory, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind not in ("document", "lines"):
        return 0.0, ""
    said = str(seen.table.get("trajectory_format", ""))
    if said.startswith(NAME) or at(seen.table, "info", "mini_version") is not None:
        return 1.0, f"says {said or 'mini_version'}"
    if list(seen.table) == ["info"] and "exit_status" in table(seen.table["info"]) and b'"submission"' in seen.head:
        return 0.7, "info with a submission so long that the messages are not yet seen"
    messages = array(seen.value) or array(seen.table.get("messages"))
    if len(messages) < 2 or not all(isinstance(at(message, "role"), str) for message in messages[:2]):
        return 0.0, ""
    if _END_WORDS in text(at(messages, 0, "content")) + text(at(messages, 1, "content")):
        return 0.9, f"messages that speak of {_END_WORDS}"
    return (0.6, "info and messages") if "exit_status" in table(seen.table.get("info")) else (0.2, "a list of messages")


def read(path: Path) -> Run:
    """Read a mini-SWE-agent trajectory. Raises CannotRead."""
    building = RunBuilder(path, NAME)
    value = building.document(path)
    bare = isinstance(value, list)
    info = table(at(value, "info"))
    building.run.format_version = str(at(value, "trajectory_format") or at(info, "mini_version") or "")
    if "config" in info:
        building.add(
            "note", Ref(pointer="/info/config"), text=str(at(info, "config", "agent", "system_template") or "")
        )
    story = _Story(building, "" if bare else "/messages")
    for index, message in enumerate(array(value if bare else at(value, "messages"))):
        story.take(index, message)
    story.end(info, value)
    return building.finished()


class _Story:
    """Converts the messages of a trajectory to events, in file order."""

    def __init__(self, building: RunBuilder, place: str) -> None:
        self.building = building
        self.place = place
        self.waiting: list[Event] = []
        self.reply: Event | None = None
        self._said_at = Ref()
        """Location of the text of the current answer."""
        self.exit: Event | None = None

    def take(self, index: int, message: Any) -> None:
        ref = Ref(pointer=f"{self.place}/{index}")
        role = at(message, "role") or ("assistant" if at(message, "object") == "response" else "")
        if role == "assistant":
            self._reply(ref, table(message))
        elif role == "exit":
            self.exit = self.building.add("end", ref, text=_content(message), at_s=self._time(message))
        elif role == "system":
            self.building.add("note", ref, text=_content(message))
        elif role in ("user", "tool") or at(message, "type") in ("function_call_output", "message"):
            self._answer(ref, table(message))
        else:
            self.building.problem(ref, "is no message of a role that is known")

    def end(self, info: Mapping[str, Any], value: Any) -> None:
        run, building = self.building.run, self.building
        status = at(info, "exit_status")
        if info:
            ref = Ref(pointer="/info/exit_status" if "exit_status" in info else "/info")
            outcome = run.outcome = _outcome(status, ref)
            ended = self.exit or building.ended(outcome, str(at(info, "submission") or "") or outcome.words)
            ended.more = [Ref(pointer="/info")]
        run.cost_usd = number(at(info, "model_stats", "instance_cost"))
        run.workspace = str(at(info, "config", "environment", "cwd") or "")
        building.agents[MAIN] = Agent(MAIN, model=str(at(info, "config", "model", "model_name") or ""))
        times = [event.at_s for event in building.events if event.at_s is not None]
        run.seconds = max(times) if len(times) > 1 else None
        if at(value, "instance_id") is not None:
            building.add("note", Ref(pointer="/instance_id"), text=str(at(value, "instance_id")))

    def _reply(self, ref: Ref, message: Mapping[str, Any]) -> None:
        extra = table(message.get("extra"))
        response = table(extra.get("response"))
        said = at(response, "choices", 0, "message")
        self.reply = self.building.add(
            "response",
            ref,
            text=_content(message),
            reasoning=_reasoning(message) or _reasoning(table(said)),
            at_s=self._time(message),
            usage=usage(response.get("usage") or message.get("usage"), extra.get("cost")),
            native_id=str(response.get("id") or message.get("id") or ""),
        )
        self._said_at = Ref(pointer=f"{ref.pointer}/content") if "content" in message else ref
        self.waiting = []
        calls = array(message.get("tool_calls"))
        for position, call in enumerate(calls):
            self._call(Ref(pointer=f"{ref.pointer}/tool_calls/{position}"), at(call, "id"), at(call, "function"))
        for position, item in enumerate(array(message.get("output"))):
            if at(item, "type") == "function_call":
                self._call(Ref(pointer=f"{ref.pointer}/output/{position}"), at(item, "call_id"), item)
        if not self.waiting:
            found = [str(at(action, "command") or "") for action in array(extra.get("actions"))] or fenced(
                self.reply.text
            )
            if len(found) == 1:
                self._shell(self._said_at, found[0])

    def _call(self, ref: Ref, call_id: Any, function: Any) -> None:
        tool, given = str(at(function, "name") or ""), at(function, "arguments")
        self.waiting.append(self.building.call(ref, tool, given, call_id=str(call_id or "")))

    def _shell(self, ref: Ref, words: str) -> None:
        self.waiting.append(self.building.call(ref, "bash", {"command": words}))

    def _answer(self, ref: Ref, message: Mapping[str, Any]) -> None:
        extra = table(message.get("extra"))
        said = _content(message) or text(message.get("output"))
        if self.reply is None and not extra.get("interrupt_type"):
            self.building.add("task" if not self.building.run.task else "note", ref, text=said)
            self.building.run.task = self.building.run.task or said
        elif extra.get("interrupt_type") == "FormatError":
            self._refused(ref, extra)
            self.building.add("error", ref, text=said, status="error", at_s=self._time(message))
        elif self.waiting or _CODE.match(said):
            self._result(ref, said, message)
        elif self.reply is not None and len(fenced(self.reply.text)) != 1 and self.building.events[-1] is self.reply:
            self.building.add("error", ref, text=said, status="error", at_s=self._time(message))
        else:
            self.building.add("note", ref, text=said, at_s=self._time(message))

    def _result(self, ref: Ref, said: str, message: Mapping[str, Any]) -> None:
        if not self.waiting and self.reply is not None and self.building.events[-1] is self.reply:
            self._executed_all_the_same()
        extra = table(message.get("extra"))
        found, code = _RESULT.match(said), _CODE.match(said)
        exit_code = whole(extra.get("returncode"))
        exit_code = int(code[1]) if code and exit_code is None else exit_code
        call_id = str(message.get("tool_call_id") or message.get("call_id") or "")
        call = next((one for one in self.waiting if one.call_id == call_id), self.waiting[0] if self.waiting else None)
        if call is not None:
            self.waiting.remove(call)
        timed_out = "timed out" in said[:200] and said.startswith("The last command")
        self.building.result(
            ref,
            found[2] if found else said,
            call_id=call_id,
            exit_code=exit_code,
            status="error" if timed_out else "unknown",
            at_s=self._time(message),
        )

    def _executed_all_the_same(self) -> None:
        """Add the call of an answer that was executed although it lacks exactly one command fence.

        Some variants of the agent execute such an answer. The first fence is taken for the command, and a problem
        reports the guess.
        """
        reply = self.reply
        if reply is None:
            return
        found = fenced(reply.text) or fenced(reply.text, _ANY_FENCE)
        self._shell(self._said_at, found[0] if found else reply.text)
        self.building.problem(self._said_at, f"the command that was run is not marked alone: {len(found)} could be it")

    def _refused(self, ref: Ref, extra: Mapping[str, Any]) -> None:
        """Add a rejected answer that version 2 keeps only in the message of its rejection."""
        if self.building.events and self.building.events[-1] is self.reply:
            return
        response = extra.get("response")
        said = table(at(response, "choices", 0, "message"))
        where = "response" if response is not None else "model_response"
        self.reply = self.building.add(
            "response",
            Ref(pointer=f"{ref.pointer}/extra/{where}" if extra.get(where) is not None else ref.pointer),
            text=_content(said) or text(extra.get("model_response")) or (response if isinstance(response, str) else ""),
            reasoning=_reasoning(said),
            usage=usage(at(response, "usage"), extra.get("cost")),
        )
        self._said_at = self.reply.ref
        self.waiting = []

    def _time(self, message: Any) -> float | None:
        """Return the message's time in seconds since the first time stamp in the file, or None if it has no time."""
        extra = at(message, "extra")
        moment = at(extra, "timestamp") or at(extra, "response", "created") or at(message, "created_at")
        return self.building.since_start(epoch_s(moment))


def fenced(reply: str, opening: re.Pattern[str] = _FENCE) -> list[str]:
    """Return the commands in an answer's code fences, found by mini-SWE-agent's own rules in linear time."""
    found, start = list[str](), opening.search(reply)
    while start:
        close = reply.find("\n```", start.end())
        if close < 0:
            break
        found.append(reply[start.end() : close].strip())
        start = opening.search(reply, close + 4)
    return found


def _content(message: Any) -> str:
    """Return the text of a Chat Completions message or of a Responses API response."""
    said = text(at(message, "content"))
    outputs = array(at(message, "output"))
    if said or not outputs:
        return said
    return "\n".join(filter(None, (text(at(item, "content")) for item in outputs if at(item, "type") == "message")))


def _reasoning(message: Mapping[str, Any]) -> str:
    said = text(message.get("reasoning_content")) or text(message.get("reasoning"))
    outputs = array(message.get("output"))
    if said or not outputs:
        return said
    return "\n".join(filter(None, (text(at(item, "summary")) for item in outputs if at(item, "type") == "reasoning")))


def _outcome(status: Any, ref: Ref) -> Outcome:
    """Return the outcome for an exit status.

    "Submitted" gives an unknown outcome, because it does not judge the result.
    """
    words = f"exit_status {status}" if status else ""
    if not isinstance(status, str) or status in ("", "Submitted"):
        return Outcome("unknown", words, ref)
    return Outcome("limit" if status in _LIMITS else "error", words, ref)


reader = Reader(NAME, "a trajectory of mini-SWE-agent (*.traj.json)", sniff, read)
