"""Reader of Terminal-Bench 1 trials: a folder with results.json, recordings of two terminals, and the agent's episodes.

Steps are read from the episodes of the agent Terminus, or else from `sessions/agent.cast`. Logs are often just Git LFS
pointers. Such a pointer becomes a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.readers import casts, episodes
from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import readable, text_of
from dap_ai.debuggees.runs.readers.json_shapes import table
from dap_ai.debuggees.runs.readers.run_assembly import finished
from dap_ai.debuggees.runs.readers.stream_json import StreamMessages
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_files import CannotRead, beginning, content, inside
from dap_ai.debuggees.runs.run_model import Outcome, Ref, Run, Verdict

NAME = "terminal-bench"
_RESULTS = "results.json"
_CAST = "sessions/agent.cast"
_LFS = b"version https://git-lfs.github.com/spec/"
_VERDICTS: Mapping[str, Verdict] = {
    "agent_timeout": "limit",
    "context_length_exceeded": "limit",
    "output_length_exceeded": "limit",
    "test_timeout": "unknown",
    "unset": "unknown",
    "none": "unknown",
}
"""Verdict for each failure mode of a trial without a test result. Any other mode gives the verdict `error`."""
_MOST_FILES = 500
_MAX_NOTE_BYTES = 16 * 1024 * 1024


def _sniff(path: Path) -> tuple[float, str]:
    seen = glance(path)
    if path.suffix == ".cast" and seen.kind == "lines" and table(seen.rows[0]).get("version") in (2, 3):
        return 0.7, "an asciicast"
    if seen.kind != "folder" or _RESULTS not in seen.names:
        return 0.0, ""
    results = glance(path / _RESULTS).table
    if "is_resolved" in results and "parser_results" in results:
        return 0.98, "a results.json with is_resolved and parser_results"
    return 0.1, "a results.json of something else"


def _read(path: Path) -> Run:
    timeline = Timeline()
    messages = StreamMessages(timeline)
    if not path.is_dir():
        _terminal(path, "", timeline, messages)
        return finished(path, NAME, timeline, by_time=False, format_version="cast", workspace=messages.run.workspace)
    return _Trial(path, timeline, messages).read()


class _Trial:
    """Reads the files of a trial's folder."""

    def __init__(self, root: Path, timeline: Timeline, messages: StreamMessages) -> None:
        self._root = root
        self._timeline = timeline
        self._messages = messages
        self._read_files: list[str] = []

    def read(self) -> Run:
        """Read all files of the folder."""
        value, problems = document(inside(self._root, _RESULTS), _RESULTS)
        self._timeline.problems.extend(problems)
        results = table(value)
        self._read_files.append(_RESULTS)
        task = text_of(results.get("instruction"))
        started = epoch_s(results.get("agent_started_at"))
        if task:
            self._timeline.add("task", Ref(_RESULTS, None, "/instruction"), at=started, text=task)
        self._agent()
        ended = epoch_s(results.get("agent_ended_at"))
        self._others()
        outcome = _outcome(results)
        self._timeline.add("end", Ref(_RESULTS), at=ended, text=outcome.words, arguments=results)
        return finished(
            self._root, NAME, self._timeline, by_time=False, task=task, outcome=outcome,
            format_version="1", workspace=self._messages.run.workspace, cost_usd=self._messages.run.cost_usd,
            seconds=ended - started if started is not None and ended is not None else None,
            artefacts=self._read_files,
        )  # fmt: skip

    def _agent(self) -> None:
        found = episodes.folders(self._root)
        if found:
            episodes.tell(self._root, self._timeline, found)
            self._read_files += [folder.relative_to(self._root).as_posix() for folder in found]
        for name in (_CAST, "sessions/agent.log", "sessions/claude_code.log"):
            if not found and (self._root / name).is_file() and self._read_recording(name):
                return
        if not found:
            self._timeline.problem(Ref(), "neither a recording of the agent's terminal nor episodes are there")

    def _read_recording(self, name: str) -> bool:
        """Add the agent's steps from a terminal recording.

        Returns False if the file cannot be read or is a Git LFS pointer.
        """
        try:
            if self._is_pointer(name):
                return False
            _terminal(inside(self._root, name), name, self._timeline, self._messages)
        except CannotRead as error:
            self._timeline.problem(Ref(), f"{name}: {error}")
            return False
        self._read_files.append(name)
        return True

    def _is_pointer(self, name: str) -> bool:
        """Return whether a file is a Git LFS pointer instead of the real file."""
        return beginning(inside(self._root, name), len(_LFS)) == _LFS

    def _others(self) -> None:
        """Add the trial's other files (verifier output, screens, commands) as notes or problems."""
        files = sorted(path for path in islice(self._root.rglob("*"), _MOST_FILES) if path.is_file())
        for path in files:
            name = path.relative_to(self._root).as_posix()
            if name not in self._read_files and not any(name.startswith(f"{read}/") for read in self._read_files):
                self._note(name)

    def _note(self, name: str) -> None:
        ref = Ref(name)
        try:
            if self._is_pointer(name):
                self._timeline.problem(ref, f"{name} is a pointer of Git LFS: what it stands for is not here")
                return
            path = inside(self._root, name)
            if name.endswith(".cast"):
                pieces = [piece for piece in casts.records(path, name, self._timeline) if not piece.is_input]
                text, at = "".join(piece.text for piece in pieces), pieces[0].at if pieces else None
            else:
                text, at = content(path, _MAX_NOTE_BYTES).decode("utf-8", "replace"), None
        except CannotRead as error:
            self._timeline.problem(ref, f"{name}: {error}")
            return
        self._read_files.append(name)
        if text:
            self._timeline.add("note", ref, at=at, text=text)


def _terminal(path: Path, name: str, timeline: Timeline, messages: StreamMessages) -> None:
    """Add the events of the agent's terminal recording."""
    is_cast = path.suffix == ".cast"
    printed = list(casts.records(path, name, timeline) if is_cast else casts.texts(path))
    before, told = len(timeline.events), len(timeline.problems)
    if not casts.TerminalRecording(timeline, messages, name).tell(printed):
        del timeline.events[before:], timeline.problems[told:]
        casts.TerminalRecording(timeline, messages, name).tell_typed(printed)


def _outcome(results: Mapping[str, Any]) -> Outcome:
    """Return the outcome that the harness recorded: the test result, or else the failure mode."""
    ref = Ref(_RESULTS, None, "/is_resolved" if "is_resolved" in results else "")
    mode = text_of(results.get("failure_mode")) or "unset"
    words = f"is_resolved {readable(results.get('is_resolved'))}, failure_mode {mode}"
    if results.get("is_resolved") is True:
        return Outcome("solved", words, ref)
    if results.get("is_resolved") is False and (results.get("parser_results") or mode == "unset"):
        return Outcome("failed", words, ref)
    return Outcome(_VERDICTS.get(mode, "error"), words, ref)


reader = Reader(NAME, "a trial of Terminal-Bench 1 (results.json), or an asciicast", _sniff, _read)
