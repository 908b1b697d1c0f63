"""The commits of a recording's workspace, as patches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dap_ai.runs.model import Event, Run
from dap_ai.runs.store import WORKSPACE

_MOST_LINES = 2_000


def patches_of(run: Run, mask: Callable[[str], str] = str) -> Callable[[Event], Sequence[str]]:
    """Gives the lines of the patch of a change, masked and then cut; none where no repository has it."""
    changes = [event for event in run.events if event.kind == "change" and event.native_id.isalnum()]
    repository = Path(run.root) / WORKSPACE
    found = dict(_patches(repository, changes, mask)) if changes and repository.is_dir() else {}
    return lambda event: found.get(event.index, ())


def _patches(repository: Path, changes: Sequence[Event], mask: Callable[[str], str]) -> Iterator[tuple[int, list[str]]]:
    from dap_ai.backends.agents.live.workspace.git import GitError  # noqa: PLC0415  only where something changed
    from dap_ai.backends.agents.live.workspace.reading import states_of  # noqa: PLC0415  the same

    try:
        with states_of(repository) as states:
            for event in changes:
                lines = mask(states.patch(event.native_id)).splitlines()
                rest = len(lines) - _MOST_LINES
                yield event.index, lines if rest <= 0 else [*lines[:_MOST_LINES], f"@ {rest:,} lines more"]
    except (GitError, OSError):
        return  # those that are not there are told by the names of their files
