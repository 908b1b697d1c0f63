"""Converts the lines of a dap_ai recording to events of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.json_spans import escaped
from dap_ai.debuggees.runs.readers.content_blocks import is_reminder
from dap_ai.debuggees.runs.readers.json_shapes import array, at, number, table, text, total, usage, whole, words
from dap_ai.debuggees.runs.readers.portion import within
from dap_ai.debuggees.runs.readers.recordings.agents import Asker, Askers, MessageNode
from dap_ai.debuggees.runs.readers.recordings.message_pieces import MessagePiece, answered, brought, pieces
from dap_ai.debuggees.runs.readers.recordings.recorded_edits import RecordedEdits
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_files import CannotRead, lines
from dap_ai.debuggees.runs.run_model import Agent, Event, Outcome, Parent, Ref, Run
from dap_ai.debuggees.runs.store import FORMAT
from dap_ai.system.texts import code

_NAMING = ("subagent_type", "agent", "agent_name", "agent_type")
"""Names of arguments in which a call names the sub-agent that it starts."""
_SHORT = 40
_INSERTED = ("<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md")
"""Beginnings of the user messages that Codex itself writes."""


class RecordingReader:
    """Builds the run of one recording."""

    def __init__(self, root: Path, name: str) -> None:
        self._name = name
        self._building = RunBuilder(root, FORMAT)
        self._building.agents.clear()
        self._parts: dict[str, int] = {}
        """Line number of each part, 1-based, by name."""
        self._said: dict[str, Sequence[MessagePiece]] = {}
        """Pieces of each message, by the name of its part."""
        self._nodes: dict[int, MessageNode] = {}
        self._askers = Askers(self._nodes)
        self._asked: dict[int, tuple[Asker, Event]] = {}
        self._edits = RecordedEdits(self._building)
        self._askers_of: dict[int, Asker] = {}
        """Agents by the number of the query that they sent."""
        self._answered_by: dict[int, tuple[Asker, Event]] = {}
        """Agent and query event of each answered query, by the query's number."""
        self._start: float | None = None
        self._last_at: float | None = None

    def feed(self, path: Path) -> Any:
        """Read all lines of the recording and return its format version. Raises CannotRead.

        A last line that is cut off is ignored, because the recorder is still writing it.
        """
        version: Any = None
        for number_, line in within(lines(path), path.stat().st_size):
            ref = Ref(self._name, (number_, number_))
            if line is None:
                self._building.problem(ref, "the line is too long, and is not read")
                continue
            try:
                value, wrong = decoded(line)
            except CannotRead as error:
                value, wrong = None, str(error)
            row = table(value)
            if number_ == 1:
                version = row.get("dap_ai_recording")
                self._head(row)
            elif not row:
                if not self._torn(path, number_, line):
                    self._building.problem(ref, wrong or "the line is no JSON object")
            else:
                self._line(row, ref)
        return version

    def finished(self) -> Run:
        """Return the run built from the lines read so far."""
        building = self._building
        self._name_agents()
        run = building.finished()
        main = next((event for event in run.events if event.kind == "task" and event.agent == MAIN), None)
        run.task = main.text if main else ""
        run.cost_usd = total(event.usage.cost_usd for event in run.events if event.usage)
        run.seconds = self._last_at
        run.artefacts = [self._name]
        return run

    def _torn(self, path: Path, number_: int, line: bytes) -> bool:
        """Return whether this is the recording's last line, cut off.

        The recorder is then still writing the line, or was killed.
        """
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - len(line)))
            return file.read() == line and number_ > 1

    def _head(self, row: Mapping[str, Any]) -> None:
        run = self._building.run
        run.started, run.workspace = words(row.get("started")), words(row.get("workspace"))
        run.format_version = words(row.get("dap_ai"))
        self._start = epoch_s(row.get("started"))
        command = " ".join(map(words, array(row.get("command"))))
        self._building.add("note", Ref(self._name, (1, 1), "/command"), text=command, at_s=0.0)
        if parent := table(row.get("parent")):
            ref = Ref(self._name, (1, 1), "/parent")
            made = words(parent.get("words"))
            run.parent = Parent(words(parent.get("run")), made, whole(parent.get("step")) or 0, ref)
            self._building.add("note", ref, text=f"{made}, of {run.parent.path}", at_s=0.0)

    def _line(self, row: Mapping[str, Any], ref: Ref) -> None:
        kind = next(iter(row))
        if kind in ("node", "part"):
            self._stored(row, ref)
        elif kind == "query":
            self._query(row, ref)
        elif kind == "response":
            self._response(row, ref)
        elif kind == "change":
            self._change(row, ref)
        elif kind == "end":
            code = whole(row["end"])
            said = f"exit code {code}" if code is not None else "the agent's end was not seen"
            self._building.ended(Outcome("unknown", said, ref)).at_s = self._time(row)
        elif kind == "check":
            self._check(row, ref)
        elif kind in ("edited", "again", "called", "returned"):
            self._gate_event(kind, row, ref)
        elif kind == "workspace":
            said = f"the workspace {words(row['workspace'])} before the run"
            self._building.run.followed = True
            self._building.add("note", ref, text=said, at_s=self._time(row), native_id=words(row.get("commit")))
        else:
            said = words(row.get("note")) or words(row)
            self._building.add("note", ref, text=said, at_s=self._time(row))

    def _check(self, row: Mapping[str, Any], ref: Ref) -> None:
        """Set the outcome by the exit code of the user's check command."""
        status, command = whole(row.get("exit_code")), words(row["check"])
        said = f"check {code(command)}: exit code {status}"
        self._building.run.outcome = Outcome("solved" if status == 0 else "failed", said, ref)
        self._building.add("note", ref, text=f"{said}\n{words(row.get('output'))}".strip(), at_s=self._time(row))

    def _stored(self, row: Mapping[str, Any], ref: Ref) -> None:
        part, line = words(row.get("part")), ref.lines[0] if ref.lines else 0
        if "value" in row:
            self._parts.setdefault(part, line)
            if "node" in row:
                self._said[part] = list(pieces(row["value"]))
        elif part not in self._parts:
            self._building.problem(ref, "names a part that is nowhere before it")
        if (node := whole(row.get("node"))) is not None:
            said = self._said.get(part, ())
            is_system = bool(said) and all(each.kind == "system" for each in said)
            after = whole(row.get("after")) or 0
            self._nodes[node] = MessageNode(after if after < node else 0, part, self._parts.get(part, line), is_system)

    def _query(self, row: Mapping[str, Any], ref: Ref) -> None:
        at_s = self._time(row)
        if "last" not in row:
            why = words(row.get("unread"))
            said = f"{words(row.get('method'))} {words(row.get('path'))}".strip()
            self._building.add("note", ref, text=said, at_s=at_s)
            if why:
                self._building.problem(ref, f"a query that could not be read: {why}")
            return
        last = whole(row["last"]) or 0
        answers = [
            said.call_id for node in self._askers.unsent(last) for said in self._of(node) if said.kind == "result"
        ]
        is_first = len(self._askers.known)
        who = words(row.get("agent")), words(row.get("parent"))
        asker, new = self._askers.of(last, words(row.get("tools")), answers, who)
        model = words(at(row, "settings", "model"))
        self._building.agents.setdefault(asker.name, Agent(asker.name, asker.parent, model))
        waiting = self._answered_in_words(asker, new)
        is_new = len(self._askers.known) > is_first
        task = self._task(new) if is_new else 0
        for node in new:
            self._sent(node, asker, at_s, first=is_new, task=task, answers=waiting)
        event = self._building.add("query", ref, agent=asker.name, at_s=at_s, native_id=words(row["query"]))
        asker.waiting += 1
        self._asked[whole(row["query"]) or 0] = asker, event
        self._askers_of[whole(row["query"]) or 0] = asker

    def _gate_event(self, kind: str, row: Mapping[str, Any], ref: Ref) -> None:
        """Apply an edit made while the agent was paused, or an event that the hook in the agent's process reported."""
        at_s, edits = self._time(row), self._edits
        number_ = whole(row.get(kind)) or 0
        if kind == "called":
            event = edits.called(row, ref, at_s)
            asker = self._askers.named(event.agent, MAIN)
            if asker is not None and event.call_id not in asker.open_calls:
                self._askers.called(asker, event.call_id, sub_agent(event.tool, event.arguments))
        elif kind == "returned":
            edits.returned(row, ref, at_s)
        elif kind == "again":
            edits.again(number_, ref, at_s)
            if (asked := self._answered_by.get(number_)) is not None:
                self._asked[number_] = asked
                asked[0].waiting += 1
        elif words(row.get("what")) == "response":
            asker = self._answered_by[number_][0] if number_ in self._answered_by else None
            old = edits.taken(number_)
            if asker is not None:
                for event in old:
                    asker.open_calls.pop(event.call_id, None)
                with edits.inserting(old):
                    self._answer(row, ref, asker, list(answered(row.get("value"))), number_, at_s=at_s)
                edits.note("the answer was edited in the debugger; the model's own:", old, ref, at_s)
        else:
            edits.edited(row, ref, at_s)
            if (last := whole(row.get("last"))) and number_ in self._askers_of:
                self._askers.takes(self._askers_of[number_], last)

    def _of(self, node: int) -> Sequence[MessagePiece]:
        return self._said.get(self._nodes[node].part, ())

    def _answered_in_words(self, asker: Asker, new: Sequence[int]) -> str:
        """Return the id of the open call that new user messages answer, or an empty string.

        Some agents (smolagents) send results to the model as user messages. Applies only if the agent has exactly one
        open call.
        """
        said = [each for node in new for each in self._of(node)]
        users = [each for each in said if each.kind == "user"]
        told = len(users) == 1 and not any(each.kind == "result" for each in said)
        return next(iter(asker.open_calls)) if told and len(asker.open_calls) == 1 else ""

    def _task(self, new: Sequence[int]) -> int:
        """Return the node of the message that states the task in a first query, or 0.

        Messages before the task are context or examples.
        """
        for node in reversed(new):
            if any(each.kind == "user" and not _is_inserted(each.text) for each in self._of(node)):
                return node
        return 0

    def _sent(self, node: int, asker: Asker, at_s: float | None, *, first: bool, task: int, answers: str) -> None:
        """Add the events of a message that an agent sends for the first time.

        `answers` is the id of the call that a user message answers, or empty.
        """
        line = self._nodes[node].line
        for said in self._of(node):
            ref = Ref(self._name, (line, line), f"/value{said.pointer}")
            told = said.call_id if said.kind == "result" else answers if said.kind == "user" else ""
            if (
                said.kind == "user"
                and told
                and self._edits.is_announced(told)
                and not self._edits.is_in(told, said.text)
            ):
                answers, told = "", ""  # a different message
            if told and self._edits.is_announced(told):
                self._edits.replace_result(told, said.text, ref)
                asker.open_calls.pop(told, None)
            elif said.kind == "result" or (said.kind == "user" and answers):
                said = said._replace(call_id=said.call_id or answers)  # noqa: PLW2901  the call id is filled in
                asker.open_calls.pop(said.call_id, None)
                text, code = brought(said.text)
                fields: dict[str, Any] = {"call_id": said.call_id, "tool": said.tool, "status": said.status}
                self._building.result(ref, text, exit_code=code, agent=asker.name, at_s=at_s, **fields)
            elif said.kind == "user" and node == task and not asker.has_task and not _is_inserted(said.text):
                asker.has_task = True
                self._building.add("task", ref, agent=asker.name, at_s=at_s, text=said.text)
            elif first or said.kind in ("system", "user"):  # later queries repeat the agent's own answers
                self._building.add("note", ref, agent=asker.name, at_s=at_s, text=said.text)

    def _response(self, row: Mapping[str, Any], ref: Ref) -> None:
        number_ = whole(row["response"]) or 0
        asker, query = self._asked.pop(number_, (None, None))
        at_s = self._time(row)
        if asker is None or query is None:
            status = whole(row.get("status")) or 0
            if status >= 400 or row.get("end") != "whole":
                self._building.add("error", ref, text=words(row.get("words")) or f"status {status}", at_s=at_s)
            return
        asker.waiting -= 1
        self._answered_by[number_] = asker, query
        took = at_s - query.at_s if at_s is not None and query.at_s is not None else None
        value = row.get("value")
        failed = row.get("end") != "whole" or (whole(row.get("status")) or 0) >= 400 or bool(table(value).get("error"))
        found = list(answered(value))
        if found or not failed:
            self._answer(row, ref, asker, found, number_, at_s=at_s, took_s=took, status="error" if failed else "ok")
        if failed:
            self._building.add("error", ref, agent=asker.name, at_s=at_s, text=_why(row), status="error")

    def _answer(
        self, row: Mapping[str, Any], ref: Ref, asker: Asker, found: Sequence[MessagePiece], number_: int, **fields: Any
    ) -> None:
        said = [each for each in found if each.kind not in ("call", "result", "thinking")]
        thought = "\n".join(each.text for each in found if each.kind == "thinking")
        value = table(row.get("value"))
        pointer = f"/value{said[0].pointer}" if len(said) == 1 else "/value"
        first = len(self._building.events)
        self._building.add(
            "response",
            Ref(ref.path, ref.lines, pointer),
            agent=asker.name,
            text="\n".join(each.text for each in said),
            reasoning=thought,
            usage=usage(value.get("usage"), row.get("cost_usd")),
            native_id=words(value.get("id")),
            **fields,
        )
        common: dict[str, Any] = {"agent": asker.name, "at_s": fields["at_s"]}
        for each in found:
            place = Ref(ref.path, ref.lines, f"/value{each.pointer}")
            if each.kind == "call":
                self._edits.withdrawn(each.call_id)
                self._building.call(place, each.tool, each.arguments, text=each.text, call_id=each.call_id, **common)
                self._askers.called(asker, each.call_id, sub_agent(each.tool, each.arguments))
            elif each.kind == "result":
                asker.open_calls.pop(each.call_id, None)
                self._building.result(place, each.text, call_id=each.call_id, status=each.status, **common)
        self._edits.answers[number_] = self._building.events[first:]

    def _change(self, row: Mapping[str, Any], ref: Ref) -> None:
        """Add an event for a commit of the workspace, before the query during which the commit was made."""
        files = "\n".join(f"{words(at(each, 0))} {words(at(each, 1))}" for each in array(row.get("files")))
        event = self._building.add("change", ref, at_s=self._time(row), text=files, native_id=words(row.get("commit")))
        asked = self._asked_as(whole(row.get("query")))
        if asked is not None:
            event.agent = asked.agent
            self._building.events.pop()
            self._building.events.insert(self._building.events.index(asked), event)

    def _asked_as(self, query: int | None) -> Event | None:
        events = self._building.events
        return next((each for each in reversed(events) if each.kind == "query" and each.native_id == str(query)), None)

    def _time(self, row: Mapping[str, Any]) -> float | None:
        when = number(row.get("at"))
        if when is None or self._start is None:
            return None
        self._last_at = max(self._last_at or 0.0, when - self._start)
        return when - self._start

    def _name_agents(self) -> None:
        """Rename the main agent to `main`.

        The main agent is the first agent that was offered tools, or else the first agent.
        """
        building, known = self._building, self._askers.known
        main = next((each for each in known if each.has_tools and not each.parent), known[0] if known else None)
        if main is None:
            building.agents[MAIN] = Agent(MAIN)
            return
        old = main.name
        for event in building.events:
            if event.agent == old:
                event.agent = MAIN
        agents = list(building.agents.values())
        for agent in agents:
            agent.parent = "" if agent.name == old else MAIN if agent.parent in ("", old) else agent.parent
            agent.name = MAIN if agent.name == old else agent.name
        agents.sort(key=lambda agent: agent.name != MAIN)
        building.agents = {agent.name: agent for agent in agents}


def _is_inserted(said: str) -> bool:
    """Return whether the agent's program wrote a user message, which is then not the task."""
    return said.lstrip().startswith(_INSERTED) or is_reminder(said)


def sub_agent(tool: str, arguments: Mapping[str, Any] | None) -> str:
    """Return the name of the sub-agent that a call may start, or an empty string."""
    given = arguments or {}
    named = next((words(given[key]) for key in _NAMING if isinstance(given.get(key), str)), "") or tool
    return named if 0 < len(named) <= _SHORT else ""


def _why(row: Mapping[str, Any]) -> str:
    """Return the error text of a failed response: HTTP status, the provider's message and dap_ai's message."""
    value = row.get("value")
    error = table(value).get("error")
    told = words(table(error).get("message")) or words(error) or text(value) or words(table(value).get("message"))
    status = whole(row.get("status"))
    parts = (f"status {status}" if status and status >= 400 else "", told, words(row.get("words")))
    return ": ".join(filter(None, parts)) or escaped(words(value))[:200]
