"""Reader of Harbor trial folders (Terminal-Bench 2): the agent's steps and the verifier's result in one run.

Steps are read from `agent/trajectory.json` (ATIF), or else from the agent's own log (`agent/claude-code.txt`,
stream-json). If both exist, differences become problems, and events that only the log has become notes. The outcome is
the verifier's reward, or the exception that ended the trial. It is unknown if the verifier's tests did not run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.json_spans import escaped
from dap_ai.debuggees.runs.readers.atif import Trajectory
from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.json_shapes import at, number, table, text
from dap_ai.debuggees.runs.readers.run_builder import MAIN, RunBuilder
from dap_ai.debuggees.runs.readers.stream_json import Line, parse
from dap_ai.debuggees.runs.run_files import CannotRead, content, inside, lines
from dap_ai.debuggees.runs.run_model import Agent, Event, Outcome, Ref, Run, Verdict

NAME = "harbor"
_Value = TypeVar("_Value")
_TRAJECTORY, _STREAM = "agent/trajectory.json", "agent/claude-code.txt"
_DOCUMENTS = ("result.json", "config.json", "verifier/ctrf.json", "verifier/reward.json")
_TEXTS = ("exception.txt", "verifier/test-stdout.txt", "verifier/test-stderr.txt", "verifier/reward.txt", "trial.log")
_TOLD = (
    *("trial.log", "config.json", "result.json", "exception.txt"),
    *("verifier/test-stdout.txt", "verifier/test-stderr.txt", "verifier/ctrf.json"),
)
"""Files that become notes (exception.txt becomes an error), in this order. The other files are covered by the outcome.
"""
_MOST_OTHERS = 500
"""Maximum number of a trial's other files, which are listed but not read."""
_MAX_TEXT_BYTES = 16 * 1024 * 1024
_TESTS_RAN = re.compile(
    r"\d+ (?:passed|failed|error)|test session starts|^(?:ok|FAIL|PASS)\b|\bPASSED\b|\bFAILED\b", re.MULTILINE
)
_LIMITS = ("Timeout", "Limit", "Budget", "MaxSteps", "ContextLength")


def sniff(path: Path) -> tuple[float, str]:
    """Return the confidence that `path` is a Harbor trial folder, 0 to 1, and the reason."""
    seen = glance(path)
    if seen.kind != "folder" or not ({"agent/", "verifier/"} & seen.names):
        return 0.0, ""
    if "result.json" in seen.names and at(glance(path / "result.json").value, "trial_name"):
        return 1.0, "a result.json with trial_name"
    if (path / _TRAJECTORY).is_file() or (path / _STREAM).is_file():
        return 0.9, "agent/ with a trajectory or a log"
    return (0.6, "agent/ and verifier/") if {"agent/", "verifier/"} <= seen.names else (0.0, "")


def read(path: Path) -> Run:
    """Read a Harbor trial folder. Raises CannotRead."""
    trial = _Trial(path)
    told = trial.trajectory()
    stream = trial.stream()
    if told:
        trial.compare(stream)
    elif stream:
        trial.tell(stream)
    else:
        trial.building.problem(Ref(_TRAJECTORY), "there is neither a trajectory nor a log of the agent")
    trial.rest()
    return trial.building.finished(by_time=told, numbered=True)


