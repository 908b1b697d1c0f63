"""The commits of a recording's workspace, as patches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dap_ai.runs.model import Event, Run
from dap_ai.runs.store import WORKSPACE

_MOST_LINES = 2_000


def patches_of(run: Run, mask: Callable[[str], str] = str) -> Callable[[Event], Sequence[str]]:
    """Gives the lines of the patch of a change, masked and then cut; none where no repository has it."""
    from dap_ai.backends.agents.live.workspace.git import Git, GitError  # noqa: PLC0415  only where something changed

    repository = Path(run.root) / WORKSPACE

    def patch(event: Event) -> Sequence[str]:
        if not event.native_id.isalnum() or not repository.is_dir():
            return ()
        try:
            git = Git(repository, repository, repository / "index")
            told = git("diff-tree", "-p", "--root", "--no-commit-id", "--no-renames", "--no-ext-diff", event.native_id)
        except (GitError, OSError):
            return ()
        lines = mask(told.decode("utf-8", "replace")).splitlines()
        rest = len(lines) - _MOST_LINES
        return lines if rest <= 0 else [*lines[:_MOST_LINES], f"@ {rest:,} lines more"]

    return patch
