"""Comparison of a run with the replay or fork that was made from it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from dap_ai.debuggees.runs.commands.parts.run_arguments import opened
from dap_ai.debuggees.runs.commands.parts.run_output import diff_lines, screen_width, styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import dollars, few, in_a_line, path_shown
from dap_ai.debuggees.runs.export.export_text import length_of_time
from dap_ai.debuggees.runs.live.replay.replay_run import CheckResult
from dap_ai.debuggees.runs.live.replay.tape import Tape
from dap_ai.debuggees.runs.live.replay.workspace_copy import diff
from dap_ai.debuggees.runs.live.workspace.git import GitError
from dap_ai.debuggees.runs.readers.json_shapes import whole, words
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.system.texts import counted, cut

_LABEL = 14
_DIFF_LINES = 60
_FILES = 6


class RunSide(NamedTuple):
    """One of two compared runs, with its recording."""

    path: Path
    run: Run
    tape: Tape
    check: CheckResult | None

    @property
    def files(self) -> list[str]:
        """Names of files that the run changed, sorted."""
        return sorted({path for row in self.tape.rows if "change" in row for _, path in row.get("files") or ()})

    @property
    def tokens(self) -> tuple[int, int]:
        """(input, output) tokens of all answers; answers from the original recording count as well."""
        used = [event.usage for event in self.run.events if event.usage]
        return sum(each.input_tokens or 0 for each in used), sum(each.output_tokens or 0 for each in used)

    @property
    def last_words(self) -> str:
        """Beginning of the agent's last answer; empty without an answer."""
        said = (event.beginning(400) for event in reversed(self.run.events) if event.kind == "response")
        return next(filter(None, said), "")

    def fields(self) -> dict[str, Any]:
        """Return the run's fields for JSON."""
        taken, given = self.tokens
        verdict = {"verdict": self.run.outcome.verdict, "words": self.run.outcome.words}
        spent = {"input_tokens": taken, "output_tokens": given, "cost_usd": self.run.cost_usd}
        asked = {"queries": len(self.tape.queries), "from_tape": sum(each > 0 for each in self.tape.taken.values())}
        check = None if self.check is None else {"exit_code": self.check.code, "output": self.check.output[-4000:]}
        head = {"run": str(self.path), "outcome": verdict, "check": check, "steps": self.run.steps}
        return {**head, **asked, **spent, "seconds": self.run.seconds, "files": self.files}