class _Trial:
    """Reads the files of one Harbor trial."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.building = RunBuilder(root, NAME)
        self.files: list[str] = []

    def trajectory(self) -> bool:
        """Add the events of the file `agent/trajectory.json`; return whether the file exists."""
        value = self._document(_TRAJECTORY)
        if value is None:
            return False
        trajectory = Trajectory(self.building, self.root)
        trajectory.tell(value, _TRAJECTORY, "trajectory.json")
        trajectory.end(value, _TRAJECTORY)
        self.files = list(dict.fromkeys([*self.files, *trajectory.files]))
        return True

    def stream(self) -> Run | None:
        """Return the run recorded in the agent's own log, or None if the log does not exist."""
        parsed = self._file(_STREAM, lambda place: parse(self._stream_lines(place)))
        self.files += [_STREAM] if parsed else []
        return parsed

    def _stream_lines(self, place: Path) -> Iterator[Line]:
        for number_, line in lines(place):
            ref = Ref(_STREAM, (number_, number_))
            if line is None:
                self.building.problem(ref, "a line that is too long to be read")
            elif line.strip():
                yield from self._stream_line(ref, line)

    def _stream_line(self, ref: Ref, line: bytes) -> Iterator[Line]:
        """Yields the JSON object of a line. A line that is not an object becomes a note."""
        try:
            value, wrong = decoded(line) if line.lstrip().startswith(b"{") else (None, "")
        except CannotRead as error:
            value, wrong = None, str(error)
        if wrong:
            self.building.problem(ref, wrong)
        if isinstance(value, dict):
            yield ref, table(value), None
        else:
            self.building.add("note", ref, text=line.decode("utf-8", "replace"))

    def tell(self, stream: Run) -> None:
        """Use the events of the agent's own log as the run's events. Needed for a trial without a trajectory."""
        run, building = self.building.run, self.building
        building.events += stream.events
        building.problems += stream.problems
        building.agents = {agent.name: agent for agent in stream.agents} or building.agents
        run.task, run.seconds, run.cost_usd = stream.task, stream.seconds, stream.cost_usd
        run.workspace, run.format_version = stream.workspace, "no trajectory"

    def compare(self, stream: Run | None) -> None:
        """Merge the agent's own log into the trajectory's events, and report differences as problems.

        A trajectory event with an equal event in the log gets the log's lines as further refs.
        """
        if stream is None:
            return
        run = self.building.run
        run.cost_usd = run.cost_usd if run.cost_usd is not None else stream.cost_usd
        for problem in stream.problems:
            self.building.problem(problem.ref, f"{_STREAM}, by its own numbers: {problem.text}")
        calls = {event.call_id: event for event in self.building.events if event.kind == "call" and event.call_id}
        results = {event.call_id: event for event in self.building.events if event.kind == "result" and event.call_id}
        said = {part.strip(): event for event in self.building.events for part in (event.text, event.reasoning) if part}
        for event in stream.events:
            known = {"call": calls, "result": results}.get(event.kind, {}).get(event.call_id)
            known = known or said.get((event.text or event.reasoning).strip())
            if known is None:
                self._only_in_log(event)
                continue
            whole_line = [Ref(event.ref.path, event.ref.lines)] if event.kind == "result" else []
            known.more = [*known.more, event.ref, *event.more, *whole_line]
            if event.kind == "call" and known.kind == "call":
                self._compare_call(known, event)

    def _compare_call(self, known: Event, event: Event) -> None:
        """Report a call whose tool or arguments differ between trajectory and log."""
        if known.tool == event.tool and known.arguments == event.arguments:
            return
        ours, theirs = _words(known), _words(event)
        told = f"step {known.step}: {_TRAJECTORY} says the call {known.call_id} was {ours}, {_STREAM} says {theirs}"
        self.building.problem(event.ref, told)

    def _only_in_log(self, event: Event) -> None:
        """Add an event that only the log has.

        The event becomes a note without a step or time.
        """
        if event.kind in ("call", "result"):
            self.building.problem(
                event.ref, f"a {event.kind} of {event.tool or 'a tool'} that the trajectory does not have"
            )
        kept = {key: getattr(event, key) for key in ("native_id", "call_id", "tool", "arguments", "more")}
        self.building.add("note", event.ref, text=event.text or event.reasoning, **kept)

    def rest(self) -> None:
        """Add the remaining files as notes, and set the outcome."""
        found = {name: value for name in _DOCUMENTS if (value := self._document(name)) is not None}
        texts = {name: said for name in _TEXTS if (said := self._text(name)) is not None}
        result, run = found.get("result.json", {}), self.building.run
        run.cost_usd = run.cost_usd if run.cost_usd is not None else number(at(result, "agent_result", "cost_usd"))
        model = str(at(result, "config", "agent", "model_name") or "")
        main = self.building.agents.get(MAIN, Agent(MAIN))
        self.building.agents[MAIN] = Agent(MAIN, main.parent, main.model or model)
        for name in _TOLD:
            if name == "exception.txt" and name in texts:
                self.building.add("error", Ref(name), text=texts[name], status="error")
            elif name in found or name in texts:
                self.building.add("note", Ref(name), text=texts.get(name, ""))
        known = [*self.files, *found, *texts]
        others = self._others(set(known))
        for name in others:
            self.building.add("note", Ref(name))
        outcome = _outcome(found, texts)
        if outcome.ref:
            self.building.ended(outcome)
        run.artefacts = [*known, *others]

    def _others(self, known: set[str]) -> list[str]:
        """Return the names of the files that were not read, so that users can view them.

        Symbolic links are left out.
        """
        found = list[str]()
        waiting = [self.root]
        while waiting and len(found) < _MOST_OTHERS:
            place = waiting.pop()
            try:
                entries = sorted(place.iterdir(), reverse=True)
            except OSError as error:
                self.building.problem(Ref(), f"a folder that cannot be read: {place.name!r}: {error.strerror}")
                continue
            waiting += [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
            files = [entry for entry in reversed(entries) if entry.is_file() and not entry.is_symlink()]
            names = [file.relative_to(self.root).as_posix() for file in files]
            found += [name for name in names if name not in known]
        return found[:_MOST_OTHERS]

    def _document(self, name: str) -> Mapping[str, Any] | None:
        """Return the object in a JSON file, or None if the file does not exist."""
        return self._file(name, lambda place: table(self.building.document(place, name)))

    def _text(self, name: str) -> str | None:
        return self._file(name, lambda place: content(place, _MAX_TEXT_BYTES).decode("utf-8", "replace"))

    def _file(self, name: str, read: Callable[[Path], _Value]) -> _Value | None:
        """Return the result of `read` for a file, or None if the file is missing or unreadable.

        An unreadable file is reported as a problem.
        """
        try:
            place = inside(self.root, name)
            return read(place) if place.is_file() else None
        except CannotRead as error:
            self.building.problem(Ref(name), str(error))
            return None


def _outcome(found: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str]) -> Outcome:
    """Return the outcome: solved for a reward of 1, else the exception, else failed.

    The outcome is unknown without a reward or if the verifier's tests did not run.
    """
    reward, ref = _reward(found, texts)
    exception, where = _exception(found, texts)
    words = ", ".join(filter(None, [f"reward {reward:g}" if reward is not None else "", exception]))
    if reward is not None and reward >= 1:
        return Outcome("solved", words, ref)
    if exception:
        verdict: Verdict = "limit" if any(word in exception for word in _LIMITS) else "error"
        return Outcome(verdict, words, where)
    if reward is None:
        return Outcome("unknown", "no reward", ref) if ref else Outcome()
    if not _verified(found, texts):
        last = texts["verifier/test-stdout.txt"].strip().rpartition("\n")[2][:200]
        return Outcome("unknown", f"{words}, but the verifier's tests did not run: {last}", ref)
    return Outcome("failed", words, ref)


