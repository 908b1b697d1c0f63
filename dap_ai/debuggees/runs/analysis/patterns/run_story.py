"""Input of the pattern finders: a run with its effects and checks, and queries that several finders share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite, StepCheck
from dap_ai.debuggees.runs.analysis.file_roles import FileRoles
from dap_ai.debuggees.runs.analysis.rule_tables import find_words
from dap_ai.debuggees.runs.run_model import Run, RunStep

_EDITS = frozenset({"create", "append", "edit", "patch", "move"})
_HISTORY = re.compile(r"^git (add|commit|tag|config|branch|init|clone|fetch|push|remote)$")


class RunStory:
    """One run and its steps in order, with their effects, checks and files."""

    def __init__(
        self,
        run: Run,
        steps: Sequence[RunStep],
        effects: Sequence[Effect],
        checks: Sequence[StepCheck],
        files: FileRoles,
    ) -> None:
        self.run, self.steps, self.effects, self.checks, self.files = run, steps, effects, checks, files
        self.step_at = {step.number: step for step in steps}

    def done(self) -> Iterator[tuple[Effect, RunStep]]:
        """Yields each step whose call was neither rejected nor a no-op, with its effect."""
        for effect, step in zip(self.effects, self.steps, strict=True):
            if not effect.refused and not effect.noop:
                yield effect, step

    @cached_property
    def edits(self) -> list[tuple[Effect, FileWrite]]:
        """All edits of work files that were carried out, in order."""
        done = (effect for effect, step in self.done() if not failed(step))
        return [(effect, write) for effect in done for write in self.files.work(effect.writes) if write.how in _EDITS]

    @cached_property
    def conclusive_checks(self) -> list[StepCheck]:
        """Checks of the work that ran and have an outcome."""
        return [check for check in self.checks if check.ran and check.ok is not None and check.kind != "look"]

    @cached_property
    def changes(self) -> list[Effect]:
        """Effects of the steps that change something and did not fail."""
        return [effect for effect, step in self.done() if effect.kind == "change" and not failed(step)]

    @cached_property
    def unnamed_changes(self) -> list[int]:
        """Numbers of the steps that change files which their call does not name."""
        return [
            effect.step
            for effect, _step in self.done()
            if effect.kind == "change" and not effect.writes and not all(_HISTORY.match(p) for p in effect.programs)
        ]

    @cached_property
    def handed_in(self) -> RunStep | None:
        """Step with which the agent ended its work, or None.

        The step is a submission, or a final message without a call.
        """
        for effect, step in zip(reversed(self.effects), reversed(self.steps), strict=True):
            if effect.kind == "submit" and not effect.refused:
                return step
        for effect, step in zip(reversed(self.effects), reversed(self.steps), strict=True):
            if step.call is None or step.result:
                return step if effect.kind == "message" and step.call is None and not effect.refused else None
        return None


def failed(step: RunStep) -> bool:
    """Return whether the step's result reports a failure."""
    result = step.result
    return result is not None and (result.status == "error" or (result.exit_code or 0) != 0)


def claims_success(text: str) -> bool:
    """Return whether a text claims that the work is done."""
    return find_words("claims", text[-4000:]) is not None
