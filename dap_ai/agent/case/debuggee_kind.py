"""Kinds of debuggee: what differs between a Python program, a native one, a recorded run, ... is one object's.

An entry point of the group `dap_ai.kinds` names that object. Who needs a part of a kind states it as a Protocol: what a
stop is to its reader below, its tools (`tools/base.py`), its analyst (`providers/offline.py`), how it is started from a
terminal (`commands/target_kinds.py`). Nobody asks which kind it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from dap_ai.agent import kinds
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.kinds import DEFAULT, named
from dap_ai.agent.prompts import wording
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.repeatable_run import Recalled, UnrepeatableError


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

    def own_files(self, case: StopSnapshot, files: Sequence[str]) -> Sequence[str] | None:
        """The files whose folders are the program's own; None: that of its main script, or of its outermost frame."""
        del case, files
        return None

    def expression_language(self, language: str) -> str:
        """In which language expressions of a frame are, by that of its source."""
        return language

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Adds to a case that was inspected what the program said itself as it failed. Raises NotStopped."""
        ...

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """What a reader needs to know of the stop, as Markdown. Raises NotStopped."""
        ...

    def context_unread(self, case: StopSnapshot, budget_tokens: int) -> str:
        """The same of an error that the program only printed: no value can be read; empty: nothing is known of it."""
        del case, budget_tokens
        return ""

    def has_failed(self, case: StopSnapshot) -> bool:
        """Whether it stands at a failure, and not at a breakpoint or a pause."""
        ...

    def occasion(self, case: StopSnapshot) -> str:
        """What a model is told of the stop, and of this kind of program."""
        return wording("exception" if self.has_failed(case) else "stopped")

    def instructions(self, marker: str) -> str:
        """The first message of a model's conversation. `marker` fences what the program says."""
        return wording("system", marker=marker)

    def prepare(self, source: SourceFile) -> None:
        """Prepares a source file for the next question; called in a thread, before there is one."""

    async def recall(self, debugger: Debugger, case: StopSnapshot) -> Recalled:
        """Reruns the program or test up to this stop. Raises UnrepeatableError, NotStopped, RequestFailed."""
        del debugger, case
        raise UnrepeatableError("a program of this kind cannot be run again")


def kind_of(case: StopSnapshot) -> Kind:
    """The kind of the stopped program. Raises KindError."""
    return cast("Kind", named(case.inspection.kind))


def kind_of_language(language: str) -> Kind:
    """The kind whose source is in this language."""
    return cast("Kind", kinds.of_language(language))


def kind_of_source(case: StopSnapshot) -> Kind:
    """The kind by the source of the frames, which adapters without an inspector have, too. Raises KindError."""
    by_language = (kind_of_language(place.language) for place in case.places)
    return next((kind for kind in by_language if kind.name != DEFAULT), kind_of(case))