def _reward(found: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str]) -> tuple[float | None, Ref | None]:
    """Return the reward and its ref, read from the verifier's file or else from the trial's result."""
    if (said := texts.get("verifier/reward.txt")) is not None:
        try:
            return number(float(said.strip()[:40])), Ref("verifier/reward.txt")
        except ValueError:
            pass
    if (value := number(at(found.get("verifier/reward.json"), "reward"))) is not None:
        return value, Ref("verifier/reward.json", pointer="/reward")
    rewards = table(at(found.get("result.json"), "verifier_result", "rewards"))
    key = "reward" if "reward" in rewards else next(iter(rewards), "")
    if (value := number(rewards.get(key))) is not None and ("reward" in rewards or len(rewards) == 1):
        return value, Ref("result.json", pointer=f"/verifier_result/rewards/{escaped(key)}")
    return None, None


def _exception(found: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str]) -> tuple[str, Ref | None]:
    info = table(at(found.get("result.json"), "exception_info"))
    if info.get("exception_type"):
        said = f"{info['exception_type']}: {text(info.get('exception_message'))[:200]}"
        return said, Ref("result.json", pointer="/exception_info")
    if "exception.txt" in texts:
        return texts["exception.txt"].strip().rpartition("\n")[2][:300], Ref("exception.txt")
    return "", None


def _verified(found: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str]) -> bool:
    """Return whether the verifier's tests ran. True if their output was not kept."""
    if (number(at(found.get("verifier/ctrf.json"), "results", "summary", "tests")) or 0) > 0:
        return True
    said = texts.get("verifier/test-stdout.txt")
    return said is None or not said.strip() or _TESTS_RAN.search(said) is not None


def _words(event: Event) -> str:
    """Return a call's tool and arguments as text. The arguments are cut at 300 characters."""
    given = json.dumps(event.arguments, ensure_ascii=False, default=str)
    return f"{event.tool} {given if len(given) <= 300 else given[:300] + '...'}"


reader = Reader(NAME, "a trial's folder of Harbor (agent/, verifier/, result.json)", sniff, read)
