"""Kinds of debuggee: what differs between a Python program, a native one, a recorded run, ... is one object's.

An entry point of the group `dap_ai.kinds` names that object. Who needs a part of a kind states it as a Protocol: what a
stop is to its reader below, its tools (`tools/base.py`), its analyst (`providers/offline.py`), how it is started from a
terminal (`commands/kinds.py`). Nobody asks which kind it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Protocol, cast

from dap_ai.agent.case.stack import Case
from dap_ai.agent.prompts import wording
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.wire.errors import RequestFailed

GROUP = "dap_ai.kinds"
DEFAULT = "python"
"""The kind of a debuggee of which nothing is known."""


class KindError(RequestFailed):
    """A stop names a kind that is not installed, or whose package does not load; the text says which."""

    def __init__(self, text: str) -> None:
        super().__init__("ask", "noKind", text)


class Kind(Protocol):
    """What a stop of this kind is to its reader. A kind that inherits from it writes what is not as it is here."""

    name: str
    """As in `Inspection.kind`, and the entry point's."""
    languages: frozenset[str] = frozenset()
    """Of its source files; empty: Python's, as for all that has no other kind."""
    project_marks: Sequence[str] = ()
    """Files that stand in the outermost folder of a project, beside `.git` and `pyproject.toml`."""
    system_folders: Sequence[str] = ()
    """Where the system keeps the sources of its libraries."""
    asks: str = "Why did it stop here?"
    """The question of a user who asks none."""
    model_tokens: int = 0
    """What a first question to a model may cost, in tokens, whatever the settings allow; 0: what they allow."""

    def is_library(self, path: str) -> bool:
        """Whether a source file belongs to a library, by its folder: beyond what belongs to one for every kind."""
        del path
        return False

    def own_files(self, case: Case, files: Sequence[str]) -> Sequence[str] | None:
        """The files whose folders are the program's own; None: that of its main script, or of its outermost frame."""
        del case, files
        return None

    def expression_language(self, language: str) -> str:
        """In which language expressions of a frame are, by that of its source."""
        return language

    async def complete(self, case: Case, debugger: Debugger) -> None:
        """Adds to a case that was inspected what the program said itself as it failed. Raises NotStopped."""
        ...

    async def first_context(self, case: Case, debugger: Debugger, budget_tokens: int) -> str:
        """What a reader needs to know of the stop, as Markdown. Raises NotStopped."""
        ...

    def context_unread(self, case: Case, budget_tokens: int) -> str:
        """The same of an error that the program only printed: no value can be read; empty: nothing is known of it."""
        del case, budget_tokens
        return ""

    def has_failed(self, case: Case) -> bool:
        """Whether it stands at a failure, and not at a breakpoint or a pause."""
        ...

    def occasion(self, case: Case) -> str:
        """What a model is told of the stop, and of this kind of program."""
        return wording("exception" if self.has_failed(case) else "stopped")

    def instructions(self, marker: str) -> str:
        """The first message of a model's conversation. `marker` fences what the program says."""
        return wording("system", marker=marker)


@cache
def _loaded() -> tuple[Mapping[str, object], Mapping[str, str]]:
    """The kinds by name, and those that do not load with the reason: a broken package is in nobody's way."""
    found: dict[str, object] = {}
    broken: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:  # noqa: BLE001, PERF203  anybody's code; there are few
            broken[point.name] = f"{type(error).__name__}: {error}"
    return found, broken


def kinds() -> Iterator[object]:
    """Those that are installed, by name."""
    return iter(_loaded()[0].values())


def broken() -> Mapping[str, str]:
    """Those that do not load, and why."""
    return _loaded()[1]


def named(name: str) -> object:
    """The kind of this name. Raises KindError."""
    found, bad = _loaded()
    if name not in found:
        why = f"its package does not load: {bad[name]}" if name in bad else f"installed: {', '.join(found) or 'none'}"
        raise KindError(f"There is no kind of debuggee '{name}' here ({why}).")
    return found[name]


def kind_of(case: Case) -> Kind:
    """The kind of the stopped program. Raises KindError."""
    return cast("Kind", named(case.inspection.kind))


def kind_of_language(language: str) -> Kind:
    """The kind whose source is in this language."""
    own = (cast("Kind", kind) for kind in kinds())
    return next((kind for kind in own if language in kind.languages), cast("Kind", named(DEFAULT)))


def kind_of_source(case: Case) -> Kind:
    """The kind by the source of the frames, which adapters without an inspector have, too. Raises KindError."""
    by_language = (kind_of_language(place.language) for place in case.places)
    return next((kind for kind in by_language if kind.name != DEFAULT), kind_of(case))
