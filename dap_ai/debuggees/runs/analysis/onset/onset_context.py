"""Input of the onset rules, and helpers to describe and quote their findings.

Quotes are verbatim. `quoted` returns the given words only if the cited event contains them. Otherwise it returns a line
of the event's text, or None. Readers therefore find each quote at its location.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite, Pattern, StepCheck
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.onset.blame import Blame
from dap_ai.debuggees.runs.analysis.onset_model import ErrorType, OnsetEvidence, OnsetLink, OnsetSuspect
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory, failed
from dap_ai.debuggees.runs.analysis.runner_output import read_output
from dap_ai.debuggees.runs.analysis.state_tree import one_line
from dap_ai.debuggees.runs.analysis.step_effects import text_of_call
from dap_ai.debuggees.runs.run_model import Event, RunStep

MAX_QUOTE = 200
"""Maximum characters of a quote."""
_EMPTY = re.compile(
    r"\A\s*(\(\w+ completed with no output\)|\[metadata\].*|<returncode>0</returncode>|</?output>|\s)*\Z"
)
_WORD = re.compile(r"\w{2}")
_NOTES = 20
"""Number of notes after the run that are searched for a verifier's output."""
_HEADING = re.compile(r"^\W*[A-Z]{3,}\W*$")
_MOST = 20_000
"""Number of characters of a call that are searched for a line."""
_EDITS = frozenset({"create", "append", "edit", "patch"})


class Quotation(NamedTuple):
    """Request for a quote. If the event contains `words`, they are quoted; otherwise the event's first line is."""

    step: int
    event: Event | None
    words: str = ""


class OnsetContext:
    """A run with its steps, effects and patterns, and queries that several onset rules share."""

    def __init__(self, story: RunStory, patterns: Sequence[Pattern]) -> None:
        self.story, self.patterns = story, patterns
        self.effects = {effect.step: effect for effect in story.effects}
        self.numbers = [step.number for step in story.steps]

    @cached_property
    def edits(self) -> list[tuple[Effect, FileWrite]]:
        """Text edits of work files that were carried out, in order.

        In a run that records results, a call without a result counts as not carried out.
        """
        # Only edits that were carried out can be to blame. In formats that record no results, every call counts as
        # carried out.
        done = {step.number for step in self.story.steps if self._came_back(step)}
        return [(effect, write) for effect, write in self.story.edits if write.how in _EDITS and effect.step in done]

    @cached_property
    def blame(self) -> Blame:
        """Maps the remaining lines of each file to the steps that wrote them."""
        return Blame(self.written)

    @cached_property
    def written(self) -> list[tuple[Effect, FileWrite]]:
        """All writes that were carried out, in order."""
        done = (effect for effect, step in self.story.done() if not failed(step) and self._came_back(step))
        return [(effect, write) for effect in done for write in effect.writes if write.how not in {"log", "mode"}]

    @cached_property
    def taking_back(self) -> list[tuple[int, FileWrite]]:
        """Writes that restore or delete files, with their steps."""
        return [(e.step, w) for e, _ in self.story.done() for w in e.writes if w.how in {"restore", "delete"}]

    def was_aside(self, path: str) -> bool:
        """Return whether a file was ever deleted, moved or restored."""
        writes = (write for effect in self.story.effects for write in effect.writes if write.path == path)
        return any(write.how in {"delete", "move", "restore"} for write in writes)

    @cached_property
    def scripts(self) -> Mapping[str, Sequence[int]]:
        """Steps that wrote each file as a whole, by the file's path."""
        found: dict[str, list[int]] = {}
        for effect, write in self.written:
            if write.how == "create":
                found.setdefault(write.path, []).append(effect.step)
        return found

    def _came_back(self, step: RunStep) -> bool:
        return step.result is not None or not self._has_results

    @cached_property
    def _has_results(self) -> bool:
        return any(step.result is not None for step in self.story.steps)

    @property
    def conclusive_checks(self) -> list[StepCheck]:
        """Checks of the work that ran and have an outcome."""
        return self.story.conclusive_checks

    @cached_property
    def last(self) -> int:
        """The last step that has a result or is a message; 0 for a run without steps."""
        done = [step.number for step in self.story.steps if step.call is None or step.result is not None]
        return done[-1] if done else 0

    @cached_property
    def last_words(self) -> Event | None:
        """The last response of the run, or None if the run has no response."""
        said = [event for event in self.story.run.events if event.kind == "response"]
        return said[-1] if said else None

    @cached_property
    def verifier(self) -> Event | None:
        """A test runner's output, recorded after the end of the run, that reports a failure; or None."""
        events = self.story.run.events
        last = max((event.index for event in events if event.step), default=-1)
        notes = [event for event in events if event.kind == "note" and event.text and event.index > last]
        for event in reversed(notes[-_NOTES:]):
            output = read_output(event.text, "")
            if output.runner and output.ok is False:
                return event
        return None

    def named(self, name: str) -> list[Pattern]:
        """Return the patterns with this name."""
        return [pattern for pattern in self.patterns if pattern.name == name]

    def step(self, number: int) -> RunStep:
        """Return the step with this number."""
        return self.story.step_at[number]

    def is_silent(self, number: int) -> bool:
        """Return whether the step's result is empty, apart from a tool's message that there was no output."""
        result = self.step(number).result
        return result is not None and len(result.text) < 2_000 and _EMPTY.match(result.text) is not None