class RunComparison(NamedTuple):
    """An original run, and the replay or fork made from it."""

    first: RunSide
    second: RunSide
    notes: Sequence[Mapping[str, Any]]
    """Notes of the new recording: where the replay left the original recording, and how the workspace differed
    there."""

    @property
    def divergences(self) -> list[Mapping[str, Any]]:
        """Differences from the original recording's queries, in order; at most one per kind."""
        return [row for row in self.notes if "divergence" in row]

    @property
    def unasked(self) -> int:
        """Number of recorded queries that the new run did not reach; 0 if the new run left the original recording."""
        if any("fork" in row or "stopped" in row for row in self.notes):
            return 0
        return len(self.first.tape.answers.keys() - set(self.second.tape.taken.values()))

    @property
    def differs(self) -> bool:
        """Whether anything differs except times, random names and the like."""
        weighty = any(row.get("divergence", "passing") != "passing" or "stopped" in row for row in self.notes)
        ended = _ended(self.first) != _ended(self.second)
        return weighty or ended or bool(self.unasked) or bool(self.patch)

    @property
    def patch(self) -> str:
        """Patch from the first run's final state to the second's; empty if either state is not recorded."""
        before, after = self.first.tape, self.second.tape
        if before.repository is None or after.repository is None:
            return ""
        try:
            return diff(before.repository, before.last_commit, after.repository, after.last_commit)
        except (GitError, OSError):
            return ""

    def fields(self) -> dict[str, Any]:
        """Return the comparison's fields for JSON."""
        notes = [{key: row[key] for key in row if key != "at"} for row in self.notes]
        sides = {"before": self.first.fields(), "after": self.second.fields()}
        return {**sides, "differs": self.differs, "divergences": self.divergences, "notes": notes, "diff": self.patch}

    def lines(self) -> Iterator[str]:
        """Yield lines of text that show the comparison."""
        width = screen_width()
        column = max((width - _LABEL) // 2 - 2, 24)
        yield ""
        names = f"{_named(self.first):<{column}}  {_named(self.second)}"
        yield " " * _LABEL + styled(names, bold=True)
        for label, one, other in self._rows():
            for first, second in _beside(one, other, column):
                yield f"{label:<{_LABEL}}{first:<{column}}  {second}".rstrip()
                label = ""  # noqa: PLW2901  shown only on the first line
        yield ""
        yield from self._parting(width)
        yield from self._patch_lines()

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield (label, value of the first run, value of the second run)."""
        yield "ended", _ended(self.first), _ended(self.second)
        if self.second.check is not None:
            yield "check", _check(self.first.check), _check(self.second.check)
        yield "steps", str(self.first.run.steps), str(self.second.run.steps)
        taped = sum(each > 0 for each in self.second.tape.taken.values())
        queries = len(self.second.tape.queries)
        yield "queries", str(len(self.first.tape.queries)), f"{queries}: {taped} from the tape, {queries - taped} not"
        for label, place in (("tokens in", 0), ("tokens out", 1)):
            yield label, f"{self.first.tokens[place]:,}", f"{self.second.tokens[place]:,}"
        if self.first.run.cost_usd is not None or self.second.run.cost_usd is not None:
            yield "cost", dollars(self.first.run.cost_usd), dollars(self.second.run.cost_usd)
        yield "time", length_of_time(self.first.run.seconds), length_of_time(self.second.run.seconds)
        yield "files changed", _files(self.first), _files(self.second)
        yield "last answer", in_a_line(self.first.last_words, 200), in_a_line(self.second.last_words, 200)

    def _parting(self, width: int) -> Iterator[str]:
        told = 2 * width
        for row in self.notes:
            colour = {"fg": "yellow"} if row.get("divergence") in ("text", "shape") else {}
            yield styled(in_a_line(words(row.get("note")), told), **colour)
        if not self.divergences:
            yield "no query from the tape was asked otherwise than recorded"
        if self.unasked:
            yield f"the agent has ended before {counted(self.unasked, 'recorded query', 'recorded queries')}"

    def _patch_lines(self) -> Iterator[str]:
        patch = self.patch
        before, after = self.first.tape.repository, self.second.tape.repository
        if before is None or after is None:
            return
        if not patch:
            yield "both leave the same files"
            return
        yield "what the second leaves beside what the first left:"
        found = patch.splitlines()
        yield from diff_lines(found[:_DIFF_LINES])
        if len(found) > _DIFF_LINES:
            yield f"... and {counted(len(found) - _DIFF_LINES, 'line')} more: --json has them all"


def compare_recordings(
    path: Path, run: Run, tape: Tape, folder: Path, checks: tuple[CheckResult | None, CheckResult] | None
) -> RunComparison:
    """Compare a run with the new recording in `folder`. `checks` has both results of a check."""
    before, after = checks or (None, None)
    made = Tape(folder)
    notes = [row for row in made.rows if {"divergence", "fork", "stopped", "drift"} & row.keys()]
    return RunComparison(RunSide(path, run, tape, before), RunSide(folder, opened(folder), made, after), notes)


def _named(side: RunSide) -> str:
    return path_shown(side.path.absolute().name)


def _ended(side: RunSide) -> str:
    row = next((each for each in reversed(side.tape.rows) if "end" in each), None)
    if row is None:
        return "is not recorded"
    code = whole(row["end"])
    return "not seen" if code is None else f"exit code {code}"


def _check(check: CheckResult | None) -> str:
    if check is None:
        return "not run"
    said = next((line for line in reversed(check.output.splitlines()) if line.strip()), "")
    verdict = "passes" if check.code == 0 else f"fails ({check.code})"
    return f"{verdict}  {in_a_line(said, 120)}".rstrip()


def _files(side: RunSide) -> str:
    return few(map(path_shown, side.files), _FILES)


def _beside(one: str, other: str, column: int) -> Iterator[tuple[str, str]]:
    """Arrange two texts side by side, in columns of at most three lines each."""
    first, second = (textwrap.wrap(cut(text, 3 * column, "…"), column) or [""] for text in (one, other))
    return zip_longest(first, second, fillvalue="")