def suspect(
    step: int,
    type_: ErrorType,
    confidence: float,
    text: str,
    *,
    links: Iterable[tuple[int, str]],
    said: Iterable[Quotation],
) -> OnsetSuspect:
    """Return a suspect for one step. The suspect's chain starts with that step."""
    chain = {step: OnsetLink(step, text)}
    for number, words in links:
        said_so = f"{text}; {words}" if number == step else words
        if number not in chain or (number == step and chain[step].text == text):
            chain[number] = OnsetLink(number, one_line(said_so, MAX_QUOTE))
    evidence = [made for one in said if (made := quoted(one)) is not None]
    return OnsetSuspect(step, step, step, type_, confidence, text, [chain[n] for n in sorted(chain)], evidence)


def call_of(scene: OnsetContext, number: int, words: str = "") -> Quotation:
    """Return a quotation of a step's call."""
    return Quotation(number, scene.step(number).call, words)


def edit_of(scene: OnsetContext, effect: Effect, write: FileWrite) -> Quotation:
    """Return a quotation of the first new line of an edit.

    If the call does not contain that line, quotes the line of the call that names the file.
    """
    call = scene.step(effect.step).call
    old = write.old or ""
    fresh = "\n".join(line for line in (write.new or "")[:4_000].split("\n") if line.strip() not in old)
    words = _first_line(fresh) or _first_line(write.new or "")
    texts = texts_of(call) if call is not None else []
    if not words or not any(words in text for text in texts):
        lines = (line.strip() for text in texts for line in text[:_MOST].split("\n"))
        words = next((line for line in lines if paths.name(write.path) in line and "\n" not in line), words)
    return Quotation(effect.step, call, words)


def result_of(scene: OnsetContext, number: int, words: str = "") -> Quotation:
    """Return a quotation of a step's result."""
    return Quotation(number, scene.step(number).result, words)


def response_of(scene: OnsetContext, number: int, words: str = "") -> Quotation:
    """Return a quotation of the agent's response at a step."""
    return Quotation(number, scene.step(number).response, words)


def quoted(said: Quotation) -> OnsetEvidence | None:
    """Return the quote as evidence, or None if the event is missing or has no text."""
    if said.event is None:
        return None
    texts = texts_of(said.event)
    words = said.words.strip()[:MAX_QUOTE].strip()
    if not words or not any(words in text for text in texts):
        words = next((line for text in texts if (line := _first_line(text))), "")
    found = bool(words) and any(words in text for text in texts)
    return OnsetEvidence(said.step, said.event.ref, words) if found else None


def texts_of(event: Event) -> list[str]:
    """Return the quotable texts of an event: text, reasoning and string arguments."""
    values = [value for value in (event.arguments or {}).values() if isinstance(value, str)]
    return [text for text in (event.text, event.reasoning, *values) if text]


def _first_line(text: str) -> str:
    """Return the first line that contains a word, or an empty string.

    A one-word heading (`DISCUSSION`, `THOUGHT:`) is returned only if no other line has a word.
    """
    lines = [line.strip() for line in text[:4_000].split("\n") if _WORD.search(line)]
    return next((line for line in lines if not _HEADING.match(line)), lines[0] if lines else "")[:MAX_QUOTE].strip()


def shown(scene: OnsetContext, number: int) -> str:
    """Return a step's call as one line that fits in a sentence."""
    call = scene.step(number).call
    return one_line(text_of_call(call), 80) if call is not None else "a message"
